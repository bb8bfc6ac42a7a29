"""The benchmark of large tables tells a right answer from a wrong one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import earnest as en
from benchmarks.limits import run
from benchmarks.limits.child import Problem, is_right, run_problem, write_predictions

SMALL = Problem("roc_auc", 300, 25, 64)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
def test_a_mapped_table_has_the_answer_of_its_strong_configurations(
    metric: str, tmp_path: Path
) -> None:
    row = run_problem(replace(SMALL, metric=metric), tmp_path)
    assert row["right"] is True
    assert row["table_mb"] == round(300 * 25 * 8 / 1e6, 1)


def test_an_answer_that_is_off_is_not_right(tmp_path: Path) -> None:
    y = write_predictions(SMALL, tmp_path / "scores.npy")
    scores = np.load(tmp_path / "scores.npy")
    pi = en.Predictions.from_arrays(y, scores, np.arange(300) % 10)
    made = en.estimate(pi, metric="roc_auc", n_resamples=64, rng=1)
    assert is_right(made, made, pi, SMALL)
    assert not is_right(replace(made, value=made.value + 1e-12), made, pi, SMALL)
    assert not is_right(replace(made, naive=0.5), made, pi, SMALL)
    weak = replace(made, winner=pi.configs.ids[-1])
    assert not is_right(weak, made, pi, SMALL)


def test_a_row_replaces_that_of_the_same_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results.csv")
    row = dict.fromkeys(run.KEY, "7") | {"metric": "roc_auc", "memory_mb": "1"}
    run.keep(row)
    run.keep(row | {"n": "8"})
    run.keep(row | {"memory_mb": "2"})
    assert [(one["n"], one["memory_mb"]) for one in run.read_rows()] == [("7", "2"), ("8", "1")]
