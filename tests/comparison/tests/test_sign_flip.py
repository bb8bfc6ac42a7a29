"""The sign-flip test against scipy's permutation test and a plain enumeration."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import permutation_test

import earnest as en
from earnest import Scores, compare
from earnest.comparison import SignFlipTest
from earnest.errors import InputError, MetricError
from tests.comparison.evidence import classified

REAL = (-np.inf, np.inf)


def given(differences: np.ndarray, **about: object) -> Scores:
    return Scores(
        {"a": differences, "b": np.zeros(len(differences))},
        limits=REAL,
        **about,
        greater_is_better=False,
    )


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("seed", range(4))
def test_the_exact_p_value_is_that_of_scipy(alternative: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = rng.standard_normal(9).round(1) + 0.3  # rounded, so that there are ties
    known = permutation_test(
        (d, np.zeros(9)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative=alternative,
    )
    made = compare(given(d), "a", "b", test="sign_flip", alternative=alternative)
    assert made.provenance.knobs["exact"]
    assert made.p_value == pytest.approx(known.pvalue)


def test_the_interval_holds_the_shifts_that_the_test_does_not_reject() -> None:
    d = np.random.default_rng(5).standard_normal(10) + 0.4
    made = compare(given(d), "a", "b", test="sign_flip")
    assert made.interval is not None
    for shift in np.linspace(-1.5, 2.5, 161):
        p = compare(given(d - shift), "a", "b", test="sign_flip").p_value
        inside = made.interval.low < shift < made.interval.high
        assert (p > 0.05) == inside, shift  # type: ignore[operator]  # it has one


def test_means_of_flipped_subsets_are_those_of_a_plain_enumeration() -> None:
    d = np.array([0.5, -0.2, 0.9, 0.1])
    subsets = [np.array(s, dtype=bool) for s in product([0, 1], repeat=4) if any(s)]
    made = compare(given(d), "a", "b", test="sign_flip")
    means = made.source.means  # type: ignore[union-attr]  # the source of this test
    assert np.sort(means) == pytest.approx(np.sort([d[s].mean() for s in subsets]))


def test_groups_are_flipped_whole() -> None:
    d = np.array([0.5, 0.4, -0.2, 0.9, 0.1, 0.3])
    groups = np.array([0, 0, 1, 1, 2, 2])
    made = compare(given(d, groups=groups), "a", "b", test="sign_flip")
    sums = np.array([0.9, 0.7, 0.4])
    as_extreme = sum(abs(np.dot(s, sums)) >= sums.sum() - 1e-12 for s in product([-1, 1], repeat=3))
    assert made.p_value == as_extreme / 8


def test_the_standard_error_is_that_of_a_mean_of_independent_units() -> None:
    d = np.random.default_rng(9).standard_normal(24) + 0.7
    made = compare(given(d), "a", "b", test="sign_flip", rng=0)
    assert made.standard_error == pytest.approx(d.std(ddof=1) / np.sqrt(24))
    grouped = compare(given(d, groups=np.arange(24) // 3), "a", "b", test="sign_flip", rng=0)
    means = d.reshape(8, 3).mean(axis=1)
    assert grouped.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(8))


def test_drawn_patterns_come_near_the_exact_p_value() -> None:
    # seed 1; the tolerance is four binomial standard deviations of 20,000 patterns
    d = np.random.default_rng(6).standard_normal(12) + 0.5
    exact = compare(given(d), "a", "b", test="sign_flip", alternative="greater").p_value
    drawn = compare(
        given(np.concatenate([d, np.zeros(3)])),  # zeros change no sum, but 2^15 > 20,000
        "a",
        "b",
        test=SignFlipTest(n_resamples=20_000),
        alternative="greater",
        rng=1,
    )
    assert not drawn.provenance.knobs["exact"]
    assert exact is not None
    assert abs(drawn.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000)  # type: ignore[operator]


def test_p_is_never_0_and_a_multiple_of_1_over_the_patterns() -> None:
    made = compare(
        given(np.full(100, 0.1) + np.arange(100) / 1e4), "a", "b", test="sign_flip", rng=0
    )
    assert made.p_value == 2 / 10_000


def test_p_and_interval_agree_at_every_level() -> None:
    made = compare(
        given(np.random.default_rng(8).standard_normal(40) + 0.3), "a", "b", test="sign_flip", rng=0
    )
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        for alternative in ("two-sided", "less", "greater"):
            moved = made.at(confidence_level=level, alternative=alternative)
            assert moved.interval is not None
            assert moved.shown == (0.0 not in moved.interval)


def test_few_cases_leave_the_limit_open_with_a_caution() -> None:
    made = compare(given(np.array([0.5, 0.4, 0.7])), "a", "b", test="sign_flip")
    assert made.interval is not None
    assert (made.interval.low, made.interval.high) == REAL
    assert "no_small_p" in {caution.kind for caution in made.cautions}


def test_other_metrics_and_counts_are_refused() -> None:
    with pytest.raises(MetricError, match="test='bootstrap'"):
        compare(classified(), "good", "fair", test="sign_flip", metric="roc_auc")
    with pytest.raises(InputError, match="n_resamples"):
        SignFlipTest(n_resamples=0)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_p_and_interval_agree_where_all_units_show_the_same(alternative: str) -> None:
    for n in (1, 2, 4, 5, 6, 8, 20):
        for apart in (0.1, -0.4, 1.0):
            pair = {"a": np.full(n, max(apart, 0.0)), "b": np.full(n, max(-apart, 0.0))}
            made = compare(
                Scores(pair, limits=(0.0, 1.0), greater_is_better=False),
                "a",
                "b",
                test="sign_flip",
                alternative=alternative,
                rng=0,
            )
            assert made.interval is not None
            assert made.shown == (0.0 not in made.interval)
            assert made.p_value is not None
            assert made.p_value >= 0.5**n  # no sign test can say more


def test_a_pair_says_the_same_bits_alone_and_among_many() -> None:
    # real losses whose sums round; seed 4
    rng = np.random.default_rng(4)
    y = rng.standard_normal(150)
    guesses = y[:, None] + rng.standard_normal((150, 9)) * np.linspace(0.5, 3.0, 9)
    guesses[7] += 1e6  # one case that is large in all of them
    pi = en.Predictions.from_arrays(y, guesses, task="regression")
    ask: dict[str, Any] = {"test": "sign_flip", "metric": "mse", "rng": 0}
    for made in en.compare_many(pi, **ask):
        alone = en.compare(pi, made.a, made.b, **ask)
        assert (made.interval, made.p_value) == (alone.interval, alone.p_value)


def test_blocks_of_flips_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    y = rng.standard_normal(100)
    pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((100, 2)))
    ask: dict[str, Any] = {"test": "sign_flip", "metric": "mse", "rng": 0}
    whole = en.compare(pi, 0, 1, **ask)
    monkeypatch.setattr("earnest.comparison.tests.sign_flip.CELLS", 1)
    assert en.compare(pi, 0, 1, **ask).interval == whole.interval
