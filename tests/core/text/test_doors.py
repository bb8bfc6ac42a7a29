"""One mark in a message, in the words of whoever reads it."""

from __future__ import annotations

import pickle

import pytest

from earnest.core import PYTHON, Door, Value, arg, render, through
from earnest.errors import InputError
from tests.snapshots import Golden

COMMAND = Door(frozenset({"--method", "--n-resamples", "--all", "--drop", "--config"}))


@pytest.mark.parametrize(
    ("value", "python", "command"),
    [
        ("bbc", "method='bbc'", "--method bbc"),
        ("delong(variant='logit')", '''method="delong(variant='logit')"''', None),
        (None, "method=None", "--method ''"),
        (..., "method=[...]", "--method NAME"),
        ("632.", "method='632.'", "--method '632.'"),
        (0.5, "method=0.5", "--method 0.5"),
        (True, "method=True", "--method"),
    ],
)
def test_a_value_is_written_as_the_reader_would_type_it(
    value: Value, python: str, command: str | None
) -> None:
    assert render(arg("method", value), PYTHON) == python
    if command is not None:
        assert render(arg("method", value), COMMAND) == command


def test_an_underscore_of_python_is_a_hyphen_of_an_option() -> None:
    assert render(arg("n_resamples", 2000), COMMAND) == "--n-resamples 2000"
    assert render(arg("n_resamples"), COMMAND) == "--n-resamples"


def test_an_argument_without_an_option_is_named_as_one_of_python() -> None:
    assert render(arg("backend", "dask"), COMMAND) == "backend='dask' in Python"
    assert render(arg("backend"), COMMAND) == "`backend`"


def test_text_that_only_looks_like_a_mark_stays() -> None:
    for text in ("plain", "\x02", "\x02method\x1fnot json\x03", "\x02 \x03"):
        assert render(text, COMMAND) == text


def test_an_error_is_written_for_the_door_that_shows_it_even_after_a_way_through_a_worker(
    golden: Golden,
) -> None:
    error = InputError(f"{arg('method')} is unknown", cure=f"Use {arg('method', 'bbc')}.")
    golden.check(str(error))
    back = pickle.loads(pickle.dumps(error))
    with through(COMMAND):
        golden.check(str(back))
        assert back.cure == "Use --method bbc."
    assert back.cure == "Use method='bbc'."
