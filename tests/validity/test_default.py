"""The default interval holds in searches of populations that are new, for every metric.

The results are those of `benchmarks/calibration/default`, whose cells were written first.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import earnest as en
from benchmarks.calibration.default.grid import CELLS, Cell, cells, read
from benchmarks.calibration.default.populations import MAKERS, population
from benchmarks.calibration.default.run import LEVEL, METHODS, draw_search, simulate
from benchmarks.calibration.default.summary import Verdict, judge, read_sums, reject_by_holm
from benchmarks.rows import read_rows

VERDICTS = list(judge())
FRESH = 100_000  # the seeds of searches that are none of the study's


def test_the_cells_are_those_that_were_declared() -> None:
    assert cells() == read() == read_rows(Cell, CELLS)
    assert {cell.population for cell in read()} == set(MAKERS)


def test_every_cell_was_searched_by_every_method_that_takes_its_metric() -> None:
    rows = read_sums()
    for method in ("default", "drawn"):
        asked = {(cell.number, metric) for cell in read() for metric in cell.metrics}
        assert {(row.cell, row.metric) for row in rows if row.method == method} == asked
    refused = {"brier", "log_loss", "r2", "mae"}  # of cross-validated predictions
    assert {row.metric for row in rows if row.method == "near_winner"} & refused == set()


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_no_metric_holds_too_rarely(verdict: Verdict) -> None:
    if verdict.metric == "mae" and not verdict.two_sided:  # not confirmed, as its page says
        assert verdict.worst >= 0.92
        assert verdict.mean >= 0.95
        return
    assert verdict.rejected <= math.ceil(0.05 * verdict.cells)
    assert verdict.after_holm == 0


def test_the_tighter_limits_are_tighter() -> None:
    for verdict in VERDICTS:
        if verdict.method == "default" and verdict.metric in ("accuracy", "balanced_accuracy"):
            assert verdict.size < 0.97


def test_holms_procedure_rejects_while_the_smallest_are_small_enough() -> None:
    assert reject_by_holm([0.04, 0.001, 0.02]) == [True, True, True]
    assert reject_by_holm([0.04, 0.03, 0.02]) == [False, False, False]
    assert reject_by_holm([0.06, 0.001, 0.02]) == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 10, 13, 20, 24])
def test_fresh_searches_hold(number: int) -> None:
    # 60 searches with other seeds; at 1e-3, bounds that hold in 80 % are found out in 4 of 5 cells.
    cell = read()[number]
    rows = [row for start in range(FRESH, FRESH + 60, 5) for row in simulate(cell, start, FRESH)]
    for metric in cell.metrics:
        for method in METHODS:
            of_both = [row for row in rows if (row.metric, row.method) == (metric, method)]
            runs = sum(row.searches for row in of_both)
            for held in (sum(row.held for row in of_both), sum(row.two for row in of_both)):
                assert binom.cdf(held, runs, LEVEL) > 1e-3 or not runs, (metric, method)


@pytest.mark.parametrize("number", [12, 18, 24])
def test_the_truth_is_the_mean_score_of_the_fold_models(number: int) -> None:
    """A fixed configuration is as good on the cases left out as its truth, on average."""
    cell = read()[number]
    metric = "roc_auc" if cell.is_classified else "mae"
    differences = []
    for run in range(12):
        pi, find_truth = draw_search(cell, FRESH + run)
        naive = en.estimate(pi.select(3), method="naive", metric=metric).value
        differences.append(naive - find_truth(3, metric))
    error = float(np.std(differences, ddof=1)) / len(differences) ** 0.5
    assert abs(float(np.mean(differences))) < 4 * error


@pytest.mark.parametrize("name", MAKERS)
def test_populations_have_features_of_mean_0_and_spread_1(name: str) -> None:
    source = population(name)
    assert np.allclose(source.X.mean(axis=0), 0.0)
    assert np.allclose(source.X.std(axis=0), 1.0)
    assert np.isfinite(source.y).all()
