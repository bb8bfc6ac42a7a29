"""The study of the portfolio's order: what is learned, and that a table does not teach itself."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from benchmarks.portfolio.collect import RESULTS, Line
from benchmarks.portfolio.order import (
    compare,
    find_key,
    find_loss,
    follow,
    group,
    learn_order,
    scale,
    show,
)
from benchmarks.rows import read_rows

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "benchmarks" / "portfolio" / "tables"


def make_lines(table: str, scores: list[tuple[str, float, float]]) -> list[Line]:
    """Return lines of families, each with scores and seconds in their order."""
    turns: dict[str, int] = {}
    lines = []
    for place, (family, score, seconds) in enumerate(scores):
        turn = turns.get(family, 0)
        turns[family] = turn + 1
        config = f"{family} {turn}"
        lines.append(Line(table, "binary", 100, place, family, turn, config, score, seconds))
    return lines


ONE = make_lines("one", [("a", 0.6, 1.0), ("b", 0.9, 1.0), ("a", 0.7, 1.0), ("b", 0.8, 4.0)])
TWO = make_lines("two", [("a", 0.5, 1.0), ("b", 0.8, 1.0), ("a", 0.9, 1.0), ("b", 0.7, 4.0)])


def test_the_best_has_no_regret_and_the_middle_has_one() -> None:
    assert scale(ONE) == pytest.approx({("a", 0): 2, ("b", 0): 0, ("a", 1): 4 / 3, ("b", 1): 2 / 3})


def test_what_adds_the_most_per_second_comes_first() -> None:
    """(b, 0) is best on one table and second on the other; then only (a, 1) adds anything."""
    assert learn_order({"one": ONE, "two": TWO})[:2] == [("b", 0), ("a", 1)]


def test_a_dear_configuration_comes_later() -> None:
    dear = make_lines("one", [("a", 0.8, 1.0), ("b", 0.9, 100.0), ("c", 0.5, 1.0)])
    assert learn_order({"one": dear})[0] == ("a", 0)


def test_an_order_is_followed_and_what_it_lacks_comes_last() -> None:
    found = follow(ONE, [("b", 1), ("z", 0), ("b", 0)])
    assert [find_key(line) for line in found] == [("b", 1), ("b", 0), ("a", 0), ("a", 1)]


def test_the_loss_counts_what_is_complete_in_time() -> None:
    assert find_loss(ONE, 1.0) == pytest.approx(0.3)
    assert find_loss(ONE, 2.0) == 0.0
    assert math.isnan(find_loss(ONE, 0.5))


def test_a_table_does_not_teach_its_own_order() -> None:
    (_, learned), other = (
        [(one.as_it_is, one.learned) for one in compare({"one": ONE, "two": TWO}, (1.0, 2.0))][:2],
        follow(ONE, learn_order({"two": TWO})),
    )
    assert learned[1] == find_loss(other, 2.0)


def test_the_tables_of_the_record_are_made_from_the_committed_rows() -> None:
    outcomes = compare(group(read_rows(Line, RESULTS)))
    assert len({one.table for one in outcomes}) == 22
    for task in ("binary", "multiclass", "regression"):
        head, _, *lines = show(outcomes, task).splitlines()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (head, *lines)]
        with (TABLES / f"{task}.csv").open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == rows, "run python docs/_generate.py"
