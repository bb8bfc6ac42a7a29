"""The Gaussian process: scikit-learn as the slow oracle, and what inactive parameters tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from earnest import Space
from earnest.errors import InputError
from earnest.explanation import EffectSums, Features, FittedSurrogate, GaussianProcess, Surrogate
from earnest.explanation.surrogate.gaussian_process import (
    KERNELS,
    SCALES_FROM,
    Scales,
    SurrogateData,
    penalise_scales,
)
from tests.explanation.problems import cube, mixed, mixed_truth, smooth
from tests.snapshots import Golden


def fit(space: Space, n: int, truth: Any, seed: int, **knobs: Any) -> Any:
    rng = np.random.default_rng(seed)
    codes = space.sample(n, rng)
    noisy = truth(codes) + 0.05 * rng.standard_normal(n)
    return GaussianProcess(**{"restarts": 0, **knobs}).fit(space, codes, noisy, rng=rng)


@pytest.fixture(scope="module")
def fitted() -> Any:
    return fit(cube(4), 60, smooth, 0)


def latent(fitted: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance by scikit-learn, with its noise taken off the diagonal."""
    mean, covariance = fitted.regressor.predict(fitted.features(codes), return_cov=True)
    return mean, covariance - fitted.noise_sd**2 * np.eye(len(mean))


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_the_posterior_is_that_of_scikit_learn_without_its_noise(kernel: str) -> None:
    # 1e-9: both are exact, and differ in the order of summation only
    fitted = fit(mixed(), 50, mixed_truth, 1, kernel=kernel)
    codes = mixed().sample(80, np.random.default_rng(2))
    mean, covariance = latent(fitted, codes)
    found, sd = fitted.posterior(codes)
    np.testing.assert_allclose(found, mean, atol=1e-9)
    np.testing.assert_allclose(sd, np.sqrt(np.diag(covariance)), atol=1e-9)
    found, together = fitted.joint(codes)
    np.testing.assert_allclose(found, mean, atol=1e-9)
    np.testing.assert_allclose(together, covariance, atol=1e-9)


def test_the_noise_is_not_in_the_posterior_though_scikit_learn_has_it(fitted: Any) -> None:
    codes = cube(4).sample(30, np.random.default_rng(3))
    _, theirs = fitted.regressor.predict(fitted.features(codes), return_std=True)
    _, ours = fitted.posterior(codes)
    assert fitted.noise_sd == pytest.approx(0.05, rel=0.5)  # the noise that was put in
    np.testing.assert_allclose(np.hypot(ours, fitted.noise_sd), theirs, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_effect_is_that_of_the_definition(fitted: Any, n_jobs: int | None) -> None:
    # eq. 3, 4 and 5 of Moosbauer et al. by scikit-learn's full covariance; 1e-9 as above
    points = cube(4).sample(90, np.random.default_rng(4))
    values = np.linspace(0, 1, 6)
    sums = fitted.effect(points, 2, values, n_jobs=n_jobs)
    for g, value in enumerate(values):
        moved = points.copy()
        moved[:, 2] = value
        mean, covariance = latent(fitted, moved)
        np.testing.assert_allclose(sums.ice_mean[:, g], mean, atol=1e-9)
        np.testing.assert_allclose(sums.ice_sd[:, g] ** 2, np.diag(covariance), atol=1e-9)
        assert sums.mean[g] == pytest.approx(mean.mean(), abs=1e-9)
        assert sums.sd[g] == pytest.approx(np.sqrt(np.diag(covariance).mean()), abs=1e-9)
        assert sums.sd_of_mean[g] == pytest.approx(np.sqrt(covariance.mean()), abs=1e-9)
    assert (sums.sd_of_mean <= sums.sd + 1e-12).all()


def test_averages_are_the_general_way_to_the_same_numbers(fitted: Any) -> None:
    points = cube(4).sample(40, np.random.default_rng(5))
    stacked = np.repeat(points[None], 3, axis=0)
    stacked[:, :, 1] = np.array([0.1, 0.5, 0.9])[:, None]
    mean, sd = fitted.averages(stacked)
    sums = fitted.effect(points, 1, np.array([0.1, 0.5, 0.9]))
    np.testing.assert_allclose(mean, sums.mean, atol=1e-10)
    np.testing.assert_allclose(sd, sums.sd_of_mean, atol=1e-10)


def test_blocks_and_what_is_asked_for_do_not_change_the_numbers(
    fitted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    points, values = cube(4).sample(50, np.random.default_rng(6)), np.array([0.2, 0.7])
    whole = fitted.effect(points, 0, values)
    monkeypatch.setattr("earnest.explanation.surrogate.gaussian_process.BLOCK", 300)
    small = fitted.effect(points, 0, values)
    np.testing.assert_allclose(small.sd_of_mean, whole.sd_of_mean, atol=1e-12)
    np.testing.assert_allclose(small.ice_sd, whole.ice_sd, atol=1e-12)
    lean = fitted.effect(points, 0, values, pointwise=False)
    np.testing.assert_allclose(lean.mean, whole.mean, atol=1e-12)
    assert lean.sd is None
    assert lean.ice_sd is None
    assert fitted.effect(points, 0, values, covariance=False).sd_of_mean is None


def test_the_effect_of_a_pair_is_that_of_the_definition(fitted: Any) -> None:
    points = cube(4).sample(30, np.random.default_rng(7))
    pairs = np.array([[0.1, 0.9], [0.8, 0.3]])
    sums = fitted.effect(points, (0, 3), pairs)
    for g, pair in enumerate(pairs):
        moved = points.copy()
        moved[:, [0, 3]] = pair
        mean, covariance = latent(fitted, moved)
        assert sums.mean[g] == pytest.approx(mean.mean(), abs=1e-9)
        assert sums.sd_of_mean[g] == pytest.approx(np.sqrt(covariance.mean()), abs=1e-9)


@pytest.mark.parametrize("name", ["model", "layers", "rate", "size", "inner", "units"])
def test_effects_in_a_conditional_space_are_those_of_the_definition(name: str) -> None:
    space = mixed()
    fitted = fit(space, 60, mixed_truth, 8)
    points = space.sample(60, np.random.default_rng(9), complete=True)
    column = space.index(name)
    points = points[space.active(points)[:, column]]
    _, codes = space.grid(name, 4)
    sums = fitted.effect(points, column, codes)
    for g, code in enumerate(codes):
        moved = points.copy()
        moved[:, column] = code
        mean, covariance = latent(fitted, space.mask(moved))
        np.testing.assert_allclose(sums.ice_mean[:, g], mean, atol=1e-9)
        assert sums.sd_of_mean[g] == pytest.approx(np.sqrt(covariance.mean()), abs=1e-9)


def test_configurations_that_differ_in_inactive_values_only_are_the_same_to_it() -> None:
    space = mixed()
    fitted = fit(space, 50, mixed_truth, 10)
    whole = space.sample(40, np.random.default_rng(11), complete=True)
    other = np.where(
        space.active(whole), whole, space.sample(40, np.random.default_rng(12), complete=True)
    )
    np.testing.assert_array_equal(fitted.posterior(whole)[0], fitted.posterior(other)[0])
    np.testing.assert_array_equal(
        fitted.posterior(whole)[1], fitted.posterior(space.mask(whole))[1]
    )


def test_it_learns_a_conditional_objective() -> None:
    # 120 trials with noise 0.05; 200 new points, seed 13: the error is near the noise
    space = mixed()
    fitted = fit(space, 120, mixed_truth, 13)
    new = space.sample(200, np.random.default_rng(14))
    mean, sd = fitted.posterior(new)
    error = mean - mixed_truth(new)
    assert np.sqrt(np.mean(error**2)) < 0.15
    assert np.mean(np.abs(error) < 1.96 * sd) > 0.8


def test_an_effect_where_the_parameter_is_inactive_is_refused(golden: Golden) -> None:
    space = mixed()
    fitted = fit(space, 40, mixed_truth, 15)
    points = space.sample(20, np.random.default_rng(16))
    with golden.raises(InputError):
        fitted.effect(points, space.index("inner"), np.array([0.5]))
    with pytest.raises(InputError, match="complete=True"):
        fitted.effect(points, space.index("model"), np.array([0.0]))


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_the_gradient_of_the_likelihood_is_that_of_differences(kernel: str) -> None:
    # central differences of 1e-5 on a function of size 100: an error of about 1e-6 of it
    space = mixed()
    rng = np.random.default_rng(17)
    codes = space.sample(25, rng)
    features = Features.of(space)
    groups, member = np.unique(features.group, return_inverse=True)
    evidence = SurrogateData(
        features(codes), member, len(groups), rng.standard_normal(25), np.zeros(25), kernel
    )
    theta = rng.normal(-0.3, 0.4, len(groups) + 2)
    _, gradient = evidence.negative(theta)
    for i in range(len(theta)):
        step = np.eye(len(theta))[i] * 1e-5
        slope = (evidence.negative(theta + step)[0] - evidence.negative(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_the_likelihood_is_that_of_scikit_learn(fitted: Any) -> None:
    regressor = fitted.regressor
    y = regressor.y_train_
    evidence = SurrogateData(
        regressor.X_train_, np.arange(4), 4, y, np.zeros(len(y)), fitted.kernel
    )
    scales: Scales = fitted.scales
    theta = np.log([scales.amplitude, *scales.lengths, scales.noise])
    value, _ = evidence.negative(theta)
    assert -value == pytest.approx(regressor.log_marginal_likelihood(), rel=1e-9)


def test_known_standard_errors_are_noise_only_if_asked_for() -> None:
    rng = np.random.default_rng(18)
    codes = cube(2).sample(40, rng)
    y = codes[:, 0] + 0.01 * rng.standard_normal(40)
    errors = np.full(40, 0.3)
    plain = GaussianProcess(restarts=0).fit(cube(2), codes, y, errors, rng=rng)
    told = GaussianProcess(restarts=0, noise="standard_error").fit(
        cube(2), codes, y, errors, rng=rng
    )
    new = cube(2).sample(20, rng)
    assert (told.posterior(new)[1] > plain.posterior(new)[1]).all()


def test_duplicates_tell_the_noise() -> None:
    # 20 configurations, each 4 times, noise 0.2: found within 4 se of an sd, 0.2/sqrt(2*60)
    rng = np.random.default_rng(19)
    codes = np.repeat(cube(2).sample(20, rng), 4, axis=0)
    y = codes[:, 0] + 0.2 * rng.standard_normal(80)
    fitted = GaussianProcess().fit(cube(2), codes, y, rng=rng)
    assert abs(fitted.noise_sd - 0.2) < 4 * 0.2 / np.sqrt(120)


def test_the_same_seed_gives_the_same_surrogate_and_a_shift_and_scale_go_through() -> None:
    rng = np.random.default_rng(20)
    codes = cube(3).sample(40, rng)
    y = smooth(np.column_stack([codes, codes[:, :1]]))
    made = [
        GaussianProcess(restarts=1).fit(cube(3), codes, a + b * y, rng=np.random.default_rng(0))
        for a, b in ((0, 1), (0, 1), (100, -1000))
    ]
    new = cube(3).sample(10, rng)
    first, again, moved = (m.posterior(new) for m in made)
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_allclose(moved[0], 100 - 1000 * first[0], rtol=1e-6)
    np.testing.assert_allclose(moved[1], 1000 * first[1], rtol=1e-3)


def test_many_trials_give_their_scales_by_some_of_them_and_it_is_said() -> None:
    fitted = fit(cube(2), SCALES_FROM + 20, lambda c: c[:, 0], 21)
    (told,) = fitted.cautions
    assert told.kind == "scales_of_sample"
    assert f"{SCALES_FROM} of {SCALES_FROM + 20}" in told.what


def test_the_protocols_are_kept_and_knobs_are_checked(fitted: Any) -> None:
    assert isinstance(GaussianProcess(), Surrogate)
    assert isinstance(fitted, FittedSurrogate)
    assert isinstance(
        fitted.effect(cube(4).sample(5, np.random.default_rng(0)), 0, [0.5]), EffectSums
    )
    with pytest.raises(InputError, match="Did you mean 'matern32'"):
        GaussianProcess(kernel="matern3")
    with pytest.raises(InputError, match="noise"):
        replace(GaussianProcess(), noise="much")
    assert set(fitted.lengths) == {"x0", "x1", "x2", "x3"}
    assert "Matérn 3/2" in fitted.name


def test_an_objective_that_is_one_value_does_not_break_it() -> None:
    codes = cube(2).sample(12, np.random.default_rng(22))
    fitted = GaussianProcess(restarts=0).fit(
        cube(2), codes, np.full(12, 3.0), rng=np.random.default_rng(0)
    )
    mean, sd = fitted.posterior(codes)
    np.testing.assert_allclose(mean, 3.0, atol=1e-9)
    assert np.isfinite(sd).all()


def test_the_gradient_of_the_prior_is_that_of_differences() -> None:
    theta = np.array([0.3, -0.5, 1.0, -2.0])
    value, gradient = penalise_scales(theta)
    for i in range(4):
        step = np.eye(4)[i] * 1e-6
        slope = (penalise_scales(theta + step)[0] - penalise_scales(theta - step)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, abs=1e-7)
    assert penalise_scales(np.array([5.0, 0.5 * np.log(2), 0.5 * np.log(2), -4.0]))[0] == 0.0
    assert value > 0


def test_without_the_prior_no_scales_near_by_are_more_likely() -> None:
    # at its maximum no step of 1 % raises the likelihood by more than the tolerance of L-BFGS
    fitted = fit(cube(3), 50, lambda c: np.sin(4 * c[:, 0]) + c[:, 1] * c[:, 2], 23, prior=False)
    evidence = SurrogateData(
        fitted.regressor.X_train_,
        np.arange(3),
        3,
        fitted.regressor.y_train_,
        np.zeros(50),
        fitted.kernel,
    )
    scales = fitted.scales
    theta = np.log([scales.amplitude, *scales.lengths, scales.noise])
    best, _ = evidence.negative(theta)
    for i in range(5):
        for sign in (-0.01, 0.01):
            assert evidence.negative(theta + sign * np.eye(5)[i])[0] > best - 1e-4
