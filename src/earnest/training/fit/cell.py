"""One cell of a search: fit a configuration on a split, predict once, score."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Number
from time import perf_counter
from traceback import format_exc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Outcome, Task
from earnest.core.base.rng import Purpose, Seeds
from earnest.training.fit.response import ResponsePlan, refuse_other_length
from earnest.training.fit.rows import count_rows, params_of, parts
from earnest.training.fit.splits import Splits
from earnest.training.search.callbacks import Callbacks, CallbackTask
from earnest.training.search.candidates import Setting

RESPONSE = "response"  # the name of a cell's predictions
UNPREDICTED = "fitted, but without usable predictions"  # the note of such a cell
SINGLE = "score"  # the name of the only score, as in scikit-learn's tables


@dataclass(frozen=True, eq=False, kw_only=True)
class Training:
    """What all cells of a search share.

    Parameters
    ----------
    X, y : array-like
        The data; y may be None.
    base : estimator
        The unfitted estimator that settings are made from.
    splits : Splits
        The rows of every split.
    scorer : callable
        `scorer(model, X, y, **params)` to a number, or to a dict of numbers.
    plan : ResponsePlan, optional
        What is kept of a model's predictions; None keeps nothing.
    fit_params, score_params : mapping
        What goes to `fit` and to the scorer beside the data.
    return_train_score : bool
        Whether models are also scored on their training rows.
    seed : int, optional
        What parts of an estimator without a `random_state` are seeded from; None leaves them so.
    config : mapping
        scikit-learn's settings, such as metadata routing, which worker processes do not know of.
    callbacks : Callbacks, optional
        Who is told when a fit begins and ends.
    """

    X: Any
    y: Any
    base: Any
    splits: Splits
    scorer: Any
    plan: ResponsePlan | None = None
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    return_train_score: bool = False
    seed: int | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    callbacks: Callbacks | None = None

    def model(self, setting: Setting, where: tuple[int, ...]) -> Any:
        """Return the unfitted model of a setting, with seeds for its unseeded parts.

        A seed depends on the split and on the name of the part, not on the configuration: those
        of one split differ in what was asked to differ.
        """
        if self.seed is None:
            return setting.made_from(self.base)
        if setting.plain and not setting.whole:
            if where not in self._base_seeds:
                self._base_seeds[where] = self._seeds(unseeded(self.base), where)
            return setting.made_from(self.base, self._base_seeds[where])
        model = setting.made_from(self.base)
        return model.set_params(**self._seeds(unseeded(model), where))

    @cached_property
    def _base_seeds(self) -> dict[tuple[int, ...], dict[str, int]]:
        """The seeds of a split, which all settings share that only change values."""
        return {}

    def _seeds(self, names: tuple[str, ...], where: tuple[int, ...]) -> dict[str, int]:
        seeds = Seeds(self.seed or 0)
        made = {}
        for name in names:
            word = zlib.crc32(name.encode())
            draw = seeds.generator(Purpose.TRAINING, *where, word)
            made[name] = int(draw.integers(0, 2**31 - 1))
        return made


def cell(config: int, split: int, setting: Setting, splits: Splits) -> Task:
    """Return the task of one configuration on one split."""
    return Task((config, splits.repeat[split], splits.fold[split]), (setting, split))


def fit_cell(shared: Training, task: Task, *, raises: bool = False) -> Outcome:
    """Fit, predict and score one configuration on one split; a failure becomes its outcome.

    With `raises` it is raised instead, as it came.
    """
    from sklearn import config_context, get_config

    if shared.config and get_config() != shared.config:
        with config_context(**shared.config):
            return fit_cell(shared, task, raises=raises)
    if shared.callbacks is None:
        return _fit_and_score(shared, task, None, raises)
    told = shared.callbacks.evaluation(task.key[0] * len(shared.splits) + task.payload[1])
    try:
        return _fit_and_score(shared, task, told, raises)
    finally:
        told.end()


def _fit_and_score(
    shared: Training, task: Task, told: CallbackTask | None, raises: bool
) -> Outcome:
    setting, split = task.payload
    train, test = shared.splits.train[split], shared.splits.test[split]
    model = shared.model(setting, task.key[1:])
    start = perf_counter()
    try:
        X_train, y_train, X_test, y_test = parts(model, shared.X, shared.y, train, test)
        params = params_of(shared.fit_params, _rows(shared), train)
        with told.fitting(model, X_train, y_train, params) if told else nullcontext():
            fit(model, X_train, y_train, params)
    except Exception:
        if raises:
            raise
        times = {"fit_time": perf_counter() - start, "score_time": 0.0}
        return Outcome(task.key, numbers=times, error=format_exc())
    fitted = perf_counter()
    response, unpredicted = None, None
    try:
        try:
            response = None if shared.plan is None else _remembered(shared.plan, model, X_test)
        except Exception:  # which need not keep a scorer from its own number
            if raises:
                raise
            unpredicted = format_exc()
        scores, problems = _scored(shared, model, X_test, y_test, test, "test", raises)
        scored = perf_counter()
        if shared.return_train_score:
            more, others = _scored(shared, model, X_train, y_train, train, "train", raises)
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


def fit(model: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Any:
    """Fit a model, with an outcome or without."""
    return model.fit(X, **params) if y is None else model.fit(X, y, **params)


def unseeded(model: Any) -> tuple[str, ...]:
    """Return the names of the `random_state` of every part of an estimator that has none."""
    return tuple(
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    )


def _rows(shared: Training) -> int:
    return shared.splits.n_cases


def _scored(
    shared: Training,
    model: Any,
    X: Any,
    y: Any,
    rows: NDArray[np.intp],
    part: str,
    raises: bool,
) -> tuple[dict[str, float], list[str]]:
    """Return the scores by name, and the tracebacks of scorers that failed."""
    params = params_of(shared.score_params, _rows(shared), rows)
    given = (model, X) if y is None else (model, X, y)
    try:
        answer = shared.scorer(*given, **params)
    except Exception:
        if raises:
            raise
        return {}, [format_exc()]
    named = answer if isinstance(answer, dict) else {SINGLE: answer}
    several = hasattr(shared.scorer, "_scorers")  # where a text is the traceback of one of them
    failed = {name: text for name, text in named.items() if several and isinstance(text, str)}
    found = {k: _number(v, k) for k, v in named.items() if k not in failed}
    return {f"{part}_{name}": value for name, value in found.items()}, list(failed.values())


def _number(value: Any, name: str) -> float:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, Number | np.number | np.bool_) or isinstance(value, complex):
        raise InputError(
            f"scorer {name!r} gives no number", needs="a number", got=f"{type(value).__name__}"
        )
    return float(value)  # type: ignore[arg-type]


class _Once:
    """A method of a model that computes once for the same X."""

    def __init__(self, method: Any, X: Any, answer: Any) -> None:
        self.__name__ = method.__name__  # by which scikit-learn's scorers know what they asked
        self.method, self.X, self.answer = method, X, answer

    def __call__(self, X: Any, *args: Any, **more: Any) -> Any:
        if X is not self.X or args or more:
            return self.method(X, *args, **more)
        return self.answer.copy()  # as if computed anew: who asks may write into it


def _remembered(plan: ResponsePlan, model: Any, X: Any) -> NDArray[np.float64]:
    """Read a model's response, and let its scorers find the same answer without predicting again.

    The answer is kept on this one fitted model, in front of its method, until `_forget`.
    """
    name = plan.method_of(model)
    method = getattr(model, name)
    answer = method(X)
    if hasattr(model, "__dict__") and isinstance(answer, np.ndarray):
        vars(model)[name] = _Once(method, X, answer)
    refuse_other_length(answer, count_rows(X), name)
    return plan.encode(answer, name, model)


def _forget(model: Any) -> None:
    own = getattr(model, "__dict__", {})
    for name in [name for name, value in own.items() if isinstance(value, _Once)]:
        del own[name]
