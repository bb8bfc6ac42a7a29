"""Everything that a report asks, once, through the verbs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from earnest.adapters.evidence import restate_estimate
from earnest.comparison.run import against_winner, compare_many
from earnest.core.base.errors import EarnestError, EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import Pooled
from earnest.core.data.subgroups import ByLike, find_columns
from earnest.core.data.target import Target, Task
from earnest.core.results.calibration import Calibration
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.gain import Gain
from earnest.core.results.interval import Ask
from earnest.core.results.readiness import Readiness
from earnest.core.results.subgroups import Subgroups
from earnest.core.results.thresholds import Thresholds
from earnest.core.text.doors import arg
from earnest.explanation.explain import explain
from earnest.explanation.result import Explanation
from earnest.inference.curves.calibration import judge_probabilities
from earnest.inference.curves.gain import gain, gain_beside
from earnest.inference.curves.halves import HalfCurves, trace_halves
from earnest.inference.curves.thresholds import thresholds_beside
from earnest.inference.readiness import judge_readiness
from earnest.inference.resampling.winners import choose_winner
from earnest.inference.subgroups.beside import subgroups_beside
from earnest.methods.run import (
    configure_method,
    estimate,
    estimate_all,
    estimate_beside,
    find_fitting_knobs,
)
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.reporting.sources.material import INCOMPLETE, Material
from earnest.reporting.sources.subject import FigureSubject, find_subject

T = TypeVar("T")
SEED = 0  # of sources that have none, so that the same file gives the same report
NOT_EXPLAINED = (
    "There was no time or no budget to see what the model does with its columns. "
    "`earnest explain-model RUN TABLE` tells it."
)
NO_GAIN, NO_TEST = "What the search gained is not shown. ", "No test applies here. "
USUAL = {"confidence_level": 0.95, "side": "two-sided", "rng": SEED}


@dataclass(frozen=True, eq=False, kw_only=True)
class Results:
    """What the verbs said of the material.

    Attributes
    ----------
    material : Material
        What was asked about.
    estimate : Estimate or None
        The honest number.
    gain : Gain or None
        What the search gained.
    halves : HalfCurves or None
        What the samplers of a crossed search were told, and what the unseen half says.
    table : Estimates or None
        All methods.
    many : Comparisons or None
        The winner against all others.
    thresholds : Thresholds or None
        What to expect at every decision threshold, for scores of two classes.
    subgroups : Subgroups or None
        The score in every subgroup, where the cases are divided.
    calibration : Calibration or None
        How far the probabilities can be believed.
    readiness : Readiness or None
        Whether the model is ready to be used.
    subject : FigureSubject or None
        What figures are drawn of.
    explanation : Explanation or None
        What the search learned.
    absent : mapping of str to str
        Why a part is missing, by part.
    """

    material: Material
    estimate: Estimate | None = None
    gain: Gain | None = None
    halves: HalfCurves | None = None
    table: Estimates | None = None
    many: Comparisons | None = None
    thresholds: Thresholds | None = None
    subgroups: Subgroups | None = None
    calibration: Calibration | None = None
    readiness: Readiness | None = None
    subject: FigureSubject | None = None
    explanation: Explanation | None = None
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def target(self) -> Target | None:
        """The outcome of the cases that the number is about, where it is known."""
        pi = self.material.predictions
        return None if pi is None else pi.target

    @property
    def winner(self) -> str | None:
        """The configuration that the number is about."""
        return self.material.best if self.estimate is None else self.estimate.winner

    @property
    def n_folds(self) -> int:
        """The number of folds, 0 where it is not known."""
        if self.estimate is not None:
            return self.estimate.provenance.n_folds
        return max((len(configuration.folds) for configuration in self.material.tried), default=0)

    @property
    def n_repeats(self) -> int:
        """The number of repeats of the folds."""
        return 1 if self.estimate is None else self.estimate.provenance.n_repeats

    @property
    def seed(self) -> int | None:
        """The seed of the resamples."""
        estimate = self.estimate
        return self.material.seed if estimate is None else estimate.provenance.seed

    @property
    def nested_fits(self) -> int | None:
        """How many fits nested cross-validation would need: K² C + K + 1; None without folds."""
        folds, material = self.n_folds, self.material
        unknown = self.estimate is None or material.n_fits is None
        if unknown or folds < 2 or self.n_repeats > 1:
            return None
        whole = sum(configuration.status != INCOMPLETE for configuration in material.tried)
        return folds**2 * whole + folds + 1


def ask_all(
    material: Material,
    *,
    method: Any = None,
    confidence_level: float | None = None,
    side: str | None = None,
    n_resamples: int | None = None,
    rng: Any = None,
    n_jobs: int | None = None,
    by: ByLike | None = None,
    explanation: bool = True,
) -> Results:
    """Ask every verb that the material can answer; what refuses is told in `absent`.

    What is wrong whatever the data is refused at once.
    """
    arguments = {
        "method": method,
        "confidence_level": confidence_level,
        "side": side,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    settings = {"method": None, "n_resamples": None, **USUAL, "n_jobs": n_jobs}
    for options in (material.settings, arguments):
        settings |= {name: value for name, value in options.items() if value is not None}
    if method is not None and n_resamples is None:  # that of the search, if the method takes it
        knobs = {"n_resamples": settings["n_resamples"]}
        settings["n_resamples"] = find_fitting_knobs(method, knobs).get("n_resamples")
    _check_asked(settings)
    absent: dict[str, str] = {}
    results = Results(material=material)
    if by is not None:
        material = replace(material, predictions=_divide(material.predictions, by))
    if material.predictions is not None:
        if method is not None or n_resamples is not None or rng is not None:
            material = replace(material, estimate=None, comparison=None, calibration=None, won={})
        results = _of_predictions(material, settings, absent)
    elif material.fold_scores is not None:
        results = _of_fold_scores(material, material.fold_scores, settings, absent)
    if explanation:
        results = replace(results, explanation=_explain(material, settings, absent))
    else:
        absent["learned"] = "You did not ask for an explanation of the search."
    if material.refitted and material.won and material.explained is None:
        absent["columns"] = NOT_EXPLAINED
    return replace(results, absent=absent)


def _divide(pi: Predictions | None, by: ByLike) -> Predictions:
    """Return predictions whose cases are divided as asked."""
    if pi is None:
        raise EvidenceError(
            "there are no predictions that could be divided into subgroups",
            needs="a table of predictions, or a run that kept them",
            cure=f"Leave {arg('by')} out.",
        )
    return replace(pi, target=replace(pi.target, subgroups=find_columns(pi, by)))


def _check_asked(settings: dict[str, Any]) -> None:
    """Refuse options that are wrong whatever the data: a page could only say it of the cases."""
    Ask.of(settings["confidence_level"], settings["side"])
    workers(settings["n_jobs"])
    if not isinstance(settings["rng"], np.random.Generator | np.random.RandomState):
        Seeds.of(settings["rng"])
    configure_method(settings["method"] or "bbc", n_resamples=settings["n_resamples"])


def _of_predictions(
    material: Material, settings: dict[str, Any], absent: dict[str, str]
) -> Results:
    pi, metric, delivered = material.predictions, material.metric, material.estimate
    assert pi is not None
    assert metric is not None
    level = Ask.of(settings["confidence_level"], settings["side"])
    try:
        if delivered is None and material.ask is not None:
            delivered = material.ask(settings)
        judged = (
            restate_estimate(delivered, level)
            if delivered is not None
            else estimate(pi, metric=metric, **settings)
        )
    except EarnestError as error:
        absent["answer"] = str(error)
        return Results(material=material)
    inquiry = Inquiry(material, pi, metric, judged, settings, absent)
    subject = find_subject(judged, pi, metric)
    calibration = _calibration(inquiry, subject)
    return Results(
        material=material,
        estimate=judged,
        gain=_gain(inquiry),
        halves=trace_halves(pi, metric),
        table=_table(inquiry),
        many=_many(inquiry),
        thresholds=_thresholds(inquiry),
        subgroups=_subgroups(inquiry),
        calibration=calibration,
        readiness=judge_readiness(judged, metric, pi.target, calibration, material.leaks),
        subject=subject,
    )


def _of_fold_scores(
    material: Material, scores: FoldScores, settings: dict[str, Any], absent: dict[str, str]
) -> Results:
    """Ask what the scores of folds tell: the honest number, the gain, and who is worse."""
    level = {name: settings[name] for name in ("confidence_level", "rng", "n_jobs")}
    try:
        judged = estimate(scores, **settings)
    except EarnestError as error:
        absent["answer"] = str(error)
        return Results(material=material)
    several = judged.n_configs > 1
    return Results(
        material=material,
        estimate=judged,
        gain=_ask(absent, "gain", NO_GAIN, lambda: gain(scores, **level)) if several else None,
        table=_ask(
            absent, "methods", "", lambda: estimate_all(scores, side=settings["side"], **level)
        ),
        many=_ask(absent, "rivals", NO_TEST, lambda: compare_many(scores, **level))
        if several
        else None,
    )


@dataclass(frozen=True, eq=False)
class Inquiry:
    """What is asked beside an estimate, and why parts of it are absent."""

    material: Material
    pi: Predictions
    metric: Metric
    estimate: Estimate
    settings: dict[str, Any]
    absent: dict[str, str]

    @property
    def best_single(self) -> str:
        """The best configuration by its own score over all cases."""
        pi = self.pi.usable()
        best, _, _ = choose_winner(pi, self.metric, Pooled(), n_jobs=self.settings["n_jobs"])
        return pi.configs.ids[best]


def _ask(absent: dict[str, str], section: str, words: str, verb: Callable[[], T]) -> T | None:
    """Return what a verb answers; where it refuses, say so in `absent`, after some words."""
    try:
        return verb()
    except EarnestError as error:
        absent[section] = f"{words}{error}"
        return None


def _gain(ask: Inquiry) -> Gain | None:
    """Ask what the search gained, on the resamples of the estimate."""
    if ask.estimate.n_configs < 2:
        ask.absent["gain"] = "There is only one configuration, so no search gained anything."
        return None
    return _ask(
        ask.absent,
        "gain",
        NO_GAIN,
        lambda: gain_beside(ask.estimate, ask.pi, ask.metric, n_jobs=ask.settings["n_jobs"]),
    )


def _thresholds(ask: Inquiry) -> Thresholds | None:
    """Ask what to expect at every threshold; tables without scores of two classes have none."""
    scored = ask.pi.kind in (ResponseKind.PROBABILITY, ResponseKind.DECISION)
    about = ask.estimate.winner is not None or ask.estimate.ensemble is not None
    if ask.pi.target.task is not Task.BINARY or not scored or not about:
        return None
    return _ask(
        ask.absent,
        "thresholds",
        "Thresholds are not shown. ",
        lambda: thresholds_beside(
            ask.estimate,
            ask.pi,
            ask.metric,
            columns=ask.pi.target.subgroups,
            n_jobs=ask.settings["n_jobs"],
        ),
    )


def _subgroups(ask: Inquiry) -> Subgroups | None:
    """Ask for the score in every subgroup, where the predictions carry columns that divide them."""
    columns = ask.pi.target.subgroups
    if not columns:
        return None
    known, interval = ask.estimate.subgroups, ask.estimate.interval
    level = None if interval is None else interval.confidence_level
    names = tuple(column.name for column in columns)
    if known is not None and (known.columns, known.confidence_level) == (names, level):
        return known
    return _ask(
        ask.absent,
        "subgroups",
        "Subgroups are not shown. ",
        lambda: subgroups_beside(
            ask.estimate,
            pick_answer(ask.pi, ask.metric),
            ask.metric,
            columns,
            n_jobs=ask.settings["n_jobs"],
        ),
    )


def _calibration(ask: Inquiry, subject: FigureSubject | None) -> Calibration | None:
    """Judge the probabilities of the winner, unless the source has at this level."""
    known, level = ask.material.calibration, ask.settings["confidence_level"]
    if known is not None and known.confidence_level == level:
        return known
    if subject is None:
        return None
    return judge_probabilities(
        subject.pi.usable(), subject.estimate.winner or 0, ask.estimate, level
    )


def _table(ask: Inquiry) -> Estimates | None:
    """Ask all methods, on the resamples of the estimate."""
    seed, settings = ask.estimate.provenance.seed, ask.settings
    return _ask(
        ask.absent,
        "methods",
        "",
        lambda: estimate_beside(
            ask.estimate,
            ask.pi,
            metric=ask.metric,
            confidence_level=settings["confidence_level"],
            side=settings["side"],
            rng=settings["rng"] if seed is None else seed,
            n_jobs=settings["n_jobs"],
        ),
    )


def _many(ask: Inquiry) -> Comparisons | None:
    """Compare the winner with all others by the first test that applies, unless that is known."""
    estimate, comparison = ask.estimate, ask.material.comparison
    if estimate.n_configs < 2:
        ask.absent["rivals"] = (
            "There is only one configuration, so there is nothing to compare it with."
        )
        return None
    winner = estimate.winner or ask.best_single
    level, rng, n_jobs = (ask.settings[name] for name in ("confidence_level", "rng", "n_jobs"))
    if comparison is not None and (comparison.reference, comparison.confidence_level) == (
        winner,
        level,
    ):
        return comparison
    return _ask(
        ask.absent,
        "rivals",
        NO_TEST,
        lambda: against_winner(
            ask.pi, ask.metric, winner, confidence_level=level, rng=rng, n_jobs=n_jobs
        ),
    )


def _explain(
    material: Material, settings: dict[str, Any], absent: dict[str, str]
) -> Explanation | None:
    if material.trials is None:
        absent["learned"] = (
            "The hyperparameters of the configurations are unknown, so there is nothing to explain."
        )
        return None
    trials = material.trials
    seed = material.seed if material.seed is not None else settings["rng"]
    return _ask(
        absent,
        "learned",
        "The search is not explained: ",
        lambda: explain(trials(), rng=seed, n_jobs=settings["n_jobs"]),
    )
