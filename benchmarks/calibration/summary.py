"""What the simulated cells say: `python -m benchmarks.calibration.summary` prints the table."""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.special import bdtr

from benchmarks.calibration.grid import Cell, read
from benchmarks.calibration.run import LEVEL, RESULTS

SIZE = 0.05  # of the exact binomial test that rejects a cell


@dataclass(frozen=True)
class Held:
    """How often the intervals of one method held in a cell, and how tight they were."""

    runs: int
    held: int
    slack: float
    two: int
    width: float

    @property
    def rejected(self) -> bool:
        """Whether the lower bounds hold too rarely, by an exact binomial test."""
        return too_rare(self.held, self.runs)

    @property
    def rejected_two_sided(self) -> bool:
        """Whether the two-sided intervals hold too rarely."""
        return too_rare(self.two, self.runs)


def too_rare(held: int, runs: int, size: float = SIZE) -> bool:
    """Tell whether so few of so many intervals at 95 % hold with a probability below `size`."""
    return bool(bdtr(held, runs, LEVEL) < size)


@dataclass(frozen=True)
class Summed:
    """A cell: what each interval did, limits that moved to the value, and the winner's luck.

    `published` are BBC's quantiles, `bbc` is BBC as earnest gives it; `bonferroni` and `luck` are
    missing from older results.
    """

    published: Held
    bbc: Held
    near: Held
    bonferroni: Held | None
    moved: int
    moved_two: int
    luck: tuple[float, ...]

    @property
    def oracle_slack(self) -> float:
        """The mean slack of the winner's score less the 95 % quantile of its luck.

        No method knows that quantile: it is the tightest bound of this form that holds.
        """
        return oracle_slack(self.luck)


def oracle_slack(luck: Sequence[float]) -> float:
    """Return by how much a bound must lie below the truth on average to hold in 95 % of runs."""
    ordered = sorted(luck)
    return ordered[math.ceil(LEVEL * len(ordered)) - 1] - sum(ordered) / len(ordered)


def cells_of(path: Path, only: Container[tuple[int, int]] | None = None) -> dict[int, Summed]:
    """Return the sums of all cells of a file by their numbers, of some blocks where asked for."""
    sums: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    luck: dict[int, list[float]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cell = int(row["cell"])
            if only is not None and (cell, int(row["first"])) not in only:
                continue
            luck[cell] += map(float, (row.pop("luck", None) or "").split())
            for name, value in row.items():
                sums[cell][name] += float(value)
    return {cell: _summed(total, luck[cell]) for cell, total in sums.items()}


def _summed(total: dict[str, float], luck: list[float]) -> Summed:
    published, bbc, near = (_held(total, name) for name in ("published", "bbc", "near"))
    bonferroni = _held(total, "bonferroni") if "bonferroni_held" in total else None
    moved = int(total["moved"]), int(total["moved_two"])
    return Summed(published, bbc, near, bonferroni, *moved, tuple(luck))


def _held(total: dict[str, float], name: str) -> Held:
    runs = int(total["replications"])
    return Held(
        runs,
        int(total[f"{name}_held"]),
        total[f"{name}_slack"] / runs,
        int(total[f"{name}_two"]),
        total[f"{name}_width"] / runs,
    )


def kind(cell: Cell) -> str:
    """Return the line of the table that a cell belongs to."""
    return f"{cell.metric}, {cell.repeats} repeats" if cell.repeats > 1 else cell.metric


def table(path: Path, half: str | None = None) -> str:
    """Return the table as Markdown, one line per kind of cells and one for all.

    "Rejected" are cells whose one-sided 95 % bounds hold too rarely, "two-sided" those whose
    intervals do. The ratios of slack and width are means over the cells in which BBC holds.
    """
    known = {cell.number: cell for cell in read()}
    found = {n: c for n, c in cells_of(path).items() if half in (None, known[n].half)}
    groups: dict[str, list[Summed]] = defaultdict(list)
    for number, made in sorted(found.items()):
        groups[kind(known[number])].append(made)
    groups["all"] = list(found.values())
    head = (
        "| cells | runs | near_winner: rejected | worst | two-sided | BBC: rejected | worst | "
        "two-sided | BBC's quantiles: rejected | worst | slack / BBC's | width / BBC's | "
        "bounds moved to the value |\n" + "| --- " * 13 + "|"
    )
    return "\n".join([head, *(line(name, rows) for name, rows in groups.items() if rows)])


def line(name: str, rows: list[Summed]) -> str:
    """Return one line of the table."""
    published, bbc, near = (
        [getattr(row, each) for row in rows] for each in ("published", "bbc", "near")
    )
    sound = [row for row in rows if not row.bbc.rejected]
    sound_two = [row for row in rows if not row.bbc.rejected_two_sided]
    entries = [
        f"{name} ({len(rows)})",
        str(sum(one.runs for one in near)),
        _share(sum(one.rejected for one in near), len(near)),
        _worst(near),
        _share(sum(one.rejected_two_sided for one in near), len(near)),
        _share(sum(one.rejected for one in bbc), len(bbc)),
        _worst(bbc),
        _share(sum(one.rejected_two_sided for one in bbc), len(bbc)),
        _share(sum(one.rejected for one in published), len(published)),
        _worst(published),
        _mean([row.near.slack / row.bbc.slack for row in sound]),
        _mean([row.near.width / row.bbc.width for row in sound_two]),
        str(sum(row.moved + row.moved_two for row in rows)),
    ]
    return "| " + " | ".join(entries) + " |"


def _worst(cells: list[Held]) -> str:
    return f"{min(one.held / one.runs for one in cells):.3f}"


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.0f} %"


def _mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else "none"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--half", choices=["open", "frozen"])
    asked = parser.parse_args()
    print(table(asked.results, asked.half))
