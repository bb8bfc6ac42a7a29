"""The script that mypy reads names everything that a signature takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earnest.comparison import TESTS
from earnest.core import SELECTORS, Registry
from earnest.methods import METHODS
from earnest.resampling import RESAMPLERS
from earnest.training import DROPPING_RULES

SCRIPT = Path(__file__).with_name("typed_use.py")
ROOT = Path(__file__).resolve().parents[2]
REGISTRIES: dict[str, Registry[Any]] = {
    "methods": METHODS,
    "tests": TESTS,
    "ways of early dropping": DROPPING_RULES,
    "selectors": SELECTORS,
    "resamplers": RESAMPLERS,
}


@pytest.mark.parametrize("kind", list(REGISTRIES))
def test_everything_registered_is_passed_where_a_signature_takes_it(kind: str) -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    registered = [REGISTRIES[kind][name] for name in REGISTRIES[kind]]
    made = [getattr(one, "__name__", type(one).__name__) for one in registered]
    assert made
    assert [name for name in made if f"{name}(" not in text] == []


def test_mypy_reads_the_script() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"{SCRIPT.relative_to(ROOT).as_posix()}"' in settings
