"""Limits of one AUC by formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import Predictions, metric
from earnest.core import AreaLimits, LimitLaw, LogitLimits, NormalLimits, Side
from earnest.inference import Choice, delong, hanley_mcneil, hanley_mcneil_variance, placements
from earnest.kernels import score_table
from tests.snapshots import Golden

AUC = metric("roc_auc").on("binary")


def whole(y: list[int] | np.ndarray, score: list[float] | np.ndarray) -> Choice:
    pi = Predictions.from_arrays(np.asarray(y), np.asarray(score, float), response="decision")
    value = score_table(pi, AUC, np.ones((1, pi.n_cases)))[0]
    return Choice(pi, np.array([0]), value, np.array([False]))


def test_delong_is_normal_with_the_variance_of_placements() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 0], 15)
    score = y + rng.normal(size=45)
    made = delong(whole(y, score), AUC)
    assert isinstance(made.source, NormalLimits)
    variance = placements(y == 1, score[:, None]).variance()[0]
    assert made.source.standard_error == pytest.approx(math.sqrt(variance), abs=1e-14)
    logit = delong(whole(y, score), AUC, logit=True).source
    assert isinstance(logit, LogitLimits)
    assert logit.standard_error == made.source.standard_error


def test_hanley_mcneil_is_exact_for_exponential_scores() -> None:
    # Positives Exp(mean a), negatives Exp(mean 1): A = a / (a + 1), Q1 = A/(2-A), Q2 = 2A²/(1+A).
    # 4000 samples of 20 and 30, seed 1: the variance of the AUC has a relative sd of sqrt(2/4000).
    rng, a, n1, n0, size = np.random.default_rng(1), 3.0, 20, 30, 4000
    areas = [
        np.mean(rng.exponential(a, n1)[:, None] > rng.exponential(1.0, n0)) for _ in range(size)
    ]
    expected = hanley_mcneil_variance(a / (a + 1), n1, n0)
    assert np.var(areas) == pytest.approx(expected, rel=4 * math.sqrt(2 / size))


@pytest.mark.parametrize("make", [delong, hanley_mcneil])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_perfect_separation_gets_the_limits_of_its_law(make: object, sign: float) -> None:
    y = np.repeat([0, 1], [12, 5])
    made = make(whole(y, sign * y), AUC)  # type: ignore[operator]
    low, high = made.source.limits(0.9, Side.TWO_SIDED)
    reach = AreaLimits(1.0, 5, 12).limits(0.9, Side.TWO_SIDED)[0] if sign > 0 else 0.05 ** (1 / 5)
    wanted = (reach, 1.0) if sign > 0 else (0.0, 1 - reach)  # all wrong: five pairs without a case
    assert (low, high) == pytest.approx(wanted, abs=1e-12)
    assert [c.kind for c in made.cautions] == ["area_without_spread"]
    law = (LimitLaw.NORMAL_SCORES, None) if sign > 0 else (LimitLaw.PAIRS, 5)
    assert (made.law, made.pairs) == law


def test_limits_hold_for_any_auc_that_gives_a_perfect_sample() -> None:
    # Binormal scores with an AUC at the limit of 10 and 10 cases: at most 5 % of the samples may be
    # separated perfectly. 4000 samples, seed 2, 4 sd of a share of 5 %.
    from statistics import NormalDist

    rng, n = np.random.default_rng(2), 10
    limit = AreaLimits(1.0, n, n).limits(0.95, Side.LOWER)[0]
    assert limit > 0.05 ** (1 / n)  # tighter than pairs that share no case
    shift = math.sqrt(2) * NormalDist().inv_cdf(limit)
    perfect = [rng.normal(shift, 1, n).min() > rng.normal(0, 1, n).max() for _ in range(4000)]
    assert np.mean(perfect) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 4000)


def test_constant_scores_and_single_cases_get_wide_limits_and_a_word() -> None:
    tied = delong(whole([0, 1] * 8, [0.5] * 16), AUC)
    low, high = tied.source.limits(0.95, Side.TWO_SIDED)
    assert low == pytest.approx(1 - high, abs=1e-12)
    assert 0.1 < low < 0.5
    single = delong(whole([1] + [0] * 9, np.arange(10.0)), AUC)
    assert (single.law, single.pairs) == (LimitLaw.PAIRS, 1)
    assert single.cautions[0].facts["pairs"] == 1
    assert "undefined" in str(single.cautions[0])
    assert single.source.limits(0.95, Side.TWO_SIDED)[1] > 0.9


def test_hanley_mcneil_with_one_positive_needs_no_fallback() -> None:
    made = hanley_mcneil(whole([1] + [0] * 9, [4.5, *np.arange(9.0)]), AUC)
    error = math.sqrt(hanley_mcneil_variance(5 / 9, 1, 9))
    normal = NormalLimits(5 / 9, error).limits(0.95, Side.TWO_SIDED)
    assert made.source.limits(0.95, Side.TWO_SIDED) == pytest.approx(normal, abs=1e-12)
    assert not made.cautions


def in_groups(y: np.ndarray, score: np.ndarray, groups: np.ndarray) -> Choice:
    pi = Predictions.from_arrays(y, score, response="decision", groups=groups)
    value = score_table(pi, AUC, np.ones((1, pi.n_cases)))[0]
    return Choice(pi, np.array([0]), value, np.array([False]))


def test_with_groups_delong_has_the_variance_over_groups() -> None:
    rng = np.random.default_rng(0)
    y, groups = np.tile([0, 1, 0, 1], 15), np.repeat(np.arange(15), 4)
    score = y + rng.normal(size=15)[groups] + rng.normal(size=60)
    made = delong(in_groups(y, score, groups), AUC)
    assert isinstance(made.source, NormalLimits)
    placed = placements(y == 1, score[:, None])
    variance = placed.clustered_variance(groups[y == 1], groups[y == 0])[0]
    assert made.source.standard_error == pytest.approx(math.sqrt(variance), abs=1e-14)
    assert variance != pytest.approx(placed.variance()[0], rel=0.05)
    assert made.law is LimitLaw.OBUCHOWSKI


@pytest.mark.parametrize("make", [delong, hanley_mcneil])
@pytest.mark.parametrize(("count", "pairs"), [(1, 1), (5, 2), (20, 10), (40, 20)])
def test_limits_of_a_perfect_auc_have_no_more_cases_of_a_class_than_half_the_groups(
    make: object, count: int, pairs: int
) -> None:
    y = np.tile([0, 1], 20)
    made = make(in_groups(y, y.astype(float), np.arange(40) * count // 40), AUC)  # type: ignore[operator]
    law = AreaLimits(1.0, pairs, pairs).limits(0.95, Side.LOWER)[0]
    wanted = law if pairs >= 5 else min(law, 0.05 ** (1 / pairs))
    assert made.source.limits(0.95, Side.LOWER)[0] == pytest.approx(wanted, abs=1e-12)


def test_a_class_in_one_group_is_told(golden: Golden) -> None:
    y = np.repeat([0, 1], [12, 4])
    choice = in_groups(y, np.arange(16.0) % 7, np.r_[np.arange(12), np.full(4, 12)])
    (caution,) = delong(choice, AUC).cautions
    golden.check_sentence(str(caution), "undefined for one")
