"""Bootstrap tilting as a method; its numbers are held in the tests of tilts."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import InputError, MetricError, Predictions, Tilted, estimate
from earnest.core.results.specs import Estimand
from earnest.testing import example_predictions
from tests.methods.split.test_delong import codes


def test_one_model_is_evaluated_on_all_cases_and_agrees_with_delong() -> None:
    # 300 cases: both are then near their common limit; a tenth of an interval of about .11
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 150)
    pi = Predictions.from_arrays(y, y + rng.normal(size=300))
    ours = estimate(pi, method="tilted", metric="roc_auc", rng=0)
    formula = estimate(pi, method="delong", metric="roc_auc")
    assert ours.value == formula.value
    assert ours.interval is not None
    assert formula.interval is not None
    assert ours.interval.low == pytest.approx(formula.interval.low, abs=0.011)
    assert ours.interval.high == pytest.approx(formula.interval.high, abs=0.011)
    assert ours.standard_error == pytest.approx(formula.standard_error, rel=0.1)
    assert ours.estimand == Estimand.FIXED_MODEL
    assert ours.n_resamples == ours.n_valid == 2000


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("binary", "accuracy"),
        ("binary", "brier"),
        ("multiclass", "accuracy"),
        ("regression", "mae"),
    ],
)
def test_any_mean_over_cases_is_answered(task: str, name: str) -> None:
    pi = example_predictions(task, n_cases=120)
    made = estimate(pi, method=Tilted(n_resamples=500), metric=name, rng=1)
    assert made.interval is not None
    assert made.interval.low < made.value < made.interval.high
    assert made.details.n_evaluated == pytest.approx(30, abs=1)


def test_perfect_separation_falls_back_to_delong_and_its_exact_limits() -> None:
    y = np.repeat([0, 1], 15)
    pi = Predictions.from_arrays(y, y)
    made = estimate(pi, method="tilted", metric="roc_auc", rng=0)
    assert made.interval == estimate(pi, method="delong", metric="roc_auc").interval
    said = [str(c) for c in made.cautions if c.code == "EN026"]
    assert len(said) == 1


def test_all_labels_right_falls_back_to_wilson() -> None:
    y = np.tile([0, 1], 10)
    pi = Predictions.from_arrays(y, y, response="label")
    made = estimate(pi, method="tilted", metric="accuracy", side="lower", rng=0)
    z2 = 1.6448536269514722**2
    assert made.interval is not None
    assert made.interval.low == pytest.approx(20 / (20 + z2), abs=1e-9)
    assert "that of Wilson" in next(str(c) for c in made.cautions if c.code == "EN026")


def test_losses_that_are_all_zero_get_limits_that_say_what_was_not_seen() -> None:
    y = np.arange(30.0) / 7
    made = estimate(
        Predictions.from_arrays(y, y, task="regression"), method="tilted", metric="mse", rng=0
    )
    assert made.value == 0.0
    assert made.interval is not None
    assert (made.interval.low, made.interval.high) == (0.0, np.inf)
    assert "EN026" in codes(made)


def test_a_level_that_tilts_reach_has_no_caution_and_a_higher_one_has() -> None:
    pi = example_predictions("binary", n_cases=60, n_configs=1)
    made = estimate(pi, method="tilted", metric="roc_auc", rng=0, confidence_level=0.8)
    assert not {"EN026", "EN029"} & codes(made)
    far = made.at(confidence_level=0.9999)
    assert {"EN026", "EN029"} & codes(far)
    assert not {"EN026", "EN029"} & codes(far.at(confidence_level=0.8))


def test_groups_are_drawn_whole(grouped: Predictions) -> None:
    made = estimate(grouped, method="tilted", metric="roc_auc", rng=0)
    assert made.provenance.knobs["resampler"] == "group"
    cases = estimate(grouped, method=Tilted(resampler="stratified"), metric="roc_auc", rng=0)
    assert "EN024" in codes(cases)
    assert cases.value == made.value


def test_knobs_are_checked() -> None:
    with pytest.raises(InputError, match="n_resamples"):
        Tilted(n_resamples=0)
    with pytest.raises(MetricError, match="means over cases"):
        estimate(example_predictions("binary"), method="tilted", metric="f1")


def test_more_resamples_extend_the_earlier_ones() -> None:
    pi = example_predictions("binary", n_configs=1)
    few, many = (
        estimate(pi, method=Tilted(n_resamples=size), metric="roc_auc", rng=4).draws
        for size in (100, 300)
    )
    assert few is not None
    assert many is not None
    np.testing.assert_array_equal(few, many[:100])


@pytest.mark.parametrize("method", ["tilted", "tilted_10p", "mabt"])
def test_equal_losses_get_limits_with_a_width(method: str) -> None:
    # losses of .04 and .1 are not exact in binary: their rounding is no spread
    y = np.tile([0, 1], 20)
    brier = estimate(Predictions.from_arrays(y, y * 0.6 + 0.2), method=method, metric="brier")
    assert brier.interval is not None
    assert brier.interval.low < 0.0365  # what a share of 8.8 % of better cases could do
    assert brier.interval.high > 0.1246
    t = np.arange(30) / 7
    constant = Predictions.from_arrays(t, t + 0.1, task="regression")
    mae = estimate(constant, method=method, metric="mae")
    assert mae.interval is not None
    assert mae.interval.low == pytest.approx(0.1 * 0.025 ** (1 / 30), abs=1e-9)
    assert mae.interval.high == np.inf
    assert "EN026" in codes(brier) & codes(mae)


@pytest.mark.parametrize("method", ["tilted", "mabt"])
def test_separated_groups_stand_for_few_pairs(method: str) -> None:
    y, groups = np.tile([0, 1], 20), np.repeat(np.arange(5), 8)
    made = estimate(Predictions.from_arrays(y, y, groups=groups), method=method, metric="roc_auc")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025**0.5, abs=1e-9)  # two pairs
