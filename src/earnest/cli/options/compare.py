"""The options of `earnest compare` that `earnest estimate` has not, or has in other words."""

from __future__ import annotations

from typing import Annotated

import typer

from earnest.cli.options.common import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)

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
    make_option(
        _HOW,
        "--test",
        "NAME",
        "[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  " + _KNOBS,
    ),
]
LearnersTest = Annotated[
    str,
    make_option(_HOW, "--test", "NAME", _KNOBS),
]
Alternative = Annotated[
    str,
    make_option(
        _HOW,
        "--alternative",
        "SIGN",
        "Alternative for A - B: two-sided, less (below 0) or greater.",
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
Adjust = Annotated[
    str | None,
    make_option(
        _HOW,
        "--adjust",
        "RULE",
        "[dim]default: simultaneous[/dim]  With --all, how to adjust p-values: "
        "simultaneous, holm, bh or none.",
    ),
]
Reference = Annotated[
    str | None,
    make_option(
        _HOW,
        "--reference",
        "NAME",
        "With --all, the configuration to compare with instead of the best.",
    ),
]
Rope = Annotated[
    float | None,
    make_option(
        _HOW,
        "--rope",
        "SIZE",
        "For --test bayesian_t: the largest difference that does not matter.",
    ),
]
Resamples = Annotated[
    int | None,
    make_option(_HOW, "--n-resamples", "N", "Number of draws of bootstrap and sign_flip."),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]
