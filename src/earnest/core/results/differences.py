"""The difference of two values: its alternatives, its range, and where its limits come from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.estimate import Scale
from earnest.core.results.interval import (
    Interval,
    LimitSource,
    StudentLimits,
    open_side,
    source_from_dict,
    tail_of,
)
from earnest.core.results.specs import Side


class Alternative(StrEnum):
    """What a test tries to show of the difference a - b."""

    TWO_SIDED = "two-sided"
    LESS = "less"
    GREATER = "greater"

    @property
    def side(self) -> Side:
        """The side of the interval that goes with it: 'less' bounds the difference from above."""
        return _SIDES[self]

    @classmethod
    def of(cls, given: Alternative | str) -> Alternative:
        """Make an alternative from a checked argument."""
        return cls(check.one_of("alternative", str(given), [str(each) for each in cls]))


_SIDES = {
    Alternative.TWO_SIDED: Side.TWO_SIDED,
    Alternative.LESS: Side.UPPER,
    Alternative.GREATER: Side.LOWER,
}


StudentDifference = StudentLimits  # of a difference as of any other number


@dataclass(frozen=True)
class ExactLimits:
    """The limits of a difference that is known: both are its value."""

    value: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the value twice, infinite at an open end."""
        return open_side(self.value, self.value, side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data; there are no draws."""
        return {"kind": "exactly", "value": self.value}


@dataclass(frozen=True, eq=False)
class FlippedLimits:
    """Limits by inverting a sign-flip test: order statistics of the means of flipped subsets.

    A shift d is rejected upward by as many sign patterns as have a mean of the flipped cases of d
    or less, so the limits are order statistics of those means (Hartigan 1969). With m of them and
    k = floor(tail * (m + 1)) the lower limit is the k-th smallest: it excludes 0 exactly where the
    p-value, (1 + count) / (1 + m), is at most the tail. With k = 0 there is no limit.
    """

    means: NDArray[np.float64] | None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end and where there are too few means."""
        if self.means is None:
            raise EvidenceError(
                "the sign flips of this comparison were not kept",
                needs="the flips that an interval is read from",
                cure="Compute it again, or keep them with to_dict(draws=True).",
            )
        ordered = np.sort(self.means)
        rank = math.floor(tail_of(confidence_level, side) * (len(ordered) + 1) + 1e-9)
        if rank < 1:
            return -math.inf, math.inf
        return open_side(float(ordered[rank - 1]), float(ordered[-rank]), side)

    def to_dict(self, *, draws: bool) -> JsonObject:
        """Return plain data, with or without the means."""
        data: dict[str, object] = {"kind": "flips"}
        if draws and self.means is not None:
            data["means"] = self.means.tolist()
        return data


def difference_limits(scale: Scale) -> tuple[float, float]:
    """Return the range of a difference of two values of a metric.

    Examples
    --------
    >>> from earnest.core.results.differences import difference_limits
    >>> from earnest.core.results.estimate import Scale
    >>> difference_limits(Scale("roc_auc", True, (0.0, 1.0)))
    (-1.0, 1.0)
    """
    width = scale.limits[1] - scale.limits[0]
    return -width, width


def make_difference_interval(
    source: LimitSource | None, level: float, alternative: Alternative, scale: Scale
) -> Interval | None:
    """Return the interval of a difference that a source gives, inside its range."""
    if source is None:
        return None
    low, high = source.limits(level, alternative.side)
    least, most = difference_limits(scale)
    low, high = (min(max(end, least), most) for end in (low, high))
    return Interval(low, high, level, str(alternative.side))


def alpha_of(confidence_level: float) -> float:
    """Return 1 - level without the rounding that makes 1 - .95 a little more than .05."""
    return round(1.0 - confidence_level, 12)


def difference_source(data: JsonObject | None) -> LimitSource | None:
    """Make a source of limits from plain data."""
    kind = None if data is None else data["kind"]
    if data is not None and kind == "student":
        return StudentDifference(data["centre"], data["standard_error"], data["df"])
    if data is not None and kind == "exactly":
        return ExactLimits(data["value"])
    if data is not None and kind == "flips":
        means = data.get("means")
        return FlippedLimits(None if means is None else np.asarray(means, dtype=np.float64))
    return source_from_dict(data)
