"""The arguments of `compare_learners`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.assess import LearnerMetrics, RunFile, TrainingJobs
from earnest.core.arguments.base import Argument
from earnest.core.arguments.compare import KNOBS
from earnest.core.arguments.shared import HOW, Alternative, Level, Seed


@dataclass(frozen=True, kw_only=True)
class CompareLearnersArguments:
    """What is asked of two learners."""

    metric: LearnerMetrics = None
    test: Annotated[str, Argument(KNOBS, "NAME", HOW, usual=True)] = "corrected_t"
    alternative: Alternative = "two-sided"
    confidence_level: Level = 0.95
    cv: Annotated[
        int | None,
        Argument(
            "[dim]default: 10[/dim]  Number of folds.",
            "K",
            HOW,
            usual=True,
        ),
    ] = None
    n_repeats: Annotated[
        int | None,
        Argument(
            "[dim]default: 1[/dim]  Number of times to repeat the folds; for resampled_t, the "
            "number of splits.",
            "R",
            HOW,
            low=1,
        ),
    ] = None
    n_replicates: Annotated[
        int | None,
        Argument(
            "[dim]default: 1000[/dim]  Bootstrap samples, for --test lpob and loob.",
            "N",
            HOW,
            low=2,
        ),
    ] = None
    rng: Seed = None
    store: RunFile = None
    n_jobs: TrainingJobs = None
