"""Repeat adaptive searches whose truth is known, unguarded, crossed and at random.

python -m benchmarks.adaptive.run --out FOLDER [--processes 16] [--minutes 6] [--half open]

A run draws a sample, searches it in each design, and compares the estimate with the mean score of
the winner's fold models on new cases. Designs: 'random' looks at no score, 'all' is told scores of
all cases, 'crossed' is two samplers told half each. Every run has its own seed, (SEED, cell, run);
blocks of runs are taken in random order, so a study that is cut short has fewer runs everywhere.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import earnest as en
from benchmarks.adaptive.grid import BLOCK, HERE, SEED, Cell, read
from benchmarks.adaptive.samplers import FEATURES, PENALTIES, make_search
from benchmarks.rows import write_rows
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import Guides, split_halves
from earnest.training.search.guidance import CrossedAsker, Proposal, score_halves

Floats = NDArray[np.float64]
FOLDS, NEW, RESAMPLES = 5, 3_000, 500
SHIFT = {"none": 0.0, "some": 0.6, "strong": 1.2}
DESIGNS = ("random", "all", "crossed")


@dataclass(frozen=True)
class Row:
    """One search: what it reported, and what is true."""

    cell: int
    run: int
    design: str
    truth: float
    naive: float
    value: float
    low: float
    high: float
    low_bound: float
    high_bound: float
    standard_error: float


class World:
    """A sample and new cases of one population, and the learner of a cell."""

    def __init__(self, cell: Cell, run: int) -> None:
        self.cell = cell
        self.rng = np.random.default_rng([SEED, cell.number, run])
        self.numbers = cell.metric == "r2"
        self.classes = 3 if cell.metric == "roc_auc_ovr" else 2
        self.X, self.y, self.groups = self._draw(cell.n)
        self.new, self.new_y, _ = self._draw(NEW)
        units = np.arange(cell.n) if self.groups is None else self.groups
        self.fold = np.stack([self._deal(units) for _ in range(cell.repeats)], axis=1)

    def _draw(self, n: int) -> tuple[Floats, Floats, NDArray[np.intp] | None]:
        size, shift = self.cell.group, SHIFT[self.cell.signal]
        units = n // size
        groups = np.repeat(np.arange(units), size)
        X = self.rng.standard_normal((units, FEATURES))[groups]
        if size > 1:
            X = (X + self.rng.standard_normal(X.shape)) / np.sqrt(2.0)
        if self.numbers:
            y = X[:, :5].sum(axis=1) * shift / np.sqrt(5.0) + self.rng.standard_normal(n)
            return X, y, None
        y = (np.arange(units) % self.classes)[groups].astype(float)
        if self.classes > 2:
            for label in range(self.classes):
                X[:, 5 * label : 5 * label + 5] += shift * (y == label)[:, None] / np.sqrt(5.0)
            return X, y, None
        X[:, :5] += shift * (2.0 * y - 1.0)[:, None] / np.sqrt(5.0)
        return X, y, None if size == 1 else groups

    def _deal(self, units: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return folds of whole units, stratified by class."""
        count = units.max() + 1
        layer = np.zeros(count) if self.numbers else self.y[np.unique(units, return_index=True)[1]]
        order = np.lexsort((self.rng.random(count), layer))
        fold = np.empty(count, dtype=np.intp)
        fold[order] = np.arange(count) % FOLDS
        return fold[units]

    def respond(self, params: dict[str, float]) -> tuple[Floats, Floats]:
        """Return out-of-fold responses (n, R), and those of all fold models to new cases (F, N).

        With more than two classes both have one more axis.
        """
        repeats = self.cell.repeats
        wide = () if self.classes == 2 else (self.classes,)
        tested = np.empty((self.cell.n, repeats, *wide))
        new = np.empty((repeats * FOLDS, NEW, *wide))
        for repeat in range(repeats):
            for fold in range(FOLDS):
                test = self.fold[:, repeat] == fold
                both = np.vstack([self.X[test], self.new])
                answer = self._learn(self.X[~test], self.y[~test], both, params)
                tested[test, repeat] = answer[: test.sum()]
                new[repeat * FOLDS + fold] = answer[test.sum() :]
        return tested, new

    def _learn(self, X: Floats, y: Floats, new: Floats, params: dict[str, float]) -> Floats:
        if self.cell.space == "masks":
            return self._ridge(X, y, new, params)
        u = [params[f"u{i}"] for i in range(5)]
        if self.cell.space == "tree":
            from sklearn.tree import DecisionTreeClassifier

            tree = DecisionTreeClassifier(
                max_depth=1 + int(u[0] * 11.99),
                min_samples_leaf=1 + int(u[1] * 29.99),
                max_features=0.05 + 0.95 * u[2],
                criterion="gini" if u[3] < 0.5 else "entropy",
                ccp_alpha=0.02 * u[4],
                random_state=0,
            )
            return np.asarray(tree.fit(X, y).predict_proba(new)[:, 1])
        from sklearn.ensemble import HistGradientBoostingClassifier

        boosting = HistGradientBoostingClassifier(
            max_iter=10 + int(u[0] * 40),
            learning_rate=10 ** (-2.0 + 1.7 * u[1]),
            max_leaf_nodes=2 + int(u[2] * 14),
            min_samples_leaf=2 + int(u[3] * 30),
            l2_regularization=10 ** (-3.0 + 4.0 * u[4]),
        )
        return np.asarray(boosting.fit(X, y).predict_proba(new)[:, 1])

    def _ridge(self, X: Floats, y: Floats, new: Floats, params: dict[str, float]) -> Floats:
        columns = [i for i in range(FEATURES) if params[f"f{i}"]] or list(range(FEATURES))
        if self.classes > 2:
            parts = [
                self._ridge_two(X, 2.0 * (y == label) - 1.0, new, columns, params)
                for label in range(self.classes)
            ]
            chances = np.clip((np.stack(parts, axis=1) + 1.0) / 2.0, 0.02, 0.98)
            return np.asarray(chances / chances.sum(axis=1, keepdims=True))
        outcome = y if self.numbers else 2.0 * y - 1.0
        answer = self._ridge_two(X, outcome, new, columns, params)
        return answer if self.numbers else np.clip((answer + 1.0) / 2.0, 0.02, 0.98)

    def _ridge_two(
        self, X: Floats, outcome: Floats, new: Floats, columns: list[int], params: dict[str, float]
    ) -> Floats:
        """Return what ridge regression on some columns predicts."""
        middle, mean = X[:, columns].mean(axis=0), outcome.mean()
        A = X[:, columns] - middle
        penalty = PENALTIES[int(params["penalty"])] * np.eye(len(columns))
        slopes = np.linalg.solve(A.T @ A + penalty, A.T @ (outcome - mean))
        return np.asarray(mean + (new[:, columns] - middle) @ slopes)

    def true_score(self, new: Floats) -> float:
        """Return the mean score of the fold models on new cases."""
        return float(np.mean([_score(self.cell.metric, self.new_y, row) for row in new]))

    def predictions(self, table: Sequence[Floats]) -> en.Predictions:
        """Return the predictions of configurations."""
        return en.Predictions.from_arrays(
            self.y if self.numbers else self.y.astype(int),
            np.stack(table, axis=1),
            self.fold,
            groups=self.groups,
            response=None if self.numbers else "probability",
        )


def _score(metric: str, y: Floats, said: Floats) -> float:
    if metric == "roc_auc":
        return float(roc_auc_score(y, said))
    if metric == "roc_auc_ovr":
        return float(roc_auc_score(y, said, multi_class="ovr"))
    if metric == "log_loss":
        return float(log_loss(y, said))
    if metric == "r2":
        return float(1.0 - np.mean((y - said) ** 2) / np.var(y))
    labels = said > 0.5
    return float(f1_score(y, labels) if metric == "f1" else np.mean(labels == y))


class Half:
    """The asker of a search that is told the scores of all cases, in the form of two that cross."""

    def __init__(self, search: object, seed: int) -> None:
        self._asker = search.start(seed)  # type: ignore[attr-defined]  # a dynamic search

    def ask(self) -> list[Proposal]:
        """Return the next configurations."""
        return [Proposal(0, 0, params) for params in self._asker.ask()]

    def tell(self, halves: Sequence[int], scores: Sequence[float]) -> None:
        """Learn the scores of the last ones."""
        self._asker.tell(list(scores))


def search(world: World, design: str, seed: int) -> Row:
    """Run one search, and judge it."""
    cell = world.cell
    name = "random" if design == "random" else cell.sampler
    candidates = make_search(name, cell.space, cell.trials)
    crossed = design == "crossed"
    asker = CrossedAsker(candidates, Seeds(seed)) if crossed else Half(candidates, seed)
    metric = en.metric(cell.metric)
    table: list[Floats] = []
    answers: list[Floats] = []
    guided: list[int] = []
    halves: NDArray[np.int8] | None = None
    while asked := asker.ask():
        pairs = [world.respond(dict(each.params)) for each in asked]  # type: ignore[arg-type]
        codes = [each.half for each in asked]
        batch = world.predictions([tested for tested, _ in pairs])
        if halves is None:
            halves = split_halves(batch.target, batch.folds, Seeds(seed))
        # Without crossing, as if one half held all cases, and guided all.
        mine = halves if crossed else np.zeros(cell.n, dtype=np.int8)
        guided_by = [each.guided_by for each in asked]
        guides = Guides(mine, np.array(guided_by, dtype=np.int8))
        asker.tell(codes, list(score_halves(replace(batch, guides=guides), codes, metric)))
        table += [tested for tested, _ in pairs]
        answers += [new for _, new in pairs]
        guided += guided_by
    assert halves is not None
    pi = world.predictions(table)
    if crossed:
        pi = replace(pi, guides=Guides(halves, np.array(guided, dtype=np.int8)))
    both = en.estimate(
        pi, metric=cell.metric, rng=seed, method=en.methods.BBC(n_resamples=RESAMPLES)
    )
    bounds = [both.at(side=side).interval for side in ("lower", "upper")]
    winner = pi.configs.index(str(both.winner))
    interval = both.interval
    assert interval is not None
    assert both.naive is not None
    return Row(
        cell.number,
        seed,
        design,
        world.true_score(answers[winner]),
        both.naive,
        both.value,
        interval.low,
        interval.high,
        bounds[0].low if bounds[0] else np.nan,
        bounds[1].high if bounds[1] else np.nan,
        both.standard_error or np.nan,
    )


def run_block(task: tuple[Cell, int]) -> list[Row]:
    """Return the searches of a block of runs."""
    cell, first = task
    return [
        search(World(cell, run), design, run)
        for run in range(first, min(first + BLOCK, cell.runs))
        for design in DESIGNS
    ]


def main() -> None:
    """Run what fits into the time, and write the rows as they come."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--half", choices=["open", "closed"])
    parser.add_argument("--runs", type=int, default=10_000)
    options = parser.parse_args()
    cells = [cell for cell in read() if options.half in (None, cell.half)]
    tasks = [(c, first) for c in cells for first in range(0, min(c.runs, options.runs), BLOCK)]
    order = np.random.default_rng(SEED).permutation(len(tasks))
    rows: list[Row] = []
    end = monotonic() + 60.0 * options.minutes
    with ProcessPoolExecutor(options.processes) as pool:
        futures = [pool.submit(run_block, tasks[place]) for place in order]
        try:
            for future in as_completed(futures, timeout=max(1.0, end - monotonic())):
                rows += future.result()
                rows.sort(key=lambda row: (row.cell, row.run, DESIGNS.index(row.design)))
                write_rows(rows, options.out / f"runs_{options.half or 'all'}.csv")
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    print(f"{len(rows)} searches of {len(cells)} cells", flush=True)


if __name__ == "__main__":
    main()
