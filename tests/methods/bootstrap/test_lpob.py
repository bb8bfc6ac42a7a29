"""The leave-pair-out bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


def plain_pairs(made: en.Replicates) -> float:
    """The mean over pairs by a loop over pairs and replicates."""
    target, means = made.target, []
    for i in range(made.n_cases):
        for j in range(made.n_cases):
            if target.event is None:
                wanted = target.y[i] == 1 and target.y[j] == 0
            else:
                later = target.y[i] < target.y[j]
                tied = target.y[i] == target.y[j] and not target.event[j]
                wanted = bool(target.event[i] and (later or tied))
            both = np.flatnonzero((made.counts[:, i] == 0) & (made.counts[:, j] == 0))
            if wanted and len(both):
                high, low = made.responses[both, i], made.responses[both, j]
                means.append(np.mean((high > low) + 0.5 * (high == low)))
    return float(np.mean(means))


@pytest.mark.parametrize(("task", "metric"), [("binary", "roc_auc"), ("survival", "concordance")])
def test_it_is_the_plain_loop(task: str, metric: str) -> None:
    made = example_replicates(task, n_cases=21, n_replicates=60, seed=8)
    answer = en.estimate(made, method="lpob", metric=metric)
    assert answer.value == pytest.approx(plain_pairs(made), abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, oracles.auc), abs=EXACT)


def test_limits_stay_in_range_without_being_cut() -> None:
    made = example_replicates("binary", n_cases=40, seed=9)
    answer = en.estimate(made, method="lpob", metric="roc_auc", confidence_level=0.9999)
    assert 0.0 < answer.interval.low < answer.value < answer.interval.high < 1.0


def test_constant_scores_are_one_half_with_limits_of_independent_pairs() -> None:
    made = example_replicates("binary", n_cases=40)
    flat = en.Replicates(
        target=made.target,
        responses=np.zeros_like(made.responses),
        counts=made.counts,
        apparent=np.zeros(40),
        kind=made.kind,
    )
    answer = en.estimate(flat, method="lpob", metric="roc_auc")
    assert answer.value == 0.5
    assert answer.interval.low < 0.5 < answer.interval.high
    assert "EN035" in {caution.code for caution in answer.cautions}


def test_a_metric_of_cases_is_refused_with_what_to_ask_instead() -> None:
    with pytest.raises(en.errors.MetricError, match="method='loob'"):
        en.estimate(example_replicates("binary"), method="lpob", metric="accuracy")
    with pytest.raises(en.errors.MetricError, match="not a mean over pairs"):
        en.estimate(example_replicates("multiclass"), method="lpob", metric="roc_auc_ovr")


def test_few_cases_of_a_class_are_told_of() -> None:
    y = np.array([1] * 3 + [0] * 20)
    rng = np.random.default_rng(1)
    made = en.Replicates(
        target=en.Predictions.from_arrays(y, y).target,
        responses=y + rng.standard_normal((100, 23)),
        counts=rng.multinomial(23, np.full(23, 1 / 23), size=100),
        apparent=y + rng.standard_normal(23),
        kind="decision",
    )
    answer = en.estimate(made, method="lpob", metric="roc_auc")
    assert "EN044" in {caution.code for caution in answer.cautions}
