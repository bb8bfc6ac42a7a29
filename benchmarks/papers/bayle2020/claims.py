"""What the poster says in words or follows by formula, held to the tables of `summary`.

python -m benchmarks.papers.bayle2020.claims
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from benchmarks.papers.bayle2020.summary import lines, write

LEAST = 700  # the smallest size of the authors' code
RIVALS = ("holdout", "cv_t", "resampled_t", "corrected_t", "five_by_two")
SURE = 0.01  # a share is off if the binomial law has it or a rarer one less often
Cell = dict[str, dict[str, str]]  # lines by procedure


def main() -> None:
    two, three = cells("results_figure2.csv", "procedure"), cells("results_figure3.csv", "test")
    judged = {name: rule(two if kind == 2 else three) for name, (kind, rule) in RULES.items()}
    rows = []
    for line in lines("expected_claims.csv"):
        found = judged[line["claim"]]
        off = [place for place, holds in found if not holds]
        held = len(found) - len(off)
        rows.append({**line, "cells": len(found), "held": held, "not_held": "; ".join(off)})
    write("results_claims.csv", rows)
    for row in rows:
        print(f"{row['claim']:24} {row['held']} of {row['cells']}  {row['not_held']}")


def cells(name: str, key: str) -> dict[str, Cell]:
    """Return the lines of a table by population, learner and size, and by procedure."""
    out: dict[str, Cell] = defaultdict(dict)
    for line in lines(name):
        if int(line["n"]) >= LEAST:
            who = line.get("learner") or f"{line['A1']}-{line['A2']}"
            out[f"{line['population']} {who} {line['n']}"][line[key]] = line
    return out


Verdicts = list[tuple[str, bool]]
Judge = Callable[[dict[str, Cell]], Verdicts]


def covering(procedures: tuple[str, ...], *, too_high: bool = False) -> Judge:
    """Return a rule: coverage is not below 95 % beyond chance, nor above it where asked."""

    def rule(found: dict[str, Cell]) -> Verdicts:
        out = []
        for place, cell in found.items():
            for name in procedures:
                below, above = chances(cell[name], "coverage", 0.95)
                holds = below >= SURE / 2 and (not too_high or above >= SURE / 2)
                out.append((f"{place} {name} {cell[name]['coverage']}", holds))
        return out

    return rule


def undercovering(found: dict[str, Cell]) -> Verdicts:
    """Tell whether the plain t interval of random splits covers less than 95 %, beyond chance."""
    name = "resampled_t"
    return [
        (f"{place} {cell[name]['coverage']}", chances(cell[name], "coverage", 0.95)[0] < SURE)
        for place, cell in found.items()
    ]


def narrowest(found: dict[str, Cell]) -> Verdicts:
    """Tell whether the proposed interval is narrower than that of every rival."""
    return [
        (f"{place} {name} {cell[name]['relative_width']}", float(cell[name]["relative_width"]) > 1)
        for place, cell in found.items()
        for name in RIVALS
    ]


def wide_holdout(found: dict[str, Cell]) -> Verdicts:
    """Tell whether hold-out is twice as wide or more."""
    return [(place, float(cell["holdout"]["relative_width"]) >= 2) for place, cell in found.items()]


def sized(found: dict[str, Cell]) -> Verdicts:
    """Tell whether the proposed test rejects a true null hypothesis in 5 % or less."""
    name = "bayle_all_pairs"
    return [
        (f"{place} {cell[name]['size']}", chances(cell[name], "size", 0.05)[1] >= SURE)
        for place, cell in found.items()
        if cell[name]["size"]
    ]


def powerful(found: dict[str, Cell]) -> Verdicts:
    """Tell whether no rival has more power, up to two standard errors of the difference."""
    out = []
    for place, cell in found.items():
        mine = cell["bayle_all_pairs"]
        for name in RIVALS:
            if mine["power"] and cell[name]["power"]:
                p, q = float(mine["power"]), float(cell[name]["power"])
                error = np.sqrt((p * (1 - p) + q * (1 - q)) / int(mine["power_trials"]))
                out.append((f"{place} {name} {q} over {p}", q <= p + 2 * error))
    return out


def alike(found: dict[str, Cell]) -> Verdicts:
    """Tell whether the two variances give widths within 1 % of each other."""
    name = "bayle_within_fold"
    return [
        (
            f"{place} {cell[name]['relative_width']}",
            abs(float(cell[name]["relative_width"]) - 1) < 0.01,
        )
        for place, cell in found.items()
    ]


RULES: dict[str, tuple[int, Judge]] = {
    "coverage": (2, covering(("bayle_all_pairs", "bayle_within_fold"), too_high=True)),
    "width": (2, narrowest),
    "size": (3, sized),
    "power": (3, powerful),
    "two variances": (2, alike),
    "hold-out covers": (2, covering(("holdout",))),
    "hold-out is wide": (2, wide_holdout),
    "repeated undercovers": (2, undercovering),
    "the others cover": (2, covering(("cv_t", "corrected_t", "five_by_two"))),
}


def chances(line: dict[str, str], name: str, level: float) -> tuple[float, float]:
    """Return the chance of a share as low, and of one as high, if the true one is the level."""
    count = int(line[f"{name}_trials"])
    hits = round(float(line[name]) * count)
    return float(binom.cdf(hits, count, level)), float(binom.sf(hits - 1, count, level))


if __name__ == "__main__":
    main()
