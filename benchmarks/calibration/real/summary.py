"""What the repeated searches say: sums over blocks, by cell, metric and method."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks.calibration.real.grid import Cell, read
from benchmarks.calibration.real.populations import SHUFFLED
from benchmarks.calibration.real.run import RESULTS
from benchmarks.calibration.summary import Held, oracle_slack


@dataclass(frozen=True)
class Answer:
    """What a method did in a cell for a metric.

    `asked` counts the searches, `held.runs` those in which the method gave an interval. `refit` is
    the same held against the score of the refitted model, without slack and width. `error` and
    `refit_error` are how much too good its values were, on average; `luck` has those of the naive
    score, run by run, and is empty for other methods.
    """

    cell: Cell
    metric: str
    method: str
    asked: int
    held: Held
    refit: Held
    error: float
    refit_error: float
    seconds: float
    luck: tuple[float, ...]

    @property
    def shuffled(self) -> bool:
        """Whether outcomes were shuffled, so that nothing can be learned."""
        return self.cell.population.startswith(SHUFFLED)

    @property
    def oracle_slack(self) -> float:
        """The slack of the oracle's bound, from the luck of the naive score."""
        return oracle_slack(self.luck)


def answers(path: Path = RESULTS) -> list[Answer]:
    """Return what every method did in every cell for every metric."""
    cells = {cell.number: cell for cell in read()}
    sums: dict[tuple[int, str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    luck: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = int(row["cell"]), row["metric"], row["method"]
            luck[key] += map(float, row["luck"].split())
            for name in row.keys() - {"cell", "metric", "method", "luck"}:
                sums[key][name] += float(row[name])
    return [
        _answer(cells[key[0]], key, sums[key[0], key[1], "naive"], total, luck[key])
        for key, total in list(sums.items())
    ]


def _answer(
    cell: Cell,
    key: tuple[int, str, str],
    naive: dict[str, float],
    total: dict[str, float],
    luck: list[float],
) -> Answer:
    runs = int(total["replications"])
    slack, width = total["slack"] / runs, total["width"] / runs
    return Answer(
        cell,
        key[1],
        key[2],
        int(naive["replications"]),
        Held(runs, int(total["held"]), slack, int(total["two"]), width),
        Held(runs, int(total["refit_held"]), slack, int(total["refit_two"]), width),
        total["error"] / runs,
        total["refit_error"] / runs,
        total["seconds"] / runs,
        tuple(luck),
    )
