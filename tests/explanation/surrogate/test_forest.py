"""The forest: total variance by the law of total variance, means over trees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import InputError
from earnest.explanation import (
    FittedSurrogate,
    ForestSurrogate,
    Surrogate,
    choose_surrogate,
    find_surrogate,
)
from tests.explanation.problems import cube, mixed, mixed_truth, smooth


@pytest.fixture(scope="module")
def fitted() -> Any:
    rng = np.random.default_rng(0)
    codes = cube(4).sample(80, rng)
    y = smooth(codes) + 0.05 * rng.standard_normal(80)
    return ForestSurrogate(n_trees=20).fit(cube(4), codes, y, rng=rng)


def test_the_variance_at_a_point_is_between_trees_and_within_leaves(fitted: Any) -> None:
    codes = cube(4).sample(30, np.random.default_rng(1))
    inputs = codes.astype(np.float32)
    means = np.array([value[tree.apply(inputs)] for tree, value, _ in fitted.trees])
    within = np.array([impurity[tree.apply(inputs)] for tree, _, impurity in fitted.trees])
    mean, sd = fitted.posterior(codes)
    np.testing.assert_allclose(mean, means.mean(axis=0) + fitted.centre, rtol=1e-12)
    np.testing.assert_allclose(sd**2, means.var(axis=0) + within.mean(axis=0), rtol=1e-9)
    assert (within.mean(axis=0) > 0).all()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_sd_of_a_mean_is_that_of_the_trees_own_means(fitted: Any, n_jobs: int | None) -> None:
    points, values = cube(4).sample(50, np.random.default_rng(2)), np.array([0.1, 0.9])
    sums = fitted.effect(points, 1, values, n_jobs=n_jobs)
    for g, value in enumerate(values):
        moved = points.copy()
        moved[:, 1] = value
        inputs = moved.astype(np.float32)
        each = [v[tree.apply(inputs)].mean() + fitted.centre for tree, v, _ in fitted.trees]
        assert sums.mean[g] == pytest.approx(np.mean(each), rel=1e-12)
        assert sums.sd_of_mean[g] == pytest.approx(np.std(each), rel=1e-9)
        mean, sd = fitted.posterior(moved)
        np.testing.assert_allclose(sums.ice_mean[:, g], mean, rtol=1e-12)
        np.testing.assert_allclose(sums.ice_sd[:, g], sd, rtol=1e-9)
        assert sums.sd[g] == pytest.approx(np.sqrt(np.mean(sd**2)), rel=1e-9)
    assert (sums.sd_of_mean <= sums.sd).all()
    stacked = np.repeat(points[None], 2, axis=0)
    stacked[:, :, 1] = values[:, None]
    mean, sd = fitted.averages(stacked)
    np.testing.assert_allclose(mean, sums.mean, rtol=1e-12)
    np.testing.assert_allclose(sd, sums.sd_of_mean, rtol=1e-9)


@pytest.mark.parametrize("shift", [2.0**20, 2.0**30])
def test_an_objective_far_from_zero_is_predicted_as_one_near_it(shift: float) -> None:
    # Trees work with squares: at 1e8 their impurities fell below 0, and the sd was NaN.
    # Sums of 32 numbers with ten binary digits are exact, so that the same splits are the best.
    codes = cube(4).sample(32, np.random.default_rng(0))
    y = np.round(1024 * smooth(codes)) / 1024
    near, far = (
        ForestSurrogate(n_trees=10).fit(cube(4), codes, y + at, rng=np.random.default_rng(1))
        for at in (0.0, shift)
    )
    points = cube(4).sample(30, np.random.default_rng(2))
    for sums in ("posterior", "averages"):
        table = points if sums == "posterior" else points[None]
        (mean, sd), (far_mean, far_sd) = (getattr(forest, sums)(table) for forest in (near, far))
        np.testing.assert_allclose(far_mean - shift, mean, atol=1e-5)  # digits of the shift
        np.testing.assert_allclose(far_sd, sd, atol=1e-5)
    effects = [forest.effect(points, 0, np.array([0.2, 0.8])) for forest in (near, far)]
    np.testing.assert_allclose(effects[1].ice_mean - shift, effects[0].ice_mean, atol=1e-5)
    np.testing.assert_allclose(effects[1].mean - shift, effects[0].mean, atol=1e-5)


def test_an_explanation_by_a_forest_has_a_likelihood_however_far_from_zero() -> None:
    codes = cube(4).sample(32, np.random.default_rng(0))
    y = np.round(1024 * smooth(codes)) / 1024 + 2.0**30
    configs = [{"x": x} for x in codes[:, 0].tolist()]
    trials = en.Trials.from_configs(configs, y, direction="minimize")
    explanation = en.explain(trials, surrogate=ForestSurrogate(n_trees=10), rng=0, n_points=50)
    assert math.isfinite(explanation.surrogate_quality.nll)


def test_blocks_do_not_change_the_numbers(fitted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    points = cube(4).sample(50, np.random.default_rng(3))
    whole = fitted.effect(points, 0, np.array([0.3, 0.6]))
    monkeypatch.setattr("earnest.explanation.surrogate.forest.BLOCK", 7)
    small = fitted.effect(points, 0, np.array([0.3, 0.6]))
    np.testing.assert_array_equal(small.ice_sd, whole.ice_sd)
    np.testing.assert_allclose(small.sd_of_mean, whole.sd_of_mean, rtol=1e-12)


def test_inactive_values_tell_the_forest_nothing() -> None:
    space = mixed()
    rng = np.random.default_rng(4)
    codes = space.sample(80, rng)
    fitted = ForestSurrogate(n_trees=10, kind="extra_trees").fit(
        space, codes, mixed_truth(codes), rng=rng
    )
    whole = space.sample(40, rng, complete=True)
    np.testing.assert_array_equal(
        fitted.posterior(whole)[0], fitted.posterior(space.mask(whole))[0]
    )


def test_the_same_generator_gives_the_same_forest() -> None:
    codes = cube(2).sample(30, np.random.default_rng(5))
    made = [
        ForestSurrogate(n_trees=5).fit(cube(2), codes, codes[:, 0], rng=np.random.default_rng(6))
        for _ in range(2)
    ]
    np.testing.assert_array_equal(made[0].posterior(codes)[1], made[1].posterior(codes)[1])


def test_the_protocols_are_kept_and_knobs_are_checked(fitted: Any) -> None:
    assert isinstance(ForestSurrogate(), Surrogate)
    assert isinstance(fitted, FittedSurrogate)
    with pytest.raises(InputError, match="n_trees"):
        ForestSurrogate(n_trees=1)


def test_the_choice_is_a_process_for_few_trials_and_a_forest_for_many() -> None:
    assert choose_surrogate(cube(3), 200).name == "gaussian_process"
    assert choose_surrogate(cube(3), 5000).name == "forest"
    told = ForestSurrogate(n_trees=2, most_trials=1000).fit(
        cube(2), np.zeros((10, 2)), np.arange(10.0), rng=np.random.default_rng(0)
    )
    assert [c.kind for c in told.cautions] == ["forest_chosen"]
    assert find_surrogate("forest", cube(3), 50).name == "forest"
    own = ForestSurrogate(n_trees=7)
    assert find_surrogate(own, cube(3), 50) is own
    with pytest.raises(InputError, match="Did you mean 'forest'"):
        find_surrogate("forrest", cube(3), 50)
