"""Summaries of replications, and whether they agree with the published cells."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import fisher_exact

from benchmarks.papers.paraschakis2024.rivals import FINAL, SplitBounds
from benchmarks.papers.paraschakis2024.simulate import Bounds, Setting

EXPECTED = Path(__file__).with_name("expected.csv")
METHODS = ("bbc", "bbc_fold", "naive_bootstrap")
PUBLISHED_RUNS = 200
RARE = 6.3e-5  # the two-sided tail beyond 4 standard deviations of a normal law


@dataclass(frozen=True)
class Cell:
    """One method in one setting, ours beside the published."""

    alpha: int
    beta: int
    cases: int
    configs: int
    minority: float
    method: str
    runs: int
    truth: float
    tightness: float
    tightness_published: float
    tightness_tolerance: float
    inclusion: float
    inclusion_published: float
    inclusion_chance: float
    agrees: bool | None  # None: the paper has no such cell


def published() -> dict[Setting, dict[str, float]]:
    """Return the published cells, NaN where the table has none."""
    with EXPECTED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        Setting(
            int(row["alpha"]),
            int(row["beta"]),
            int(row["cases"]),
            int(row["configs"]),
            float(row["minority"]),
        ): {name: float(text) if text else math.nan for name, text in row.items()}
        for row in rows
    }


def cell(setting: Setting, method: str, runs: Sequence[Bounds | SplitBounds]) -> Cell:
    """Return inclusion and tightness of a method, and whether the published ones agree.

    Tightness is the mean truth less the mean bound; both theirs and ours are means of 200, so
    they differ by at most 4 sqrt(2) sd / sqrt(200). Inclusions are two binomial samples of 200,
    compared by Fisher's exact test at the level of 4 standard deviations.
    """
    facts = published()[setting]
    name = "truth_final" if method in FINAL else "truth"
    truth = np.array([getattr(run, name) for run in runs])
    lower = np.array([getattr(run, method) for run in runs])
    gaps = truth - lower
    # The paper counts a bound that is hit as included, but not for the naive bootstrap.
    held = gaps > 0 if method == "naive_bootstrap" else gaps >= 0
    spread = gaps.std(ddof=1)
    tolerance = 4 * spread * math.sqrt(1 / len(runs) + 1 / PUBLISHED_RUNS)
    theirs = facts[f"{method}_inclusion"]
    chance = math.nan
    if not math.isnan(theirs):
        counts = [[int(held.sum()), int((~held).sum())], _counts(theirs)]
        chance = float(fisher_exact(counts).pvalue)
    near = abs(gaps.mean() - facts[f"{method}_tightness"]) <= tolerance
    return Cell(
        **asdict(setting),
        method=method,
        runs=len(runs),
        truth=float(truth.mean()),
        tightness=float(gaps.mean()),
        tightness_published=facts[f"{method}_tightness"],
        tightness_tolerance=tolerance,
        inclusion=float(held.mean()),
        inclusion_published=theirs,
        inclusion_chance=chance,
        agrees=None if math.isnan(theirs) else bool(near and chance >= RARE),
    )


def _counts(share: float) -> list[int]:
    held = round(share * PUBLISHED_RUNS)
    return [held, PUBLISHED_RUNS - held]
