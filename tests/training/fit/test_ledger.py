"""What is said of fits that failed."""

from __future__ import annotations

import pytest

from earnest.core import TaskOutcome
from earnest.training import explain_failure, find_exception

FRAMES = 'Traceback (most recent call last):\n  File "a.py", line 1, in fit\n    go()\n    ^^^^\n'


@pytest.mark.parametrize(
    ("below", "named"),
    [
        ("ValueError: too few", "ValueError: too few"),
        ("ValueError: too few\nrows\nto fit: at all", "ValueError: too few"),
        ("earnest.core.base.errors.InputError: no, got 3.", "InputError: no, got 3."),
        ("KeyError: 'ä'", "KeyError: 'ä'"),
        ("AssertionError", "AssertionError"),
    ],
)
def test_an_exception_is_the_first_line_below_its_frames(below: str, named: str) -> None:
    assert find_exception(FRAMES + below) == named
    chained = f"{FRAMES}OSError: first\n\nDuring handling of it:\n\n{FRAMES}{below}\n"
    assert find_exception(chained) == named


def test_a_note_without_a_traceback_is_its_own_words() -> None:
    assert explain_failure(TaskOutcome((0,), error="", note="time limit")) == "time limit"
    assert explain_failure(TaskOutcome((0,), error="")) == "no message"
