"""Hold what is said of a delivered model's probabilities against new data.

python -m benchmarks.probabilities.run --out FOLDER [--data FOLDER] [--processes 16] [--minutes 7]

A run draws cases from a table, tunes on them as `earnest tune` does, and looks how steep the log
odds of the delivered model are on cases that it never saw, and how far their level is off. Every
run has its own seed, (SEED, cell, run). Tasks are blocks of runs in random order: a run that is cut
short has fewer runs in all cells, and the file says how many. `--declare` writes the cells.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

import numpy as np

import earnest as en
from benchmarks.probabilities.tables import (
    BUNDLED,
    GIVEN,
    SEED,
    SIMULATED,
    TARGET,
    count_rows,
    read_source,
)
from benchmarks.rows import read_rows, write_rows
from earnest.core.results.calibration import CalibrationVerdict, Coefficient
from earnest.core.results.interval import Interval
from earnest.inference.curves.calibration import calibration

HERE = Path(__file__).parent
CELLS, RESULTS = HERE / "cells.csv", HERE / "results.csv"
SIZES = (120, 400)
NEW_AT_LEAST = 300
RUNS = 100
BLOCK = 5
WITHOUT_TRAINING = math.sqrt(0.5)  # of the reach of a slope: that of a model fixed in advance


@dataclass(frozen=True)
class Cell:
    """So many cases of a table, and how many runs."""

    number: int
    table: str
    n: int
    runs: int


@dataclass(frozen=True)
class Held:
    """How often what was said of a delivered model holds on new data; counts of runs.

    `slope` allows for the error of the slope on new data, `slope_plainly` does not, `slope_fixed`
    is the interval of a model fixed in advance. `none` counts runs without a slope. `low` and
    `high` are runs whose slope on new data lies below or above the interval.
    """

    cell: int
    table: str
    n: int
    runs: int
    none: int
    slope: int
    slope_plainly: int
    slope_fixed: int
    low: int
    high: int
    level: int
    ratio: int
    off: int
    no_sign: int
    expected_slope: float
    new_slope: float
    error: float
    spread: float


@dataclass(frozen=True)
class Outcome:
    """One run: what was said, and what is so."""

    cell: int
    said: tuple[Coefficient | None, Coefficient, Coefficient]  # slope, level, ratio
    true: tuple[Coefficient | None, Coefficient, Coefficient]
    verdict: CalibrationVerdict


def declare() -> list[Cell]:
    """Return all cells: two sizes of each table, one where too few cases would be left."""
    cells: list[Cell] = []
    for table in (*SIMULATED, *BUNDLED, *GIVEN):
        for n in SIZES:
            rare = table == "coil2000" and n == SIZES[0]  # seven positive cases
            if not rare and count_rows(table) - n >= NEW_AT_LEAST:
                cells.append(Cell(len(cells), table, n, RUNS))
    return cells


def run_once(cell: Cell, run: int, folder: Path | None) -> Outcome:
    """Tune on a sample, and look at the delivered model on other cases."""
    source = read_source(cell.table, folder)
    assert source is not None
    rng = np.random.default_rng([SEED, cell.number, run])
    chosen, others = source.draw(cell.n, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned = en.tune(
            chosen,
            target=TARGET,
            positive=1,
            group=source.group,
            portfolio=str(HERE / "portfolio.toml"),
            rng=int(rng.integers(2**31)),
            n_jobs=1,
        )
        p = tuned.model.predict(others.drop(columns=TARGET)).scores[:, 1]
    assert tuned.calibration is not None
    least = 0.5 / cell.n  # what the calibration of the sample takes for nothing
    pi = en.Predictions.from_arrays(
        others[TARGET].to_numpy(),
        np.clip(p, least, 1 - least),
        groups=None if source.group is None else others[source.group].to_numpy(),
        response="probability",
    )
    said, true = tuned.calibration.classes[0], calibration(pi, 0).classes[0]
    return Outcome(
        cell.number,
        (said.slope, said.intercept, said.ratio),
        (true.slope, true.intercept, true.ratio),
        said.verdict,
    )


def run_block(cell: Cell, first: int, folder: Path | None) -> list[Outcome]:
    """Return the outcomes of a block of runs."""
    return [run_once(cell, run, folder) for run in range(first, min(first + BLOCK, cell.runs))]


def holds(said: Coefficient, true: Coefficient, *, ratio: bool = False) -> bool:
    """Tell whether two numbers agree as far as both intervals allow."""
    ends = (math.log, math.log) if ratio else (float, float)
    a, b = ends[0](said.value), ends[1](true.value)
    reaches = (_reach(said.interval, ratio), _reach(true.interval, ratio))
    return abs(a - b) <= math.hypot(*reaches)


def _reach(interval: Interval, ratio: bool) -> float:
    high, low = (math.log(end) if ratio else end for end in (interval.high, interval.low))
    return 0.5 * (high - low)


def summarise(cell: Cell, outcomes: Sequence[Outcome]) -> Held:
    """Count in how many runs of a cell what was said holds."""
    slopes = [(o.said[0], o.true[0]) for o in outcomes]
    pairs = [(said, true) for said, true in slopes if said is not None and true is not None]
    away = np.array([said.value - true.value for said, true in pairs])
    reach = np.array([_reach(said.interval, False) for said, _ in pairs])
    return Held(
        cell=cell.number,
        table=cell.table,
        n=cell.n,
        runs=len(outcomes),
        none=len(outcomes) - len(pairs),
        slope=sum(holds(said, true) for said, true in pairs),
        slope_plainly=int((np.abs(away) <= reach).sum()),
        slope_fixed=int((np.abs(away) <= WITHOUT_TRAINING * reach).sum()),
        low=int((away > reach).sum()),
        high=int((away < -reach).sum()),
        level=sum(holds(o.said[1], o.true[1]) for o in outcomes),
        ratio=sum(holds(o.said[2], o.true[2], ratio=True) for o in outcomes),
        off=sum(o.verdict is CalibrationVerdict.OFF for o in outcomes),
        no_sign=sum(o.verdict is CalibrationVerdict.NO_SIGN for o in outcomes),
        expected_slope=float(np.median([said.value for said, _ in pairs] or [math.nan])),
        new_slope=float(np.median([true.value for _, true in pairs] or [math.nan])),
        error=float(np.median([said.standard_error for said, _ in pairs] or [math.nan])),
        spread=float(away.std()) if len(away) else math.nan,
    )


def run_all(
    cells: Sequence[Cell], folder: Path | None, processes: int, minutes: float
) -> Iterator[Held]:
    """Yield the row of every cell with any run that was done in time."""
    blocks = [(cell, first) for cell in cells for first in range(0, cell.runs, BLOCK)]
    order = np.random.default_rng(SEED).permutation(len(blocks))
    done: dict[int, list[Outcome]] = defaultdict(list)
    deadline = monotonic() + 60 * minutes
    with ProcessPoolExecutor(processes) as pool:
        waiting = [pool.submit(run_block, *blocks[k], folder) for k in order]
        for ended in as_completed(waiting):
            if not ended.cancelled():
                outcomes = ended.result()
                done[outcomes[0].cell] += outcomes
            if monotonic() > deadline:
                for each in waiting:
                    each.cancel()
    for cell in cells:
        if done[cell.number]:
            yield summarise(cell, done[cell.number])


def main() -> None:
    """Run the cells whose tables are at hand, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="*", help="only these tables")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--declare", action="store_true")
    asked = parser.parse_args()
    if asked.declare:
        write_rows(declare(), CELLS)
        return
    cells = [
        replace(cell, runs=min(cell.runs, asked.runs))
        for cell in read_rows(Cell, CELLS)
        if (cell.table not in GIVEN or asked.data is not None)
        and (not asked.tables or cell.table in asked.tables)
    ]
    rows = list(run_all(cells, asked.data, asked.processes, asked.minutes))
    path = asked.out / RESULTS.name
    if path.exists():  # rows of other tables stay
        numbers = {row.cell for row in rows}
        rows += [row for row in read_rows(Held, path) if row.cell not in numbers]
    asked.out.mkdir(parents=True, exist_ok=True)
    write_rows(sorted(rows, key=lambda row: row.cell), path)


if __name__ == "__main__":
    main()
