"""Draw every declared cell, and write how corrections do: `python -m benchmarks.scores.run`.

For every matrix the winner is found, and its true score is held against what each correction says.

- `naive`: the winner's own score, with the usual interval of a share or mean.
- `independent`: the winner's score less the expected maximum of as many independent normal numbers,
  with the same width; the textbook formula.
- `bonferroni`: the winner's score, with an interval at the level divided by the number of
  configurations.
- `bbc`, `near_winner`: ours.
- `evalfloor`: the `best, de-biased` of the package of that name; it has no interval.
- `evalstats`, `truescore`: the value and interval that these packages give for the winner's scores.

The last three are run where they are installed, such as by `pip install --target`. Cells that are
not drawn again keep their rows, and so do corrections that `--methods` does not name.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import warnings
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import earnest as en
from benchmarks.scores.simulate import (
    CELLS,
    Cell,
    draw_levels,
    draw_matrix,
    list_tasks,
    make_scores,
    true_scores,
)

RESULTS = Path(__file__).parent / "results.csv"
RESAMPLES = 500
LEVEL = 0.95
FIELDS = ("cell", "method", "runs", "bias", "bias_error", "coverage", "width", "optimism")
OURS = ("bbc", "near_winner")
OTHERS = ("evalfloor", "evalstats", "truescore")
METHODS = ("naive", "independent", "bonferroni", *OURS, *OTHERS)
Answer = tuple[float, float, float]  # value, low, high; NaN where there is no interval
Array = NDArray[np.float64]


def expected_maximum(count: int) -> float:
    """Return the expected maximum of independent standard normal numbers, by quadrature."""
    points, weights = np.polynomial.legendre.leggauss(400)
    x = 8.0 * points
    density = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    from scipy.special import ndtr

    return float(8.0 * np.sum(weights * x * count * ndtr(x) ** (count - 1) * density))


def usual_error(cell: Cell, table: Array, clusters: NDArray[np.int64]) -> float:
    """Return the standard error of a column's score, of whole clusters where there are any."""
    if cell.tasks > 1:
        tasks = list_tasks(cell)
        parts = [table[tasks == task] for task in range(cell.tasks)]
        return float(np.sqrt(sum(part.var(ddof=1) / len(part) for part in parts)) / cell.tasks)
    if cell.cluster == 1:
        return float(table.std(ddof=1) / np.sqrt(len(table)))
    sums = np.bincount(clusters, table - table.mean())
    return float(np.sqrt(len(sums) / (len(sums) - 1) * np.square(sums).sum()) / len(table))


def find_scores(cell: Cell, table: Array) -> Array:
    """Return the score of every configuration: the mean over items, or over tasks."""
    tasks = list_tasks(cell)
    return np.mean([table[tasks == task].mean(axis=0) for task in range(cell.tasks)], axis=0)


def answer_all(
    cell: Cell,
    matrix: NDArray[np.float32],
    clusters: NDArray[np.int64],
    seed: int,
    methods: Collection[str] = METHODS,
) -> tuple[int, dict[str, Answer]]:
    """Return the winner, and what every correction says of it."""
    table = matrix.mean(axis=2, dtype=np.float64)
    scores = find_scores(cell, table)
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
    for method in OURS:
        if method not in methods:
            continue
        try:
            made = en.estimate(given, method=method, n_resamples=RESAMPLES, rng=seed)
        except en.errors.EarnestError:  # near_winner has no law for means over tasks
            continue
        assert made.interval is not None
        found[method] = (made.value, made.interval.low, made.interval.high)
    if cell.tasks == 1:  # the others know of no tasks
        for name, ask in find_others().items():
            if name in methods:
                found[name] = ask(scores, table[:, winner])
    return winner, {name: answer for name, answer in found.items() if name in methods}


def find_others() -> dict[str, Callable[[Array, Array], Answer]]:
    """Return the corrections of other packages that are installed, as users would call them."""

    def import_from(name: str) -> Any | None:
        try:
            return importlib.import_module(name)
        except ImportError:
            return None

    found: dict[str, Callable[[Array, Array], Answer]] = {}
    floor, stats = import_from("evalfloor.check"), import_from("evalstats")
    truth = import_from("truescore")
    if floor is not None:

        def ask_evalfloor(scores: Array, own: Array) -> Answer:
            return float(floor.eb_shrink(scores.tolist(), len(own))), np.nan, np.nan

        found["evalfloor"] = ask_evalfloor
    if stats is not None:

        def ask_evalstats(scores: Array, own: Array) -> Answer:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that scores from 0 to 1 are taken for such
                made = stats.mean_ci(own)
            return float(made.mean), float(made.ci_low), float(made.ci_high)

        found["evalstats"] = ask_evalstats
    if truth is not None:

        def ask_truescore(scores: Array, own: Array) -> Answer:
            made = truth.gold_only_estimate(own)
            return float(made.point), float(made.low), float(made.high)

        found["truescore"] = ask_truescore
    return found


def run_cell(
    cell: Cell, seed: int = 0, runs: int | None = None, methods: Collection[str] = METHODS
) -> list[dict[str, object]]:
    """Return a row for every correction."""
    kept: dict[str, list[tuple[float, float, float]]] = {}
    optimism = []
    for run in range(cell.runs if runs is None else runs):
        rng = np.random.default_rng([seed, run, cell.items, cell.configs])
        levels = draw_levels(cell, rng)
        truth = true_scores(cell, levels)
        matrix, clusters = draw_matrix(cell, levels, rng)
        winner, found = answer_all(cell, matrix, clusters, run, {"naive", *methods})
        optimism.append(found["naive"][0] - truth[winner])
        for method, (value, low, high) in found.items():
            inside = np.nan if np.isnan(low) else float(low <= truth[winner] <= high)
            kept.setdefault(method, []).append((value - truth[winner], inside, high - low))
    rows: list[dict[str, object]] = []
    for method, answers in kept.items():
        off, inside, width = np.array(answers).T
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


def read_results(path: Path = RESULTS) -> list[dict[str, object]]:
    """Return the rows that were written, none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return [dict(row) for row in csv.DictReader(file)]


def write_results(rows: Iterable[dict[str, object]], path: Path = RESULTS) -> None:
    """Write rows as CSV, in the order in which cells and corrections are declared."""
    cells = [cell.name for cell in CELLS]
    order = sorted(rows, key=lambda row: (cells.index(str(row["cell"])), _place(row)))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(order)


def _place(row: dict[str, object]) -> int:
    return METHODS.index(str(row["method"]))


def main() -> None:
    """Run all cells, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of cells")
    parser.add_argument("--methods", nargs="*", default=METHODS, help="names of corrections")
    parser.add_argument("--runs", type=int, help="matrices a cell, in place of those declared")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    for cell in CELLS:
        if asked.only and cell.name not in asked.only:
            continue
        rows = {(str(row["cell"]), row["method"]): row for row in read_results(asked.out)}
        made = run_cell(cell, runs=asked.runs, methods=asked.methods)
        rows |= {(cell.name, row["method"]): row for row in made}
        write_results(rows.values(), asked.out)
        print(cell.name, flush=True)


if __name__ == "__main__":
    main()
