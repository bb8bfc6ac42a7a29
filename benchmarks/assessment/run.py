"""Assess learners on training sets drawn from real data, by every method, and against the truth.

python -m benchmarks.assessment.run --data FOLDER [--only NAME ...] [--trials 60] [--minutes 25]
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from benchmarks.assessment.learners import LEARNERS
from benchmarks.assessment.problems import Problem, problems, synthetic
from benchmarks.assessment.summarise import summarise, write
from benchmarks.assessment.trial import trial

HERE = Path(__file__).parent
KEPT = Path("build") / "assessment"  # the trials of every cell, so that a run goes on
SEED = 2026
TURN = 5  # trials of a cell before the next has its turn: a run may be stopped at any time


@dataclass(frozen=True)
class Cell:
    """A data set, a learner and a size of training sets; its trials are lines of one file."""

    problem: Problem
    learner: str
    n: int
    n_replicates: int

    def path(self, folder: Path) -> Path:
        """Return the file of its trials."""
        name = f"{self.problem.name}--{self.learner}--{self.n}--{self.n_replicates}"
        return folder / f"{name}.jsonl"

    def one(self, number: int) -> dict[str, Any]:
        """Return a trial by its number; each has a stream of its own."""
        word = zlib.crc32(f"{self.problem.name}/{self.learner}".encode())
        rng = np.random.default_rng([SEED, word, self.n, number])
        made = trial(self.problem, LEARNERS[self.learner], self.n, rng, self.n_replicates)
        return {
            "trial": number,
            "truth": made[0],
            "answers": [astuple(answer) for answer in made[1]],
        }

    def go_on(self, folder: Path, upto: int) -> None:
        """Do the trials that are missing, each kept as soon as it is done."""
        path = self.path(folder)
        done = {line["trial"] for line in mended(path)}
        with path.open("a", encoding="utf-8") as file:
            for number in sorted(set(range(upto)) - done):
                file.write(json.dumps(self.one(number)) + "\n")
                file.flush()


def mended(path: Path) -> list[dict[str, Any]]:
    """Return the trials of a file, and take off a last line that was cut when a run was killed."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def cells(
    found: Iterator[Problem], learners: Sequence[str], sizes: Sequence[int], n_replicates: int
) -> list[Cell]:
    """Return all cells whose training sets the data can give."""
    every = product(found, sizes, learners)
    return [Cell(p, learner, n, n_replicates) for p, n, learner in every if p.holds(n)]


def run(every: list[Cell], folder: Path, trials: int, minutes: float) -> None:
    """Do so many trials of every cell, all cells in turn, until the time is over."""
    folder.mkdir(parents=True, exist_ok=True)
    end = monotonic() + 60.0 * minutes
    for upto in [*range(TURN, trials, TURN), trials]:
        for cell in every:
            if monotonic() > end:
                return
            cell.go_on(folder, upto)
        print(f"{upto} trials in each of {len(every)} cells", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="Parquet files with a binary column `target`")
    parser.add_argument("--only", nargs="+", help="names of data sets")
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=LEARNERS)
    parser.add_argument("--sizes", nargs="+", type=int, default=[40, 100])
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after so long")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where trials are kept")
    parser.add_argument("--out", type=Path, default=HERE, help="where results.csv goes")
    parser.add_argument("--quick", action="store_true", help="two trials on made-up data")
    asked = parser.parse_args(arguments)
    if asked.quick:
        every = cells(iter([synthetic()]), ["lda", "3_nn"], [40], 20)
        run(every, asked.kept, 2, np.inf)
    elif asked.data is None:
        parser.error("say --data FOLDER, or --quick")
    else:
        found = problems(asked.data, asked.only)
        every = cells(found, asked.learners, asked.sizes, asked.replicates)
        run(every, asked.kept, asked.trials, asked.minutes)
    write(
        summarise({cell.path(asked.kept).stem: mended(cell.path(asked.kept)) for cell in every}),
        asked.out,
    )


if __name__ == "__main__":
    main()
