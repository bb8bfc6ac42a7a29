"""The cells of the simulation of calibration with few events: `python -m benchmarks.clinical.grid`.

Ten normal features, of which half are related to the outcome, and a search over eight strengths of
regularisation. The open cells may be looked at while the method is settled; the closed ones only
afterwards.
"""

from __future__ import annotations

import csv
from pathlib import Path

CELLS = Path(__file__).parent / "cells.csv"
HEAD = ("cell", "events", "prevalence", "signal", "closed")


def list_cells() -> list[tuple[int, int, float, float, int]]:
    """Return events, prevalence and the spread of the log odds, every other cell closed."""
    designs = [
        (events, prevalence, signal)
        for events in (10, 20, 50, 100)
        for prevalence in (0.1, 0.3)
        for signal in (0.7, 1.5)
    ]
    return [(k, *design, (k + k // 2 + k // 4) % 2) for k, design in enumerate(designs)]


def main() -> None:
    """Write the grid."""
    with CELLS.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *list_cells()])


if __name__ == "__main__":
    main()
