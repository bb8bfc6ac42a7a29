"""How many cases a prediction model needs, to be developed and to be validated, by formulas.

Development: Riley et al. 2019, parts I (values) and II (classes, survival), and Riley et al. 2020.
Validation: Archer et al. 2021 and Riley et al. 2021. A study needs what its most demanding
criterion needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from earnest.core.arguments.plan import DEVELOPMENT, ModelStudy
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.results.base import OPTIONAL, Plain, Result
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

Z = 1.96  # as published
MOST = 10_000_000  # a study of more is none
RESIDUAL = 234  # cases beside the parameters, for a residual deviation within 10 % (part I)
FOLD = 1.1  # the margin of error of a mean of values, as a factor
POINTS, REACH = 20_001, 12.0  # of integrals over log odds, in standard deviations


class CriterionKind(StrEnum):
    """What a criterion is about."""

    SHRINKAGE = "shrinkage"
    OPTIMISM = "optimism of R²"
    INTERCEPT = "overall risk"
    MEAN = "mean of the outcome"
    RESIDUAL = "residual standard deviation"
    OBSERVED_EXPECTED = "O/E"
    SLOPE = "calibration slope"
    C_STATISTIC = "C statistic"
    NET_BENEFIT = "standardized net benefit"


@dataclass(frozen=True, kw_only=True)
class Criterion(Plain):
    """What one criterion needs.

    Attributes
    ----------
    kind : CriterionKind
        What it is about.
    goal : float
        The shrinkage, the optimism, the margin of error, or the width of the 95 % interval.
    n_cases : int
        The cases that it needs.
    """

    kind: CriterionKind
    goal: float
    n_cases: int


@dataclass(frozen=True, kw_only=True)
class ModelPlan(Result):
    """How many cases a prediction model needs.

    Attributes
    ----------
    study : {'development', 'validation'}
        What the study is for.
    criteria : tuple of Criterion
        What each criterion needs.
    n_parameters : int or None
        The parameters of a development.
    event_share : float or None
        Events per case; None for values.
    r2 : float or None
        The R² that a development counts on.
    cautions : tuple of Caution
        Coded remarks; formulas have none.

    Examples
    --------
    >>> import earnest as en
    >>> study = en.rules.ModelStudy(study="validation", prevalence=0.018, c_statistic=0.8)
    >>> [criterion.n_cases for criterion in en.plan(study).criteria]
    [21028, 17129, 4252]
    """

    schema: ClassVar[str] = "earnest/model_plan/1"
    called: ClassVar[str] = "a plan of a model"
    derived: ClassVar[tuple[str, ...]] = ("n_cases", "n_events", "events_per_parameter")

    study: str
    criteria: tuple[Criterion, ...]
    n_parameters: int | None = field(default=None, metadata=OPTIONAL)
    event_share: float | None = field(default=None, metadata=OPTIONAL)
    r2: float | None = field(default=None, metadata=OPTIONAL)
    cautions: tuple[Caution, ...] = ()

    @property
    def decisive(self) -> Criterion:
        """The most demanding criterion."""
        return max(self.criteria, key=lambda each: each.n_cases)

    @property
    def n_cases(self) -> int:
        """The cases that all criteria need."""
        return self.decisive.n_cases

    @property
    def n_events(self) -> int | None:
        """The events among them; None for values."""
        return None if self.event_share is None else math.ceil(self.n_cases * self.event_share)

    @property
    def events_per_parameter(self) -> float | None:
        """Events per parameter of a development; None for values and for a validation."""
        if self.event_share is None or self.n_parameters is None:
            return None
        return self.n_cases * self.event_share / self.n_parameters

    @property
    def sentence(self) -> str:
        """What is needed, in words."""
        task = "develop" if self.study == DEVELOPMENT else "validate"
        words = f"To {task} the model you need {self.n_cases:,} cases"
        if self.n_events is not None:
            words += f", {self.n_events:,} of them events"
        if self.events_per_parameter is not None:
            words += f" ({self.events_per_parameter:.1f} per parameter)"
        return f"{words}; the {self.decisive.kind} decides."

    def _check_parts(self) -> None:
        super()._check_parts()
        if not self.criteria:
            raise ValueError("a plan has at least one criterion")

    def rows(self) -> list[dict[str, Any]]:
        """Return the criteria as flat dicts."""
        return [criterion.to_dict() for criterion in self.criteria]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        rows = tuple(
            (str(each.kind), f"{each.goal:g}", f"{each.n_cases:,}") for each in self.criteria
        )
        return PaperTable(("criterion", "goal", "cases"), rows, self.sentence)

    def __repr__(self) -> str:
        """Return one line."""
        return f"{self.n_cases:,} cases for the {self.study} of a model ({self.decisive.kind})"


def plan_model(study: ModelStudy) -> ModelPlan:
    """Return how many cases a study of a model needs, by Riley's criteria.

    Examples
    --------
    >>> from earnest.core.arguments.plan import ModelStudy
    >>> from earnest.decision.sample_size import plan_model
    >>> plan_model(ModelStudy(prevalence=0.174, r2=0.288, n_parameters=24))
    662 cases for the development of a model (optimism of R²)
    """
    outcome = _read_outcome(study)
    _check_shares(study)
    if study.study != DEVELOPMENT:
        if outcome != "classes":
            raise InputError(
                "a validation is planned for classes only",
                needs=arg("prevalence"),
                got=f"an outcome of {outcome}",
            )
        return ModelPlan(
            study=study.study,
            criteria=tuple(_list_validation(study)),
            event_share=study.prevalence,
        )
    if study.n_parameters is None:
        raise InputError(
            f"{arg('n_parameters')} is missing",
            needs="how many candidate parameters the model has, with those of dummy variables",
        )
    r2, share, best = _read_r2(study, outcome)
    lists = {
        "classes": _list_of_classes,
        "values": _list_of_values,
        "survival": _list_of_survival,
    }
    return ModelPlan(
        study=study.study,
        criteria=tuple(lists[outcome](study, study.n_parameters, r2, best)),
        n_parameters=study.n_parameters,
        event_share=share,
        r2=r2,
    )


# What is asked.


def _read_outcome(study: ModelStudy) -> str:
    """Return the kind of outcome, by what is known of it."""
    check.one_of("study", study.study, ["development", "validation"])
    by_kind = {
        "classes": {"prevalence": study.prevalence},
        "values": {"outcome_mean": study.outcome_mean, "outcome_sd": study.outcome_sd},
        "survival": {
            "event_rate": study.event_rate,
            "follow_up": study.follow_up,
            "horizon": study.horizon,
        },
    }
    begun = {
        kind: facts
        for kind, facts in by_kind.items()
        if any(fact is not None for fact in facts.values())
    }
    if len(begun) != 1:
        raise InputError(
            "the outcome of the study is not clear",
            needs=f"{arg('prevalence')} for classes, {arg('outcome_mean')} and "
            f"{arg('outcome_sd')} for values, or {arg('event_rate')}, {arg('follow_up')} and "
            f"{arg('horizon')} for survival",
            got=" and ".join(begun) or "none of them",
        )
    kind, facts = next(iter(begun.items()))
    for name, fact in facts.items():
        if fact is None:
            raise InputError(f"{arg(name)} is missing", needs=f"it, for an outcome of {kind}")
        if name != "outcome_mean":
            _need_positive(name, fact)
    return kind


def _check_shares(study: ModelStudy) -> None:
    for name in ("prevalence", "shrinkage", "optimism", "margin", "act_from"):
        value = getattr(study, name)
        if value is not None:
            check.check_share(name, value)
    for name in ("oe_width", "slope_width", "c_width", "benefit_width"):
        _need_positive(name, getattr(study, name))
    if study.n_parameters is not None:
        check.whole_number("n_parameters", study.n_parameters, low=1)
    if study.c_statistic is not None and not 0.5 < study.c_statistic < 1.0:
        raise InputError(
            f"{arg('c_statistic')} is out of range",
            needs="a number above 0.5 and below 1",
            got=check.show(study.c_statistic),
        )


def _need_positive(name: str, value: object) -> None:
    number = check.read_number(value)
    if not (math.isfinite(number) and number > 0.0):
        raise InputError(
            f"{arg(name)} is out of range", needs="a number above 0", got=check.show(value)
        )


def _read_r2(study: ModelStudy, outcome: str) -> tuple[float, float | None, float]:
    """Return the R² to expect, events per case, and the largest R² there is."""
    share, best = None, 1.0
    if outcome == "classes":
        share = study.prevalence
        assert share is not None
        log = share * math.log(share) + (1.0 - share) * math.log(1.0 - share)
        best = 1.0 - math.exp(2.0 * log)
    if outcome == "survival":
        assert study.event_rate is not None
        assert study.follow_up is not None
        share = study.event_rate * study.follow_up
        best = 1.0 - math.exp(2.0 * (share * math.log(share) - share))
    if (study.r2 is None) == (study.c_statistic is None):
        raise InputError(
            "the performance to expect is not clear",
            needs=f"{arg('r2')} or {arg('c_statistic')}",
            got="neither" if study.r2 is None else "both",
        )
    r2 = study.r2
    if r2 is None:
        if outcome != "classes":
            raise InputError(
                f"{arg('c_statistic')} gives an R² for classes only",
                needs=arg("r2"),
                got=f"an outcome of {outcome}",
            )
        assert study.c_statistic is not None
        assert share is not None
        r2 = find_r2(study.c_statistic, share)
    if not 0.0 < check.read_number(r2) < min(best, study.shrinkage if outcome != "values" else 1.0):
        raise InputError(
            f"{arg('r2')} is out of range",
            needs=f"a number above 0 and below {min(best, study.shrinkage):.3g}: the largest R² "
            "there is, and the shrinkage",
            got=f"{r2:.3g}",
        )
    return r2, share, best


# The distribution of log odds.

Array = NDArray[np.float64]


def find_r2(c_statistic: float, prevalence: float) -> float:
    """Return Cox and Snell's R² of log odds that are normal in each class (Riley et al. 2021).

    By an integral, where the paper draws a large sample.

    Examples
    --------
    >>> from earnest.decision.sample_size import find_r2
    >>> round(find_r2(0.89, 0.174), 3)
    0.291
    """
    weights, odds = _spread_binormal(c_statistic, prevalence)
    p = expit(odds)
    entropy = p * np.log(np.maximum(p, 1e-300)) + (1 - p) * np.log(np.maximum(1 - p, 1e-300))
    best = prevalence * math.log(prevalence) + (1 - prevalence) * math.log(1 - prevalence)
    return 1.0 - math.exp(2.0 * (best - float(weights @ entropy)))


def _spread_binormal(c_statistic: float, prevalence: float) -> tuple[Array, Array]:
    """Return weights and log odds of two normal classes of unit variance with a C statistic."""
    apart = math.sqrt(2.0) * float(ndtri(c_statistic))
    x = np.linspace(-REACH, REACH + apart, POINTS)
    density = prevalence * np.exp(-0.5 * (x - apart) ** 2)
    density += (1.0 - prevalence) * np.exp(-0.5 * x**2)
    odds = math.log(prevalence / (1.0 - prevalence)) + apart * x - 0.5 * apart**2
    return density / density.sum(), odds


def _spread_odds(study: ModelStudy) -> tuple[Array, Array]:
    """Return weights and log odds: normal where they are known, else those of two classes."""
    if (study.lp_mean is None) != (study.lp_sd is None):
        raise InputError(
            "the distribution of the log odds is not clear",
            needs=f"both {arg('lp_mean')} and {arg('lp_sd')}, or neither",
            got="one of them",
        )
    assert study.prevalence is not None
    if study.lp_mean is None or study.lp_sd is None:
        assert study.c_statistic is not None
        return _spread_binormal(study.c_statistic, study.prevalence)
    _need_positive("lp_sd", study.lp_sd)
    x = np.linspace(-REACH, REACH, POINTS)
    density = np.exp(-0.5 * x**2)
    return density / density.sum(), study.lp_mean + study.lp_sd * x


# Development.


def _list_of_classes(
    study: ModelStudy, parameters: int, r2: float, best: float
) -> Iterator[Criterion]:
    """Yield the criteria for classes: Riley et al. 2019, part II."""
    share = study.prevalence
    assert share is not None
    yield from _list_of_likelihood(study, parameters, r2, best)
    cases = math.ceil((Z / study.margin) ** 2 * share * (1.0 - share))
    yield Criterion(kind=CriterionKind.INTERCEPT, goal=study.margin, n_cases=cases)


def _list_of_likelihood(
    study: ModelStudy, parameters: int, r2: float, best: float
) -> Iterator[Criterion]:
    """Yield the criteria of overfitting, by the shrinkage of Van Houwelingen and Le Cessie."""
    yield Criterion(
        kind=CriterionKind.SHRINKAGE,
        goal=study.shrinkage,
        n_cases=_shrink(parameters, r2, study.shrinkage),
    )
    needed = r2 / (r2 + study.optimism * best)
    cases = _shrink(parameters, r2, needed)
    yield Criterion(kind=CriterionKind.OPTIMISM, goal=study.optimism, n_cases=cases)


def _shrink(parameters: int, r2: float, shrinkage: float) -> int:
    """Return n = p / ((S - 1) ln(1 - R² / S))."""
    return math.ceil(parameters / ((shrinkage - 1.0) * math.log(1.0 - r2 / shrinkage)))


def _list_of_survival(
    study: ModelStudy, parameters: int, r2: float, best: float
) -> Iterator[Criterion]:
    """Yield the criteria for survival: those of the likelihood, and the risk at the horizon."""
    rate, follow_up, horizon = study.event_rate, study.follow_up, study.horizon
    assert rate is not None
    assert follow_up is not None
    assert horizon is not None
    yield from _list_of_likelihood(study, parameters, r2, best)

    def miss(cases: int) -> float:
        error = Z * math.sqrt(rate / (follow_up * cases))
        risk = 1.0 - math.exp(-rate * horizon)
        ends = (1.0 - math.exp(-max(rate + sign * error, 0.0) * horizon) for sign in (-1, 1))
        return max(abs(end - risk) for end in ends)

    yield Criterion(
        kind=CriterionKind.INTERCEPT,
        goal=study.margin,
        n_cases=_find_least(lambda cases: miss(cases) <= study.margin),
    )


def _list_of_values(
    study: ModelStudy, parameters: int, r2: float, best: float
) -> Iterator[Criterion]:
    """Yield the criteria for values: Riley et al. 2019, part I."""
    mean, deviation = study.outcome_mean, study.outcome_sd
    assert mean is not None
    assert deviation is not None
    least = parameters + 2

    def is_stable(cases: int) -> bool:
        apparent = (r2 * (cases - parameters - 1) + parameters) / (cases - 1)
        return 1.0 + (parameters - 2) / (cases * math.log(1.0 - apparent)) >= study.shrinkage

    yield Criterion(
        kind=CriterionKind.SHRINKAGE,
        goal=study.shrinkage,
        n_cases=_find_least(is_stable, least=least),
    )
    cases = math.ceil(1.0 + parameters * (1.0 - r2) / study.optimism - 1e-9)
    yield Criterion(kind=CriterionKind.OPTIMISM, goal=study.optimism, n_cases=cases)
    yield Criterion(kind=CriterionKind.RESIDUAL, goal=FOLD, n_cases=RESIDUAL + parameters)

    def is_precise(cases: int) -> bool:
        from scipy.special import stdtrit

        error = deviation * math.sqrt((1.0 - r2) / cases)
        return float(stdtrit(cases - parameters - 1, 0.975)) * error <= (FOLD - 1.0) * abs(mean)

    if mean != 0.0:  # a factor of a mean of 0 means nothing
        cases = _find_least(is_precise, least=least)
        yield Criterion(kind=CriterionKind.MEAN, goal=FOLD, n_cases=cases)


def _find_least(holds: Callable[[int], bool], *, least: int = 1) -> int:
    """Return the smallest number of cases from which a condition holds, by halving."""
    high = least
    while not holds(high):
        high *= 2
        if high > MOST:
            raise InputError(
                "no study is large enough",
                needs="a goal that fewer than 10,000,000 cases reach",
                got="a narrower one",
            )
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


# Validation.


def _list_validation(study: ModelStudy) -> Iterator[Criterion]:
    """Yield the criteria of precision: Riley et al. 2021, for a model that is well calibrated."""
    share, area = study.prevalence, study.c_statistic
    assert share is not None
    if area is None:
        raise InputError(f"{arg('c_statistic')} is missing", needs="the one to expect")
    weights, odds = _spread_odds(study)
    error = math.asinh(study.oe_width / 2.0) / Z  # exp(Z e) - exp(-Z e) is the width
    yield Criterion(
        kind=CriterionKind.OBSERVED_EXPECTED,
        goal=study.oe_width,
        n_cases=math.ceil((1.0 - share) / (share * error**2)),
    )
    yield Criterion(
        kind=CriterionKind.SLOPE,
        goal=study.slope_width,
        n_cases=_plan_slope(weights, odds, study.slope_width / (2.0 * Z)),
    )
    target = study.c_width / (2.0 * Z)
    yield Criterion(
        kind=CriterionKind.C_STATISTIC,
        goal=study.c_width,
        n_cases=_find_least(lambda cases: _err_in_c(area, share, cases) <= target, least=3),
    )
    if study.act_from is not None:
        error = study.benefit_width / (2.0 * Z)
        yield Criterion(
            kind=CriterionKind.NET_BENEFIT,
            goal=study.benefit_width,
            n_cases=_plan_benefit(weights, odds, study.act_from, error),
        )


def _plan_slope(weights: Array, odds: Array, error: float) -> int:
    """Return the cases for a standard error of the slope, by the information about it."""
    p = expit(odds)
    heavy = weights * p * (1.0 - p)
    level, both, slope = (float(heavy @ odds**power) for power in (0, 1, 2))
    return math.ceil(level / (error**2 * (level * slope - both**2)))


def _err_in_c(area: float, share: float, cases: int) -> float:
    """Return the standard error of a C statistic (Newcombe 2006, as Riley et al. 2021 use it)."""
    half = cases / 2.0 - 1.0
    inner = 1.0 + half * (1.0 - area) / (2.0 - area) + half * area / (1.0 + area)
    return math.sqrt(area * (1.0 - area) * inner / (cases**2 * share * (1.0 - share)))


def _plan_benefit(weights: Array, odds: Array, threshold: float, error: float) -> int:
    """Return the cases for a standard error of the standardized net benefit (Marsh et al. 2020)."""
    p = expit(odds)
    above = odds > math.log(threshold / (1.0 - threshold))
    share = float(weights @ p)
    sensitivity = float(weights @ (p * above)) / share
    specificity = float(weights @ ((1.0 - p) * ~above)) / (1.0 - share)
    price = (1.0 - share) / share * threshold / (1.0 - threshold)
    variance = (
        sensitivity * (1.0 - sensitivity) / share
        + price**2 * specificity * (1.0 - specificity) / (1.0 - share)
        + price**2 * (1.0 - specificity) ** 2 / (share * (1.0 - share))
    )
    return math.ceil(variance / error**2)
