"""Where a run of `earnest tune` spends its time, and what one default boosting scores beside it.

`python -m benchmarks.race.profile --rows 15000 --budget 60 --out profile.csv`

Times are seconds of the clock, or with `--quiet` of the processor, as if nothing else ran.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd

from benchmarks.race.clock import count_processor_time
from benchmarks.race.simulated import SHAPES, simulate_table
from benchmarks.race.tables import TARGET

HELD_OUT = 20_000


def profile_run(shape: str, n: int, budget: float, seed: int, jobs: int) -> list[dict[str, object]]:
    """Return rows of what a run did, and what its model scores."""
    from sklearn.metrics import roc_auc_score

    import earnest as en
    from earnest.training.tune.job import begin
    from earnest.training.tune.options import TuneOptions

    whole = simulate_table(shape, n + HELD_OUT, seed)
    train, test = whole[:n], whole[n:]
    rows: list[dict[str, object]] = []

    def add(what: str, value: float) -> None:
        about = {"table": shape, "rows": n, "budget": budget, "seed": seed}
        rows.append({**about, "what": what, "value": round(float(value), 4)})

    began, used = perf_counter(), process_time()
    options = TuneOptions(target=TARGET, budget=budget, seed=seed, n_jobs=jobs)
    job = begin(train, options, out=None)
    add("read", perf_counter() - began)
    before = perf_counter()
    plan = job.plan()
    add("plan", perf_counter() - before)
    add("reserved for judging an ensemble", plan.ending.ensembles)
    add("reserved in all", plan.ending.seconds)
    before = perf_counter()
    tuned = job.run(plan)
    add("search and end", perf_counter() - before)
    add("in all", perf_counter() - began)
    add("processor in all", process_time() - used)
    spent: defaultdict[str, float] = defaultdict(float)
    families = {config.name: config.family for config in job.configs}
    for key, outcome in tuned.run.outcomes.items():
        if len(key) == 3:
            times = (outcome.numbers.get(name, 0.0) for name in ("fit_time", "score_time"))
            spent[families[plan.configs[key[0]]]] += sum(times)
    for family, seconds in sorted(spent.items(), key=lambda pair: -pair[1]):
        add(f"fits: {family}", seconds)
    add("configurations", tuned.estimate.n_configs)
    add("rows of the search", tuned.table.n_cases)
    chances = np.asarray(tuned.model.predict(test.drop(columns=TARGET)).scores)[:, 1]
    add("expected AUC", tuned.estimate.value)
    add("AUC on new rows", roc_auc_score(test[TARGET], chances))
    before = perf_counter()
    add("AUC of one default boosting", score_default(train, test))
    add("its seconds", perf_counter() - before)
    print(en.__version__, tuned.model.winner, sep=": ", flush=True)
    return rows


def score_default(train: pd.DataFrame, test: pd.DataFrame) -> float:
    """Return the AUC of scikit-learn's boosting as it is, with its own categories."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    words = [name for name in train if not pd.api.types.is_numeric_dtype(train[name])]
    kinds = {name: pd.CategoricalDtype(sorted(train[name].dropna().unique())) for name in words}
    one, other = train.astype(kinds), test.astype(kinds)
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
    model.fit(one.drop(columns=TARGET), one[TARGET])
    chances = model.predict_proba(other.drop(columns=TARGET))[:, 1]
    return float(roc_auc_score(test[TARGET], chances))


def main() -> None:
    """Profile, and append the rows to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=15_000)
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--table", choices=SHAPES, default="smooth")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quiet", action="store_true", help="count seconds of the processor")
    asked = parser.parse_args()
    if asked.quiet:
        count_processor_time()
        globals()["perf_counter"] = process_time
    rows = profile_run(asked.table, asked.rows, asked.budget, asked.seed, asked.jobs)
    fresh = not asked.out.exists()
    with asked.out.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        if fresh:
            writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(f"{row['value']:>12} {row['what']}")


if __name__ == "__main__":
    main()
