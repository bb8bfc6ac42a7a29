"""The tables behind figures 2, 5, 6 and 7, from the draws that `repeats` keeps.

python -m benchmarks.papers.tsamardinos2018.repeats_summary
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.tsamardinos2018.fast_grid import Floats
from benchmarks.papers.tsamardinos2018.repeats import COLUMNS, COUNTS, KEPT, LEVELS, PROTOCOLS, kept

HERE = Path(__file__).parent
CHOSEN_BY = {
    "cvt": "bbc",
    "tt": "bbc",
    "ncv": "ncv",
    "bbc": "bbc",
    "bced": "bced",
    "bbc10": "bbc10",
}
Row = dict[str, Any]
Cells = dict[tuple[str, int], Floats]


def main() -> None:
    cells = done()
    write("results_figure2.csv", list(biases(cells)))
    write("results_figure5.csv", list(relative(cells)))
    write("results_figure6.csv", list(coverages(cells)))
    write("results_figure7.csv", list(widths(cells)))


def done() -> Cells:
    """Return the draws by data set and size."""
    found = sorted(path.stem.rsplit("_n", 1) for path in KEPT.glob("*_n*.npy"))
    return {(name, int(n)): kept(name, int(n)) for name, n in found}


def column(rows: Floats, name: str) -> Floats:
    return np.asarray(rows[:, COLUMNS.index(name)])


def biases(cells: Cells) -> Iterator[Row]:
    """Yield by how much each protocol is too good: its estimate less the AUC of what it chose."""
    for (name, n), rows in cells.items():
        row: Row = {"set": name, "cases": n, "draws": len(rows)}
        for protocol, choice in CHOSEN_BY.items():
            away = column(rows, protocol) - column(rows, f"truth_{choice}")
            row[protocol] = away.mean()
            row[f"{protocol}_error"] = away.std(ddof=1) / len(away) ** 0.5
        yield row


def relative(cells: Cells) -> Iterator[Row]:
    """Yield the AUC of what ten repeats chose over that of one cross-validation and of nested."""
    for (name, n), rows in cells.items():
        many = column(rows, "truth_bbc10")
        row: Row = {"set": name, "cases": n, "draws": len(rows), "truth_bbc10": many.mean()}
        for other in ("bbc", "ncv"):
            truth = column(rows, f"truth_{other}")
            row[f"over_{other}"] = many.mean() / truth.mean()
            row[f"over_{other}_error"] = (
                (many - truth).std(ddof=1) / len(many) ** 0.5 / truth.mean()
            )
        yield row


def coverages(cells: Cells) -> Iterator[Row]:
    """Yield how often intervals of each level hold the AUC of what was chosen, over all sets."""
    for n in sorted({size for _, size in cells}):
        rows = np.concatenate([one for (_, size), one in cells.items() if size == n])
        for level in LEVELS:
            row: Row = {"cases": n, "draws": len(rows), "level": level}
            for name in PROTOCOLS:
                truth = column(rows, f"truth_{name}")
                low, high = (column(rows, f"{name}_{end}_{level:g}") for end in ("low", "high"))
                row[name] = float(np.mean((low <= truth) & (truth <= high)))
            yield row


def widths(cells: Cells) -> Iterator[Row]:
    """Yield the mean width of 95 % intervals by the number of repeats."""
    for (name, n), rows in cells.items():
        row: Row = {"set": name, "cases": n, "draws": len(rows)}
        yield row | {f"repeats_{c}": column(rows, f"width_{c}").mean() for c in COUNTS}


def write(name: str, rows: list[Row]) -> None:
    with (HERE / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})


if __name__ == "__main__":
    main()
