"""The interval of a gain holds the true gain as often as it says, and shows few that are none."""

from __future__ import annotations

import csv

import pytest

from benchmarks.calibration.gain import (
    RESULTS,
    TRUTHS,
    BandRow,
    Cell,
    Row,
    grid,
    simulate,
    simulate_band,
)

SAMPLES = 200
# 200 samples at 95 %: 4 standard errors are 0.062; at 2.5 % on one side 0.044.
LEAST, MOST_ABOVE = 0.95 - 0.062, 0.025 + 0.044


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize(
    ("metric", "n", "configs", "correlation"),
    [("accuracy", 40, 10, 0.0), ("roc_auc", 100, 50, 0.5), ("accuracy", 100, 50, 0.0)],
)
def test_the_interval_of_a_gain_holds_the_true_gain(
    metric: str, n: int, configs: int, correlation: float, truth: str
) -> None:
    row = simulate(Cell(metric, truth, n, configs, correlation), SAMPLES)
    assert row.coverage >= LEAST
    assert row.above <= MOST_ABOVE


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
def test_the_interval_in_the_mean_over_orders_holds_the_true_gain(truth: str) -> None:
    row = simulate(Cell("accuracy", truth, 100, 50, 0.0, "mean"), SAMPLES)
    assert row.coverage >= LEAST
    assert row.above <= MOST_ABOVE


def check_band(rows: list[BandRow], samples: int) -> None:
    """Refuse a band that holds too seldom: 4 standard errors of so many samples below 95 %."""
    least = 0.95 - 4 * (0.95 * 0.05 / samples) ** 0.5
    for row in rows:
        assert row.coverage >= least, row


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize(
    ("metric", "n", "configs", "correlation", "order"),
    [
        ("accuracy", 40, 10, 0.0, "tried"),
        ("roc_auc", 100, 50, 0.5, "tried"),
        ("accuracy", 100, 50, 0.0, "tried"),
        ("accuracy", 100, 50, 0.0, "mean"),
    ],
)
def test_the_band_holds_the_true_score_of_the_winner_of_every_prefix(
    metric: str, n: int, configs: int, correlation: float, order: str, truth: str
) -> None:
    marks = (1, 3, configs // 2, configs)
    cell = Cell(metric, truth, n, configs, correlation, order)
    check_band(simulate_band(cell, marks, SAMPLES), SAMPLES)


def test_the_band_holds_in_a_few_samples() -> None:
    """The same in short: 30 samples, so that a band holds in 79.1 % of them or more."""
    rows = simulate_band(Cell("accuracy", "equal", 40, 10, 0.0), (1, 3, 10), 30, 60)
    check_band(rows, 30)


def test_the_results_of_the_grid_are_complete_and_hold() -> None:
    """Of 150 samples at 95 %, 4 standard errors are 0.071; on one side, 0.051."""
    with RESULTS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cells = [(c.metric, c.truth, str(c.n), str(c.configs), c.order) for c in grid()]
    found = [(r["metric"], r["truth"], r["n"], r["configs"], r["order"]) for r in rows]
    assert found == cells
    for row in rows:
        assert float(row["coverage"]) >= 0.95 - 0.071, row
        assert float(row["above"]) <= 0.025 + 0.051, row
    assert set(rows[0]) == set(Row.__dataclass_fields__)
