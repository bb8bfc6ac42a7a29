"""Summarize the runs of the study, cell by cell and by design: `summary.csv`.

python -m benchmarks.adaptive.summary
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.adaptive.grid import HERE, read
from benchmarks.adaptive.run import DESIGNS, Row
from benchmarks.rows import read_rows, write_rows

SUMMARY = HERE / "summary.csv"


@dataclass(frozen=True)
class Summary:
    """The searches of one cell and design; `too_good` is the value less the truth, as a gain."""

    cell: int
    half: str
    design: str
    runs: int
    truth: float
    naive_too_good: float
    value_too_good: float
    bound_held: float
    interval_held: float
    width: float


def read_runs() -> list[Row]:
    """Return the runs of both halves, as far as they were made."""
    files = [HERE / f"runs_{half}.csv" for half in ("open", "closed")]
    return [row for file in files if file.exists() for row in read_rows(Row, file)]


def summarize() -> list[Summary]:
    """Return one row per cell and design."""
    rows, summaries = read_runs(), []
    for cell in read():
        sign = -1.0 if cell.metric == "log_loss" else 1.0
        for design in DESIGNS:
            runs = [row for row in rows if row.cell == cell.number and row.design == design]
            if runs:
                summaries.append(_summarize_runs(runs, cell.half, sign))
    return summaries


def _summarize_runs(runs: Sequence[Row], half: str, sign: float) -> Summary:
    truth = np.array([row.truth for row in runs])
    low, high = np.array([row.low for row in runs]), np.array([row.high for row in runs])
    bounds = np.array([row.low_bound if sign > 0 else row.high_bound for row in runs])
    return Summary(
        runs[0].cell,
        half,
        runs[0].design,
        len(runs),
        float(truth.mean()),
        float(np.mean(sign * (np.array([row.naive for row in runs]) - truth))),
        float(np.mean(sign * (np.array([row.value for row in runs]) - truth))),
        float(np.mean(sign * bounds <= sign * truth)),
        float(np.mean((low <= truth) & (truth <= high))),
        float(np.mean(high - low)),
    )


if __name__ == "__main__":
    write_rows(summarize(), SUMMARY)
