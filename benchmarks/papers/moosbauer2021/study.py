"""Moosbauer et al. 2021: partial dependence of a search, and regions where it is more certain.

Table 1 and figures 6 and 10: searches of the Styblinski-Tang function, made once by `optimise` and
kept in `trials`; a replication is one of them. Table 3 and figure 8: the likelihood of the true
curve under both bands. Tables 2, 7, 8, 9, 10 and 11 and figures 7 and 11 in kind: two tables of
HPOBench, where the paper has 35 data sets of LCBench.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.papers.moosbauer2021.optimise import EVALUATIONS, SETUPS, load
from benchmarks.papers.moosbauer2021.table1 import (
    BIAS,
    DEPTHS,
    GAINS,
    GROWTHS,
    SURROGATES,
    curves,
    measure_whole,
    measures,
)
from benchmarks.papers.moosbauer2021.table3 import KERNELS, likelihoods
from benchmarks.papers.moosbauer2021.tables_in_kind import (
    DEPTH,
    DRAWN,
    MEASURES,
    NAMES,
    Benchmark,
    gains,
)
from benchmarks.papers.moosbauer2021.tables_in_kind import curves as curves_in_kind
from benchmarks.papers.study import (
    Cell,
    Done,
    Finding,
    Floats,
    Kind,
    Reason,
    Scale,
    seed_words,
)

NAME = "moosbauer2021"
TOLERANCE = 1e-2  # climbs to the largest likelihood end a little apart on other processors
MORE_ROOMS = ("explanation",)
TAU = {bias: tau for tau, bias in BIAS.items()}
SETS = ("credit_g", "phoneme")
IMPURITIES = ("l2", "area", "variance", "mean", "baseline")
MADE_FROM = dict.fromkeys(("table7", "table8", "table9", "figure11"), ("in_kind",))
QUARTILES = (0.25, 0.5, 0.75)
REASONS: Sequence[Reason] = (
    Reason(
        "table1",
        "surrogate=earnest",
        "earnest's process has one distance and a nugget, the published one a product of distances",
    ),
    Reason("table1", "search=(library|radial|climbing|own_points)", "not the published search"),
    Reason(
        "table3",
        "surrogate=earnest",
        "earnest's process estimates a nugget, and one in four fits with the wrong kernel ends at "
        "noise only",
    ),
)


def grid(scale: Scale, data: Path | None) -> list[Cell]:
    """List the cells; those of HPOBench where there is a folder with its tables."""
    if scale is Scale.SMOKE:
        return [
            _search("published", 3, "low", "kriging", 1),
            Cell.of("table3", 1, surrogate="kriging", d=3),
            Cell.of("figure6", 1, d=3, bias="low"),
            Cell.of("figure10", 1, d=3),
        ]
    small = scale is Scale.SMALL
    cells = []
    for setup in ("published",) if small else SETUPS:
        for d in EVALUATIONS:
            for bias in ("low", "medium", "high"):
                there = len(load(d, TAU[bias], setup))
                runs = min(5, there) if small else there
                cells += [
                    _search(setup, d, bias, surrogate, runs) for surrogate in SURROGATES if runs
                ]
    cells += [
        Cell.of("table3", 20 if small else 50, surrogate=surrogate, d=d)
        for surrogate in SURROGATES
        for d in EVALUATIONS
    ]
    cells += [
        Cell.of("figure6", 5 if small else 30, d=d, bias=bias)
        for d in EVALUATIONS
        for bias in ("low", "medium", "high")
    ]
    cells += [Cell.of("figure10", 1, d=d) for d in EVALUATIONS]
    if data is not None:
        cells += [Cell.of("in_kind", 5 if small else 30, data, set=name) for name in SETS]
        cells += [
            Cell.of("figure7", 1, data, set=name, param=param) for name in SETS for param in DRAWN
        ]
    return cells


def _search(setup: str, d: int, bias: str, surrogate: str, runs: int) -> Cell:
    return Cell.of("table1", runs, search=setup, d=d, bias=bias, surrogate=surrogate)


def stream(cell: Cell, number: int) -> np.random.Generator:
    """Return a stream that tells which search or which replication it is."""
    return np.random.default_rng([number])


def run(cell: Cell, rng: np.random.Generator) -> Mapping[str, float]:
    """Return the numbers of one search, or of one replication."""
    number = seed_words(rng)[-1]
    if cell.table == "table1":
        points = load(cell.number("d"), TAU[str(cell["bias"])], str(cell["search"]))[number]
        found = measures(points, str(cell["surrogate"]))
        return {
            f"{splits} {name}": value for splits in GROWTHS for name, value in found[splits].items()
        }
    if cell.table == "table3":
        both = likelihoods(str(cell["surrogate"]), cell.number("d"), number)
        return {f"{kernel} {band}": value for (kernel, band), value in both.items()}
    if cell.table == "figure6":
        points = load(cell.number("d"), TAU[str(cell["bias"])], "published")[number]
        return measure_whole(points, "kriging")
    if cell.table == "figure10":
        return curves(load(cell.number("d"), TAU["medium"], "published")[number], "kriging")
    if cell.table == "figure7":
        table = benchmark_of(cell.data, str(cell["set"]))
        return curves_in_kind(table, number, str(cell["param"]))
    rows = gains(benchmark_of(cell.data, str(cell["set"])), number)
    return {
        f"{row['param']} {row['by']} {measure}": float(row[f"gain_{measure}"])
        for row in rows
        for measure in MEASURES
    }


@cache
def benchmark_of(folder: Path | None, name: str) -> Benchmark:
    """Return one table of HPOBench."""
    assert folder is not None
    return Benchmark(folder / f"hpobench_mlp_{name}.parquet")


def find(done: Mapping[str, Sequence[Done]]) -> dict[str, list[Finding]]:
    """Return tables 1 and 3, figures 6, 8 and 10, and the tables and figures in kind."""
    out: dict[str, list[Finding]] = {}
    if "table1" in done:
        # The published script seeds every replication alike: a published cell is one search.
        out["table1"] = [
            Finding.mean(
                f"{part.cell.name} splits={splits}", name, part[f"{splits} {name}"], Kind.SINGLE
            )
            for part in done["table1"]
            for splits in GROWTHS
            for name in ("mmd", *GAINS)
        ]
    if "table3" in done:
        out["table3"] = [
            Finding.mean(f"{part.cell.name} kernel={kernel}", band, part[f"{kernel} {band}"])
            for part in done["table3"]
            for kernel in KERNELS
            for band in ("eq4", "eq5")
        ]
    if "figure6" in done:
        out["figure6"] = [
            one
            for part in done["figure6"]
            for name in ("mc", "nll")
            for one in _box(f"{part.cell.name} measure={name}", part[name])
        ]
    for figure, splits in (("figure10", (0, *DEPTHS)), ("figure7", range(DEPTH + 1))):
        if figure in done:
            out[figure] = [one for part in done[figure] for one in _drawn(part, splits)]
    if "in_kind" in done:
        out |= _in_kind(done["in_kind"])
    return out


def _box(row: str, values: Floats) -> list[Finding]:
    """Return mean, standard deviation and quartiles of replications."""
    runs = len(values)
    made = [Finding.mean(row, "mean", values, Kind.SHOWN)]
    if runs > 1:
        made.append(Finding(row, "sd", Kind.SHOWN, float(values.std(ddof=1)), runs))
    quartiles = np.quantile(values, QUARTILES)
    return made + [
        Finding(row, f"quantile {share:g}", Kind.SHOWN, float(value), runs)
        for share, value in zip(QUARTILES, quartiles, strict=True)
    ]


def _drawn(part: Done, every: Iterable[int]) -> list[Finding]:
    """Return the points of the first replication's curves, by the number of splits."""
    first = dict(zip(part.names, part.values[0], strict=True))
    found = [Finding(part.cell.name, "best", Kind.SHOWN, float(first["best"]), 1)]
    for splits in every:
        place = 0
        while f"{splits} {place} x" in first:
            row = f"{part.cell.name} splits={splits} at={place}"
            found += [
                Finding(row, name, Kind.SHOWN, float(first[f"{splits} {place} {name}"]), 1)
                for name in ("x", "truth", "mean", "sd")
            ]
            place += 1
    return found


def _in_kind(parts: Sequence[Done]) -> dict[str, list[Finding]]:
    """Return tables 2, 10 and 11 as medians by parameter, tables 7 to 9, and figure 11."""
    middle: list[Finding] = []
    by_splits: list[Finding] = []
    levels: dict[str, list[Finding]] = {"mc": [], "nll": []}
    most: dict[tuple[str, str, str], int] = {}
    for part in parts:
        runs = len(part.values)
        for param in NAMES:
            middle += [
                _median(
                    f"{part.cell.name} param={param} by={by}",
                    measure,
                    part[f"{param} {by} {measure}"],
                )
                for by in IMPURITIES
                for measure in MEASURES
            ]
            by_splits += [
                _median(
                    f"{part.cell.name} param={param} splits={n}",
                    measure,
                    part[f"{param} splits={n} {measure}"],
                )
                for n in range(1, DEPTH + 1)
                for measure in ("mc", "nll")
            ]
        for measure, level in levels.items():
            means = {param: float(part[f"{param} l2 {measure}"].mean()) for param in NAMES}
            every = np.concatenate([part[f"{param} l2 {measure}"] for param in NAMES])
            level += [
                Finding(part.cell.name, "mean", Kind.SHOWN, float(every.mean()), runs),
                Finding(part.cell.name, "sd", Kind.SHOWN, float(every.std(ddof=1)), runs),
                Finding(part.cell.name, "median", Kind.SHOWN, float(np.median(every)), runs),
                Finding(part.cell.name, "highest parameter", Kind.SHOWN, max(means.values()), runs),
                Finding(part.cell.name, "lowest parameter", Kind.SHOWN, min(means.values()), runs),
            ]
            order = sorted(means, key=means.__getitem__)
            for word, param in (("highest", order[-1]), ("lowest", order[0])):
                most[param, measure, word] = most.get((param, measure, word), 0) + 1
    middle += _over_sets(middle, len(parts))
    counts = [
        Finding(
            f"param={param}",
            f"{measure} {word}",
            Kind.SHOWN,
            most.get((param, measure, word), 0),
            len(parts),
        )
        for param in NAMES
        for measure in ("mc", "nll")
        for word in ("highest", "lowest")
    ]
    return {
        "in_kind": middle,
        "table7": levels["mc"],
        "table8": levels["nll"],
        "table9": counts,
        "figure11": by_splits,
    }


def _over_sets(medians: Sequence[Finding], count: int) -> list[Finding]:
    """Return the means over data sets of the medians of each, as in the published tables."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in medians:
        _, _, rest = one.row.partition(" ")
        sums.setdefault((f"set=all {rest}", one.quantity), []).append(one.value)
    return [
        Finding(row, measure, Kind.SHOWN, float(np.mean(values)), count)
        for (row, measure), values in sums.items()
    ]


def _median(row: str, measure: str, values: Floats) -> Finding:
    return Finding(row, measure, Kind.SHOWN, float(np.median(values)), len(values))


def draw_figures(folder: Path) -> None:
    """Draw what the results show."""
    from benchmarks.papers.moosbauer2021.figures import draw_all

    draw_all(folder)
