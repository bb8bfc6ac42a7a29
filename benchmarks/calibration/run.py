"""Simulate cells.

python -m benchmarks.calibration.run [--half open] [--cells 40] [--replications 200]

Every block of replications is one line of `results.csv` as soon as it is done, so that a run may
be stopped and goes on where it was. What comes out depends on nothing but the numbers of cell and
replication.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import monotonic, process_time

import numpy as np

import earnest as en
from benchmarks.calibration.grid import HERE, SEED, Cell, read
from benchmarks.calibration.simulate import Sample, draw
from earnest.core.results.interval import DrawnLimits, LimitSource
from earnest.core.results.specs import Side
from earnest.core.results.winner_limits import NearWinnerLimits
from earnest.inference.limits.drawn_spread import with_spread
from earnest.metrics import metric as resolve_metric

RESULTS = HERE / "results.csv"
BLOCK = 50  # replications a line
LEVEL = 0.95


@dataclass(frozen=True)
class Outcome:
    """What one interval did on one sample: the lower bound at 95 %, and the two-sided interval."""

    held: bool
    slack: float
    held_two_sided: bool
    width: float


@dataclass(frozen=True)
class Block:
    """The sums over some replications of a cell.

    `held` counts lower bounds that hold, `slack` sums truth - bound; `two` and `width` are those of
    two-sided intervals. `published` are the quantiles of BBC's draws alone, `bbc` the limits that
    earnest gives in their place where they are a point. `moved` counts the near-winner bounds that
    were widened to hold the value, `moved_two` those of two-sided intervals.
    """

    cell: int
    first: int
    replications: int
    seed: int
    published_held: int
    published_slack: float
    published_two: int
    published_width: float
    bbc_held: int
    bbc_slack: float
    bbc_two: int
    bbc_width: float
    near_held: int
    near_slack: float
    near_two: int
    near_width: float
    moved: int
    moved_two: int
    seconds: float


@dataclass(frozen=True)
class Replicate:
    """What three intervals did on one sample, and whether the value moved a limit."""

    published: Outcome
    bbc: Outcome
    near: Outcome
    moved: bool
    moved_two: bool


def replicate(cell: Cell, number: int) -> Replicate:
    """Return what BBC and near_winner say of one sample.

    Both read the same resamples, so that one call answers for both: BBC's limits are those of
    `en.estimate(..., method="bbc")` with the same seed, which tests/validity holds them to.
    """
    rng = np.random.default_rng([SEED, cell.number, number])
    sample = draw(cell, rng)
    made = en.estimate(sample.predictions, method="near_winner", metric=cell.metric, rng=number)
    source, drawn = made.source, DrawnLimits(made.draws)
    assert isinstance(source, NearWinnerLimits)
    truth = float(sample.truth[sample.predictions.configs.ids.index(str(made.winner))])
    tails = 1.0 - LEVEL, (1.0 - LEVEL) / 2.0
    bare = [source.inner.limits(1.0 - source.local_tail(tail), Side.LOWER)[0] for tail in tails]
    return Replicate(
        outcome(drawn, truth),
        outcome(bbc_limits(made, sample), truth),
        outcome(source, truth),
        *(low > made.value for low in bare),
    )


def bbc_limits(made: en.Estimate, sample: Sample) -> LimitSource:
    """Return the limits that BBC reads from the draws of an estimate."""
    pi, metric = sample.predictions, resolve_metric(made.metric).on("binary")
    assert made.draws is not None
    one = pi.select([str(made.winner)])
    return with_spread(DrawnLimits(made.draws), one, metric, rivals=pi.n_configs)[0]


def outcome(source: LimitSource, truth: float) -> Outcome:
    """Hold limits against the truth."""
    low, _ = source.limits(LEVEL, Side.LOWER)
    ends = source.limits(LEVEL, Side.TWO_SIDED)
    return Outcome(low <= truth, truth - low, ends[0] <= truth <= ends[1], ends[1] - ends[0])


def simulate(cell: Cell, first: int, count: int = BLOCK) -> Block:
    """Return a block of replications of a cell."""
    start = process_time()
    every = [replicate(cell, number) for number in range(first, first + count)]
    return Block(
        cell.number,
        first,
        count,
        SEED,
        *_sums(one.published for one in every),
        *_sums(one.bbc for one in every),
        *_sums(one.near for one in every),
        sum(one.moved for one in every),
        sum(one.moved_two for one in every),
        round(process_time() - start, 2),
    )


def _sums(outcomes: Iterable[Outcome]) -> tuple[int, float, int, float]:
    rows = list(outcomes)
    return (
        sum(row.held for row in rows),
        round(sum(row.slack for row in rows), 6),
        sum(row.held_two_sided for row in rows),
        round(sum(row.width for row in rows), 6),
    )


def done(path: Path) -> set[tuple[int, int]]:
    """Return which blocks (cell, first) a file has."""
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        return {(int(row["cell"]), int(row["first"])) for row in csv.DictReader(file)}


def run(cells: list[Cell], replications: int, path: Path, minutes: float = np.inf) -> None:
    """Simulate what is missing, all cells in turn, until the time is over."""
    end, known = monotonic() + 60.0 * minutes, done(path)
    fresh = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Block)], lineterminator="\n")
        if fresh:
            table.writeheader()
        for first in range(0, replications, BLOCK):
            for cell in cells:
                if monotonic() > end:
                    return
                if (cell.number, first) not in known:
                    table.writerow(asdict(simulate(cell, first)))
                    file.flush()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["open", "frozen"], default="open")
    parser.add_argument("--metric", help="only the cells of this metric")
    parser.add_argument("--most-configs", type=int, default=10_000, help="leave larger cells out")
    parser.add_argument("--cells", type=int, default=10_000, help="how many, spread over the half")
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after so long")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    every = [
        cell
        for cell in read()
        if cell.half == asked.half
        and cell.metric == (asked.metric or cell.metric)
        and cell.configs <= asked.most_configs
    ]
    step = max(1, len(every) // asked.cells)
    run(every[::step][: asked.cells], asked.replications, asked.out, asked.minutes)


if __name__ == "__main__":
    main()
