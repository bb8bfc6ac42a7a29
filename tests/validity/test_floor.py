"""The interval of `floor` holds the true score of the best of many tries, in every declared cell.

The results are those of `benchmarks/calibration/floor`, whose cells were written first.
"""

from __future__ import annotations

from benchmarks.calibration.floor.grid import read
from benchmarks.calibration.floor.run import RESULTS, Row
from benchmarks.rows import read_rows

ROWS = read_rows(Row, RESULTS)
LEAST = 0.93  # of the runs of a cell: .95 less three standard errors of 1,000 runs


def test_every_declared_cell_was_run() -> None:
    assert [row.cell for row in ROWS] == [cell.number for cell in read()]
    assert min(row.runs for row in ROWS) >= 900


def test_intervals_hold_in_every_cell() -> None:
    for row in ROWS:
        assert row.held / row.runs >= LEAST, row


def test_luck_is_called_skill_in_at_most_five_percent_of_equal_tries() -> None:
    # of a skewed law, whose means are taken for normal, in as many as the docstring says
    laws = {cell.number: cell.law for cell in read() if cell.spread == "equal"}
    assert len(laws) > 25
    for row in ROWS:
        if row.cell in laws:
            most = 0.11 if laws[row.cell] == "skewed mean" else 0.05
            assert row.called / row.runs <= most, row


def test_at_least_half_of_the_luck_is_taken_off_where_tries_are_equal() -> None:
    equal = {cell.number for cell in read() if cell.spread == "equal"}
    for row in ROWS:
        if row.cell in equal:
            assert row.corrected_low < 0.5 * row.naive, row
