"""Cross-validated cases trained each other's models: the variance of their score, and its limits.

The learner is the nearest mean of two classes in many dimensions: the margin of a case is a sum of
inner products with the cases that trained, and the product of two cases is in the margins of both.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

import earnest as en
from benchmarks.calibration.real import pairs
from benchmarks.calibration.real.grid import read
from benchmarks.calibration.real.populations import population
from benchmarks.calibration.real.run import Sample, judge, without_term
from benchmarks.rows import read_rows
from earnest.core import AreaLimits, ShareLimits, Side

CASES, FEATURES, FOLDS, RUNS = 60, 200, 5, 4000
Floats = NDArray[np.float64]


@cache
def scores_of_noise() -> tuple[Floats, Floats]:
    """The accuracy and the AUC of cross-validated nearest means of noise, in every run."""
    rng = np.random.default_rng(20)
    y = np.repeat([-1.0, 1.0], CASES // 2)
    fold = np.arange(CASES) % FOLDS
    trains = fold[:, None] != fold
    shares, areas = np.empty(RUNS), np.empty(RUNS)
    for run in range(RUNS):
        X = rng.standard_normal((CASES, FEATURES))
        said = (X @ X.T * trains) @ y
        shares[run] = np.mean((said > 0) == (y > 0))
        ranks = rankdata(said)[CASES // 2 :].sum()
        areas[run] = (ranks - CASES // 2 * (CASES // 2 + 1) / 2) / (CASES // 2) ** 2
    return shares, areas


def test_what_nobody_can_learn_varies_by_the_term_of_cases_that_trained_each_other() -> None:
    # The term is phi(0)² / n = 1 / (2 pi n) for a share and 2 phi(0)² / n for an AUC, in the limit
    # of many dimensions. A variance of 4,000 runs has a relative error of sqrt(2 / 4000) = .022.
    # With 200 features the products of three cases still depend on each other: .04 is allowed.
    shares, areas = scores_of_noise()
    share = 0.25 / CASES + 1 / (2 * math.pi * CASES)
    m = CASES // 2
    area = (2 * m + 1) / (12 * m * m) + 1 / (math.pi * CASES)
    assert np.square(shares - 0.5).mean() == pytest.approx(share, rel=4 * 0.022 + 0.04)
    assert np.square(areas - 0.5).mean() == pytest.approx(area, rel=4 * 0.022 + 0.04)
    assert np.square(shares - 0.5).mean() > 1.4 * 0.25 / CASES
    assert np.square(areas - 0.5).mean() > 1.6 * (2 * m + 1) / (12 * m * m)


def test_limits_of_one_cross_validated_model_hold_where_there_is_nothing_to_learn() -> None:
    # At 95 % a count of 4,000 has a standard error of .0034. Limits that take the cases for
    # independent miss in about one of ten, and would fail.
    shares, areas = scores_of_noise()
    m = CASES / 2

    def hold(crossed: float | None) -> tuple[float, float]:
        of_share = {
            s: ShareLimits(s, CASES, exact=True, crossed=crossed).limits(0.95, Side.LOWER)[0]
            for s in np.unique(shares)
        }
        of_area = {
            a: AreaLimits(a, m, m, crossed=crossed).limits(0.95, Side.LOWER)[0]
            for a in np.unique(areas)
        }
        return (
            float(np.mean([of_share[s] <= 0.5 for s in shares])),
            float(np.mean([of_area[a] <= 0.5 for a in areas])),
        )

    assert min(hold(CASES)) > 0.95 - 4 * 0.0034
    assert max(hold(None)) < 0.93


def test_the_caution_on_tests_of_fixed_models_says_what_was_counted() -> None:
    asked: dict[tuple[str, str], tuple[int, int]] = {}
    for row in read_rows(pairs.Row, pairs.PAIRS):
        before = asked.get((row.test, row.metric), (0, 0))
        asked[row.test, row.metric] = before[0] + row.asked, before[1] + row.rejected
    assert {count for count, _ in asked.values()} == {9000}
    shares = {key: round(100 * rejected / count) for key, (count, rejected) in asked.items()}
    assert shares == {
        ("delong", "roc_auc"): 11,
        ("bayle", "accuracy"): 8,
        ("bayle", "roc_auc"): 10,
        ("mcnemar", "accuracy"): 5,
        ("corrected_t", "accuracy"): 2,
        ("corrected_t", "roc_auc"): 3,
    }


@pytest.mark.slow
def test_committed_counts_of_rejections_come_out_again() -> None:
    # Fifteen pairs of one sample go together: at worst all reject or none, which makes the standard
    # error of a share of 40 samples sqrt(.11 * .89 / 40) = .05.
    row = next(r for r in read_rows(pairs.Row, pairs.PAIRS) if r.test == "delong")
    cell = next(c for c in read() if c.number == row.cell)
    source = population(cell.population)
    assert source is not None
    again = next(r for r in pairs.count_rejections(cell, source, 40) if r.test == "delong")
    assert again.rejected / again.asked == pytest.approx(row.rejected / row.asked, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clouds", "sparse"])
def test_the_winner_of_a_search_of_noise_is_not_called_better_than_chance(name: str) -> None:
    """Forty real configurations, 200 searches: bounds of 95 % hold, without the term they do not.

    The count of 200 has a standard error of .015 at .95.
    """
    cell = next(c for c in read() if c.population == f"shuffled {name}" and c.n == 100)
    source = population(cell.population)
    assert source is not None
    held: dict[str, list[tuple[bool, bool]]] = {"accuracy": [], "roc_auc": []}
    for number in range(1000, 1200):
        sample = Sample(cell, source, number)
        for metric, found in held.items():
            method = en.methods.NearWinner(n_resamples=300)
            made = en.estimate(sample.predictions, method=method, metric=metric, rng=number)
            bare = without_term(made)
            assert bare is not None
            found.append((judge(sample, made, 0.0).held, judge(sample, bare, 0.0).held))
    for found in held.values():
        with_term, without = np.mean(found, axis=0)
        assert with_term > 0.95 - 2 * 0.015
        assert without < 0.95 - 2 * 0.015
