"""What is said of the probabilities of delivered models agrees with new cases.

The results are those of `benchmarks/probabilities`: tunings of 20 tables.
"""

from __future__ import annotations

from scipy.stats import binom

from benchmarks.probabilities.run import CELLS, RESULTS, Cell, Held
from benchmarks.rows import read_rows

ROWS = read_rows(Held, RESULTS)
RUNS = sum(row.runs for row in ROWS)


def test_every_declared_cell_was_run() -> None:
    cells = {(cell.number, cell.table, cell.n) for cell in read_rows(Cell, CELLS)}
    assert {(row.cell, row.table, row.n) for row in ROWS} == cells
    assert len({row.table for row in ROWS}) == 20
    assert min(row.runs for row in ROWS) >= 20


def test_the_slope_is_that_of_new_cases_in_93_percent_of_the_tunings() -> None:
    with_slope = RUNS - sum(row.none for row in ROWS)
    for count in (sum(row.slope for row in ROWS), sum(row.slope_plainly for row in ROWS)):
        assert count >= 0.93 * with_slope
    # Exact tests of 37 cells at 5 %, of which two may be rejected if all hold in 95 %.
    p_values = [binom.cdf(row.slope, row.runs - row.none, 0.95) for row in ROWS]
    assert sum(p <= 0.05 for p in p_values) <= 2
    # A model that is taken as fixed has an interval that is too short: the test would notice.
    assert sum(row.slope_fixed for row in ROWS) < 0.88 * with_slope


def test_level_and_ratio_are_those_of_new_cases_in_93_percent_of_the_tunings() -> None:
    assert sum(row.level for row in ROWS) >= 0.93 * RUNS
    assert sum(row.ratio for row in ROWS) >= 0.93 * RUNS
