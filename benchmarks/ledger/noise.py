"""An agent that climbs on pure noise for 200 steps, with a ledger and without: `noise.csv`.

python -m benchmarks.ledger.noise --out FOLDER [--processes 2] [--seconds 300]

The agent does what coding agents do: it changes what scored best so far, and keeps the change if
the score is better. Nothing can be learned: labels are drawn apart from the features, so the
truth is an AUC of .5 for whatever he tries. Without a ledger he is told the score of all cases,
and reports the best. With one he calls `score` for every try; a test holds the ledger in memory,
which is faster, to the file. After some steps the ledger is asked what it would say if it ended
there; the agent does not hear it. Every repetition has its own seed, (SEED, repetition).
"""

from __future__ import annotations

import argparse
import shutil
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import earnest as en
from benchmarks.ledger.grid import HERE, SEED
from benchmarks.rows import write_rows
from earnest.adapters.ledger import deal_halves
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import FIXED, Guides

Floats = NDArray[np.float64]
CASES, FEATURES, STEPS, REPETITIONS, STEP = 200, 20, 200, 240, 0.4
LOOKS = (1, 10, 50, 100, 150, 200)
RESAMPLES = 300


@dataclass(frozen=True)
class Row:
    """What one agent reports after some steps; without a ledger there is no interval.

    `told` is the best score that he was told of.
    """

    repetition: int
    agents: int
    step: int
    told: float
    value: float
    low: float
    high: float
    low_bound: float


class Noise:
    """Cases whose label nothing predicts."""

    def __init__(self, repetition: int) -> None:
        self.rng = np.random.default_rng([SEED, 2, repetition])
        self.X = self.rng.standard_normal((CASES, FEATURES))
        self.y = np.arange(CASES) % 2

    def respond(self, w: Floats) -> Floats:
        """Return what a linear rule predicts."""
        return np.asarray(self.X @ w)

    def score(self, w: Floats, rows: NDArray[np.bool_]) -> float:
        """Return the AUC on some cases."""
        positive = self.y[rows] == 1
        count, others = int(positive.sum()), int((~positive).sum())
        ranks = rankdata(self.respond(w)[rows])[positive].sum()
        return float((ranks - count * (count + 1) / 2) / (count * others))

    def table(self, tries: list[Floats], names: list[str]) -> en.Predictions:
        """Return the predictions of rules."""
        columns = np.stack([self.respond(w) for w in tries], axis=1)
        return en.Predictions.from_arrays(self.y, columns, configs=names, response="decision")


def change(w: Floats, rng: np.random.Generator) -> Floats:
    """Return a rule near another."""
    return w + STEP * float(np.linalg.norm(w)) * rng.standard_normal(FEATURES) / sqrt(FEATURES)


def climb_without(repetition: int) -> list[Row]:
    """Let an agent climb on the score of all cases."""
    world, rng = Noise(repetition), np.random.default_rng([SEED, 3, repetition])
    w, whole = rng.standard_normal(FEATURES), np.ones(CASES, dtype=bool)
    best, rows = world.score(w, whole), []
    for step in range(1, STEPS + 1):
        candidate = change(w, rng)
        told = world.score(candidate, whole)
        if told > best:
            best, w = told, candidate
        if step in LOOKS:
            rows.append(Row(repetition, 0, step, best, best, np.nan, np.nan, np.nan))
    return rows


class FileLedger:
    """A ledger on the disk, as people use it."""

    def __init__(self, folder: Path, world: Noise, w: Floats, agents: int, seed: int) -> None:
        self.path, self.world = folder / "work.db", world
        self.names = [f"agent {k + 1}" for k in range(agents)]
        first = world.table([w], ["in use"])
        self.ledger = en.Ledger.create(
            self.path, first, metric="roc_auc", agents=self.names, rng=seed
        )
        self.parents = ["in use"] * agents

    def score(self, step: int, agent: int, w: Floats) -> float:
        """Return what an agent is told."""
        return self.ledger.score(
            self.world.table([w], [f"try {step}"]),
            agent=self.names[agent],
            builds_on=[self.parents[agent]],
        )

    def keep(self, step: int, agent: int) -> None:
        """Go on from a try."""
        self.parents[agent] = f"try {step}"

    def ask(self) -> en.results.Estimate:
        """Return what the ledger would say if it ended here, from a copy."""
        copy = self.path.with_name("copy.db")
        shutil.copy(self.path, copy)
        en.Ledger(copy).finish()
        answer = en.estimate(copy, n_resamples=RESAMPLES)
        copy.unlink()
        return answer


class MemoryLedger:
    """The same law without a file, which is twenty times as fast; a test compares both."""

    def __init__(self, world: Noise, w: Floats, seed: int) -> None:
        self.world, self.seed = world, seed
        self.tries, self.names, self.codes = [w], ["in use"], [FIXED]
        self.halves = deal_halves(world.table([w], ["in use"]), Seeds(seed))

    def score(self, step: int, agent: int, w: Floats) -> float:
        """Return what an agent is told."""
        self.tries.append(w)
        self.names.append(f"try {step}")
        self.codes.append(agent)
        return self.world.score(w, self.halves == agent)

    def keep(self, step: int, agent: int) -> None:
        """Go on from a try."""

    def ask(self) -> en.results.Estimate:
        """Return what a ledger would say if it ended here."""
        pi = self.world.table(self.tries, self.names)
        guides = Guides(self.halves, np.array(self.codes, dtype=np.int8))
        pi = replace(pi, guides=guides, configs=replace(pi.configs, static=False))
        return en.estimate(pi, metric="roc_auc", rng=self.seed, n_resamples=RESAMPLES)


def climb_with(
    ledger: FileLedger | MemoryLedger, world: Noise, w: Floats, repetition: int, agents: int
) -> list[Row]:
    """Let one agent climb, or two in turn, each told the scores of his half."""
    rng = np.random.default_rng([SEED, 4, repetition])
    best = [(float("-inf"), w) for _ in range(agents)]
    rows: list[Row] = []
    for step in range(1, STEPS + 1):
        agent = step % agents
        candidate = change(best[agent][1], rng)
        told = ledger.score(step, agent, candidate)
        if told > best[agent][0]:
            best[agent] = (told, candidate)
            ledger.keep(step, agent)
        if step in LOOKS:
            answer = ledger.ask()
            interval, bound = answer.interval, answer.at(side="lower").interval
            assert interval is not None
            assert bound is not None
            told = max(score for score, _ in best)
            numbers = (told, answer.value, interval.low, interval.high, bound.low)
            rows.append(Row(repetition, agents, step, *numbers))
    return rows


def climb(repetition: int, agents: int, *, on_disk: bool) -> list[Row]:
    """Return what agents with a ledger report."""
    world = Noise(repetition)
    w = np.random.default_rng([SEED, 3, repetition]).standard_normal(FEATURES)
    if not on_disk:
        return climb_with(MemoryLedger(world, w, repetition), world, w, repetition, agents)
    with TemporaryDirectory(prefix="earnest-") as folder:
        ledger = FileLedger(Path(folder), world, w, agents, repetition)
        return climb_with(ledger, world, w, repetition, agents)


def repeat(repetition: int) -> list[Row]:
    """Return one repetition: without a ledger, with one agent, and with two."""
    return [
        *climb_without(repetition),
        *climb(repetition, 1, on_disk=False),
        *climb(repetition, 2, on_disk=False),
    ]


def main() -> None:
    """Repeat what fits into the time, and write the rows as they come."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    end, rows = monotonic() + options.seconds, list[Row]()
    with ProcessPoolExecutor(options.processes) as pool:
        futures = [pool.submit(repeat, each) for each in range(options.repetitions)]
        try:
            for future in as_completed(futures, timeout=max(1.0, end - monotonic())):
                rows += future.result()
                rows.sort(key=lambda row: (row.repetition, row.agents, row.step))
                write_rows(rows, options.out / "noise.csv")
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    print(f"{len(rows)} rows", flush=True)


if __name__ == "__main__":
    main()
