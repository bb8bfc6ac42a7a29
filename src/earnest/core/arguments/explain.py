"""The arguments of `explain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Jobs, Seed

TRIALS, REGIONS = "How to read the trials", "How regions are split"
IMPURITIES = ("l2", "area", "variance", "mean")
ON = ("sd", "variance")


@dataclass(frozen=True, kw_only=True)
class ExplainArguments:
    """What is asked of the trials of a search, and how they are read."""

    params: Annotated[str | None, Argument("Only these hyperparameters.", "A,B", HOW)] = None
    regions: Annotated[
        int,
        Argument("Number of regions to split each curve into.", "N", HOW, usual=True, low=1),
    ] = 4
    depth: Annotated[
        int | None,
        Argument("Split each path of a tree of regions so often at most.", "N", REGIONS, low=0),
    ] = None
    min_gain: Annotated[
        float | None,
        Argument(
            "Only split where that narrows the mean band by this share, such as 0.1.",
            "SHARE",
            REGIONS,
        ),
    ] = None
    min_points: Annotated[
        int | None,
        Argument(
            "[dim]default: 10[/dim]  Fewest Monte Carlo points of a region.", "N", REGIONS, low=1
        ),
    ] = None
    impurity: Annotated[
        str,
        Argument(
            "What is alike within a region: l2 (the curves of uncertainty at every value), area "
            "(on average), variance (the uncertainty at the points), mean (the objective there).",
            "NAME",
            REGIONS,
            choices=IMPURITIES,
        ),
    ] = "l2"
    on: Annotated[
        str,
        Argument(
            "Of what these curves are: sd (standard deviation) or variance.",
            "NAME",
            REGIONS,
            choices=ON,
        ),
    ] = "sd"
    surrogate: Annotated[
        str | None,
        Argument(
            "gaussian_process or forest. By default it depends on the number of trials.",
            "NAME",
            HOW,
        ),
    ] = None
    confidence_level: Annotated[
        float,
        Argument(
            "Confidence level of bands and intervals.", "SHARE", HOW, usual=True, is_share=True
        ),
    ] = 0.95
    n_points: Annotated[
        int | None,
        Argument("Number of Monte Carlo points. By default 1000, or fewer.", "N", HOW, low=20),
    ] = None
    rng: Seed = None
    n_jobs: Jobs = None
    study: Annotated[
        str | None,
        Argument("Name of the study in an Optuna storage.", "NAME", TRIALS, usual=True),
    ] = None
    objective: Annotated[
        str | None,
        Argument(
            "Column of the objective, or the one to use if there are several.",
            "NAME",
            TRIALS,
            usual=True,
        ),
    ] = None
    direction: Annotated[
        str | None, Argument("maximize or minimize.", "WAY", TRIALS, usual=True)
    ] = None
    limits: Annotated[
        str | None,
        Argument(
            "The smallest and the largest objective that is possible, such as 0,1 of an AUC.",
            "LOW,HIGH",
            TRIALS,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ExplainModelArguments:
    """What is asked of the model of a run."""

    effects: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: the most important ones[/dim]  Column whose effect is shown; repeat for "
            "several.",
            "COLUMN",
            usual=True,
        ),
    ] = None
    confidence_level: Annotated[
        float,
        Argument("Confidence level of each interval.", "SHARE", HOW, usual=True, is_share=True),
    ] = 0.95
    budget: Annotated[
        str | None,
        Argument("[dim]default: no limit[/dim]  Time it may take, such as 30s or 5m.", "TIME", HOW),
    ] = None
    n_jobs: Annotated[
        int | None,
        Argument("Threads; -1 uses all cores. Results do not depend on it.", "N", HOW),
    ] = -1
