"""Run the cells: python -m benchmarks.weights.run --out raw.csv --seconds 150 --processes 16.

A search tries all configurations on the same five folds: Gaussian naive Bayes or linear
discriminants on random sets of features. The truth is the mean score of the winner's five models on
6,000 new cases of the population. Each sample is judged with its weights, and once more without:
what is then lost shows that the weights matter. With --sum, rows of raw files are summed up by cell
and metric into results.csv.
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
from scipy.special import expit

import earnest as en
from benchmarks.rows import read_rows, write_rows
from benchmarks.subgroups.run import EDGE, FEATURES, FOLDS, LEARNERS, SLOPES, Model
from benchmarks.weights.grid import METRICS, Cell, read_cells
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table

Floats = NDArray[np.float64]
RESULTS = Path(__file__).parent / "results.csv"
RESAMPLES, NEW, ALIKE = 200, 6_000, 0.5
SHARES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])  # of the population in each stratum
STRENGTHS = np.array([1.4, 1.2, 1.0, 0.7, 0.4])
FIELDS = ("cell", "metric", "method", "seed", "held", "plain_held", "width", "bias", "plain_bias")
METHODS = ("bbc", "near_winner")


@dataclass(frozen=True)
class Sample:
    """Cases of a design with their weights, strata and units."""

    x: Floats
    y: NDArray[np.int64]
    weights: Floats
    kind: str
    strata: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None


def draw_outcome(rng: np.random.Generator, odds: Floats) -> NDArray[np.int64]:
    """Return outcomes with these log odds."""
    return (rng.random(len(odds)) < expit(odds)).astype(np.int64)


def draw_population(
    cell: Cell, rng: np.random.Generator, n: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Return features and outcomes of cases of the population."""
    x = rng.standard_normal((n, FEATURES))
    if cell.design != "strata":
        return x, draw_outcome(rng, 1.2 * (x @ SLOPES))
    stratum = rng.choice(len(SHARES), n, p=SHARES)
    odds = STRENGTHS[stratum] * (x @ SLOPES) + ALIKE * rng.standard_normal(n)
    return x, draw_outcome(rng, odds)


def draw_sample(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return the sample that a design draws."""
    if cell.design == "strata":
        per_stratum = 3 if cell.strong else 8
        units = np.arange(len(SHARES) * per_stratum)
        groups = np.repeat(units, cell.n // len(units))
        strata = groups // per_stratum
        x = rng.standard_normal((len(groups), FEATURES))
        shared = ALIKE * rng.standard_normal(len(units))
        y = draw_outcome(rng, STRENGTHS[strata] * (x @ SLOPES) + shared[groups])
        return Sample(x, y, SHARES[strata], "survey", strata, groups)
    if cell.design == "shift":
        move = 1.0 if cell.strong else 0.5
        x = rng.standard_normal((cell.n, FEATURES))
        x[:, 0] += move
        y = draw_outcome(rng, 1.2 * (x @ SLOPES))
        return Sample(x, y, np.exp(-move * x[:, 0] + move**2 / 2.0), "importance")
    x, y = draw_population(cell, rng, 40 * cell.n)
    far = np.abs(x @ SLOPES) - 1.0
    chance = expit(-1.5 + (2.0 if cell.strong else 1.0) * far + 0.8 * y)
    taken = np.flatnonzero(rng.random(len(y)) < chance)[: cell.n]
    return Sample(x[taken], y[taken], 1.0 / chance[taken], "survey")


def draw_study(
    cell: Cell, rng: np.random.Generator
) -> tuple[en.Predictions, en.Predictions, list[list[Model]]]:
    """Return predictions with weights and without, and the models of each fold."""
    while True:
        sample = draw_sample(cell, rng)
        if np.bincount(sample.y, minlength=2).min() >= 2 * FOLDS:
            break
    n = len(sample.y)
    if sample.groups is None:
        fold = np.empty(n, dtype=np.int64)
        for k in (0, 1):
            rows = rng.permutation(np.flatnonzero(sample.y == k))
            fold[rows] = np.arange(len(rows)) % FOLDS
    else:
        fold = rng.permutation(np.arange(sample.groups.max() + 1) % FOLDS)[sample.groups]
    sets = rng.random((cell.n_configs, FEATURES)) < 0.6
    sets[~sets.any(axis=1), 0] = True
    scores, models = np.empty((n, len(sets))), []
    for k in range(FOLDS):
        train = fold != k
        fitted = LEARNERS[cell.learner](sample.x[train], sample.y[train], sets)
        scores[fold == k] = np.column_stack([model(sample.x[fold == k]) for model in fitted])
        models.append(fitted)
    plain = en.Predictions.from_arrays(
        sample.y,
        np.clip(scores, EDGE, 1.0 - EDGE),
        fold,
        groups=sample.groups,
        strata=sample.strata,
        response="probability",
    )
    return plain.with_weights(sample.weights, sample.kind), plain, models


def find_truth(
    cell: Cell, models: list[list[Model]], winner: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the mean score of the winner's models in the population, by metric."""
    x, y = draw_population(cell, rng, NEW)
    scores = np.column_stack([fitted[winner](x) for fitted in models])
    pi = en.Predictions.from_arrays(y, np.clip(scores, EDGE, 1.0 - EDGE), response="probability")
    ones = Weights.ones(NEW)
    return {metric: float(score_table(pi, metric, ones)[0].mean()) for metric in METRICS}


def run_study(cell: Cell, seed: int) -> list[dict[str, object]]:
    """Return whether the limits of one study hold, by metric and method."""
    rng = np.random.default_rng([cell.number, seed])
    weighted, plain, models = draw_study(cell, rng)
    truths: dict[int, dict[str, float]] = {}
    rows = []
    for metric in METRICS:
        for method in METHODS[: 1 if metric == "log_loss" else 2]:
            answers = [
                en.estimate(pi, metric=metric, method=method, n_resamples=RESAMPLES, rng=seed)
                for pi in (weighted, plain)
            ]
            held, away = [], []
            for answer in answers:
                assert answer.interval is not None
                winner = plain.configs.index(str(answer.winner))
                if winner not in truths:
                    new = np.random.default_rng([cell.number, seed, winner])
                    truths[winner] = find_truth(cell, models, winner, new)
                truth = truths[winner][metric]
                held.append(int(answer.interval.low <= truth <= answer.interval.high))
                away.append(round(answer.value - truth, 5))
            assert answers[0].interval is not None
            rows.append(
                {
                    "cell": cell.number,
                    "metric": metric,
                    "method": method,
                    "seed": seed,
                    "held": held[0],
                    "plain_held": held[1],
                    "width": round(answers[0].interval.width, 5),
                    "bias": away[0],
                    "plain_bias": away[1],
                }
            )
    return rows


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
    """Write the rows of each study until the time is up."""
    end = time.monotonic() + seconds
    with out.open("w", encoding="utf-8", newline="") as file, multiprocessing.Pool(processes) as p:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        tasks = list_tasks(half, first)
        waiting = [p.apply_async(_work, (next(tasks),)) for _ in range(2 * processes)]
        while waiting and time.monotonic() < end:
            try:
                writer.writerows(waiting[0].get(timeout=max(end - time.monotonic(), 0.0)))
            except multiprocessing.TimeoutError:
                break
            waiting.pop(0)
            file.flush()
            waiting.append(p.apply_async(_work, (next(tasks),)))
        p.terminate()


@dataclass(frozen=True)
class Row:
    """What the studies of one cell say."""

    cell: int
    half: str
    design: str
    strong: int
    n: int
    learner: str
    n_configs: int
    metric: str
    method: str
    studies: int
    held: float
    plain_held: float
    width: float
    bias: float
    plain_bias: float


def sum_up(paths: list[Path]) -> list[Row]:
    """Return a row per cell, metric and method from raw files."""
    studies: dict[tuple[int, str, str], dict[int, dict[str, str]]] = defaultdict(dict)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                key = int(line["cell"]), line["metric"], line["method"]
                studies[key][int(line["seed"])] = line

    def mean(lines: dict[int, dict[str, str]], name: str) -> float:
        return round(float(np.mean([float(line[name]) for line in lines.values()])), 5)

    cells = {cell.number: cell for cell in read_cells()}
    return [
        Row(
            cell=number,
            half=cells[number].half,
            design=cells[number].design,
            strong=cells[number].strong,
            n=cells[number].n,
            learner=cells[number].learner,
            n_configs=cells[number].n_configs,
            metric=metric,
            method=method,
            studies=len(lines),
            held=mean(lines, "held"),
            plain_held=mean(lines, "plain_held"),
            width=mean(lines, "width"),
            bias=mean(lines, "bias"),
            plain_bias=mean(lines, "plain_bias"),
        )
        for (number, metric, method), lines in sorted(studies.items())
    ]


def read_results() -> list[Row]:
    """Return the rows of the committed results."""
    return read_rows(Row, RESULTS)


def main() -> None:
    """Run cells, or sum raw files up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--half", choices=("seen", "unseen", "all"), default="all")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sum", type=Path, nargs="*")
    arguments = parser.parse_args()
    if arguments.sum:
        write_rows(sum_up(arguments.sum), RESULTS)
        return
    run_cells(
        arguments.out,
        half=arguments.half,
        first=arguments.first,
        seconds=arguments.seconds,
        processes=arguments.processes,
    )


if __name__ == "__main__":
    main()
