"""The rows a model is given, and how its answers become responses in Π.

scikit-learn has no public function that takes rows of arrays, tables, sparse matrices, lists and
precomputed kernels. Its own searches, and those of others, use the two private helpers imported
here, which have not changed since before version 1.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import LARGEST_OUTCOME, ROUNDING
from earnest.core.base.errors import InputError, MetricError
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Target, Task
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric, Need
from earnest.metrics.responding import decide, find_usual_cut
from earnest.training.fit.curves import OURS, THEIRS, ask_survival
from earnest.training.protocols import Classifier, Estimator, Params

if TYPE_CHECKING:
    from earnest.training.fit.splits import Splits


def cut_parts(
    model: Estimator, X: object, y: object, train: NDArray[np.intp], test: NDArray[np.intp] | None
) -> tuple[object, object, object, object]:
    """Return X and y of the training rows, and X and y of the test rows, None for every row."""
    from sklearn.utils import get_tags
    from sklearn.utils.metaestimators import _safe_split

    if get_tags(model).input_tags.pairwise:  # a kernel: its columns are cut, too
        rows = np.arange(count_rows(X)) if test is None else test
        return (*_safe_split(model, X, y, train), *_safe_split(model, X, y, rows, train))
    if test is None:
        return take_rows(X, train), take_rows(y, train), X, y
    return take_rows(X, train), take_rows(y, train), take_rows(X, test), take_rows(y, test)


def take_rows(values: object, rows: NDArray[np.intp]) -> object:
    """Return some rows of anything that has rows; of nothing, nothing."""
    from sklearn.utils import _safe_indexing

    if values is None or type(values) is np.ndarray:
        return None if values is None else values[rows]
    return _safe_indexing(values, rows)


def count_rows(values: object) -> int:
    """Return the number of rows of anything that has rows."""
    if hasattr(values, "shape"):
        return int(values.shape[0])
    return len(cast(Sized, values))


def cut_params(params: Params, n: int, rows: NDArray[np.intp] | None = None) -> dict[str, object]:
    """Return further arguments of a fit, cut to some rows where they have one value per row.

    Without rows, lists are only made indexable.
    """
    from sklearn.utils import indexable

    cut = dict(params)
    for name, value in params.items():
        if _has_one_per_row(value, n):
            cut[name] = indexable(value)[0] if rows is None else take_rows(value, rows)
    return cut


def _has_one_per_row(value: object, n: int) -> bool:
    if isinstance(value, str | bytes | Mapping):
        return False
    shape = getattr(value, "shape", None)
    if shape is not None:
        return len(shape) > 0 and shape[0] == n
    return hasattr(value, "__len__") and len(value) == n


_KINDS = {
    "predict_proba": ResponseKind.PROBABILITY,
    "decision_function": ResponseKind.DECISION,
    "predict": ResponseKind.LABEL,
}
METHODS = tuple(_KINDS)


@dataclass(frozen=True, eq=False)
class ResponsePlan:
    """Which method of a model is called, and how its answer becomes a response in Π.

    Parameters
    ----------
    kind : ResponseKind
        What Π will hold.
    methods : tuple of str
        The methods that may be called; the first that a model has is used.
    target : Target
        The outcome.
    others : tuple of ResponsePlan
        Further responses that a score needs, kept where this one does not tell them.
    """

    kind: ResponseKind
    methods: tuple[str, ...]
    target: Target
    others: tuple[ResponsePlan, ...] = ()

    @property
    def width(self) -> int | None:
        """The number of columns of classes, or of the risk and times; None if there is one."""
        if self.kind is ResponseKind.SURVIVAL:
            return 1 + len(self.target.times)
        scores = self.kind in (ResponseKind.PROBABILITY, ResponseKind.DECISION)
        many = self.target.task is Task.MULTICLASS
        return len(self.target.classes) if many and scores else None

    def make_table(self, n_configs: int = 1, n_repeats: int = 1) -> NDArray[np.float64]:
        """Return an empty table of responses, all NaN: (n, C, R) or (n, C, R, K)."""
        width = () if self.width is None else (self.width,)
        return np.full((self.target.n, n_configs, n_repeats, *width), np.nan)

    def make_predictions(
        self,
        responses: NDArray[np.float64],
        configs: Configs,
        splits: Splits | None = None,
        target: Target | None = None,
    ) -> Predictions:
        """Return Π with these responses; without splits, all cases are one fold."""
        return Predictions(
            target=self.target if target is None else target,
            configs=configs,
            responses=responses,
            folds=np.zeros((self.target.n, 1), dtype=np.int32)
            if splits is None
            else splits.fold_codes,
            fold_names=(("0",),) if splits is None else splits.fold_names,
            kind=self.kind,
            training_sizes=None if splits is None else splits.training_sizes,
        )

    def tell(self, other: ResponsePlan, responses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what responses by this plan, whatever their shape, say by another one."""
        if other.kind is not ResponseKind.LABEL:
            return responses
        missing = np.isnan(responses if self.width is None else responses.sum(axis=-1))
        labels = decide(responses, self.target.task, find_usual_cut(self.kind))
        return np.where(missing, np.nan, labels)

    def make_perfect(self) -> NDArray[np.float64]:
        """Return the responses of a perfect model: (n,) or (n, K)."""
        target = self.target
        if self.kind is ResponseKind.SURVIVAL:
            chances = (target.y[:, None] > np.array(target.times)).astype(np.float64)
            return np.column_stack([-target.y, chances])
        if self.width is not None:
            return np.asarray(np.eye(self.width)[target.y])
        outcome = np.asarray(target.y, dtype=np.float64)
        if self.kind is ResponseKind.DECISION:
            return 2.0 * outcome - 1.0
        return -outcome if target.task is Task.SURVIVAL else outcome

    def find_method(self, model: Estimator) -> str:
        """Return the method to call on this model."""
        for name in self.methods:
            if hasattr(model, name):
                return name
        raise InputError(
            f"{type(model).__name__} cannot make the predictions that are stored",
            needs=" or ".join(self.methods),
        )

    def read(self, model: Estimator, X: object) -> NDArray[np.float64]:
        """Call a fitted model, and return its answer as Π holds it."""
        method = self.find_method(model)
        answer = getattr(model, method)(X)
        refuse_other_length(answer, count_rows(X), method)
        return self.complete(self.encode(answer, method, model), model, X)

    def complete(
        self, answer: NDArray[np.float64], model: Estimator, X: object
    ) -> NDArray[np.float64]:
        """Return an encoded answer with survival at times behind it, where Π holds that."""
        if self.kind is not ResponseKind.SURVIVAL:
            return answer
        return np.column_stack([answer, ask_survival(model, X, self.target.times)])

    def encode(self, answer: object, method: str, model: Estimator) -> NDArray[np.float64]:
        """Return an answer as Π holds it: (n,), or (n, K) for many classes."""
        answer = np.asarray(answer)
        _refuse_not_finite(answer, self.target.task)
        if self.kind is ResponseKind.LABEL:
            return self._encode_labels(answer)
        if method == "predict" or not self.target.has_classes:
            return np.asarray(answer, dtype=np.float64).reshape(len(answer))
        return self._encode_scores(answer, method, model)

    def _encode_scores(
        self, answer: NDArray[np.generic], method: str, model: Estimator
    ) -> NDArray[np.float64]:
        columns = [
            self._code[label] for label in np.asarray(cast(Classifier, model).classes_).tolist()
        ]
        if answer.ndim == 1 and columns == [0, 1] and self.width is None:
            return np.array(answer, dtype=np.float64)
        if answer.ndim == 1 or answer.shape[1] == 1 < len(columns):  # one score for two classes
            score = answer.astype(np.float64).reshape(len(answer), 1)
            answer = np.hstack([-score, score])
        if answer.shape[1] != len(columns):
            raise InputError(
                f"{method} does not return one column per class",
                needs=f"{len(columns)}",
                got=f"{answer.shape[1]}",
            )
        scores = np.full((len(answer), len(self.target.classes)), np.nan)
        scores[:, columns] = answer
        if len(columns) < scores.shape[1]:  # a class that the training part does not have
            lowest = answer.min(axis=1, keepdims=True) - 1.0
            absent = np.setdiff1d(np.arange(scores.shape[1]), columns)
            scores[:, absent] = 0.0 if method == "predict_proba" else lowest
        if method == "predict_proba":
            scores = _clip_inside(scores)
        if self.width is not None:
            return scores
        shift = method == "predict_proba" and self.kind is ResponseKind.DECISION
        return np.ascontiguousarray(scores[:, 1]) - (0.5 if shift else 0.0)

    def _encode_labels(self, answer: NDArray[np.generic]) -> NDArray[np.float64]:
        values = answer.reshape(len(answer)).tolist()
        try:
            return np.array([self._code[label] for label in values], dtype=np.float64)
        except KeyError as error:
            raise InputError(
                "a model predicts a label that is not a class",
                needs=check.some(map(repr, self.target.classes)),
                got=str(error),
            ) from error

    @cached_property
    def _code(self) -> dict[object, int]:
        return {label: code for code, label in enumerate(self.target.classes)}


def refuse_other_length(answer: object, n: int, method: str) -> None:
    """Refuse predictions that are not one per case."""
    length = count_rows(answer)
    if length != n:
        raise InputError(
            f"{method} does not return one prediction per case",
            needs=f"{n}",
            got=f"{length}",
        )


def _refuse_not_finite(answer: NDArray[np.generic], task: Task) -> None:
    bad = ~np.isfinite(answer) if answer.dtype.kind == "f" else np.zeros(answer.shape, dtype=bool)
    if bad.any():
        rows = int(bad.reshape(len(bad), -1).any(axis=1).sum())
        raise InputError(
            "predictions are not finite",
            needs="a number for every case",
            got=f"NaN or infinite values for {rows} of {len(bad)} cases",
        )
    if (
        task is Task.REGRESSION
        and np.abs(answer.astype(np.float64)).max(initial=0.0) > LARGEST_OUTCOME
    ):
        raise InputError(
            "predictions are too large to be squared",
            needs=f"sizes up to {LARGEST_OUTCOME:g}",
            got=f"up to {np.abs(answer.astype(np.float64)).max():g}",
        )


def _clip_inside(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities inside [0, 1], where only rounding took them out of it."""
    low, high = probabilities.min(), probabilities.max()
    if low < -ROUNDING or high > 1.0 + ROUNDING:
        raise InputError(
            "predict_proba does not return probabilities",
            needs="values from 0 to 1",
            got=f"values from {low:.6g} to {high:.6g}",
        )
    return np.clip(probabilities, 0.0, 1.0) if low < 0.0 or high > 1.0 else probabilities


def plan_response(
    metric: Metric | None,
    target: Target,
    models: Iterable[Estimator],
    *,
    requested: str | None = None,
    needs: Iterable[Need] = (),
    curves: bool = False,
) -> ResponsePlan:
    """Choose the responses that Π holds: the one that tells most, and others beside it.

    Parameters
    ----------
    metric : Metric or None
        The metric of the estimate; without one the most informative response is chosen.
    target : Target
        The outcome.
    models : iterable
        One unfitted model of each kind of configuration.
    requested : {'predict_proba', 'decision_function', 'predict'}, optional
        The user's own choice, and then the only one.
    needs : iterable of Need
        What further scores need, as far as the models can answer it.
    curves : bool
        Whether survival at times is kept where all models are earnest's own, whatever is asked.
    """
    if requested is not None:
        check.one_of("response", requested, METHODS)
    if not target.has_classes:
        _refuse_scores(requested, target)
        if target.task is Task.SURVIVAL and requested is None:
            wanted = {None if metric is None else metric.needs, *needs}
            if _predict_survival(list(models), Need.SURVIVAL in wanted, curves):
                return ResponsePlan(ResponseKind.SURVIVAL, ("predict",), target)
        kind = ResponseKind.VALUE if target.task is Task.REGRESSION else ResponseKind.RISK
        return ResponsePlan(kind, ("predict",), target)
    every = list(models)
    if requested is not None:
        _check_method(requested, every)
        return ResponsePlan(_KINDS[requested], (requested,), target)
    first = _plan_by_need(None if metric is None else metric.needs, target, every)
    plans = {first.kind: first}
    for need in needs:
        plan = _plan_where_able(need, target, every)
        if plan is not None:
            plans.setdefault(plan.kind, plan)
    best, *others = sorted(plans.values(), key=lambda plan: list(ResponseKind).index(plan.kind))
    return replace(best, others=tuple(others))


def _predict_survival(models: list[Estimator], needed: bool, curves: bool) -> bool:
    """Tell whether survival at times is asked; refuse models that cannot say it if it is needed."""
    if needed:
        able = [will_have(model, OURS) or will_have(model, THEIRS) for model in models]
        if not any(able):
            lacking = check.some(dict.fromkeys(type(model).__name__ for model in models))
            raise MetricError(
                f"{lacking} does not predict survival at times",
                needs=f"{OURS}(X, times), as CoxRegressor has, or scikit-survival's {THEIRS}",
                cure="Choose a metric of risks, such as 'concordance' or 'uno_c'.",
            )
        return True
    return curves and all(will_have(model, OURS) for model in models)


def _plan_where_able(need: Need, target: Target, models: list[Estimator]) -> ResponsePlan | None:
    """Return the response for a need, None where a model lacks it."""
    try:
        plan = _plan_by_need(need, target, models)
    except MetricError:
        return None
    able = (any(will_have(model, name) for name in plan.methods) for model in models)
    return plan if all(able) else None


def _refuse_scores(kind: str | None, target: Target) -> None:
    if kind not in (None, "predict"):
        raise InputError(
            f"{arg('response')} is for classifiers",
            needs="'predict', or nothing",
            got=f"{kind!r} for a {target.task} task",
            cure="Leave it out.",
        )


def _plan_by_need(need: Need | None, target: Target, models: list[Estimator]) -> ResponsePlan:
    if need is Need.PROBABILITY:
        _check_method("predict_proba", models)
        return ResponsePlan(ResponseKind.PROBABILITY, ("predict_proba",), target)
    if need in (Need.SCORE, None):
        # scikit-learn's own order: its AUC prefers decisions, that of many classes
        # probabilities. So the response is predicted once, and Π agrees with best_score_.
        scores = ("decision_function", "predict_proba")
        ranked = scores if need and target.task is Task.BINARY else scores[::-1]
        for name in ranked:
            if all(will_have(model, name) for model in models):
                return ResponsePlan(_KINDS[name], (name,), target)
        if all(any(will_have(model, name) for name in ranked) for model in models):
            return ResponsePlan(ResponseKind.DECISION, scores, target)
        if need is Need.SCORE and target.task is Task.MULTICLASS:
            _check_method("predict_proba", models)
    _check_method("predict", models)
    return ResponsePlan(ResponseKind.LABEL, ("predict",), target)


def will_have(model: Estimator, method: str) -> bool:
    """Tell whether an unfitted model has a method, or will have it once it is fitted.

    A stack that leaves its final estimator to scikit-learn has its methods only after the fit.

    Examples
    --------
    >>> from sklearn.ensemble import StackingClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from earnest.training.fit.response import will_have
    >>> stack = StackingClassifier([("nb", GaussianNB())])
    >>> hasattr(stack, "predict_proba"), will_have(stack, "predict_proba")
    (False, True)
    """
    if hasattr(model, method):
        return True
    steps, inner = getattr(model, "steps", None), getattr(model, "estimator", None)
    if steps:
        return will_have(steps[-1][1], method)
    if getattr(model, "final_estimator", model) is None:
        return hasattr(type(model), method)
    return inner is not None and hasattr(type(model), method) and will_have(inner, method)


def _check_method(method: str, models: list[Estimator]) -> None:
    """Refuse a method that no configuration has; if only some lack it, only their fits fail."""
    if not any(will_have(model, method) for model in models):
        lacking = [type(model).__name__ for model in models]
        raise MetricError(
            f"{check.some(dict.fromkeys(lacking))} has no {method}",
            needs=f"configurations with {method}",
            cure="Choose a metric for labels or ranks, or an estimator that has it."
            if method == "predict_proba"
            else "",
        )
