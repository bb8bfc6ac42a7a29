"""The options of `earnest plan`, in the order of its help."""

from __future__ import annotations

from typing import Annotated

from earnest.cli.options.common import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)

_GOAL = "What the study is for"
_HOW = "How to plan"

Detect = Annotated[
    float | None,
    make_option(
        _GOAL,
        "--detect",
        "NUMBER",
        "The difference that must be shown: of two configurations, or with --configs above 2 "
        "of the best from all others.",
    ),
]
Width = Annotated[
    float | None,
    make_option(_GOAL, "--width", "NUMBER", "The width of the interval of the best."),
]
Configs = Annotated[
    list[int] | None,
    make_option(
        _GOAL,
        "--configs",
        "N",
        "[dim]default: 2, or those of the pilot for --width[/dim]  How many configurations "
        "the study will have; repeat for several.",
    ),
]
Repeats = Annotated[
    list[int] | None,
    make_option(
        _GOAL,
        "--repeats",
        "N",
        "[dim]default: those of the pilot[/dim]  How many samples of each item; repeat for "
        "several.",
    ),
]
Power = Annotated[
    float,
    make_option(_HOW, "--power", "SHARE", "The chance of showing the difference."),
]
Level = Annotated[float, make_level_option(_HOW)]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]
