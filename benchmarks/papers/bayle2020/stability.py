"""How the coverage of the proposed interval hangs on the stability of the learner.

python -m benchmarks.papers.bayle2020.stability --trials 1000

Ten folds of 700 cases, the smallest sample of the authors, with learners from nearly constant to
unstable. Beside each stands the interval of the same formula for one fixed model and as many fresh
cases: what it lacks is not for cross-validation.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

import earnest as en
from benchmarks.papers.bayle2020.design import design
from benchmarks.papers.bayle2020.learners import Train, forest, logistic, ridge
from benchmarks.papers.bayle2020.populations import (
    Codes,
    Floats,
    Population,
    classes,
    values,
)
from benchmarks.papers.bayle2020.summary import Row, share, spread, write

SETTINGS: dict[str, list[tuple[str, Train]]] = {
    "classes": [(f"logistic C={c:g}", partial(logistic, C=c)) for c in (0.001, 0.01, 0.1, 1, 100)],
    "values": [
        *((f"ridge alpha={a:g}", partial(ridge, alpha=a)) for a in (1e6, 1e4, 100, 0.01)),
        *((f"forest of {k}", partial(forest, trees=k)) for k in (100, 10, 1)),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=700)
    asked = parser.parse_args()
    rows: list[Row] = []
    for population in (classes(), values()):
        for name, train in SETTINGS[population.name]:
            found = [one(population, train, asked.cases, k) for k in range(asked.trials)]
            rows.append(_row(population, name, asked.cases, np.array(found)))
            print(rows[-1], flush=True)
            write("results_stability.csv", rows)


def one(population: Population, train: Train, n: int, number: int) -> Floats:
    """Return value, low, high and truth of the folds, and the same of fresh cases."""
    rng = np.random.default_rng([700, n, number])
    (rows, y), (fresh, outcome) = population.draw(n, rng), population.draw(n, rng)
    plan = design(n)
    said = train(population, rows[plan.most[:10]], y[plan.most[:10]])
    truth = population.truth(said)
    mine = interval(population, y, said[plan.folds, rows], plan.folds)
    other = interval(population, outcome, said[0, fresh], plan.folds)
    return np.array([*mine, truth.mean(), *other, truth[0]])


def interval(population: Population, y: Floats, said: Floats, folds: Codes) -> tuple[float, ...]:
    """Return the value and the limits of `bayle_all_pairs`."""
    kind = "label" if population.task == "binary" else None
    pi = en.Predictions.from_arrays(y, said, folds, task=population.task, response=kind)
    made = en.estimate(pi, method="bayle_all_pairs", metric=population.metric)
    assert made.interval is not None
    return made.value, made.interval.low, made.interval.high


def _row(population: Population, name: str, n: int, found: Floats) -> Row:
    value, low, high, truth, fresh, under, over, fixed = found.T
    held = (low <= truth) & (truth <= high)
    return {
        "population": population.name,
        "learner": name,
        "n": n,
        "truth": float(truth.mean()),
        "truth_sd": float(truth.std(ddof=1)),
        **share("coverage", held),
        "spread": spread(value - truth, high - value, "bayle_all_pairs"),
        **share("fresh", (under <= fixed) & (fixed <= over)),
        "fresh_spread": spread(fresh - fixed, over - fresh, "bayle_all_pairs"),
    }


if __name__ == "__main__":
    main()
