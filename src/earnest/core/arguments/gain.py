"""The arguments of `gain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, MOST_RESAMPLES, Jobs, Level, Metrics, Seed


@dataclass(frozen=True, kw_only=True)
class GainArguments:
    """What is asked of the curve of a search."""

    metric: Metrics = None
    order: Annotated[
        str,
        Argument(
            "tried: as the columns stand. mean: the mean over all orders.",
            "ORDER",
            HOW,
            usual=True,
            choices=("tried", "mean"),
        ),
    ] = "tried"
    confidence_level: Level = 0.95
    n_resamples: Annotated[
        int, Argument("Bootstrap resamples.", "N", HOW, low=2, high=MOST_RESAMPLES)
    ] = 1000
    rng: Seed = None
    n_jobs: Jobs = None
