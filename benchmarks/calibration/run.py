"""Simulate cells.

python -m benchmarks.calibration.run [--half open] [--cells 40] [--replications 200]
python -m benchmarks.calibration.run --plan benchmarks/calibration/frozen.json --out results.csv

Every block of replications is one line of `results.csv` as soon as it is done, so that a run may
be stopped and goes on where it was. What comes out depends on nothing but the numbers of cell and
replication, and on how many resamples a method draws.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import monotonic, process_time

import numpy as np

import earnest as en
from benchmarks.calibration.grid import CELLS, HERE, SEED, Cell, read
from benchmarks.calibration.simulate import draw
from earnest.core.base.rng import Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled
from earnest.core.data.weights import Weights
from earnest.core.results.interval import DrawnLimits, LimitSource, NearWinnerLimits
from earnest.core.results.specs import Side
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.no_spread import with_spread
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric

RESULTS = HERE / "results.csv"
BLOCK = 50  # replications a line
LEVEL = 0.95
RESAMPLES = 1000  # of both methods, by default
ALWAYS_BONFERRONI = np.array([np.inf])  # errors of the winner that leave it the level over C


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
    earnest gives in their place where they are a point, `bonferroni` the limits of near_winner at
    the level over the number of configurations. `moved` counts the near-winner bounds that were
    widened to hold the value, `moved_two` those of two-sided intervals. `luck` lists, run by run,
    by how much the winner's score exceeded its truth: the best bound that could be given if the
    law of this number were known, the oracle's, is read from it.
    """

    cell: int
    first: int
    replications: int
    seed: int
    resamples: int
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
    bonferroni_held: int
    bonferroni_slack: float
    bonferroni_two: int
    bonferroni_width: float
    moved: int
    moved_two: int
    seconds: float
    luck: str


@dataclass(frozen=True)
class Replicate:
    """What four intervals did on one sample, whether the value moved a limit, and the luck."""

    published: Outcome
    bbc: Outcome
    near: Outcome
    bonferroni: Outcome
    moved: bool
    moved_two: bool
    luck: float


def replicate(cell: Cell, number: int, resamples: int = RESAMPLES) -> Replicate:
    """Return what BBC and near_winner say of one sample.

    Both read the same resamples, so that one call answers for both: BBC's limits are those of
    `en.estimate(..., method="bbc")` with the same seed, which tests/validity holds them to.
    """
    rng = np.random.default_rng([SEED, cell.number, number])
    sample = draw(cell, rng)
    method = en.methods.NearWinner(n_resamples=resamples)
    made = en.estimate(sample.predictions, method=method, metric=cell.metric, rng=number)
    source, drawn = made.source, DrawnLimits(made.draws)
    assert isinstance(source, NearWinnerLimits)
    truth = float(sample.truth[sample.predictions.configs.ids.index(str(made.winner))])
    tails = 1.0 - LEVEL, (1.0 - LEVEL) / 2.0
    bare = [source.inner.limits(1.0 - source.local_tail(tail), Side.LOWER)[0] for tail in tails]
    return Replicate(
        outcome(drawn, truth),
        outcome(bbc_limits(made, sample.predictions, number), truth),
        outcome(source, truth),
        outcome(replace(source, errors=ALWAYS_BONFERRONI), truth),
        *(low > made.value for low in bare),
        luck=float(made.naive) - truth,
    )


def bbc_limits(made: en.results.Estimate, pi: Predictions, seed: int) -> LimitSource:
    """Return the limits that BBC reads from the draws of an estimate with that seed."""
    metric = resolve_metric(made.metric).on(pi.target.task)
    assert made.draws is not None
    winner = pi.configs.ids.index(str(made.winner))
    scores = score_table(pi, metric, Weights.ones(pi.n_cases))[0]
    contest = Contest.of(pi, winner, scores, Pooled(), Seeds(seed))
    drawn, one = DrawnLimits(made.draws), pi.select(winner)
    return with_spread(drawn, one, metric, value=made.value, contest=contest)[0]


def outcome(source: LimitSource, truth: float) -> Outcome:
    """Hold limits against the truth."""
    low, _ = source.limits(LEVEL, Side.LOWER)
    ends = source.limits(LEVEL, Side.TWO_SIDED)
    return Outcome(low <= truth, truth - low, ends[0] <= truth <= ends[1], ends[1] - ends[0])


def simulate(cell: Cell, first: int, count: int = BLOCK, resamples: int = RESAMPLES) -> Block:
    """Return a block of replications of a cell."""
    start = process_time()
    every = [replicate(cell, number, resamples) for number in range(first, first + count)]
    return Block(
        cell.number,
        first,
        count,
        SEED,
        resamples,
        *_sums(one.published for one in every),
        *_sums(one.bbc for one in every),
        *_sums(one.near for one in every),
        *_sums(one.bonferroni for one in every),
        sum(one.moved for one in every),
        sum(one.moved_two for one in every),
        round(process_time() - start, 2),
        " ".join(f"{one.luck:.4g}" for one in every),
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


def run(
    cells: list[Cell],
    replications: int,
    path: Path,
    minutes: float = np.inf,
    resamples: int = RESAMPLES,
) -> None:
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
                    table.writerow(asdict(simulate(cell, first, resamples=resamples)))
                    file.flush()


@dataclass(frozen=True)
class Plan:
    """What is to be run, as it was written down before the run.

    Attributes
    ----------
    half : {'open', 'frozen'}
        Which cells: every one of this half.
    replications : int
        At most how many per cell.
    resamples : int
        How many a method draws.
    seed : int
        The seed of all replications.
    cells_sha256 : str
        The hash of the file of cells.
    """

    half: str
    replications: int
    resamples: int
    seed: int
    cells_sha256: str


def read_plan(path: Path) -> Plan:
    """Read a plan, and refuse one that was made for other cells or another seed."""
    plan = Plan(**json.loads(path.read_text(encoding="utf-8")))
    found = hashlib.sha256(CELLS.read_bytes()).hexdigest()
    if (plan.cells_sha256, plan.seed) != (found, SEED):
        raise SystemExit(f"{path} was written for other cells or another seed. Write a new plan.")
    return plan


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", type=Path, help="a file that says what to run, in place of:")
    parser.add_argument("--half", choices=["open", "frozen"], default="open")
    parser.add_argument("--metric", help="only the cells of this metric")
    parser.add_argument("--most-configs", type=int, default=10_000, help="leave larger cells out")
    parser.add_argument("--cells", type=int, default=10_000, help="how many, spread over the half")
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after so long")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    if asked.plan is not None:
        plan = read_plan(asked.plan)
        chosen = [cell for cell in read() if cell.half == plan.half]
        run(chosen, plan.replications, asked.out, asked.minutes, plan.resamples)
        return
    every = [
        cell
        for cell in read()
        if cell.half == asked.half
        and cell.metric == (asked.metric or cell.metric)
        and cell.configs <= asked.most_configs
    ]
    step = max(1, len(every) // asked.cells)
    chosen = every[::step][: asked.cells]
    run(chosen, asked.replications, asked.out, asked.minutes, asked.resamples)


if __name__ == "__main__":
    main()
