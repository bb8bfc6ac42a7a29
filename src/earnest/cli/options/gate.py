"""The options of `earnest gate`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)

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
    make_option(_BOUND, "--above", "NUMBER", "The bound that a score must lie above."),
]
Below = Annotated[
    float | None,
    make_option(_BOUND, "--below", "NUMBER", "The bound that a loss must lie below."),
]
Against = Annotated[
    Path | None,
    make_option(
        _BOUND,
        "--against",
        "FILE",
        "What is in use, on the same cases: the new one must not be worse.",
    ),
]
Margin = Annotated[
    float | None,
    make_option(
        _BOUND,
        "--margin",
        "NUMBER",
        "[dim]default: 0[/dim]  With --against: how much worse is allowed.",
    ),
]
Ledger = Annotated[
    Path | None,
    make_option(
        _BOUND,
        "--ledger",
        "FILE",
        "Counts the looks at the same cases, and allows for them. Keep it with the cases.",
    ),
]
JUnit = Annotated[
    Path | None,
    make_option(_WRITE, "--junit", "FILE", "Write the verdict as a JUnit file, for CI."),
]
Markdown = Annotated[
    Path | None,
    make_option(_WRITE, "--markdown", "FILE", "Write the verdict as Markdown, for a comment."),
]
MethodName = Annotated[
    str | None,
    make_option(
        _DECIDE,
        "--method",
        "NAME",
        "[dim]default: bbc; for mean scores near_winner; for one model on a test set delong or "
        "holdout[/dim]  With a "
        "bound: see [bold]earnest methods[/bold].",
    ),
]
TestName = Annotated[
    str | None,
    make_option(
        _DECIDE,
        "--test",
        "NAME",
        "[dim]default: delong for roc_auc, else bayle, else bootstrap[/dim]  With --against: "
        "see [bold]earnest tests[/bold].",
    ),
]
Level = Annotated[float, make_level_option(_DECIDE)]
Seed = Annotated[int, make_seed_option(_DECIDE)]
Jobs = Annotated[int | None, make_jobs_option(_DECIDE)]
