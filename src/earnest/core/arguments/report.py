"""The arguments of `report`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, SIDES, ByColumns, Jobs, Resamples, Seed


@dataclass(frozen=True, kw_only=True)
class ReportArguments:
    """What a report asks, where the run does not say it."""

    metric: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: that of the run[/dim]  See [bold]earnest metrics[/bold]. Repeat for "
            "several: each has a page, named after it.",
            "NAME",
            usual=True,
            short="-m",
        ),
    ] = None
    method: Annotated[
        str | None,
        Argument(
            "[dim]default: that of the run, or as for [bold]estimate[/bold][/dim]",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
    confidence_level: Annotated[
        float | None,
        Argument(
            "[dim]default: that of the run, or 0.95[/dim]",
            "SHARE",
            HOW,
            usual=True,
            is_share=True,
        ),
    ] = None
    side: Annotated[str | None, Argument(f"{', '.join(SIDES)}.", "SIDE", HOW, choices=SIDES)] = None
    n_resamples: Resamples = None
    by: ByColumns = None
    explain: Annotated[
        bool,
        Argument("Explain what the search learned.", panel=HOW, opposite="--no-explain"),
    ] = True
    rng: Seed = None
    n_jobs: Jobs = None
