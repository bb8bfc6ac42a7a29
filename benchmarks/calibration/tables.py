"""The tables of docs/papers/intervals-for-the-winner.md and of the page of `near_winner`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from benchmarks.calibration import extensions
from benchmarks.calibration.grid import HERE, Cell, read
from benchmarks.calibration.real import confident, fixed
from benchmarks.calibration.real.grid import RARE, VISITS
from benchmarks.calibration.real.grid import Cell as Search
from benchmarks.calibration.real.grid import read as read_searches
from benchmarks.calibration.real.summary import Answer, answers
from benchmarks.calibration.run import RESULTS, done
from benchmarks.calibration.summary import Held, Summed, cells_of, kind
from benchmarks.rows import read_rows
from earnest.inference.remarks import CONFIDENT

FROZEN, OPEN_500 = HERE / "results_frozen.csv", HERE / "results_open_500.csv"
SIMULATED = {
    "near": "`near_winner`",
    "bbc": "`bbc`",
    "published": "BBC's quantiles",
    "bonferroni": "Bonferroni",
}
METHODS = {
    "near_winner": "`near_winner`",
    "independent": "`near_winner` for independent cases",
    "bbc": "`bbc`",
    "bbc_fold": "`bbc_fold`",
    "mabt": "`mabt`",
    "delong_10p": "`delong_10p`",
    "bonferroni": "Bonferroni",
}
Lines = list[list[str]]


def table(name: str, *arguments: str) -> str:
    """Return a table by the words that a page asks for it with."""
    makers: dict[str, Callable[..., Lines]] = {
        "frozen": frozen_table,
        "tightness": tightness_table,
        "failures": failures_table,
        "resamples": resamples_table,
        "real": real_table,
        "shuffled": shuffled_table,
        "groups": groups_table,
        "designs": designs_table,
        "values": values_table,
        "overview": overview_table,
        "fixed": fixed_table,
        "confident": confident_table,
        "extensions": lambda: extensions.list_kinds(extensions.RESULTS),
        "laws": lambda: extensions.list_laws(extensions.RESULTS),
    }
    head, *lines = makers[name](*arguments)
    return "".join(
        "| " + " | ".join(cells) + " |\n" for cells in [head, ["---"] * len(head), *lines]
    )


# ---- scores that were drawn


@cache
def frozen() -> dict[str, list[tuple[Cell, Summed]]]:
    """Return the cells of the frozen half by their kind, all of them last."""
    known = {cell.number: cell for cell in read()}
    groups: dict[str, list[tuple[Cell, Summed]]] = defaultdict(list)
    for number, made in sorted(cells_of(FROZEN).items()):
        groups[kind(known[number])].append((known[number], made))
    return groups | {"all": [pair for rows in groups.values() for pair in rows]}


def frozen_table() -> Lines:
    """Return how often one-sided bounds held in the frozen half, by method and kind of cells."""
    lines = [["cells", "runs", *(f"{name}: rejected, worst" for name in SIMULATED.values())]]
    for name, rows in frozen().items():
        runs = sum(made.near.runs for _, made in rows)
        every = ([held_of(made, method) for _, made in rows] for method in SIMULATED)
        lines.append([f"{name} ({len(rows)})", str(runs), *map(rejected_and_worst, every)])
    return lines


def tightness_table() -> Lines:
    """Return the slack over BBC's where BBC holds, and what two-sided intervals did."""
    lines = [
        [
            "cells",
            *(f"slack / BBC's: {name}" for name in ("`near_winner`", "Bonferroni", "oracle")),
            "width / BBC's: `near_winner`",
            *(f"two-sided, rejected: {SIMULATED[name]}" for name in ("near", "bbc")),
            "bounds moved to the value",
        ]
    ]
    for name, rows in frozen().items():
        sound = [made for _, made in rows if not made.bbc.rejected]
        sound_two = [made for _, made in rows if not made.bbc.rejected_two_sided]
        lines.append(
            [
                f"{name} ({len(rows)})",
                mean(made.near.slack / made.bbc.slack for made in sound),
                mean(held_of(made, "bonferroni").slack / made.bbc.slack for made in sound),
                mean(made.oracle_slack / made.bbc.slack for made in sound),
                mean(made.near.width / made.bbc.width for made in sound_two),
                *(
                    share(held_of(made, each).rejected_two_sided for _, made in rows)
                    for each in ("near", "bbc")
                ),
                str(sum(made.moved + made.moved_two for _, made in rows)),
            ]
        )
    return lines


def failures_table() -> Lines:
    """Return the cells of the frozen half in which near_winner was rejected, one by one."""
    head = ["metric", "n", "configurations", "repeats", "truths", "dependence"]
    lines = [[*head, "positives", "spread", "runs", "`near_winner` held", "`bbc` held"]]
    for cell, made in frozen()["all"]:
        if made.near.rejected:
            facts = (cell.metric, cell.n, cell.configs, cell.repeats, cell.truth, cell.dependence)
            rates = (f"{one.held / one.runs:.3f}" for one in (made.near, made.bbc))
            more = (cell.positives, cell.spread, made.near.runs)
            lines.append([*map(str, (*facts, *more)), *rates])
    return lines


def resamples_table() -> Lines:
    """Return what 500 resamples change in place of 1000, on the same samples of open cells."""
    common = done(RESULTS) & done(OPEN_500)
    many, few = cells_of(RESULTS, common), cells_of(OPEN_500, common)
    lines = [["method", "cells", "runs", "held, 1000", "held, 500", "slack of 500 / of 1000"]]
    for method in ("near", "bbc"):
        pairs = [(held_of(many[cell], method), held_of(few[cell], method)) for cell in many]
        lines.append(
            [
                SIMULATED[method],
                str(len(pairs)),
                str(sum(one.runs for one, _ in pairs)),
                rate(one for one, _ in pairs),
                rate(other for _, other in pairs),
                f"{sum(b.slack for _, b in pairs) / sum(a.slack for a, _ in pairs):.3f}",
            ]
        )
    return lines


def held_of(made: Summed, method: str) -> Held:
    """Return what one method did in a cell."""
    held = getattr(made, method)
    assert isinstance(held, Held)
    return held


# ---- searches with real learners


@cache
def real() -> tuple[Answer, ...]:
    """Return what every method did in every search that was repeated."""
    return tuple(answers())


HEAD = ["cells", "intervals", "one-sided", "worst cell", "rejected", "two-sided", "rejected"]
HEAD += ["slack / BBC's", "width / BBC's", "one-sided, refitted model", "ms"]


def real_table(*metrics: str) -> Lines:
    """Return what the methods did for some metrics, in searches of independent cases."""
    return by_method(
        [
            one
            for one in real()
            if one.metric in metrics and one.cell.population not in VISITS and not one.shuffled
        ]
    )


def shuffled_table(*metrics: str) -> Lines:
    """Return what the methods did for some metrics where nothing can be learned."""
    return by_method([one for one in real() if one.metric in metrics and one.shuffled])


def groups_table() -> Lines:
    """Return what the methods did where cases came in groups, for every metric."""
    return by_method([one for one in real() if one.cell.population in VISITS])


OVERVIEWS: dict[str, Callable[[Answer], bool]] = {
    "real": lambda one: one.cell.population not in VISITS and not one.shuffled,
    "shuffled": lambda one: one.shuffled,
    "groups": lambda one: one.cell.population in VISITS,
}
OVERVIEW = ("near_winner", "independent", "bbc", "bbc_fold", "mabt", "delong_10p")


def overview_table(which: str) -> Lines:
    """Return how often one-sided bounds held, and in how many cells too rarely, by metric."""
    rows = [one for one in real() if OVERVIEWS[which](one)]
    lines = [["metric", *(METHODS[method] for method in OVERVIEW)]]
    for metric in dict.fromkeys(one.metric for one in rows):
        cells = []
        for method in OVERVIEW:
            held = [one.held for one in rows if (one.metric, one.method) == (metric, method)]
            off = sum(one.rejected for one in held)
            cells.append(f"{rate(held)}, {off} of {len(held)}" if held else "–")
        lines.append([metric, *cells])
    return lines


def by_method(rows: Sequence[Answer]) -> Lines:
    """Return the answers summed over cells, by metric and method, with the oracle."""
    lines = [["metric", "method", *HEAD]]
    for metric in dict.fromkeys(one.metric for one in rows):
        bbc = {
            one.cell.number: one.held for one in rows if (one.metric, one.method) == (metric, "bbc")
        }
        for method, name in METHODS.items():
            mine = [one for one in rows if (one.metric, one.method) == (metric, method)]
            if mine:
                lines.append([metric, name, *entries(mine, bbc)])
        lucky = [one for one in rows if (one.metric, one.method) == (metric, "naive")]
        oracle = mean(one.oracle_slack / bbc[one.cell.number].slack for one in lucky)
        runs = sum(one.held.runs for one in lucky)
        blank = [""] * 5
        lines.append([metric, "oracle", str(len(lucky)), str(runs), *blank, oracle, "", "", ""])
    return lines


def entries(mine: Sequence[Answer], bbc: dict[int, Held]) -> list[str]:
    """Return one line of a table: what a method did over its cells."""
    held = [one.held for one in mine]
    return [
        str(len(mine)),
        str(sum(one.runs for one in held)),
        rate(held),
        f"{min(one.held / one.runs for one in held):.3f}",
        str(sum(one.rejected for one in held)),
        f"{sum(one.two for one in held) / sum(one.runs for one in held):.3f}",
        str(sum(one.rejected_two_sided for one in held)),
        mean(one.held.slack / bbc[one.cell.number].slack for one in mine),
        mean(one.held.width / bbc[one.cell.number].width for one in mine),
        rate(one.refit for one in mine),
        f"{1000 * sum(one.seconds for one in mine) / len(mine):.0f}",
    ]


def designs_table() -> Lines:
    """Return the share of one-sided bounds that held, by the kind of search."""
    kinds: dict[str, Callable[[Search], bool]] = {
        "n = 40, 5 folds": lambda c: (c.n, c.folds, c.repeats) == (40, 5, 1),
        "n = 100, 5 folds": lambda c: (c.n, c.folds, c.repeats) == (100, 5, 1),
        "n = 100, 10 folds": lambda c: (c.n, c.folds, c.repeats) == (100, 10, 1),
        "n = 100, 5 folds, 5 repeats": lambda c: (c.n, c.folds, c.repeats) == (100, 5, 5),
        "n = 400, 5 folds": lambda c: (c.n, c.folds, c.repeats) == (400, 5, 1),
        "n = 400, 10 folds, 5 repeats": lambda c: (c.n, c.folds, c.repeats) == (400, 10, 5),
    }
    metrics = ("accuracy", "balanced_accuracy", "roc_auc")
    columns = [(metric, method) for metric in metrics for method in ("near_winner", "bbc")]
    head = ["searches", "cells", "runs", *(f"{m}: {METHODS[name]}" for m, name in columns)]
    lines = [head]
    for rare, words in ((False, ""), (True, ", a tenth or fewer positive")):
        for name, belongs in kinds.items():
            mine = [
                one
                for one in real()
                if belongs(one.cell)
                and not one.shuffled
                and (one.cell.population in RARE) == rare
                and one.cell.population not in VISITS
                and one.metric in metrics
            ]
            counts = {one.cell.number: one.asked for one in mine}
            if counts:
                rates = (
                    rate(one.held for one in mine if (one.metric, one.method) == column)
                    for column in columns
                )
                total = str(sum(counts.values()))
                lines.append([name + words, str(len(counts)), total, *rates])
    return lines


def values_table(which: str = "signal") -> Lines:
    """Return how much too good values are, for the fold models and for the refitted model."""
    lines = [["metric", "cells", "naive score", "`bbc`", "naive, refitted", "`bbc`, refitted"]]
    rows = [one for one in real() if one.shuffled == (which == "shuffled")]
    for metric in dict.fromkeys(one.metric for one in rows):
        errors = [
            [one for one in rows if (one.metric, one.method) == (metric, method)]
            for method in ("naive", "bbc")
        ]
        means = [f"{average(one.error for one in some):+.3f}" for some in errors]
        means += [f"{average(one.refit_error for one in some):+.3f}" for some in errors]
        lines.append([metric, str(len(errors[0])), *means])
    return lines


def fixed_table() -> Lines:
    """Return how scores of configurations that were fixed beforehand vary."""
    cells = {cell.number: cell for cell in read_searches()}
    head = ["population", "metric", "samples", "spread / that of independent cases"]
    head += ["score - truth", "held: for independent cases", "held: for cases that trained others"]
    return [head] + [
        [
            cells[row.cell].population,
            row.metric,
            str(row.replications),
            f"{row.spread:.2f}",
            f"{row.bias:+.3f}",
            f"{row.independent:.3f}",
            f"{row.crossed:.3f}",
        ]
        for row in read_rows(fixed.Row, fixed.FIXED)
    ]


def confident_table() -> Lines:
    """Return how often bounds of a log loss held, by how confident the winner is."""
    rows = read_rows(confident.Row, confident.RESULTS)
    lines = [["n", "standard deviation of the log odds", "searches", "one-sided", "two-sided"]]
    for n in sorted({row.n for row in rows}):
        for confidence, words in enumerate(("at most", "above")):
            some = [row for row in rows if (row.n, row.confident) == (n, confidence)]
            total = sum(row.searches for row in some)
            if total:
                counts = sum(row.held for row in some), sum(row.two for row in some)
                shares = (f"{count / total:.3f}" for count in counts)
                lines.append([str(n), f"{words} {CONFIDENT:g}", str(total), *shares])
    return lines


# ---- entries


def rejected_and_worst(rows: Sequence[Held]) -> str:
    """Return the share of rejected cells, and the lowest share of bounds that held."""
    worst = min(one.held / one.runs for one in rows)
    return f"{share(one.rejected for one in rows)}, {worst:.3f}"


def rate(rows: Iterable[Held]) -> str:
    """Return the share of bounds that held over all runs; nothing where there are none."""
    kept = list(rows)
    return f"{sum(one.held for one in kept) / sum(one.runs for one in kept):.3f}" if kept else ""


def share(tells: Iterable[bool]) -> str:
    """Return how many of some are, in per cent."""
    kept = list(tells)
    return f"{100 * sum(kept) / len(kept):.1f} %"


def average(values: Iterable[float]) -> float:
    """Return the mean."""
    kept = list(values)
    return sum(kept) / len(kept)


def mean(values: Iterable[float]) -> str:
    """Return the mean in words; nothing where there is none."""
    kept = list(values)
    return f"{average(kept):.2f}" if kept else ""
