"""Figures 2, 5, 6 and 7: bias, repeats and intervals on real data, with small samples.

python -m benchmarks.papers.tsamardinos2018.repeats --data FOLDER --draws 20

Thirty percent of a data set are the pool that samples are drawn from, the rest is held out. Samples
have as many cases of one class as of the other, as the data sets of the paper nearly have. Finished
draws are kept in build/tsamardinos2018.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.papers.tsamardinos2018.data import Problem, preparation, problems
from benchmarks.papers.tsamardinos2018.fast_grid import NAMES, Floats, Grid, Rows
from benchmarks.papers.tsamardinos2018.replay import replay
from earnest import BCED, Estimate, Predictions, estimate
from earnest.core.base.rng import Seeds

KEPT = Path("build") / "tsamardinos2018"
FOLDS, REPEATS, RESAMPLES = 10, 10, 1000
SIZES = (20, 40, 100)
MOST = 1500  # cases held out that score
LEVELS = (*(round(0.5 + 0.05 * i, 2) for i in range(10)), 0.99)
COUNTS = (1, 2, 3, 4, 6, 10)  # of repeats
ENDS = ("low", "high")
PROTOCOLS = ("bbc", "bced", "bbc10")  # that have intervals
COLUMNS = (
    *(f"truth_{name}" for name in ("bbc", "bced", "bbc10", "ncv")),
    *("cvt", "tt", "ncv", "bbc", "bced", "bbc10"),
    *(f"width_{count}" for count in COUNTS),
    *(
        f"{name}_{end}_{level:g}"
        for name in PROTOCOLS
        for level in LEVELS
        for end in ("low", "high")
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with data sets as Parquet files")
    parser.add_argument("--sets", nargs="*", help="names of the sets to run; all by default")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--draws", type=int, default=20)
    asked = parser.parse_args()
    for n in asked.sizes:
        for problem in problems(asked.data, asked.sets):
            run(problem, n, asked.draws)


def run(problem: Problem, n: int, draws: int) -> None:
    """Run the draws of one data set and size that are not done."""
    rows, begun = kept(problem.name, n), time.process_time()
    while len(rows) < draws:
        rows = np.vstack([rows, one(problem, n, len(rows))])
        KEPT.mkdir(parents=True, exist_ok=True)
        np.save(KEPT / f"{problem.name}_n{n}.npy", rows)
    print(f"{problem.name} n={n}: {len(rows)}, {time.process_time() - begun:.0f} s", flush=True)


def kept(name: str, n: int) -> Floats:
    """Return the draws that are done, one a row."""
    path = KEPT / f"{name}_n{n}.npy"
    return np.load(path) if path.is_file() else np.empty((0, len(COLUMNS)))


def one(problem: Problem, n: int, number: int) -> Floats:
    """Return one row: what the protocols say of a sample, and how good what they chose is."""
    grid, new, outcome = sample(problem, n, number)
    folds = np.stack([_folds(grid.y, number * REPEATS + r) for r in range(REPEATS)], axis=1)
    scores = np.stack([_predicted(grid, folds[:, r]) for r in range(REPEATS)], axis=2)
    every = Predictions.from_arrays(
        grid.y.astype(int), scores, folds, configs=NAMES, response="decision"
    )
    asked: dict[str, Any] = {"metric": "roc_auc", "n_resamples": RESAMPLES, "rng": number}
    made = {count: estimate(_first(every, count), **asked) for count in COUNTS}
    single = _first(every, 1)
    dropped = estimate(replay(single, "roc_auc", BCED(), Seeds(number)).pi, **asked)
    nested, refit = _nested(grid, folds[:, 0], scores[:, :, 0])
    said = grid.scores_of_new(new)

    def truth(config: Any) -> float:
        return float(roc_auc_score(outcome, said[:, NAMES.index(str(config))]))

    bbc, many = made[1], made[REPEATS]
    truths = [truth(found.winner) for found in (bbc, dropped, many)] + [truth(NAMES[refit])]
    corrected = estimate(single, method="tibshirani", metric="roc_auc").value
    values = [bbc.naive, corrected, nested, bbc.value, dropped.value, many.value]
    widths = [_width(made[count]) for count in COUNTS]
    limits = [end for found in (bbc, dropped, many) for end in _limits(found)]
    return np.array([*truths, *values, *widths, *limits], dtype=np.float64)


def sample(problem: Problem, n: int, number: int) -> tuple[Grid, Floats, Floats]:
    """Return a balanced sample of the pool, and features and outcome of the cases held out."""
    rows = np.arange(len(problem.y))
    pool, rest = train_test_split(rows, train_size=0.3, stratify=problem.y, random_state=0)
    rng = np.random.default_rng([n, number])
    parts = [rng.choice(pool[problem.y[pool] == label], n // 2, replace=False) for label in (0, 1)]
    mine = rng.permutation(np.concatenate(parts))
    rest = rng.permutation(rest)[:MOST]
    ready = preparation().fit(problem.X.iloc[mine])
    X, new = (np.asarray(ready.transform(problem.X.iloc[part])) for part in (mine, rest))
    return Grid(X, problem.y[mine].astype(np.float64)), new, problem.y[rest].astype(np.float64)


def _folds(y: Floats, seed: int) -> Rows:
    out = np.empty(len(y), dtype=np.intp)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for fold, (_, test) in enumerate(splitter.split(y, y)):
        out[test] = fold
    return out


def _predicted(grid: Grid, folds: Rows) -> Floats:
    """Return the out-of-sample scores of all configurations: (n, C)."""
    out = np.empty((len(folds), len(NAMES)))
    for fold in range(FOLDS):
        test = np.flatnonzero(folds == fold)
        out[test] = grid.scores(np.flatnonzero(folds != fold), test)
    return out


def _first(pi: Predictions, count: int) -> Predictions:
    """Return the first repeats of a table."""
    return Predictions.from_arrays(
        pi.target.y,
        pi.responses[:, :, :count],
        pi.folds[:, :count],
        configs=pi.configs,
        response="decision",
    )


def _nested(grid: Grid, folds: Rows, outer: Floats) -> tuple[float, int]:
    """Return the nested estimate, and the winner of all folds by their mean."""
    inner = np.full((FOLDS, FOLDS, len(NAMES)), np.nan)  # outer fold, inner fold
    for k in range(FOLDS):
        for j in range(k):
            test = np.flatnonzero((folds == k) | (folds == j))
            said = grid.scores(np.flatnonzero((folds != k) & (folds != j)), test)
            inner[k, j] = _auc(grid.y[test], said, folds[test] == j)
            inner[j, k] = _auc(grid.y[test], said, folds[test] == k)
    winners = np.nanmean(inner, axis=1).argmax(axis=1)
    each = np.stack([_auc(grid.y, outer, folds == k) for k in range(FOLDS)])
    return float(each[np.arange(FOLDS), winners].mean()), int(each.mean(axis=0).argmax())


def _auc(y: Floats, said: Floats, rows: Any) -> Floats:
    """Return the AUC of every configuration on some rows: (C,)."""
    high, low = said[rows & (y == 1)], said[rows & (y == 0)]
    apart = high[:, None] - low[None]
    return np.asarray(((apart > 0) + 0.5 * (apart == 0)).mean(axis=(0, 1)))


def _width(made: Estimate) -> float:
    assert made.interval is not None
    return made.interval.high - made.interval.low


def _limits(made: Estimate) -> list[float]:
    out = []
    for level in LEVELS:
        interval = made.at(confidence_level=level).interval
        assert interval is not None
        out += [interval.low, interval.high]
    return out


if __name__ == "__main__":
    main()
