"""How long 100,000 items and 1,000 configurations take: `python -m benchmarks.scores.speed`.

The claim is that reading a file, an estimate, the comparison of all with the best, and a report
take less than a minute together on two cores; the program ends with an error where they do not. The
file is such as users have: a table with one column per configuration and the names of the items,
written by pyarrow as Parquet or CSV (`--format`), 0 and 1 as whole numbers.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, parquet

import earnest as en

T = TypeVar("T")
MOST = 60.0  # seconds


def draw(items: int, configs: int, seed: int = 0) -> NDArray[np.int8]:
    """Return 0/1 scores: items of mixed difficulty, configurations equally good."""
    rng = np.random.default_rng(seed)
    hard = 0.9 * rng.random(items, dtype=np.float32)
    matrix = np.empty((items, configs), dtype=np.int8, order="F")
    for config in range(configs):
        matrix[:, config] = rng.random(items, dtype=np.float32) < hard
    return matrix


def write_table(matrix: NDArray[np.int8], path: Path) -> None:
    """Write scores as another program would, with the names of the items."""
    columns = {"item": [f"q{item}" for item in range(len(matrix))]}
    names = [f"prompt_{config}" for config in range(matrix.shape[1])]
    table = pa.table({**columns, **dict(zip(names, map(pa.array, matrix.T), strict=True))})
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path)


def main() -> int:
    """Time each step, and tell whether all of them stay below a minute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--configs", type=int, default=1_000)
    parser.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    asked = parser.parse_args()
    total = 0.0

    def timed(name: str, step: Callable[[], T]) -> T:
        nonlocal total
        start = time.perf_counter()
        made = step()
        taken = time.perf_counter() - start
        total += taken
        print(f"{name:<12}{taken:6.1f} s", flush=True)
        return made

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores.{asked.format}"
        write_table(draw(asked.items, asked.configs), path)
        given = timed("read", lambda: en.Scores.load(path))
    timed("estimate", lambda: en.estimate(given, rng=0, n_jobs=2))
    timed("compare", lambda: en.compare_many(given, rng=0, n_jobs=2))
    timed("report", lambda: en.report(given, n_jobs=2).to_html())
    print(f"{'together':<12}{total:6.1f} s, claimed below {MOST:.0f} s")
    return 0 if total < MOST else 1


if __name__ == "__main__":
    sys.exit(main())
