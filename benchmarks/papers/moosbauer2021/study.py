"""Moosbauer et al. 2021: partial dependence of a search, and regions where it is more certain.

Table 1 and figure 6: searches of the Styblinski-Tang function, made once by `optimise` and kept in
`trials`; a replication is one of them. Table 3: the likelihood of the true curve under both bands.
Tables 2, 7, 8, 9, 10 and 11 in kind: two tables of HPOBench, where the paper has 35 data sets of
LCBench.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.papers.moosbauer2021.optimise import EVALUATIONS, SETUPS, load
from benchmarks.papers.moosbauer2021.table1 import BIAS, GAINS, SURROGATES, VARIANTS, measures
from benchmarks.papers.moosbauer2021.table3 import KERNELS, likelihoods
from benchmarks.papers.moosbauer2021.tables_in_kind import MEASURES, NAMES, Benchmark, gains
from benchmarks.papers.study import Cell, Done, Finding, Kind, Reason, Scale, seed_words

NAME = "moosbauer2021"
TOLERANCE = 1e-2  # climbs to the largest likelihood end a little apart on other processors
MORE_ROOMS = ("explanation",)
TAU = {bias: tau for tau, bias in BIAS.items()}
SETS = ("credit_g", "phoneme")
IMPURITIES = ("l2", "area", "variance", "mean", "baseline")
MADE_FROM = {"figure6": ("table1",), "dataset_level": ("in_kind",), "counts": ("in_kind",)}
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
    if data is not None:
        cells += [Cell.of("in_kind", 5 if small else 30, data, set=name) for name in SETS]
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
            f"{variant} {name}": value
            for variant in VARIANTS
            for name, value in found[variant].items()
        }
    if cell.table == "table3":
        both = likelihoods(str(cell["surrogate"]), cell.number("d"), number)
        return {f"{kernel} {band}": value for (kernel, band), value in both.items()}
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
    """Return tables 1 and 3 and figure 6, and tables 2 and 7 to 11 in kind."""
    out: dict[str, list[Finding]] = {}
    if "table1" in done:
        # The published script seeds every replication alike: a published cell is one search.
        out["table1"] = [
            Finding.mean(
                f"{part.cell.name} splits={variant}", name, part[f"{variant} {name}"], Kind.SINGLE
            )
            for part in done["table1"]
            for variant in VARIANTS
            for name in ("mmd", *GAINS)
        ]
        out["figure6"] = [
            Finding.mean(part.cell.name, name, part[f"as_published {name}"], Kind.SHOWN)
            for part in done["table1"]
            if part.cell["search"] == "published" and "as_published mc" in part
            for name in ("mc", "nll")
        ]
    if "table3" in done:
        out["table3"] = [
            Finding.mean(f"{part.cell.name} kernel={kernel}", band, part[f"{kernel} {band}"])
            for part in done["table3"]
            for kernel in KERNELS
            for band in ("eq4", "eq5")
        ]
    if "in_kind" in done:
        out |= _in_kind(done["in_kind"])
    return out


def _in_kind(parts: Sequence[Done]) -> dict[str, list[Finding]]:
    """Return medians by parameter, gains by data set, and which parameters gain most and least."""
    middle = [
        Finding(
            f"{part.cell.name} param={param} by={by}",
            measure,
            Kind.SHOWN,
            float(np.median(part[f"{param} {by} {measure}"])),
            len(part.values),
        )
        for part in parts
        for param in NAMES
        for by in IMPURITIES
        for measure in MEASURES
    ]
    level, most = [], {}
    for part in parts:
        for measure in ("mc", "nll"):
            means = {param: float(part[f"{param} l2 {measure}"].mean()) for param in NAMES}
            every = np.concatenate([part[f"{param} l2 {measure}"] for param in NAMES])
            row = f"{part.cell.name} measure={measure}"
            runs = len(part.values)
            level += [
                Finding(row, "mean", Kind.SHOWN, float(every.mean()), runs),
                Finding(row, "sd", Kind.SHOWN, float(every.std(ddof=1)), runs),
                Finding(row, "highest parameter", Kind.SHOWN, max(means.values()), runs),
                Finding(row, "lowest parameter", Kind.SHOWN, min(means.values()), runs),
            ]
            for word, pick in (("highest", max), ("lowest", min)):
                param = pick(means, key=lambda name: means[name])
                most[param, measure, word] = most.get((param, measure, word), 0) + 1
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
    return {"in_kind": middle, "dataset_level": level, "counts": counts}
