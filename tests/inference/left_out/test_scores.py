"""Scores of bootstrap-trained models under their own weights, whatever the family of the metric."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError
from earnest.inference import (
    apparent_score,
    left_out_scores,
    score_drawn,
    score_replicates,
)
from earnest.resampling import Weights
from earnest.testing import example_replicates

ASKED = [
    ("binary", "accuracy"),
    ("binary", "mcc"),
    ("binary", "roc_auc"),
    ("binary", "average_precision"),
    ("multiclass", "f1_macro"),
    ("regression", "r2"),
    ("regression", "pearson"),
    ("survival", "concordance"),
]


@pytest.mark.parametrize(("task", "metric"), ASKED)
def test_each_model_is_scored_under_its_own_row(task: str, metric: str) -> None:
    made = example_replicates(task, n_cases=30, n_replicates=12, seed=1)
    measure = en.metric(metric).on(task)
    ones = np.ones(30, dtype=np.uint8)
    for scores, rows in (
        (score_replicates(made, measure), [ones] * 12),
        (score_drawn(made, measure), made.counts),
        (left_out_scores(made, measure), made.out_of_bag().astype(np.uint8)),
    ):
        for b, row in enumerate(rows):
            one = made.columns.select(b)
            expected = en.kernels.score_table(one, measure, np.asarray(row)[None])[0, 0]
            np.testing.assert_allclose(scores[b], expected, atol=1e-10)


def test_a_metric_of_the_users_own_is_asked_too() -> None:
    made = example_replicates("regression", n_cases=20, n_replicates=5)
    own = en.metrics.make_metric(lambda y, p: float(np.max(np.abs(y - p))), greater_is_better=False)
    expected = np.abs(made.responses - made.target.y).max(axis=1)
    np.testing.assert_allclose(score_replicates(made, own.on("regression")), expected)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = example_replicates("binary", n_cases=30, n_replicates=50)
    measure = en.metric("mcc").on("binary")
    whole = left_out_scores(made, measure)
    monkeypatch.setattr("earnest.inference.left_out.scores.CELLS", 200)
    np.testing.assert_array_equal(left_out_scores(made, measure), whole)


def test_the_score_of_the_training_cases_must_be_defined() -> None:
    made = example_replicates("regression", n_cases=20, n_replicates=5)
    flat = en.Replicates(
        target=made.target,
        responses=made.responses,
        counts=made.counts,
        apparent=np.zeros(20),
        kind=made.kind,
    )
    with pytest.raises(EvidenceError, match="undefined on these cases"):
        apparent_score(flat, en.metric("pearson"))
    table = en.kernels.score_table(made.resubstituted, "mse", Weights.ones(20))
    assert apparent_score(made, en.metric("mse")) == table[0, 0]
