"""The arguments of `validate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Level, Seed

NEW_CASES = "The new cases"


@dataclass(frozen=True, kw_only=True)
class ValidateArguments:
    """What a model is validated on, and how."""

    target: Annotated[
        str | None,
        Argument(
            "[dim]default: as in training[/dim]  Column with the outcome.",
            "COLUMN",
            NEW_CASES,
            usual=True,
            short="-t",
        ),
    ] = None
    group: Annotated[
        str | None,
        Argument("Column of groups, such as hospitals.", "COLUMN", NEW_CASES, usual=True),
    ] = None
    refit: Annotated[
        bool,
        Argument(
            "Do not fit the model again on the new cases.",
            panel=HOW,
            usual=True,
            opposite="--no-refit",
        ),
    ] = True
    folds: Annotated[
        int, Argument("Folds in which updates are judged.", "N", HOW, usual=True, low=2)
    ] = 10
    n_resamples: Annotated[
        int, Argument("Bootstrap resamples.", "N", HOW, usual=True, low=2, high=100_000)
    ] = 1000
    confidence_level: Level = 0.95
    rng: Seed = None
