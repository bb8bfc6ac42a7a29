"""Summarize the runs of the study, cell by cell and by design: `summary.csv`.

python -m benchmarks.adaptive.summary [--add FILE]

`--add` first takes over the runs of a file that `run` wrote, in place of those of the same cells,
runs and designs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

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


def add_runs(path: Path) -> None:
    """Take over the runs of a file."""
    halves = {cell.number: cell.half for cell in read()}
    rows = {(row.cell, row.run, row.design): row for row in [*read_runs(), *read_rows(Row, path)]}
    for half in ("open", "closed"):
        some = [row for row in rows.values() if halves[row.cell] == half]
        some.sort(key=lambda row: (row.cell, row.run, DESIGNS.index(row.design)))
        write_rows(some, HERE / f"runs_{half}.csv")


def summarize() -> list[Summary]:
    """Return one row per cell and design."""
    rows, summaries = read_runs(), []
    for cell in read():
        sign = -1.0 if cell.metric == "log_loss" else 1.0
        by_design = {
            design: {
                row.run: row for row in rows if row.cell == cell.number and row.design == design
            }
            for design in DESIGNS
        }
        summaries += [
            _summarize_runs(by_design, design, cell.half, sign)
            for design in DESIGNS
            if by_design[design]
        ]
    return summaries


def _summarize_runs(
    by_design: dict[str, dict[int, Row]], design: str, half: str, sign: float
) -> Summary:
    """Summarize the runs of a design that were searched at random and unguarded too."""
    both = [run for run in by_design[design] if run in by_design["random"]]
    runs, random, unguarded = (
        [by_design[name][run] for run in both] for name in (design, "random", "all")
    )
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--add", type=Path)
    added = parser.parse_args().add
    if added is not None:
        add_runs(added)
    write_rows(summarize(), SUMMARY)
