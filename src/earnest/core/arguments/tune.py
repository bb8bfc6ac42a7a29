"""The arguments of `tune`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import (
    HOW,
    READ,
    ByColumns,
    CasesArguments,
    EventColumn,
    Level,
    Seed,
)

ENSEMBLES = ("auto", "greedy", "none")


@dataclass(frozen=True, kw_only=True)
class TuneArguments(CasesArguments):
    """What is tuned, on which cases, and how long."""

    target: Annotated[
        str | None, Argument("Column to predict.", "COLUMN", usual=True, short="-t")
    ] = None
    metric: Annotated[
        str | None,
        Argument(
            "[dim]default: roc_auc, roc_auc_ovr, r2 or concordance, by the task[/dim]  See "
            "[bold]earnest metrics[/bold].",
            "NAME",
            usual=True,
            short="-m",
        ),
    ] = None
    budget: Annotated[
        str | None,
        Argument(
            "[dim]default: 5m, or no limit with --n-configs[/dim]  Time budget, such as 90s, "
            "5m or 1h.",
            "TIME",
            usual=True,
        ),
    ] = None
    learning_curve: Annotated[
        bool,
        Argument(
            "Also train the winner on parts of its cases, to show what more cases add. Takes time "
            "beyond the budget."
        ),
    ] = False
    without: Annotated[
        list[str] | None,
        Argument(
            "Also train the winner without this column, to show what it is worth; repeat for "
            "several. Takes time beyond the budget.",
            "COLUMN",
        ),
    ] = None
    by: ByColumns = None
    weight: Annotated[
        str | None,
        Argument(
            "Column of case weights: they choose and judge, models are fitted without.",
            "COLUMN",
            READ,
        ),
    ] = None
    weights: Annotated[
        str,
        Argument(
            "What weights mean: importance or survey (one over the chance to be drawn).",
            "KIND",
            READ,
            choices=("importance", "survey"),
        ),
    ] = "importance"
    folds: Annotated[
        int | None,
        Argument(
            "[dim]default: 10, or 5 from 5,000 cases on[/dim]  Number of folds.",
            "K",
            HOW,
            usual=True,
            low=2,
        ),
    ] = None
    repeats: Annotated[int, Argument("Number of times to repeat the folds.", "R", HOW, low=1)] = 1
    drop: Annotated[
        str | None,
        Argument(
            "Drop configurations early if they can no longer win: bced or bced_adjusted.",
            "RULE",
            HOW,
        ),
    ] = None
    ensemble: Annotated[
        str,
        Argument(
            "greedy: average several configurations if that promises more than the best one. "
            "none: use the best one. auto: greedy where there is time to judge it.",
            "RULE",
            HOW,
            choices=ENSEMBLES,
        ),
    ] = "auto"
    portfolio: Annotated[
        str,
        Argument(
            "What to try: default, tsamardinos2018, or the path of a .toml file.", "NAME", HOW
        ),
    ] = "default"
    n_configs: Annotated[
        int | None,
        Argument(
            "Try the first N configurations, however long it takes.", "N", HOW, usual=True, low=1
        ),
    ] = None
    confidence_level: Level = 0.95
    rng: Seed = None
    n_jobs: Annotated[
        int | None,
        Argument("Parallel fits; -1 uses all cores. Results do not depend on it.", "N", HOW),
    ] = -1
    when: Annotated[
        str | None,
        Argument("Column of dates or times: models are tested on later cases.", "COLUMN", READ),
    ] = None
    time: Annotated[
        str | None,
        Argument("Survival time; use it with --event instead of --target.", "COLUMN", READ),
    ] = None
    event: EventColumn = None
    keep: Annotated[
        list[str] | None,
        Argument(
            "Column to use that would be left out otherwise; repeat for several.", "COLUMN", READ
        ),
    ] = None
