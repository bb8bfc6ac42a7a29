"""What can be tilted, how cases are drawn for it, and which limits stand in."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.results.interval import EqualCaseLimits, NormalLimits, ShareLimits
from earnest.core.results.specs import Side
from earnest.inference.resampling.splits import Choice
from earnest.inference.resampling.tilt import (
    case_influence,
    choose_tilt_resampler,
    fallback_limits,
    need_tiltable,
)
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import (
    BayesianBootstrap,
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
)
from earnest.testing import example_predictions
from tests.inference.resampling.test_tilt import AUC, everyone


def test_influences_of_a_mean_are_values_less_the_mean() -> None:
    pi = example_predictions("regression", n_cases=30, n_configs=1)
    measure = metric("mse").on("regression")
    loss = (pi.responses[:, 0, 0] - pi.target.y) ** 2
    ours = case_influence(everyone(pi, measure), measure, CaseBootstrap())
    np.testing.assert_allclose(ours, loss.mean() - loss, atol=1e-12)


def test_resamplers_are_chosen_by_groups_metric_and_strata(grouped: Predictions) -> None:
    regression = example_predictions("regression").target
    binary = example_predictions("binary").target
    assert choose_tilt_resampler(None, AUC, grouped.target).name == "group"
    assert choose_tilt_resampler(None, AUC, binary).name == "stratified"
    assert choose_tilt_resampler(None, metric("mse"), regression).name == "case"
    assert choose_tilt_resampler(CaseBootstrap(), AUC, binary).name == "case"
    with pytest.raises(EvidenceError, match="draw cases"):
        choose_tilt_resampler(BayesianBootstrap(), AUC, binary)


@pytest.mark.parametrize("name", ["f1", "average_precision", "balanced_accuracy"])
def test_a_metric_without_known_influence_is_refused(name: str) -> None:
    with pytest.raises(MetricError, match="means over cases"):
        need_tiltable("tilted", metric(name), example_predictions("binary").target)


def single(y: np.ndarray, prediction: np.ndarray, name: str, **about: object) -> Choice:
    task = "regression" if name in ("mse", "mae") else "binary"
    pi = Predictions.from_arrays(y, prediction, task=task, **about)  # type: ignore[arg-type]
    return everyone(pi, metric(name).on(task))


def test_the_stand_in_is_wilsons_for_finite_ranges_and_normal_for_others() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    loss = single(y, y + rng.normal(size=40), "mse")
    made, words = fallback_limits(loss, metric("mse").on("regression"), CaseBootstrap())
    assert isinstance(made, NormalLimits)
    values = (loss.part.responses[:, 0, 0] - y) ** 2
    assert made.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(40), abs=1e-12)
    assert words == "a normal one"
    labels = single(np.tile([0, 1], 20), np.tile([0, 1], 20), "accuracy", response="label")
    made, words = fallback_limits(labels, metric("accuracy").on("binary"), CaseBootstrap())
    assert made == ShareLimits(1.0, 40)
    assert words == "that of Wilson"


def test_losses_that_are_all_alike_get_limits_of_what_was_not_seen() -> None:
    y = np.arange(12.0) / 5
    alike = single(y, y, "mse")
    made, _ = fallback_limits(alike, metric("mse").on("regression"), CaseBootstrap())
    assert isinstance(made, EqualCaseLimits)
    assert made.n == 12


def test_groups_count_and_not_cases_in_the_stand_in() -> None:
    groups = np.repeat(np.arange(10), 4)
    labels = single(
        np.tile([0, 1], 20), np.tile([0, 1], 20), "accuracy", response="label", groups=groups
    )
    made, _ = fallback_limits(labels, metric("accuracy").on("binary"), GroupBootstrap())
    assert made == ShareLimits(1.0, 10)


def numerical_influence(pi: Predictions, measure: Metric) -> np.ndarray:
    """Return n times the change of a metric with the weight of each case, by differences."""
    step, n = 1e-5, pi.n_cases
    up, down = (np.ones((n, n)) + sign * step * np.eye(n) for sign in (1.0, -1.0))
    slope = score_table(pi, measure, up)[:, 0] - score_table(pi, measure, down)[:, 0]
    return n * slope / (2 * step)


@pytest.mark.parametrize("resampler", [CaseBootstrap(), GroupBootstrap()])
def test_where_classes_are_drawn_together_influences_are_derivatives_by_the_weights(
    resampler: Resampler,
) -> None:
    # 10 % positives, seed 0: their influence is nine times that of the placement alone. The
    # central difference of steps of 1e-5 has an error of about 1e-10 in its square, rounding 1e-10.
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [6, 54])
    pi = Predictions.from_arrays(y, y + rng.normal(size=60), groups=np.arange(60) % 20)
    ours = case_influence(everyone(pi), AUC, resampler)
    np.testing.assert_allclose(ours, numerical_influence(pi, AUC), atol=1e-7)


def test_strata_that_are_no_classes_draw_classes_together() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [6, 54])
    pi = Predictions.from_arrays(y, y + rng.normal(size=60), strata=np.arange(60) % 2)
    ours = case_influence(everyone(pi), AUC, StratifiedBootstrap())
    np.testing.assert_allclose(ours, numerical_influence(pi, AUC), atol=1e-7)


@pytest.mark.parametrize("error", [0.1, 0.04, 1e-3])
@pytest.mark.parametrize("scale", [1.0, 1e8])
def test_losses_that_differ_by_rounding_are_alike(error: float, scale: float) -> None:
    y = np.arange(30) / 7
    alike = single(scale * y, scale * (y + error), "mae")
    made, words = fallback_limits(alike, metric("mae").on("regression"), CaseBootstrap())
    assert isinstance(made, EqualCaseLimits)
    assert made.n == 30
    assert words == "that of cases that are all alike"
    assert not case_influence(alike, metric("mae").on("regression"), CaseBootstrap()).any()


def test_losses_that_cancel_in_every_group_leave_no_influence() -> None:
    # .1 and .3 are not exact, so that their distances from .2 cancel but for rounding
    y = np.arange(30) / 7
    pairs = single(y, y + np.tile([0.1, 0.3], 15), "mae", groups=np.arange(30) // 2)
    measure = metric("mae").on("regression")
    assert not case_influence(pairs, measure, GroupBootstrap()).any()
    assert np.abs(case_influence(pairs, measure, CaseBootstrap())).min() > 0.09


def test_small_differences_of_losses_are_no_rounding() -> None:
    y = np.arange(30) / 7
    near = single(y, y + 0.1 + 1e-6 * np.tile([0, 1], 15), "mae")
    made, _ = fallback_limits(near, metric("mae").on("regression"), CaseBootstrap())
    assert isinstance(made, NormalLimits)
    assert made.standard_error == pytest.approx(0.5e-6 / np.sqrt(29), rel=1e-6)


def test_the_stand_in_of_an_auc_counts_groups() -> None:
    y = np.tile([0, 1], 20)
    for groups, pairs in ((np.repeat(np.arange(5), 8), 2), (np.zeros(40, int), 1)):
        apart = single(y, y, "roc_auc", groups=groups)
        made, _ = fallback_limits(apart, AUC, GroupBootstrap())
        low, _ = made.limits(0.95, Side.LOWER)
        assert low == pytest.approx(0.05 ** (1 / pairs), abs=1e-12)
