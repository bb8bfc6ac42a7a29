"""What every method is: knobs as a frozen dataclass, a spec, and one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, InputError, MetricError
from earnest.core.base.provenance import knobs, plain, versions
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Seeds
from earnest.core.data.designs import NestedPredictions, PairedHalves
from earnest.core.data.predictions import Predictions
from earnest.core.data.replicates import DrawUnit, Replicates
from earnest.core.data.selection import SELECTORS, EnsembleRule, Selector
from earnest.core.data.target import Target, Task
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import (
    Estimate,
    Provenance,
    ScoreErrors,
    make_interval,
)
from earnest.core.results.interval import Ask, LimitSource, WidenedLimits, draws_of
from earnest.core.results.specs import ON_ITEMS, Estimand, Evidence, Family, MethodSpec
from earnest.inference.left_out.estimates import has_cases, has_pairs
from earnest.inference.limits.winner_law import law_of
from earnest.inference.resampling.ensembles import read_rule
from earnest.metrics.families import Metric, RankMetric
from earnest.metrics.ranking import is_auc


@dataclass(frozen=True, kw_only=True)
class Call:
    """One question to a method.

    `given` are the predictions as the user gave them, `pi` those of them that can be used. Where
    more was given, such as inner predictions, it is the `design`.
    """

    given: Predictions
    pi: Predictions
    metric: Metric
    ask: Ask
    seeds: Seeds
    n_jobs: int | None = None
    design: NestedPredictions | PairedHalves | None = None


class Method(Protocol):
    """A way to turn evidence and a metric into an estimate.

    The call is a `Call` with predictions or a `ReplicatesCall`, by what its spec needs. A method
    that refuses more than its spec says has a `check(target, design, metric)` too, which raises
    what is wrong: see `check_question`.
    """

    spec: ClassVar[MethodSpec]

    def __call__(self, call: Any) -> Estimate:
        """Return the estimate."""
        ...


M = TypeVar("M", bound=type[Any])


def register(method: M) -> M:
    """Put a method in the registry under the name of its spec."""
    METHODS.add(method.spec.name, method, method.spec.aliases)
    return method


METHODS: Registry[type[Any]] = Registry("method", group="earnest.methods", adopt=register)


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
    return [name for name in METHODS if METHODS[name].spec.needs is evidence]


def evidence_of(given: object) -> Evidence:
    """Return the kind of evidence that something is; refuse what is none."""
    if isinstance(given, Replicates):
        return Evidence.REPLICATES
    if isinstance(given, Predictions):
        return Evidence.OUT_OF_SAMPLE
    if isinstance(given, NestedPredictions):
        return Evidence.NESTED
    if isinstance(given, PairedHalves):
        return Evidence.PAIRED
    from earnest.adapters.predictions.door import cure_for

    raise EvidenceError(
        "this is not a table of out-of-sample predictions",
        needs="earnest.Predictions, or earnest.Replicates",
        got=type(given).__name__,
        cure=cure_for(given),
    )


def need_evidence(method: Method, given: object) -> None:
    """Refuse evidence of another kind than a method computes from."""
    kind, needs, name = evidence_of(given), method.spec.needs, method.spec.name
    if needs is kind:
        return
    if needs in (Evidence.NESTED, Evidence.PAIRED):
        cure = f"Use earnest.assess(estimator, X, y, method={name!r}) to train it."
    elif kind is Evidence.OUT_OF_SAMPLE:
        cure = "Make them with earnest.bootstrap_train(estimator, X, y), or use method='bbc'."
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
    own = getattr(method, "check", None)
    if own is not None:
        own(target, design, metric)
    spec = method.spec
    if not takes_metric(spec.metrics, metric, target):
        raise MetricError(
            f"method {spec.name!r} does not support {metric.name!r}",
            needs=str(spec.metrics),
            got=f"{metric.name!r} on a {target.task} task",
            cure="Use method='bbc', which works for any metric."
            if spec.needs is Evidence.OUT_OF_SAMPLE
            else "`earnest methods` lists the metrics that each method supports.",
        )
    if isinstance(design, DrawUnit):
        return
    pi = design if isinstance(design, Predictions) else design.predictions
    folds = sum(len(names) for names in pi.fold_names)
    if folds < spec.min_folds or pi.n_repeats < spec.min_repeats:
        raise EvidenceError(
            f"method {spec.name!r} needs more splits",
            needs=f"at least {spec.min_folds} folds and {spec.min_repeats} repeats",
            got=f"{folds} folds, {pi.n_repeats} repeats",
            cure="Pass `fold` with one column per repeat.",
        )


def takes_metric(family: Family, metric: Metric, target: Target) -> bool:
    """Tell whether a metric is of the family that a method takes, on this task.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.results.specs import Family
    >>> from earnest.methods.base import takes_metric
    >>> target = en.Predictions.from_arrays([0, 1], [0.1, 0.9]).target
    >>> takes_metric(Family.AUC, en.metric("roc_auc"), target)
    True
    >>> takes_metric(Family.AUC, en.metric("accuracy"), target)
    False
    """
    if family is Family.WITH_LAW:
        return law_of(metric, target) is not None
    pairs = has_pairs(metric, target)
    return {
        Family.ANY: True,
        Family.POINTWISE: metric.pointwise,
        Family.RANK: isinstance(metric, RankMetric),
        Family.AUC: is_auc(metric, target),
        Family.MEANS_AND_AUC: metric.pointwise or is_auc(metric, target),
        Family.CASEWISE: metric.has_terms,
        Family.PAIRS: pairs,
        Family.SUMS_AND_PAIRS: metric.has_terms or pairs,
        Family.SUMS: has_cases(metric),
    }[family]


def ensemble_of(given: str | Selector | EnsembleRule | None) -> EnsembleRule | None:
    """Return the ensemble rule of a name, or as it is; None where one configuration is chosen."""
    if isinstance(given, EnsembleRule):
        return given
    return read_rule(given) if isinstance(given, str) else None


def selector_of(given: str | Selector | EnsembleRule | None, default: Selector) -> Selector:
    """Return the selector of a name, as it is, or by default; refuse one that makes an ensemble."""
    if given is None:
        return default
    rule = ensemble_of(given)
    if rule is not None:
        raise InputError(
            "this method cannot choose an ensemble",
            needs="a selector that names one configuration: " + ", ".join(SELECTORS),
            got=rule.name,
            cure="Use method='bbc', which scores what is chosen in every resample.",
        )
    if isinstance(given, str) or not hasattr(given, "by_fold"):
        return SELECTORS[str(given)]  # refuses what is not a rule
    assert not isinstance(given, EnsembleRule)  # refused above
    return given


def need_folds(
    method: Method,
    pi: Predictions,
    *,
    least: int | None = None,
    cure: str = "Pass `fold`, or use method='bbc'.",
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


def make_estimate(
    method: Method,
    call: Call,
    *,
    value: float,
    winner: int | None,
    naive: float | None,
    source: LimitSource | None = None,
    cautions: Iterable[Caution] = (),
    details: object = None,
    estimand: str | None = None,
    used: Mapping[str, object] | None = None,
    errors: ScoreErrors | None = None,
    ensemble: Mapping[str, float] | None = None,
) -> Estimate:
    """Put an estimate together; interval and standard error are read from the source of limits.

    `used` are the knobs as they were resolved, where a default depends on the data. `errors` are
    those of the value itself, where the spread of the draws is not its error. `winner` is None
    where an `ensemble` of several was chosen.
    """
    scale = call.metric.scale
    draws = draws_of(source)
    valid = None if draws is None else draws[~np.isnan(draws)]
    return Estimate(
        value=scale.clip(value),
        interval=None if source is None else make_interval(source, call.ask, scale),
        standard_error=standard_error(source, valid) if errors is None else errors.value,
        optimism_error=None if errors is None else errors.optimism,
        gain_error=None if errors is None else errors.gain,
        scale=scale,
        method=method.spec.name,
        estimand=_name_estimand(call.pi, method.spec.estimand if estimand is None else estimand),
        naive=naive,
        winner=None if winner is None else call.pi.configs.ids[winner],
        ensemble=ensemble,
        n_cases=call.pi.n_counted,
        n_configs=call.pi.n_configs,
        n_resamples=None if draws is None else len(draws),
        n_valid=None if valid is None else len(valid),
        cautions=tuple(cautions),
        provenance=Provenance(
            seed=call.seeds.entropy,
            fingerprint=(call.design or call.given).fingerprint,
            n_folds=call.pi.n_folds,
            n_repeats=call.pi.n_repeats,
            knobs={**knobs(method), **{k: plain(v) for k, v in (used or {}).items()}},
            versions=versions(),
        ),
        source=source,
        details=details,
    )


def _name_estimand(pi: Predictions, estimand: str) -> str:
    """Return what is estimated; for scores of items nothing was trained."""
    if pi.target.task is not Task.SCORES or pi.n_folds > 1:
        return str(estimand)
    if pi.n_configs == 1:
        estimand = Estimand.FIXED_MODEL
    return str(ON_ITEMS.get(estimand, estimand))


def standard_error(source: LimitSource | None, valid: NDArray[np.float64] | None) -> float | None:
    """Return the standard error of a source of limits, or of the draws, where there is one."""
    known: float | None = getattr(source, "standard_error", None)
    if known is not None or (isinstance(source, WidenedLimits) and source.end is None):
        return known  # the draws have no spread
    error = float(np.std(valid, ddof=1)) if valid is not None and len(valid) > 1 else None
    return None if isinstance(source, WidenedLimits) and error == 0.0 else error
