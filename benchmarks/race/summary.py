"""Sum the race up: ranks, differences, what tools say of themselves, intervals, seconds.

python -m benchmarks.race.summary --results results.csv

prints the tables. `python docs/_generate.py docs/explanation/race.md` writes those of `results.csv`
in this folder into the page of the race.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.race.run import RESULTS, ROOT, Row, read_rows
from benchmarks.race.tools import list_tools

PAGE = ROOT / "docs" / "explanation" / "race.md"
OURS = "earnest-greedy"  # others are compared with it
BEST, MEDIUM = "autogluon-best", "autogluon-medium"  # what it is to reach
MOST_BEHIND = 0.002  # AUC
LEAST_HELD = 0.93  # of the scores on the rows held out: these vary too, and not only the estimate
FULL = 0.8  # of the tables begun that a tool must have run on to take part in the ranks
LOWER = ("log_loss",)
SHORT = {"roc_auc": "AUC", "log_loss": "log loss", "r2": "R²"}

Block = dict[str, Row]  # the rows of one table and split, by tool


@dataclass(frozen=True)
class Mean:
    """A mean over tables and its standard error, nan where there is none."""

    value: float
    error: float
    count: int

    @classmethod
    def of(cls, by_table: dict[str, list[float]]) -> Mean:
        """Return the mean of tables, each being the mean of its splits."""
        values = [float(np.mean(found)) for found in by_table.values() if found]
        if not values:
            return cls(math.nan, math.nan, 0)
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
        return cls(float(np.mean(values)), spread / math.sqrt(len(values)), len(values))

    def show(self) -> str:
        """Return it in the words of a page."""
        if not self.count:
            return "–"
        error = "" if math.isnan(self.error) else f" ± {self.error:.4f}"
        return f"{self.value:+.4f}".replace("-", "−") + error


def find_blocks(rows: Iterable[Row]) -> dict[tuple[str, int], Block]:
    """Return the rows by table and split, then by tool."""
    found: dict[tuple[str, int], Block] = {}
    for row in rows:
        found.setdefault((row.data, row.split), {})[row.tool] = row
    return found


def find_ranked(blocks: dict[tuple[str, int], Block]) -> list[str]:
    """Return the tools that ran on most blocks, or on all but one, in the order of the race."""
    counts = {tool: sum(tool in block for block in blocks.values()) for tool in list_names(blocks)}
    least = min(FULL * len(blocks), len(blocks) - 1)  # a race that is stopped is within a block
    return [tool for tool, count in counts.items() if count >= least]


def list_names(blocks: dict[tuple[str, int], Block]) -> list[str]:
    """Return the tools that have rows, in the order of the race, others after them."""
    there = {tool for block in blocks.values() for tool in block}
    known = [tool for tool in list_tools() if tool in there]
    return [*known, *sorted(there - set(known))]


def find_gain(row: Row) -> float:
    """Return the score on the rows held out so that greater is better; a failure has the worst."""
    if row.error or math.isnan(row.held_out):
        return -math.inf
    return -row.held_out if row.metric in LOWER else row.held_out


def rank_block(block: Block, tools: Sequence[str]) -> dict[str, float]:
    """Return the ranks of tools, 1 for the best; ties share the mean of their ranks."""
    ranks = rankdata([-find_gain(block[tool]) for tool in tools])
    return dict(zip(tools, ranks.tolist(), strict=True))


def find_full(
    blocks: dict[tuple[str, int], Block], tools: Sequence[str]
) -> dict[tuple[str, int], Block]:
    """Return the blocks that have a row of every tool."""
    return {key: block for key, block in blocks.items() if all(tool in block for tool in tools)}


def find_ranks(blocks: dict[tuple[str, int], Block]) -> dict[str, float]:
    """Return the mean rank of every tool that takes part, over the blocks that all ran on.

    Every table counts the same, however many splits of it were run.
    """
    tools = find_ranked(blocks)
    ranks: dict[str, dict[str, list[float]]] = {tool: {} for tool in tools}
    for (data, _), block in find_full(blocks, tools).items():
        for tool, rank in rank_block(block, tools).items():
            ranks[tool].setdefault(data, []).append(rank)
    return {tool: Mean.of(found).value for tool, found in ranks.items() if found}


def average(
    blocks: dict[tuple[str, int], Block], metric: str, measure: Callable[[Block], float | None]
) -> Mean:
    """Return the mean of something over the blocks of a metric that have it."""
    found: dict[str, list[float]] = {}
    for (data, _), block in blocks.items():
        if next(iter(block.values())).metric == metric:
            value = measure(block)
            if value is not None and math.isfinite(value):
                found.setdefault(data, []).append(value)
    return Mean.of(found)


def measure_gap(tool: str, tools: Sequence[str]) -> Callable[[Block], float | None]:
    """Return how far a tool is behind the best of a block; a failure has no gap."""

    def measure(block: Block) -> float | None:
        if tool not in block:
            return None
        best = max(find_gain(block[one]) for one in {*tools, tool} if one in block)
        return best - find_gain(block[tool])

    return measure


def measure_lead(tool: str, over: str) -> Callable[[Block], float | None]:
    """Return by how much a tool is better than another on the rows held out."""

    def measure(block: Block) -> float | None:
        if tool not in block or over not in block:
            return None
        return find_gain(block[tool]) - find_gain(block[over])

    return measure


def measure_optimism(tool: str) -> Callable[[Block], float | None]:
    """Return by how much a tool says too good of its model."""

    def measure(block: Block) -> float | None:
        if tool not in block or block[tool].error:
            return None
        row = block[tool]
        return (row.held_out - row.claim) * (1 if row.metric in LOWER else -1)

    return measure


def count_covered(rows: Iterable[Row]) -> tuple[int, int]:
    """Return how many intervals hold the score on the rows held out, and how many there are."""
    inside = [
        row.low <= row.held_out <= row.high
        for row in rows
        if not (row.error or math.isnan(row.low) or math.isnan(row.high))
    ]
    return sum(inside), len(inside)


# The tables of the page


def make_table(part: str, rows: Sequence[Row] | None = None) -> str:
    """Return a part of the page, by a name of `PARTS`."""
    blocks = find_blocks(read_rows(RESULTS) if rows is None else rows)
    return PARTS[part](blocks)


def show_goals(blocks: dict[tuple[str, int], Block]) -> str:
    """Return what the race was to show, what it shows, and whether that is enough."""
    ranks = find_ranks(blocks)
    mine, theirs = ranks.get(OURS, math.nan), ranks.get(MEDIUM, math.nan)
    behind = average(blocks, "roc_auc", measure_lead(BEST, OURS))
    held, intervals = count_covered(block[OURS] for block in blocks.values() if OURS in block)
    lines = [
        [
            f"The mean rank is at most that of `{MEDIUM}`",
            f"{mine:.2f} and {theirs:.2f}",
            _answer(mine <= theirs),
        ],
        [
            f"`{BEST}` is at most {MOST_BEHIND:g} ahead in mean AUC",
            behind.show(),
            _answer(behind.value <= MOST_BEHIND),
        ],
    ]
    for metric, name in SHORT.items():
        found = average(blocks, metric, measure_optimism(OURS))
        lines.append(
            [
                f"The corrected {name} is within two standard errors of the held-out score",
                f"differs by {found.show()}",
                _answer(abs(found.value) <= 2 * found.error),
            ]
        )
    lines.append(
        [
            f"The interval holds at least {100 * LEAST_HELD:.0f} % of the held-out scores",
            f"{held} of {intervals}",
            _answer(intervals > 0 and held >= LEAST_HELD * intervals),
        ]
    )
    return _table([f"goal for `{OURS}`", "result", "reached"], lines)


def _answer(reached: bool) -> str:
    return "yes" if reached else "no"


def show_standings(blocks: dict[tuple[str, int], Block]) -> str:
    """Return a line for every tool: rank over all tasks, the rest of the AUC of two classes."""
    ranks, tools = find_ranks(blocks), find_ranked(blocks)
    names = sorted(list_names(blocks), key=lambda tool: ranks.get(tool, math.inf))
    lines = []
    for tool in names:
        mine = [block[tool] for block in blocks.values() if tool in block]
        held, intervals = count_covered(mine)
        took = [row.seconds for row in mine if not row.error]
        lines.append(
            [
                f"`{tool}`",
                str(len(mine)),
                f"{ranks[tool]:.2f}" if tool in ranks else "–",
                average(blocks, "roc_auc", measure_gap(tool, tools)).show().replace("+", ""),
                "–"
                if tool == OURS
                else average(blocks, "roc_auc", measure_lead(tool, OURS)).show(),
                average(blocks, "roc_auc", measure_optimism(tool)).show(),
                f"{held} of {intervals}" if intervals else "–",
                f"{np.mean(took):.0f}" if took else "–",
                str(sum(bool(row.error) for row in mine)),
            ]
        )
    head = ["tool", "runs", "mean rank", "behind the best", f"ahead of `{OURS}`", "overstates by"]
    return _table([*head, "interval holds", "seconds", "failed"], lines)


def show_ranks(blocks: dict[tuple[str, int], Block]) -> str:
    """Return the ranked tools, the best first: rank, distance from the best, own claim."""
    ranks, tools = find_ranks(blocks), find_ranked(blocks)
    lines = [
        [
            f"`{tool}`",
            f"{ranks[tool]:.2f}",
            average(blocks, "roc_auc", measure_gap(tool, tools)).show().replace("+", ""),
            average(blocks, "roc_auc", measure_optimism(tool)).show(),
        ]
        for tool in sorted(ranks, key=ranks.__getitem__)
    ]
    return _table(["tool", "mean rank", "behind the best", "overstates by"], lines)


def show_others(blocks: dict[tuple[str, int], Block]) -> str:
    """Return the same for the tables of several classes and of numbers."""
    tools = find_ranked(blocks)
    lines = [
        [f"`{tool}`"]
        + [
            cell
            for metric in ("log_loss", "r2")
            for cell in (
                average(blocks, metric, measure_gap(tool, tools)).show().replace("+", ""),
                average(blocks, metric, measure_optimism(tool)).show(),
            )
        ]
        for tool in list_names(blocks)
    ]
    head = [f"{SHORT[m]}: {what}" for m in ("log_loss", "r2") for what in ("behind", "overstates")]
    return _table(["tool", *head], lines)


def show_scores(blocks: dict[tuple[str, int], Block]) -> str:
    """Return the mean score on the rows held out, table by table, of the runs that did not fail."""
    names = list_names(blocks)
    lines = []
    for data in dict.fromkeys(data for data, _ in blocks):
        mine = [block for (name, _), block in blocks.items() if name == data]
        first = next(iter(mine[0].values()))
        cells = []
        for tool in names:
            rows = [block[tool] for block in mine if tool in block]
            values = [row.held_out for row in rows if not row.error]
            some = f" ({len(values)} of {len(rows)})" if len(values) < len(rows) else ""
            shown = f"{np.mean(values):.4f}{some}" if values else ("failed" if rows else "–")
            cells.append(shown)
        lines.append([data, f"{first.n_train}", f"{first.n_test}", SHORT[first.metric], *cells])
    return _table(["table", "trained", "held out", "score", *(f"`{n}`" for n in names)], lines)


def show_state(blocks: dict[tuple[str, int], Block]) -> str:
    """Say how far the race came, and with which versions."""
    rows = [row for block in blocks.values() for row in block.values()]
    tools = find_ranked(blocks)
    full = find_full(blocks, tools)
    seconds = sorted({row.budget for row in rows})
    splits = max((split + 1 for _, split in blocks), default=0)
    tables = len({data for data, _ in blocks})
    lines = [
        f"So far there are {len(rows)} runs on {_count(tables, 'table')}, with at most "
        f"{_count(splits, 'split')} per table and a budget of "
        f"{', '.join(f'{one:g}' for one in seconds)} seconds per run. The ranks use the "
        f"{_count(len(full), 'split')} that all {len(tools)} ranked tools have run on."
    ]
    for tool in list_names(blocks):
        if tool not in tools:
            count = sum(tool in block for block in blocks.values())
            lines.append(
                f"`{tool}` has run on {count} of {len(blocks)} splits, too few for a rank."
            )
    lacking = [tool for tool in list_tools() if tool not in list_names(blocks)]
    if lacking:
        lines.append(f"Not run yet: {', '.join(f'`{tool}`' for tool in lacking)}.")
    versions = sorted({(_family(row.tool), row.version) for row in rows if row.version})
    lines.append(f"Versions: {', '.join(f'{name} {number}' for name, number in versions)}.")
    failures = Counter((row.tool, row.data, row.error) for row in rows if row.error)
    if failures:
        told = [
            f"`{tool}` on {_count(count, 'split')} of {data} ({error})"
            for (tool, data, error), count in failures.items()
        ]
        lines.append(f"Failed: {'; '.join(told)}.")
    return "\n".join(f"- {line}" for line in lines) + "\n"


def _family(tool: str) -> str:
    known = list_tools()
    name = known[tool].family if tool in known else tool
    return {"sklearn": "scikit-learn", "mljar": "mljar-supervised"}.get(name, name)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _table(head: list[str], lines: list[list[str]]) -> str:
    made = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in made)


PARTS: dict[str, Callable[[dict[tuple[str, int], Block]], str]] = {
    "state": show_state,
    "goals": show_goals,
    "ranks": show_ranks,
    "standings": show_standings,
    "others": show_others,
    "scores": show_scores,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race.summary")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    rows = read_rows(asked.results)
    for part in PARTS:
        print(make_table(part, rows))


if __name__ == "__main__":
    main()
