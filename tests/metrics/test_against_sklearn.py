"""Every metric against scikit-learn, SciPy, scikit-survival, or its definition, on fixed seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

from earnest import Predictions
from earnest.core import ResponseKind, Task
from earnest.kernels import score_table
from earnest.metrics import METRICS, Need, metric
from earnest.resampling import Weights
from tests.metrics.evidence import PAIRS, make, perfect, random_evidence
from tests.metrics.oracles import UNWEIGHTED, oracle

TOLERANCE = 1e-12  # 200 sums of numbers near 1 in another order: 200 * 2**-53 is 2e-14
WEIGHTED = [(name, task) for name, task in PAIRS if name not in UNWEIGHTED]


def expected(name: str, pi: Predictions, weight: NDArray[Any] | None) -> list[float]:
    target = pi.target
    y = target.y if target.event is None else np.column_stack([target.y, target.event])
    columns = range(pi.n_configs)
    return [oracle(name, target.task, y, pi.responses[:, c, 0], weight) for c in columns]


@pytest.mark.parametrize("grid", [0, 4], ids=["continuous", "ties"])
@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_on_the_cases_as_they_are_it_is_the_other_library_s_value(
    name: str, task: Task, grid: int
) -> None:
    pi = random_evidence(task, seed=11, grid=grid)
    table = score_table(pi, METRICS[name], Weights.ones(pi.n_cases))
    assert np.isfinite(table).all()
    np.testing.assert_allclose(table[0], expected(name, pi, None), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("grid", [0, 4], ids=["continuous", "ties"])
@pytest.mark.parametrize(("name", "task"), WEIGHTED)
def test_under_real_weights_it_is_the_other_library_s_weighted_value(
    name: str, task: Task, grid: int
) -> None:
    pi = random_evidence(task, seed=12, n=60 if task is Task.SURVIVAL else 200, grid=grid)
    weights = np.random.default_rng(13).exponential(size=(2, pi.n_cases))
    table = score_table(pi, METRICS[name], Weights(weights))
    for row, weight in zip(table, weights, strict=True):
        np.testing.assert_allclose(row, expected(name, pi, weight), rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("name", sorted(UNWEIGHTED))
def test_real_weights_that_are_whole_are_counts(name: str) -> None:
    one = METRICS[name]
    pi = random_evidence(next(iter(one.tasks)), seed=14)
    counts = np.random.default_rng(15).integers(0, 4, (3, pi.n_cases))
    whole = score_table(pi, one, Weights(counts))
    real = score_table(pi, one, Weights(counts * 0.37))
    np.testing.assert_allclose(real, whole, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_it_says_in_which_direction_it_is_better(name: str, task: Task) -> None:
    """The truth itself scores at the good end, and better than noise; or it has the right value.

    No line is as steep as the truth, and a chance of 0 counts as half a case.
    """
    pi = random_evidence(task, seed=16)
    truth, noise = perfect(pi), np.random.default_rng(17).permutation(perfect(pi))
    if METRICS[name].needs is Need.SURVIVAL:
        return  # smooth curves are never the truth: see test_survival.py
    both = make(task, pi.target.y, np.stack([truth, noise], axis=1), event=pi.target.event)
    best, other = score_table(both, METRICS[name], Weights.ones(pi.n_cases))[0]
    ideal = METRICS[name].ideal
    if ideal is not None:
        undefined = name == "calibration_slope" and task is Task.BINARY
        assert np.isnan(best) if undefined else best == pytest.approx(ideal, abs=0.05)
        return
    sign = METRICS[name].sign
    assert sign * best > sign * other
    low, high = METRICS[name].on(task).limits
    assert best == pytest.approx(high if sign > 0 else low, abs=1e-9)


def test_partial_auc_has_scikit_learn_s_value_for_every_limit() -> None:
    pi = random_evidence(Task.BINARY, seed=18, grid=20)
    for limit in (0.01, 0.05, 0.1, 1 / 3, 0.5, 0.9, 1.0):
        name = f"partial_roc_auc(max_fpr={limit})"
        table = score_table(pi, metric(name), Weights.ones(pi.n_cases))[0]
        for c, value in enumerate(table):
            there = sk.roc_auc_score(pi.target.y, pi.responses[:, c, 0], max_fpr=limit)
            assert value == pytest.approx(there, abs=TOLERANCE)


def test_f_beta_has_scikit_learn_s_value_for_every_beta() -> None:
    pi = random_evidence(Task.BINARY, seed=19)
    labels = pi.responses[:, :, 0] > 0.5
    for beta in (0.1, 0.5, 1.0, 2.0, 7.0):
        table = score_table(pi, metric(f"f_beta(beta={beta})"), Weights.ones(pi.n_cases))[0]
        there = [sk.fbeta_score(pi.target.y, column, beta=beta) for column in labels.T]
        np.testing.assert_allclose(table, there, rtol=TOLERANCE, atol=TOLERANCE)


def test_risk_is_the_cost_of_both_kinds_of_error() -> None:
    """Equation 1c of Yousef 2022 with the class frequencies of the cases, and with others."""
    pi = random_evidence(Task.BINARY, seed=20)
    y, labels = pi.target.y, pi.responses[:, 0, 0] > 0.5
    missed, alarm = np.mean(~labels[y == 1]), np.mean(labels[y == 0])
    share = np.mean(y == 1)
    here = score_table(pi, metric("risk(costs=(5, 1))"), Weights.ones(pi.n_cases))[0, 0]
    assert here == pytest.approx(5 * share * missed + (1 - share) * alarm, abs=TOLERANCE)
    there = metric("risk(costs=(5, 1), priors=(0.01, 0.99))")
    value = score_table(pi, there, Weights.ones(pi.n_cases))[0, 0]
    assert value == pytest.approx(0.05 * missed + 0.99 * alarm, abs=TOLERANCE)


def test_risk_with_unit_costs_is_the_error_rate() -> None:
    pi = random_evidence(Task.BINARY, seed=21)
    counts = Weights(np.random.default_rng(22).integers(0, 4, (5, pi.n_cases)))
    np.testing.assert_array_equal(
        score_table(pi, metric("risk"), counts), score_table(pi, metric("error_rate"), counts)
    )


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "partial_roc_auc", "ks"])
def test_order_is_all_that_matters_to_a_metric_of_order(name: str) -> None:
    pi = random_evidence(Task.BINARY, seed=23, grid=10)
    decisions = np.exp(5 * pi.responses[:, :, 0]) - 40.0
    other = make(Task.BINARY, pi.target.y, decisions, kind=ResponseKind.DECISION)
    weights = Weights(np.random.default_rng(24).integers(0, 4, (5, pi.n_cases)))
    np.testing.assert_array_equal(
        score_table(pi, METRICS[name], weights), score_table(other, METRICS[name], weights)
    )


@pytest.mark.parametrize(("far", "off"), [(1e8, 0.0), (0.0, 1e8), (-1e8, 1e8)])
def test_centring_keeps_the_digits_of_values_far_from_zero(far: float, off: float) -> None:
    """With values about 1e8 and a spread of 1 plain sums of squares would lose all 16 digits."""
    rng = np.random.default_rng(25)
    y = far + rng.normal(size=300)
    value = y + off + rng.normal(size=300)
    pi = make(Task.REGRESSION, y, value[:, None])
    for name in ("r2", "explained_variance", "pearson"):
        got = score_table(pi, METRICS[name], Weights.ones(300))[0, 0]
        # both sides read the same rounded values and take off means rounded to 1e8 * 2**-53
        expected = oracle(name, Task.REGRESSION, y, value)
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)
