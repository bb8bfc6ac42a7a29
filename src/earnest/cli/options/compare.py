"""The options of `earnest compare` that `earnest estimate` has not, or has in other words."""

from __future__ import annotations

from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option, make_level_option, make_seed_option

_HOW = "How to compare"

First = Annotated[
    str | None,
    typer.Argument(metavar="A", help="The one configuration.", show_default=False),
]
Second = Annotated[
    str | None,
    typer.Argument(metavar="B", help="The other one.", show_default=False),
]
All = Annotated[
    bool,
    typer.Option("--all", metavar="", help="All configurations against the best."),
]
_KNOBS = "See [bold]earnest tests[/bold]. With knobs: \"mcnemar(p='mid')\"."
TestName = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="NAME",
        help="[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  " + _KNOBS,
        rich_help_panel=_HOW,
    ),
]
LearnersTest = Annotated[
    str,
    typer.Option("--test", metavar="NAME", help=_KNOBS, rich_help_panel=_HOW),
]
Alternative = Annotated[
    str,
    typer.Option(
        "--alternative",
        metavar="SIGN",
        help="What to show of A - B: two-sided, less (below 0) or greater.",
        rich_help_panel=_HOW,
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
Adjust = Annotated[
    str | None,
    typer.Option(
        "--adjust",
        metavar="RULE",
        help="[dim]default: simultaneous[/dim]  With --all, for many p-values: simultaneous, holm, "
        "bh or none.",
        rich_help_panel=_HOW,
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="NAME",
        help="With --all, what to compare with instead of the best.",
        rich_help_panel=_HOW,
    ),
]
Rope = Annotated[
    float | None,
    typer.Option(
        "--rope",
        metavar="SIZE",
        help="For --test bayesian_t: a difference that makes no difference.",
        rich_help_panel=_HOW,
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        metavar="N",
        help="For tests that draw: bootstrap, sign_flip.",
        rich_help_panel=_HOW,
    ),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]
