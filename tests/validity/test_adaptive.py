"""The study of adaptive searches: what the closed half of its cells says of crossed guidance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.adaptive.grid import Cell, read
from benchmarks.adaptive.run import Row
from benchmarks.adaptive.summary import SUMMARY, Summary, read_runs, summarize
from benchmarks.rows import read_rows

CELLS = {cell.number: cell for cell in read()}
FEWEST, ENOUGH = 16, 40  # samples of a cell: to say anything, and to reject
SLOW = ("cmaes", "gpsampler")  # Optuna's own, of which there are few runs; the page says how many


@pytest.fixture(scope="module")
def closed() -> dict[str, list[Summary]]:
    """Return the cells of the closed half, by design."""
    rows = [row for row in read_rows(Summary, SUMMARY) if row.half == "closed"]
    return {
        name: [row for row in rows if row.design == name] for name in ("random", "all", "crossed")
    }


def test_the_summary_is_that_of_the_runs() -> None:
    kept, computed = read_rows(Summary, SUMMARY), summarize()
    assert [(row.cell, row.design, row.runs) for row in kept] == [
        (row.cell, row.design, row.runs) for row in computed
    ]
    for name in ("bound_held", "width_ratio", "value_beside_random", "winner_beside_all"):
        assert [getattr(row, name) for row in kept] == pytest.approx(
            [getattr(row, name) for row in computed],
            abs=1e-5,  # five digits are kept
        )
    rows: list[Row] = read_runs()
    assert len({(row.cell, row.run, row.design) for row in rows}) == len(rows)


def test_every_closed_cell_was_searched_in_every_design(closed: dict[str, list[Summary]]) -> None:
    numbers = {number for number, cell in CELLS.items() if cell.half == "closed"}
    for rows in closed.values():
        assert {row.cell for row in rows} == numbers
        assert min(row.runs for row in rows if CELLS[row.cell].sampler not in SLOW) >= FEWEST


def test_bounds_of_crossed_searches_hold_and_those_of_unguarded_ones_do_not(
    closed: dict[str, list[Summary]],
) -> None:
    """Exact tests at 5 % reject no more cells than chance does in 99 % of studies, or more.

    Unguarded searches are judged by the cells with enough samples to reject anything.
    """
    crossed = [row for row in closed["crossed"] if row.runs >= FEWEST]
    unguarded = [row for row in closed["all"] if row.runs >= ENOUGH]
    for rows, held in ((crossed, True), (unguarded, False)):
        rejected = sum(row.p <= 0.05 for row in rows)
        assert bool(rejected <= binom.ppf(0.99, len(rows), 0.05)) is held
    assert min(row.bound_held for row in crossed) >= 0.91


def test_crossed_searches_are_as_right_as_random_ones_and_little_wider(
    closed: dict[str, list[Summary]],
) -> None:
    """Values within .011, or within three errors of the mean difference where runs are few."""
    rows: list[Row] = read_runs()
    for row in closed["crossed"]:
        if row.runs < FEWEST:
            continue
        cell: Cell = CELLS[row.cell]
        values = [
            {
                each.run: each.value - each.truth
                for each in rows
                if each.cell == row.cell and each.design == name
            }
            for name in ("crossed", "random")
        ]
        apart = [values[0][run] - values[1][run] for run in values[0] if run in values[1]]
        error = np.std(apart, ddof=1) / np.sqrt(len(apart))
        assert abs(row.value_beside_random) <= max(0.011, 3.0 * error)
        # For R² the value itself varies more where one sampler leads; the page says by how much.
        assert row.width_ratio <= (1.25 if cell.metric == "r2" else 1.12)
    losses = [row.winner_beside_all for row in closed["crossed"]]
    assert sum(losses) / len(losses) >= -0.005
