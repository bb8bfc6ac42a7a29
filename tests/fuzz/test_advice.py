"""An error whose advice was followed does not come again."""

from __future__ import annotations

import contextlib
import io
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from earnest.cli import main
from tests.fuzz.awkward import write_data, write_predictions

SEEDS = range(40)  # of each kind of table
STEPS = 14  # columns of a table, and what may be wrong with the file
REPEATED = {"missing", "ignore", "keep", "config"}
# An option with a value after a word of advice; "--decimal or --thousands to say" has none.
_ADVICE = re.compile(
    r"(?:[Pp]ass|or|and|with|out:|[Uu]se|usually) --(?P<option>[a-z-]+) "
    r"(?P<value>\"\"|'[^']*'|[^\s']+?)(?=[.;,?:]*(?:\s|$))"
)
_NAMES = (  # an option whose value names nothing, and what may have been meant
    re.compile(r"--(?P<option>[a-z-]+) names no column.*Did you mean (?P<value>'[^']*')"),
    re.compile(r"Did you mean (?P<value>'[^']*')\? Pass the column as --(?P<option>[a-z-]+)"),
)
_NO_VALUES = {"to", "or", "and", "for", "NAME", "COLUMN", "itself"}
Advice = tuple[str, str]  # an option and its value


def run(arguments: list[str]) -> tuple[int, str]:
    """Run a command; return its exit code and what it wrote to standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, err.getvalue()


def list_advice(error: str) -> list[Advice]:
    """Return the options that an error advises, with their values."""
    matches = [match for form in (*_NAMES, _ADVICE) for match in form.finditer(error)]
    found = [(match["option"], match["value"]) for match in matches]
    return [
        (option, shlex.split(value)[0] if value != '""' else "")
        for option, value in found
        if value not in _NO_VALUES
    ]


def add_option(arguments: list[str], option: str, value: str) -> list[str]:
    """Return a command with an option; one that takes a single value is replaced."""
    flag = f"--{option}"
    if option not in REPEATED and flag in arguments:
        place = arguments.index(flag)
        arguments = [*arguments[:place], *arguments[place + 2 :]]
    return [*arguments, flag, value]


def follow(arguments: list[str], choose: Callable[[list[Advice]], Advice]) -> None:
    """Follow the advice of errors to success or to an error without advice; none comes twice."""
    seen: list[str] = []
    for _ in range(STEPS):
        code, error = run(arguments)
        assert code in (0, 2), error
        if code == 0:
            return
        assert error not in seen, (arguments, error)
        seen.append(error)
        advice = list_advice(error)
        if not advice:
            return
        arguments = add_option(arguments, *choose(advice))
    raise AssertionError(("the advice does not end", arguments, seen[-1]))


@pytest.mark.parametrize("write", [write_data, write_predictions])
@pytest.mark.parametrize("policy", ["first", "last", "any"])
def test_no_error_comes_again_after_its_advice_was_followed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[int, Path], list[str]],
    policy: str,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for seed in SEEDS:
        arguments = write(seed, tmp_path / "table.csv")
        r = random.Random(seed)
        choices = {"first": lambda a: a[0], "last": lambda a: a[-1], "any": r.choice}
        follow(arguments, choices[policy])


def test_advice_is_read_out_of_errors() -> None:
    error = (
        "Expected --decimal or --thousands to say what it is. Pass --thousands , for the first, or "
        "--decimal , for the second. If it is missing, pass --missing 'see note'; otherwise leave "
        'it out: --ignore BMI. For a test set pass --fold "".'
    )
    assert list_advice(error) == [
        ("thousands", ","),
        ("decimal", ","),
        ("missing", "see note"),
        ("ignore", "BMI"),
        ("fold", ""),
    ]
