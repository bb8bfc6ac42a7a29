"""What the second study says: `python -m benchmarks.calibration.confident.summary` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binom

from benchmarks.calibration.confident.grid import HERE, METRICS, Cell, read
from benchmarks.calibration.confident.run import LEVEL, RESULTS, Row
from benchmarks.rows import read_rows

SECOND = HERE / "results_odd.csv"
DOUBT, LEAST = 0.05, 0.93
KINDS = ("learners", "simulated", "mixed")


@dataclass(frozen=True)
class Verdict:
    """What the cells of a kind say of an allowance.

    `rejected` counts cells that hold too rarely for 95 % by exact tests, `below` for 93 %.
    `growth` is the mean ratio of slack to that of draws alone, over the cells where draws alone
    were not rejected in the first study (in this one, for mixed cells), and `much` counts those
    where it is more than a tenth.
    """

    metric: str
    kind: str
    method: str
    cells: int
    searches: int
    held: int
    worst: float
    rejected: int
    below: int
    least_p: float
    compared: int
    growth: float
    much: int


def kind_of(cell: Cell) -> str:
    """Return which kind of cell it is."""
    return cell.population if cell.rate else "learners"


def read_sums(path: Path = SECOND) -> dict[tuple[int, str, str], Row]:
    """Return the sums of each cell, metric and method over all runs of a study."""
    sums: dict[tuple[int, str, str], Row] = {}
    for row in read_rows(Row, path):
        key = row.cell, row.metric, row.method
        sums[key] = sums[key].plus(row) if key in sums else row
    return sums


def p_value(row: Row, level: float = LEVEL) -> float:
    """Return how probable so few bounds that hold are, at a level."""
    return float(binom.cdf(row.held, row.searches, level))


def judge() -> Iterator[Verdict]:
    """Yield the verdicts of all kinds, methods and metrics."""
    rows, first = read_sums(), read_sums(RESULTS)
    cells = {cell.number: cell for cell in read()}
    for metric in METRICS:
        for kind in (*KINDS, "all"):
            for method in ("bbc", "average cost", "draws alone"):
                chosen = [
                    row
                    for (cell, of, by), row in rows.items()
                    if (of, by) == (metric, method) and kind in ("all", kind_of(cells[cell]))
                ]
                ratios = []
                for row in chosen:
                    drawn = rows[row.cell, metric, "draws alone"]
                    if p_value(first.get((row.cell, metric, "draws alone"), drawn)) > DOUBT:
                        ratios.append(row.slack / drawn.slack)
                p_values = [p_value(row) for row in chosen]
                yield Verdict(
                    metric,
                    kind,
                    method,
                    len(chosen),
                    sum(row.searches for row in chosen),
                    sum(row.held for row in chosen),
                    min(row.held / row.searches for row in chosen),
                    sum(p <= DOUBT for p in p_values),
                    sum(p_value(row, LEAST) <= DOUBT for row in chosen),
                    min(p_values),
                    len(ratios),
                    sum(ratios) / len(ratios),
                    sum(ratio > 1.1 for ratio in ratios),
                )


def main() -> None:
    print("| metric | cells | allowance | held | worst | rejected | growth | more than a tenth |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in judge():
        print(
            f"| {row.metric} | {row.kind}, {row.cells} | {row.method} | {row.held} of "
            f"{row.searches} ({row.held / row.searches:.3f}) | {row.worst:.2f} | {row.rejected} "
            f"({row.below} at 93 %) | {row.growth:.3f} | {row.much} of {row.compared} |"
        )


if __name__ == "__main__":
    main()
