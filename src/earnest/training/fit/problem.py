"""What is predicted, by which metric it is judged, and which response is kept for that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import InputError, MetricError
from earnest.core.data.configs import Configs
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import (
    Target,
    Task,
    encode_units,
    plain_labels,
    survival_parts,
    usual_positive,
)
from earnest.core.data.target_reading import infer_task, read_target
from earnest.metrics.families import Metric, MetricLike, Need
from earnest.metrics.responding import check_fits
from earnest.training.fit.response import ResponsePlan, plan_response
from earnest.training.fit.rows import count_rows
from earnest.training.fit.scoring import EstimateMetric, Scoring, choose_measure, find_positive
from earnest.training.protocols import Estimator

_USUAL = ("ClassifierMixin.score", "RegressorMixin.score", "SurvivalAnalysisMixin.score")


@dataclass(frozen=True, eq=False)
class Problem:
    """The outcome, the metric and the response of a search.

    Parameters
    ----------
    measure : Measure
        The metric of the estimate, or why there is none.
    plan : ResponsePlan, optional
        The response that Π holds; None where no Π can be made.
    refusal : str
        Why there is no Π.
    """

    measure: EstimateMetric
    plan: ResponsePlan | None
    refusal: str = ""

    @property
    def metric(self) -> Metric | None:
        """The metric of the estimate on its task, where there is one."""
        found = self.measure.metric
        return found.on(self.plan.target.task) if found is not None and self.plan else None


def make_survival_outcome(y: object) -> object:
    """Return an (event, time) pair as the structured array that survival learners take."""
    if not isinstance(y, tuple):
        return y
    pair = survival_parts(y)
    if pair is None:
        return y
    time, event = pair
    made = np.empty(len(time), dtype=[("event", bool), ("time", np.float64)])
    made["event"], made["time"] = event, time
    return made


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
    ordered: bool = False,
    raises: bool = True,
) -> Problem:
    """Read the outcome and choose metric and response; refuse what does not fit, before any fit.

    Where failures are not raised, a score that cannot be computed is none: the scorers then warn
    and give NaN, and the problem has no metric and says why.

    Parameters
    ----------
    base : estimator
        Which tells the task.
    y : array-like
        The outcome.
    scoring, scorers, refit, metric
        What candidates are scored by, as given and as read, and the user's own metric.
    models : iterable
        One unfitted model of each kind of candidate.
    response : str, optional
        The response that the user asks for.
    groups, ordered
        What else is known of the cases.
    raises : bool
        Whether a score that cannot be computed is refused; what was asked for by `metric` or
        `response` always is.
    """
    task = _find_task(base, y)
    measure = choose_measure(
        metric, scoring, scorers.shown, refit, task=task, usual=_has_usual_score(base)
    )
    if task is None and measure.metric is not None:
        task = _find_task_by_metric(y, measure.metric)
    if task is None:
        return Problem(measure, None, "this kind of outcome is not supported")
    try:
        said = find_positive(metric, scoring, scorers.shown, refit)
        target = _read_target(y, task, said, groups, ordered)
        if metric is not None and task is Task.BINARY:
            chooser = find_positive(None, scoring, scorers.shown, refit)
            if _find_positive(y, chooser) != _find_positive(y, said):  # the metric of another class
                measure = replace(measure, chooses=False)
    except InputError as error:
        return Problem(measure, None, str(error))
    if measure.metric is not None and metric is None and _is_judging_labels(measure.metric, target):
        why = f"metric {measure.metric.name!r} is not defined for a {target.task} task"
        measure = EstimateMetric(None, why, chooses=False)
    every = list(models)
    try:
        return _plan_problem(measure, target, every, response)
    except MetricError as error:
        if raises or metric is not None or response is not None or measure.metric is None:
            raise
        why = ". ".join(part for part in (error.what, error.cure) if part)
        return _make_unmeasured(why, target, every)


def _plan_problem(
    measure: EstimateMetric, target: Target, models: list[Estimator], response: str | None
) -> Problem:
    """Return the problem with the response that the metric is computed from."""
    plan = plan_response(measure.metric, target, models, asked=response)
    problem = Problem(measure, plan)
    if problem.metric is not None:
        check_fits(make_empty_predictions(plan), problem.metric)
    return problem


def _make_unmeasured(why: str, target: Target, models: list[Estimator]) -> Problem:
    """Return the problem without a metric, with predictions if there are any."""
    measure = EstimateMetric(None, why, chooses=False)
    try:
        return _plan_problem(measure, target, models, None)
    except MetricError as error:
        return Problem(measure, None, error.what)


def read_outcome(
    base: Estimator,
    y: object,
    metric: Metric | None,
    *,
    positive: object = None,
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> Target:
    """Return the outcome that a learner is trained for, by what the learner, y and metric are."""
    task = _find_task(base, y)
    if task is None and metric is not None:
        task = _find_task_by_metric(y, metric)
    if task is None:
        raise _refuse_unjudged(base, y)
    _refuse_learner(base, y, task)
    if positive is not None and task is not Task.BINARY:
        raise InputError(
            "`positive` is for binary tasks",
            got=f"positive={check.show(positive)} for a {task} task",
            cure="Leave it out.",
        )
    if positive is None and task is Task.BINARY:
        positive = usual_positive(plain_labels(np.unique(np.asarray(y))))
    target = _read_target(y, task, positive, groups, False)
    return (
        target
        if strata is None
        else replace(target, strata=encode_units(strata, target.n, "stratify"))
    )


def _refuse_unjudged(base: Estimator, y: object) -> InputError:
    """Return why no task can be told, by what y is."""
    values = np.asarray(y)
    columns = values.shape[1] if values.ndim > 1 else 1
    cure = ""
    if columns > 1:
        found, cure = (
            f"{columns} columns of y",
            "Pass one column, with one label or number per case.",
        )
    elif values.dtype.kind == "O":
        kinds = check.some(dict.fromkeys(type(value).__name__ for value in values.tolist()))
        found = f"objects in y ({kinds})"
        cure = "Pass labels of one type: y.astype(str), or bool or int."
    elif values.dtype.kind == "f":
        found, cure = "non-integer numbers in y", "Use a regressor, or pass classes."
    else:
        found = f"y of type {values.dtype}"
    return InputError(
        "this kind of outcome is not supported",
        needs="classes for a classifier, numbers for a regressor, or times with events",
        got=f"{found}, for {type(base).__name__}",
        cure=cure,
    )


def _refuse_learner(base: Estimator, y: object, task: Task) -> None:
    """Refuse a classifier of survival times, and one class."""
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
    """Tell the task of an estimator that does not say what it is."""
    values = None if y is None else np.asarray(y)
    if values is None or values.ndim != 1 or values.dtype.kind not in "iufbU":
        return None
    task = infer_task(values, np.zeros((len(values), 1)))
    return task if task in metric.tasks else None


def _is_judging_labels(metric: Metric, target: Target) -> bool:
    """Tell whether a scorer of values judges class labels, which are numbers by chance."""
    return target.has_classes and metric.needs is Need.VALUE


def _read_target(
    y: object, task: Task, said: object, groups: ArrayLike | None, ordered: bool
) -> Target:
    positive = None
    if task is Task.BINARY:
        positive = _find_positive(y, said)
    target, _ = read_target(
        y,
        np.zeros((count_rows(y), 1)),
        task=task,
        positive=positive,
        classes=None,
        groups=groups,
        strata=None,
        ordered=ordered,
        ids=None,
    )
    return target


def _find_positive(y: object, said: object) -> object:
    """Return the positive class: the one that was named, else the last, as in scikit-learn."""
    last = np.unique(np.asarray(y))[-1]
    if said is not None:
        return said
    return last.item() if isinstance(last, np.generic) else last


def _has_usual_score(base: Estimator) -> bool:
    """Tell whether the estimator's own `score` is accuracy, R² or the concordance index."""
    steps = getattr(base, "steps", None)
    last = steps[-1][1] if steps else base
    return getattr(getattr(type(last), "score", None), "__qualname__", "") in _USUAL


def make_empty_predictions(plan: ResponsePlan) -> Predictions:
    """Return Π of one configuration without content, to check a question by."""
    n = plan.target.n
    return Predictions(
        target=plan.target,
        configs=Configs.of(None, 1),
        responses=np.zeros((n, 1, 1) if plan.width is None else (n, 1, 1, plan.width)),
        folds=np.zeros((n, 1), dtype=np.int32),
        fold_names=(("0",),),
        kind=plan.kind,
    )


def refuse(problem: Problem) -> MetricError | None:
    """Return why there is no estimate, None where there is one."""
    if problem.plan is None:
        return MetricError(
            "there are no predictions to estimate from",
            got=problem.refusal,
            cure="cv_results_ and best_estimator_ are as scikit-learn gives them.",
        )
    if problem.measure.metric is None:
        return MetricError(
            "the search has no metric for an estimate",
            needs="a metric of predictions",
            got=problem.measure.refusal,
            cure="Pass metric='...' to SearchCV, or call earnest.estimate(search.predictions_, "
            "metric=...).",
        )
    return None
