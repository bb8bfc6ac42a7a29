"""From `scoring` to scorers, and to the metric that the estimate is computed by."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError, UnknownNameError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.target import Target, Task, plain_labels
from earnest.core.data.target_reading import read_target
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import METRICS, Metric, MetricLike
from earnest.training.fit.cell import SINGLE
from earnest.training.fit.response import plan_response
from earnest.training.protocols import Estimator, Scorer

_DEFAULTS = {
    Task.BINARY: "accuracy",
    Task.MULTICLASS: "accuracy",
    Task.REGRESSION: "r2",
    Task.SURVIVAL: "concordance",
}


@dataclass(frozen=True, eq=False)
class Scoring:
    """How candidates are scored.

    Parameters
    ----------
    call : callable
        `call(model, X, y, **params)` to a number or a dict of numbers.
    shown : callable or dict
        What `scorer_` holds.
    names : tuple of str, optional
        The names of the scores; None where only a call tells.
    """

    call: Scorer
    shown: Scorer | dict[str, Scorer]
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class MetricScorer:
    """A metric of this package as a scorer of scikit-learn's form, greater being better.

    For names that scikit-learn does not know, such as 'concordance'.
    """

    metric: Metric

    def __call__(self, model: Estimator, X: object, y: object) -> float:
        """Return the metric of a fitted model, with the sign of a gain."""
        target = _read_target(model, np.asarray(y))
        if target is None:
            return np.nan
        measure = self.metric.on(target.task)
        plan = plan_response(measure, target, [model])
        responses = plan.read(model, X)
        pi = Predictions(
            target=target,
            configs=Configs.of(None, 1),
            responses=responses.reshape((target.n, 1, 1, *responses.shape[1:])),
            folds=np.zeros((target.n, 1), dtype=np.int32),
            fold_names=(("0",),),
            kind=plan.kind,
        )
        value = score_table(pi, measure, Weights.ones(target.n))[0, 0]
        return float(measure.sign * value)

    def _accept_sample_weight(self) -> bool:
        """Tell scikit-learn, which asks each of several scorers, that it takes no weights."""
        return False


def _read_target(model: Estimator, y: NDArray[np.generic]) -> Target | None:
    """Return the outcome of a fitted model's cases, None where there is one class in all.

    The classes are those that the model knows, and what else it is shown: a fold may have one.
    """
    from sklearn.base import is_regressor

    known = getattr(model, "classes_", None)
    plain = y.dtype.names is None
    if known is None or not plain:
        task = Task.REGRESSION if is_regressor(model) and plain else None
        return read_target(
            y,
            np.zeros((len(y), 1)),
            task=task,
            positive=None,
            classes=None,
            groups=None,
            strata=None,
            ordered=False,
            ids=None,
        )[0]
    y = y.reshape(len(y))
    classes = np.union1d(np.asarray(known), y)
    if len(classes) < 2:
        return None
    return Target(
        y=np.searchsorted(classes, y).astype(np.int64),
        task=Task.BINARY if len(classes) == 2 else Task.MULTICLASS,
        classes=plain_labels(classes),
    )


def read_scoring(estimator: Estimator, scoring: object, *, refit: object, raises: bool) -> Scoring:
    """Return the scorers of what a user may pass as `scoring`.

    Parameters
    ----------
    estimator : estimator
        Whose `score` is used where `scoring` is None.
    scoring : None, str, callable, Metric, list, tuple, set or dict
        As in scikit-learn; names of this package's metrics are taken too.
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
    one = check_scoring(estimator, scoring) if scoring is None else _read_one(estimator, scoring)
    plain = callable(scoring) and not isinstance(scoring, Metric)
    return Scoring(one, one, None if plain else (SINGLE,))


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
    given = scoring if isinstance(scoring, dict) else {str(name): name for name in names}
    return {name: _read_one(estimator, one) for name, one in given.items()}


def _read_one(estimator: Estimator, scoring: object) -> Scorer:
    from sklearn.metrics import check_scoring, get_scorer_names

    if isinstance(scoring, Metric):
        return MetricScorer(scoring)
    if not isinstance(scoring, str) or scoring in get_scorer_names():
        return check_scoring(estimator, scoring)
    if scoring not in METRICS and "(" not in scoring:
        known = [*METRICS, *get_scorer_names()]
        raise UnknownNameError(
            f"scoring {check.show(scoring)} is unknown",
            needs="the name of a scikit-learn scorer or of an earnest metric",
            cure=check.nearest(scoring, known),
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


@dataclass(frozen=True)
class EstimateMetric:
    """What the estimate is computed by, or why there is none.

    Parameters
    ----------
    metric : Metric, optional
        The metric, on its task.
    refusal : str
        Why there is none.
    chooses : bool
        Whether the winner was chosen by the same metric.
    """

    metric: Metric | None
    refusal: str = ""
    chooses: bool = True


def choose_measure(
    metric: MetricLike | None,
    scoring: object,
    shown: Scorer | dict[str, Scorer],
    refit: object,
    *,
    task: Task | None,
    usual: bool,
) -> EstimateMetric:
    """Return the metric of the estimate.

    Parameters
    ----------
    metric : str, Metric, callable or None
        The user's own choice.
    scoring, shown : object
        What candidates are scored by, as given and as resolved.
    refit : bool, str or callable
        Which of several scores chooses.
    task : Task, optional
        The task, None where it cannot be told.
    usual : bool
        Whether the estimator's own `score` is accuracy, R² or concordance.
    """
    chosen = _find_chooser(scoring, shown, refit)
    own = _read_metric(chosen, task, usual)
    if metric is not None:
        asked = resolve_metric(_drop_positive(metric))
        return EstimateMetric(
            asked, chooses=own.metric is not None and own.metric.name == asked.name
        )
    return own


def _find_chooser(scoring: object, shown: object, refit: object) -> object:
    """Return the scorer that chooses; with several and no name, the first."""
    if not isinstance(shown, dict):
        return scoring
    name = refit if isinstance(refit, str) else next(iter(shown))
    return scoring[name] if isinstance(scoring, dict) else name


def find_positive(metric: object, scoring: object, shown: object, refit: object) -> object:
    """Return the positive class that the metric of the estimate names, None where it names none.

    That of the user's own metric, else that of the scorer that chooses; other scorers have no say.
    """
    chosen = _find_chooser(scoring, shown, refit) if metric is None else metric
    return getattr(chosen, "_kwargs", {}).get("pos_label")


def _read_metric(chosen: object, task: Task | None, usual: bool) -> EstimateMetric:
    if chosen is None:
        if task is None:
            return EstimateMetric(None, "the task of the estimator is unknown", chooses=False)
        return EstimateMetric(resolve_metric(_DEFAULTS[task]), chooses=usual)
    if callable(chosen) and not isinstance(chosen, Metric) and not hasattr(chosen, "_score_func"):
        if isinstance(chosen, MetricScorer):
            return EstimateMetric(chosen.metric)
        name = getattr(chosen, "__name__", type(chosen).__name__)
        reason = f"scorer {name!r} is a function of models, not of predictions"
        return EstimateMetric(None, reason, chooses=False)
    return EstimateMetric(resolve_metric(_drop_positive(cast(MetricLike, chosen))))


def _drop_positive(scorer: MetricLike) -> MetricLike:
    """Return a scorer that takes the positive class for granted: Π holds it as such."""
    knobs: dict[str, object] = getattr(scorer, "_kwargs", {})
    if "pos_label" not in knobs:
        return scorer
    made = copy(scorer)
    vars(made)["_kwargs"] = {name: value for name, value in knobs.items() if name != "pos_label"}
    return made
