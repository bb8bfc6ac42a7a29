"""The one rule by which our numbers are held to the published ones.

A number is compared by the exact test of its kind. All tests of a table are adjusted together by
Holm's method at .05, so that a table that agrees has no cell that differs in 95 of 100 such
comparisons. What differs is listed with its reason, or as unexplained. Every tested number has its
tolerance: from where to where it could have been and still agreed, the other numbers of the table
being what they are.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.papers.study import Finding, Kind, Reason

LEVEL = 0.05
AGREES, DIFFERS, NO_TEST, NOT_PUBLISHED = "agrees", "differs", "no test", "not published"
UNEXPLAINED = "unexplained"
TINY = 1e-12  # a half, rounded either way


@dataclass(frozen=True)
class Published:
    """A published number: of how many replications, and their standard deviation where known.

    `places` is how many decimals are printed.
    """

    value: float
    runs: int = 0
    spread: float = math.nan
    places: int = 0

    @property
    def half_a_digit(self) -> float:
        """By how much the printed number may be off as it was rounded."""
        return 0.5 * 10**-self.places


@dataclass(frozen=True)
class Verdict:
    """A number of ours beside the published one."""

    finding: Finding
    published: Published | None
    p: float
    p_adjusted: float
    verdict: str
    reason: str
    low: float = math.nan  # from here
    high: float = math.nan  # to here, ours would have agreed


Key = tuple[str, str, str]  # table, row, quantity


def read_published(path: Path) -> dict[Key, Published]:
    """Return the published numbers of a paper by table, row and quantity."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (line["table"], line["row"], line["quantity"]): Published(
                float(line["published"]),
                int(line["runs"] or 0),
                float(line["spread"] or "nan"),
                len(line["published"].partition(".")[2]),
            )
            for line in csv.DictReader(file)
        }


def judge(
    table: str,
    findings: Sequence[Finding],
    published: Mapping[Key, Published],
    reasons: Sequence[Reason],
) -> list[Verdict]:
    """Return the verdict of every number of a table."""
    known = [published.get((table, one.row, one.quantity)) for one in findings]
    chances = [
        math.nan if theirs is None else p_value(ours, theirs)
        for ours, theirs in zip(findings, known, strict=True)
    ]
    adjusted, critical = holm(chances), find_critical(chances)
    out = []
    for ours, theirs, p, corrected, least in zip(
        findings, known, chances, adjusted, critical, strict=True
    ):
        verdict = NOT_PUBLISHED if theirs is None else NO_TEST
        why, low, high = "", math.nan, math.nan
        if theirs is not None and not math.isnan(corrected):
            verdict = AGREES if corrected > LEVEL else DIFFERS
            low, high = find_agreeing(ours, theirs, least)
        if verdict == DIFFERS:
            why = next((r.words for r in reasons if r.fits(table, ours)), UNEXPLAINED)
        out.append(Verdict(ours, theirs, p, corrected, verdict, why, low, high))
    return out


def p_value(ours: Finding, theirs: Published) -> float:
    """Return the two-sided p-value of equality, NaN where there is no test."""
    from scipy import stats

    n, m = ours.runs, theirs.runs
    if ours.kind is Kind.EXACT:
        return 1.0 if abs(ours.value - theirs.value) <= theirs.half_a_digit + TINY else 0.0
    if ours.kind is Kind.SHOWN or n < 2 or math.isnan(ours.value):
        return math.nan
    if ours.kind is Kind.SHARE:
        hits = round(ours.value * n)
        if not m:
            return float(stats.binomtest(hits, n, theirs.value).pvalue)
        held = round(theirs.value * m)
        return float(stats.fisher_exact([[hits, n - hits], [held, m - held]]).pvalue)
    away = ours.value - theirs.value
    if ours.kind is Kind.CORRELATION:
        error = math.sqrt(1 / (n - 3) + (1 / (m - 3) if m > 3 else 0.0))
        return float(
            2 * stats.norm.sf(abs(np.arctanh(ours.value) - np.arctanh(theirs.value)) / error)
        )
    if ours.kind is Kind.SD:
        if theirs.value == 0 or ours.value == 0:
            return 1.0 if away == 0 else 0.0
        ratio = (ours.value / theirs.value) ** 2
        tail = float(
            stats.f.cdf(ratio, n - 1, m - 1) if m else stats.chi2.cdf(ratio * (n - 1), n - 1)
        )
        return 2 * min(tail, 1 - tail)
    error, df = _error_of(ours, theirs)
    if not error > 0:
        return 1.0 if math.isclose(away, 0.0, abs_tol=1e-12) else 0.0
    return float(2 * stats.t.sf(abs(away) / error, df))


def _error_of(ours: Finding, theirs: Published) -> tuple[float, float]:
    """Return the standard error of a difference of means, and its degrees of freedom."""
    n, m = ours.runs, theirs.runs
    if ours.kind is Kind.SINGLE:
        return ours.spread * math.sqrt(1 + 1 / n), float(n - 1)
    known = not math.isnan(theirs.spread)
    spread = theirs.spread if known else ours.spread
    parts = (ours.spread**2 / n, spread**2 / m if m else 0.0)
    error, df = math.sqrt(sum(parts)), float(n - 1)
    if known and m > 1 and error > 0:  # Welch
        df = sum(parts) ** 2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
    return error, df


def find_agreeing(ours: Finding, theirs: Published, level: float) -> tuple[float, float]:
    """Return from where to where a number like ours has a p-value above the level.

    Runs and spreads are those that were found.
    """
    from scipy import stats

    n, m = ours.runs, theirs.runs
    if ours.kind is Kind.EXACT:
        return theirs.value - theirs.half_a_digit, theirs.value + theirs.half_a_digit
    if ours.kind is Kind.SHARE:
        return _agreeing_share(ours, theirs, level)
    if ours.kind is Kind.CORRELATION:
        error = math.sqrt(1 / (n - 3) + (1 / (m - 3) if m > 3 else 0.0))
        reach = float(stats.norm.isf(level / 2)) * error
        middle = float(np.arctanh(theirs.value))
        return math.tanh(middle - reach), math.tanh(middle + reach)
    if ours.kind is Kind.SD:
        law = stats.f(n - 1, m - 1) if m else stats.chi2(n - 1, scale=1 / (n - 1))
        low, high = (theirs.value * math.sqrt(law.ppf(q)) for q in (level / 2, 1 - level / 2))
        return low, high
    error, df = _error_of(ours, theirs)
    reach = float(stats.t.isf(level / 2, df)) * error if error > 0 else 0.0
    return theirs.value - reach, theirs.value + reach


def _agreeing_share(ours: Finding, theirs: Published, level: float) -> tuple[float, float]:
    """Return the ends of the shares around the published one that agree with it."""
    from scipy import stats

    n, part = ours.runs, theirs.value

    def agrees(hits: int) -> bool:
        return p_value(replace(ours, value=hits / n), theirs) > level

    # A normal law says about how far it is; from well within that, count on.
    error = math.sqrt(part * (1 - part) * (1 / n + (1 / theirs.runs if theirs.runs else 0.0)))
    near = int(0.6 * float(stats.norm.isf(level / 2)) * error * n)
    ends = []
    for step in (-1, 1):
        hits = min(max(round(part * n) + step * near, 0), n)
        if not agrees(hits):
            hits = round(part * n)
        while 0 <= hits + step <= n and agrees(hits + step):
            hits += step
        ends.append(hits / n)
    return ends[0], ends[1]


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method; those that are NaN stay out of it.

    >>> holm([0.01, 0.04, float("nan"), 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    out = [math.nan] * len(chances)
    tested = sorted((p, place) for place, p in enumerate(chances) if not math.isnan(p))
    least = 0.0
    for rank, (p, place) in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - rank) * p))
        out[place] = least
    return out


def find_critical(chances: Sequence[float]) -> list[float]:
    """Return up to where each p-value would be rejected by Holm's method, given all others.

    >>> [round(p, 4) for p in find_critical([0.01, 0.04, float("nan"), 0.03])]
    [0.0167, 0.025, nan, 0.025]
    """
    out = [math.nan] * len(chances)
    tested = sorted((p, place) for place, p in enumerate(chances) if not math.isnan(p))
    for _, place in tested:
        others = [p for p, other in tested if other != place]
        rank = 0
        while rank < len(others) and others[rank] * (len(tested) - rank) <= LEVEL:
            rank += 1
        out[place] = LEVEL / (len(tested) - rank)
    return out
