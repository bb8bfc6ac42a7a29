"""The options of `earnest gain`."""

from __future__ import annotations

from typing import Annotated

import typer

_HOW = "How to estimate"

OrderName = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="ORDER",
        help="tried: as the columns stand. mean: the mean over all orders.",
        rich_help_panel=_HOW,
    ),
]
Resamples = Annotated[
    int,
    typer.Option("--n-resamples", metavar="N", help="Bootstrap resamples.", rich_help_panel=_HOW),
]
