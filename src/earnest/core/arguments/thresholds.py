"""The arguments of `thresholds`, and of the choice of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import (
    HOW,
    ByColumns,
    Jobs,
    Level,
    Metrics,
    Seed,
    SelectorName,
    SideName,
)

WHICH = "Which thresholds"
MOST_RESAMPLES = 100_000  # whose counts are held


@dataclass(frozen=True, kw_only=True)
class ThresholdsArguments:
    """What is asked of a table of thresholds."""

    metric: Metrics = None
    thresholds: Annotated[
        list[float] | None,
        Argument(
            "Show this threshold. Repeat for several.",
            "T",
            WHICH,
            usual=True,
        ),
    ] = None
    against: Annotated[
        str | None,
        Argument(
            "Compare the net benefit with that of a configuration, or with treat_all.",
            "NAME",
            WHICH,
        ),
    ] = None
    confidence_level: Level = 0.95
    side: SideName = "two-sided"
    n_resamples: Annotated[
        int, Argument("Bootstrap resamples.", "N", HOW, low=2, high=MOST_RESAMPLES)
    ] = 1000
    by: ByColumns = None
    selector: SelectorName = None
    rng: Seed = None
    n_jobs: Jobs = None


@dataclass(frozen=True, kw_only=True)
class ChoiceArguments:
    """By what rule a threshold is chosen."""

    sensitivity: Annotated[
        float | None,
        Argument(
            "Choose the highest with this sensitivity.",
            "SHARE",
            WHICH,
            usual=True,
        ),
    ] = None
    specificity: Annotated[
        float | None,
        Argument(
            "Choose the lowest with this specificity.",
            "SHARE",
            WHICH,
            usual=True,
        ),
    ] = None
    act_from: Annotated[
        float | None,
        Argument(
            "Choose the largest net benefit, where it pays to act from a probability of P.",
            "P",
            WHICH,
            usual=True,
        ),
    ] = None
