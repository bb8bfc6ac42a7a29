"""The arguments of `estimate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import (
    HOW,
    ByColumns,
    Jobs,
    Level,
    Metrics,
    Resamples,
    Seed,
    SelectorName,
    SideName,
)


@dataclass(frozen=True, kw_only=True)
class EstimateArguments:
    """What is asked of one method and of several alike."""

    metric: Metrics = None
    method: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: bbc, or what suits the evidence[/dim]  See [bold]earnest "
            "methods[/bold]. With options: \"delong(variant='logit')\". Repeat for several.",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
    confidence_level: Level = 0.95
    side: SideName = "two-sided"
    n_resamples: Resamples = None
    by: ByColumns = None
    rng: Seed = None
    selector: SelectorName = None
    undefined: Annotated[
        str | None,
        Argument(
            "What to do with resamples that lack a class: redraw, drop or stratify.", "RULE", HOW
        ),
    ] = None
    select_by: Annotated[
        str | None,
        Argument(
            "Choose the winner by this metric, and judge it by --metric: for a calibration slope "
            "and other metrics that have a right value and no best one.",
            "NAME",
            HOW,
        ),
    ] = None
    n_jobs: Jobs = None
