"""Let agents climb on samples whose truth is known, and ask what their ledger says.

python -m benchmarks.ledger.run --out FOLDER [--processes 2] [--seconds 300] [--half open]

A try is a direction w. Of a case with features x it predicts x·w; an item with features v it
solves where v·w/|w| plus a difficulty of its own is above 0. So the true score of every direction
is known by formula. An agent changes the best try that he was told of. Designs: 'one' agent is
told half A; 'two' agents take turns, each told his half; 'all' is an agent without a ledger, who is
told the score of all cases, judged by BBC as if his tries had been fixed in advance. Every run has
its own seed, (SEED, cell, run). Runs go round all cells, so a study that is cut short has as many
runs everywhere.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import earnest as en
from benchmarks.ledger.grid import HERE, SEED, Cell, read
from benchmarks.rows import write_rows
from earnest.adapters.ledger import deal_halves
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import FIXED, Guides

Floats = NDArray[np.float64]
FEATURES, RESAMPLES, STEP = 20, 400, 0.4
SHIFT = {"none": 0.0, "weak": 0.5, "strong": 1.5}  # of the best direction
DESIGNS = ("one", "two", "all")
EVERY = 4  # runs, of which the first is done without a ledger too


@dataclass(frozen=True)
class Row:
    """One ledger: what it said, and what is true."""

    cell: int
    run: int
    design: str
    truth: float
    naive: float
    value: float
    low: float
    high: float
    low_bound: float
    high_bound: float


class World:
    """A sample of cases or items, whose best direction is the first features alike."""

    def __init__(self, cell: Cell, run: int) -> None:
        self.cell, self.items = cell, cell.evidence == "items"
        self.rng = np.random.default_rng([SEED, cell.number, run])
        n = cell.n
        self.mean = np.zeros(FEATURES)
        self.mean[:5] = SHIFT[cell.signal] / sqrt(5.0)
        self.X = self.rng.standard_normal((n, FEATURES))
        self.y = np.arange(n) % 2
        self.hard = self.rng.standard_normal(n)
        self.X += self.mean if self.items else self.mean * (self.y[:, None] - 0.5)

    def respond(self, w: Floats) -> Floats:
        """Return predictions, or scores."""
        if self.items:
            return np.asarray(self.X @ w / np.linalg.norm(w) + self.hard > 0.0, dtype=np.float64)
        return np.asarray(self.X @ w)

    def true_score(self, w: Floats) -> float:
        """Return the score on endless cases."""
        return NormalDist().cdf(float(self.mean @ w / np.linalg.norm(w)) / sqrt(2.0))

    def score(self, response: Floats, rows: NDArray[np.bool_]) -> float:
        """Return what an agent is told."""
        if self.items:
            return float(response[rows].mean())
        positive = self.y[rows] == 1
        count = int(positive.sum())
        ranks = rankdata(response[rows])[positive].sum()
        return float((ranks - count * (count + 1) / 2) / (count * (len(positive) - count)))

    def evidence(self, table: list[Floats]) -> en.Predictions | en.Scores:
        """Return all tries as one table."""
        columns = np.stack(table, axis=1)
        if self.items:
            return en.Scores(columns, limits=(0, 1))
        return en.Predictions.from_arrays(self.y, columns, response="decision")


def climb(world: World, design: str, seed: int) -> Row:
    """Let the agents of a design try, and judge what they tried."""
    rng = np.random.default_rng([SEED, 1, world.cell.number, seed])
    first = rng.standard_normal(FEATURES)
    table, directions, codes = [world.respond(first)], [first], [FIXED]
    halves = deal_halves(world.evidence(table), Seeds(seed))
    if design == "all":
        halves = np.zeros_like(halves)
    agents = 2 if design == "two" else 1
    best = [(world.score(table[0], halves == half), first) for half in range(agents)]
    for number in range(world.cell.tries):
        half = number % agents
        at = best[half][1]
        w = at + STEP * np.linalg.norm(at) * rng.standard_normal(FEATURES) / sqrt(FEATURES)
        response = world.respond(w)
        told = world.score(response, halves == half)
        if told > best[half][0]:
            best[half] = (told, w)
        table.append(response)
        directions.append(w)
        codes.append(half)
    return _judge(world, design, seed, directions, _guide(world.evidence(table), halves, codes))


def _guide(
    evidence: en.Predictions | en.Scores, halves: NDArray[np.int8], codes: list[int]
) -> en.Predictions | en.Scores:
    """Return tries with what guided each, as a ledger gives them; none without a ledger."""
    if not halves.any():
        return evidence
    guides = Guides(halves, np.array(codes, dtype=np.int8))
    configs = replace(evidence.configs, static=False)
    if isinstance(evidence, en.Scores):
        return evidence._with(replace(evidence.parts, guides=guides, configs=configs))
    return replace(evidence, guides=guides, configs=configs)


def _judge(
    world: World,
    design: str,
    seed: int,
    directions: list[Floats],
    evidence: en.Predictions | en.Scores,
) -> Row:
    metric = None if world.items else "roc_auc"
    bbc = en.methods.BBC(n_resamples=RESAMPLES)
    answer = en.estimate(evidence, metric=metric, rng=seed, method=bbc)
    lower, upper = (answer.at(side=side).interval for side in ("lower", "upper"))
    interval = answer.interval
    assert interval is not None
    assert lower is not None
    assert upper is not None
    assert answer.naive is not None
    return Row(
        world.cell.number,
        seed,
        design,
        world.true_score(directions[evidence.configs.index(str(answer.winner))]),
        answer.naive,
        answer.value,
        interval.low,
        interval.high,
        lower.low,
        upper.high,
    )


def run_one(task: tuple[Cell, int]) -> list[Row]:
    """Return all designs of one sample."""
    cell, run = task
    designs = DESIGNS if run % EVERY == 0 else DESIGNS[:2]
    return [climb(World(cell, run), design, run) for design in designs]


def list_tasks(half: str | None) -> Iterator[tuple[Cell, int]]:
    """Yield cells and runs: the first run of every cell, then the second of every cell."""
    chosen = [cell for cell in read() if half in (None, cell.half)]
    for run in range(max(cell.runs for cell in chosen)):
        for cell in sorted(chosen, key=lambda cell: -cell.n * cell.tries):
            if run < cell.runs:
                yield cell, run


def main() -> None:
    """Run what fits into the time, and write the rows as they come."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--half", choices=["open", "closed"])
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    rows: list[Row] = []
    end, tasks = monotonic() + options.seconds, list_tasks(options.half)
    with ProcessPoolExecutor(options.processes) as pool:
        while monotonic() < end:
            batch = list(islice(tasks, 4 * options.processes))
            if not batch:
                break
            for block in pool.map(run_one, batch):
                rows += block
            write_rows(
                sorted(rows, key=lambda row: (row.cell, row.run, DESIGNS.index(row.design))),
                options.out / f"runs_{options.half or 'all'}.csv",
            )
    print(f"{len(rows)} ledgers", flush=True)


if __name__ == "__main__":
    main()
