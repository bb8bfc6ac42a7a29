"""Count how often intervals held: `python -m benchmarks.clinical.survival.count RAW OUT`."""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

HEAD = ("cell", "metric", "searches", "held", "low", "high", "undefined")


def count_sides(raw: Path) -> list[tuple[object, ...]]:
    """Return for each cell and metric how many searches there were, and how each ended."""
    with raw.open() as file:
        rows = list(csv.DictReader(file))
    sides: dict[tuple[int, str], Counter[str]] = {}
    for row in rows:
        key = int(row["cell"]), row["metric"]
        side = row["side"] if row["side"] in ("held", "low", "high") else "undefined"
        sides.setdefault(key, Counter())[side] += 1
    return [
        (cell, metric, counts.total(), *(counts[side] for side in HEAD[3:]))
        for (cell, metric), counts in sorted(sides.items())
    ]


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    with asked.out.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *count_sides(asked.raw)])


if __name__ == "__main__":
    main()
