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
from earnest.plotting.svg.canvas import Figure, Scale
from earnest.plotting.svg.strips import Trust, forest_strip, scale_over, strip_axis
from earnest.reporting.model import NONE, MethodGroup, MethodRow, MethodsPart
from earnest.reporting.parts.headings import (
    GROUPS,
    GROUPS_OF_ONE,
    REFUSED,
    UNCORRECTED,
    methods_heading,
)
from earnest.reporting.sources.asking import Results, spec_of

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


def methods_of(found: Results) -> MethodsPart | None:
    """Return the table of methods, None where there is none."""
    made, table = found.estimate, found.table
    if made is None or table is None:
        return None
    places = places_of(table)
    strips = Strips.of(list(table), made)
    groups = tuple(_groups(found, made, places, strips))
    return MethodsPart(
        heading=_heading(found, made, places),
        lede=LEDE.format(basis=_basis(made)),
        level=percent(0.95 if made.interval is None else made.interval.confidence_level),
        reported=print_numbers(made, places).value,
        kinds=tuple(sorted({row.kind for group in groups for row in group.rows})),
        one_sided=any(one.interval and one.interval.side != Side.TWO_SIDED for one in table),
        cut=strips.cuts(list(table)),
        groups=groups,
        axis=strips.axis,
    )


def _basis(made: Estimate) -> str:
    if not made.n_resamples:
        return "on the same cases"
    return f"those that resample cases on the same {write_count(made.n_resamples, 'resample')}"


def _group_words(found: Results, made: Estimate, estimand: str) -> tuple[str, str]:
    """Return what a group is called, and what its numbers are about."""
    one = GROUPS_OF_ONE if made.n_configs == 1 else {}
    title, note = one.get(estimand) or GROUPS.get(estimand, (estimand, ""))
    if "{n_train}" in note and made.training is None:
        note = "mean over choices"
    return title, note.format(n_train=made.training)


def _heading(found: Results, made: Estimate, places: int) -> str:
    """Say whether the corrected methods of the reported quantity agree.

    The range is that of all of them. They agree where all intervals meet and every value, also of
    a method without an interval, lies inside the reported interval; without two intervals nothing
    is said, for that two bare values are close shows nothing.
    """
    same = [one for one in found.table or () if one.estimand == made.estimand and one.honest]
    known = [one for one in same if one.interval]
    if made.n_configs == 1 or len(known) < 2:
        same = known if made.n_configs > 1 else []  # nothing was selected: nothing is corrected
    values = sorted(same, key=lambda one: one.value)
    low, high = (
        (print_numbers(one, places).value for one in (values[0], values[-1])) if same else "--"
    )
    ends = [one.interval for one in known if one.interval is not None]
    apart = any(a.high < b.low for a in ends for b in ends)
    mine = made.interval
    outside = mine is not None and any(not mine.low <= one.value <= mine.high for one in same)
    return methods_heading(low, high, len(same), disagree=apart or outside)


def _groups(found: Results, made: Estimate, places: int, strips: Strips) -> Iterator[MethodGroup]:
    table = found.table
    assert table is not None
    fair = [row for row in table if row.honest]
    known = {str(each): i for i, each in enumerate(ORDER)}
    first = str(made.estimand)
    estimands = sorted(
        dict.fromkeys(one.estimand for one in fair),
        key=lambda each: (each != first, known.get(each, 99)),
    )
    for estimand in estimands:
        title, note = _group_words(found, made, estimand)
        rows = [
            _row(one, made, places, strips, "honest" if estimand == first else "other")
            for one in _put_reported_first(fair, made)
            if one.estimand == estimand
        ]
        if estimand == Estimand.WINNER and found.nested_fits:
            rows.append(_make_nested_row(found.nested_fits))
        yield MethodGroup(title, note, tuple(rows))
    naive = [one for one in table if not any(one is each for each in fair)]
    if naive:
        rows = [_row(one, made, places, strips, "naive") for one in naive]
        yield MethodGroup(*UNCORRECTED, tuple(rows))
    refused = [
        MethodRow(
            title=METHODS[name].spec.label(),
            note=f"{name}: {_briefly(name, why)}",
            value=NONE,
            interval=NONE,
            kind="refused",
        )
        for name, why in table.refused.items()
    ]
    if refused:
        yield MethodGroup(*REFUSED, tuple(refused))


def _briefly(name: str, why: str) -> str:
    """Return the first sentence of a refusal, without the name that stands before it."""
    first = why.split(". ")[0].rstrip(".")
    return first.removeprefix(f"method {name!r} ")


def _put_reported_first(rows: list[Estimate], made: Estimate) -> list[Estimate]:
    return sorted(rows, key=lambda one: one is not made)


def _make_nested_row(fits: int) -> MethodRow:
    return MethodRow(
        title="Nested cross-validation",
        note=f"not run: needs {fits:,} fits",
        value=NONE,
        interval=NONE,
        kind="refused",
    )


def _say_scored(one: Estimate, made: Estimate) -> str:
    """Say where an uncorrected score is a mean over folds, unlike the naive one of the headline."""
    rules = [str(each.provenance.knobs.get("selector")) for each in (one, made)]
    if one.n_configs < 2 or one.honest or rules != ["mean_of_folds", "pooled"]:
        return ""
    return ", by folds"


def _title(one: Estimate) -> str:
    """Return a method in a word or two; where nothing was chosen, none that speaks of a winner."""
    return spec_of(one).label(alone=one.n_configs == 1)


def _row(one: Estimate, made: Estimate, places: int, strips: Strips, kind: str) -> MethodRow:
    resamples = f", {write_count(one.n_resamples, 'resample')}" if one.n_resamples else ""
    note = one.method + (": gives no interval" if one.interval is None else resamples)
    note += _say_scored(one, made)
    shown = print_numbers(one, places)
    return MethodRow(
        title=_title(one),
        note=note,
        value=shown.value,
        interval=NONE if one.interval is None else limits_words(one.interval, shown),
        kind=kind,
        reported=one is made,
        strip=strips.row(one, kind, reported=one is made),
    )


REACH = 3.0  # widths of the reported interval beyond which the end of another is not shown
TRUST = {"honest": Trust.CORRECTED, "other": Trust.OTHER, "naive": Trust.NAIVE}
WIDTH = 350  # pixels; as wide as a phone's column, so that no strip is ever scaled


@dataclass(frozen=True, eq=False)
class Strips:
    """Draws the rows of the table of methods."""

    scale: Scale
    reported: Estimate
    axis: Figure
    numbers: Any

    @classmethod
    def of(cls, rows: list[Estimate], made: Estimate) -> Strips:
        """Take the scale that holds all values, and the intervals near the reported one."""
        naive = [] if made.naive is None or made.n_configs < 2 else [made.naive]
        values = [*naive, *(one.value for one in rows), *_near(rows, made)]
        scale = scale_over(values, width=WIDTH, limits=made.scale.limits)
        return cls(scale, made, strip_axis(scale, name="methods-axis"), count())

    def cuts(self, rows: list[Estimate]) -> bool:
        """Tell whether an end of an interval lies beyond the scale; its bar is then an arrow."""
        ends = [end for one in rows for end in _ends(one)]
        return any(not self.scale.holds(end) for end in ends)

    def row(self, one: Estimate, kind: str, *, reported: bool = False) -> Figure:
        """Draw one method."""
        return forest_strip(
            one,
            self.scale,
            name=f"method-{next(self.numbers)}",
            trust=TRUST[kind],
            reference=self.reported.value,
            reported=reported,
        )


def _ends(one: Estimate) -> list[float]:
    """Return the ends of an interval; of a one-sided one the end that it has."""
    if one.interval is None:
        return []
    low = [] if one.interval.side == Side.UPPER else [one.interval.low]
    return low + ([] if one.interval.side == Side.LOWER else [one.interval.high])


def _near(rows: list[Estimate], made: Estimate) -> list[float]:
    """Return the ends of intervals, those far from the reported one brought near.

    One interval that is ten times as wide would squeeze the reported one to a dot.
    """
    ends = [end for one in rows for end in _ends(one)]
    own = _ends(made)
    if len(own) < 2 or not own[1] > own[0]:
        return ends
    room = REACH * (own[1] - own[0])
    return [min(max(end, own[0] - room), own[1] + room) for end in ends]
