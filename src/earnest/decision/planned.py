"""What a plan says: how many items are needed, by a curve and a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.base.provenance import finite
from earnest.core.results.base import MetricResult
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

DETECT, WIDTH = "detect", "width"


MOST_ITEMS = 10_000_000  # a study of more is none


@dataclass(frozen=True)
class PlanPoint:
    """One study that was simulated.

    Attributes
    ----------
    n_configs, n_repeats, n_items : int
        Its size.
    value : float
        The chance that it shows the difference, or the mean width of its interval.
    error : float
        The Monte Carlo error of the value.
    """

    n_configs: int
    n_repeats: int
    n_items: int
    value: float
    error: float


@dataclass(frozen=True)
class PlanNeed:
    """How many items are needed with so many configurations and repeats.

    Attributes
    ----------
    n_configs, n_repeats : int
        What it is for.
    n_items : int or None
        The items that are needed; None where more than 10,000,000 would be.
    """

    n_configs: int
    n_repeats: int
    n_items: int | None

    @property
    def runs(self) -> int | None:
        """The answers to pay for: items times configurations times repeats."""
        return None if self.n_items is None else self.n_items * self.n_configs * self.n_repeats


@dataclass(frozen=True, kw_only=True)
class Plan(MetricResult):
    """How many items a study needs, from a pilot.

    Attributes
    ----------
    question : {'detect', 'width'}
        What the study is for.
    goal : float
        The difference to detect, or the width of the interval.
    power : float or None
        The chance of showing the difference; None for a width.
    confidence_level : float
        The level of the test or the interval.
    needs : tuple of PlanNeed
        The items needed for each number of configurations and repeats.
    curve : tuple of PlanPoint
        The studies that were simulated.
    n_pilot : int
        The items of the pilot.
    method : str
        What the study will be judged by.
    cautions, provenance
        As of every result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> pilot = en.Scores(rng.random((200, 3)) < rng.random((200, 1)))
    >>> made = en.plan(pilot, detect=0.05, rng=0)
    >>> 900 < made.n_items < 1300
    True
    """

    schema: ClassVar[str] = "earnest/plan/1"
    called: ClassVar[str] = "a plan"

    question: str
    goal: float
    power: float | None
    confidence_level: float
    scale: Scale
    needs: tuple[PlanNeed, ...]
    curve: tuple[PlanPoint, ...]
    n_pilot: int
    method: str
    cautions: tuple[Caution, ...]
    provenance: Provenance

    @property
    def n_items(self) -> int | None:
        """The items needed with the first number of configurations and repeats."""
        return self.needs[0].n_items

    @property
    def cheapest(self) -> PlanNeed | None:
        """What needs the fewest answers; None where nothing is enough."""
        known = [need for need in self.needs if need.runs is not None]
        return min(known, key=lambda need: need.runs or 0, default=None)

    @property
    def sentence(self) -> str:
        """What is needed, in words."""
        first = self.needs[0]
        if self.question == DETECT:
            what = f"To detect a difference of {self.goal:g} in {self.metric}"
            if first.n_configs > 2:
                what = (
                    f"To be sure that the best of {first.n_configs} is better than all others, if "
                    f"it is so by {self.goal:g} in {self.metric},"
                )
            what += f" with a power of {100 * (self.power or 0.0):g} %"
        else:
            level = f"{100 * self.confidence_level:g} %"
            of = f" of the best of {first.n_configs}" if first.n_configs > 1 else ""
            what = f"To have a {level} interval for {self.metric}{of} that is {self.goal:g} wide"
        if first.n_items is None:
            return f"{what}, {MOST_ITEMS:,} items are not enough."
        times = f" with {first.n_repeats} repeats each" if first.n_repeats > 1 else ""
        said = f"{what}, you need about {_round_up(first.n_items):,} items{times}"
        said += f" (the pilot has {self.n_pilot:,})."
        best = self.cheapest
        if best is not None and best != first and len(self.needs) > 1:
            said += (
                f" Fewest answers: {_round_up(best.n_items or 0):,} items, {best.n_configs} "
                f"configurations and {best.n_repeats} repeats."
            )
        return said

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema": self.schema,
            "question": self.question,
            "goal": self.goal,
            "power": self.power,
            "confidence_level": self.confidence_level,
            "sentence": self.sentence,
            "n_items": self.n_items,
            "needs": [{**vars(need), "runs": need.runs} for need in self.needs],
            "curve": [vars(point) | {"value": finite(point.value)} for point in self.curve],
            "n_pilot": self.n_pilot,
            **self.scale.to_dict(),
            "method": self.method,
            "cautions": [caution.to_dict() for caution in self.cautions],
            **self.provenance.to_dict(),
        }

    @classmethod
    def _from_parts(cls, data: Mapping[str, Any]) -> Plan:
        return cls(
            question=data["question"],
            goal=data["goal"],
            power=data["power"],
            confidence_level=data["confidence_level"],
            scale=Scale.from_dict(data),
            needs=tuple(
                PlanNeed(one["n_configs"], one["n_repeats"], one["n_items"])
                for one in data["needs"]
            ),
            curve=tuple(
                PlanPoint(
                    one["n_configs"],
                    one["n_repeats"],
                    one["n_items"],
                    math.nan if one["value"] is None else one["value"],
                    one["error"],
                )
                for one in data["curve"]
            ),
            n_pilot=data["n_pilot"],
            method=data["method"],
            cautions=tuple(Caution.from_dict(one) for one in data["cautions"]),
            provenance=Provenance.from_dict(data),
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return what is needed as flat dicts, one a number of configurations and repeats."""
        return [{**vars(need), "runs": need.runs} for need in self.needs]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        rows = tuple(
            (
                f"{need.n_configs:,}",
                f"{need.n_repeats:,}",
                "–" if need.n_items is None else f"{_round_up(need.n_items):,}",
                "–" if need.runs is None else f"{_round_up(need.runs):,}",
            )
            for need in self.needs
        )
        heads = ("configurations", "repeats", "items needed", "answers")
        return PaperTable(heads, rows, self.sentence)

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, and return the matplotlib Axes."""
        from earnest.plotting.figures.plans import plot_plan

        return plot_plan(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        word = "detect" if self.question == DETECT else "width"
        need = f"over {MOST_ITEMS:,}" if self.n_items is None else f"{self.n_items:,}"
        return (
            f"{need} items to {word} {self.goal:g} in {self.metric} ({self.method}, pilot "
            f"n={self.n_pilot})"
            if word == "detect"
            else f"{need} items for a {word} of {self.goal:g} of {self.metric} ({self.method}, "
            f"pilot n={self.n_pilot})"
        )


def _round_up(number: int) -> int:
    """Return a number with two digits, not less."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step
