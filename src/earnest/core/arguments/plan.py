"""The arguments of `plan`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Jobs, Level, Metric, Seed

GOAL = "What the study is for"


@dataclass(frozen=True, kw_only=True)
class PlanArguments:
    """What a study is for, and how it is planned."""

    metric: Metric = None
    detect: Annotated[
        float | None,
        Argument(
            "The difference to show between two, or the best and the others.",
            "NUMBER",
            GOAL,
            usual=True,
        ),
    ] = None
    width: Annotated[
        float | None,
        Argument("The width of the interval of the best.", "NUMBER", GOAL, usual=True),
    ] = None
    n_configs: Annotated[
        list[int] | None,
        Argument(
            "[dim]default: 2, or of the pilot[/dim]  How many configurations. Repeat for several.",
            "N",
            GOAL,
            usual=True,
            low=1,
        ),
    ] = None
    n_repeats: Annotated[
        list[int] | None,
        Argument(
            "[dim]default: of the pilot[/dim]  Samples of each item. Repeat for several.",
            "N",
            GOAL,
            usual=True,
            low=1,
        ),
    ] = None
    power: Annotated[
        float,
        Argument("The chance of showing it.", "SHARE", HOW, usual=True, is_share=True),
    ] = 0.8
    confidence_level: Level = 0.95
    rng: Seed = None
    n_jobs: Jobs = None
