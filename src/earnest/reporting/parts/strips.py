"""The strips of a table's rows, all on one axis."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Side
from earnest.plotting.svg.figures import Figure, Scale, Trust, forest_strip, scale_over, strip_axis

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
