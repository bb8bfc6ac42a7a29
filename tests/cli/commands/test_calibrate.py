"""`earnest calibrate` from predictions to what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import earnest as en
from tests.cli.conftest import Run

FEW = ("--n-simulations", "4", "--n-resamples", "50", "--rng", "1")


def test_the_sentence_and_the_json_say_the_same(run: Run, table: Path) -> None:
    told = run("calibrate", table, "-m", "accuracy", *FEW)
    answer = run("calibrate", table, "-m", "accuracy", *FEW, "--json")
    made = en.results.Inclusions.from_dict(json.loads(answer.out))
    assert told.code == answer.code == 0
    words = " ".join(told.out.split())
    assert words.startswith(" ".join(made.sentence.split()))
    assert " ".join(made.about.split()) in words


def test_several_methods_are_checked_and_what_is_left_out_is_told(run: Run, table: Path) -> None:
    asked = ("--methods", "bbc", "--methods", "naive", "--methods", "corrected_t")
    done = run("calibrate", table, "-m", "accuracy", *asked, *FEW)
    assert done.code == 0
    assert "corrected_t  left out" in done.out
    data = json.loads(run("calibrate", table, "-m", "accuracy", *asked, *FEW, "--json").out)
    assert [row["method"] for row in data["methods"]] == ["bbc", "naive"]
    assert list(data["refused"]) == ["corrected_t"]


@pytest.mark.parametrize(
    "asked", [("--n-simulations", "1"), ("--methods", "corrected_t"), ("--methods", "best")]
)
def test_a_check_that_makes_no_sense_is_bad_input(
    run: Run, table: Path, asked: tuple[str, ...]
) -> None:
    done = run("calibrate", table, "-m", "accuracy", *asked)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "`" not in done.err
