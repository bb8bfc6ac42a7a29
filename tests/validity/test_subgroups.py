"""How often limits of subgroups hold at once: the committed grid, and some of it again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.subgroups.grid import METRICS, declare_cells, read_cells
from benchmarks.subgroups.run import Row, read_results, run_study

RESULTS = read_results()


def share(rows: list[Row], name: str) -> tuple[float, int]:
    """Return a share over the searches of some rows, and how many there are."""
    counts = np.array([row.studies for row in rows])
    return float(counts @ [getattr(row, name) for row in rows] / counts.sum()), int(counts.sum())


def test_the_grid_is_the_one_that_was_declared() -> None:
    cells = declare_cells()
    assert read_cells() == cells
    assert {(row.cell, row.metric) for row in RESULTS} == {
        (cell.number, metric) for cell in cells for metric in METRICS
    }
    assert {cell.half for cell in cells} == {"seen", "unseen"}


@pytest.mark.parametrize("metric", METRICS)
def test_limits_of_all_subgroups_hold_at_once(metric: str) -> None:
    """At .94 or more over the cells of a metric; a single one is not surely (1 in 1000) below."""
    rows = [row for row in RESULTS if row.metric == metric]
    for name in ("held", "gaps_held", "largest_held"):
        held, count = share(rows, name)
        assert held >= 0.94, (name, held, count)
        for row in rows:
            least = binom.ppf(0.001, row.studies, 0.94) / row.studies
            assert getattr(row, name) >= least, row


def test_equal_subgroups_are_seldom_called_worse() -> None:
    equal = [row for row in RESULTS if row.equal]
    worse, count = share(equal, "called_worse")
    assert worse <= 0.06, count
    for row in equal:
        assert row.called_worse <= binom.ppf(0.999, row.studies, 0.06) / row.studies, row


@pytest.mark.slow
def test_fresh_searches_agree() -> None:
    """25 searches of every cell, seeds from 90,000; four standard errors of a share of .94."""
    rows = [row for cell in read_cells() for k in range(25) for row in run_study(cell, 90_000 + k)]
    for name in ("held", "gaps_held"):
        held = float(np.mean([row[name] for row in rows]))  # type: ignore[arg-type]
        assert held >= 0.94 - 4 * np.sqrt(0.94 * 0.06 / len(rows)), name
