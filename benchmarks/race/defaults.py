"""The default of `earnest tune` before and after a change, and one boosting as it is.

`PYTHONPATH=src:. python -m benchmarks.race.defaults --as new --out defaults.csv`, and the same with
the sources of an earlier revision and `--as old`. Budgets are seconds of one core, so that a busy
machine does not matter. Cells take turns, so that a run can be stopped at any time.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.race.clock import count_processor_time
from benchmarks.race.profile import score_default
from benchmarks.race.simulated import SHAPES, simulate_table
from benchmarks.race.tables import TARGET

HELD_OUT = 20_000
SECONDS = {500: 10.0, 1000: 15.0, 5000: 20.0, 15_000: 30.0}  # of one core, by rows


def list_cells(seeds: int) -> list[tuple[int, int, str]]:
    """Return seeds, rows and shapes in the order in which they are run."""
    return [(seed, n, shape) for seed, n, shape in product(range(seeds), SECONDS, SHAPES)]


def run_cell(kind: str, seed: int, n: int, shape: str) -> dict[str, object]:
    """Return what a tool scores on new rows of a table, and what it says of itself."""
    from sklearn.metrics import roc_auc_score

    whole = simulate_table(shape, n + HELD_OUT, seed)
    train, test = whole[:n], whole[n:]
    began = time.process_time()
    low = high = claim = float("nan")
    detail = ""
    if kind == "boosting":
        score = score_default(train, test)
    else:
        import earnest as en

        budget = SECONDS[n]
        tuned = en.tune(train, target=TARGET, budget=budget, n_jobs=1, rng=seed)
        chances = np.asarray(tuned.model.predict(test.drop(columns=TARGET)).scores)[:, 1]
        score = roc_auc_score(test[TARGET], chances)
        claim, interval = tuned.estimate.value, tuned.estimate.interval
        if interval is not None:
            low, high = interval.low, interval.high
        detail = f"{tuned.model.winner}; {tuned.estimate.n_configs} of {tuned.table.n_cases} rows"
    return {
        "kind": kind,
        "seed": seed,
        "rows": n,
        "table": shape,
        "auc": round(float(score), 5),
        "claim": round(float(claim), 5),
        "low": round(float(low), 5),
        "high": round(float(high), 5),
        "seconds": round(time.process_time() - began, 2),
        "detail": detail,
    }


def main() -> None:
    """Run the cells that a file does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--as", dest="kind", required=True, help="old, new or boosting")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which none is begun")
    parser.add_argument("--cells", type=int, default=10**9, help="how many to run")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.kind != "boosting":
        count_processor_time()
    done = set()
    if asked.out.exists():
        table = pd.read_csv(asked.out)
        done = set(zip(table["kind"], table["seed"], table["rows"], table["table"], strict=True))
    began, count = time.monotonic(), 0
    for seed, n, shape in list_cells(asked.seeds):
        if seed < asked.first or (asked.kind, seed, n, shape) in done:
            continue
        if time.monotonic() - began > asked.seconds or count >= asked.cells:
            break
        row = run_cell(asked.kind, seed, n, shape)
        count += 1
        fresh = not asked.out.exists()
        with asked.out.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row))
            if fresh:
                writer.writeheader()
            writer.writerow(row)
        print(row, flush=True)


if __name__ == "__main__":
    main()
