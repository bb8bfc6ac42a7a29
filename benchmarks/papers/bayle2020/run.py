"""Run the trials of figures 2 and 3; each is kept as soon as its block is done.

python -m benchmarks.papers.bayle2020.run --data FOLDER --trials 500
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.papers.bayle2020.learners import check
from benchmarks.papers.bayle2020.populations import Floats, Population, populations
from benchmarks.papers.bayle2020.trial import INTERVAL, PROCEDURES, TEST, trial

KEPT = Path("build") / "bayle2020"
SIZES = (700, 1500, 3400, 7500)  # every other one of the authors' code, which goes to 11,000
BLOCK = 25  # trials between two savings
COLUMNS = len(PROCEDURES) * (2 * len(INTERVAL) + len(TEST))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with phoneme and stackoverflow")
    parser.add_argument("--only", nargs="*", help="names of populations")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--trials", type=int, default=500)
    asked = parser.parse_args()
    for population in populations(asked.data, asked.only):
        check(population)
        for n in asked.sizes:
            run(population, n, asked.trials)


def run(population: Population, n: int, trials: int) -> None:
    """Run the trials of one population and size that are not done."""
    rows, begun = kept(population.name, n), time.process_time()
    before = len(rows)
    while len(rows) < trials:
        numbers = range(len(rows), min(trials, len(rows) + BLOCK))
        rows = np.vstack([rows, *(trial(population, n, number)[None] for number in numbers)])
        KEPT.mkdir(parents=True, exist_ok=True)
        np.save(KEPT / f"{population.name}_n{n}.npy", rows)
    spent = time.process_time() - begun
    print(f"{population.name} n={n}: {before} to {len(rows)} trials, {spent:.0f} s", flush=True)


def kept(name: str, n: int) -> Floats:
    """Return the trials that are done, one a row."""
    path = KEPT / f"{name}_n{n}.npy"
    return np.load(path) if path.is_file() else np.empty((0, COLUMNS))


if __name__ == "__main__":
    main()
