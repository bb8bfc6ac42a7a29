"""`earnest plan` from a pilot to what is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from tests.cli.conftest import Run
from tests.decision.populations import answer_items, make_scores


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    values = answer_items(np.random.default_rng(0), 200, [0.6] * 3, 0.5)
    return make_scores(values).save(tmp_path / "pilot.csv")


def test_the_sentence_and_the_json_say_the_same(run: Run, pilot: Path) -> None:
    told = run("plan", pilot, "--detect", "0.05", "--rng", "1")
    answer = run("plan", pilot, "--detect", "0.05", "--rng", "1", "--json")
    made = en.results.Plan.from_dict(json.loads(answer.out))
    assert told.code == 0
    assert " ".join(told.out.split()).startswith(made.sentence)


def test_several_sizes_are_planned_at_once(run: Run, pilot: Path) -> None:
    done = run("plan", pilot, "--detect", "0.05", "--n-configs", "2", "--n-configs", "9", "--json")
    assert [one["n_configs"] for one in json.loads(done.out)["needs"]] == [2, 9]


def test_predictions_have_a_metric(run: Run, table: Path) -> None:
    done = run("plan", table, "-m", "accuracy", "--width", "0.2", "--rng", "1", "--json")
    assert json.loads(done.out)["question"] == "width"


@pytest.mark.parametrize(
    "asked",
    [
        (),
        ("--detect", "0"),
        ("--detect", "0.1", "--width", "0.1"),
        ("--detect", "0.1", "--n-repeats", "3"),
    ],
)
def test_a_plan_that_makes_no_sense_is_bad_input(
    run: Run, pilot: Path, asked: tuple[str, ...]
) -> None:
    done = run("plan", pilot, *asked)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "`" not in done.err
