"""What a guess of the refitted model's score is worth, as the page of its study says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.correction import refitted
from benchmarks.rows import read_rows

RECORD = "benchmarks/correction/README.md"
ROOT = Path(__file__).parents[2]


def test_the_tables_of_the_record_are_made_from_the_committed_rows() -> None:
    record, rows = (ROOT / RECORD).read_text("utf-8"), read_rows(refitted.Row, refitted.RESULTS)
    for shuffled in (False, True):
        some = [row for row in rows if row.table.endswith(refitted.SHUFFLED) == shuffled]
        told = refitted.summarise(some).splitlines()
        assert told[0] == "360 samples from 18 tables."
        if not shuffled:
            assert [line for line in told if line.startswith("|") and line not in record] == []
            continue
        for line in told[3:5]:  # the corrected and the naive score, in prose
            assert all(number in record for number in re.findall(r"0\.\d{4}", line)), line


def test_a_committed_row_comes_out_again() -> None:
    rows = read_rows(refitted.Row, refitted.RESULTS)
    kept = {row.metric: row for row in rows if (row.table, row.sample) == ("breast cancer", 0)}
    for row in refitted.run_sample(next(refitted.list_tables(None)), 0):
        for name in ("refitted", "corrected", "naive", "half"):  # five decimals are kept
            assert getattr(row, name) == pytest.approx(getattr(kept[row.metric], name), abs=1e-5)


def test_an_error_that_falls_as_one_over_n_gains_a_fifth_of_the_last_doubling() -> None:
    def score(share: float) -> float:
        return 0.9 - 0.1 / share

    gain = refitted.gain_of_all_cases(score(0.8), score(0.4))
    assert gain == pytest.approx(score(1.0) - score(0.8))
