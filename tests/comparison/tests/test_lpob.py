"""The leave-pair-out difference: against the double loop, and at its edges."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Replicates, Target
from earnest.comparison import ReplicateQuestion
from earnest.core import Seeds, Task
from earnest.metrics import metric

B, N = 40, 12


def replicates(seed: int, noise: float = 1.0, **about: object) -> Replicates:
    y = np.tile([0, 1], N // 2)
    draws = np.random.default_rng(7)
    counts = np.zeros((B, N), dtype=np.uint8)
    for row in counts:
        for label in (0, 1):
            members = np.flatnonzero(y == label)
            np.add.at(row, draws.choice(members, len(members)), 1)
    rng = np.random.default_rng(seed)
    scores = y + noise * rng.standard_normal((B, N))
    return Replicates(
        target=Target(y=y, task=Task.BINARY, classes=(0, 1)),
        responses=scores,
        counts=counts,
        apparent=scores[0],
        kind="decision",
        drawn="stratified",
        **about,
    )


def question(*made: Replicates, by: str = "roc_auc") -> ReplicateQuestion:
    return ReplicateQuestion(replicates=made, metric=metric(by), seeds=Seeds(0))


def double_loop(one: Replicates) -> float:
    y, total = one.target.y, []
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            out = (one.counts[:, i] == 0) & (one.counts[:, j] == 0)
            above, below = one.responses[out, i], one.responses[out, j]
            if out.any():
                total.append(np.mean((above > below) + 0.5 * (above == below)))
    return float(np.mean(total))


def test_values_and_difference_are_those_of_the_double_loop() -> None:
    first, second = replicates(1), replicates(2, noise=3.0)
    reading = en.comparison.LPOBTest().read(question(first, second))
    assert reading.values == pytest.approx([double_loop(first), double_loop(second)])
    made = reading.pair(0, 1)
    assert made.difference == pytest.approx(double_loop(first) - double_loop(second))
    assert made.standard_error is not None
    back = reading.pair(1, 0)
    assert back.difference == pytest.approx(-made.difference)
    assert back.standard_error == pytest.approx(made.standard_error)
    assert back.p_values is not None
    assert made.p_values is not None
    assert back.p_values["less"] == pytest.approx(made.p_values["greater"])


def test_the_error_of_a_difference_is_that_of_the_differing_influences() -> None:
    from earnest.inference import leave_pair_out, pairs_of

    first, second = replicates(1), replicates(2, noise=3.0)
    made = en.comparison.LPOBTest().read(question(first, second)).pair(0, 1)
    alone = [
        leave_pair_out(one.responses, one.counts, pairs_of(one.target), strata=one.target.y)
        for one in (first, second)
    ]
    raw = np.square(alone[0].influence - alone[1].influence).sum()
    both = leave_pair_out(
        first.responses,
        first.counts,
        pairs_of(first.target),
        other=second.responses,
        strata=first.target.y,
    )
    assert both.raw_variance == pytest.approx(raw)
    assert made.standard_error == pytest.approx(np.sqrt(both.variance))


def test_the_same_predictions_give_p_1() -> None:
    made = en.comparison.LPOBTest().read(question(replicates(1), replicates(1))).pair(0, 1)
    assert made.difference == 0.0
    assert made.p_values == {"two-sided": 1.0, "less": 1.0, "greater": 1.0}


def test_learners_of_other_samples_are_refused() -> None:
    other = replicates(2)
    moved = np.roll(other.counts, 2, axis=1)
    with pytest.raises(en.errors.EvidenceError, match="different bootstrap samples"):
        question(
            replicates(1),
            Replicates(
                target=other.target,
                responses=other.responses,
                counts=moved,
                apparent=other.apparent,
                kind="decision",
                drawn="stratified",
            ),
        )


def test_a_metric_that_is_no_mean_over_pairs_is_refused() -> None:
    for by in ("accuracy", "average_precision"):
        with pytest.raises(en.errors.MetricError, match="cannot compare by"):
            en.comparison.LPOBTest().read(question(replicates(1), replicates(2), by=by))


def test_predictions_of_a_cross_validation_are_refused() -> None:
    pi = en.Predictions.from_arrays([0, 1, 0, 1], np.random.default_rng(0).random((4, 2)))
    with pytest.raises(en.errors.EvidenceError, match="compare_learners"):
        en.compare(pi, 0, 1, test="lpob", metric="roc_auc")


def test_it_says_that_its_error_is_wide_or_drowned() -> None:
    made = en.comparison.LPOBTest().read(question(replicates(1), replicates(2))).pair(0, 1)
    assert {"replicates_drowned", "error_of_difference_too_large"} & {
        caution.kind for caution in made.cautions
    }
