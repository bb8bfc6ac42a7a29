"""The verb `plan`: how many items, repeats and configurations, before the money is spent.

Studies are drawn from the joint distribution of the pilot: its items (or groups) are resampled with
all their configurations. So a simulated study has items as difficult, and configurations as
similar, as the pilot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, open_evidence
from earnest.comparison.asking import read_measured
from earnest.comparison.base import largest_errors
from earnest.core.arguments.plan import ModelStudy
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.protocols import Progress, TaskOutcome
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.cautions import of_limits
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.results.base import FLAT, MetricResult, Plain
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale
from earnest.core.text.doors import arg
from earnest.decision.population import Population, draw_study, make_population
from earnest.decision.sample_size import ModelPlan, plan_model
from earnest.engine.patience import pass_scores_on
from earnest.engine.progress import Meter, watch_progress
from earnest.inference.cases.case_values import case_values
from earnest.methods.run import estimate
from earnest.metrics.families import Metric

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable
    from earnest.plotting.figures.plans import Axes


DETECT, WIDTH = "detect", "width"
MOST_ITEMS = 10_000_000  # a study of more is none


@dataclass(frozen=True)
class PlanPoint(Plain):
    """One study that was simulated.

    Attributes
    ----------
    n_configs, n_repeats, n_items : int
        Its size.
    value : float
        The chance that it shows the difference, or the mean width of its interval.
    error : float
        The Monte Carlo error of the value.
    """

    n_configs: int
    n_repeats: int
    n_items: int
    value: float
    error: float


@dataclass(frozen=True)
class PlanNeed(Plain):
    """How many items are needed with so many configurations and repeats.

    Attributes
    ----------
    n_configs, n_repeats : int
        What it is for.
    n_items : int or None
        The items that are needed; None where more than 10,000,000 would be.
    """

    derived: ClassVar[tuple[str, ...]] = ("runs",)

    n_configs: int
    n_repeats: int
    n_items: int | None

    @property
    def runs(self) -> int | None:
        """The answers to pay for: items times configurations times repeats."""
        return None if self.n_items is None else self.n_items * self.n_configs * self.n_repeats


@dataclass(frozen=True, kw_only=True)
class Plan(MetricResult):
    """How many items a study needs, from a pilot.

    Attributes
    ----------
    question : {'detect', 'width'}
        What the study is for.
    goal : float
        The difference to detect, or the width of the interval.
    power : float or None
        The chance of showing the difference; None for a width.
    confidence_level : float
        The level of the test or the interval.
    needs : tuple of PlanNeed
        The items needed for each number of configurations and repeats.
    curve : tuple of PlanPoint
        The studies that were simulated.
    n_pilot : int
        The items of the pilot.
    method : str
        What the study will be judged by.
    cautions, provenance
        As of every result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> pilot = en.Scores(rng.random((200, 3)) < rng.random((200, 1)))
    >>> needs = en.plan(pilot, detect=0.05, rng=0)
    >>> 900 < needs.n_items < 1300
    True
    """

    schema: ClassVar[str] = "earnest/plan/1"
    called: ClassVar[str] = "a plan"
    derived: ClassVar[tuple[str, ...]] = ("sentence", "n_items")

    question: str
    goal: float
    power: float | None
    confidence_level: float
    scale: Scale = field(metadata=FLAT)
    needs: tuple[PlanNeed, ...]
    curve: tuple[PlanPoint, ...]
    n_pilot: int
    method: str
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)

    @property
    def n_items(self) -> int | None:
        """The items needed with the first number of configurations and repeats."""
        return self.needs[0].n_items

    @property
    def cheapest(self) -> PlanNeed | None:
        """What needs the fewest answers; None where nothing is enough."""
        enough = [need for need in self.needs if need.runs is not None]
        return min(enough, key=lambda need: need.runs or 0, default=None)

    @property
    def sentence(self) -> str:
        """What is needed, in words."""
        first = self.needs[0]
        if self.question == DETECT:
            what = f"To detect a difference of {self.goal:g} in {self.metric}"
            if first.n_configs > 2:
                what = (
                    f"To be sure that the best of {first.n_configs} is better than all others, if "
                    f"it is so by {self.goal:g} in {self.metric},"
                )
            what += f" with a power of {100 * (self.power or 0.0):g} %"
        else:
            level = f"{100 * self.confidence_level:g} %"
            of = f" of the best of {first.n_configs}" if first.n_configs > 1 else ""
            what = f"To have a {level} interval for {self.metric}{of} that is {self.goal:g} wide"
        if first.n_items is None:
            return f"{what}, {MOST_ITEMS:,} items are not enough."
        times = f" with {first.n_repeats} repeats each" if first.n_repeats > 1 else ""
        words = f"{what}, you need about {_round_up(first.n_items):,} items{times}"
        words += f" (the pilot has {self.n_pilot:,})."
        best = self.cheapest
        if best is not None and best != first and len(self.needs) > 1:
            words += (
                f" Fewest answers: {_round_up(best.n_items or 0):,} items, {best.n_configs} "
                f"configurations and {best.n_repeats} repeats."
            )
        return words

    def _check_parts(self) -> None:
        super()._check_parts()
        if not self.needs:
            raise ValueError("a plan says what is needed at least once")

    def rows(self) -> list[dict[str, Any]]:
        """Return what is needed as flat dicts, one per number of configurations and repeats."""
        return [need.to_dict() for need in self.needs]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        rows = tuple(
            (
                f"{need.n_configs:,}",
                f"{need.n_repeats:,}",
                "–" if need.n_items is None else f"{_round_up(need.n_items):,}",
                "–" if need.runs is None else f"{_round_up(need.runs):,}",
            )
            for need in self.needs
        )
        heads = ("configurations", "repeats", "items needed", "answers")
        return PaperTable(heads, rows, self.sentence)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve, and return the matplotlib Axes."""
        from earnest.plotting.figures.plans import plot_plan

        return plot_plan(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        word = "detect" if self.question == DETECT else "width"
        need = f"over {MOST_ITEMS:,}" if self.n_items is None else f"{self.n_items:,}"
        return (
            f"{need} items to {word} {self.goal:g} in {self.metric} ({self.method}, pilot "
            f"n={self.n_pilot})"
            if word == "detect"
            else f"{need} items for a {word} of {self.goal:g} of {self.metric} ({self.method}, "
            f"pilot n={self.n_pilot})"
        )


def _round_up(number: int) -> int:
    """Return a number with two digits, not less."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step


STUDIES = 2_000  # simulated for a point of a curve of power
BLOCKS = 20  # of studies, each with its own choice of configurations
ESTIMATES = 6  # simulated for a point of a curve of widths
# With fewer units per configuration, weights that move all scores leave too few that count: after
# pilots of 30 cases and 10 configurations, intervals of an AUC were 1.24 times as wide as planned.
UNITS_OF_A_SCORE = 10
POWERS, WIDTHS = 3, 5  # how often at most the sizes of studies are chosen anew
LEAST_ITEMS, FEW_ITEMS = 10, 100  # of a pilot
WIDER = 8  # times the items, where an interval has one end
LARGEST = 20_000  # items of a study that is simulated as a whole
SHARES = (0.4, 0.6, 0.8, 1.0, 1.25, 1.6)  # of the items that theory gives, for the curve

Array = NDArray[np.float64]


@overload
def plan(pilot: ModelStudy) -> ModelPlan: ...  # type: ignore[overload-overlap]  # any object else


@overload
def plan(
    pilot: EvidenceLike,
    *,
    metric: str | Metric | Any = None,
    detect: float | None = None,
    width: float | None = None,
    n_configs: int | Sequence[int] | None = None,
    n_repeats: int | Sequence[int] | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Plan: ...


def plan(
    pilot: EvidenceLike | ModelStudy,
    *,
    metric: str | Metric | Any = None,
    detect: float | None = None,
    width: float | None = None,
    n_configs: int | Sequence[int] | None = None,
    n_repeats: int | Sequence[int] | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    rng: RngLike = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Plan | ModelPlan:
    """Tell how many items a study needs, by simulation from a pilot or by Riley's criteria.

    Parameters
    ----------
    pilot : Predictions, Scores or ModelStudy
        A small study of the same kind: some items, and at least two configurations to detect a
        difference. Or an `earnest.rules.ModelStudy`, what is known before a prediction model is
        developed or validated; that says all, and the rest is left out.
    metric : str, Metric or callable
        What to measure; left out for scores.
    detect : float, optional
        The difference that must be shown: of two configurations by the paired test of `compare`;
        with `n_configs` above 2, of the best from each of the others by the test of
        `compare_many`, which holds though the best was found on the same items.
    width : float, optional
        The width of the interval of `estimate`, for the best of `n_configs`.
    n_configs : int or list of int, optional
        How many configurations the study will have: 2 by default for `detect`, those of the pilot
        for `width`.
    n_repeats : int or list of int, optional
        How many samples of an item and configuration, those of the pilot by default. Others need
        a pilot of scores with at least two, which tells the variance within an item.
    power : float
        The chance of showing the difference.
    confidence_level : float
        The level of the test or the interval.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it. The widths of 50 configurations and
        thousands of items take half a minute.

    Returns
    -------
    Plan or ModelPlan
        The items needed, the curve that they are read from, and a sentence; or what each criterion
        needs.

    Notes
    -----
    A small pilot gives a rough variance: with 50 items, of which a quarter differ, the number
    needed has a standard error of 25 %. You must say which difference to detect, because the one
    that a pilot shows for its best is too large.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> pilot = en.Scores(rng.random((300, 4)) < rng.random((300, 1)))
    >>> en.plan(pilot, width=0.05, rng=0).question
    'width'
    """
    if isinstance(pilot, ModelStudy):
        if not all(each is None for each in (metric, detect, width, n_configs, n_repeats)):
            raise InputError(
                "a study of a model has its goals in itself",
                needs="nothing beside it",
                got="a metric, a goal or a size as well",
            )
        return plan_model(pilot)
    question, goal = _read_goal(detect, width)
    level = check.check_share("confidence_level", confidence_level)
    wanted = check.check_share("power", power)
    source = open_evidence(pilot)
    metric = source.metric_or(metric)
    pi, measure = read_measured(source.evidence, metric)
    refuse_case_weights(pi.target.weights, "a plan")
    _refuse_beyond_range(question, goal, measure)
    seeds = Seeds.of(rng)
    random = np.random.default_rng(seeds.entropy)
    usual = 2 if question == DETECT else pi.n_configs
    configs = _read_counts("n_configs", n_configs, usual, low=1 if question == WIDTH else 2)
    samples = _count_samples(source.evidence)
    repeats = _read_counts("n_repeats", n_repeats, samples, low=1)
    evidence = _read_terms(source.evidence, pi, measure, repeats, samples)
    curve: list[PlanPoint] = []
    needs: list[PlanNeed] = []
    studies = POWERS * len(SHARES) if question == DETECT else WIDTHS * ESTIMATES
    total = studies * len(configs) * len(repeats)
    with watch_progress(progress, total, "Simulated studies") as meter:
        meter.noun = "studies"
        for number, (count, times) in enumerate(product(configs, repeats), start=1):
            if question == DETECT:
                size, points = _plan_power(
                    evidence, goal, count, times, level, wanted, random, meter
                )
            else:
                ratio = evidence.scale_of(times)
                size, points = _plan_width(
                    pi, measure, goal, count, times, level, ratio, random, n_jobs, meter
                )
            needs.append(PlanNeed(count, times, size))
            curve += points
            state = meter.read()
            meter.drop(number * studies - state.fits - state.fits_skipped)
    return Plan(
        question=question,
        goal=goal,
        power=wanted if question == DETECT else None,
        confidence_level=level,
        scale=measure.scale,
        needs=tuple(needs),
        curve=tuple(curve),
        n_pilot=pi.n_cases,
        method="paired test" if question == DETECT else "estimate",
        cautions=tuple(_list_remarks(evidence)),
        provenance=Provenance(
            seed=seeds.entropy,
            fingerprint=pi.fingerprint,
            n_folds=pi.n_folds,
            n_repeats=samples,
            knobs={"studies": STUDIES if question == DETECT else ESTIMATES},
            versions=list_versions(),
        ),
    )


def _read_goal(detect: float | None, width: float | None) -> tuple[str, float]:
    goals = {DETECT: detect, WIDTH: width}
    named = {name: value for name, value in goals.items() if value is not None}
    if len(named) != 1:
        raise InputError(
            "a plan has one goal",
            needs=f"{arg('detect')}, a difference, or {arg('width')}, of an interval",
            got=" and ".join(arg(name) for name in named) or "none",
        )
    name, value = next(iter(named.items()))
    number = math.nan if isinstance(value, bool | str) else check.read_number(value)
    if not math.isfinite(number) or number <= 0:
        raise InputError(
            f"{arg(name)} is out of range", needs="a number above 0", got=check.show(value)
        )
    return name, number


def _refuse_beyond_range(question: str, goal: float, measure: Metric) -> None:
    """Refuse a difference, or a width, that the metric cannot have."""
    low, high = measure.limits
    if goal >= high - low:
        raise InputError(
            f"no two values of {measure.name!r} differ by {goal:g}"
            if question == DETECT
            else f"every interval for {measure.name!r} is narrower than {goal:g}",
            needs=f"`{question}` below {high - low:g}, the range of the metric",
            got=f"{goal:g}",
            cure=f"For a difference of 3 points in a hundred, use {0.03 * (high - low):g}.",
        )


def _read_counts(name: str, numbers: Any, usual: int, *, low: int) -> list[int]:
    values = [usual] if numbers is None else numbers if isinstance(numbers, Iterable) else [numbers]
    counts = [check.whole_number(name, value, low=low) for value in values]
    if not counts:
        raise InputError(f"`{name}` is empty", needs="at least one number")
    return list(dict.fromkeys(counts))


def _count_samples(pilot: Any) -> int:
    return pilot.n_repeats if isinstance(pilot, Scores) else 1


# What the pilot shows.


@dataclass(frozen=True, kw_only=True)
class _PilotTerms:
    """What units of the pilot add to the metric of each configuration, about its mean.

    Attributes
    ----------
    terms : ndarray, shape (units, C)
        The sum over the items of a unit, about the mean of the configuration.
    sizes : ndarray, shape (units,)
        The items of each unit.
    variances : dict of int to float
        The mean variance of an item's term with so many repeats, over that of the pilot.
    """

    terms: Array
    sizes: Array
    grouped: bool
    ratios: dict[int, float]
    differences: dict[int, float]

    def scale_of(self, repeats: int) -> float:
        """Return the standard error with other repeats over that with the pilot's."""
        return math.sqrt(self.ratios[repeats])


def _read_terms(
    pilot: Any, pi: Predictions, measure: Metric, repeats: list[int], samples: int
) -> _PilotTerms:
    usable = pi.usable()
    if usable.n_cases < LEAST_ITEMS:
        raise EvidenceError(
            "the pilot is too small to tell how far items differ",
            needs=f"at least {LEAST_ITEMS} items, better {FEW_ITEMS}",
            got=f"{usable.n_cases}",
        )
    values = case_values(usable, measure)
    undefined = np.flatnonzero(np.isnan(values.terms).all(axis=2).any(axis=0))
    if len(undefined):
        names = [usable.configs.ids[column] for column in undefined]
        raise EvidenceError(
            f"{measure.name!r} is undefined for some configurations of the pilot",
            needs="a pilot in which every item adds a number to the score of each",
            got=f"undefined for {check.some(names)}",
            cure="Leave them out with .select(names), or choose another metric.",
        )
    terms = np.nanmean(values.terms, axis=2)  # (n, C)
    terms = terms - terms.mean(axis=0)
    ratios, differences = _find_ratios(pilot, terms, repeats, samples)
    if values.groups is None:
        sizes = np.ones(len(terms))
    else:
        _, unit = np.unique(values.groups, return_inverse=True)
        sizes = np.bincount(unit).astype(np.float64)
        sums = np.zeros((len(sizes), terms.shape[1]))
        np.add.at(sums, unit, terms)
        terms = sums
    return _PilotTerms(
        terms=terms,
        sizes=sizes,
        grouped=values.groups is not None,
        ratios=ratios,
        differences=differences,
    )


def _find_ratios(
    pilot: Any, terms: Array, repeats: list[int], samples: int
) -> tuple[dict[int, float], dict[int, float]]:
    """Return variances with other repeats over those of the pilot: of a term, of a difference.

    The variance of an item's mean over R samples is between + within / R; samples of two
    configurations are independent, so that those of a difference add.
    """
    same = dict.fromkeys(repeats, 1.0)
    if set(repeats) == {samples}:
        return same, same
    if samples < 2:
        raise EvidenceError(
            "the pilot has one sample of each item and configuration",
            needs="at least two samples, to tell how much they differ",
            got=arg("n_repeats", max(repeats)),
            cure=f"Run the pilot twice, or leave {arg('n_repeats')} out.",
        )
    values = np.asarray(pilot.values, dtype=np.float64)
    counts = (~np.isnan(values)).sum(axis=2)
    enough = counts > 1
    spread = np.full(counts.shape, np.nan)
    spread[enough] = np.nanvar(values[enough], axis=-1, ddof=1)
    within = float(np.nanmean(spread))
    alone = float(np.mean(np.var(terms, axis=0, ddof=1)))
    pairs = [
        float(np.var(terms[:, a] - terms[:, b], ddof=1))
        for a in range(min(8, terms.shape[1]))
        for b in range(a)
    ]
    apart = float(np.mean(pairs)) if pairs else alone

    def ratio(total: float, noise: float, times: int) -> float:
        if not total:
            return 1.0
        between = max(0.0, total - noise / samples)
        return (between + noise / times) / total

    return (
        {times: ratio(alone, within, times) for times in repeats},
        {times: ratio(apart, 2 * within, times) for times in repeats},
    )


# The power to show a difference.


def _plan_power(
    evidence: _PilotTerms,
    goal: float,
    count: int,
    times: int,
    level: float,
    power: float,
    random: np.random.Generator,
    meter: Meter,
) -> tuple[int | None, list[PlanPoint]]:
    """Return the items needed to show a difference, and the curve around them."""
    if evidence.terms.shape[1] < 2:
        raise EvidenceError(
            "the pilot has one configuration",
            needs="at least two, whose answers to the same items tell how far a difference errs",
        )
    stretch = math.sqrt(evidence.differences[times])
    chosen = [_choose_columns(evidence, count, random) * stretch for _ in range(BLOCKS)]
    limit = _find_limit(chosen, level, random)
    items = float(evidence.sizes.mean())  # of a unit
    spreads = [np.var(block[:, [0]] - block[:, 1:], axis=0).max() for block in chosen]
    spread = math.sqrt(float(np.mean(spreads))) / items  # of an item, in units that stay together
    if not spread:
        raise EvidenceError(
            "all configurations of the pilot have the same answers",
            needs="a pilot in which some differ",
        )
    times_goal = (limit + NormalDist().inv_cdf(power)) * spread / goal
    guess = items * times_goal * times_goal  # a power would raise an error where it overflows
    points: list[PlanPoint] = []
    for _ in range(POWERS):  # the curve must reach the power from both sides
        wanted = [min(guess * share, 2 * MOST_ITEMS) for share in SHARES]  # it may be infinite
        for units in sorted({max(2, round(each / items)) for each in wanted}):
            if units * items > MOST_ITEMS:
                return None, points
            points.append(
                _simulate_power(chosen, evidence, goal, limit, units, count, times, random)
            )
            meter.advance(TaskOutcome(()))
        points.sort(key=lambda point: point.n_items)
        if points[0].value > power and points[0].n_items > 2 * items:
            guess = points[0].n_items / 2
        elif points[-1].value < power:
            guess = points[-1].n_items * 2
        else:
            break
    return _cross(points, power), points


def _choose_columns(evidence: _PilotTerms, count: int, random: np.random.Generator) -> Array:
    """Return the terms of so many configurations: of the pilot, and if need be more like them.

    A configuration that the pilot lacks combines what all configurations share on a unit with the
    deviation of one of them on another unit.
    """
    have = evidence.terms.shape[1]
    drawn = evidence.terms[:, random.permutation(have)[: min(count, have)]]
    if count <= have:
        return drawn
    shared = evidence.terms.mean(axis=1, keepdims=True)
    deviations = (evidence.terms - shared) * math.sqrt(have / (have - 1))
    more = [
        shared[:, 0] + deviations[random.permutation(len(deviations)), random.integers(have)]
        for _ in range(count - have)
    ]
    columns = np.column_stack([drawn, *more])
    return np.asarray(columns - columns.mean(axis=0))


def _find_limit(chosen: list[Array], level: float, random: np.random.Generator) -> float:
    """Return how many standard errors a difference must have to be shown."""
    if chosen[0].shape[1] == 2:
        return NormalDist().inv_cdf((1.0 + level) / 2)
    limits = []
    for block in chosen[:4]:
        signs = random.choice([-1.0, 1.0], size=(999, len(block)))
        largest = largest_errors(signs @ block)
        if largest is not None:
            limits.append(float(np.quantile(largest, level)))
    if not limits:
        raise EvidenceError("the configurations of the pilot do not differ")
    return float(np.mean(limits))


def _simulate_power(
    chosen: list[Array],
    evidence: _PilotTerms,
    goal: float,
    limit: float,
    units: int,
    count: int,
    times: int,
    random: np.random.Generator,
) -> PlanPoint:
    """Simulate studies of so many units, in which the first is better than each other one."""
    shown = []
    have = len(evidence.sizes)
    share = np.full(have, 1.0 / have)
    for block in chosen:
        weights = random.multinomial(units, share, size=STUDIES // BLOCKS).astype(np.float64)
        sizes = weights @ evidence.sizes
        apart = block[:, [0]] - block[:, 1:]  # (units, C - 1), about 0
        sums = weights @ apart
        means = sums / sizes[:, None]
        # The squared errors about the study's own mean difference, unit by unit.
        squares = weights @ apart**2 - 2 * means * (weights @ (apart * evidence.sizes[:, None]))
        squares += means**2 * (weights @ evidence.sizes**2)[:, None]
        error = np.sqrt(np.maximum(squares, 0.0)) / sizes[:, None]
        shown.append(((goal + means) > limit * error).all(axis=1))
    rate = float(np.concatenate(shown).mean())
    items = round(units * float(evidence.sizes.mean()))
    total = BLOCKS * (STUDIES // BLOCKS)
    return PlanPoint(count, times, items, rate, math.sqrt(max(rate * (1 - rate), 1e-9) / total))


def _cross(points: Sequence[PlanPoint], power: float) -> int | None:
    """Return where the curve of power crosses: a probit that is linear in the root of the items."""
    normal = NormalDist()
    inner = [(math.sqrt(point.n_items), normal.inv_cdf(min(max(point.value, 1e-4), 1 - 1e-4)))
             for point in points]  # fmt: skip
    wanted = normal.inv_cdf(power)
    for (a, low), (b, high) in pairwise(inner):
        if low <= wanted <= high:
            at = a if high == low else a + (b - a) * (wanted - low) / (high - low)
            return math.ceil(at**2)
    return points[0].n_items if inner[0][1] > wanted else None


# The width of an interval.


def _plan_width(
    pi: Predictions,
    measure: Metric,
    goal: float,
    count: int,
    times: int,
    level: float,
    ratio: float,
    random: np.random.Generator,
    n_jobs: int | None,
    meter: Meter,
) -> tuple[int | None, list[PlanPoint]]:
    """Return the items needed for an interval of a width, and the curve around them."""
    usable = pi.usable()
    if count > usable.n_configs:
        raise EvidenceError(
            f"the pilot has {usable.n_configs} configurations",
            needs=f"at least {count}, to simulate the best of as many",
        )
    whole = count == usable.n_configs
    populations = [
        make_population(
            usable
            if whole
            else usable.select(random.permutation(usable.n_configs)[:count].tolist()),
            measure,
            random,
            units_of_a_score=UNITS_OF_A_SCORE,
            n_jobs=n_jobs,
        )
        for _ in range(1 if whole else ESTIMATES)
    ]
    points: list[PlanPoint] = []
    least = 1  # items that are needed for an interval with two ends
    size = float(usable.n_cases)
    for _ in range(WIDTHS):
        items = round(min(max(size, LEAST_ITEMS), LARGEST))
        widths = []
        for study in range(ESTIMATES):
            population = populations[study % len(populations)]
            width = _simulate_width(population, items, measure, level, random, n_jobs)
            widths.append(width * ratio)
            meter.advance(TaskOutcome(()))
        mean = float(np.mean(widths))
        if math.isinf(mean):  # the interval of so few items has one end
            size, least = items * WIDER, max(least, items + 1)
            continue
        error = float(np.std(widths, ddof=1)) / len(widths) ** 0.5
        points.append(PlanPoint(count, times, items, mean, error))
        if not mean:
            raise EvidenceError("the interval of the pilot has no width", needs="scores that vary")
        size = items * (mean / goal) ** 2
        if abs(math.log(size / items)) < 0.1 or (size > LARGEST and items == LARGEST):
            break
    if not points:
        raise EvidenceError(
            f"no study of up to {items:,} items like this pilot has an interval with two ends",
            needs="a pilot of more items, whose scores tell how far they can go",
            got=f"{usable.n_cases} items",
        )
    points.sort(key=lambda point: point.n_items)
    near = min(points, key=lambda point: abs(math.log(point.value / goal)))
    needed = max(near.n_items * (near.value / goal) ** 2, least)
    return None if needed > MOST_ITEMS else math.ceil(needed), points


def _simulate_width(
    population: Population,
    items: int,
    measure: Metric,
    level: float,
    random: np.random.Generator,
    n_jobs: int | None,
) -> float:
    """Return the width of the interval of one simulated study."""
    n_units = max(2, round(items * len(population.units) / population.pi.n_cases))
    drawn = draw_study(population, random, n_units)
    seed = int(random.integers(2**31))
    with pass_scores_on(None):
        answer = estimate(drawn, metric=measure, confidence_level=level, rng=seed, n_jobs=n_jobs)
    if answer.interval is None:
        raise EvidenceError(f"method {answer.method!r} gives no interval")
    return answer.interval.width


def _list_remarks(evidence: _PilotTerms) -> Iterator[Caution]:
    units = len(evidence.sizes)
    if units < FEW_ITEMS:
        word = "group" if evidence.grouped else "item"
        yield of_limits.small_pilot(units, word, FEW_ITEMS)
