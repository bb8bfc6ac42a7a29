"""What is said of an estimate is true as often as it says: optimism, and beating a constant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import earnest as en
from earnest import Predictions
from earnest.core import AgainstChance
from earnest.methods import BBC
from earnest.results import Estimate

Make = Callable[[np.random.Generator], Predictions]
FAST = BBC(n_resamples=50)


def scored(n: int, configs: int, skill: float, shared: float = 0.0) -> Make:
    """Return what makes tables of a binary outcome: equal configurations of some skill."""

    def make(rng: np.random.Generator) -> Predictions:
        y = np.arange(n) % 2
        common = np.sqrt(shared) * rng.standard_normal((n, 1))
        noise = common + np.sqrt(1 - shared) * rng.standard_normal((n, configs))
        logit = skill * (2 * y[:, None] - 1) + noise
        return Predictions.from_arrays(y, 1 / (1 + np.exp(-logit)))

    return make


def valued(n: int, configs: int, r2: float) -> Make:
    """Return what makes tables of a regression: equal configurations of some true R²."""

    def make(rng: np.random.Generator) -> Predictions:
        # y = f + rest with a prediction f: R² is the variance of f
        signal = np.sqrt(r2) * rng.standard_normal((n, 1))
        y = signal[:, 0] + np.sqrt(1 - r2) * rng.standard_normal(n)
        other = 0.05 * rng.standard_normal((n, configs))  # which cost .0025 of R²
        return Predictions.from_arrays(y, signal + other)

    return make


def asked(make: Make, metric: str, samples: int, seed: int) -> list[Estimate]:
    rng = np.random.default_rng(seed)
    return [en.estimate(make(rng), method=FAST, metric=metric, rng=turn) for turn in range(samples)]


def share_with(code: str, found: list[Estimate]) -> float:
    return float(np.mean([code in {c.code for c in made.cautions} for made in found]))


def share_better(found: list[Estimate]) -> float:
    return float(np.mean([made.against_chance is AgainstChance.BETTER for made in found]))


def naive_of(made: Estimate) -> float:
    assert made.naive is not None
    return made.naive


def holds(made: Estimate, bias: float) -> bool:
    """Tell whether the interval of the optimism holds a bias."""
    assert made.optimism_interval is not None
    return bias in made.optimism_interval


def most(rate: float, samples: int) -> float:
    """Return the largest share that a rate explains: 3 standard errors above it."""
    return rate + 3 * float(np.sqrt(rate * (1 - rate) / samples))


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_one_configuration_is_called_too_optimistic_no_more_often_than_the_level_says(
    metric: str,
) -> None:
    found = asked(scored(50, 1, 0.8), metric, 40, seed=1)
    assert share_with("EN001", found) <= most(0.05, 40)
    above = [made.optimism_interval.low > 0 for made in found]  # type: ignore[union-attr]
    assert np.mean(above) <= most(0.025, 40)


@pytest.mark.parametrize("metric", ["r2", "rmse"])
def test_a_ratio_of_one_configuration_is_never_called_too_optimistic(metric: str) -> None:
    assert share_with("EN001", asked(valued(20, 1, 0.5), metric, 20, seed=2)) == 0.0


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_the_best_of_a_hundred_equals_is_called_too_optimistic(metric: str) -> None:
    found = asked(scored(50, 100, 0.5), metric, 10, seed=3)
    assert share_with("EN001", found) >= 0.8


def test_the_interval_of_the_optimism_holds_the_bias_of_the_naive_score() -> None:
    # 20 equal configurations whose accuracy is Phi(.5): over 40 samples the bias is known, and
    # the 95 % intervals hold it in 95 %; 3 standard errors of that share are .103
    found = asked(scored(100, 20, 0.5, shared=0.3), "accuracy", 40, seed=4)
    bias = float(np.mean([naive_of(made) for made in found])) - 0.691462
    held = [holds(made, bias) for made in found]
    assert np.mean(held) >= 0.95 - 0.103 - 0.05  # the normal law of few samples
    assert bias > 0.04


def test_the_optimism_is_told_as_the_mean_that_its_interval_holds() -> None:
    # the interval is that of the bias; the luck of a single winner varies more than that
    found = asked(scored(60, 40, 0.0), "roc_auc", 40, seed=10)
    luck = [naive_of(made) - 0.5 for made in found]
    bias = float(np.mean(luck))
    mean = np.mean([holds(made, bias) for made in found])
    single = np.mean([holds(made, own) for made, own in zip(found, luck, strict=True)])
    assert mean >= 0.95 - 0.103  # 3 standard errors of a share of 40
    assert single < 0.85
    words = [c.what for made in found for c in made.cautions if c.code == "EN001"]
    assert words
    assert all(what.startswith("On average, ") for what in words)


@pytest.mark.parametrize(("metric", "configs"), [("accuracy", 1), ("roc_auc", 20)])
def test_guesses_are_said_to_beat_a_constant_no_more_often_than_the_level_says(
    metric: str, configs: int
) -> None:
    found = asked(scored(60, configs, 0.0), metric, 40, seed=5)
    assert share_better(found) <= most(0.05, 40)


@pytest.mark.parametrize("configs", [1, 10])
def test_a_useless_regression_is_said_to_beat_a_constant_no_more_often_than_the_level_says(
    configs: int,
) -> None:
    found = asked(valued(40, configs, 0.0), "r2", 40, seed=6)
    assert share_better(found) <= most(0.05, 40)


@pytest.mark.parametrize(("n", "configs"), [(60, 1), (100, 10)])
def test_a_regression_with_half_the_variance_explained_is_seen_to_beat_a_constant(
    n: int, configs: int
) -> None:
    assert share_better(asked(valued(n, configs, 0.5), "r2", 20, seed=7)) >= 0.9


def test_an_auc_well_above_one_half_is_seen_to_beat_chance() -> None:
    assert share_better(asked(scored(100, 20, 0.6, shared=0.3), "roc_auc", 20, seed=8)) >= 0.9


def test_what_is_lost_is_never_more_than_all_that_was_gained() -> None:
    words = [
        caution.what
        for made in asked(scored(50, 60, 0.0), "roc_auc", 15, seed=9)
        for caution in made.cautions
        if caution.code == "EN001"
    ]
    assert words
    shares = [part.split()[-1].strip("(") for what in words for part in what.split("\u00a0%")[:-1]]
    assert all(float(share) <= 100 for share in shares)
