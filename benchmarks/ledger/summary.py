"""Summarize the study of ledgers, cell by cell and by design: `summary.csv`.

python -m benchmarks.ledger.summary

Prints, for each half of the cells and each design, in how many cells exact tests reject the bounds,
and the worst.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from benchmarks.ledger.grid import HERE, read
from benchmarks.ledger.run import DESIGNS, Row
from benchmarks.rows import read_rows, write_rows

SUMMARY = HERE / "summary.csv"


@dataclass(frozen=True)
class Summary:
    """The ledgers of one cell and design; `too_good` is the value less the truth.

    `p` is the exact binomial probability of so few lower bounds that hold if 95 % do.
    """

    cell: int
    half: str
    design: str
    evidence: str
    signal: str
    n: int
    tries: int
    runs: int
    truth: float
    naive_too_good: float
    value_too_good: float
    bound_held: float
    p: float
    interval_held: float
    width: float


def read_runs() -> list[Row]:
    """Return the runs of both halves, as far as they were made."""
    files = [HERE / f"runs_{half}.csv" for half in ("open", "closed")]
    return [row for file in files if file.exists() for row in read_rows(Row, file)]


def summarize() -> list[Summary]:
    """Return one row per cell and design."""
    rows = read_runs()
    summaries = []
    for cell in read():
        for design in DESIGNS:
            runs = [row for row in rows if (row.cell, row.design) == (cell.number, design)]
            if not runs:
                continue
            truth, naive, value, low, high, bound = (
                np.array([getattr(row, name) for row in runs])
                for name in ("truth", "naive", "value", "low", "high", "low_bound")
            )
            held = int(np.sum(bound <= truth))
            summaries.append(
                Summary(
                    cell.number,
                    cell.half,
                    design,
                    cell.evidence,
                    cell.signal,
                    cell.n,
                    cell.tries,
                    len(runs),
                    float(truth.mean()),
                    float(np.mean(naive - truth)),
                    float(np.mean(value - truth)),
                    held / len(runs),
                    float(binomtest(held, len(runs), 0.95, alternative="less").pvalue),
                    float(np.mean((low <= truth) & (truth <= high))),
                    float(np.mean(high - low)),
                )
            )
    return summaries


def describe(summaries: list[Summary]) -> None:
    """Print how bounds held, by half of the cells, design and size."""
    for half in ("open", "closed"):
        for design in DESIGNS:
            chosen = [s for s in summaries if (s.half, s.design) == (half, design)]
            if not chosen:
                continue
            runs = sum(s.runs for s in chosen)
            print(
                f"{half} {design}: {len(chosen)} cells, {runs} ledgers "
                f"({min(s.runs for s in chosen)} to {max(s.runs for s in chosen)}), value - truth "
                f"{np.mean([s.value_too_good for s in chosen]):+.3f} (most "
                f"{max(s.value_too_good for s in chosen):+.3f}), bound held "
                f"{sum(s.bound_held * s.runs for s in chosen) / runs:.3f}, rejected "
                f"{sum(s.p < 0.05 for s in chosen)}, worst "
                f"{min(s.bound_held for s in chosen):.3f}, interval held "
                f"{sum(s.interval_held * s.runs for s in chosen) / runs:.3f}, "
                f"worst {min(s.interval_held for s in chosen):.3f}, width "
                f"{np.mean([s.width for s in chosen]):.3f}"
            )


if __name__ == "__main__":
    rows = summarize()
    write_rows(rows, SUMMARY)
    describe(rows)
