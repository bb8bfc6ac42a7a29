"""The arguments of `floor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Level, Metric

SIZE = "What the scores are of"


@dataclass(frozen=True, kw_only=True)
class FloorArguments:
    """What is known of scores of which nothing else is left."""

    n: Annotated[
        int | None,
        Argument("Cases, or items, that each was scored on.", "N", SIZE, usual=True, low=2),
    ] = None
    metric: Metric = None
    deviation: Annotated[
        float | None,
        Argument(
            "Standard deviation of a case; for means other than proportions.",
            "NUMBER",
            SIZE,
            usual=True,
        ),
    ] = None
    positives: Annotated[
        int | None,
        Argument("Cases of the positive class; for a ROC AUC.", "N", SIZE, usual=True, low=1),
    ] = None
    correlation: Annotated[
        list[float] | None,
        Argument(
            "[dim]default: 0 and 0.8[/dim]  How far tries agree on a case. Repeat for a range.",
            "NUMBER",
            HOW,
            usual=True,
        ),
    ] = None
    confidence_level: Level = 0.95
