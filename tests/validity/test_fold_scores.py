"""The committed simulation of fold scores: what holds on cells that chose nothing.

`python -m benchmarks.calibration.folds.run` made it.
"""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from benchmarks.calibration.folds.grid import read as read_cells
from benchmarks.calibration.folds.summary import RESULTS, Row
from benchmarks.rows import read_rows
from earnest.inference.limits.fold_scores import FEWEST_FOLDS

LEVEL = 0.95
DESIGN = 3.0  # the metrics of a search share its luck: as many rows are one


def shares(half: str, rule: str) -> dict[tuple[int, int], tuple[float, int]]:
    """Return by folds and repeats how often a rule held, and in how many searches by metric."""
    counts: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for row in read_rows(Row, RESULTS):
        if (row.half, row.rule) == (half, rule):
            counts[row.folds, row.repeats][0] += row.held
            counts[row.folds, row.repeats][1] += row.searches
    return {splits: (held / searches, searches) for splits, (held, searches) in counts.items()}


def test_every_declared_search_was_run() -> None:
    assert {row.cell for row in read_rows(Row, RESULTS)} == {cell.number for cell in read_cells()}


@pytest.mark.parametrize("half", ["open", "frozen"])
def test_the_limits_that_are_given_held(half: str) -> None:
    # within three binomial errors of the level, from five folds on
    for (folds, _), (share, searches) in shares(half, "wider").items():
        error = math.sqrt(LEVEL * (1 - LEVEL) * DESIGN / searches)
        assert folds < FEWEST_FOLDS or share >= LEVEL - 3 * error


def test_no_limits_of_three_folds_held_on_cells_that_chose_nothing() -> None:
    # so there are none: in one repeat every rule is two binomial errors below the level
    for rule in ("drawn", "student", "corrected", "wider"):
        share, searches = shares("frozen", rule)[3, 1]
        assert share < LEVEL - 2 * math.sqrt(LEVEL * (1 - LEVEL) / searches)
