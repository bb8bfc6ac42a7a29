"""BBC, BBC-F and the naive bounds against the authors' published code."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.papers.paraschakis2024.as_published import (
    PublishedBBC,
    PublishedBBCFold,
    PublishedDraws,
    PublishedNaiveBootstrap,
)
from earnest import estimate, metric
from earnest.core import AreaLimits, Side, quantile_limits
from earnest.kernels import fold_scores
from earnest.methods import BBC, BBCFold, Method, Naive, NaiveBootstrap
from earnest.results import Estimate
from tests.golden.problems import FIVE_FOLDS, NAMES, known, predictions

SEEDS = range(10)
FLOAT32 = 1e-7  # the authors' AUC returns float32


def is_perfect(name: str) -> bool:
    """Tell whether the published limits are a point, and ours are not."""
    return name == "P7_n80_perfect"


def within_monte_carlo(ours: list[float], reference: dict[str, float]) -> bool:
    """Tell whether two means over seeds agree: 4 standard errors of their difference."""
    spread = reference["sd"] ** 2 / reference["n"] + float(np.var(ours, ddof=1)) / len(ours)
    return abs(float(np.mean(ours)) - reference["mean"]) <= 4 * math.sqrt(spread) + FLOAT32


def statistics(made: Estimate) -> dict[str, float]:
    assert made.draws is not None  # near 1 the limit is that of the law, if that lies further away
    low, high = quantile_limits(made.draws, 0.95, Side.TWO_SIDED)
    return {
        "point": made.value,
        "lower05": quantile_limits(made.draws, 0.95, Side.LOWER)[0],
        "boot_sd": float(np.nanstd(made.draws, ddof=1)),
        "q025": low,
        "q975": high,
    }


@pytest.fixture(scope="module", params=NAMES)
def bbc_runs(request: pytest.FixtureRequest) -> tuple[str, list[dict[str, float]]]:
    name = request.param
    method = PublishedBBC() if is_perfect(name) else BBC()
    runs = [estimate(predictions(name), method=method, metric="roc_auc", rng=s) for s in SEEDS]
    return name, [statistics(run) for run in runs]


@pytest.mark.parametrize("statistic", ["point", "lower05", "boot_sd", "q025", "q975"])
def test_bbc_agrees_with_the_authors_code(
    bbc_runs: tuple[str, list[dict[str, float]]], statistic: str
) -> None:
    name, runs = bbc_runs
    ours = [run[statistic] for run in runs]
    assert within_monte_carlo(ours, known(name)["BBC"][statistic]), (name, statistic, ours)


@cache
def fold_runs(name: str, *, exact: bool | None) -> list[dict[str, float]]:
    pi = predictions(name)
    method = PublishedBBCFold(exact=exact) if is_perfect(name) else BBCFold(exact=exact)
    made = [estimate(pi, method=method, metric="roc_auc", rng=seed) for seed in SEEDS]
    return [statistics(run) for run in made]


@pytest.mark.parametrize("statistic", ["point", "boot_sd"])
@pytest.mark.parametrize("name", NAMES)
def test_random_bbc_fold_agrees_with_the_authors_code(name: str, statistic: str) -> None:
    ours = [run[statistic] for run in fold_runs(name, exact=False)]
    assert within_monte_carlo(ours, known(name)["BBC-F"][statistic]), ours


@pytest.mark.parametrize("statistic", ["lower05", "q025", "q975"])
def test_bbc_fold_limits_of_ten_folds_agree_with_the_authors_code(statistic: str) -> None:
    # With five folds the limits jump between a few values; there the enumeration is the test.
    ours = [run[statistic] for run in fold_runs("P6_n300_p10", exact=None)]
    assert within_monte_carlo(ours, known("P6_n300_p10")["BBC-F"][statistic]), ours


@pytest.mark.parametrize("name", FIVE_FOLDS)
def test_bbc_fold_goes_through_all_draws_of_five_folds(name: str) -> None:
    exact = known(name)["BBC-F_exact_enumeration"]
    method = PublishedBBCFold() if is_perfect(name) else BBCFold()
    made = estimate(predictions(name), method=method, metric="roc_auc", side="lower")
    assert made.n_resamples == exact["n_draws"] == 5**5 - math.factorial(5)
    assert made.value == pytest.approx(exact["point"], abs=FLOAT32)
    assert made.draws is not None
    low, _ = quantile_limits(made.draws, 0.95, Side.LOWER)
    assert low == pytest.approx(exact["lower05"], abs=FLOAT32)
    assert made.interval is not None
    assert made.interval.low <= low
    assert np.std(made.draws) == pytest.approx(exact["sd"], abs=FLOAT32)


@pytest.mark.parametrize("name", NAMES)
def test_winners_and_their_scores_are_the_authors(name: str) -> None:
    facts = known(name)
    by_folds = estimate(predictions(name), method="naive", metric="roc_auc")
    pooled = estimate(predictions(name), method=Naive(selector="pooled"), metric="roc_auc")
    assert by_folds.winner == f"c{facts['winner_by_mean_fold_auc']}"
    assert by_folds.value == pytest.approx(facts["cv_perf_winner_mean_fold"], abs=FLOAT32)
    assert pooled.winner == f"c{facts['winner_by_pooled_auc']}"
    assert pooled.value == pytest.approx(_pooled_score(facts, name), abs=FLOAT32)


def _pooled_score(facts: dict[str, Any], name: str) -> float:
    """The reference's pooled score is that of the winner by folds; take it where both agree."""
    if facts["winner_by_mean_fold_auc"] == facts["winner_by_pooled_auc"]:
        return float(facts["cv_perf_winner_pooled"])
    pi, y = predictions(name), predictions(name).target.y
    score = pi.responses[:, facts["winner_by_pooled_auc"], 0]
    pairs = score[y == 1][:, None] - score[y == 0][None]
    return float(np.mean((pairs > 0) + 0.5 * (pairs == 0)))


@pytest.mark.parametrize("name", NAMES)
def test_fold_scores_of_the_winner_are_the_authors(name: str) -> None:
    facts = known(name)
    ours = fold_scores(predictions(name), metric("roc_auc"))[:, 0, facts["winner_by_mean_fold_auc"]]
    np.testing.assert_allclose(ours, facts["fold_perf_of_winner"], atol=FLOAT32)


@pytest.mark.parametrize("name", NAMES)
def test_normal_bound_of_the_naive_method_is_the_authors(name: str) -> None:
    kind = PublishedNaiveBootstrap if is_perfect(name) else NaiveBootstrap
    method = kind(interval="normal")
    made = estimate(predictions(name), method=method, metric="roc_auc", side="lower")
    assert made.interval is not None
    reference = min(known(name)["NB_normal_lower_code"], 1.0)
    # Their 95 % quantile of the normal law has seven digits.
    assert made.interval.low == pytest.approx(reference, abs=FLOAT32 + 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_naive_bootstrap_bound_agrees_with_the_authors_code(name: str) -> None:
    kind = PublishedNaiveBootstrap if is_perfect(name) else NaiveBootstrap
    method = kind(n_resamples=500)
    runs = [
        estimate(predictions(name), method=method, metric="roc_auc", side="lower", rng=seed)
        for seed in range(20)
    ]
    ours = [run.interval.low for run in runs if run.interval is not None]
    assert within_monte_carlo(ours, known(name)["NB_bootstrap_lower_code_B500"]), ours


@pytest.mark.parametrize("name", NAMES)
def test_as_published_names_the_winner_by_folds_and_draws_as_ever(name: str) -> None:
    pi, facts = predictions(name), known(name)
    ours = estimate(pi, method=BBC(limits="drawn"), metric="roc_auc", rng=5)
    published = estimate(pi, method=PublishedBBC(), metric="roc_auc", rng=5)
    assert ours.winner == f"c{facts['winner_by_pooled_auc']}"
    assert published.winner == f"c{facts['winner_by_mean_fold_auc']}"
    if not is_perfect(name):
        np.testing.assert_array_equal(ours.draws, published.draws)


@pytest.mark.parametrize("name", NAMES)
def test_as_published_bootstraps_of_folds_draw_as_ever(name: str) -> None:
    pi = predictions(name)
    pairs = [
        (BBCFold(exact=False), PublishedBBCFold(exact=False)),
        (NaiveBootstrap(), PublishedNaiveBootstrap()),
    ]
    for method, published in pairs:
        one, other = (estimate(pi, method=m, metric="roc_auc", rng=5) for m in (method, published))
        assert (one.winner, one.value, one.naive) == (other.winner, other.value, other.naive)
        if not is_perfect(name):
            np.testing.assert_array_equal(one.draws, other.draws)


def test_published_limits_of_few_draws_stay_within_them() -> None:
    def limits(draws: np.ndarray, level: float) -> tuple[float, float]:
        return PublishedDraws(draws).limits(level, Side.TWO_SIDED)

    assert limits(np.arange(1, 201.0), 0.9) == (10, 190)
    assert limits(np.array([3.0]), 0.95) == (3.0, 3.0)
    assert limits(np.array([1.0, np.nan, 2.0]), 0.95) == (1.0, 1.0)


def test_as_published_two_sided_limits_are_the_25th_and_975th_of_1000_draws() -> None:
    pi = predictions("P1_small_bal")
    made = estimate(pi, method=PublishedBBC(), metric="roc_auc", rng=5)
    assert made.draws is not None
    assert made.interval is not None
    ordered = np.sort(made.draws)
    assert (made.interval.low, made.interval.high) == (ordered[25 - 1], ordered[975 - 1])
    # One-sided limits follow the rule of the authors' code: sorted(L)[int(.05 * B)].
    lower = made.at(side="lower").interval
    assert lower is not None
    assert lower.low == ordered[50]


@pytest.mark.parametrize(
    "method", [PublishedBBC(), PublishedBBCFold(), PublishedNaiveBootstrap()], ids=type
)
def test_a_perfect_sample_has_a_point_as_published_and_limits_of_the_unseen_else(
    method: Method,
) -> None:
    pi = predictions("P7_n80_perfect")
    published = estimate(pi, method=method, metric="roc_auc", rng=0)
    ours = estimate(pi, method=method.spec.name, metric="roc_auc", rng=0)
    assert "EN035" in {caution.code for caution in ours.cautions}
    assert published.source is not None
    assert ours.interval is not None
    assert published.source.limits(0.95, Side.TWO_SIDED) == (1.0, 1.0)
    # Beyond 40 pairs that share no case, and short of two normal laws without a choice.
    fixed = AreaLimits(1.0, 40, 40).limits(0.95, Side.TWO_SIDED)[0]
    assert 0.025 ** (1.0 / 40.0) < ours.interval.low <= fixed
    assert ours.interval.high == 1.0
