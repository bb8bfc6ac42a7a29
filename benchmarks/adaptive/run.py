"""Repeat adaptive searches whose truth is known, in five designs.

python -m benchmarks.adaptive.run --out FOLDER [--processes 16] [--seconds 360] [--half open]

A run draws a sample, searches it in each design, and compares the estimate with the mean score of
the winner's fold models on new cases. Every run has its own seed, (SEED, cell, run), and every
design searches the same sample:

- 'random' looks at no score.
- 'all' is told the scores of all cases: unguarded.
- 'crossed' is two samplers, each told the scores of one half.
- 'half' is one sampler told the scores of one half; the other half judges.
- 'nested' runs the unguarded search again without each fold in turn, and scores what won there on
  that fold. The winner is that of 'all'. It costs four times as many fits more.

Cells are taken in turns, so a study that is cut short has about as many runs in each.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import cast

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import earnest as en
from benchmarks.adaptive.grid import HERE, SEED, Cell, read
from benchmarks.adaptive.samplers import (
    FEATURES,
    PENALTIES,
    Params,
    is_installed,
    make_search,
)
from benchmarks.rows import read_rows, write_rows
from earnest.core.base.rng import Seeds
from earnest.core.data.guides import FIXED, Guides, split_halves
from earnest.core.results.estimate import Estimate
from earnest.training.search.guidance import CrossedAsker, Proposal, score_halves
from earnest.training.search.preparation import DynamicSearch

Floats = NDArray[np.float64]
FOLDS, NEW, RESAMPLES = 5, 3_000, 500
MOST_NESTED = 150  # configurations of a search that is nested
SHIFT = {"none": 0.0, "some": 0.6, "strong": 1.2}
DESIGNS = ("random", "all", "crossed", "half", "nested")


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

    def respond(self, params: Params) -> Floats:
        """Return out-of-fold responses (n, R), with one more axis for more than two classes."""
        tested = np.empty((len(self.y), self.cell.repeats, *self.wide))
        for repeat, train, test in self.splits():
            tested[test, repeat] = self.learn(self.X[train], self.y[train], self.X[test], params)
        return tested

    def splits(self) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the repeat of each fold, and what it trains on and tests."""
        for repeat in range(self.cell.repeats):
            for fold in np.unique(self.fold[:, repeat]):
                test = self.fold[:, repeat] == fold
                yield repeat, np.flatnonzero(~test), np.flatnonzero(test)

    @property
    def wide(self) -> tuple[int, ...]:
        """The axis of the classes of a response, where there are several."""
        return () if self.classes == 2 else (self.classes,)

    def without(self, test: NDArray[np.intp]) -> World:
        """Return the world without some cases."""
        part = copy(self)
        part.X, part.y, part.fold = (
            np.delete(array, test, axis=0) for array in (self.X, self.y, self.fold)
        )
        part.groups = None if self.groups is None else np.delete(self.groups, test)
        return part

    def learn(self, X: Floats, y: Floats, new: Floats, params: Params) -> Floats:
        """Return what a model predicts of new cases."""
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

    def _ridge(self, X: Floats, y: Floats, new: Floats, params: Params) -> Floats:
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
        self, X: Floats, outcome: Floats, new: Floats, columns: list[int], params: Params
    ) -> Floats:
        """Return what ridge regression on some columns predicts."""
        middle, mean = X[:, columns].mean(axis=0), outcome.mean()
        A = X[:, columns] - middle
        penalty = PENALTIES[int(params["penalty"])] * np.eye(len(columns))
        slopes = np.linalg.solve(A.T @ A + penalty, A.T @ (outcome - mean))
        return np.asarray(mean + (new[:, columns] - middle) @ slopes)

    def true_score(self, params: Params) -> float:
        """Return the mean score of the fold models on new cases."""
        answers = (
            self.learn(self.X[train], self.y[train], self.new, params)
            for _, train, _ in self.splits()
        )
        return float(np.mean([_score(self.cell.metric, self.new_y, each) for each in answers]))

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


class OneSampler:
    """The asker of a search with one sampler, told the scores of half 0."""

    def __init__(self, search: DynamicSearch, seed: int) -> None:
        self._asker, self._guided_by = search.start(seed), FIXED

    def ask(self) -> list[Proposal]:
        """Return the next configurations."""
        return [Proposal(0, self._guided_by, params) for params in self._asker.ask()]

    def tell(self, halves: Sequence[int], scores: Sequence[float]) -> None:
        """Learn the scores of the last ones."""
        self._asker.tell(list(scores))
        self._guided_by = 0


@dataclass(frozen=True, eq=False)
class Searched:
    """The predictions of a search, and its configurations."""

    pi: en.Predictions
    params: list[Params]


def search(world: World, design: str, seed: int) -> Searched:
    """Run one search."""
    cell, metric = world.cell, en.metric(world.cell.metric)
    candidates = make_search(
        "random" if design == "random" else cell.sampler, cell.space, cell.trials
    )
    crossed, halved = design == "crossed", design in ("crossed", "half")
    asker = CrossedAsker(candidates, Seeds(seed)) if crossed else OneSampler(candidates, seed)
    table: list[Floats] = []
    params: list[Params] = []
    guided: list[int] = []
    halves = np.zeros(len(world.y), dtype=np.int8)  # without halves, half 0 is all cases
    while asked := asker.ask():
        proposals = [cast(Params, dict(each.params)) for each in asked]
        tested = [world.respond(each) for each in proposals]
        codes = [each.half for each in asked]
        batch = world.predictions(tested)
        if halved and not table:
            halves = split_halves(batch.target, batch.folds, Seeds(seed))
        guided_by = [each.guided_by for each in asked]
        guides = Guides(halves, np.array(guided_by, dtype=np.int8))
        asker.tell(codes, list(score_halves(replace(batch, guides=guides), codes, metric)))
        table += tested
        params += proposals
        guided += guided_by
    pi = world.predictions(table)
    if halved:
        pi = replace(pi, guides=Guides(halves, np.array(guided, dtype=np.int8)))
    return Searched(pi, params)


def judge(world: World, design: str, seed: int, searched: Searched) -> Row:
    """Return what a search reports, and what is true of its winner."""
    method = en.methods.BBC(n_resamples=RESAMPLES)
    both = en.estimate(searched.pi, metric=world.cell.metric, rng=seed, method=method)
    winner = searched.pi.configs.index(str(both.winner))
    return make_row(world, design, seed, both, world.true_score(searched.params[winner]))


def nest(world: World, seed: int, truth: float) -> Row:
    """Search without each fold in turn, score the winners there, and return what that reports."""
    metric, fold = world.cell.metric, world.fold[:, 0]
    tested = np.empty((len(world.y), 1, *world.wide))
    for number in range(FOLDS):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        inner = search(world.without(test), "all", seed * FOLDS + number)
        both = en.estimate(inner.pi, metric=metric, method="naive")
        params = inner.params[inner.pi.configs.index(str(both.winner))]
        tested[test, 0] = world.learn(world.X[train], world.y[train], world.X[test], params)
    both = en.estimate(world.predictions([tested]), metric=metric, rng=seed)
    return make_row(world, "nested", seed, both, truth)


def make_row(world: World, design: str, seed: int, both: Estimate, truth: float) -> Row:
    """Return a row of an estimate."""
    bounds = [both.at(side=side).interval for side in ("lower", "upper")]
    interval = both.interval
    assert interval is not None
    return Row(
        world.cell.number,
        seed,
        design,
        truth,
        both.value if both.naive is None else both.naive,
        both.value,
        interval.low,
        interval.high,
        bounds[0].low if bounds[0] else np.nan,
        bounds[1].high if bounds[1] else np.nan,
        both.standard_error or np.nan,
    )


def run_designs(task: tuple[Cell, int, Sequence[str]]) -> list[Row]:
    """Return the searches of one sample; nested ones where a search is short."""
    cell, run, designs = task
    world, rows = World(cell, run), list[Row]()
    for design in designs:
        if design != "nested":
            rows.append(judge(world, design, run, search(world, design, run)))
        elif cell.trials <= MOST_NESTED and cell.repeats == 1:
            unguarded = next((row for row in rows if row.design == "all"), None)
            if unguarded is None:
                unguarded = judge(world, "all", run, search(world, "all", run))
            rows.append(nest(world, run, unguarded.truth))
    return rows


def find_runs(cell: int) -> list[int]:
    """Return the runs of a cell that the files have."""
    files = (HERE / f"runs_{half}.csv" for half in ("open", "closed"))
    rows = (row for file in files for row in read_rows(Row, file))
    return sorted({row.run for row in rows if row.cell == cell})


def main() -> None:
    """Run what fits into the time, and write the rows as they come."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=360.0)
    parser.add_argument("--half", choices=["open", "closed"])
    parser.add_argument("--cells", type=int, nargs="*")
    parser.add_argument("--designs", nargs="*", choices=DESIGNS, default=DESIGNS)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--again", action="store_true", help="only runs that the files have")
    options = parser.parse_args()
    cells = [
        cell
        for cell in read()
        if options.half in (None, cell.half)
        and (not options.cells or cell.number in options.cells)
        and is_installed(cell.sampler)
    ]
    numbers = {
        cell.number: find_runs(cell.number) if options.again else list(range(cell.runs))
        for cell in cells
    }
    tasks = [
        (cell, numbers[cell.number][turn], tuple(options.designs))
        for turn in range(options.runs)
        for cell in cells
        if turn < len(numbers[cell.number])
    ]
    rows: list[Row] = []
    end = monotonic() + options.seconds
    pool = ProcessPoolExecutor(options.processes)
    futures = [pool.submit(run_designs, task) for task in tasks]
    try:
        for future in as_completed(futures, timeout=max(1.0, options.seconds)):
            rows += future.result()
            rows.sort(key=lambda row: (row.cell, row.run, DESIGNS.index(row.design)))
            write_rows(rows, options.out / "runs.csv")
            if monotonic() > end:
                break
    except TimeoutError:
        pass
    finally:
        for process in list((pool._processes or {}).values()):
            process.terminate()  # what has begun would outlive the time
        pool.shutdown(wait=False, cancel_futures=True)
    print(f"{len(rows)} searches of {len(cells)} cells", flush=True)


if __name__ == "__main__":
    main()
