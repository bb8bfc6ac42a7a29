"""The options of `earnest gate`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option, make_level_option, make_seed_option

_BOUND = "What must be shown"
_WRITE = "What to write"
_DECIDE = "How to decide"

MetricName = Annotated[
    str | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="What to measure; see [bold]earnest metrics[/bold]. Scores need none.",
    ),
]
Above = Annotated[
    float | None,
    typer.Option(
        "--above",
        metavar="NUMBER",
        help="The bound that a score must lie above.",
        rich_help_panel=_BOUND,
    ),
]
Below = Annotated[
    float | None,
    typer.Option(
        "--below",
        metavar="NUMBER",
        help="The bound that a loss must lie below.",
        rich_help_panel=_BOUND,
    ),
]
Against = Annotated[
    Path | None,
    typer.Option(
        "--against",
        metavar="FILE",
        help="What is in use, on the same cases: the new one must not be worse.",
        rich_help_panel=_BOUND,
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="NUMBER",
        help="[dim]default: 0[/dim]  With --against: how much worse is allowed.",
        rich_help_panel=_BOUND,
    ),
]
Ledger = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="Counts the looks at the same cases, and allows for them. Keep it with the cases.",
        rich_help_panel=_BOUND,
    ),
]
JUnit = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        help="Write the verdict as a JUnit file, for CI.",
        rich_help_panel=_WRITE,
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        "--markdown",
        metavar="FILE",
        help="Write the verdict as Markdown, for a comment.",
        rich_help_panel=_WRITE,
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="[dim]default: bbc; for one model on a test set delong or holdout[/dim]  With a "
        "bound: see [bold]earnest methods[/bold].",
        rich_help_panel=_DECIDE,
    ),
]
TestName = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="NAME",
        help="[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  With --against: "
        "see [bold]earnest tests[/bold].",
        rich_help_panel=_DECIDE,
    ),
]
Level = Annotated[float, make_level_option(_DECIDE)]
Seed = Annotated[int, make_seed_option(_DECIDE)]
Jobs = Annotated[int | None, make_jobs_option(_DECIDE)]
