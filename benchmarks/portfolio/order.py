"""Hold the portfolio's order against one that is learned from the other tables.

python -m benchmarks.portfolio.order

For each table, two orders are learned from all the others. Again and again, the configuration that
lowers their regret the most per second comes next: among all of them, or among the next ones of
each family, so that only the turns of the families are learned. Then the orders are followed on
the table itself, and after some seconds of fits the best score so far is compared with the best of
all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.portfolio.collect import RESULTS, Line
from benchmarks.rows import read_rows

SECONDS = (5.0, 10.0, 20.0, 40.0)
Key = tuple[str, int]  # a family, and the turn within it
Tables = Mapping[str, Sequence[Line]]


def find_key(line: Line) -> Key:
    """Return what a configuration is called on every table: the same turn of the same family."""
    return line.family, line.turn


def scale(lines: Sequence[Line]) -> dict[Key, float]:
    """Return the regret of each configuration: 0 for the best of a table, 1 for the middle one."""
    scores = np.array([line.score for line in lines])
    best = scores.max()
    unit = best - np.median(scores)
    return {find_key(line): (best - line.score) / (unit or 1.0) for line in lines}


def learn_order(tables: Tables, *, turns: bool = False, worst: float = 3.0) -> list[Key]:
    """Return configurations by what they add per second to those before them, over some tables.

    With `turns`, those of a family keep their order. A table on which a configuration was not tried
    learns nothing from it. `worst` is the regret of a table before anything was tried, and the most
    that counts.
    """
    regrets = {name: scale(lines) for name, lines in tables.items()}
    costs: dict[Key, list[float]] = {}
    for lines in tables.values():
        for line in lines:
            costs.setdefault(find_key(line), []).append(line.seconds)
    price = {key: float(np.mean(found)) for key, found in costs.items()}
    now = dict.fromkeys(tables, worst)
    left, order = list(price), []

    def gain(key: Key) -> float:
        lowered = (
            max(now[name] - found[key], 0.0) for name, found in regrets.items() if key in found
        )
        return sum(lowered) / price[key]

    while left:
        first: dict[str, Key] = {}
        for key in sorted(left) if turns else ():
            first.setdefault(key[0], key)
        key = max(first.values() if turns else left, key=gain)
        if gain(key) <= 0.0:
            if not turns:
                break
            key = min(first.values(), key=lambda one: (one[1], price[one]))
        order.append(key)
        left.remove(key)
        for name, found in regrets.items():
            now[name] = min(now[name], found.get(key, math.inf))
    return order + left  # what adds nothing keeps the order in which it was met


def follow(lines: Sequence[Line], order: Sequence[Key]) -> list[Line]:
    """Return the configurations of a table in an order, those that it does not have last."""
    places = {key: place for place, key in enumerate(order)}
    return sorted(
        lines, key=lambda line: (places.get(find_key(line), len(places) + line.place), line.place)
    )


def find_loss(lines: Sequence[Line], seconds: float) -> float:
    """Return how far the best score after some seconds of fits is behind the best of all."""
    ends = np.cumsum([line.seconds for line in lines])
    done = [line.score for line, end in zip(lines, ends, strict=True) if end <= seconds]
    best = max(line.score for line in lines)
    return best - max(done) if done else math.nan


@dataclass(frozen=True)
class Outcome:
    """What both orders lose on one table after some seconds."""

    table: str
    task: str
    seconds: float
    as_it_is: float
    learned: float
    turns: float


def compare(tables: Tables, seconds: Sequence[float] = SECONDS) -> list[Outcome]:
    """Return what the orders lose on each table, the learned one without having seen it."""
    found = []
    for name, lines in tables.items():
        others = {other: kept for other, kept in tables.items() if other != name}
        orders = (
            sorted(lines, key=lambda line: line.place),
            follow(lines, learn_order(others)),
            follow(lines, learn_order(others, turns=True)),
        )
        for limit in seconds:
            losses = (find_loss(order, limit) for order in orders)
            found.append(Outcome(name, lines[0].task, limit, *losses))
    return found


def group(lines: Sequence[Line]) -> dict[str, list[Line]]:
    """Return the lines by table."""
    tables: dict[str, list[Line]] = {}
    for line in lines:
        tables.setdefault(line.table, []).append(line)
    return tables


def make_table(task: str) -> str:
    """Return the table of a task, from the file of the results."""
    return show(compare_results(), task)


@cache
def compare_results() -> list[Outcome]:
    """Return what the orders lose on each table of the file of the results."""
    return compare(group(read_rows(Line, RESULTS)))


def show(outcomes: Sequence[Outcome], task: str) -> str:
    """Return a table of the mean losses of the tables of a task, ± standard errors."""
    head = ["seconds of fits", "as it is", "learned", "learned turns"]
    head += ["learned less as it is", "learned turns less as it is"]
    rows = [head, ["---"] * len(head)]
    for limit in SECONDS:
        mine = [one for one in outcomes if one.task == task and one.seconds == limit]
        losses = np.array([(one.as_it_is, one.learned, one.turns) for one in mine])
        losses = losses[~np.isnan(losses).any(axis=1)]
        own, learned, turns = losses.T
        columns = (own, learned, turns, learned - own, turns - own)
        rows.append([f"{limit:g}", *map(_show_mean, columns)])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _show_mean(values: NDArray[np.float64]) -> str:
    if len(values) < 2:
        return "–"
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    return f"{np.mean(values):.4f} ± {error:.4f}".replace("-", "−")


def main() -> None:
    """Print the tables, and the beginning of the order that all tables teach."""
    tables = group(read_rows(Line, RESULTS))
    outcomes = compare_results()
    for task in dict.fromkeys(one.task for one in outcomes):
        count = sum(lines[0].task == task for lines in tables.values())
        print(f"{task}, {count} tables\n\n{show(outcomes, task)}")
    print(
        "All tables teach:",
        ", ".join(f"{family} {turn}" for family, turn in learn_order(tables)[:20]),
    )


if __name__ == "__main__":
    main()
