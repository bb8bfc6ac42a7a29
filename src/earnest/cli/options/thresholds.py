"""The options of `earnest thresholds`."""

from __future__ import annotations

from typing import Annotated

import typer

_WHICH = "Which thresholds"

At = Annotated[
    list[float] | None,
    typer.Option(
        "--at",
        metavar="T",
        help="Show this threshold instead of nine round ones. Repeat for several.",
        rich_help_panel=_WHICH,
    ),
]
Sensitivity = Annotated[
    float | None,
    typer.Option(
        "--sensitivity",
        metavar="SHARE",
        help="Choose the highest threshold with at least this sensitivity.",
        rich_help_panel=_WHICH,
    ),
]
Specificity = Annotated[
    float | None,
    typer.Option(
        "--specificity",
        metavar="SHARE",
        help="Choose the lowest threshold with at least this specificity.",
        rich_help_panel=_WHICH,
    ),
]
NetBenefit = Annotated[
    float | None,
    typer.Option(
        "--net-benefit",
        metavar="P",
        help="Choose the threshold with the largest net benefit, where acting and not acting are "
        "worth the same at a probability of P.",
        rich_help_panel=_WHICH,
    ),
]
