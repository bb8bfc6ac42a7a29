"""The options of `earnest plan`, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option, make_level_option, make_seed_option

_GOAL = "What the study is for"
_HOW = "How to plan"

Detect = Annotated[
    float | None,
    typer.Option(
        "--detect",
        metavar="NUMBER",
        help="The difference that must be shown: of two configurations, or with --configs above 2 "
        "of the best from all others.",
        rich_help_panel=_GOAL,
    ),
]
Width = Annotated[
    float | None,
    typer.Option(
        "--width",
        metavar="NUMBER",
        help="The width of the interval of the best.",
        rich_help_panel=_GOAL,
    ),
]
Configs = Annotated[
    list[int] | None,
    typer.Option(
        "--configs",
        metavar="N",
        help="[dim]default: 2, or those of the pilot for --width[/dim]  How many configurations "
        "the study will have; repeat for several.",
        rich_help_panel=_GOAL,
    ),
]
Repeats = Annotated[
    list[int] | None,
    typer.Option(
        "--repeats",
        metavar="N",
        help="[dim]default: those of the pilot[/dim]  How many samples of each item; repeat for "
        "several.",
        rich_help_panel=_GOAL,
    ),
]
Power = Annotated[
    float,
    typer.Option(
        "--power",
        metavar="SHARE",
        help="The chance of showing the difference.",
        rich_help_panel=_HOW,
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]
