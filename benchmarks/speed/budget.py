"""How long `earnest tune` takes of the budget it was given, seen from outside its process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.speed.timing import Row

COLUMNS = 20
TABLES = ((300, 60), (4_000, 60), (100_000, 90))  # rows, and the budget in seconds
LATEST = 1.05  # times the budget


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time from the start of the process to its end, on one core and on two."""
    with tempfile.TemporaryDirectory() as folder:
        for count, budget in ((300, 20),) if quick else TABLES:
            table = _write_table(Path(folder) / f"{count}.csv", count)
            for cores in (1, 2):
                took = time_tune(table, budget, cores, Path(folder) / f"{count}-{cores}")
                work = f"earnest tune, n={count:,}, {COLUMNS} columns, {cores} jobs"
                yield Row(work, took, "the budget", budget, LATEST, more_is_better=False)


def time_tune(table: Path, budget: int, cores: int, out: Path) -> float:
    """Return the seconds that a user waits for a tuning with its report on so many cores."""
    command = [sys.executable, "-m", "earnest", "tune", str(table), "--target", "y", "--rng", "1"]
    command += ["--budget", f"{budget}s", "--n-jobs", str(cores), "--out", str(out), "--quiet"]
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    start = time.perf_counter()
    subprocess.run(command, check=True, preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    return time.perf_counter() - start


def _write_table(path: Path, count: int) -> Path:
    """Write a table of numbers with an interaction, a wave, a line, and noise."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((count, COLUMNS))
    risk = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3]
    y = (risk + rng.logistic(size=count) > 0).astype(int)
    names = [f"x{i}" for i in range(COLUMNS)]
    lines = [",".join([*names, "y"])]
    for features, label in zip(X, y, strict=True):
        lines.append(",".join([*(f"{value:.5f}" for value in features), str(label)]))
    path.write_text("\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    for row in rows("--quick" in sys.argv[1:]):
        print(row, flush=True)
