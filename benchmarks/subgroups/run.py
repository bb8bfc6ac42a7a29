"""Run the cells: python -m benchmarks.subgroups.run --out raw.csv --minutes 5 --processes 16.

A study has as many cases as the cell says, ten features, and an outcome that depends on four of
them. A search tries all configurations on the same five folds: Gaussian naive Bayes and linear
discriminants on random sets of features, fitted for all sets at once, or scikit-learn's trees. The
truth of a subgroup is the mean score of the winner's five models on 6,000 new cases of its kind.
With --sum, rows of raw files are summed up by cell and metric into results.csv.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from benchmarks.rows import read_rows, write_rows
from benchmarks.subgroups.grid import METRICS, Cell, read_cells
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table

Floats = NDArray[np.float64]
Model = Callable[[Floats], Floats]  # features (n, p) -> probabilities of the positive class (n,)
RESULTS = Path(__file__).parent / "results.csv"
FEATURES, FOLDS, RESAMPLES, NEW, EDGE = 10, 5, 200, 6_000, 1e-6
SLOPES = np.array([1.0, 0.7, -0.5, 0.3, 0, 0, 0, 0, 0, 0])
FIELDS = (
    *("cell", "metric", "seed", "held", "gaps_held", "largest_held", "worse", "judged"),
    *("width", "bias"),
)


def draw_cases(
    rng: np.random.Generator, n: int, strength: float
) -> tuple[Floats, NDArray[np.int64]]:
    """Return features and outcomes; the greater the strength, the more they have in common."""
    features = rng.standard_normal((n, FEATURES))
    chance = 1.0 / (1.0 + np.exp(-strength * (features @ SLOPES)))
    return features, (rng.random(n) < chance).astype(np.int64)


def list_strengths(cell: Cell) -> list[float]:
    """Return the strength of each subgroup."""
    pattern = (1.0,) if cell.equal else (1.4, 1.0, 0.4)
    return [pattern[k % len(pattern)] for k in range(len(cell.counts))]


def fit_bayes(x: Floats, y: NDArray[np.int64], sets: NDArray[np.bool_]) -> list[Model]:
    """Return Gaussian naive Bayes on each set of features (C, p)."""
    means = np.stack([x[y == k].mean(axis=0) for k in (0, 1)])
    spreads = np.stack([x[y == k].var(axis=0) for k in (0, 1)]) + 1e-9
    start = np.log(y.mean() / (1.0 - y.mean()))

    def ratio(new: Floats) -> Floats:
        away = [np.log(spreads[k]) + (new - means[k]) ** 2 / spreads[k] for k in (0, 1)]
        return np.asarray(0.5 * (away[0] - away[1]))

    return [lambda new, used=used: expit(start + ratio(new) @ used) for used in sets]


def fit_discriminants(x: Floats, y: NDArray[np.int64], sets: NDArray[np.bool_]) -> list[Model]:
    """Return linear discriminants on each set of features (C, p)."""
    means = np.stack([x[y == k].mean(axis=0) for k in (0, 1)])
    away = x - means[y]
    pooled = away.T @ away / (len(x) - 2) + 1e-6 * np.eye(x.shape[1])
    start = np.log(y.mean() / (1.0 - y.mean()))
    models: list[Model] = []
    for used in sets:
        rows = np.flatnonzero(used)
        slopes = np.zeros(x.shape[1])
        slopes[rows] = np.linalg.solve(pooled[np.ix_(rows, rows)], (means[1] - means[0])[rows])
        level = start - slopes @ means.mean(axis=0)
        models.append(lambda new, b=slopes, a=level: expit(a + new @ b))
    return models


def fit_trees(x: Floats, y: NDArray[np.int64], sets: NDArray[np.bool_]) -> list[Model]:
    """Return a tree on each set of features (C, p), with at least ten cases in a leaf."""
    models: list[Model] = []
    for used in sets:
        tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=10, random_state=0)
        tree.fit(x[:, used], y)
        models.append(lambda new, tree=tree, used=used: tree.predict_proba(new[:, used])[:, 1])
    return models


LEARNERS = {"bayes": fit_bayes, "discriminant": fit_discriminants, "trees": fit_trees}


@dataclass(frozen=True)
class Study:
    """A study with the predictions of all configurations, and the models of each fold."""

    predictions: en.Predictions
    models: list[list[Model]]


def draw_study(cell: Cell, rng: np.random.Generator) -> Study:
    """Draw the cases of every subgroup, and train all configurations on the folds."""
    strengths = list_strengths(cell)
    while True:
        parts = [
            draw_cases(rng, n, strength) for n, strength in zip(cell.counts, strengths, strict=True)
        ]
        x, y = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        if np.bincount(y, minlength=2).min() >= FOLDS:
            break
    levels = np.repeat(np.arange(len(cell.counts)), cell.counts)
    sets = rng.random((cell.n_configs, FEATURES)) < 0.6
    sets[~sets.any(axis=1), 0] = True
    fold = np.empty(len(y), dtype=np.int64)
    for k in (0, 1):  # stratified
        rows = rng.permutation(np.flatnonzero(y == k))
        fold[rows] = np.arange(len(rows)) % FOLDS
    scores, models = np.empty((len(y), len(sets))), []
    for k in range(FOLDS):
        fitted = LEARNERS[cell.learner](x[fold != k], y[fold != k], sets)
        scores[fold == k] = np.column_stack([model(x[fold == k]) for model in fitted])
        models.append(fitted)
    pi = en.Predictions.from_arrays(
        y, np.clip(scores, EDGE, 1.0 - EDGE), fold, by={"site": levels}, response="probability"
    )
    return Study(pi, models)


def find_truth(
    cell: Cell, study: Study, metric: str, winner: int, rng: np.random.Generator
) -> Floats:
    """Return the mean score of the winner's models in each subgroup of the population."""
    strengths = list_strengths(cell)
    truth = {}
    for strength in dict.fromkeys(strengths):
        x, y = draw_cases(rng, NEW, strength)
        scores = np.column_stack([fitted[winner](x) for fitted in study.models])
        pi = en.Predictions.from_arrays(
            y, np.clip(scores, EDGE, 1.0 - EDGE), response="probability"
        )
        truth[strength] = float(score_table(pi, metric, Weights.ones(NEW))[0].mean())
    return np.array([truth[strength] for strength in strengths])


def run_study(cell: Cell, seed: int) -> list[dict[str, object]]:
    """Return whether the limits of one study hold, by metric."""
    rng = np.random.default_rng([cell.number, seed])
    study = draw_study(cell, rng)
    return [judge_study(cell, study, metric, seed, rng) for metric in METRICS]


def judge_study(
    cell: Cell, study: Study, metric: str, seed: int, rng: np.random.Generator
) -> dict[str, object]:
    """Return whether the limits of one study hold for a metric."""
    answer = en.estimate(
        study.predictions, metric=metric, method="bbc", n_resamples=RESAMPLES, by="site", rng=seed
    )
    groups = answer.subgroups
    assert groups is not None
    assert answer.winner is not None
    winner = study.predictions.configs.index(answer.winner)
    truth = find_truth(cell, study, metric, winner, rng)
    sizes = np.array(cell.counts, dtype=np.float64)
    held, gaps_held, widths, away = True, True, [], []
    for each in groups:
        k = int(each.level)
        if each.low is None or each.high is None or each.value is None:
            continue
        held &= each.low <= truth[k] <= each.high
        widths.append(each.high - each.low)
        away.append(each.value - truth[k])
        if metric != "roc_auc" or cell.equal:  # the others' AUC is of a mixture otherwise
            rest = np.delete(np.arange(len(sizes)), k)
            others = float(sizes[rest] @ truth[rest] / sizes[rest].sum())
            if each.gap_low is not None and each.gap_high is not None:
                gaps_held &= each.gap_low <= truth[k] - others <= each.gap_high
    judged = [int(each.level) for each in groups.judged]
    largest = True
    if groups.gaps:
        gap, true = groups.gaps[0], float(np.ptp(truth[judged]))
        largest = gap.low <= true + 1e-12 and gap.high >= true
    return {
        "cell": cell.number,
        "metric": metric,
        "seed": seed,
        "held": int(held),
        "gaps_held": int(gaps_held),
        "largest_held": int(largest),
        "worse": int(bool(groups.worse)),
        "judged": len(judged),
        "width": round(float(np.mean(widths)), 5) if widths else "",
        "bias": round(float(np.mean(away)), 5) if away else "",
    }


def _work(task: tuple[Cell, int]) -> list[dict[str, object]]:
    warnings.simplefilter("ignore")
    return run_study(*task)


def list_tasks(half: str, first: int) -> Iterator[tuple[Cell, int]]:
    """Yield a study of each cell in turn, for ever."""
    cells = [cell for cell in read_cells() if half in ("all", cell.half)]
    seed = first
    while True:
        yield from ((cell, seed) for cell in cells)
        seed += 1


def run_cells(out: Path, *, half: str, first: int, seconds: float, processes: int) -> None:
    """Write a row per study until the time is up."""
    end = time.monotonic() + seconds
    with out.open("w", encoding="utf-8", newline="") as file, multiprocessing.Pool(processes) as p:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        tasks = list_tasks(half, first)
        waiting = [p.apply_async(_work, (next(tasks),)) for _ in range(2 * processes)]
        while waiting and time.monotonic() < end:
            writer.writerows(waiting.pop(0).get())
            file.flush()
            waiting.append(p.apply_async(_work, (next(tasks),)))
        p.terminate()


@dataclass(frozen=True)
class Row:
    """What the studies of one cell say."""

    cell: int
    half: str
    metric: str
    layout: str
    equal: int
    learner: str
    n_configs: int
    studies: int
    held: float
    gaps_held: float
    largest_held: float
    called_worse: float
    judged: float
    width: float
    bias: float


def sum_up(paths: list[Path]) -> list[Row]:
    """Return a row per cell from raw files."""
    studies: dict[tuple[int, str], dict[int, dict[str, str]]] = defaultdict(dict)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                studies[int(line["cell"]), line["metric"]][int(line["seed"])] = line

    def mean(lines: dict[int, dict[str, str]], name: str) -> float:
        values = [float(line[name]) for line in lines.values() if line[name] != ""]
        return float(np.mean(values)) if values else float("nan")

    return [
        Row(
            cell=cell.number,
            half=cell.half,
            metric=metric,
            layout=cell.layout,
            equal=cell.equal,
            learner=cell.learner,
            n_configs=cell.n_configs,
            studies=len(lines),
            held=mean(lines, "held"),
            gaps_held=mean(lines, "gaps_held"),
            largest_held=mean(lines, "largest_held"),
            called_worse=mean(lines, "worse"),
            judged=mean(lines, "judged"),
            width=mean(lines, "width"),
            bias=mean(lines, "bias"),
        )
        for cell in read_cells()
        for metric in METRICS
        if (lines := studies.get((cell.number, metric)))
    ]


def read_results() -> list[Row]:
    """Return the committed results."""
    return read_rows(Row, RESULTS)


def make_table() -> tuple[list[str], Iterator[list[str]]]:
    """Return heads and rows of the page: all cells of a metric and a layout together."""
    heads = ["metric", "subgroups", "tables", "limits held", "gaps held", "called worse"]
    return heads, _list_rows(read_results())


def _list_rows(rows: list[Row]) -> Iterator[list[str]]:
    """Yield a row per metric and number of subgroups, then one of all."""
    parts = {
        "2 to 5": ("two", "two unlike", "three large", "five unlike"),
        "12": ("twelve",),
        "30": ("thirty small", "thirty unlike"),
    }
    for metric in METRICS:
        for words, layouts in parts.items():
            chosen = [row for row in rows if row.metric == metric and row.layout in layouts]
            if chosen:
                yield [f"`{metric}`", words, *_share(chosen)]
    yield ["all", "2 to 30", *_share(rows)]


def _share(rows: list[Row]) -> list[str]:
    """Return the tables of subgroups, a metric of a search each, and shares over all of them."""
    studies = np.array([row.studies for row in rows])
    held, gaps = (
        float(studies @ [getattr(row, name) for row in rows] / studies.sum())
        for name in ("held", "gaps_held")
    )
    equal = [row for row in rows if row.equal]
    count = sum(row.studies for row in equal)
    worse = sum(row.studies * row.called_worse for row in equal) / count if count else float("nan")
    return [f"{studies.sum():,}", f"{held:.3f}", f"{gaps:.3f}", f"{worse:.3f}" if count else "–"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("raw.csv"))
    parser.add_argument("--half", default="all", choices=["all", "seen", "unseen"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sum", type=Path, nargs="*", default=None)
    chosen = parser.parse_args()
    if chosen.sum:
        write_rows(sum_up(chosen.sum), RESULTS)
    else:
        run_cells(
            chosen.out,
            half=chosen.half,
            first=chosen.first,
            seconds=60 * chosen.minutes,
            processes=chosen.processes,
        )
