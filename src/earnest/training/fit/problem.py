"""The outcome, the scorers, the metric of the estimate, and the response that is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError, MetricError, UnknownNameError
from earnest.core.data.case_weights import CaseWeights, Weighting, read_weighting
from earnest.core.data.predictions import Configs
from earnest.core.data.target import (
    Target,
    Task,
    encode_units,
    infer_task,
    plain_labels,
    read_target,
    survival_parts,
    usual_positive,
)
from earnest.core.data.weights import Weights
from earnest.core.text.doors import arg
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import (
    METRICS,
    CallableMetric,
    CurveMetric,
    Metric,
    MetricLike,
    Need,
)
from earnest.metrics.responding import check_fits, need_order
from earnest.training.fit.experiment import SINGLE
from earnest.training.fit.response import ResponsePlan, count_rows, plan_response
from earnest.training.protocols import Estimator, Scorer

_DEFAULTS = {
    Task.BINARY: "accuracy",
    Task.MULTICLASS: "accuracy",
    Task.REGRESSION: "r2",
    Task.SURVIVAL: "concordance",
}


@dataclass(frozen=True, eq=False)
class Scoring:
    """How configurations are scored.

    Parameters
    ----------
    call : callable
        `call(model, X, y, **params)` to a number or a dict of numbers.
    shown : callable or dict
        What `scorer_` holds.
    names : tuple of str, optional
        The names of the scores; None if only a call can tell.
    """

    call: Scorer
    shown: Scorer | dict[str, Scorer]
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class MetricScorer:
    """A metric of this package as a scikit-learn scorer, where greater is better.

    For names that scikit-learn does not have, such as 'concordance'. The times of survival are
    those of all cases, not of a fold.
    """

    metric: Metric
    times: tuple[float, ...] = ()

    def __call__(
        self, model: Estimator, X: object, y: object, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the metric of a fitted model, with the sign of a gain."""
        target = _read_labels(model, np.asarray(y))
        if target is None:
            return np.nan
        if target.task is Task.SURVIVAL:
            target = replace(target, times=self.times or add_times(target, [self.metric]))
        measure = self.metric.on(target.task)
        plan = plan_response(measure, target, [model])
        responses = plan.read(model, X)
        pi = plan.make_predictions(responses[:, None, None], Configs.of(None, 1))
        if sample_weight is not None:
            pi = pi.with_weights(sample_weight)
        value = score_table(pi, measure, Weights.ones(target.n))[0, 0]
        return float(measure.sign * value)

    def _accept_sample_weight(self) -> bool:
        """Tell scikit-learn, which asks each of several scorers, whether it takes weights."""
        return not isinstance(self.metric, CallableMetric) or self.metric.takes_weights


def _read_labels(model: Estimator, y: NDArray[np.generic]) -> Target | None:
    """Return the outcome of a fitted model's cases, or None if there is only one class.

    The classes are those of the model and those in `y`, which a fold may lack.
    """
    from sklearn.base import is_regressor

    model_classes = getattr(model, "classes_", None)
    plain = y.dtype.names is None
    if model_classes is None or not plain:
        task = Task.REGRESSION if is_regressor(model) and plain else None
        return read_target(
            y,
            np.zeros((len(y), 1)),
            task=task,
            positive=None,
            classes=None,
            groups=None,
            strata=None,
            order=None,
            ids=None,
        )[0]
    y = y.reshape(len(y))
    classes = np.union1d(np.asarray(model_classes), y)
    if len(classes) < 2:
        return None
    return Target(
        y=np.searchsorted(classes, y).astype(np.int64),
        task=Task.BINARY if len(classes) == 2 else Task.MULTICLASS,
        classes=plain_labels(classes),
    )


def read_scoring(estimator: Estimator, scoring: object, *, refit: object, raises: bool) -> Scoring:
    """Return the scorers of the argument `scoring`.

    Parameters
    ----------
    estimator : estimator
        Its `score` is used if `scoring` is None.
    scoring : None, str, callable, Metric, list, tuple, set or dict
        As in scikit-learn; names of earnest's metrics are accepted too.
    refit : bool, str or callable
        With several scores, the name of the one that chooses.
    raises : bool
        Whether one of several scorers that fails raises.
    """
    from sklearn.metrics import check_scoring

    if isinstance(scoring, list | tuple | set | dict):
        several = _read_several(estimator, scoring)
        check_refit(refit, tuple(several))
        return Scoring(check_scoring(estimator, several, raise_exc=raises), several, tuple(several))
    scorer = check_scoring(estimator, scoring) if scoring is None else _read_one(estimator, scoring)
    plain = callable(scoring) and not isinstance(scoring, Metric)
    return Scoring(scorer, scorer, None if plain else (SINGLE,))


def _read_several(
    estimator: Estimator, scoring: Collection[object] | dict[str, object]
) -> dict[str, Scorer]:
    names = list(scoring)
    if not names or len(set(names)) < len(names) or not all(isinstance(n, str) for n in names):
        raise InputError(
            "`scoring` lists no scores, or one twice",
            needs="unique names, or a dict of names and scorers",
            got=check.show(scoring),
        )
    scorers = scoring if isinstance(scoring, dict) else {str(name): name for name in names}
    return {name: _read_one(estimator, scorer) for name, scorer in scorers.items()}


def _read_one(estimator: Estimator, scoring: object) -> Scorer:
    from sklearn.metrics import check_scoring, get_scorer_names

    if isinstance(scoring, Metric):
        return MetricScorer(scoring)
    if not isinstance(scoring, str) or scoring in get_scorer_names():
        return check_scoring(estimator, scoring)
    if scoring not in METRICS and "(" not in scoring:
        names = [*METRICS, *get_scorer_names()]
        raise UnknownNameError(
            f"scoring {check.show(scoring)} is unknown",
            needs="the name of a scikit-learn scorer or of an earnest metric",
            cure=check.nearest(scoring, names),
        )
    return MetricScorer(resolve_metric(scoring))


def check_refit(refit: object, names: tuple[str, ...]) -> None:
    """Refuse a `refit` that does not say which of several scores chooses."""
    if refit is False or callable(refit) or (isinstance(refit, str) and refit in names):
        return
    raise InputError(
        "with several scores, `refit` must name the one that chooses",
        needs=", ".join(repr(name) for name in names) + ", a callable, or False",
        got=check.show(refit),
        cure=check.nearest(refit, names) if isinstance(refit, str) else "",
    )


def _find_chooser(scoring: object, shown: object, refit: object) -> object:
    """Return the scorer that chooses; with several and no name, the first."""
    if not isinstance(shown, dict):
        return scoring
    name = refit if isinstance(refit, str) else next(iter(shown))
    return scoring[name] if isinstance(scoring, dict) else name


def find_positive(metric: object, scoring: object, shown: object, refit: object) -> object:
    """Return the positive class that the metric of the estimate names, or None.

    The user's own metric decides, otherwise the scorer that chooses the winner.
    """
    chosen = _find_chooser(scoring, shown, refit) if metric is None else metric
    return getattr(chosen, "_kwargs", {}).get("pos_label")


def _read_metric(chosen: object, task: Task | None) -> tuple[Metric | None, str]:
    """Return the metric that a scorer computes, or why it has none."""
    if chosen is None and task is None:
        return None, "the task of the estimator is unknown"
    if chosen is None and task is not None:
        return resolve_metric(_DEFAULTS[task]), ""
    if isinstance(chosen, MetricScorer):
        return chosen.metric, ""
    if callable(chosen) and not isinstance(chosen, Metric) and not hasattr(chosen, "_score_func"):
        name = getattr(chosen, "__name__", type(chosen).__name__)
        return None, f"scorer {name!r} is a function of models, not of predictions"
    return resolve_metric(_drop_positive(cast(MetricLike, chosen))), ""


def _drop_positive(scorer: MetricLike) -> MetricLike:
    """Return a scorer without `pos_label`: Π already says which class is positive."""
    knobs: dict[str, object] = getattr(scorer, "_kwargs", {})
    if "pos_label" not in knobs:
        return scorer
    without_label = copy(scorer)
    vars(without_label)["_kwargs"] = {
        name: value for name, value in knobs.items() if name != "pos_label"
    }
    return without_label


_USUAL = ("ClassifierMixin.score", "RegressorMixin.score", "SurvivalAnalysisMixin.score")


@dataclass(frozen=True, eq=False)
class Problem:
    """The response and the metric of a search.

    Parameters
    ----------
    plan : ResponsePlan, optional
        The response that Π holds; None if there is no Π.
    metric : Metric, optional
        The metric of the estimate, on its task; None if there is none.
    chooses : bool
        Whether the winner is chosen by the same metric.
    refusal : str
        Why there is no Π, or no metric.
    """

    plan: ResponsePlan | None
    metric: Metric | None = None
    chooses: bool = False
    refusal: str = ""

    def weigh(self, sample_weight: object, weights: Weighting | str) -> Problem:
        """Return the problem of cases that count by their weights, as the scores of a search do.

        A metric that takes no weights leaves it as it is.
        """
        kind = read_weighting(weights)
        deaf = isinstance(self.metric, CallableMetric) and not self.metric.takes_weights
        if sample_weight is None or self.plan is None or deaf:
            return self
        plan = self.plan
        read = CaseWeights.of(cast(ArrayLike, sample_weight), kind, plan.target.n)
        if read.equal and kind is not Weighting.FREQUENCY:
            return self

        def weigh(response: ResponsePlan) -> ResponsePlan:
            others = tuple(map(weigh, response.others))
            target = replace(response.target, weights=read)
            return replace(response, target=target, others=others)

        return replace(self, plan=weigh(plan))


def make_survival_outcome(y: object) -> object:
    """Return an (event, time) pair as the structured array that survival learners expect."""
    if not isinstance(y, tuple):
        return y
    pair = survival_parts(y)
    if pair is None:
        return y
    time, event = pair
    outcome = np.empty(len(time), dtype=[("event", bool), ("time", np.float64)])
    outcome["event"], outcome["time"] = event, time
    return outcome


def read_problem(
    base: Estimator,
    y: object,
    *,
    scoring: object,
    scorers: Scoring,
    refit: object,
    metric: MetricLike | None,
    models: Iterable[Estimator],
    response: str | None = None,
    groups: ArrayLike | None = None,
    order: NDArray[np.int64] | None = None,
    raises: bool = True,
) -> Problem:
    """Read the outcome and choose metric and response; refuse what does not fit, before any fit.

    Parameters
    ----------
    base : estimator
        Determines the task.
    y : array-like
        The outcome.
    scoring, scorers, refit, metric
        What configurations are scored by, as given and as read, and the user's own metric.
    models : iterable
        One unfitted model of each kind of configuration.
    response : str, optional
        The response that the user asks for.
    groups, order
        What else is known about the cases.
    raises : bool
        Whether to raise if the score cannot be computed. Otherwise the scorers warn and return
        NaN, and the problem has no metric. A `metric` or `response` that was asked for always
        raises.
    """
    task = _find_task(base, y)
    scorer = _find_chooser(scoring, scorers.shown, refit)
    chooser, why = _read_metric(scorer, task)
    several = isinstance(scorers.shown, dict) and not isinstance(refit, str)
    if chooser is not None and not several:
        need_order(chooser)
    if metric is None:
        measure, chooses = chooser, scorer is not None or _has_usual_score(base)
    else:
        measure = resolve_metric(_drop_positive(metric))
        chooses = chooser is not None and chooser.name == measure.name
    if task is None and measure is not None:
        task = _find_task_by_metric(y, measure)
    if task is None:
        return Problem(None, refusal="this kind of outcome is not supported")
    try:
        positive = find_positive(metric, scoring, scorers.shown, refit)
        target = _read_target(y, task, positive, groups, order)
        if metric is not None and task is Task.BINARY:
            other = find_positive(None, scoring, scorers.shown, refit)
            chooses = chooses and _find_positive(y, other) == _find_positive(y, positive)
    except InputError as error:
        return Problem(None, refusal=str(error))
    if target.task is Task.SURVIVAL:
        target = replace(target, times=_list_times(target, scoring, scorers.shown, measure))
    if measure is not None and metric is None and _is_judging_labels(measure, target):
        why = f"metric {measure.name!r} is not defined for a {target.task} task"
        measure = None
    every, needs = list(models), _list_needs(scoring, scorers.shown, target.task)
    try:
        return _plan_problem(measure, target, every, response, chooses, why, needs)
    except MetricError as error:
        if raises or metric is not None or response is not None or measure is None:
            raise
        why = ". ".join(sentence for sentence in (error.what, error.cure) if sentence)
    try:
        return _plan_problem(None, target, every, None, False, why, needs)
    except MetricError as error:
        return Problem(None, refusal=error.what)


def _list_needs(scoring: object, shown: object, task: Task) -> list[Need]:
    """Return what the scores of a search need of a response, as far as they are known metrics."""
    scores = [scoring]
    if isinstance(shown, dict):
        scores = list(scoring.values() if isinstance(scoring, dict) else shown)
    needs = []
    for score in scores:
        try:
            metric, _ = _read_metric(score, task)
        except (InputError, MetricError, UnknownNameError):  # a score that only scikit-learn knows
            continue
        if metric is not None and task in metric.tasks:
            needs.append(metric.on(task).needs)
    return needs


def _list_times(
    target: Target, scoring: object, shown: object, measure: Metric | None
) -> tuple[float, ...]:
    """Return the times of a target, and those that its metrics are about."""
    scores = [scoring]
    if isinstance(shown, dict):
        scores = list(scoring.values() if isinstance(scoring, dict) else shown)
    metrics = [measure]
    for score in scores:
        try:
            metrics.append(None if score is None else _read_metric(score, target.task)[0])
        except (InputError, MetricError, UnknownNameError):
            continue
    return add_times(target, metrics)


def add_times(target: Target, metrics: Iterable[Metric | None]) -> tuple[float, ...]:
    """Return the times of a target with those that metrics name."""
    named = {m.at for m in metrics if isinstance(m, CurveMetric) and m.at is not None}
    return tuple(sorted({*target.times, *named}))


def keep_times(scoring: Scoring, target: Target) -> Scoring:
    """Return scorers that know the times of survival of all cases, whatever the fold."""
    if target.task is not Task.SURVIVAL:
        return scoring

    def keep(scorer: object) -> object:
        if isinstance(scorer, MetricScorer):
            return replace(scorer, times=target.times)
        inner = getattr(scorer, "_scorers", None)
        if isinstance(inner, dict):
            whole = copy(scorer)
            vars(whole)["_scorers"] = {name: keep(each) for name, each in inner.items()}
            return whole
        return scorer

    shown = scoring.shown
    names = {name: keep(each) for name, each in shown.items()} if isinstance(shown, dict) else None
    return replace(
        scoring,
        call=cast(Scorer, keep(scoring.call)),
        shown=cast("dict[str, Scorer]", names) if names else cast(Scorer, keep(shown)),
    )


def _plan_problem(
    metric: Metric | None,
    target: Target,
    models: list[Estimator],
    response: str | None,
    chooses: bool,
    why: str,
    needs: Sequence[Need],
) -> Problem:
    """Return the problem with the responses that the metric and the scores are computed from."""
    plan = plan_response(metric, target, models, requested=response, needs=needs, curves=True)
    if metric is None:
        return Problem(plan, refusal=why)
    metric = metric.on(target.task)
    check_fits(plan, metric)
    need_order(metric)
    return Problem(plan, metric, chooses)


def read_learner_outcome(
    base: Estimator,
    y: object,
    metric: Metric | None,
    *,
    positive: object = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> Target:
    """Return the outcome of a learner; its task follows from the learner, y and the metric."""
    task = _find_task(base, y)
    if task is None and metric is not None:
        task = _find_task_by_metric(y, metric)
    if task is None:
        raise _refuse_unjudged(base, y)
    _refuse_learner(base, y, task)
    if positive is not None and task is not Task.BINARY:
        raise InputError(
            f"{arg('positive')} is for binary tasks",
            got=f"positive={check.show(positive)} for a {task} task",
            cure="Leave it out.",
        )
    if positive is None and task is Task.BINARY:
        labels, counts = np.unique(np.asarray(y), return_counts=True)
        positive = usual_positive(plain_labels(labels), counts.tolist())
    target = _read_target(y, task, positive, groups, None)
    if strata is None:
        return target
    return replace(target, strata=encode_units(strata, target.n, "stratify"))


def _refuse_unjudged(base: Estimator, y: object) -> InputError:
    """Return the error for an outcome whose task is unknown."""
    values = np.asarray(y)
    columns = values.shape[1] if values.ndim > 1 else 1
    cure = ""
    if columns > 1:
        reason, cure = (
            f"{columns} columns of y",
            "Pass one column, with one label or number per case.",
        )
    elif values.dtype.kind == "O":
        kinds = check.some(dict.fromkeys(type(value).__name__ for value in values.tolist()))
        reason = f"objects in y ({kinds})"
        cure = "Pass labels of one type: y.astype(str), or bool or int."
    elif values.dtype.kind == "f":
        reason, cure = "non-integer numbers in y", "Use a regressor, or pass classes."
    else:
        reason = f"y of type {values.dtype}"
    return InputError(
        "this kind of outcome is not supported",
        needs="classes for a classifier, numbers for a regressor, or times with events",
        got=f"{reason}, for {type(base).__name__}",
        cure=cure,
    )


def _refuse_learner(base: Estimator, y: object, task: Task) -> None:
    """Refuse a classifier for survival times, and an outcome of one class."""
    from sklearn.base import is_classifier

    if task is Task.SURVIVAL and is_classifier(base):
        raise InputError(
            "a classifier cannot learn censored times",
            needs="a learner of survival times",
            got=type(base).__name__,
        )
    labels = plain_labels(np.unique(np.asarray(y))) if task is Task.BINARY else ()
    if len(labels) == 1:
        raise InputError(
            "`y` has fewer than two classes",
            got=f"only {check.show(labels[0])}",
            cure="Check the outcome: there is nothing to predict.",
        )


def _find_task(base: Estimator, y: object) -> Task | None:
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils.multiclass import type_of_target

    if y is None:
        return None
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        return Task.SURVIVAL
    if is_regressor(base):
        return Task.REGRESSION
    if is_classifier(base):
        try:
            kind = type_of_target(y)
        except ValueError:  # which the fits will report in their own words
            return None
        return {"binary": Task.BINARY, "multiclass": Task.MULTICLASS}.get(kind)
    return None


def _find_task_by_metric(y: object, metric: Metric) -> Task | None:
    """Return the task of an estimator that is neither a classifier nor a regressor."""
    values = None if y is None else np.asarray(y)
    if values is None or values.ndim != 1 or values.dtype.kind not in "iufbU":
        return None
    task = infer_task(values, np.zeros((len(values), 1)))
    return task if task in metric.tasks else None


def _is_judging_labels(metric: Metric, target: Target) -> bool:
    """Tell whether a metric of values is applied to class labels that happen to be numbers."""
    return target.has_classes and metric.needs is Need.VALUE


def _read_target(
    y: object,
    task: Task,
    named_class: object,
    groups: ArrayLike | None,
    order: NDArray[np.int64] | None,
) -> Target:
    positive = None
    if task is Task.BINARY:
        positive = _find_positive(y, named_class)
    target, _ = read_target(
        y,
        np.zeros((count_rows(y), 1)),
        task=task,
        positive=positive,
        classes=None,
        groups=groups,
        strata=None,
        order=order,
        ids=None,
    )
    return target


def _find_positive(y: object, positive: object) -> object:
    """Return the positive class: the one that was named, else the last, as in scikit-learn."""
    last = np.unique(np.asarray(y))[-1]
    if positive is not None:
        return positive
    return last.item() if isinstance(last, np.generic) else last


def _has_usual_score(base: Estimator) -> bool:
    """Tell whether the estimator's own `score` is accuracy, R² or the concordance index."""
    steps = getattr(base, "steps", None)
    last = steps[-1][1] if steps else base
    return getattr(getattr(type(last), "score", None), "__qualname__", "") in _USUAL


def explain_no_estimate(problem: Problem) -> MetricError | None:
    """Return why there is no estimate, or None if there is one."""
    if problem.plan is None:
        return MetricError(
            "there are no predictions to estimate from",
            got=problem.refusal,
            cure="cv_results_ and best_estimator_ are as scikit-learn gives them.",
        )
    if problem.metric is None:
        return MetricError(
            "the search has no metric for an estimate",
            needs="a metric of predictions",
            got=problem.refusal,
            cure=f"Pass {arg('metric', '...')} to SearchCV, or call "
            "earnest.estimate(search.predictions_, "
            "metric=...).",
        )
    return None
