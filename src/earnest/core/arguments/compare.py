"""The arguments of `compare` and `compare_many`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Alternative, ByColumns, Jobs, Level, Metrics, Seed

KNOBS = "See [bold]earnest tests[/bold]. With options: \"mcnemar(p='mid')\"."
ADJUSTMENTS = ("simultaneous", "holm", "bh", "none")


@dataclass(frozen=True, kw_only=True)
class CompareArguments:
    """What is asked of two configurations and of all of them alike."""

    metric: Metrics = None
    test: Annotated[
        str | None,
        Argument(
            f"[dim]default: corrected_z, or what suits the evidence[/dim]  {KNOBS}",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
    by: ByColumns = None
    alternative: Alternative = "two-sided"
    confidence_level: Level = 0.95
    n_resamples: Annotated[
        int | None, Argument("Number of draws of bootstrap and sign_flip.", "N", HOW)
    ] = None
    rng: Seed = None
    n_jobs: Jobs = None


@dataclass(frozen=True, kw_only=True)
class CompareManyArguments:
    """What is asked of all configurations beside."""

    adjust: Annotated[
        str | None,
        Argument(
            "[dim]default: simultaneous[/dim]  With --all, how to adjust p-values: "
            "simultaneous, holm, bh or none.",
            "RULE",
            HOW,
            choices=ADJUSTMENTS,
        ),
    ] = None
    reference: Annotated[
        str | None,
        Argument(
            "With --all, the configuration to compare with instead of the best.",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
