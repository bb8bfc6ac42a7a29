"""The cells of the simulation of survival: `python -m benchmarks.clinical.survival.grid`.

Ten normal features, of which half are related to the hazard, exponential or Weibull lives, and
exponential censoring. The open cells may be looked at while methods are settled; the closed ones
only afterwards.
"""

from __future__ import annotations

import csv
from pathlib import Path

CELLS = Path(__file__).parent / "cells.csv"
HEAD = ("cell", "events", "censored", "signal", "shape", "closed")


def list_cells() -> list[tuple[int, int, float, float, float, int]]:
    """Return events, share censored, spread of log hazards and shape, every other cell closed."""
    designs = [
        (events, censored, signal, shape)
        for events in (15, 30, 60, 120)
        for censored in (0.3, 0.7)
        for signal, shape in ((0.6, 1.0), (1.2, 1.5))
    ]
    return [(k, *design, (k + k // 2 + k // 4) % 2) for k, design in enumerate(designs)]


def main() -> None:
    """Write the grid."""
    with CELLS.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *list_cells()])


if __name__ == "__main__":
    main()
