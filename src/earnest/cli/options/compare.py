"""The options of `earnest compare` that `earnest estimate` has not, or has in other words."""

from __future__ import annotations

from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option, make_level_option, make_seed_option

_HOW = "How to compare"

First = Annotated[
    str | None,
    typer.Argument(metavar="A", help="The first configuration.", show_default=False),
]
Second = Annotated[
    str | None,
    typer.Argument(metavar="B", help="The second configuration.", show_default=False),
]
All = Annotated[
    bool,
    typer.Option("--all", metavar="", help="Compare all configurations with the best."),
]
_KNOBS = "See [bold]earnest tests[/bold]. With options: \"mcnemar(p='mid')\"."
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
        help="Alternative for A - B: two-sided, less (below 0) or greater.",
        rich_help_panel=_HOW,
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
Adjust = Annotated[
    str | None,
    typer.Option(
        "--adjust",
        metavar="RULE",
        help="[dim]default: simultaneous[/dim]  With --all, how to adjust p-values: "
        "simultaneous, holm, bh or none.",
        rich_help_panel=_HOW,
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="NAME",
        help="With --all, the configuration to compare with instead of the best.",
        rich_help_panel=_HOW,
    ),
]
Rope = Annotated[
    float | None,
    typer.Option(
        "--rope",
        metavar="SIZE",
        help="For --test bayesian_t: the largest difference that does not matter.",
        rich_help_panel=_HOW,
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        metavar="N",
        help="Number of draws of bootstrap and sign_flip.",
        rich_help_panel=_HOW,
    ),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]
