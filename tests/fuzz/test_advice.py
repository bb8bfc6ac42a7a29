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

import earnest as en
from earnest.cli import main
from tests.fuzz.awkward import (
    write_clean,
    write_data,
    write_new,
    write_predictions,
    write_training,
)

SEEDS = range(16)  # of each kind of table
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
PLANNED = "the search would begin here"
Advice = tuple[tuple[str, str], ...]  # options and their values, to be passed together


def run(arguments: list[str]) -> tuple[int, str]:
    """Run a command; return its exit code and what it wrote to standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, err.getvalue()


def list_advice(error: str) -> list[Advice]:
    """Return what an error advises: options with their values, together where 'and' joins them."""
    advice: list[Advice] = []
    for form in (*_NAMES, _ADVICE):
        end = -1
        for match in form.finditer(error):
            if match["value"] in _NO_VALUES:
                continue
            value = shlex.split(match["value"])[0] if match["value"] != '""' else ""
            joined = match[0].startswith("and ") and not error[end : match.start()].strip()
            before = advice.pop() if joined and end >= 0 else ()
            advice.append((*before, (match["option"], value)))
            end = match.end()
    return advice


def add_option(arguments: list[str], option: str, value: str) -> list[str]:
    """Return a command with an option; one that takes a single value is replaced."""
    flag = f"--{option}"
    if option not in REPEATED and flag in arguments:
        place = arguments.index(flag)
        arguments = [*arguments[:place], *arguments[place + 2 :]]
    return [*arguments, flag, value]


def follow(arguments: list[str], choose: Callable[[list[Advice]], Advice]) -> bool:
    """Follow the advice of errors to success or to an error without advice; none comes twice.

    Return whether any error gave a choice.
    """
    seen: list[str] = []
    had_choice = False
    for _ in range(STEPS):
        code, error = run(arguments)
        assert code in (0, 2), error
        if code == 0 or PLANNED in error:
            return had_choice
        assert error not in seen, (arguments, error)
        seen.append(error)
        advice = list_advice(error)
        if not advice:
            return had_choice
        had_choice |= len(advice) > 1
        for option, value in choose(advice):
            arguments = add_option(arguments, option, value)
    raise AssertionError(("the advice does not end", arguments, seen[-1]))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with a model for the tables of `write_new`."""
    folder = tmp_path_factory.mktemp("model")
    write_clean(folder / "clean.csv")
    options = {"n_configs": 1, "folds": 2, "rng": 0, "n_jobs": 1}
    en.tune(folder / "clean.csv", target="y", out=folder / "run", **options)
    return folder / "run"


@pytest.mark.parametrize("write", [write_data, write_predictions, write_training, write_new])
def test_no_error_comes_again_after_its_advice_was_followed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: Path,
    write: Callable[..., list[str]],
) -> None:
    """Whoever follows the first advice, the last, or any, goes the same way where there is one."""

    def stop(*_: object) -> None:
        raise en.errors.EarnestError(PLANNED)

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("earnest.training.tune.job.Job.plan", stop)  # before anything is trained
    more = [model] if write is write_new else []
    for seed in SEEDS:
        arguments = write(seed, tmp_path / "table.csv", *more)
        for choose in (lambda a: a[0], lambda a: a[-1], random.Random(seed).choice):
            if not follow(arguments, choose):
                break


def test_advice_is_read_out_of_errors() -> None:
    error = (
        "Expected --decimal or --thousands to say what it is. Pass --thousands , for the first, or "
        "--decimal , for the second. If they are missing, pass --missing 'see note' and "
        "--missing k.A.; otherwise leave "
        'it out: --ignore BMI. For a test set pass --fold "".'
    )
    assert list_advice(error) == [
        (("thousands", ","),),
        (("decimal", ","),),
        (("missing", "see note"), ("missing", "k.A")),
        (("ignore", "BMI"),),
        (("fold", ""),),
    ]
