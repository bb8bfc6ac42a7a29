"""The strips of a table's rows, all on one axis."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from earnest.core.results import Estimate
from earnest.plotting.report_figures import (
    Figure,
    Scale,
    Trust,
    forest_strip,
    shared_scale,
    strip_axis,
)

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
        """Take the scale that holds all rows."""
        naive = [] if made.naive is None or made.n_configs < 2 else [made.naive]
        scale = shared_scale(rows, width=WIDTH, values=naive)
        return cls(scale, made, strip_axis(scale, name="methods-axis"), count())

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
