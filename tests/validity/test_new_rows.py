"""How often intervals and sets of new rows hold: the committed grid, and some of it again."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.new_rows.grid import LEVELS, list_cells, read_cells
from benchmarks.new_rows.run import Result, read_results, run_search

RESULTS = read_results()


def test_the_grid_is_the_one_that_was_declared() -> None:
    cells = list_cells()
    assert read_cells() == cells
    assert {row.cell for row in RESULTS} == {cell.number for cell in cells}
    assert {cell.half for cell in cells} == {"seen", "unseen"}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_bounds_hold_for_their_share_of_new_rows(level: float, half: str) -> None:
    """Over the cells of a half at the level; in each of ten searches or more at .02 less."""
    rows = [row for row in RESULTS if row.level == level and row.half == half]
    assert np.mean([row.held for row in rows]) >= level
    for row in rows:
        assert row.held >= level - 0.02 or row.searches < 10, row


def test_the_correction_is_needed_where_nothing_but_luck_selects() -> None:
    """Without it, bounds of winners among 200 that know nothing fail; with it they hold."""

    def chosen(row: Result) -> bool:
        few = row.data == "noise" and row.n <= 60 and row.n_configs == 200
        return few and row.task == "binary" and row.level == 0.8

    rows = [row for row in RESULTS if chosen(row)]
    assert rows
    assert all(row.held_uncorrected < 0.78 < row.held for row in rows)


def test_the_correction_costs_little_where_cases_are_many() -> None:
    rows = [row for row in RESULTS if row.n == 500 and row.task == "regression"]
    assert rows
    assert all(row.size < 1.05 * row.size_uncorrected for row in rows)


@pytest.mark.slow
def test_fresh_searches_agree() -> None:
    """Ten searches of every cell, seeds from 90,000, at four standard errors below the level."""
    rows = [row for cell in read_cells() for k in range(10) for row in run_search(cell, 90_000 + k)]
    for level in LEVELS:
        held = [row.held for row in rows if row.level == level and row.corrected]
        assert np.mean(held) >= level - 4 * np.std(held) / np.sqrt(len(held)), level
