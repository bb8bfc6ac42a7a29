"""What the simulated cells say: `python -m benchmarks.calibration.summary` prints the table."""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
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


def cells_of(path: Path) -> dict[int, tuple[Held, Held, int, int]]:
    """Return BBC, near_winner, and how often a value moved a limit, by the number of a cell."""
    sums: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name, value in row.items():
                sums[int(row["cell"])][name] += float(value)
    return {cell: _held(total) for cell, total in sums.items()}


def _held(total: dict[str, float]) -> tuple[Held, Held, int, int]:
    runs = int(total["replications"])
    bbc, near = (
        Held(
            runs,
            int(total[f"{name}_held"]),
            total[f"{name}_slack"] / runs,
            int(total[f"{name}_two"]),
            total[f"{name}_width"] / runs,
        )
        for name in ("bbc", "near")
    )
    return bbc, near, int(total["moved"]), int(total["moved_two"])


def kind(cell: Cell) -> str:
    """Return the line of the table that a cell belongs to."""
    return f"{cell.metric}, {cell.repeats} repeats" if cell.repeats > 1 else cell.metric


def table(path: Path, half: str | None = None) -> str:
    """Return the table as Markdown, one line a kind of cells and one for all."""
    known = {cell.number: cell for cell in read()}
    found = {n: c for n, c in cells_of(path).items() if half in (None, known[n].half)}
    groups: dict[str, list[tuple[Held, Held, int, int]]] = defaultdict(list)
    for number, made in sorted(found.items()):
        groups[kind(known[number])].append(made)
    groups["all"] = list(found.values())
    head = (
        "| cells | runs | rejected | worst | BBC rejected | BBC worst | ratio | two-sided rejected "
        "| BBC two-sided rejected | width ratio | value moved a limit |\n" + "| --- " * 11 + "|"
    )
    return "\n".join([head, *(line(name, rows) for name, rows in groups.items() if rows)])


def line(name: str, rows: list[tuple[Held, Held, int, int]]) -> str:
    """Return one line of the table; the ratios are means over cells in which BBC holds."""
    bbc, near = ([row[place] for row in rows] for place in (0, 1))
    runs = sum(one.runs for one in near)
    sound = [(b, n) for b, n in zip(bbc, near, strict=True) if not b.rejected]
    sound_two = [(b, n) for b, n in zip(bbc, near, strict=True) if not b.rejected_two_sided]
    entries = [
        f"{name} ({len(rows)})",
        str(runs),
        _share(sum(one.rejected for one in near), len(near)),
        f"{min(one.held / one.runs for one in near):.3f}",
        _share(sum(one.rejected for one in bbc), len(bbc)),
        f"{min(one.held / one.runs for one in bbc):.3f}",
        _mean([n.slack / b.slack for b, n in sound]),
        _share(sum(one.rejected_two_sided for one in near), len(near)),
        _share(sum(one.rejected_two_sided for one in bbc), len(bbc)),
        _mean([n.width / b.width for b, n in sound_two]),
        f"{sum(row[2] for row in rows)}, {sum(row[3] for row in rows)}",
    ]
    return "| " + " | ".join(entries) + " |"


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
