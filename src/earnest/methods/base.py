"""What every method is: knobs as a frozen dataclass, a spec, and one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.evidence import refuse_evidence
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError, MetricError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Seeds
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.data.selection import SELECTORS, EnsembleRule, Selector
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate, ScoreErrors
from earnest.core.results.interval import Ask, LimitSource
from earnest.core.results.specs import Evidence, Guide, MethodSpec, MetricFamily, Selection
from earnest.core.text.doors import arg
from earnest.inference.left_out.estimates import has_cases, has_pairs
from earnest.inference.limits.winner_law import law_of
from earnest.inference.resampling.ensembles import read_rule
from earnest.metrics.families import Metric, RankMetric
from earnest.metrics.ranking import is_auc


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to a method.

    `given` are the predictions as the user gave them, `pi` those of them that can be used. Where
    more was given, such as inner predictions, it is the `design`. Where less was given, the
    `fold_scores`, `pi` has a case for each fold. `no_information` is the score of the best constant
    prediction, which every estimate is held against.
    """

    given: Predictions
    pi: Predictions
    metric: Metric
    ask: Ask
    seeds: Seeds
    no_information: float | None
    n_jobs: int | None = None
    design: NestedPredictions | PairedHalves | None = None
    fold_scores: FoldScores | None = None

    def without_guides(self) -> Call:
        """Return the same question, in which all cases may judge every configuration."""
        if self.pi.guides is None:
            return self
        return replace(self, pi=replace(self.pi, guides=None))


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimateParts:
    """What a method finds; `earnest.methods.run` puts the estimate together.

    Attributes
    ----------
    value : float
        The score that is estimated; moved into the range of the metric where it lies outside.
    winner : int, optional
        The configuration that it is about; None for replicates, and for an ensemble of several.
    scores : ndarray, shape (C,), optional
        The scores that it was chosen by, which tell of ties.
    naive : float, optional
        The score that the search itself reports.
    source : LimitSource, optional
        What interval and standard error are read from.
    cautions : iterable of Caution
        What this method has to say; what holds for all methods is added.
    details : object
        The method's own small dataclass.
    estimand : str, optional
        What is estimated, where it is not that of the spec.
    used : mapping
        The knobs as they were resolved, where a default depends on the data.
    errors : ScoreErrors, optional
        The errors of the value itself, where the spread of the draws is not its error.
    ensemble : mapping of str to float, optional
        The share of each member.
    selection : Selection, optional
        What is done about the choice among several, where the spec alone does not say.
    guide : Guide, optional
        How scores guided the search, where the method allows for it.
    """

    value: float
    winner: int | None = None
    scores: NDArray[np.float64] | None = None
    naive: float | None = None
    source: LimitSource | None = None
    cautions: Iterable[Caution] = ()
    details: object = None
    estimand: str | None = None
    used: Mapping[str, object] = field(default_factory=dict)
    errors: ScoreErrors | None = None
    ensemble: Mapping[str, float] | None = None
    selection: Selection | None = None
    guide: Guide | None = None


class Method(Protocol):
    """A way to estimate a score from evidence and a metric.

    The call is a `Call` with predictions or a `ReplicatesCall`, by what its spec needs. A method
    that refuses more than its spec says has a `check(target, design, metric)` too, which raises
    what is wrong: see `check_question`.
    """

    spec: ClassVar[MethodSpec]

    def __call__(self, call: Any) -> EstimateParts:
        """Return the value, its limits, and what to be careful about."""
        ...


M = TypeVar("M", bound=type[Any])


def register(method: M) -> M:
    """Put a method in the registry under the name of its spec."""
    METHODS.add(method.spec.name, method, (*method.spec.aliases, *method.spec.presets))
    return method


METHODS: Registry[type[Any]] = Registry("method", group="earnest.methods", adopt=register)


def spec_of(estimate: Estimate) -> MethodSpec:
    """Return the declaration of the method that made an estimate."""
    spec: MethodSpec = METHODS[estimate.method].spec
    return spec


def methods_for(evidence: Evidence) -> list[str]:
    """Return the names of the methods that compute from this kind of evidence.

    Examples
    --------
    >>> from earnest.core.results.specs import Evidence
    >>> from earnest.methods import METHODS
    >>> from earnest.methods.base import methods_for
    >>> methods_for(Evidence.REPLICATES)[:3]
    ['.632', '.632+', 'apparent']
    """
    return [name for name in METHODS if METHODS[name].spec.takes(evidence)]


def find_evidence_kind(evidence: object) -> Evidence:
    """Return the kind of evidence that something is; refuse what is none."""
    if isinstance(evidence, Replicates):
        return Evidence.REPLICATES
    if isinstance(evidence, FoldScores):
        return Evidence.FOLD_SCORES
    if isinstance(evidence, Predictions):
        return Evidence.OUT_OF_SAMPLE
    if isinstance(evidence, NestedPredictions):
        return Evidence.NESTED
    if isinstance(evidence, PairedHalves):
        return Evidence.PAIRED
    raise refuse_evidence(evidence)


def need_evidence(method: Method, evidence: object) -> None:
    """Refuse evidence of another kind than a method computes from."""
    kind, needs, name = find_evidence_kind(evidence), method.spec.needs, method.spec.name
    if method.spec.takes(kind):
        return
    if kind is Evidence.FOLD_SCORES:
        names = ", ".join(methods_for(kind))
        cure = (
            f"From scores of folds there are {names}. Search with earnest.SearchCV in place of "
            "GridSearchCV: it keeps the predictions."
        )
    elif needs in (Evidence.NESTED, Evidence.PAIRED):
        cure = f"Use earnest.assess(estimator, X, y, {arg('method', name)}) to train it."
    elif kind is Evidence.OUT_OF_SAMPLE:
        cure = (
            "Make them with earnest.bootstrap_train(estimator, X, y), or use "
            f"{arg('method', 'bbc')}."
        )
    else:
        cure = (
            "Use a method for replicates, such as '.632+' or 'loob'; for predictions of folds see "
            "earnest.SearchCV and earnest.Predictions."
        )
    raise EvidenceError(
        f"method {name!r} cannot use this evidence", needs=str(needs), got=str(kind), cure=cure
    )


def check_question(
    method: Method,
    design: Predictions | NestedPredictions | PairedHalves | DrawUnit,
    target: Target,
    metric: Metric,
) -> None:
    """Refuse what a method cannot answer, by its own `check` and by what its spec declares.

    `estimate` asks with the evidence itself. `assess` asks before any training, with the
    predictions that a perfect model would make in the same splits: a metric that is undefined
    there is undefined for every model. Of bootstrap samples `design` is what is drawn.
    """
    method_check = getattr(method, "check", None)
    if method_check is not None:
        method_check(target, design, metric)
    spec = method.spec
    if not takes_metric(spec.metrics, metric, target):
        raise MetricError(
            f"method {spec.name!r} does not support {metric.name!r}",
            needs=str(spec.metrics),
            got=f"{metric.name!r} on a {target.task} task",
            cure=f"Use {arg('method', 'bbc')}, which works for any metric."
            if spec.needs is Evidence.OUT_OF_SAMPLE
            else "`earnest methods` lists the metrics that each method supports.",
        )
    refuse_weights(spec, target)
    if isinstance(design, DrawUnit):
        return
    pi = design if isinstance(design, Predictions) else design.predictions
    folds = sum(len(names) for names in pi.fold_names)
    if folds < spec.min_folds or pi.n_repeats < spec.min_repeats:
        raise EvidenceError(
            f"method {spec.name!r} needs more splits",
            needs=f"at least {spec.min_folds} folds and {spec.min_repeats} repeats",
            got=f"{folds} folds, {pi.n_repeats} repeats",
            cure=f"Pass {arg('fold')} with one column per repeat.",
        )


def refuse_weights(spec: MethodSpec, target: Target) -> None:
    """Refuse cases of unlike weight, and strata of a survey, where a method ignores them."""
    if not spec.weighted:
        refuse_case_weights(
            target.weights, f"method {spec.name!r}", f"Use {arg('method', 'bbc')}, which does."
        )
    if target.surveyed and not spec.surveys:
        raise EvidenceError(
            f"method {spec.name!r} does not know the strata of a survey",
            needs="a method that draws units within strata",
            got=f"{len(target.design.strata)} strata",
            cure=f"Use {arg('method', 'bbc')}.",
        )


def takes_metric(family: MetricFamily, metric: Metric, target: Target) -> bool:
    """Tell whether a metric is of the family that a method takes, on this task.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.results.specs import MetricFamily
    >>> from earnest.methods.base import takes_metric
    >>> target = en.Predictions.from_arrays([0, 1], [0.1, 0.9]).target
    >>> takes_metric(MetricFamily.AUC, en.metric("roc_auc"), target)
    True
    >>> takes_metric(MetricFamily.AUC, en.metric("accuracy"), target)
    False
    """
    if family is MetricFamily.WITH_LAW:
        return law_of(metric, target) is not None
    pairs = has_pairs(metric, target)
    return {
        MetricFamily.ANY: True,
        MetricFamily.POINTWISE: metric.pointwise,
        MetricFamily.RANK: isinstance(metric, RankMetric),
        MetricFamily.AUC: is_auc(metric, target),
        MetricFamily.MEANS_AND_AUC: metric.pointwise or is_auc(metric, target),
        MetricFamily.CASEWISE: metric.has_terms,
        MetricFamily.PAIRS: pairs,
        MetricFamily.SUMS_AND_PAIRS: metric.has_terms or pairs,
        MetricFamily.SUMS: has_cases(metric),
    }[family]


def ensemble_of(rule: str | Selector | EnsembleRule | None) -> EnsembleRule | None:
    """Return the ensemble rule of a name, or as it is; None where one configuration is chosen."""
    if isinstance(rule, EnsembleRule):
        return rule
    return read_rule(rule) if isinstance(rule, str) else None


def selector_of(wanted: str | Selector | EnsembleRule | None, default: Selector) -> Selector:
    """Return the selector of a name, as it is, or by default; refuse one that makes an ensemble."""
    if wanted is None:
        return default
    rule = ensemble_of(wanted)
    if rule is not None:
        raise InputError(
            "this method cannot choose an ensemble",
            needs="a selector that names one configuration: " + ", ".join(SELECTORS),
            got=rule.name,
            cure=f"Use {arg('method', 'bbc')}, which scores what is chosen in every resample.",
        )
    if isinstance(wanted, str) or not hasattr(wanted, "by_fold"):
        return SELECTORS[check.spell(wanted, str)]  # refuses what is not a rule
    assert not isinstance(wanted, EnsembleRule)  # refused above
    return wanted


def need_folds(
    method: Method,
    pi: Predictions,
    *,
    least: int | None = None,
    cure: str = f"Pass {arg('fold')}, or use {arg('method', 'bbc')}.",
) -> None:
    """Refuse predictions with fewer folds than a method needs."""
    least = method.spec.min_folds if least is None else least
    if pi.n_folds < least:
        raise EvidenceError(
            f"method {method.spec.name!r} needs more folds",
            needs=f"at least {least}",
            got=f"{pi.n_folds}",
            cure=cure,
        )
