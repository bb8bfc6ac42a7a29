"""The one worker of the package: train the model of a cell, ask it, score it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from numbers import Number
from time import perf_counter
from traceback import format_exc

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Outcome, Task
from earnest.training.fit.experiment import Experiment
from earnest.training.fit.response import ResponsePlan, count_rows, cut_params, refuse_other_length
from earnest.training.protocols import Estimator, FitTask, Params

RESPONSE = "response"  # the name of a cell's predictions
UNPREDICTED = "fitted, but without usable predictions"  # the note of such a cell
SINGLE = "score"  # the name of the only score, as in scikit-learn's tables


def fit_cell(experiment: Experiment, task: Task, *, raises: bool = False) -> Outcome:
    """Train the model of a cell, and return its predictions, scores and times.

    A failure becomes the outcome; with `raises` it is raised instead, as it came.
    """
    from sklearn import config_context, get_config

    if experiment.config and get_config() != experiment.config:
        with config_context(**experiment.config):
            return fit_cell(experiment, task, raises=raises)
    if experiment.callbacks is None:
        return _fit_and_score(experiment, task, None, raises)
    told = experiment.callbacks.evaluation(task.key[0], task.payload.place)
    try:
        return _fit_and_score(experiment, task, told, raises)
    finally:
        told.end()


def _fit_and_score(
    experiment: Experiment, task: Task, told: FitTask | None, raises: bool
) -> Outcome:
    start = perf_counter()
    try:
        model, data = experiment.prepare(task.payload)
        params = cut_params(experiment.fit_params, experiment.n_cases, data.train)
        with told.fitting(model, data.X_train, data.y_train, params) if told else nullcontext():
            fit_model(model, data.X_train, data.y_train, params)
    except Exception:
        if raises:
            raise
        times = {"fit_time": perf_counter() - start, "score_time": 0.0}
        return Outcome(task.key, numbers=times, error=format_exc())
    fitted = perf_counter()
    response, unpredicted = None, None
    try:
        try:
            if experiment.plan is not None:
                response = _remember(experiment.plan, model, data.X_test)
        except Exception:  # which need not keep a scorer from its own number
            if raises:
                raise
            unpredicted = format_exc()
        tested = data.X_test, data.y_test, data.test
        scores, problems = _score(experiment, model, *tested, "test", raises)
        scored = perf_counter()
        if experiment.return_train_score:
            trained = data.X_train, data.y_train, data.train
            more, others = _score(experiment, model, *trained, "train", raises)
            scores, problems = {**scores, **more}, problems + others
    finally:
        _forget(model)
    return Outcome(
        task.key,
        arrays={} if response is None else {RESPONSE: response},
        numbers={"fit_time": fitted - start, "score_time": scored - fitted, **scores},
        error=unpredicted,
        note=UNPREDICTED if unpredicted else "\n".join(problems) or None,
    )


def fit_model(model: Estimator, X: object, y: object, params: Params) -> object:
    """Fit a model, with an outcome or without."""
    return model.fit(X, **params) if y is None else model.fit(X, y, **params)


def _score(
    experiment: Experiment,
    model: Estimator,
    X: object,
    y: object,
    rows: NDArray[np.intp] | None,
    part: str,
    raises: bool,
) -> tuple[dict[str, float], list[str]]:
    """Return the scores by name, and the tracebacks of scorers that failed."""
    if experiment.scorer is None:
        return {}, []
    params = cut_params(experiment.score_params, experiment.n_cases, rows)
    given = (model, X) if y is None else (model, X, y)
    try:
        answer = experiment.scorer(*given, **params)
    except Exception:
        if raises:
            raise
        return {}, [format_exc()]
    named = answer if isinstance(answer, dict) else {SINGLE: answer}
    several = hasattr(experiment.scorer, "_scorers")  # where a text is the traceback of one of them
    failed = {name: text for name, text in named.items() if several and isinstance(text, str)}
    found = {k: _read_number(v, k) for k, v in named.items() if k not in failed}
    return {f"{part}_{name}": value for name, value in found.items()}, list(failed.values())


def _read_number(value: object, name: str) -> float:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, Number | np.number | np.bool_) or isinstance(value, complex):
        raise InputError(
            f"scorer {name!r} does not return a number",
            needs="a number",
            got=f"{type(value).__name__}",
        )
    return float(value)  # type: ignore[arg-type]


class _MemoizedMethod:
    """A method of a model that computes once for the same X."""

    def __init__(
        self, method: Callable[..., object], X: object, answer: NDArray[np.generic]
    ) -> None:
        self.__name__ = method.__name__  # by which scikit-learn's scorers know what they asked
        self.method, self.X, self.answer = method, X, answer

    def __call__(self, X: object, *args: object, **more: object) -> object:
        if X is not self.X or args or more:
            return self.method(X, *args, **more)
        return self.answer.copy()  # as if computed anew: who asks may write into it


def _remember(plan: ResponsePlan, model: Estimator, X: object) -> NDArray[np.float64]:
    """Read a model's response, and let its scorers find the same answer without predicting again.

    The answer is kept on this one fitted model, in front of its method, until `_forget`.
    """
    name = plan.find_method(model)
    method = getattr(model, name)
    answer = method(X)
    if hasattr(model, "__dict__") and isinstance(answer, np.ndarray):
        vars(model)[name] = _MemoizedMethod(method, X, answer)
    refuse_other_length(answer, count_rows(X), name)
    return plan.encode(answer, name, model)


def _forget(model: Estimator) -> None:
    own = getattr(model, "__dict__", {})
    for name in [name for name, value in own.items() if isinstance(value, _MemoizedMethod)]:
        del own[name]
