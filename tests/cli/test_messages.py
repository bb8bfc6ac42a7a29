"""A message names an argument as its reader would write it: Python's way, or as an option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from earnest.cli.app import COMMANDS, options_of
from earnest.core import PYTHON, Door, through
from earnest.errors import EarnestError
from tests.core.test_bad_input import KINDS

OPTIONS = frozenset(option for name, *_ in COMMANDS for option in options_of(name))
NAMES = {
    option.removeprefix("--").replace("-", "_") for option in OPTIONS if option.startswith("--")
} - {"scores"}  # an array in Python, and a switch of the command line
CALL = re.compile(r"\w+\([^)]*\)")  # of Python, where there is no option
COMMAND = re.compile(r"earnest \w+ .*?(?=\.|$)")  # a command that is advised to both
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_speaks_the_language_of_its_door(kind: str, tmp_path: Path) -> None:
    with pytest.raises(EarnestError) as caught:
        KINDS[kind](tmp_path)
    error = caught.value
    with through(PYTHON):
        python = f"{error.what} {error.needs} {error.cure}"
    assert not OPTION.findall(COMMAND.sub("", python)), python
    with through(Door(OPTIONS)):
        told = f"{error.what} {error.needs} {error.cure}"
    named = set(re.findall(r"`(\w+)`", told))
    named |= set(re.findall(r"(?<![\w.-])(\w+)=(?![=>])", CALL.sub("", told)))
    assert not named & NAMES, told
