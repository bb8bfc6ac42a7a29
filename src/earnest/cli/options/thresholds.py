"""The options of `earnest thresholds`."""

from __future__ import annotations

from typing import Annotated

from earnest.cli.options.common import make_option

_WHICH = "Which thresholds"

At = Annotated[
    list[float] | None,
    make_option(
        _WHICH, "--at", "T", "Show this threshold instead of nine round ones. Repeat for several."
    ),
]
Sensitivity = Annotated[
    float | None,
    make_option(
        _WHICH,
        "--sensitivity",
        "SHARE",
        "Choose the highest threshold with at least this sensitivity.",
    ),
]
Specificity = Annotated[
    float | None,
    make_option(
        _WHICH,
        "--specificity",
        "SHARE",
        "Choose the lowest threshold with at least this specificity.",
    ),
]
NetBenefit = Annotated[
    float | None,
    make_option(
        _WHICH,
        "--net-benefit",
        "P",
        "Choose the threshold with the largest net benefit, where acting and not acting are "
        "worth the same at a probability of P.",
    ),
]
