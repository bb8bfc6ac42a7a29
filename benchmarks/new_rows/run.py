"""Run the cells: python -m benchmarks.new_rows.run --half seen --minutes 5 --out raw.csv.

Features of drawn cases are normal. Numbers are predicted by least squares, classes by Gaussian
naive Bayes, each on a random set of ten features; the bundled tables of scikit-learn by nearest
neighbours, trees, ridge or logistic regression. The winner, or the ensemble, is fitted again on all
cases and predicts new ones: 2,000 drawn ones, or the rest of the table. Cells take turns. With
--sum, raw files become results.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from benchmarks.new_rows.grid import LEVELS, Cell, read_cells
from benchmarks.rows import read_rows, write_rows
from earnest.core.base.rng import Seeds
from earnest.inference.curves import new_rows
from earnest.inference.resampling.ensembles import choose_ensembles
from earnest.inference.resampling.winners import choose_winners

Floats = NDArray[np.float64]
Fit = Callable[[Floats, Floats], Callable[[Floats], Floats]]  # -> predict (m, C) or (m, C, K)
RESULTS = Path(__file__).parent / "results.csv"
FEATURES, FOLDS, NEW, GROUP = 10, 5, 2_000, 5


@dataclass(frozen=True)
class Row:
    """A level of a search: the share of new cases that it held for, and how large bounds are."""

    cell: int
    seed: int
    level: float
    corrected: int
    held: float
    size: float


@dataclass(frozen=True)
class Data:
    """Cases to search on, and new ones."""

    X: Floats
    y: Floats
    new_X: Floats
    new_y: Floats
    groups: NDArray[np.intp] | None = None


def draw_data(cell: Cell, rng: np.random.Generator) -> Data:
    """Return the cases of one search."""
    load = getattr(datasets, f"load_{cell.data}", None)
    if load is not None:
        X, y = load(return_X_y=True)
        order = rng.permutation(len(y))
        if cell.task != "regression":  # two cases at least of every class, so that folds have them
            first = [order[y[order] == k][:FOLDS] for k in np.unique(y)]
            if FOLDS * len(first) < cell.n:
                rest = np.setdiff1d(order, np.concatenate(first))
                order = np.concatenate([*first, rng.permutation(rest)])
        old, new = order[: cell.n], order[cell.n :]
        return Data(X[old], y[old].astype(float), X[new], y[new].astype(float))
    n = cell.n + NEW
    X = rng.standard_normal((n, FEATURES))
    slopes = np.zeros(FEATURES) if cell.data == "noise" else np.r_[1.0, 0.7, -0.5, 0.3, np.zeros(6)]
    groups = None
    if cell.task == "regression":
        noise = rng.standard_t(3, n) if cell.data == "heavy" else rng.standard_normal(n)
        if cell.data == "groups":
            groups = np.arange(n) // GROUP
            noise = noise + 1.5 * rng.standard_normal(groups[-1] + 1)[groups]
        y = X @ slopes + noise
    elif cell.task == "binary":
        y = (rng.random(n) < 1.0 / (1.0 + np.exp(-1.5 * (X @ slopes)))).astype(float)
    else:
        logits = np.stack([X @ slopes, X @ np.roll(slopes, 3), np.zeros(n)], axis=1)
        y = np.argmax(1.5 * logits + rng.gumbel(size=(n, 3)), axis=1).astype(float)
    k = cell.n
    return Data(X[:k], y[:k], X[k:], y[k:], None if groups is None else groups[:k])


def draw_sets(rng: np.random.Generator, count: int) -> NDArray[np.bool_]:
    """Return random sets of features (C, p), none empty."""
    sets = rng.random((count, FEATURES)) < 0.4
    sets[np.arange(count), rng.integers(0, FEATURES, count)] = True
    return sets


def fit_least_squares(sets: NDArray[np.bool_]) -> Fit:
    """Return what fits least squares on every set."""

    def fit(X: Floats, y: Floats) -> Callable[[Floats], Floats]:
        slopes = np.zeros((FEATURES + 1, len(sets)))
        wide = np.column_stack([X, np.ones(len(X))])
        for c, chosen in enumerate(sets):
            columns = np.append(np.flatnonzero(chosen), FEATURES)
            slopes[columns, c] = np.linalg.lstsq(wide[:, columns], y, rcond=None)[0]
        return lambda new: np.column_stack([new, np.ones(len(new))]) @ slopes

    return fit


def fit_bayes(sets: NDArray[np.bool_], n_classes: int) -> Fit:
    """Return what fits Gaussian naive Bayes on every set."""

    def fit(X: Floats, y: Floats) -> Callable[[Floats], Floats]:
        apart = [X[y == k] for k in range(n_classes)]
        shares = np.log([max(len(rows), 0.5) / len(X) for rows in apart])
        means = np.stack([rows.mean(axis=0) if len(rows) else X.mean(axis=0) for rows in apart])
        spread = np.stack([rows.var(axis=0) if len(rows) > 1 else X.var(axis=0) for rows in apart])
        spread = spread + 0.1

        def predict(new: Floats) -> Floats:
            away = new[:, None] - means  # (m, K, p)
            terms = -0.5 * (away**2 / spread + np.log(spread))
            chances = softmax((terms @ sets.T.astype(float)) + shares[:, None], axis=1)
            chances = np.moveaxis(chances, 1, 2)  # (m, C, K)
            return chances[..., 1] if n_classes == 2 else chances

        return predict

    return fit


def fit_learners(task: str, n_classes: int) -> Fit:
    """Return what fits twelve learners of scikit-learn."""
    neighbours, depths, strengths = (1, 3, 7, 15), (1, 2, 4, None), (1e-2, 1e-1, 1.0, 10.0)
    if task == "regression":
        models = [make_pipeline(StandardScaler(), KNeighborsRegressor(k)) for k in neighbours]
        models += [DecisionTreeRegressor(max_depth=depth, random_state=0) for depth in depths]
        models += [make_pipeline(StandardScaler(), Ridge(alpha)) for alpha in strengths]
    else:
        models = [make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in neighbours]
        models += [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in depths]
        models += [make_pipeline(StandardScaler(), LogisticRegression(C=c)) for c in strengths]

    def fit(X: Floats, y: Floats) -> Callable[[Floats], Floats]:
        for model in models:
            model.fit(X, y)

        def predict(new: Floats) -> Floats:
            if task == "regression":
                return np.stack([model.predict(new) for model in models], axis=1)
            chances = np.zeros((len(new), len(models), n_classes))
            for c, model in enumerate(models):
                chances[:, c, model.classes_.astype(int)] = model.predict_proba(new)
            return chances[..., 1] if n_classes == 2 else chances

        return predict

    return fit


def run_search(cell: Cell, seed: int) -> list[Row]:
    """Return how often bounds hold for new cases, corrected and not, at every level."""
    rng = np.random.default_rng([cell.number, seed])
    data = draw_data(cell, rng)
    n_classes = 0 if cell.task == "regression" else int(max(data.y.max(), data.new_y.max())) + 1
    if hasattr(datasets, f"load_{cell.data}"):
        fit = fit_learners(cell.task, n_classes)
    else:
        sets = draw_sets(rng, cell.n_configs)
        fit = fit_bayes(sets, n_classes) if n_classes else fit_least_squares(sets)
    fold = np.empty(cell.n, dtype=int)
    splitter = KFold(FOLDS, shuffle=True, random_state=seed)
    if n_classes:
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    if data.groups is not None:
        splitter = GroupKFold(FOLDS)
    parts = []
    for k, (train, test) in enumerate(splitter.split(data.X, data.y, data.groups)):
        fold[test] = k
        parts.append((test, fit(data.X[train], data.y[train])(data.X[test])))
    responses = np.empty((cell.n, *parts[0][1].shape[1:]))
    for test, answers in parts:
        responses[test] = answers
    y = data.y if not n_classes else data.y.astype(int)
    pi = en.Predictions.from_arrays(
        y, responses, repeats=1, fold=fold, groups=data.groups, task=cell.task,
        **({"classes": list(range(n_classes))} if n_classes > 2 else {}),
    )  # fmt: skip
    metric = en.metric(cell.by).on(pi.target.task)
    ones = new_rows.Weights.ones(cell.n)
    rule = en.rules.GreedyEnsemble(size=10, guard=True) if cell.rule else None
    shares = np.zeros((1, pi.n_configs))
    if rule is None:
        shares[0, choose_winners(pi, metric, ones, new_rows.Pooled())[0]] = 1.0
    else:
        shares = choose_ensembles(pi, metric, ones, rule)
    members = {pi.configs.ids[c]: float(shares[0, c]) for c in np.flatnonzero(shares[0])}
    answers = fit(data.X, data.y)(data.new_X)
    answer = np.tensordot(answers, shares[0], axes=([1], [0]))
    errors, sizes = measure_new(answer, data.new_y, n_classes)
    several = rule if len(members) > 1 else None
    rows = []
    for corrected in (1, 0):
        some = pi if corrected else pi.select(list(members))
        seen = new_rows.measure_errors(some, metric, members, Seeds(seed), rule=several)
        if not corrected and several is not None:
            continue
        assert seen is not None
        for level in LEVELS:
            if level > seen.highest_level:
                continue
            bound = seen.find_bound(level)
            held = float((errors <= bound + 1e-9).mean())
            rows.append(Row(cell.number, seed, level, corrected, held, sizes(bound)))
    return rows


def measure_new(
    answer: Floats, y: Floats, n_classes: int
) -> tuple[Floats, Callable[[float], float]]:
    """Return the errors of new cases, -1 for the likeliest class, and the mean size of sets."""
    if not n_classes:
        return np.abs(y - answer), lambda bound: 2 * bound
    chances = np.column_stack([1.0 - answer, answer]) if n_classes == 2 else answer
    rows = np.arange(len(y))
    missing = 1.0 - chances
    missing[rows, np.argmax(chances, axis=1)] = -1.0
    return missing[rows, y.astype(int)], lambda bound: float(
        (missing <= bound + 1e-9).sum(1).mean()
    )


def run(half: str, minutes: float, out: Path, most: int) -> None:
    """Run searches of all cells in turn until the time is over."""
    cells = [cell for cell in read_cells() if cell.half == half]
    end = time.monotonic() + 60 * minutes
    warnings.simplefilter("ignore")
    with out.open("w", encoding="utf-8", newline="") as file:
        names = [each.name for each in fields(Row)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for seed in range(most):
            for cell in cells:
                if time.monotonic() > end:
                    return
                writer.writerows(map(asdict, run_search(cell, seed)))
            file.flush()


@dataclass(frozen=True)
class Result:
    """A level of a cell: the mean share of new cases that its bounds held for.

    `searches` are those whose cases sufficed for the level after the correction.
    """

    cell: int
    half: str
    data: str
    task: str
    n: int
    n_configs: int
    by: str
    rule: str
    level: float
    searches: int
    held: float
    error: float
    held_uncorrected: float
    size: float
    size_uncorrected: float


def read_results() -> list[Result]:
    """Return the committed results."""
    return read_rows(Result, RESULTS)


def sum_up(raw: list[Path]) -> list[Result]:
    """Return the means of all cells."""
    cells = {cell.number: cell for cell in read_cells()}
    found: dict[tuple[int, float, int], list[tuple[float, float]]] = defaultdict(list)
    for row in (row for path in raw for row in read_rows(Row, path)):
        found[row.cell, row.level, row.corrected].append((row.held, row.size))
    results = []
    for number, level in sorted({key[:2] for key in found if key[2]}):
        pairs = np.array(found[number, level, 1])
        plain = np.array(found.get((number, level, 0), [(np.nan, np.nan)]))
        cell = cells[number]
        results.append(
            Result(
                number, cell.half, cell.data, cell.task, cell.n, cell.n_configs, cell.by, cell.rule,
                level, len(pairs), float(pairs[:, 0].mean()),
                float(pairs[:, 0].std() / np.sqrt(len(pairs))), float(plain[:, 0].mean()),
                float(pairs[:, 1].mean()), float(plain[:, 1].mean()),
            )
        )  # fmt: skip
    return results


def main() -> None:
    """Run, or sum up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="seen", choices=["seen", "unseen"])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--most", type=int, default=1_000)
    parser.add_argument("--out", type=Path, default=Path("raw.csv"))
    parser.add_argument("--sum", type=Path, nargs="+")
    asked = parser.parse_args()
    if asked.sum:
        write_rows(sum_up(asked.sum), RESULTS)
    else:
        run(asked.half, asked.minutes, asked.out, asked.most)


if __name__ == "__main__":
    main()
