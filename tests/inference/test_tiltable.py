"""What can be tilted, how cases are drawn for it, and which limits stand in."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.core.errors import EvidenceError, MetricError
from earnest.core.intervals import EqualCaseLimits, NormalLimits
from earnest.core.limits import ShareLimits
from earnest.inference.split_selection import Choice
from earnest.inference.tiltable import (
    case_influence,
    fallback_limits,
    need_tiltable,
    tilted_resampler,
)
from earnest.resampling.bootstrap import BayesianBootstrap, CaseBootstrap, GroupBootstrap
from earnest.testing import example_predictions
from tests.inference.test_tilt import AUC, everyone


def test_influences_of_a_mean_are_values_less_the_mean() -> None:
    pi = example_predictions("regression", n_cases=30, n_configs=1)
    measure = metric("mse").on("regression")
    loss = (pi.responses[:, 0, 0] - pi.target.y) ** 2
    ours = case_influence(everyone(pi, measure), measure, CaseBootstrap())
    np.testing.assert_allclose(ours, loss.mean() - loss, atol=1e-12)


def test_resamplers_are_chosen_by_groups_metric_and_strata(grouped: Predictions) -> None:
    regression = example_predictions("regression").target
    binary = example_predictions("binary").target
    assert tilted_resampler(None, AUC, grouped.target).name == "group"
    assert tilted_resampler(None, AUC, binary).name == "stratified"
    assert tilted_resampler(None, metric("mse"), regression).name == "case"
    assert tilted_resampler(CaseBootstrap(), AUC, binary).name == "case"
    with pytest.raises(EvidenceError, match="how often"):
        tilted_resampler(BayesianBootstrap(), AUC, binary)


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
