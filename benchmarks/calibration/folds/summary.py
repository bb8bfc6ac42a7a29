"""Hold what every rule says of the searches against the truth, and write it to `results.csv`.

python -m benchmarks.calibration.folds.summary RAW [RAW ...]

The rules: 'drawn' (quantiles of draws of folds), 'student' (Student's limits about the corrected
value from the winner's fold scores), 'corrected' (the same with the variance of Nadeau and Bengio)
and 'wider', the outer one of the first two, which earnest gives from five folds on.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from benchmarks.calibration.folds.grid import HERE, read
from benchmarks.rows import write_rows

RESULTS = HERE / "results.csv"
ROUNDING = 1e-6  # of scores kept as 32-bit floats
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One rule in the searches of a cell by a metric: how many, and how many intervals held.

    `bound` counts lower 95 % bounds that held, `above` truths above the interval; `width` is the
    median, `bias` the mean of the value less the truth, greater is better.
    """

    cell: int
    half: str
    folds: int
    repeats: int
    metric: str
    rule: str
    searches: int
    held: int
    bound: int
    above: int
    width: float
    bias: float


def load(paths: list[Path]) -> dict[str, Floats]:
    """Return the columns of all searches, each search once."""
    tables = [np.load(path) for path in paths]
    names = [str(name) for name in tables[0]["columns"]]
    rows = np.concatenate([table["table"] for table in tables]).astype(np.float64)
    _, first = np.unique(rows[:, :3], axis=0, return_index=True)
    return {name: rows[first, place] for place, name in enumerate(names)}


def find_limits(raw: dict[str, Floats], folds: int, repeats: int) -> dict[str, tuple[Floats, ...]]:
    """Return the lower, the upper limit and the lower bound of every rule."""
    value = raw["bbc_fold"]
    plain = np.sqrt(raw["within"] / folds)
    wide = np.sqrt(raw["between"] * (1 / (folds * repeats) + 1 / (folds - 1)))
    two, one = t.ppf(0.975, folds - 1), t.ppf(0.95, folds - 1)
    student = (value - two * plain, value + two * plain, value - one * plain)
    drawn = (raw["q025"], raw["q975"], raw["q05"])
    return {
        "drawn": drawn,
        "student": student,
        "corrected": (value - two * wide, value + two * wide, value - one * wide),
        "wider": (
            np.fmin(drawn[0], student[0]),
            np.fmax(drawn[1], student[1]),
            np.fmin(drawn[2], student[2]),
        ),
    }


def summarise(raw: dict[str, Floats]) -> list[Row]:
    """Return a row per cell, metric and rule."""
    rows = []
    for cell in read():
        for place, metric in enumerate(cell.metrics):
            chosen = (raw["cell"] == cell.number) & (raw["metric"] == place)
            mine = {name: column[chosen] for name, column in raw.items()}
            count = int(chosen.sum())
            if not count:
                continue
            truth = mine["truth"]
            for rule, (low, high, bound) in find_limits(mine, cell.folds, cell.repeats).items():
                held = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
                rows.append(
                    Row(
                        cell.number,
                        cell.half,
                        cell.folds,
                        cell.repeats,
                        metric,
                        rule,
                        count,
                        int(held.sum()),
                        int((bound - ROUNDING <= truth).sum()),
                        int((truth > high + ROUNDING).sum()),
                        float(np.median(high - low)),
                        float(np.mean(mine["bbc_fold"] - truth)),
                    )
                )
    return rows


def show(rows: list[Row]) -> None:
    """Print by half, splits and rule which share held."""
    for half in ("open", "frozen"):
        for splits in sorted({(row.folds, row.repeats) for row in rows}):
            for rule in ("drawn", "student", "corrected", "wider"):
                mine = [
                    row
                    for row in rows
                    if row.half == half and (row.folds, row.repeats) == splits and row.rule == rule
                ]
                count = sum(row.searches for row in mine)
                if count:
                    held, bound = (sum(getattr(r, n) for r in mine) for n in ("held", "bound"))
                    print(half, *splits, rule, count, f"{held / count:.3f} {bound / count:.3f}")


def main(arguments: list[str]) -> None:
    rows = summarise(load([Path(path) for path in arguments]))
    write_rows(rows, RESULTS)
    show(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
