"""How often intervals of Harrell's correction hold, shifted and two-stage, beside BBC.

`python -m benchmarks.clinical.two_stage SECONDS SEED OUT [cells]` runs studies of the cells of
`two_stage_cells.csv` in turn for so many seconds and adds a line per study to OUT. Cases have five
normal features; the learner is a logistic regression, with a ridge that is chosen of four by
5-fold cross-validation where the cell is tuned, anew in every sample. The truth is the score of
the model of all cases on 20,000 new ones. 80 bootstrap samples, 5 samples of each.

`python -m benchmarks.clinical.two_stage table OUT...` writes `two_stage.csv` of such files.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

import earnest as en
from earnest.errors import EarnestError
from earnest.inference.left_out.scores import correct_each, score_replicates
from earnest.kernels import score_table
from earnest.methods.bootstrap.refined import draw_two_stage
from earnest.metrics import metric as metric_named

Array = NDArray[np.float64]
HERE = Path(__file__).parent
SAMPLES, INNER, NEW, FOLDS, FEWEST = 80, 5, 20_000, 5, 6
METRICS = ("roc_auc", "brier")
METHODS = ("shifted", "two_stage", "bbc")
SLOPES = np.array([0.8, 0.5, 0.3, 0.0, 0.0])
TRACE, RIDGES = 1e-4, np.array([0.3, 3.0, 10.0, 30.0])
STEPS = 12
HEAD = ("cell", "seed", "events", "metric", "method", "value", "low", "high", "truth")


@dataclass(frozen=True)
class Cell:
    """One cell of the grid."""

    cell: int
    open: bool
    cases: int
    prevalence: float
    tuned: bool


def read_cells() -> list[Cell]:
    """Return the cells as declared."""
    with (HERE / "two_stage_cells.csv").open(newline="") as file:
        return [
            Cell(
                int(row["cell"]),
                row["open"] == "1",
                int(row["cases"]),
                float(row["prevalence"]),
                row["tuned"] == "1",
            )
            for row in csv.DictReader(file)
        ]


def fit(X: Array, y: Array, weights: Array, ridge: Array) -> Array:
    """Return the coefficients (m, p) of logistic regressions under rows of weights (m, n)."""
    design = np.column_stack([np.ones(len(X)), X])
    beta = np.zeros((len(weights), design.shape[1]))
    penalty = np.tile(np.eye(design.shape[1]), (len(weights), 1, 1)) * ridge[:, None, None]
    penalty[:, 0, 0] = TRACE
    outer = (design[:, :, None] * design[:, None, :]).reshape(len(X), -1)
    for _ in range(STEPS):
        p = expit(np.clip(beta @ design.T, -30, 30))
        slopes = (weights * (y - p)) @ design - np.einsum("mij,mj->mi", penalty, beta)
        curve = ((weights * p * (1 - p)) @ outer).reshape(penalty.shape) + penalty
        step = np.linalg.solve(curve, slopes[..., None])[..., 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        beta = beta + step * np.minimum(1.0, 5.0 / np.maximum(size, 1e-9))
        if size.max() < 1e-8:
            break
    return beta


def predict(X: Array, beta: Array) -> Array:
    """Return probabilities (m, n)."""
    return np.asarray(expit(np.clip(beta @ np.column_stack([np.ones(len(X)), X]).T, -30, 30)))


def tune(X: Array, y: Array, weights: Array, folds: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return the chosen ridge of every row of weights, and the predictions of all out of fold."""
    out = np.empty((len(weights), len(RIDGES), len(X)))
    for fold in range(FOLDS):
        training = weights * (folds != fold)
        for r, ridge in enumerate(RIDGES):
            beta = fit(X, y, training, np.full(len(weights), ridge))
            out[:, r, folds == fold] = predict(X[folds == fold], beta)
    losses = -np.where(y == 1, np.log(np.clip(out, 1e-12, 1)), np.log(np.clip(1 - out, 1e-12, 1)))
    best = (losses * weights[:, None]).sum(axis=2).argmin(axis=1)
    return RIDGES[best], out


def draw(rng: np.random.Generator, n: int, share: float) -> tuple[Array, Array]:
    """Return features and outcomes."""
    X = rng.standard_normal((n, len(SLOPES)))
    return X, (rng.random(n) < expit(1.15 * logit(share) + X @ SLOPES)).astype(float)


def draw_samples(rng: np.random.Generator, counts: Array, y: Array, m: int) -> NDArray[np.int64]:
    """Return samples with replacement of the cases of a sample, three of each class at least."""
    rows: list[NDArray[np.int64]] = []
    for _ in range(1000):
        some = rng.multinomial(int(counts.sum()), counts / counts.sum(), m)
        events = (some * y).sum(axis=1)
        rows += list(some[(events > 2) & (events < some.sum(axis=1) - 2)])
        if len(rows) >= m:
            return np.stack(rows[:m])
    raise ValueError("no samples with three of each class")


def run(cell: Cell, seed: int) -> Iterator[tuple[object, ...]]:
    """Yield the answers of one study."""
    rng = np.random.default_rng([46, cell.cell, seed])
    X, y = draw(rng, cell.cases, cell.prevalence)
    if min(y.sum(), len(y) - y.sum()) < FEWEST:
        return
    new, outcome = draw(rng, NEW, cell.prevalence)
    folds = rng.permutation(cell.cases) % FOLDS
    samples = draw_samples(rng, np.ones(cell.cases), y, SAMPLES)
    inner = np.concatenate([draw_samples(rng, s.astype(float), y, INNER) for s in samples])
    rows = np.concatenate([np.ones((1, cell.cases), dtype=np.int64), samples, inner]).astype(float)
    ridges, out = np.full(len(rows), TRACE), None
    if cell.tuned:
        ridges, out = tune(X, y, rows, folds)
    beta = fit(X, y, rows, ridges)
    answers, code = predict(X, beta), y.astype(int)
    made = en.Replicates.from_arrays(code, answers[1 : SAMPLES + 1], samples, answers[0])
    made = replace(made, inner=replace(made, responses=answers[SAMPLES + 1 :], counts=inner))
    ahead = en.Predictions.from_arrays(outcome.astype(int), predict(new, beta[:1])[0])
    ones = np.ones((1, NEW))
    for metric in METRICS:
        truth = float(score_table(ahead, metric, ones)[0, 0])
        for method in METHODS:
            try:
                if method != "bbc":
                    found = en.estimate(made, method=f"refined(interval='{method}')", metric=metric)
                elif out is None:
                    continue
                else:
                    pi = en.Predictions.from_arrays(code, out[0].T, fold=folds)
                    found = en.estimate(pi, method="bbc", metric=metric, rng=seed)
            except EarnestError:
                continue
            if found.interval is None:
                continue
            limits = {method: (found.interval.low, found.interval.high)}
            if method == "two_stage":
                limits |= compute_others(made, metric, found.value)
            for name, ends in limits.items():
                yield cell.cell, seed, int(y.sum()), metric, name, found.value, *ends, truth


def compute_others(
    made: en.Replicates, metric: str, value: float
) -> dict[str, tuple[float, float]]:
    """Return two other intervals of the same models, to see whether one holds better.

    'percentile' is the published one, which is not moved to the value; 'pivot' has the quantiles
    of how far the corrected score of a sample is from the score of its model on all cases.
    """
    measure = metric_named(metric)
    corrected = correct_each(made, measure)
    gaps = corrected - score_replicates(made, measure)[:, None]
    low, high = np.quantile(draw_two_stage(corrected, corrected.mean()), [0.025, 0.975])
    above, below = np.quantile(draw_two_stage(gaps, gaps.mean()), [0.975, 0.025])
    return {"percentile": (low, high), "pivot": (value - above, value - below)}


def main(seconds: float, seed: int, out: Path, chosen: list[int]) -> None:
    """Run studies of the cells in turn until the time is over."""
    end = monotonic() + seconds
    cells = [cell for cell in read_cells() if not chosen or cell.cell in chosen]
    with out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        study = 0
        while monotonic() < end:
            for row in run(cells[study % len(cells)], seed * 100_000 + study // len(cells)):
                writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in row])
            file.flush()
            study += 1


def write_table(files: list[Path]) -> None:
    """Count how often limits held, by cell, metric and method."""
    counts: dict[tuple[str, str, str], list[tuple[float, ...]]] = defaultdict(list)
    for path in files:
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if row["truth"]:
                    numbers = tuple(float(row[name]) for name in HEAD[5:])
                    counts[row["cell"], row["metric"], row["method"]].append(numbers)
    with (HERE / "two_stage.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("cell", "metric", "method", "studies", "held", "below", "above", "bias",
                         "width"))  # fmt: skip
        for key, answers in sorted(counts.items()):
            value, low, high, truth = np.array(answers).T
            below, above = int((truth < low).sum()), int((truth > high).sum())
            held = f"{1 - (below + above) / len(truth):.3f}"
            ends = f"{(value - truth).mean():.4f}", f"{(high - low).mean():.3f}"
            writer.writerow((*key, len(truth), held, below, above, *ends))


if __name__ == "__main__":
    if sys.argv[1] == "table":
        write_table([Path(name) for name in sys.argv[2:]])
    else:
        numbers = [int(number) for number in sys.argv[4:]]
        main(float(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), numbers)
