"""The arguments of `gate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, ByColumns, Jobs, Level, Metric

BOUND = "What must be shown"
SEED = 0  # the same evidence always gets the same verdict


@dataclass(frozen=True, kw_only=True)
class GateArguments:
    """What must be shown of a result, and how."""

    metric: Metric = None
    above: Annotated[
        float | None,
        Argument("The bound that a score must lie above.", "NUMBER", BOUND, usual=True),
    ] = None
    below: Annotated[
        float | None,
        Argument("The bound that a loss must lie below.", "NUMBER", BOUND, usual=True),
    ] = None
    against: Annotated[
        Path | None,
        Argument(
            "What is in use: the new one must not be worse.",
            "FILE",
            BOUND,
            usual=True,
        ),
    ] = None
    margin: Annotated[
        float | None,
        Argument(
            "With --against: how much worse is allowed.",
            "NUMBER",
            BOUND,
            usual=True,
        ),
    ] = None
    ledger: Annotated[
        Path | None,
        Argument(
            "Counts the looks at the same cases. Keep it.",
            "FILE",
            BOUND,
            usual=True,
        ),
    ] = None
    by: ByColumns = None
    confidence_level: Level = 0.95
    method: Annotated[
        str | None,
        Argument(
            "[dim]default: bbc, or what suits the evidence[/dim]  With a "
            "bound: see [bold]earnest methods[/bold].",
            "NAME",
            HOW,
        ),
    ] = None
    test: Annotated[
        str | None,
        Argument(
            "[dim]default: corrected_z, or what suits the evidence[/dim]  With "
            "--against: see [bold]earnest tests[/bold].",
            "NAME",
            HOW,
        ),
    ] = None
    rng: Annotated[int, Argument("Seed, for a reproducible result.", "SEED", HOW, low=0)] = SEED
    n_jobs: Jobs = None
