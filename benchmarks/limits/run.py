"""Measure whole estimates of growing size: `python -m benchmarks.limits.run` writes results.csv.

`python -m benchmarks.limits.run large` runs a million cases with a thousand configurations, 8 GB on
disk, with 2 GB of memory; `large 100 256` with a hundred and 256 resamples. A row replaces that of
the same size. The folder of the predictions is that of TMPDIR.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.limits.child import Problem

RESULTS = Path(__file__).parent / "results.csv"
CASES = (1_000, 10_000, 100_000, 1_000_000)
MOST_CELLS = 10**8  # of a table in the ordinary run
ALLOWED_MB = 2_000
KEY = ("metric", "n", "configs", "resamples", "dtype", "limit_mb")


def list_problems() -> list[Problem]:
    """Return the ordinary ones: each size with a hundred configurations, then with a thousand."""
    return [
        Problem(metric, n, configs, 1000)
        for configs in (100, 1000)
        for n in CASES
        for metric in ("roc_auc", "accuracy")
        if n * configs <= MOST_CELLS
    ]


def measure(problem: Problem) -> dict[str, str]:
    """Run one problem in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.limits.child"]
        done = subprocess.run(
            [*command, json.dumps(asdict(problem)), folder],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    row = json.loads(done.stdout.splitlines()[-1])
    return {name: "" if value is None else str(value) for name, value in row.items()}


def read_rows() -> list[dict[str, str]]:
    """Return what was measured so far."""
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def keep(row: dict[str, str]) -> None:
    """Write a row in place of the one of the same size."""
    rows = [one for one in read_rows() if any(one[name] != row[name] for name in KEY)]
    rows = sorted([*rows, row], key=lambda one: (one["metric"], int(one["configs"]), int(one["n"])))
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: list[str]) -> int:
    """Measure what is asked for; 1 where an answer is wrong."""
    problems = list_problems()
    if arguments[:1] == ["large"]:
        configs = int(arguments[1]) if len(arguments) > 1 else 1000
        resamples = int(arguments[2]) if len(arguments) > 2 else 1000
        problems = [Problem("roc_auc", 1_000_000, configs, resamples, limit_mb=ALLOWED_MB)]
    wrong = 0
    for problem in problems:
        row = measure(problem)
        print(row, flush=True)
        keep(row)
        wrong += row["right"] != "True"
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
