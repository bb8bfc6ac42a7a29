"""The arguments of `calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Jobs, Level, Metric, Resamples, Seed, SideName

MOST_SIMULATIONS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class CalibrateArguments:
    """Which methods are held against a known truth, and how often."""

    metric: Metric = None
    methods: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: what estimate uses[/dim]  See [bold]earnest methods[/bold]. Repeat for "
            "several.",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
    confidence_level: Level = 0.95
    side: SideName = "two-sided"
    n_simulations: Annotated[
        int,
        Argument(
            "How many studies to simulate.", "N", HOW, usual=True, low=2, high=MOST_SIMULATIONS
        ),
    ] = 500
    n_resamples: Resamples = None
    rng: Seed = None
    n_jobs: Jobs = None
