"""Valid evidence that once broke the statistics, in its smallest form; `make fuzz` finds more.

Each question is answered or refused, and what is answered holds the promises of `checks.py`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import earnest as en
from tests.fuzz.checks import BrokenPromise, SilentNaN, check_numbers, check_result
from tests.fuzz.evidence import draw_predictions, make_nested

RNG = np.random.default_rng(0)
N = 12
Y, NOISE = RNG.normal(size=N), RNG.normal(size=(N, 3))
REPEATED = np.stack([np.arange(N) % 3, np.arange(N) // 4], axis=1)


def predict_numbers(scale: float = 1.0, **options: Any) -> en.Predictions:
    """Three configurations on twelve cases."""
    arguments = {"fold": np.arange(N) % 3, "task": "regression"} | options
    return en.Predictions.from_arrays(scale * Y, scale * (Y[:, None] + NOISE), **arguments)


def repeat_numbers(fold: np.ndarray, **options: Any) -> en.Predictions:
    """One configuration in two repeats."""
    scores = np.repeat((Y + NOISE[:, 0])[:, None, None], 2, axis=2)
    return en.Predictions.from_arrays(Y, scores, fold, task="regression", **options)


def predict_with_gaps() -> en.NestedPredictions:
    """Nested predictions whose last outer fold failed."""
    fold = np.arange(N) % 3
    scores = np.where(fold == 2, np.nan, Y)[:, None]
    pi = en.Predictions.from_arrays(Y, scores, fold, task="regression")
    return make_nested(pi, random.Random(0))


def predict_constant() -> en.Predictions:
    scores = Y[:, None] + NOISE
    scores[:, 0] = 1.0
    return en.Predictions.from_arrays(Y, scores, np.arange(N) % 3, task="regression")


REFUSED: dict[str, Callable[[], Any]] = {
    "a variance over one group": lambda: en.estimate(
        repeat_numbers(REPEATED, groups=np.zeros(N)), method="repeated_cv", metric="mse"
    ),
    "repeats that test every case at once": lambda: en.estimate(
        repeat_numbers(np.zeros((N, 2), int)), method="corrected_t", metric="mse"
    ),
    "a plan with a score that is undefined": lambda: en.plan(
        predict_constant(), metric="pearson", detect=0.2, rng=0
    ),
    "nested predictions with gaps": lambda: en.estimate(
        predict_with_gaps(), method="bates_ncv", metric="mse"
    ),
    "outcomes whose squares have no variance": lambda: predict_numbers(1e100),
    "a plan for a word": lambda: en.plan(predict_numbers(), metric="mae", detect="x"),  # type: ignore[arg-type]
    "a plan for a list": lambda: en.plan(predict_numbers(), metric="mae", width=[1]),  # type: ignore[arg-type]
    "a gate at a word": lambda: en.gate(predict_numbers(), metric="mae", below="x"),  # type: ignore[arg-type]
    "a gate at an object": lambda: en.gate(predict_numbers(), metric="mae", below=object()),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_computed_is_refused(name: str) -> None:
    with pytest.raises(en.errors.EarnestError):
        REFUSED[name]()


def test_an_area_of_zero_has_limits() -> None:
    y = np.tile([0, 1], 5)
    pi = en.Predictions.from_arrays(y, 1.0 - y, np.arange(10) // 2 % 2, response="probability")
    estimate = en.estimate(pi, method=en.methods.BBCFold(n_resamples=29), metric="roc_auc", rng=0)
    check_result(estimate, random.Random(0))
    assert estimate.value == 0.0
    assert estimate.interval is not None
    assert 0.0 < estimate.interval.high < 1.0


def test_a_share_of_nothing_may_be_any_share() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    scores = rng.random((40, 3)) * 0.4  # nobody is called positive, so precision has no cases
    pi = en.Predictions.from_arrays(y, scores, np.arange(40) // 2 % 5, response="probability")
    for method in (None, "near_winner"):
        estimate = en.estimate(pi, method=method, metric="precision", n_resamples=40, rng=0)
        check_result(estimate, random.Random(0))
        assert estimate.interval is not None
        assert (estimate.interval.low, estimate.interval.high) == (0.0, 1.0)


def test_a_gate_at_one_half_does_not_tell_how_many_items_would_decide() -> None:
    y = np.tile([0, 1], 6)
    scores = np.where(np.arange(12) < 8, y, 1.0 - y)
    pi = en.Predictions.from_arrays(y, scores, response="decision")
    method = en.methods.BBC(n_resamples=25)
    for bound in (0.6, 0.7, 0.8):
        verdict = en.gate(pi, metric="roc_auc", above=bound, confidence_level=0.5, method=method)
        check_result(verdict, random.Random(0))
        assert verdict.more_items is None


@pytest.mark.parametrize("scale", [1e-60, 1e70])
def test_comparisons_do_not_depend_on_the_unit(scale: float) -> None:
    unit = en.compare_many(predict_numbers(), metric="mae", rng=0)
    other = en.compare_many(predict_numbers(scale), metric="mae", rng=0)
    check_result(other, random.Random(0))
    assert other.adjusted == pytest.approx(unit.adjusted, abs=1e-6)
    assert other.p_best == pytest.approx(unit.p_best, abs=1e-6)


def test_the_largest_outcomes_have_a_standard_error() -> None:
    estimate = en.estimate(predict_numbers(1e74), method="bayle_all_pairs", metric="mse")
    check_result(estimate, random.Random(0))
    assert estimate.standard_error is not None
    assert math.isfinite(estimate.standard_error)


def test_the_checks_see_what_is_broken() -> None:
    estimate = en.estimate(predict_numbers(), metric="mae", n_resamples=30, rng=0)
    check_result(estimate, random.Random(0))
    for field, value, kind in (
        ("value", math.nan, SilentNaN),
        ("value", -1.0, BrokenPromise),
        ("standard_error", math.inf, BrokenPromise),
        ("standard_error", -1.0, BrokenPromise),
        ("naive", -1.0, BrokenPromise),
        ("n_valid", 99, BrokenPromise),
    ):
        changed = en.estimate(predict_numbers(), metric="mae", n_resamples=30, rng=0)
        object.__setattr__(changed, field, value)
        with pytest.raises(kind):
            check_result(changed, random.Random(0))
    object.__setattr__(estimate, "interval", en.results.Interval(2.0, 1.0, 0.95, "two-sided"))
    check_numbers(estimate)
    with pytest.raises(BrokenPromise):
        check_result(estimate, random.Random(0))


def test_a_limit_of_levels_has_no_bound_and_one_of_numbers_has() -> None:
    rng = np.random.default_rng(0)
    kinds = ["linear", "poly", "rbf"]
    configs: list[dict[str, object]] = [
        {"kernel": kinds[i % 3], "C": float(c)} for i, c in enumerate(rng.random(60))
    ]
    scores = [
        (config["kernel"] != "poly") + 0.5 * (float(str(config["C"])) > 0.5) + 0.01 * noise
        for config, noise in zip(configs, rng.random(60), strict=True)
    ]
    trials = en.Trials.from_configs(configs, scores, direction="maximize")
    explanation = en.explain(trials, rng=0)
    limits = [
        limit
        for regions in explanation.regions.values()
        for region in regions
        for limit in region.limits
    ]
    levels = next(limit for limit in limits if limit.op == "in")
    number = next(limit for limit in limits if limit.op != "in")
    assert math.isnan(levels.bound)
    assert math.isfinite(number.bound)
    check_numbers(explanation)
    object.__setattr__(number, "bound", math.nan)
    with pytest.raises(SilentNaN):
        check_numbers(explanation)


def test_evidence_depends_on_its_seed_alone() -> None:
    for seed in range(20):
        first, second = (draw_predictions(random.Random(seed)) for _ in range(2))
        assert first.words == second.words
        np.testing.assert_array_equal(
            np.asarray(first.arguments["scores"]), np.asarray(second.arguments["scores"])
        )
