"""The arguments of `plan`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW, Jobs, Level, Metric, Seed

GOAL = "What the study is for"


@dataclass(frozen=True, kw_only=True)
class PlanArguments:
    """What a study is for, and how it is planned."""

    metric: Metric = None
    detect: Annotated[
        float | None,
        Argument(
            "The difference to show between two, or the best and the others.",
            "NUMBER",
            GOAL,
            usual=True,
        ),
    ] = None
    width: Annotated[
        float | None,
        Argument("The width of the interval of the best.", "NUMBER", GOAL, usual=True),
    ] = None
    n_configs: Annotated[
        list[int] | None,
        Argument(
            "[dim]default: 2, or of the pilot[/dim]  How many configurations. Repeat for several.",
            "N",
            GOAL,
            usual=True,
            low=1,
        ),
    ] = None
    n_repeats: Annotated[
        list[int] | None,
        Argument(
            "[dim]default: of the pilot[/dim]  Samples of each item. Repeat for several.",
            "N",
            GOAL,
            usual=True,
            low=1,
        ),
    ] = None
    power: Annotated[
        float,
        Argument("The chance of showing it.", "SHARE", HOW, usual=True, is_share=True),
    ] = 0.8
    confidence_level: Level = 0.95
    rng: Seed = None
    n_jobs: Jobs = None


MODEL = "A model to develop or to validate (Riley's criteria), without a pilot"
DEVELOPMENT, VALIDATION = "development", "validation"


@dataclass(frozen=True, kw_only=True)
class ModelStudy:
    """A study that develops or validates a prediction model, and what is known of it before.

    Classes have a prevalence, values a mean and a standard deviation, survival an event rate, the
    mean follow-up and the time of interest. A development has a number of parameters, and the
    Cox-Snell R² that is expected (of values the adjusted R²), or the C statistic. A validation has
    a C statistic, and the mean and the standard deviation of the model's log odds: without them
    those of two normal classes with that C statistic.

    Examples
    --------
    >>> import earnest as en
    >>> study = en.rules.ModelStudy(prevalence=0.174, r2=0.288, n_parameters=24)
    >>> en.plan(study).n_cases
    662
    """

    study: Annotated[
        str,
        Argument(
            "What the study is for: development or validation.",
            "KIND",
            MODEL,
            choices=(DEVELOPMENT, VALIDATION),
        ),
    ] = DEVELOPMENT
    n_parameters: Annotated[
        int | None,
        Argument("Candidate parameters of the model.", "N", MODEL, low=1),
    ] = None
    prevalence: Annotated[
        float | None, Argument("The share of events.", "SHARE", MODEL, is_share=True)
    ] = None
    r2: Annotated[
        float | None,
        Argument("The R² to expect: Cox and Snell's, or of values the adjusted one.", "R2", MODEL),
    ] = None
    c_statistic: Annotated[
        float | None, Argument("The C statistic to expect.", "C", MODEL, is_share=True)
    ] = None
    outcome_mean: Annotated[
        float | None, Argument("The mean of an outcome of values.", "NUMBER", MODEL)
    ] = None
    outcome_sd: Annotated[float | None, Argument("Its standard deviation.", "NUMBER", MODEL)] = None
    event_rate: Annotated[
        float | None, Argument("Events per unit of time, for survival.", "RATE", MODEL)
    ] = None
    follow_up: Annotated[float | None, Argument("The mean follow-up.", "TIME", MODEL)] = None
    horizon: Annotated[
        float | None, Argument("The time at which risks are predicted.", "TIME", MODEL)
    ] = None
    shrinkage: Annotated[
        float, Argument("The least shrinkage factor.", "SHARE", MODEL, is_share=True)
    ] = 0.9
    optimism: Annotated[
        float, Argument("The largest optimism of R².", "SHARE", MODEL, is_share=True)
    ] = 0.05
    margin: Annotated[
        float, Argument("The margin of error of the overall risk.", "SHARE", MODEL, is_share=True)
    ] = 0.05
    lp_mean: Annotated[float | None, Argument("The mean of the log odds.", "NUMBER", MODEL)] = None
    lp_sd: Annotated[float | None, Argument("Their standard deviation.", "NUMBER", MODEL)] = None
    oe_width: Annotated[float, Argument("The width for O/E.", "WIDTH", MODEL)] = 0.2
    slope_width: Annotated[
        float, Argument("The width for the calibration slope.", "WIDTH", MODEL)
    ] = 0.2
    c_width: Annotated[float, Argument("The width for the C statistic.", "WIDTH", MODEL)] = 0.1
    benefit_width: Annotated[
        float, Argument("The width for the standardized net benefit.", "WIDTH", MODEL)
    ] = 0.2
    act_from: Annotated[
        float | None,
        Argument("Act from this probability, for a net benefit.", "P", MODEL, is_share=True),
    ] = None
