"""The quality of a surrogate: honest folds, and words for a poor one."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Trials
from earnest.core import Seeds
from earnest.explanation import ForestSurrogate, GaussianProcess
from earnest.explanation.surrogate.quality import (
    SurrogateQuality,
    Trust,
    _deal_folds,
    _judge,
    cross_validated,
    judge_trust,
)
from tests.explanation.problems import cube, smooth


def trials(noise: float, signal: float = 1.0, n: int = 60, seed: int = 0) -> Trials:
    rng = np.random.default_rng(seed)
    codes = cube(4).sample(n, rng)
    y = signal * smooth(codes) + noise * rng.standard_normal(n)
    configs = cube(4).decode(codes)
    return Trials.from_configs(configs, y, direction="minimize", space=cube(4))


def test_a_good_surrogate_is_told_to_be_one() -> None:
    # noise of 0.05 on an objective of sd 0.4; 60 trials in bands of 95 %: 4 standard errors
    quality = cross_validated(GaussianProcess(restarts=0), trials(0.05), Seeds.of(0))
    assert quality.r2 > 0.9
    assert abs(quality.coverage - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 60)
    assert quality.cautions == ()
    assert "explains 9" in str(quality)


@pytest.mark.parametrize("surrogate", [GaussianProcess(restarts=0), ForestSurrogate(n_trees=20)])
def test_noise_is_found_to_be_noise_and_said(surrogate: object) -> None:
    quality = cross_validated(surrogate, trials(1.0, signal=0.0), Seeds.of(0))  # type: ignore[arg-type]  # parametrized
    assert quality.r2 < 0.2
    codes = [caution.code for caution in quality.cautions]
    assert codes == ["EN063"]
    assert judge_trust(quality.r2) is Trust.NOT_SHOWN


def test_scores_are_those_of_the_definitions() -> None:
    y, mean, sd = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 4.0]), np.array([1.0, 0.4, 2.0])
    r2, nll, coverage = _judge(y, mean, sd)
    assert r2 == pytest.approx(1 - 1 / np.square(y - y.mean()).sum())
    assert coverage == pytest.approx(2 / 3)
    density = [
        0.5 * np.log(2 * np.pi * s**2) + 0.5 * (e / s) ** 2
        for e, s in zip(y - mean, sd, strict=True)
    ]
    assert nll == pytest.approx(np.mean(density))


def test_a_surrogate_that_is_too_sure_is_said_to_be() -> None:
    told = SurrogateQuality(0.9, 1.0, 0.6, 5, 50).cautions
    assert [c.code for c in told] == ["EN063"]
    assert "too certain" in told[0].what


def test_equal_configurations_stay_in_one_fold_and_folds_are_even() -> None:
    codes = np.repeat(cube(3).sample(10, np.random.default_rng(0)), 3, axis=0)
    codes[:3, 0] = np.nan
    fold = _deal_folds(codes, 5, np.random.default_rng(1)).reshape(10, 3)
    assert (fold == fold[:, :1]).all()
    assert np.bincount(fold[:, 0]).tolist() == [2] * 5


def test_it_is_the_same_for_the_same_seed_and_survives_plain_data() -> None:
    first, again = (
        cross_validated(ForestSurrogate(n_trees=5), trials(0.1), Seeds.of(3)) for _ in range(2)
    )
    assert first == again
    assert first.to_dict()["n_folds"] == 5


def test_standard_errors_that_the_surrogate_was_told_of_are_in_its_bands() -> None:
    # noise of 0.3 that is known: bands of 95 % hold 60 trials within 4 standard errors
    rng = np.random.default_rng(5)
    codes = cube(4).sample(60, rng)
    y = smooth(codes) + 0.3 * rng.standard_normal(60)
    told = Trials.from_configs(
        cube(4).decode(codes),
        y,
        direction="minimize",
        space=cube(4),
        standard_error=np.full(60, 0.3),
    )
    quality = cross_validated(GaussianProcess(noise="standard_error"), told, Seeds.of(0))
    assert abs(quality.coverage - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 60)
