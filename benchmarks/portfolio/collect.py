"""Try much of the portfolio on every table of the race, and keep scores and seconds.

python -m benchmarks.portfolio.collect --data tables/ [--budget 100] [--only a,b] [--out file.csv]

Each table is cross-validated by `earnest.tune` on split 100, which the race does not use. A table
that has lines in the file is not tried again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import earnest as en
from benchmarks.race.tables import METRIC, SEED, TARGET, Table, make_split, read_tables
from benchmarks.rows import read_rows, write_rows

RESULTS = Path(__file__).parent / "results.csv"
SPLIT = 100  # for development: the race begins with 0


@dataclass(frozen=True)
class Line:
    """A configuration on one table.

    Attributes
    ----------
    place : int
        Where it comes in the order of the portfolio, from 0.
    turn : int
        Where it comes within its family, from 0.
    score : float
        The mean over folds; greater is better, so losses are negative.
    seconds : float
        What its fits took.
    """

    table: str
    task: str
    rows: int
    place: int
    family: str
    turn: int
    config: str
    score: float
    seconds: float


def try_portfolio(table: Table, budget: float) -> Iterator[Line]:
    """Yield the configurations that are complete when the time is over."""
    train = make_split(table, SPLIT).train
    frame = table.features.iloc[train].reset_index(drop=True)
    frame[TARGET] = table.outcome.to_numpy()[train]
    metric = METRIC[table.task]
    found = en.tune(
        frame,
        target=TARGET,
        metric=metric,
        task=table.task,
        budget=budget,
        ensemble="none",
        n_jobs=1,
        rng=SEED,
    )
    scores, seconds = defaultdict(list), Counter[int]()
    for (config, *_), outcome in found.run.outcomes.items():
        scores[config].append(outcome.numbers.get("test_score", np.nan))
        seconds[config] += outcome.numbers.get("fit_time", 0.0)
    judged, turns = set(found.predictions.configs.ids), Counter[str]()
    for place, about in enumerate(json.loads(found.run.documents["configs"])):
        family = about["params"]["model"]
        turn = turns[family]
        turns[family] += 1
        if about["config"] in judged:
            score = float(np.mean(scores[place]))
            yield Line(
                table.name,
                table.task,
                len(train),
                place,
                family,
                turn,
                about["config"],
                score,
                seconds[place],
            )


def main(arguments: list[str] | None = None) -> None:
    """Try the tables that are missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.portfolio.collect")
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--budget", type=float, default=100.0, help="seconds for each table")
    parser.add_argument("--only", default="", help="names of tables, with commas")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    lines = read_rows(Line, asked.out) if asked.out.exists() else []
    known, tables = {line.table for line in lines}, read_tables(asked.data)
    for name in asked.only.split(",") if asked.only else tables:
        if name not in known:
            found = list(try_portfolio(tables[name], asked.budget))
            lines += found
            write_rows(lines, asked.out)
            print(f"{name}: {len(found)} configurations", flush=True)


if __name__ == "__main__":
    main()
