"""McNemar's test against the binomial law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from earnest import Scores, compare
from earnest.comparison import McNemarTest
from earnest.comparison.tests.mcnemar import _p_values, adjusted_limits
from earnest.errors import InputError, MetricError
from tests.comparison.evidence import classified

COUNTS = [(0, 0), (1, 0), (0, 5), (3, 3), (2, 9), (40, 17), (700, 640)]


def hits(only_a: int, only_b: int, both: int = 20, neither: int = 7) -> Scores:
    a = [1] * only_a + [0] * only_b + [1] * both + [0] * neither
    b = [0] * only_a + [1] * only_b + [1] * both + [0] * neither
    return Scores({"a": a, "b": b}, greater_is_better=True, name="hits", limits=(0, 1))


@pytest.mark.parametrize(("only_a", "only_b"), COUNTS)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_the_exact_p_value_is_binomial(only_a: int, only_b: int, alternative: str) -> None:
    made = compare(hits(only_a, only_b), "a", "b", test="mcnemar", alternative=alternative)
    total = only_a + only_b
    known = binomtest(only_a, total, 0.5, alternative=alternative).pvalue if total else 1.0
    assert made.p_value == pytest.approx(known)
    assert made.difference == pytest.approx((only_a - only_b) / (total + 27))
    assert made.statistic == only_a


@pytest.mark.parametrize(("only_a", "only_b"), COUNTS)
def test_the_mid_p_value_counts_what_was_seen_half(only_a: int, only_b: int) -> None:
    made = compare(hits(only_a, only_b), "a", "b", test=McNemarTest(p="mid"))
    total, least = only_a + only_b, min(only_a, only_b)
    known = 2 * binom.cdf(least, total, 0.5) - binom.pmf(least, total, 0.5)
    if only_a == only_b:
        known = 1.0
    assert made.p_value == pytest.approx(min(1.0, known))


def test_the_mid_p_value_is_the_smaller_one() -> None:
    exact = compare(hits(9, 2), "a", "b", test="mcnemar").p_value
    mid = compare(hits(9, 2), "a", "b", test=McNemarTest(p="mid")).p_value
    assert mid < exact  # type: ignore[operator]  # both have one


def test_the_interval_of_bonett_and_price_is_that_of_the_shifted_counts() -> None:
    # 21 and 11 of 60, with one added to each and two to all: (22 - 12) / 62, written out
    first, second = 22 / 62, 12 / 62
    error = np.sqrt((first + second - (first - second) ** 2) / 62)
    made = adjusted_limits(21, 11, 60)
    assert (made.centre, made.standard_error) == pytest.approx((first - second, error))


def test_the_interval_covers_as_promised() -> None:
    # exact coverage over all tables of n = 30 with shares .2 and .1 of unlike cases, not simulated
    n, p, q = 30, 0.2, 0.1
    covered = 0.0
    for only_a in range(n + 1):
        for only_b in range(n + 1 - only_a):
            law = adjusted_limits(only_a, only_b, n)
            reach = 1.959963984540054 * law.standard_error
            if abs(law.centre - (p - q)) <= reach:
                covered += binom.pmf(only_a, n, p) * binom.pmf(only_b, n - only_a, q / (1 - p))
    assert 0.94 <= covered <= 0.98


def test_too_few_unlike_cases_are_cautioned_of() -> None:
    made = compare(hits(5, 0), "a", "b", test="mcnemar")
    assert "no_small_p" in {caution.kind for caution in made.cautions}  # 2 / 32 is the least
    assert "no_small_p" not in {c.kind for c in made.at(alternative="greater").cautions}


def test_it_equals_the_sign_flip_test_of_hits() -> None:
    given = hits(7, 2, both=2, neither=2)  # 13 cases, so that all sign patterns are gone through
    flipped = compare(given, "a", "b", test="sign_flip")
    assert flipped.provenance.knobs["exact"]
    assert compare(given, "a", "b", test="mcnemar").p_value == pytest.approx(flipped.p_value)


def test_numbers_between_0_and_1_are_refused() -> None:
    with pytest.raises(MetricError, match="0 or 1"):
        compare(classified(), "good", "fair", test="mcnemar", metric="brier")
    with pytest.raises(MetricError, match="test='sign_flip'"):
        compare(classified(), "good", "fair", test="mcnemar", metric="roc_auc")
    with pytest.raises(InputError, match="`p` is unknown"):
        McNemarTest(p="chi2")


@pytest.mark.parametrize("count", [1, 2, 7, 33, 499, 600, 5000])
def test_as_many_on_each_side_have_a_mid_p_of_exactly_1(count: int) -> None:
    assert _p_values(count, count, True) == {"two-sided": 1.0, "less": 0.5, "greater": 0.5}
