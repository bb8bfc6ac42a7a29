"""The verb `calibrate`: whether an interval holds for data like yours.

A population is made of the predictions: their cases (or groups) with all configurations, drawn with
weights that take the luck of the winners away. In it the true score of every configuration is
known. Studies of the same size, folds and groups are drawn from it, every method answers each of
them, and its limits are held against the true score of the configuration that it chose.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, Provenance, Refusal
from earnest.core.results.interval import Ask
from earnest.core.results.specs import ON_ITEMS, Estimand, Evidence, Side
from earnest.core.text.doors import arg
from earnest.decision.inclusion import Inclusion, Inclusions, MethodInclusion
from earnest.decision.population import Population, draw_study, make_population
from earnest.engine.patience import LONG, pass_scores_on
from earnest.engine.progress import watch_progress
from earnest.inference.cases.case_values import check_terms
from earnest.methods.base import Method
from earnest.methods.run import configure_method, estimate_all, find_fitting_knobs, usual_method
from earnest.metrics.families import CallableMetric, Metric, MetricLike

Array = NDArray[np.float64]
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
    refuse_case_weights(usable.target.weights, "a calibration of methods")
    if usable.n_configs > 1:  # what a population is made by
        check_terms(usable, measure)
    seeds = Seeds.of(source.seed_or(rng))
    ask = Ask.of(confidence_level, side)
    jobs = workers(n_jobs)
    chosen, refused = _choose_methods(_name_methods(methods, source, usable, measure), n_resamples)
    began = time.perf_counter()
    answering = _find_answering(chosen, refused, usable, measure, ask, seeds)
    if progress is None and isinstance(measure, CallableMetric):
        seconds = (time.perf_counter() - began) * n_simulations / jobs
        progress = seconds > LONG and sys.stderr is not None
    population = make_population(usable, measure, seeds.generator(Purpose.STUDIES, 0))
    with watch_progress(progress, n_simulations, "Simulated studies") as meter:
        meter.noun = "studies"

        def simulate(number: int) -> list[StudyAnswer | None]:
            answers = _simulate_study(population, answering, measure, ask, seeds, number)
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
        best=float(np.nanmax(population.truth) if better else np.nanmin(population.truth)),
        luck=population.luck,
        cautions=tuple(_list_remarks(population)),
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


# What the methods say of a study.


@dataclass(frozen=True)
class StudyAnswer:
    """A value, the truth that it is about, and the limits of each kind."""

    value: float
    truth: float
    limits: dict[Side, tuple[float, float]]


def _simulate_study(
    population: Population,
    methods: list[Method],
    measure: Metric,
    ask: Ask,
    seeds: Seeds,
    number: int,
) -> list[StudyAnswer | None]:
    """Return what each method says of one study; None where it cannot answer."""
    random = seeds.generator(Purpose.STUDIES, 1, number)
    study = draw_study(population, random)
    try:
        with pass_scores_on(None):
            table = estimate_all(
                study,
                methods=methods,
                metric=measure,
                confidence_level=ask.confidence_level,
                side=ask.side,
                rng=int(random.integers(2**31)),
            )
    except EarnestError:
        return [None] * len(methods)
    by_name = {estimate.method: estimate for estimate in table}
    return [
        None
        if (estimate := by_name.get(method.spec.name)) is None
        else _read(estimate, population, ask)
        for method in methods
    ]


def _read(estimate: Estimate, population: Population, ask: Ask) -> StudyAnswer | None:
    """Hold an estimate against the true score of the configuration that it chose."""
    if estimate.winner is None:
        return None
    truth = float(population.truth[population.pi.configs.index(estimate.winner)])
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


def _list_remarks(population: Population) -> Iterator[Caution]:
    units = len(population.units)
    if units < FEW_UNITS:
        word = "case" if population.pi.target.groups is None else "group"
        yield of_limits.few_to_simulate(units, word, FEW_UNITS)
