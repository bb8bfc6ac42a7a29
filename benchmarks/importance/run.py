"""Run the cells: python -m benchmarks.importance.run --out raw.csv --minutes 2 --processes 16.

A study has eight features: three matter, less and less; one goes with the first, and a set of both
changes cases together; one is a level that matters; and three are noise. A search tries ten
configurations, each with its own features and strength, on the same five folds, and the best by the
pooled metric is explained. The truth is how much worse the five models of the winner score 30 times
as many new cases, if a column comes from other new cases; of noise it is 0. With --sum, rows of raw
files are summed up by cell, metric and kind of column into results.csv.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import earnest as en
from benchmarks.blocks import run_blocks
from benchmarks.importance.grid import METRICS, Cell, read_cells
from benchmarks.rows import read_rows, write_rows
from earnest.core.data.weights import Weights
from earnest.inference.cases.permuted import draw_donors, score_permuted
from earnest.kernels.score import score_table

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results.csv"
FOLDS, N_CONFIGS, NEW, MOST_NEW, EDGE, LEVEL = 5, 10, 30, 30_000, 1e-6, 0.95
SLOPES = np.array([1.2, 0.6, 0.3, 0.0, 0.5, 0.0, 0.0, 0.0])
KINDS = ("strong", "medium", "weak", "alike", "level", "noise", "noise", "noise")
ITEMS = (*((k,) for k in range(len(KINDS))), (0, 3))
SEARCHES = 4  # of a block
SLOW = ("average_precision",)  # resampled: only in the first search of a block
FIELDS = ("cell", "metric", "kind", "seed", "n", "held", "above", "below", "width", "bias", "truth")


@dataclass(frozen=True)
class Cases:
    """Features, outcomes, and which cases are alike."""

    x: Floats
    y: Floats
    groups: NDArray[np.intp] | None


def draw_cases(rng: np.random.Generator, cell: Cell, n: int) -> Cases:
    """Return cases, in groups that share half of the variance of features and of the outcome."""
    groups = None if cell.together == 1 else np.arange(n) // cell.together
    shared = np.zeros((n, 9)) if groups is None else _share(rng, groups)
    share = 0.0 if groups is None else 0.5
    z = np.sqrt(share) * shared + np.sqrt(1 - share) * rng.standard_normal((n, 9))
    x = z[:, :8].copy()
    x[:, 3] = 0.9 * x[:, 0] + np.sqrt(1 - 0.81) * x[:, 3]
    x[:, 4] = x[:, 4] > 0
    signal = x @ SLOPES + 0.5 * x[:, 0] * x[:, 1]
    if cell.task == "numbers":
        return Cases(x, signal + z[:, 8], groups)
    chance = expit(1.5 * (signal - 0.25) + z[:, 8] * (share > 0))
    return Cases(x, (rng.random(n) < chance).astype(np.float64), groups)


def _share(rng: np.random.Generator, groups: NDArray[np.intp]) -> Floats:
    return rng.standard_normal((groups.max() + 1, 9))[groups]


@dataclass(frozen=True)
class Configuration:
    """A learner of some features, and how strongly it is held back."""

    used: NDArray[np.intp]
    strength: float
    seed: int

    def fit(self, cell: Cell, x: Floats, y: Floats) -> Any:
        """Return the fitted model."""
        leaf = max(1, round(self.strength))
        classes = cell.task == "classes"
        if cell.learner == "linear":
            model = LogisticRegression(C=1 / self.strength) if classes else Ridge(self.strength)
        elif cell.learner == "trees":
            kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
            model = kind(min_samples_leaf=leaf, random_state=self.seed)
        else:
            kind = ExtraTreesClassifier if classes else ExtraTreesRegressor
            model = kind(15, min_samples_leaf=leaf, random_state=self.seed)
        return model.fit(x[:, self.used], y)

    def answer(self, model: Any, x: Floats) -> Floats:
        """Return probabilities or numbers."""
        if hasattr(model, "predict_proba"):
            return np.clip(model.predict_proba(x[:, self.used])[:, 1], EDGE, 1 - EDGE)
        return np.asarray(model.predict(x[:, self.used]))


@dataclass(frozen=True)
class Study:
    """A study: its cases, their folds, and the models of every configuration."""

    cases: Cases
    fold: NDArray[np.intp]
    configs: list[Configuration]
    models: list[list[Any]]  # by configuration and fold
    scores: Floats


def draw_study(cell: Cell, rng: np.random.Generator) -> Study:
    """Draw the cases, and train all configurations on the folds."""
    while True:
        cases = draw_cases(rng, cell, cell.size)
        units = np.arange(cell.size) if cases.groups is None else cases.groups
        fold = (rng.permutation(units.max() + 1) % FOLDS)[units]
        if cell.task == "numbers" or all(
            5 <= cases.y[fold == k].sum() <= (fold == k).sum() - 5 for k in range(FOLDS)
        ):
            break
    configs = []
    for seed in range(N_CONFIGS):
        used = rng.random(len(KINDS)) < 0.75
        used[0] = True
        strength = float(10 ** rng.uniform(0, 1.3))
        configs.append(Configuration(np.flatnonzero(used), strength, seed))
    models = [
        [config.fit(cell, cases.x[fold != k], cases.y[fold != k]) for k in range(FOLDS)]
        for config in configs
    ]
    scores = np.empty((cell.size, N_CONFIGS))
    for c, config in enumerate(configs):
        for k in range(FOLDS):
            scores[fold == k, c] = config.answer(models[c][k], cases.x[fold == k])
    return Study(cases, fold, configs, models, scores)


def predict_permuted(
    config: Configuration,
    models: list[Any],
    x: Floats,
    fold: NDArray[np.intp],
    donors: NDArray[np.intp],
    item: tuple[int, ...],
) -> Floats:
    """Return what the models say with the values of donors: (n, R)."""
    answers = np.empty(donors.shape)
    for k, model in enumerate(models):
        rows = np.flatnonzero(fold == k)
        for turn in range(donors.shape[1]):
            mixed = x[rows].copy()
            mixed[:, item] = x[donors[rows, turn]][:, item]
            answers[rows, turn] = config.answer(model, mixed)
    return answers


def make_predictions(cell: Cell, cases: Cases, scores: Floats) -> en.Predictions:
    """Return predictions of columns of scores."""
    if cell.task == "numbers":
        return en.Predictions.from_arrays(cases.y, scores, groups=cases.groups, task="regression")
    return en.Predictions.from_arrays(
        cases.y.astype(int), scores, groups=cases.groups, response="probability"
    )


def explain(
    cell: Cell, study: Study, metric: str, rng: np.random.Generator
) -> Iterator[tuple[str, Any, float]]:
    """Yield the kind of every item, its importance, and the truth."""
    measure = en.metric(metric)
    sign = 1.0 if measure.greater_is_better else -1.0
    pi = make_predictions(cell, study.cases, study.scores)
    winner = int(np.argmax(sign * score_table(pi, measure, Weights.ones(cell.size))[0]))
    config, models = study.configs[winner], study.models[winner]
    donors = draw_donors(study.fold, cell.n_permutations, rng, study.cases.groups)
    new = draw_cases(rng, cell, min(NEW * cell.size, MOST_NEW))
    turns = np.arange(len(new.y)) // cell.together % FOLDS
    other = draw_donors(turns, 1, rng, new.groups)
    for item in ITEMS:
        used = set(item) & set(config.used.tolist())
        kind = "together" if len(item) > 1 else KINDS[item[0]]
        answers = predict_permuted(config, models, study.cases.x, study.fold, donors, item)
        mine = np.column_stack([study.scores[:, winner], answers])
        drop = score_permuted(
            make_predictions(cell, study.cases, mine), measure, study.fold, donors, rng
        )
        if not used:
            continue  # 0, and shown so
        truth = 0.0
        if kind != "noise":
            plain = predict_permuted(
                config, models, new.x, turns, np.arange(len(new.y))[:, None], item
            )
            mixed = predict_permuted(config, models, new.x, turns, other, item)
            both = make_predictions(
                cell, Cases(new.x, new.y, None), np.column_stack([plain, mixed])
            )
            scores = score_table(both, measure, Weights.ones(len(new.y)))[0]
            truth = float(sign * (scores[0] - scores[1]))
        yield kind, drop, truth


def simulate(number: int, seed: int) -> list[dict[str, Any]]:
    """Return what a few searches of a cell add to each metric and kind of column."""
    warnings.simplefilter("ignore")
    cell = read_cells()[number]
    sums: dict[tuple[str, str], NDArray[np.float64]] = defaultdict(lambda: np.zeros(7))
    for turn in range(SEARCHES):
        rng = np.random.default_rng([number, seed, turn])
        study = draw_study(cell, rng)
        for metric in METRICS[cell.task]:
            if metric in SLOW and turn:
                continue
            for kind, drop, truth in explain(cell, study, metric, rng):
                low, high = drop.find_limits(LEVEL)
                sums[metric, kind] += (
                    1,
                    low <= truth <= high,
                    low > 0,
                    high < 0,
                    high - low,
                    drop.value - truth,
                    truth,
                )
    return [
        dict(zip(FIELDS, (number, metric, kind, seed, *values.round(6).tolist()), strict=True))
        for (metric, kind), values in sums.items()
    ]


def run_cells(out: Path, *, half: str, first: int, seconds: float, processes: int) -> None:
    """Run blocks of searches until the time is over, and write them as they come."""
    cells = [cell.number for cell in read_cells() if half in ("all", cell.half)]
    tasks = [(number, seed) for seed in range(first, first + 400) for number in cells]
    began = time.monotonic()
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for start in range(0, len(tasks), len(cells) * 4):
            left = seconds - (time.monotonic() - began)
            if left <= 0:
                break
            blocks = tasks[start : start + len(cells) * 4]
            for _, rows in run_blocks(
                simulate, blocks, processes=processes, minutes=left / 60, seed=start
            ):
                writer.writerows(rows)
                file.flush()


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the searches of a cell say of a kind of column: shares, and means in the metric."""

    cell: int
    half: str
    task: str
    learner: str
    size: int
    together: int
    n_permutations: int
    metric: str
    kind: str
    columns: int
    held: float
    shown_above: float
    shown_below: float
    width: float
    bias: float
    truth: float


def sum_up(paths: list[Path]) -> list[Row]:
    """Return a row for each cell, metric and kind of column."""
    sums: dict[tuple[int, str, str], NDArray[np.float64]] = defaultdict(lambda: np.zeros(7))
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = int(row["cell"]), row["metric"], row["kind"]
                sums[key] += [float(row[name]) for name in FIELDS[4:]]
    cells, rows = read_cells(), []
    for (number, metric, kind), (n, *values) in sorted(sums.items()):
        cell = cells[number]
        rows.append(
            Row(
                cell=number,
                half=cell.half,
                task=cell.task,
                learner=cell.learner,
                size=cell.size,
                together=cell.together,
                n_permutations=cell.n_permutations,
                metric=metric,
                kind=kind,
                columns=int(n),
                **dict(
                    zip(
                        ("held", "shown_above", "shown_below", "width", "bias", "truth"),
                        (value / n for value in values),
                        strict=True,
                    )
                ),
            )
        )
    return rows


def read_results() -> list[Row]:
    """Return the committed results."""
    return read_rows(Row, RESULTS)


def make_table() -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the page: all cells of a metric together."""
    heads = ["metric", "importances", "intervals held", "of noise", "noise called needed"]
    rows = read_results()
    metrics = [metric for some in METRICS.values() for metric in some]
    lines = [[f"`{metric}`", *_sum_rows([row for row in rows if row.metric == metric])]
             for metric in metrics]  # fmt: skip
    return heads, [*lines, ["all", *_sum_rows(rows)]]


def _sum_rows(rows: list[Row]) -> list[str]:
    """Return how many importances there are, and shares over all of them."""
    noise = [row for row in rows if row.kind == "noise"]
    count, of_noise = (sum(row.columns for row in some) for some in (rows, noise))
    held = sum(row.columns * row.held for row in rows) / count
    called = sum(row.columns * row.shown_above for row in noise) / of_noise
    return [f"{count:,}", f"{held:.3f}", f"{of_noise:,}", f"{called:.3f}"]


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
