"""The verb `calibrate`: whether an interval holds for data like yours.

A population is made of the predictions: their cases (or groups) with all configurations, drawn with
weights that take the luck of the winners away. In it the true score of every configuration is
known. Studies of the same size, folds and groups are drawn from it, every method answers each of
them, and its limits are held against the true score of the configuration that it chose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import EvidenceLike, Source, open_evidence
from earnest.comparison.asking import read_measured
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.calibrate import CalibrateArguments
from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError
from earnest.core.base.protocols import Progress, TaskOutcome
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.base.threads import each, workers
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance, Refusal
from earnest.core.results.interval import Ask
from earnest.core.results.specs import ON_ITEMS, Estimand, Evidence, Side
from earnest.core.text.doors import arg
from earnest.decision.inclusion import Inclusion, Inclusions, MethodInclusion
from earnest.decision.plan import LEAST_OF_A_CLASS, Population, make_population
from earnest.engine.progress import watch_progress
from earnest.inference.cases.case_values import case_values
from earnest.kernels.score import score_table
from earnest.methods.base import Method
from earnest.methods.run import configure_method, estimate_all, find_fitting_knobs, usual_method
from earnest.metrics.families import Metric, MetricLike

Array = NDArray[np.float64]
DRAWS = 1_000  # of a study with enough cases of each class, before it is given up
ROUNDS, NEWTON = 4, 8  # of tilts, and of steps to each
UNITS_OF_A_SCORE = 3  # the fewest per configuration with which all scores can be moved
COUNTING = 0.5  # share of the units that count in a population
FEW_UNITS = 50  # of which a population is made
TRUE_SCORE = frozenset(  # what the score of a configuration in the population is the truth of
    {
        Estimand.WINNER_SCORE,
        Estimand.WINNER,
        Estimand.WINNER_AS_FIXED,
        Estimand.FITTED_MODEL,
        Estimand.THIS_MODEL,
        Estimand.FITTED_MODELS,
        Estimand.CHOSEN_ON_LEARNING,
        Estimand.CHOSEN_ON_EVALUATION,
        Estimand.FIXED_MODEL,
        *ON_ITEMS.values(),
    }
)


def calibrate(
    predictions: EvidenceLike,
    *,
    methods: Iterable[str | Method] | str | Method | None = None,
    metric: MetricLike | None = None,
    confidence_level: float = 0.95,
    side: Side | str = "two-sided",
    n_simulations: int = 500,
    n_resamples: int | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Inclusions:
    """Tell how often the interval of a method holds for data like yours, by simulation.

    **What is simulated.** Studies with your sizes, folds, groups and metric, whose configurations
    agree as much as yours: cases (or groups) of your predictions are drawn again with all their
    configurations. Cases on which the winners were lucky are drawn more rarely, so that the winners
    have their corrected score; and with three cases per configuration or more, the scores of all
    differ only by what chance does not explain. Folds are dealt anew. The truth of a configuration
    is its score in that population, and limits hold where they include the truth of the
    configuration that the method chose in the study (the protocol of Paraschakis et al. 2024).

    **What it cannot see.** Errors that no case has had yet. Other training sets: the truth is that
    of the models of these folds, taken together. With fewer than three cases per configuration,
    noise makes the configurations differ too much, which is kind to methods that do not correct for
    the choice.

    Parameters
    ----------
    predictions : Predictions, Scores, SearchCV, str or Path
        As for `estimate`.
    methods : str, Method or list of them, optional
        The methods; by default the one that `estimate` uses.
    metric : str, Metric or callable
        As for `estimate`.
    confidence_level : float
        The level at which limits should hold.
    side : {'two-sided', 'lower', 'upper', 'pessimistic'}
        Which limits; with 'two-sided' also the pessimistic bound at the same level.
    n_simulations : int
        How many studies to simulate. With 500, limits that miss in 5 % are told from those that
        miss in 10 %.
    n_resamples : int, optional
        As for `estimate`, in every study.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; the result records it.
    n_jobs : int, optional
        The number of threads, 1 by default and -1 for all cores; never changes the result.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.

    Returns
    -------
    Inclusions
        For each method how often its limits held, with exact tests, how tight they were, and the
        bias of its value.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = 0.5 * y[:, None] + rng.standard_normal((80, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(80) // 2 % 5)
    >>> checked = en.calibrate(
    ...     pi, metric="roc_auc", methods=["bbc", "naive"], n_simulations=40, n_resamples=100, rng=0
    ... )
    >>> checked["naive"].bias > 3 * checked["naive"].bias_error  # its value is too good
    True
    """
    check_arguments(
        CalibrateArguments,
        confidence_level=confidence_level,
        side=check.spell(side, str),
        n_simulations=n_simulations,
    )
    source = open_evidence(predictions)
    pi, measure = read_measured(source.evidence, source.metric_or(metric))
    usable = pi.usable()
    seeds = Seeds.of(source.seed_or(rng))
    ask = Ask.of(confidence_level, side)
    jobs = workers(n_jobs)
    chosen, refused = _choose_methods(_name_methods(methods, source, usable, measure), n_resamples)
    answering = _find_answering(chosen, refused, usable, measure, ask, seeds)
    world = make_world(usable, measure, seeds)
    with watch_progress(progress, n_simulations, "Simulated studies") as meter:
        meter.noun = "studies"

        def simulate(number: int) -> list[StudyAnswer | None]:
            answers = _simulate_study(world, answering, measure, ask, seeds, number)
            meter.advance(TaskOutcome((number,)))
            return answers

        studies = each(simulate, range(n_simulations), jobs)
    better = measure.greater_is_better
    by_method = zip(answering, zip(*studies, strict=True), strict=True)
    return Inclusions(
        scale=measure.scale,
        methods=tuple(_sum_up(method, answers, ask, better) for method, answers in by_method),
        refused=refused,
        confidence_level=ask.confidence_level,
        side=str(ask.side),
        n_simulations=n_simulations,
        n_cases=usable.n_cases,
        n_configs=usable.n_configs,
        best=float(np.nanmax(world.truth) if better else np.nanmin(world.truth)),
        luck=world.luck,
        cautions=tuple(_list_remarks(world)),
        provenance=Provenance(
            seed=seeds.entropy,
            fingerprint=pi.fingerprint,
            n_folds=usable.n_folds,
            n_repeats=usable.n_repeats,
            knobs={"n_simulations": n_simulations, "n_resamples": n_resamples},
            versions=list_versions(),
        ),
    )


def _name_methods(
    methods: Iterable[str | Method] | str | Method | None,
    source: Source,
    pi: Predictions,
    measure: Metric,
) -> list[str | Method]:
    """Return the methods that are asked for, or else the one that answers for these predictions."""
    if isinstance(methods, str):
        return [methods]
    if methods is None:
        delivered = None if source.answer is None else source.answer()
        if delivered is not None and delivered.ensemble is None:
            return [delivered.method]
        return [usual_method(pi, measure)]
    names: list[str | Method] = list(methods) if isinstance(methods, Iterable) else [methods]
    if not names:
        raise InputError("no method was requested", needs="at least one method, such as 'bbc'")
    return names


def _choose_methods(
    names: Sequence[str | Method], n_resamples: int | None
) -> tuple[list[Method], dict[str, Refusal]]:
    """Return the methods whose truth a population has, and why the others are left out."""
    settings = {"n_resamples": n_resamples}
    methods = [configure_method(name, **find_fitting_knobs(name, settings)) for name in names]
    chosen: list[Method] = []
    refused: dict[str, Refusal] = {}
    for method in {method.spec.name: method for method in methods}.values():
        spec = method.spec
        if spec.needs is not Evidence.OUT_OF_SAMPLE or spec.estimand not in TRUE_SCORE:
            refused[spec.name] = Refusal(
                f"method {spec.name!r} is about other training sets",
                needs="a method about the configurations or models at hand, such as 'bbc'",
                got=str(spec.estimand),
                cure="Simulate training sets instead: predictions cannot tell what they would "
                "have given.",
            )
            continue
        chosen.append(method)
    return chosen, refused


def _find_answering(
    chosen: list[Method],
    refused: dict[str, Refusal],
    pi: Predictions,
    measure: Metric,
    ask: Ask,
    seeds: Seeds,
) -> list[Method]:
    """Return the methods that answer for the predictions themselves; add the others to `refused`.

    If none does, the first refusal is the error.
    """
    if chosen:
        try:
            table = estimate_all(
                pi,
                methods=chosen,
                metric=measure,
                confidence_level=ask.confidence_level,
                side=ask.side,
                rng=seeds.entropy,
            )
        except EvidenceError as error:
            raise _refuse_all(chosen, refused, str(error)) from error
        refused |= table.refused
        chosen = [method for method in chosen if method.spec.name not in table.refused]
    if not chosen:
        raise _refuse_all(chosen, refused, str(next(iter(refused.values()))))
    return chosen


def _refuse_all(chosen: list[Method], refused: dict[str, Refusal], why: str) -> EvidenceError:
    names = [*refused, *(method.spec.name for method in chosen)]
    return EvidenceError(
        f"no method can be held against a known truth here: {', '.join(dict.fromkeys(names))}",
        needs="a method that answers for these predictions, about the models at hand",
        got=why,
        cure=f"Use {arg('methods', 'bbc')}.",
    )


# The population, whose truth is known.


@dataclass(frozen=True)
class _World:
    """A population, and the true score of every configuration in it.

    Attributes
    ----------
    population : Population
        The units, with the probability of each within its stratum.
    strata : list of ndarray
        Units of which every study has as many.
    folds : ndarray of shape (units, R), optional
        The folds that are dealt to the units of a study; None where units keep their own.
    truth : ndarray, shape (C,)
        The true scores.
    luck : float
        How much better the configurations that win look in the predictions.
    """

    population: Population
    strata: list[NDArray[np.intp]]
    folds: NDArray[np.integer] | None
    truth: Array
    luck: float


def make_world(pi: Predictions, measure: Metric, seeds: Seeds) -> _World:
    """Make the population of predictions, and score its configurations."""
    random = seeds.generator(Purpose.STUDIES, 0)
    population = make_population(pi, measure, random, {"metric": measure})
    if 1 < pi.n_configs <= len(population.units) / UNITS_OF_A_SCORE:
        population = _shrink_differences(population, measure)
    folds = _find_folds(pi, population)
    strata = _find_strata(pi, population, folds)
    shares = np.empty(len(population.units))
    for rows in strata:  # a study has as many units of each as the predictions
        weight = population.shares[rows]
        shares[rows] = weight / weight.sum() * len(rows) / len(population.units)
    weights = np.empty(pi.n_cases)
    for unit, share in zip(population.units, shares, strict=True):
        weights[unit] = share * len(population.units)
    truth = score_table(pi, measure, Weights(weights[None]))[0]
    if np.isnan(truth).all():
        raise EvidenceError(f"metric {measure.name!r} is undefined for every configuration")
    observed = score_table(pi, measure, Weights.ones(pi.n_cases))[0]
    best = int(np.nanargmax(observed) if measure.greater_is_better else np.nanargmin(observed))
    sign = 1.0 if measure.greater_is_better else -1.0
    luck = float(sign * (observed[best] - truth[best]))
    return _World(replace(population, shares=shares), strata, folds, truth, luck)


def _shrink_differences(population: Population, measure: Metric) -> Population:
    """Return the population with weights that take the noise out of all scores, not of the best.

    Observed scores differ by what the configurations are and by chance. In the population they
    shall differ by what is left: about their mean, by the share of their variance that chance does
    not explain. The weights of the units are the exponential tilt with these scores that stays
    nearest to equal weights; it goes only as far as half of the units keep counting.
    """
    pi, units = population.pi, population.units
    terms = np.nanmean(case_values(pi, measure).terms, axis=2)  # (n, C)
    terms = terms - terms.mean(axis=0)
    added = np.stack([terms[rows].sum(axis=0) for rows in units])
    added *= len(units) / pi.n_cases  # what a unit adds to a score, in units of equal weight
    observed = score_table(pi, measure, Weights.ones(pi.n_cases))[0]
    usable = ~(np.isnan(observed) | np.isnan(added).any(axis=0))
    if usable.sum() < 2:
        return population
    unit = np.empty(pi.n_cases, dtype=np.intp)
    for number, rows in enumerate(units):
        unit[rows] = number

    def score(shares: Array) -> Array:
        weights = shares[unit] * len(units)
        return np.asarray(score_table(pi, measure, Weights(weights[None]))[0])

    apart = added[:, usable] - added[:, usable].mean(axis=1, keepdims=True)
    noise = float((apart**2).sum(axis=0).mean()) / len(units) ** 2
    spread = float(observed[usable].var())
    true_share = max(1.0 - noise / spread, 0.0) if spread else 0.0
    corrected = score(population.shares)
    level = float(np.mean(corrected[usable]))
    target = level + true_share * (observed - observed[usable].mean())
    best = int(np.nanargmax(observed) if measure.greater_is_better else np.nanargmin(observed))
    target += corrected[best] - target[best]  # the winner keeps the score that its luck leaves it
    shares = population.shares
    wanted = (target - observed)[usable]
    for _ in range(ROUNDS):
        shares = _tilt(added[:, usable], wanted)
        wanted = wanted + (target - score(shares))[usable]  # scores are no sums
    return replace(population, shares=shares)


def _tilt(added: Array, wanted: Array) -> Array:
    """Return shares exp(added t) of units whose mean of `added` (units, C) is as wanted.

    A ridge keeps the tilt from what the units can hardly tell; it grows until the effective number
    of units is half of them.
    """
    count = len(added)
    covariance = added.T @ added / count
    scale = float(np.trace(covariance)) / len(covariance)
    ridge = 1e-3 * scale
    while True:
        slope = np.zeros(added.shape[1])
        for _ in range(NEWTON):
            shares = np.exp(added @ slope - (added @ slope).max())
            shares /= shares.sum()
            mean = shares @ added
            steep = (added * shares[:, None]).T @ added - np.outer(mean, mean)
            steep[np.diag_indices_from(steep)] += ridge
            slope = slope + np.linalg.solve(steep, wanted - mean - ridge * slope)
        exponent = added @ slope
        shares = np.exp(exponent - exponent.max())
        shares /= shares.sum()
        if np.isfinite(shares).all() and 1.0 / (shares**2).sum() >= count * COUNTING:
            return np.asarray(shares)
        ridge *= 4.0


def _find_folds(pi: Predictions, population: Population) -> NDArray[np.integer] | None:
    """Return the folds of every unit (units, R); None where a unit has several, or lacks one."""
    if (pi.folds < 0).any():
        return None
    first = np.stack([pi.folds[rows[0]] for rows in population.units])
    alike = zip(population.units, first, strict=True)
    return first if all((pi.folds[rows] == of).all() for rows, of in alike) else None


def _find_strata(
    pi: Predictions, population: Population, folds: NDArray[np.integer] | None
) -> list[NDArray[np.intp]]:
    """Return the units of each class where folds have the classes alike, as stratified ones do.

    Otherwise all units are one stratum; where folds cannot be dealt anew, those of a fold are.
    """
    every = np.arange(len(population.units))
    target = pi.target
    if folds is None:
        first = np.array([pi.folds[rows[0], 0] for rows in population.units])
        return [every[first == fold] for fold in np.unique(first)]
    if not target.has_classes or target.groups is not None or pi.n_folds == 1:
        return [every]
    cells = [every[target.y == label] for label in range(len(target.classes))]
    for cell in cells:
        counts = np.bincount(folds[cell, 0], minlength=pi.n_folds)
        if counts.max() - counts.min() > 1:
            return [every]
    return [cell for cell in cells if len(cell)]


def draw_study(world: _World, random: np.random.Generator) -> Predictions:
    """Return predictions of units drawn with replacement, groups under new names.

    Folds are dealt anew. If a unit kept its own, the few cases of a fold would be the truth about
    its model, and folds would be more unlike than they are.
    """
    population = world.population
    pi, units = population.pi, population.units
    target = pi.target
    for _ in range(DRAWS):
        drawn = np.concatenate(
            [
                random.choice(
                    stratum,
                    size=len(stratum),
                    p=population.shares[stratum] / population.shares[stratum].sum(),
                )
                for stratum in world.strata
            ]
        )
        rows = np.concatenate([units[unit] for unit in drawn])
        if not target.has_classes:
            break
        sizes = np.bincount(target.y[rows], minlength=len(target.classes))
        if sizes.min() >= LEAST_OF_A_CLASS:
            break
    else:
        raise EvidenceError(
            "hardly any simulated study has enough cases of every class",
            needs=f"{LEAST_OF_A_CLASS} of each",
            cure="Use predictions of more cases.",
        )
    names = None
    if target.groups is not None:
        names = np.repeat(np.arange(len(drawn)), [len(units[unit]) for unit in drawn])
    study = pi.take(rows)
    study = replace(study, target=replace(study.target, ids=None, groups=names))
    if world.folds is None:
        return study
    dealt = [random.permutation(stratum) for stratum in world.strata]
    folds = world.folds[np.concatenate(dealt)]
    return replace(study, folds=np.repeat(folds, [len(units[unit]) for unit in drawn], axis=0))


# What the methods say of a study.


@dataclass(frozen=True)
class StudyAnswer:
    """A value, the truth that it is about, and the limits of each kind."""

    value: float
    truth: float
    limits: dict[Side, tuple[float, float]]


def _simulate_study(
    world: _World, asked: list[Method], measure: Metric, ask: Ask, seeds: Seeds, number: int
) -> list[StudyAnswer | None]:
    """Return what each method says of one study; None where it cannot answer."""
    random = seeds.generator(Purpose.STUDIES, 1, number)
    study = draw_study(world, random)
    try:
        table = estimate_all(
            study,
            methods=asked,
            metric=measure,
            confidence_level=ask.confidence_level,
            side=ask.side,
            rng=int(random.integers(2**31)),
        )
    except EarnestError:
        return [None] * len(asked)
    by_name = {estimate.method: estimate for estimate in table}
    return [
        None if (estimate := by_name.get(method.spec.name)) is None else _read(estimate, world, ask)
        for method in asked
    ]


def _read(estimate: Estimate, world: _World, ask: Ask) -> StudyAnswer | None:
    """Hold an estimate against the true score of the configuration that it chose."""
    if estimate.winner is None:
        return None
    truth = float(world.truth[world.population.pi.configs.index(estimate.winner)])
    if np.isnan(truth):
        return None
    limits: dict[Side, tuple[float, float]] = {}
    if estimate.interval is not None:
        for side in _list_sides(ask, estimate.scale.greater_is_better):
            interval = estimate.at(side=side).interval
            assert interval is not None
            limits[side] = (interval.low, interval.high)
    return StudyAnswer(estimate.value, truth, limits)


def _list_sides(ask: Ask, better: bool) -> list[Side]:
    """Return the limits that are checked: those asked for, and beside an interval the bound."""
    side = Side(ask.resolved(better))
    bound = Side.LOWER if better else Side.UPPER
    return [side, bound] if side is Side.TWO_SIDED else [side]


def _sum_up(
    method: Method, answers: Sequence[StudyAnswer | None], ask: Ask, better: bool
) -> MethodInclusion:
    """Count in how many studies the limits of a method held."""
    answered = [answer for answer in answers if answer is not None]
    if not answered:
        raise EvidenceError(
            f"method {method.spec.name!r} answers for none of {len(answers)} simulated studies",
            needs="predictions of more cases",
            cure=f"Use {arg('methods', 'bbc')}.",
        )
    sign = 1.0 if better else -1.0
    luck = sign * np.array([answer.value - answer.truth for answer in answered])
    return MethodInclusion(
        method=method.spec.name,
        limits=tuple(
            inclusion
            for side in _list_sides(ask, better)
            if (inclusion := count_inclusion(side, ask.confidence_level, answered)) is not None
        ),
        value=float(np.mean([answer.value for answer in answered])),
        truth=float(np.mean([answer.truth for answer in answered])),
        bias=float(luck.mean()),
        bias_error=_find_error(luck),
        count=len(answered),
        refused=len(answers) - len(answered),
    )


def count_inclusion(side: Side, level: float, answers: Sequence[StudyAnswer]) -> Inclusion | None:
    """Count how often limits of one kind held; None where no answer has them."""
    ends = [(*answer.limits[side], answer.truth) for answer in answers if side in answer.limits]
    if not ends:
        return None
    low, high, truth = np.array(ends, dtype=np.float64).T
    width = {Side.LOWER: truth - low, Side.UPPER: high - truth}.get(side, high - low)
    return Inclusion(
        side=str(side),
        confidence_level=level,
        count=len(ends),
        below=int((truth < low).sum()),
        above=int((truth > high).sum()),
        tightness=float(width.mean()),
        tightness_error=_find_error(width),
    )


def _find_error(values: Array) -> float:
    """Return the standard error of a mean; that of one value is not known."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _list_remarks(world: _World) -> Iterator[Caution]:
    units = len(world.population.units)
    if units < FEW_UNITS:
        word = "case" if world.population.pi.target.groups is None else "group"
        yield of_limits.few_to_simulate(units, word, FEW_UNITS)
