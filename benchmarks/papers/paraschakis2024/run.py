"""Run table 2 again and write ours beside the published cells.

python -m benchmarks.papers.paraschakis2024.run --cases 50 --configs 100
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import asdict, fields
from pathlib import Path

from benchmarks.papers.paraschakis2024.agreement import METHODS, Cell, cell, published
from benchmarks.papers.paraschakis2024.rivals import RIVALS, can_split, replicate_split
from benchmarks.papers.paraschakis2024.simulate import Setting, replicate

VERDICTS = {True: "agrees", False: "DIFFERS", None: "not in the table"}
RESULTS = Path(__file__).with_name("results.csv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, choices=(50, 500), action="append")
    parser.add_argument("--configs", type=int, choices=(100, 500), action="append")
    parser.add_argument("--minority", type=float, choices=(0.1, 0.5), action="append")
    parser.add_argument("--only", choices=("bootstraps", "rivals"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    for setting in published():
        if (
            setting.cases in (asked.cases or (50, 500))
            and setting.configs in (asked.configs or (100, 500))
            and setting.minority in (asked.minority or (0.1, 0.5))
        ):
            begun = time.perf_counter()
            cells = [] if asked.only == "rivals" else run(setting, asked.runs, asked.resamples)
            if asked.only != "bootstraps" and can_split(setting):
                cells += run_rivals(setting, asked.runs)
            write(cells, asked.out)
            print(f"{time.perf_counter() - begun:.0f} s", flush=True)
            for made in cells:
                print(line(made), flush=True)


def run(setting: Setting, runs: int, resamples: int) -> list[Cell]:
    made = [replicate(setting, number, resamples) for number in range(runs)]
    return [cell(setting, method, made) for method in METHODS]


def run_rivals(setting: Setting, runs: int) -> list[Cell]:
    made = [replicate_split(setting, number) for number in range(runs)]
    print(sum(one.missing for one in made), "tilts were not found")
    return [cell(setting, method, made) for method in RIVALS]


def line(made: Cell) -> str:
    where = f"Beta({made.alpha},{made.beta}) n={made.cases} C={made.configs} b={made.minority}"
    return (
        f"{where:32} {made.method:17} tightness {made.tightness:.3f} "
        f"({made.tightness_published:.3f} ± {made.tightness_tolerance:.3f})  "
        f"inclusion {made.inclusion:.3f} ({made.inclusion_published:.3f}, "
        f"p={made.inclusion_chance:.2g})  {VERDICTS[made.agrees]}"
    )


def write(cells: list[Cell], path: Path) -> None:
    """Put the cells into the table, in the place of earlier ones of the same settings."""
    names = [field.name for field in fields(Cell)]
    new = [{name: _text(value) for name, value in asdict(made).items()} for made in cells]
    fresh = {_key(row) for row in new}
    old: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="") as file:
            old = [row for row in csv.DictReader(file) if _key(row) not in fresh]
    rows = sorted(old + new, key=_key)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _key(row: dict[str, str]) -> tuple[object, ...]:
    numbers = (-int(row["cases"]), -int(row["alpha"]), int(row["configs"]), float(row["minority"]))
    return (*numbers, row["method"])


def _text(value: object) -> str:
    if value is None or value != value:  # not in the paper's table
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
