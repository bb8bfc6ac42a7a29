"""Bootstrap, jackknife and influence of any statistic: against theory, loops, and each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError, InputError

X = np.random.default_rng(11).exponential(size=30)
Y = X + np.random.default_rng(12).standard_normal(30)


def mean(weights: np.ndarray) -> np.ndarray:
    return weights @ X / len(X)


def correlation(weights: np.ndarray) -> np.ndarray:
    share = weights / weights.sum(axis=-1, keepdims=True)
    mx, my = share @ X, share @ Y
    apart = (share @ X**2 - mx**2) * (share @ Y**2 - my**2)
    return (share @ (X * Y) - mx * my) / np.sqrt(apart)


def codes(made: en.results.StatisticResult) -> set[str]:
    return {caution.code for caution in made.cautions}


def test_bootstrap_of_a_mean_has_the_error_of_theory() -> None:
    made = en.inference.bootstrap(mean, X, n_resamples=4000, vectorized=True, rng=0)
    exact = X.std() / np.sqrt(30)
    assert abs(made.standard_error / exact - 1) < 4 / np.sqrt(2 * 4000)  # sd of an estimated sd
    assert abs(made.bias) < 4 * exact / np.sqrt(4000)


def test_bootstrap_equals_the_enumeration_of_all_samples() -> None:
    x = np.array([1.0, 2.0, 4.0, 9.0])
    every = np.array([x[list(rows)].var() for rows in itertools.product(range(4), repeat=4)])

    def variance(weights: np.ndarray) -> np.ndarray:
        return weights @ x**2 / 4 - (weights @ x / 4) ** 2

    made = en.inference.bootstrap(
        variance, 4, n_resamples=20000, vectorized=True, method="percentile", rng=1
    )
    tolerance = 4 * every.std() / np.sqrt(20000)
    assert abs(made.value + made.bias - every.mean()) < tolerance
    assert abs(made.standard_error - every.std()) < 2 * tolerance


def test_one_row_at_a_time_gives_the_same_draws_as_all_at_once() -> None:
    rows = en.inference.bootstrap(lambda w: float(correlation(w)), X, n_resamples=80, rng=3)
    whole = en.inference.bootstrap(correlation, X, n_resamples=80, vectorized=True, rng=3)
    assert np.allclose(rows.draws, whole.draws)
    assert rows.interval.low == pytest.approx(whole.interval.low)


def test_another_level_reads_the_same_draws_and_nests() -> None:
    for method in ("bca", "percentile", "basic", "studentised"):
        made = en.inference.bootstrap(
            mean, X, n_resamples=199, vectorized=True, method=method, rng=3
        )
        wide = made.at(confidence_level=0.99)
        assert wide.draws is made.draws
        assert wide.interval.low <= made.interval.low <= made.interval.high <= wide.interval.high
        again = en.inference.bootstrap(
            mean,
            X,
            n_resamples=199,
            vectorized=True,
            method=method,
            rng=3,
            confidence_level=0.99,
            side="upper",
        )
        assert made.at(confidence_level=0.99, side="upper").interval == again.interval
        assert again.interval.low == -math.inf


def test_studentised_with_a_given_error_is_the_bootstrap_t_of_a_mean() -> None:
    def error(weights: np.ndarray) -> np.ndarray:
        second = weights @ X**2 / 30 - mean(weights) ** 2
        return np.sqrt(np.maximum(second, 0) / 29)

    made = en.inference.bootstrap(
        mean, X, n_resamples=399, vectorized=True, method="studentised", standard_error=error, rng=5
    )
    own = en.inference.bootstrap(
        mean, X, n_resamples=399, vectorized=True, method="studentised", rng=5
    )
    # The jackknife error of a mean is exactly this formula.
    assert made.interval.low == pytest.approx(own.interval.low, rel=1e-9)
    assert made.interval.high == pytest.approx(own.interval.high, rel=1e-9)


def test_jackknife_of_a_variance_has_the_bias_that_theory_gives() -> None:
    made = en.inference.jackknife(lambda w: w @ X**2 / 30 - (w @ X / 30) ** 2, X)
    assert made.bias == pytest.approx(-X.var() / 29, rel=1e-9)
    assert made.corrected == pytest.approx(X.var(ddof=1), rel=1e-9)


def test_jackknife_equals_the_loop_of_deleted_rows() -> None:
    left = np.array([np.corrcoef(np.delete(X, i), np.delete(Y, i))[0, 1] for i in range(30)])
    made = en.inference.jackknife(correlation, 30, vectorized=True)
    assert np.allclose(made.draws, left)
    assert made.standard_error == pytest.approx(
        np.sqrt(29 / 30 * ((left - left.mean()) ** 2).sum())
    )
    assert made.bias == pytest.approx(29 * (left.mean() - np.corrcoef(X, Y)[0, 1]))


def test_jackknife_over_two_samples_adds_their_variances() -> None:
    strata = np.repeat([0, 1], [12, 18])
    made = en.inference.jackknife(
        lambda w: w[:12] @ X[:12] / 12 - w[12:] @ X[12:] / 18, 30, strata=strata
    )
    welch = X[:12].var(ddof=1) / 12 + X[12:].var(ddof=1) / 18
    assert made.standard_error == pytest.approx(np.sqrt(welch))
    assert made.interval.width == pytest.approx(
        2 * 2.0484071 * np.sqrt(welch), rel=1e-6
    )  # t, 28 df


def test_influence_of_a_correlation_is_the_textbook_function() -> None:
    zx, zy = (X - X.mean()) / X.std(), (Y - Y.mean()) / Y.std()
    r = float(np.corrcoef(X, Y)[0, 1])
    made = en.inference.influence(correlation, 30, vectorized=True)
    assert np.allclose(made.influences, zx * zy - r * (zx**2 + zy**2) / 2, atol=1e-7)
    assert made.standard_error == pytest.approx(np.sqrt((made.influences**2).sum()) / 30)


def test_influence_bias_is_that_of_a_quadratic_statistic_exactly() -> None:
    made = en.inference.influence(lambda w: w @ X**2 / 30 - (w @ X / 30) ** 2, X)
    assert made.bias == pytest.approx(-X.var() / 30, rel=1e-5)  # by second differences


def test_a_given_derivative_replaces_the_numerical_one() -> None:
    groups, strata = np.repeat(np.arange(10), 3), np.repeat([0, 1], 15)

    def ratio(weights: np.ndarray) -> np.ndarray:
        return (weights @ X) / (weights @ Y**2)

    def gradient(weights: np.ndarray) -> np.ndarray:
        below = weights @ Y**2
        return X / below - Y**2 * (weights @ X) / below**2

    for about in ({}, {"groups": groups}, {"strata": strata}, {"groups": groups, "strata": strata}):
        exact = en.inference.influence(ratio, 30, derivative=gradient, **about)
        made = en.inference.influence(ratio, 30, vectorized=True, **about)
        assert np.allclose(made.influences, exact.influences, atol=1e-8)
        assert exact.bias is None
        values = en.inference.influence(ratio, 30, derivative=gradient(np.ones(30)), **about)
        assert (values.influences == exact.influences).all()


def test_unequal_groups_move_as_groups() -> None:
    groups = np.repeat([0, 1, 2, 3], [2, 5, 10, 13])
    made = en.inference.influence(mean, 30, groups=groups, vectorized=True)
    sums = np.array([(X[groups == g] - X.mean()).sum() for g in range(4)])
    assert np.allclose(made.influences, 4 * sums / 30)
    draws = en.inference.bootstrap(
        mean, 30, groups=groups, n_resamples=2000, vectorized=True, rng=0
    )
    assert draws.standard_error == pytest.approx(made.standard_error, rel=0.3)  # few groups: rough
    assert "EN020" in codes(draws)


def test_a_median_is_not_smooth_and_says_so() -> None:
    order = np.argsort(X)

    def median(weights: np.ndarray) -> float:
        return X[order][np.searchsorted(np.cumsum(weights[order]), 15.0)]

    assert "EN098" in codes(en.inference.influence(median, X))
    assert "EN098" in codes(en.inference.jackknife(median, X))
    assert "EN098" not in codes(en.inference.jackknife(lambda w: w @ X, X))
    assert "EN098" not in codes(en.inference.influence(correlation, X, vectorized=True))


def test_a_constant_statistic_has_no_spread_and_an_interval_of_its_value() -> None:
    for made in (
        en.inference.bootstrap(lambda w: 2.0, 20, n_resamples=200, rng=0),
        en.inference.jackknife(lambda w: 2.0, 20),
        en.inference.influence(lambda w: 2.0, 20),
    ):
        assert (made.interval.low, made.interval.high) == (2.0, 2.0)
        assert made.standard_error == 0.0
        assert made.bias == 0.0
        assert "EN035" in codes(made)
    with pytest.raises(EvidenceError, match="no standard error"):
        en.inference.bootstrap(lambda w: 2.0, 20, method="studentised", n_resamples=50)


def test_undefined_resamples_are_left_out_and_told_of() -> None:
    def shaky(weights: np.ndarray) -> float:
        return float(mean(weights)) if weights[0] > 0 else math.nan

    made = en.inference.bootstrap(shaky, X, method="percentile", n_resamples=300, rng=0)
    assert made.n_valid == int((~np.isnan(made.draws)).sum()) < 300
    assert "EN010" in codes(made)
    assert math.isfinite(made.interval.low)
    assert math.isfinite(made.interval.high)
    bca = en.inference.bootstrap(shaky, X, n_resamples=300, rng=0)
    assert {"EN010", "EN086"} <= codes(bca)  # without the first case it has no jackknife
    with pytest.raises(EvidenceError, match="left out"):
        en.inference.jackknife(shaky, X)


def test_what_is_always_undefined_is_refused() -> None:
    with pytest.raises(EvidenceError, match="original cases"):
        en.inference.bootstrap(lambda w: math.nan, 5)
    with pytest.raises(EvidenceError, match="on the resamples"):
        en.inference.bootstrap(
            lambda w: 1.0 if (w == 1).all() else math.nan, 30, n_resamples=50, rng=0
        )
    with pytest.raises(EvidenceError, match="moves a little"):
        en.inference.influence(lambda w: 1.0 if (w == 1).all() else math.nan, 30)


def test_draws_on_one_side_give_the_percentile_interval_and_a_caution() -> None:
    made = en.inference.bootstrap(lambda w: float((w > 0).mean()), 30, n_resamples=300, rng=0)
    assert "EN086" in codes(made)
    assert made.interval.high < made.value == 1.0


def test_no_change_when_a_case_is_left_out_gives_no_acceleration() -> None:
    made = en.inference.bootstrap(lambda w: float(w[:2].sum() > 1.9), 12, n_resamples=300, rng=0)
    # left out, any other case keeps or raises the two weights; a missing one drops below
    assert made.n_valid == 300
    flat = en.inference.bootstrap(lambda w: float(w[:6].max() > 2.5), 12, n_resamples=300, rng=0)
    assert "EN086" in codes(flat)


def test_few_cases_and_few_resamples_are_told_of() -> None:
    made = en.inference.bootstrap(lambda w: w @ X[:5] / 5, 5, n_resamples=60, rng=0)
    assert {"EN016", "EN036"} <= codes(made)


def test_seed_is_recorded_and_repeats() -> None:
    made = en.inference.bootstrap(mean, X, n_resamples=50, vectorized=True)
    again = en.inference.bootstrap(mean, X, n_resamples=50, vectorized=True, rng=made.seed)
    assert (made.draws == again.draws).all()


def test_the_result_shows_itself() -> None:
    made = en.inference.bootstrap(mean, X, n_resamples=200, vectorized=True, rng=1)
    assert repr(made).endswith("(bootstrap, bca, n=30)")
    assert "lower bound" in repr(made.at(side="lower"))
    assert "upper bound" in repr(made.at(side="upper"))
    data = made.to_dict()
    assert data["tool"] == "bootstrap"
    assert data["interval"]["low"] == made.interval.low
    assert repr(en.inference.jackknife(mean, X)).endswith("(jackknife, n=30)")


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence_level": 95},
        {"side": "pessimistic"},
        {"side": "left"},
        {"n_resamples": 1},
        {"n_resamples": 2.5},
        {"method": "bc"},
        {"rng": -1},
        {"strata": [1, 2]},
        {"standard_error": mean},
    ],
)
def test_bad_arguments_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        en.inference.bootstrap(mean, X, **wrong)


def test_a_statistic_that_is_no_function_is_refused() -> None:
    with pytest.raises(InputError, match="not a function"):
        en.inference.bootstrap(3.0, 10)
    with pytest.raises(InputError, match="derivative"):
        en.inference.influence(mean, X, derivative=[1.0, 2.0])
    with pytest.raises(InputError, match="derivative"):
        en.inference.influence(mean, X, derivative=np.full(30, np.nan))


def test_an_error_of_the_statistic_comes_out_as_it_is() -> None:
    def broken(weights: np.ndarray) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        en.inference.bootstrap(broken, 10)
