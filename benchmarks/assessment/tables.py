"""The tables of docs/papers/comparison-of-estimators.md, from results.csv."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.assessment.summarise import Row, read

RESULTS = Path(__file__).parent / "results.csv"
PAGES = {".632": "b632", ".632+": "b632plus"}
Cells = dict[tuple[str, str, int], Row]


@cache
def results() -> tuple[Row, ...]:
    """Return the rows of results.csv."""
    return tuple(read(RESULTS))


def table(kind: str, *arguments: str) -> str:
    """Return a table by the words that a page asks for it with."""
    makers: dict[str, Callable[..., list[list[str]]]] = {
        "values": values_table,
        "intervals": intervals_table,
        "learners": learners_table,
    }
    head, *lines = makers[kind](results(), *arguments)
    return "".join(
        "| " + " | ".join(cells) + " |\n" for cells in [head, ["---"] * len(head), *lines]
    )


def values_table(rows: Sequence[Row], metric: str, n: str) -> list[list[str]]:
    """Return how far the values are off on the mean over cells, the best at the top."""
    groups = alike(comparable(rows, metric, int(n)))
    by_mean, by_own = (ranks(groups, name) for name in ("rms_mean", "rms_own"))
    lines = []
    for names in sorted(groups, key=lambda names: _mean(groups[names], "rms_mean")):
        cells = groups[names]
        lines.append(
            [
                ", ".join(map(link, names)),
                models(cells),
                with_error(cells, "bias", "+.3f"),
                f"{_mean(cells, 'sd'):.3f}",
                with_error(cells, "rms_mean", ".3f"),
                f"{by_mean[names]:.1f}",
                with_error(cells, "rms_own", ".3f"),
                f"{by_own[names]:.1f}",
                with_error(cells, "correlation", ".2f"),
            ]
        )
    head = ["method", "models", "bias", "SD", "RMS about the mean", "rank"]
    return [[*head, "RMS about its model", "rank", "correlation"], *lines]


def intervals_table(rows: Sequence[Row], metric: str) -> list[list[str]]:
    """Return how often intervals cover on the mean over cells, and on the worst data set."""
    sizes = sorted({row.n for row in rows})
    every = [row for n in sizes for row in comparable(rows, metric, n)]
    own = [row for row in every if np.isfinite(row.covers_mean)]
    lines = []
    for name in dict.fromkeys(row.method for row in own):
        parts = [{_key(r): r for r in own if r.method == name and r.n == n} for n in sizes]
        lines.append(
            [
                link(name),
                *(with_error(part, "covers_mean", ".1%") for part in parts),
                *(_least(part) for part in parts),
                *(with_error(part, "covers_own", ".1%") for part in parts),
                *(f"{_mean(part, 'width'):.3f}" if part else "–" for part in parts),
                f"{100 * np.mean([row.rough for part in parts for row in part.values()]):.0f} %",
            ]
        )
    words = ("covers the mean", "worst data set", "covers its model", "width")
    return [["method", *(f"{word}, n={n}" for word in words for n in sizes), "EN084"], *lines]


def learners_table(rows: Sequence[Row], metric: str, n: str) -> list[list[str]]:
    """Return bias and coverage of the mean by learner."""
    own = comparable(rows, metric, int(n))
    learners = list(dict.fromkeys(row.learner for row in own))
    lines = []
    for name in dict.fromkeys(row.method for row in own):
        parts = [{_key(r): r for r in own if (r.method, r.learner) == (name, x)} for x in learners]
        biases = [with_error(part, "bias", "+.3f") for part in parts]
        covers = [with_error(part, "covers_mean", ".1%") for part in parts]
        lines.append([link(name), *biases, *covers])
    head = [f"{word}, {learner}" for word in ("bias", "covers the mean") for learner in learners]
    return [["method", *head], *lines]


def comparable(rows: Iterable[Row], metric: str, n: int) -> list[Row]:
    """Return the rows of the cells in which all methods answer that answer at all at this size."""
    own = [row for row in rows if row.metric == metric and row.n == n]
    every = {row.method for row in own}
    there: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    for row in own:
        there[_key(row)].add(row.method)
    return [row for row in own if there[_key(row)] == every]


def alike(rows: Iterable[Row]) -> dict[tuple[str, ...], Cells]:
    """Return the methods whose values are the same in all cells, and the rows of one of them."""
    found: dict[str, Cells] = defaultdict(dict)
    for row in rows:
        found[row.method][_key(row)] = row
    groups: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for name, cells in found.items():
        same = tuple((key, row.bias, row.sd, row.rms_own) for key, row in sorted(cells.items()))
        groups[same].append(name)
    return {tuple(names): found[names[0]] for names in groups.values()}


def ranks(groups: dict[tuple[str, ...], Cells], name: str) -> dict[tuple[str, ...], float]:
    """Return the mean rank over cells, 1 the best; among the methods that answer in a cell."""
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key in {key for cells in groups.values() for key in cells}:
        there = [names for names, cells in groups.items() if key in cells]
        numbers = [getattr(groups[names][key], name) for names in there]
        for names, rank in zip(there, rankdata(numbers), strict=True):
            found[names].append(float(rank))
    return {names: float(np.mean(own)) for names, own in found.items()}


def with_error(cells: Cells, name: str, form: str) -> str:
    """Return a mean over cells with its Monte Carlo error; cells are drawn independently."""
    pairs = [(getattr(row, name), getattr(row, f"{name}_se")) for row in cells.values()]
    known = np.array([pair for pair in pairs if np.isfinite(pair).all()])
    if not len(known):
        return "–"
    mean = float(known[:, 0].mean())
    error = float(np.sqrt((known[:, 1] ** 2).sum()) / len(known))
    if form.endswith("%"):
        return f"{100 * mean:.1f} ± {100 * error:.1f} %"
    return f"{mean:{form}} ± {error:{form.replace('+', '')}}"


def models(cells: Cells) -> str:
    """Return how many models a method takes; more where there are more cases."""
    return "–".join(str(count) for count in sorted({row.fits for row in cells.values()}))


def link(name: str) -> str:
    """Return a method with a link to its page."""
    return f"[`{name}`](../methods/{PAGES.get(name, name)}.md)"


def _key(row: Row) -> tuple[str, str, int]:
    return row.data, row.learner, row.n


def _mean(cells: Cells, name: str) -> float:
    return float(np.nanmean([getattr(row, name) for row in cells.values()]))


def _least(cells: Cells) -> str:
    """Return the lowest coverage of a data set, over its learners: single cells are too few."""
    found: dict[str, list[float]] = defaultdict(list)
    for row in cells.values():
        found[row.data].append(row.covers_mean)
    if not found:
        return "–"
    worst = min(found, key=lambda data: float(np.mean(found[data])))
    return f"{100 * np.mean(found[worst]):.0f} % ({worst})"
