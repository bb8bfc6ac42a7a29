"""How often limits of the best forecaster hold: the committed grid, and some of it again."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.time.grid import METRICS, declare_cells, read_cells
from benchmarks.time.run import (
    compare_widths,
    list_enough,
    read_results,
    run_series,
    share_held,
)

RESULTS = read_results()
BBC = [row for row in list_enough(RESULTS) if row.method == "bbc"]


def test_the_grid_is_the_one_that_was_declared() -> None:
    cells = declare_cells()
    assert read_cells() == cells
    assert {(row.cell, row.metric) for row in RESULTS} == {
        (cell.number, metric) for cell in cells for metric in METRICS
    }
    assert {cell.half for cell in cells} == {"seen", "unseen"}


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_limits_of_the_best_forecaster_hold(half: str) -> None:
    """At .94 or more over all cells; each at .93 within two standard errors."""
    rows = [row for row in BBC if row.half == half]
    assert share_held(rows) >= 0.94
    for row in rows:
        assert row.held >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / row.series), row


def test_widths_are_those_of_the_oracle() -> None:
    assert np.median(compare_widths(list_enough(RESULTS))) <= 1.15


def test_limits_of_cases_do_not_hold_where_losses_depend_on_each_other() -> None:
    rows = [row for row in list_enough(RESULTS) if row.strength == 0.9]
    assert share_held([row for row in rows if row.method == "bbc of cases"]) < 0.7


@pytest.mark.slow
def test_fresh_series_agree() -> None:
    """25 series of every other cell, seeds from 90,000; four standard errors of a share of .94."""
    enough = {row.cell for row in BBC}
    held = [
        row["held"]
        for cell in read_cells()
        if cell.number in enough and cell.n < 2000
        for k in range(25)
        for row in run_series(cell, 90_001 + 4 * k)  # the two methods of every series
        if row["method"] == "bbc"
    ]
    assert np.mean(held) >= 0.94 - 4 * np.sqrt(0.94 * 0.06 / len(held))  # type: ignore[arg-type]
