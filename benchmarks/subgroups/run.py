"""Run the cells: python -m benchmarks.subgroups.run --out raw.csv --minutes 5 --processes 16.

A study has as many cases as the cell says, ten features, and an outcome that depends on four of
them. A search tries all configurations on the same five folds. The truth of a subgroup is the mean
score of the winner's five models on 12,000 new cases of its kind. With --sum, rows of raw files are
summed up by cell into results.csv.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from benchmarks.rows import read_rows, write_rows
from benchmarks.subgroups.grid import Cell, read_cells
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results.csv"
FEATURES, FOLDS, RESAMPLES, NEW = 10, 5, 300, 12_000
SLOPES = np.array([1.0, 0.7, -0.5, 0.3, 0, 0, 0, 0, 0, 0])
FIELDS = ("cell", "seed", "held", "gaps_held", "largest_held", "worse", "judged", "width", "bias")


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


def make_search(
    cell: Cell, rng: np.random.Generator
) -> list[tuple[ClassifierMixin, NDArray[np.intp]]]:
    """Return the configurations of a search: a learner, and the features that it sees."""
    search = []
    for _ in range(cell.n_configs):
        columns = np.flatnonzero(rng.random(FEATURES) < 0.6)
        columns = columns if len(columns) else np.array([0])
        learner = {
            "bayes": lambda: GaussianNB(var_smoothing=10.0 ** rng.uniform(-9, 0)),
            "linear": lambda: LogisticRegression(C=10.0 ** rng.uniform(-3, 2), max_iter=50),
            "trees": lambda: DecisionTreeClassifier(
                max_depth=int(rng.integers(2, 8)),
                min_samples_leaf=int(rng.integers(5, 30)),
                random_state=int(rng.integers(1 << 30)),
            ),
            "discriminant": lambda: LinearDiscriminantAnalysis(
                solver="lsqr", shrinkage=float(rng.uniform(0, 1))
            ),
        }[cell.learner]()
        search.append((learner, columns))
    return search


@dataclass(frozen=True)
class Study:
    """A study with the predictions of all configurations, and the models of each."""

    predictions: en.Predictions
    models: list[list[ClassifierMixin]]
    columns: list[NDArray[np.intp]]


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
    search = make_search(cell, rng)
    scores, fold = np.empty((len(y), len(search))), np.empty(len(y), dtype=np.int64)
    models: list[list[ClassifierMixin]] = [[] for _ in search]
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=int(rng.integers(1 << 30)))
    for k, (train, test) in enumerate(splits.split(x, y)):
        fold[test] = k
        for c, (learner, columns) in enumerate(search):
            model = clone(learner).fit(x[np.ix_(train, columns)], y[train])
            scores[test, c] = model.predict_proba(x[np.ix_(test, columns)])[:, 1]
            models[c].append(model)
    pi = en.Predictions.from_arrays(
        y, np.clip(scores, 1e-9, 1.0 - 1e-9), fold, by={"site": levels}, response="probability"
    )
    return Study(pi, models, [columns for _, columns in search])


def find_truth(cell: Cell, study: Study, winner: int, rng: np.random.Generator) -> Floats:
    """Return the mean score of the winner's models in each subgroup of the population."""
    strengths = list_strengths(cell)
    truth = {}
    for strength in set(strengths):
        x, y = draw_cases(rng, NEW, strength)
        x = x[:, study.columns[winner]]
        scores = np.stack([m.predict_proba(x)[:, 1] for m in study.models[winner]], axis=1)
        pi = en.Predictions.from_arrays(
            y, np.clip(scores, 1e-9, 1.0 - 1e-9), response="probability"
        )
        values = score_table(pi, cell.metric, Weights.ones(NEW))[0]
        truth[strength] = float(values.mean())
    return np.array([truth[strength] for strength in strengths])


def run_study(cell: Cell, seed: int) -> dict[str, object]:
    """Return whether the limits of one study hold."""
    rng = np.random.default_rng([cell.number, seed])
    study = draw_study(cell, rng)
    answer = en.estimate(
        study.predictions,
        metric=cell.metric,
        method="bbc",
        n_resamples=RESAMPLES,
        by="site",
        rng=seed,
    )
    groups = answer.subgroups
    assert groups is not None
    assert answer.winner is not None
    truth = find_truth(cell, study, study.predictions.configs.index(answer.winner), rng)
    sizes = np.array(cell.counts, dtype=np.float64)
    held, gaps_held, widths, away = True, True, [], []
    for each in groups:
        k = int(each.level)
        if each.low is None or each.high is None or each.value is None:
            continue
        held &= each.low <= truth[k] <= each.high
        widths.append(each.high - each.low)
        away.append(each.value - truth[k])
        if cell.metric != "roc_auc" or cell.equal:  # the others' AUC is of a mixture otherwise
            rest = np.delete(np.arange(len(sizes)), k)
            others = float(sizes[rest] @ truth[rest] / sizes[rest].sum())
            if each.gap_low is not None and each.gap_high is not None:
                gaps_held &= each.gap_low <= truth[k] - others <= each.gap_high
    judged = [int(each.level) for each in groups.judged]
    largest = True
    if groups.gaps:
        gap = groups.gaps[0]
        largest = gap.low <= float(np.ptp(truth[judged])) + 1e-12 and gap.high >= float(
            np.ptp(truth[judged])
        )
    return {
        "cell": cell.number,
        "seed": seed,
        "held": int(held),
        "gaps_held": int(gaps_held),
        "largest_held": int(largest),
        "worse": int(bool(groups.worse)),
        "judged": len(judged),
        "width": round(float(np.mean(widths)), 5) if widths else "",
        "bias": round(float(np.mean(away)), 5) if away else "",
    }


def _work(task: tuple[Cell, int]) -> dict[str, object]:
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
            writer.writerow(waiting.pop(0).get())
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
    studies: dict[int, dict[int, dict[str, str]]] = defaultdict(dict)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                studies[int(line["cell"])][int(line["seed"])] = line

    def mean(lines: dict[int, dict[str, str]], name: str) -> float:
        values = [float(line[name]) for line in lines.values() if line[name] != ""]
        return float(np.mean(values)) if values else float("nan")

    return [
        Row(
            cell=cell.number,
            half=cell.half,
            metric=cell.metric,
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
        if (lines := studies.get(cell.number))
    ]


def read_results() -> list[Row]:
    """Return the committed results."""
    return read_rows(Row, RESULTS)


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
