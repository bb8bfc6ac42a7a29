"""Where a metric is at its limits: one class, constant scores, one case, nothing at all."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sk

import earnest as en
from earnest.core import ResponseKind, Task
from earnest.kernels import score_table
from earnest.metrics import METRICS
from earnest.metrics.regression import median_error_scan
from earnest.resampling import Weights
from tests.metrics.evidence import PAIRS, K, make, perfect, random_evidence
from tests.metrics.oracles import oracle

OF_CLASSES = [(name, task) for name, task in PAIRS if task in (Task.BINARY, Task.MULTICLASS)]
POINTWISE = {"accuracy", "error_rate", "risk", "brier", "log_loss", "mse", "mae", "mape", "pinball"}
EVERY = ("roc_auc_ovr", "ici", "e50", "e90", "ece")  # means over all classes


@pytest.mark.parametrize("kind", [np.uint8, np.float64])
@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_without_weight_it_is_undefined(name: str, task: Task, kind: type) -> None:
    pi = random_evidence(task, seed=31, n=20)
    table = score_table(pi, METRICS[name], Weights(np.zeros((2, 20), dtype=kind)))
    assert table.shape == (2, 3)
    assert np.isnan(table).all()


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_one_case_gives_a_value_in_range_or_none(name: str, task: Task) -> None:
    pi = random_evidence(task, seed=32, n=20)
    single = np.eye(20, dtype=np.uint8)  # every case on its own
    table = score_table(pi, METRICS[name], Weights(single))
    low, high = METRICS[name].on(task).limits
    assert (np.isnan(table) | ((low <= table) & (table <= high))).all()
    if METRICS[name].pointwise:
        whole = score_table(pi, METRICS[name], Weights.ones(20))[0]
        np.testing.assert_allclose(table.mean(axis=0), whole, rtol=1e-12)  # 20 * 2**-53


@pytest.mark.parametrize(("name", "task"), OF_CLASSES)
def test_with_one_class_only_it_is_undefined_or_scikit_learn_s_value(name: str, task: Task) -> None:
    """Recall and its kin follow scikit-learn's zero_division=0; which are NaN, the oracles say."""
    pi = random_evidence(task, seed=33, n=40)
    for code in range(len(pi.target.classes)):
        weights = Weights((pi.target.y == code).astype(np.uint8)[None])
        table = score_table(pi, METRICS[name], weights)
        there = pi.target.y == code
        rows = [pi.responses[there, c, 0] for c in range(pi.n_configs)]
        plain = [oracle(name, task, pi.target.y[there], one) for one in rows]
        np.testing.assert_allclose(table[0], plain, rtol=1e-12, atol=1e-12)  # NaN where it is NaN


def test_average_precision_of_positives_alone_is_one() -> None:
    pi = random_evidence(Task.BINARY, seed=34, n=40)
    weights = Weights((pi.target.y == 1).astype(np.uint8)[None])
    assert (score_table(pi, METRICS["average_precision"], weights) == 1.0).all()


def test_a_missing_class_of_three_leaves_the_others_to_count() -> None:
    """As scikit-learn told all labels: only the plain one-against-rest mean is undefined."""
    pi = random_evidence(Task.MULTICLASS, seed=35)
    there = pi.target.y < 2
    weights = Weights(there.astype(np.uint8)[None])
    y, p = pi.target.y[there], pi.responses[there][:, 0, 0]
    labels = p.argmax(axis=1)
    got = {
        name: score_table(pi, METRICS[name], weights)[0, 0]
        for name, task in PAIRS
        if task is Task.MULTICLASS
    }
    assert all(np.isnan(got[name]) for name in EVERY)
    recalls = [np.mean(labels[y == k] == k) for k in (0, 1)]
    assert got["balanced_accuracy"] == pytest.approx(np.mean(recalls), abs=1e-12)
    areas = [sk.roc_auc_score(y == k, p[:, k]) for k in (0, 1)]
    assert got["roc_auc_ovo"] == pytest.approx(np.mean(areas), abs=1e-12)
    assert got["roc_auc_ovr_weighted"] == pytest.approx(
        np.average(areas, weights=[np.mean(y == 0), np.mean(y == 1)]), abs=1e-12
    )
    assert all(np.isfinite(value) for name, value in got.items() if name not in EVERY)


@pytest.mark.parametrize("name", sorted({n for n, task in PAIRS if task is Task.BINARY}))
def test_a_class_that_is_needed_is_announced(name: str) -> None:
    """What is undefined without a class says so, so that resamples are drawn with both."""
    one = METRICS[name].on(Task.BINARY)
    pi = random_evidence(Task.BINARY, seed=36, n=40)
    sides = [(pi.target.y == code).astype(np.uint8) for code in (0, 1)]
    table = score_table(pi, one, Weights(np.stack(sides)))
    if np.isnan(table).any():
        assert one.needs_all_classes


@pytest.mark.parametrize(
    ("name", "value"),
    [("roc_auc", 0.5), ("average_precision", 0.5), ("ks", 0.0), ("partial_roc_auc", 0.5)],
)
def test_constant_scores_are_worth_chance(name: str, value: float) -> None:
    pi = make(Task.BINARY, np.array([0, 1, 1, 0]), np.full((4, 2), 0.3))
    table = score_table(pi, METRICS[name], Weights.ones(4))
    np.testing.assert_allclose(table, value, rtol=0, atol=1e-15)  # exact but for one division


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_constant_has_no_correlation(name: str) -> None:
    y = np.array([1.1, 2.3, 0.7, 5.9])
    constant = make(Task.REGRESSION, y, np.full((4, 1), 0.1))
    assert np.isnan(score_table(constant, METRICS[name], Weights.ones(4))).all()
    flat = make(Task.REGRESSION, np.full(4, 0.1), y[:, None])
    weights = Weights(np.array([[0.1, 0.7, 0.3, 0.6]]))
    assert np.isnan(score_table(flat, METRICS[name], weights)).all()


@pytest.mark.parametrize("name", ["r2", "explained_variance", "pearson", "spearman"])
def test_an_outcome_that_is_constant_in_a_resample_leaves_it_undefined(name: str) -> None:
    """Sums of squares about a far centre leave rounding, which must not pass for a variance."""
    rng = np.random.default_rng(37)
    y = np.append(np.full(300, 1 / 3), rng.normal(size=300))
    pi = make(Task.REGRESSION, y, rng.normal(size=(600, 2)))
    weights = np.where(np.arange(600) < 300, rng.integers(0, 6, (50, 600)), 0)
    assert np.isnan(score_table(pi, METRICS[name], Weights(weights))).all()


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_certain_and_wrong_is_finite_and_as_in_scikit_learn(name: str) -> None:
    y = np.array([0, 1, 1, 0])
    p = np.array([0.0, 1.0, 0.0, 1.0])
    function = {"log_loss": sk.log_loss, "brier": sk.brier_score_loss}[name]
    pi = make(Task.BINARY, y, p[:, None])
    got = score_table(pi, METRICS[name], Weights.ones(4))[0, 0]
    assert got == pytest.approx(function(y, p), abs=1e-12)
    many = make(Task.MULTICLASS, np.arange(K), np.roll(np.eye(K), 1, axis=1)[:, None, :])
    got = score_table(many, METRICS[name], Weights.ones(K))[0, 0]
    there = function(np.arange(K), np.roll(np.eye(K), 1, axis=1), labels=np.arange(K))
    assert got == pytest.approx(there, abs=1e-12)


def test_probabilities_are_not_rescaled() -> None:
    p = np.array([[0.5, 0.2, 0.2], [0.1, 0.5, 0.1], [0.3, 0.3, 0.3]])
    pi = make(Task.MULTICLASS, np.arange(3), p[:, None, :])
    assert score_table(pi, METRICS["log_loss"], Weights.ones(3))[0, 0] == pytest.approx(
        -np.mean(np.log([0.5, 0.5, 0.3])), abs=1e-15
    )


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_predictions_of_single_precision_are_computed_in_double(name: str, task: Task) -> None:
    pi = random_evidence(task, seed=38, n=60)
    single = pi.responses[:, :, 0].astype(np.float32)
    weights = Weights(np.random.default_rng(39).integers(0, 4, (4, 60)))
    event = pi.target.event
    first = score_table(make(task, pi.target.y, single, event=event), METRICS[name], weights)
    second = make(task, pi.target.y, single.astype(np.float64), event=event)
    np.testing.assert_array_equal(first, score_table(second, METRICS[name], weights))


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_a_configuration_without_predictions_is_undefined_and_disturbs_no_other(
    name: str, task: Task
) -> None:
    pi = random_evidence(task, seed=40, n=40)
    holed = pi.responses[:, :, 0].copy()
    holed[:, 1] = np.nan
    broken = make(task, pi.target.y, holed, event=pi.target.event)
    weights = Weights(np.random.default_rng(41).integers(0, 3, (6, 40)))
    whole, part = (score_table(one, METRICS[name], weights) for one in (pi, broken))
    assert np.isnan(part[:, 1]).all()
    np.testing.assert_allclose(part[:, [0, 2]], whole[:, [0, 2]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "task"), [pair for pair in OF_CLASSES if METRICS[pair[0]].needs == "label"]
)
def test_hard_labels_are_enough_for_a_metric_of_labels(name: str, task: Task) -> None:
    pi = random_evidence(task, seed=42, n=50)
    scores = pi.responses[:, :, 0]
    codes = (scores > 0.5) if task is Task.BINARY else scores.argmax(axis=2)
    hard = make(task, pi.target.y, codes.astype(float), kind=ResponseKind.LABEL)
    weights = Weights(np.random.default_rng(43).integers(0, 4, (5, 50)))
    np.testing.assert_array_equal(
        score_table(pi, METRICS[name], weights), score_table(hard, METRICS[name], weights)
    )


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_rounding_never_leaves_the_range(name: str, task: Task) -> None:
    """The truth and its opposite, under weights whose sums are not exact."""
    pi = random_evidence(task, seed=44, n=50)
    best = perfect(pi)
    worst = np.roll(best, 1, axis=-1) if task is Task.MULTICLASS else best.max() - best
    both = make(task, pi.target.y, np.stack([best, worst], axis=1), event=pi.target.event)
    weights = np.random.default_rng(45).exponential(size=(40, 50))
    table = score_table(both, METRICS[name], Weights(weights))
    low, high = METRICS[name].on(task).limits
    # plain means are not clipped: 50 sums may leave 50 * 2**-53 (results are, by their scale)
    slack = 6e-15 * high if name in ("brier", "risk") else 0.0
    undefined = np.isnan(table) if METRICS[name].ideal is not None else np.zeros((), bool)
    assert (undefined | (low <= table)).all()
    assert (undefined | (table <= high + slack)).all()


def test_pointwise_are_exactly_the_means_of_one_number_a_case() -> None:
    assert {one.name for one in METRICS.values() if one.pointwise} == POINTWISE


def test_a_median_stays_between_two_cases_when_all_weights_shrink() -> None:
    """Sums of 0.001 do not end on exactly half of their total; those of 1 do."""
    n = 58
    truth, score = np.zeros(n), np.arange(n, dtype=float)
    weights = np.vstack([np.ones(n), np.full(n, 1e-3), np.full(n, 0.1), np.full(n, 1 / 3)])
    found = median_error_scan(score, truth, weights)
    np.testing.assert_array_equal(found, 28.5)


def test_pinball_loss_is_scikit_learn_s_at_every_level_and_least_for_its_quantile() -> None:
    rng = np.random.default_rng(5)
    y, p = rng.standard_normal(301), rng.standard_normal(301)
    pi = en.Predictions.from_arrays(y, p)
    for level in (0.1, 0.5, 0.9):
        found = en.estimate(pi, metric=f"pinball(level={level})", rng=0)
        assert_allclose(found.value, sk.mean_pinball_loss(y, p, alpha=level), rtol=1e-12)
        grid = [sk.mean_pinball_loss(y, np.full(301, v), alpha=level) for v in np.sort(y)]
        assert_allclose(found.no_information, min(grid), rtol=1e-9)
