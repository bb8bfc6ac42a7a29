"""What a number is measured in, and how it came about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import OPTIONAL, Plain
from earnest.core.results.readings import Reading

if TYPE_CHECKING:
    from earnest.core.data.target import Target


@dataclass(frozen=True)
class Scale(Plain):
    """The metric that a number is in: its name, direction and range, and its plain reading.

    `ideal` is the value of a right model where it lies inside the range; then no direction is
    better.
    """

    name: str = field(metadata={"key": "metric"})
    greater_is_better: bool
    limits: tuple[float, float]
    reading: Reading | None = field(default=None, metadata=OPTIONAL)
    ideal: float | None = field(default=None, metadata=OPTIONAL)

    def clip(self, value: float) -> float:
        """Bring a value into the metric's range."""
        return min(max(value, self.limits[0]), self.limits[1])

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of a result."""
        scale = super().from_dict(data)
        low, high = scale.limits  # NaN for an open end
        limits = (-math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high)
        if not scale.name or not limits[0] <= limits[1]:
            raise ValueError(f"{scale} is not a metric")
        return replace(scale, limits=limits)


@dataclass(frozen=True, kw_only=True)
class Provenance(Plain):
    """How a number came about, so that it can be reproduced."""

    seed: int | None
    fingerprint: str
    n_folds: int
    n_repeats: int
    knobs: JsonObject
    versions: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class CaseWeighting(Plain):
    """What the weights of cases mean, and how much is left of their number.

    Attributes
    ----------
    kind : str
        'survey' or 'importance'; frequencies are cases of their own.
    effective : float
        How many cases of equal weight they are worth: Kish's effective size.
    n_strata, n_units : int or None
        Of a survey with strata: how many, and how many units were drawn in them.
    """

    kind: str
    effective: float
    n_strata: int | None = field(default=None, metadata=OPTIONAL)
    n_units: int | None = field(default=None, metadata=OPTIONAL)

    @classmethod
    def of(cls, target: Target) -> CaseWeighting | None:
        """Return it for the cases of a target, None where all count alike."""
        if target.weights is None:
            return None
        return cls(
            kind=str(target.weights.kind),
            effective=target.count_effective(),
            n_strata=len(target.design.strata) if target.surveyed else None,
            n_units=target.n_units if target.surveyed else None,
        )
