"""The arguments of `assess`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Level, Seed, SideName

LearnerMetrics = Annotated[
    list[str] | None,
    Argument(
        "[dim]default: roc_auc, accuracy or r2, by the task[/dim]  Repeat "
        "for several; each trains its own models.",
        "NAME",
        usual=True,
        short="-m",
    ),
]
RunFile = Annotated[
    Path | None,
    Argument("Run file; the same command goes on with it.", "FILE", HOW, usual=True, short="-o"),
]
TrainingJobs = Annotated[
    int | None,
    Argument(
        "Models trained in parallel; -1 uses all cores. Results do not depend on it.", "N", HOW
    ),
]


@dataclass(frozen=True, kw_only=True)
class AssessArguments:
    """What is asked of one method and of several alike."""

    metric: LearnerMetrics = None
    method: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: .632+ or .632[/dim]  See [bold]earnest methods[/bold]. "
            "Repeat for several.",
            "NAME",
            HOW,
            usual=True,
        ),
    ] = None
    confidence_level: Level = 0.95
    side: SideName = "two-sided"
    n_replicates: Annotated[
        int, Argument("Number of bootstrap samples; use 1000 for an interval.", "N", HOW)
    ] = 200
    cv: Annotated[int, Argument("Number of folds.", "K", HOW, usual=True)] = 10
    n_repeats: Annotated[
        int | None,
        Argument(
            "Number of times to repeat the folds; use 10 for repeated_cv and bates_ncv.",
            "R",
            HOW,
        ),
    ] = None
    test: Annotated[
        Path | None,
        Argument(
            "A separate test table, with --method holdout; --store counts its uses.",
            "TABLE",
            HOW,
        ),
    ] = None
    rng: Seed = None
    store: RunFile = None
    n_jobs: TrainingJobs = None
