"""All methods on the same resamples, grouped by what they estimate, each with its strip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Estimand, Side
from earnest.core.text.estimate import limits_words, places_of, print_numbers
from earnest.core.text.numbers import percent, write_count
from earnest.methods import METHODS
from earnest.methods.base import spec_of
from earnest.plotting.svg.canvas import Axis, Figure
from earnest.plotting.svg.strips import Correction, forest_strip, scale_over, strip_axis
from earnest.reporting.model import NONE, MethodGroup, MethodRow, MethodsPart
from earnest.reporting.parts.headings import (
    GROUPS,
    GROUPS_OF_ONE,
    REFUSED,
    UNCORRECTED,
    methods_heading,
)
from earnest.reporting.sources.asking import Results

LEDE = (
    "Every method that applies here, {basis}, grouped by what it estimates. Compare numbers "
    "within a group; different groups answer different questions."
)
ORDER = [
    Estimand.WINNER,
    Estimand.FIXED_MODEL,
    Estimand.FITTED_MODEL,
    Estimand.THIS_MODEL,
    Estimand.FITTED_MODELS,
    Estimand.CHOSEN_ON_LEARNING,
    Estimand.CHOSEN_ON_EVALUATION,
]


def methods_of(results: Results) -> MethodsPart | None:
    """Return the table of methods, None where there is none."""
    estimate, table = results.estimate, results.table
    if estimate is None or table is None:
        return None
    places = places_of(table)
    strips = Strips.of(list(table), estimate)
    groups = tuple(_groups(results, estimate, places, strips))
    return MethodsPart(
        heading=_heading(results, estimate, places),
        lede=LEDE.format(basis=_basis(estimate)),
        level=percent(0.95 if estimate.interval is None else estimate.interval.confidence_level),
        reported=print_numbers(estimate, places).value.words,
        kinds=tuple(sorted({row.kind for group in groups for row in group.rows})),
        one_sided=any(
            method.interval and method.interval.side != Side.TWO_SIDED for method in table
        ),
        cut=strips.cuts(list(table)),
        groups=groups,
        axis=strips.axis,
    )


def _basis(estimate: Estimate) -> str:
    if not estimate.n_resamples:
        return "on the same cases"
    return f"those that resample cases on the same {write_count(estimate.n_resamples, 'resample')}"


def _group_words(results: Results, estimate: Estimate, estimand: str) -> tuple[str, str]:
    """Return what a group is called, and what its numbers are about."""
    titles = GROUPS_OF_ONE if estimate.n_configs == 1 else {}
    title, note = titles.get(estimand) or GROUPS.get(estimand, (estimand, ""))
    if "{n_train}" in note and estimate.training is None:
        note = "mean over choices"
    return title, note.format(n_train=estimate.training)


def _heading(results: Results, estimate: Estimate, places: int) -> str:
    """Say whether the corrected methods of the reported quantity agree.

    The range is that of all of them. They agree where all intervals meet and every value, also of
    a method without an interval, lies inside the reported interval; without two intervals nothing
    is said, for that two bare values are close shows nothing.
    """
    same = [
        method
        for method in results.table or ()
        if method.estimand == estimate.estimand and method.honest
    ]
    with_interval = [method for method in same if method.interval]
    if estimate.n_configs == 1 or len(with_interval) < 2:
        same = (
            with_interval if estimate.n_configs > 1 else []
        )  # nothing was selected: nothing is corrected
    values = sorted(same, key=lambda method: method.value)
    low, high = (
        (print_numbers(method, places).value.words for method in (values[0], values[-1]))
        if same
        else "--"
    )
    ends = [method.interval for method in with_interval if method.interval is not None]
    apart = any(a.high < b.low for a in ends for b in ends)
    mine = estimate.interval
    outside = mine is not None and any(not mine.low <= method.value <= mine.high for method in same)
    return methods_heading(low, high, len(same), disagree=apart or outside)


def _groups(
    results: Results, estimate: Estimate, places: int, strips: Strips
) -> Iterator[MethodGroup]:
    table = results.table
    assert table is not None
    fair = [row for row in table if row.honest]
    ranks = {str(each): i for i, each in enumerate(ORDER)}
    first = str(estimate.estimand)
    estimands = sorted(
        dict.fromkeys(method.estimand for method in fair),
        key=lambda each: (each != first, ranks.get(each, 99)),
    )
    for estimand in estimands:
        title, note = _group_words(results, estimate, estimand)
        rows = [
            _row(method, estimate, places, strips, "honest" if estimand == first else "other")
            for method in _put_reported_first(fair, estimate)
            if method.estimand == estimand
        ]
        if estimand == Estimand.WINNER and results.nested_fits:
            rows.append(_make_nested_row(results.nested_fits))
        yield MethodGroup(title, note, tuple(rows))
    naive = [method for method in table if not any(method is each for each in fair)]
    if naive:
        rows = [_row(method, estimate, places, strips, "naive") for method in naive]
        yield MethodGroup(*UNCORRECTED, tuple(rows))
    refused = [
        MethodRow(
            title=METHODS[name].spec.label(),
            note=why.what,
            value=NONE,
            interval=NONE,
            kind="refused",
        )
        for name, why in table.refused.items()
    ]
    if refused:
        yield MethodGroup(*REFUSED, tuple(refused))


def _put_reported_first(rows: list[Estimate], estimate: Estimate) -> list[Estimate]:
    return sorted(rows, key=lambda method: method is not estimate)


def _make_nested_row(fits: int) -> MethodRow:
    return MethodRow(
        title="Nested cross-validation",
        note=f"not run: needs {fits:,} fits",
        value=NONE,
        interval=NONE,
        kind="refused",
    )


def _say_scored(method: Estimate, estimate: Estimate) -> str:
    """Say where an uncorrected score is a mean over folds, unlike the naive one of the headline."""
    rules = [str(each.provenance.knobs.get("selector")) for each in (method, estimate)]
    if method.n_configs < 2 or method.honest or rules != ["mean_of_folds", "pooled"]:
        return ""
    return ", by folds"


def _title(estimate: Estimate) -> str:
    """Return a method in a word or two; where nothing was chosen, none that speaks of a winner."""
    return spec_of(estimate).label(alone=estimate.n_configs == 1)


def _row(method: Estimate, estimate: Estimate, places: int, strips: Strips, kind: str) -> MethodRow:
    resamples = f", {write_count(method.n_resamples, 'resample')}" if method.n_resamples else ""
    note = method.method + (": gives no interval" if method.interval is None else resamples)
    note += _say_scored(method, estimate)
    shown = print_numbers(method, places)
    return MethodRow(
        title=_title(method),
        note=note,
        value=shown.value.words,
        interval=NONE if method.interval is None else limits_words(method.interval, shown),
        kind=kind,
        reported=method is estimate,
        strip=strips.row(method, kind, reported=method is estimate),
    )


REACH = 3.0  # widths of the reported interval beyond which the end of another is not shown
TRUST = {"honest": Correction.CORRECTED, "other": Correction.OTHER, "naive": Correction.NAIVE}
WIDTH = 350  # pixels; as wide as a phone's column, so that no strip is ever scaled


@dataclass(frozen=True, eq=False)
class Strips:
    """Draws the rows of the table of methods."""

    scale: Axis
    reported: Estimate
    axis: Figure
    numbers: Any

    @classmethod
    def of(cls, rows: list[Estimate], estimate: Estimate) -> Strips:
        """Take the scale that holds all values, and the intervals near the reported one."""
        naive = [] if estimate.naive is None or estimate.n_configs < 2 else [estimate.naive]
        values = [*naive, *(row.value for row in rows), *_near(rows, estimate)]
        scale = scale_over(values, width=WIDTH, limits=estimate.scale.limits)
        return cls(scale, estimate, strip_axis(scale, name="methods-axis"), count())

    def cuts(self, rows: list[Estimate]) -> bool:
        """Tell whether an end of an interval lies beyond the scale; its bar is then an arrow."""
        ends = [end for row in rows for end in _ends(row)]
        return any(not self.scale.holds(end) for end in ends)

    def row(self, estimate: Estimate, kind: str, *, reported: bool = False) -> Figure:
        """Draw one method."""
        return forest_strip(
            estimate,
            self.scale,
            name=f"method-{next(self.numbers)}",
            trust=TRUST[kind],
            reference=self.reported.value,
            reported=reported,
        )


def _ends(estimate: Estimate) -> list[float]:
    """Return the ends of an interval; of a one-sided one the end that it has."""
    if estimate.interval is None:
        return []
    low = [] if estimate.interval.side == Side.UPPER else [estimate.interval.low]
    return low + ([] if estimate.interval.side == Side.LOWER else [estimate.interval.high])


def _near(rows: list[Estimate], estimate: Estimate) -> list[float]:
    """Return the ends of intervals, those far from the reported one brought near.

    One interval that is ten times as wide would squeeze the reported one to a dot.
    """
    ends = [end for row in rows for end in _ends(row)]
    reported = _ends(estimate)
    if len(reported) < 2 or not reported[1] > reported[0]:
        return ends
    room = REACH * (reported[1] - reported[0])
    return [min(max(end, reported[0] - room), reported[1] + room) for end in ends]
