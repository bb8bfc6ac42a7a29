"""Summarize the runs of the study, cell by cell and by design: `summary.csv`.

python -m benchmarks.adaptive.summary
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from benchmarks.adaptive.grid import HERE, read
from benchmarks.adaptive.run import DESIGNS, Row
from benchmarks.rows import read_rows, write_rows

SUMMARY = HERE / "summary.csv"


@dataclass(frozen=True)
class Summary:
    """The searches of one cell and design; `too_good` is the value less the truth, as a gain.

    `width_ratio` and `value_beside_random` compare with the random search of the same samples,
    `winner_beside_all` the winner's truth with that of the unguarded search. `p` is the exact
    binomial probability of so few bounds that hold if 95 % do.
    """

    cell: int
    half: str
    design: str
    runs: int
    truth: float
    naive_too_good: float
    value_too_good: float
    bound_held: float
    p: float
    interval_held: float
    width: float
    width_ratio: float
    value_beside_random: float
    winner_beside_all: float


def read_runs() -> list[Row]:
    """Return the runs of both halves, as far as they were made."""
    files = [HERE / f"runs_{half}.csv" for half in ("open", "closed")]
    return [row for file in files if file.exists() for row in read_rows(Row, file)]


def summarize() -> list[Summary]:
    """Return one row per cell and design."""
    rows, summaries = read_runs(), []
    for cell in read():
        sign = -1.0 if cell.metric == "log_loss" else 1.0
        by_design = {
            design: [row for row in rows if row.cell == cell.number and row.design == design]
            for design in DESIGNS
        }
        if by_design["random"]:
            summaries += [_summarize_runs(by_design, design, cell.half, sign) for design in DESIGNS]
    return summaries


def _summarize_runs(
    by_design: dict[str, list[Row]], design: str, half: str, sign: float
) -> Summary:
    runs, random, unguarded = by_design[design], by_design["random"], by_design["all"]
    truth = np.array([row.truth for row in runs])
    low, high = np.array([row.low for row in runs]), np.array([row.high for row in runs])
    bounds = np.array([row.low_bound if sign > 0 else row.high_bound for row in runs])
    width, random_width = (np.mean([r.high - r.low for r in some]) for some in (runs, random))
    too_good, random_too_good = (
        float(np.mean([sign * (row.value - row.truth) for row in some])) for some in (runs, random)
    )
    held = int(np.sum(sign * bounds <= sign * truth))
    return Summary(
        runs[0].cell,
        half,
        runs[0].design,
        len(runs),
        float(truth.mean()),
        float(np.mean(sign * (np.array([row.naive for row in runs]) - truth))),
        too_good,
        held / len(runs),
        float(binomtest(held, len(runs), 0.95, alternative="less").pvalue),
        float(np.mean((low <= truth) & (truth <= high))),
        float(width),
        float(width / random_width),
        too_good - random_too_good,
        float(np.mean([sign * row.truth for row in runs]))
        - float(np.mean([sign * row.truth for row in unguarded])),
    )


if __name__ == "__main__":
    write_rows(summarize(), SUMMARY)
