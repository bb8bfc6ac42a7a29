"""The bands of thresholds hold at all of them at once, and chosen thresholds are unbiased."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from benchmarks.calibration.thresholds import BANDS, RESULTS, SAMPLES, Row, grid, simulate
from benchmarks.clinical.bands import judge_search

# 200 samples at 95 %: 4 standard errors are 0.062.
LEAST = 0.95 - 0.062
# A choice in a resample knows two thirds of the cases: that is worth up to so much in small cells.
SMALL = 0.03


@pytest.mark.slow
@pytest.mark.parametrize("cell", grid(), ids=str)
def test_bands_hold_at_once_and_choices_are_unbiased(cell) -> None:  # type: ignore[no-untyped-def]
    row = simulate(cell, SAMPLES, seed=20)
    assert min(getattr(row, f"all_{name}") for name in BANDS) >= LEAST
    assert min(row.youden_holds, row.found_holds) >= LEAST
    assert abs(row.youden_bias) <= 4 * row.youden_error + SMALL
    assert abs(row.found_bias) <= 4 * row.found_error + SMALL


def test_the_results_of_the_grid_are_complete_and_hold() -> None:
    with RESULTS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(r["n"], r["configs"], r["truth"]) for r in rows] == [
        (str(c.n), str(c.configs), c.truth) for c in grid()
    ]
    assert set(rows[0]) == set(Row.__dataclass_fields__)
    for row in rows:
        assert min(float(row[f"all_{name}"]) for name in BANDS) >= LEAST, row
        assert min(float(row["youden_holds"]), float(row["found_holds"])) >= LEAST, row
        for rule in ("youden", "found"):
            room = 4 * float(row[f"{rule}_error"]) + SMALL
            assert abs(float(row[f"{rule}_bias"])) <= room, row
            assert float(row[f"{rule}_naive"]) > abs(float(row[f"{rule}_bias"])), row


@pytest.mark.slow
def test_bands_of_a_search_are_about_its_winner_not_a_mixture() -> None:
    """Forty searches over strengths of regularisation, of 20 events.

    Bands around the mean of what resamples choose held for the specificity in 41 %; those of the
    winner should in 90 %, of which 4 standard errors are 0.19.
    """
    key = "many", "specificity"
    held = [judge_search((20, 0.3, 0.7), rep, ("many",))[key] for rep in range(40)]
    assert np.mean(held) >= 0.9 - 0.19
