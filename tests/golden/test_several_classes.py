"""Bounds of searches with several classes, beside four sets that the paper omits."""

from __future__ import annotations

from benchmarks.papers.paraschakis2024.several_classes import RESULTS, SIZES, Row, summarize
from benchmarks.rows import read_rows


def test_the_committed_bounds_held_in_every_sample() -> None:
    rows = read_rows(Row, RESULTS)
    assert {(row.classes, row.cases) for row in rows} == set(SIZES)
    assert all(row.held == row.runs == 60 for row in rows)


def test_a_sample_is_drawn_and_bounded_as_before() -> None:
    # One of the 60 samples lies within three of their standard deviations, which are below 0.1.
    means = {row.method: row for row in read_rows(Row, RESULTS) if row.cases == 50}
    for row in summarize(6, 50, 1):
        assert row.held == 1
        assert abs(row.bound - means[row.method].bound) < 0.3
