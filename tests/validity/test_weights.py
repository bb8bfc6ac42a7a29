"""How often weighted limits hold the population's value: the committed grid, and some again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.weights.grid import DESIGNS, METRICS, declare_cells, read_cells
from benchmarks.weights.run import METHODS, Row, read_results, run_study

RESULTS = read_results()


def share(rows: list[Row], name: str) -> tuple[float, int]:
    """Return a share over the samples of some rows, and how many there are."""
    counts = np.array([row.studies for row in rows])
    return float(counts @ [getattr(row, name) for row in rows] / counts.sum()), int(counts.sum())


def test_the_grid_is_the_one_that_was_declared() -> None:
    cells = declare_cells()
    assert read_cells() == cells
    assert {(row.cell, row.metric) for row in RESULTS} == {
        (cell.number, metric) for cell in cells for metric in METRICS
    }
    assert {cell.half for cell in cells} == {"seen", "unseen"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("design", DESIGNS)
def test_weighted_limits_hold_the_value_of_the_population(design: str, method: str) -> None:
    """At .93 or more over the cells of a design."""
    rows = [row for row in RESULTS if (row.design, row.method) == (design, method)]
    held, count = share(rows, "held")
    assert held >= 0.93, (held, count)


def test_no_cell_is_surely_below() -> None:
    """Not below what one in 1000 of such cells would show, if its limits held in .90."""
    for row in RESULTS:
        assert row.held >= binom.ppf(0.001, row.studies, 0.9) / row.studies, row


def test_the_same_cases_without_weights_are_about_another_population() -> None:
    rows = [row for row in RESULTS if row.design == "chances"]
    assert share(rows, "plain_held")[0] < 0.8 < share(rows, "held")[0]


@pytest.mark.slow
def test_fresh_samples_agree() -> None:
    """20 samples of every cell, seeds from 90,000; four standard errors of a share of .93."""
    rows = [row for cell in read_cells() for k in range(20) for row in run_study(cell, 90_000 + k)]
    held = float(np.mean([row["held"] for row in rows]))  # type: ignore[arg-type]
    assert held >= 0.93 - 4 * np.sqrt(0.93 * 0.07 / len(rows))
