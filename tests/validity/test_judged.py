"""The winner of judged prompts: its interval holds in the declared cells, whatever the judge."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import binom

from benchmarks.calibration.judged.grid import HERE, cells, read
from benchmarks.calibration.judged.run import BLOCK, simulate

DOUBT = 0.001  # the chance that a sound procedure fails here, each
LEAST = 0.93  # of bounds, in every cell


def read_results(name: str) -> dict[int, dict[str, float]]:
    with (HERE / name).open() as file:
        return {
            int(row["cell"]): {k: float(v) for k, v in row.items()} for row in csv.DictReader(file)
        }


def test_the_cells_are_those_that_were_declared() -> None:
    assert read() == cells()
    assert Path(HERE / "cells.csv").exists()


@pytest.mark.parametrize("half", ["closed", "open"])
def test_the_recorded_bounds_hold_in_every_cell(half: str) -> None:
    results = read_results("results.csv" if half == "closed" else "results_open.csv")
    assert set(results) == {cell.number for cell in read() if cell.half == half}
    for row in results.values():
        for failures in (row["above"], row["below"]):
            assert 1.0 - failures / row["runs"] >= LEAST
    runs = sum(row["runs"] for row in results.values())
    assert sum(row["held"] for row in results.values()) >= 0.95 * runs


def test_recorded_marks_are_never_much_worse_than_labels_alone() -> None:
    for row in read_results("results.csv").values():
        if row["width_labels"] == row["width_labels"]:
            assert row["width"] < 1.05 * row["width_labels"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 17, 26, 31])
def test_the_interval_of_a_judged_winner_holds(number: int) -> None:
    cell = next(cell for cell in read() if cell.number == number)
    blocks = 4
    held = sum(simulate(cell, 10_000 + BLOCK * block)[0] for block in range(blocks))
    assert binom.cdf(held, BLOCK * blocks, LEAST) > DOUBT
