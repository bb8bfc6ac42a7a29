"""Draw every declared cell, and write how corrections do: `python -m benchmarks.scores.run`.

For every matrix the winner is found, and its true score is held against what each correction says.

- `naive`: the winner's own score, with the usual interval of a share or mean.
- `independent`: the winner's score less the expected maximum of as many independent normal numbers,
  with the same width; the textbook formula.
- `bonferroni`: the winner's score, with an interval at the level divided by the number of
  configurations.
- `bbc`, `near_winner`: ours.
- `evalfloor`: the `best, de-biased` of the package of that name, where it is installed; it has no
  interval.
"""

from __future__ import annotations

import argparse
import csv
import importlib
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import earnest as en
from benchmarks.scores.simulate import CELLS, Cell, draw_matrix, make_scores, true_scores

RESULTS = Path(__file__).parent / "results.csv"
RESAMPLES = 500
LEVEL = 0.95
FIELDS = ("cell", "method", "runs", "bias", "bias_error", "coverage", "width", "optimism")
Answer = tuple[float, float, float]  # value, low, high; NaN where there is no interval


def expected_maximum(count: int) -> float:
    """Return the expected maximum of independent standard normal numbers, by quadrature."""
    points, weights = np.polynomial.legendre.leggauss(400)
    x = 8.0 * points
    density = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    from scipy.special import ndtr

    return float(8.0 * np.sum(weights * x * count * ndtr(x) ** (count - 1) * density))


def usual_error(cell: Cell, table: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """Return the standard error of a column's mean, of whole clusters where there are any."""
    if cell.cluster == 1:
        return float(table.std(ddof=1) / np.sqrt(len(table)))
    sums = np.bincount(clusters, table - table.mean())
    return float(np.sqrt(len(sums) / (len(sums) - 1) * np.square(sums).sum()) / len(table))


def answer_all(
    cell: Cell, matrix: NDArray[np.float32], clusters: NDArray[np.int64], seed: int
) -> tuple[int, dict[str, Answer]]:
    """Return the winner, and what every correction says of it."""
    table = matrix.mean(axis=2, dtype=np.float64)
    scores = table.mean(axis=0)
    winner = int(scores.argmax())
    best = float(scores[winner])
    error = usual_error(cell, table[:, winner], clusters)
    z = float(ndtri(0.5 + LEVEL / 2))
    wide = float(ndtri(1.0 - (1.0 - LEVEL) / 2 / cell.configs))
    shifted = best - expected_maximum(cell.configs) * error
    found: dict[str, Answer] = {
        "naive": (best, best - z * error, best + z * error),
        "independent": (shifted, shifted - z * error, shifted + z * error),
        "bonferroni": (best, best - wide * error, best + wide * error),
    }
    given = make_scores(cell, matrix, clusters)
    for method in ("bbc", "near_winner"):
        try:
            made = en.estimate(given, method=method, n_resamples=RESAMPLES, rng=seed)
        except en.EarnestError:  # near_winner has no law for means of samples
            continue
        assert made.interval is not None
        found[method] = (made.value, made.interval.low, made.interval.high)
    shrink = find_evalfloor()
    if shrink is not None:
        found["evalfloor"] = (float(shrink(scores.tolist(), cell.items)), np.nan, np.nan)
    return winner, found


def find_evalfloor() -> Callable[[list[float], int], float] | None:
    """Return evalfloor's correction, None where the package is not installed."""
    try:
        found: Callable[[list[float], int], float] = importlib.import_module(
            "evalfloor.check"
        ).eb_shrink
    except ImportError:
        return None
    return found


def run_cell(cell: Cell, seed: int = 0, runs: int | None = None) -> list[dict[str, object]]:
    """Return a row for every correction."""
    kept: dict[str, list[tuple[float, float, float, float]]] = {}
    optimism = []
    for run in range(cell.runs if runs is None else runs):
        rng = np.random.default_rng([seed, run, cell.items, cell.configs])
        truth = true_scores(cell, rng)
        matrix, clusters = draw_matrix(cell, truth, rng)
        winner, found = answer_all(cell, matrix, clusters, run)
        optimism.append(found["naive"][0] - truth[winner])
        for method, (value, low, high) in found.items():
            inside = np.nan if np.isnan(low) else float(low <= truth[winner] <= high)
            kept.setdefault(method, []).append((value - truth[winner], inside, high - low, 0.0))
    rows: list[dict[str, object]] = []
    for method, answers in kept.items():
        off, inside, width, _ = np.array(answers).T
        rows.append(
            {
                "cell": cell.name,
                "method": method,
                "runs": len(off),
                "bias": f"{off.mean():.4f}",
                "bias_error": f"{off.std(ddof=1) / np.sqrt(len(off)):.4f}",
                "coverage": "" if np.isnan(inside).all() else f"{inside.mean():.3f}",
                "width": "" if np.isnan(width).all() else f"{width.mean():.4f}",
                "optimism": f"{np.mean(optimism):.4f}",
            }
        )
    return rows


def write_results(rows: Iterable[dict[str, object]], path: Path = RESULTS) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Run all cells, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of cells")
    parser.add_argument("--runs", type=int, help="matrices a cell, in place of those declared")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    rows: list[dict[str, object]] = []
    for cell in CELLS:
        if asked.only and cell.name not in asked.only:
            continue
        rows += run_cell(cell, runs=asked.runs)
        write_results(rows, asked.out)
        print(cell.name, flush=True)


if __name__ == "__main__":
    main()
