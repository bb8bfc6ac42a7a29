"""An experiment: the data, what is trained on them, and the one worker that trains a cell."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Number
from time import perf_counter
from traceback import format_exc

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.protocols import EngineTask, Key, TaskOutcome
from earnest.core.base.rng import Purpose, Seeds
from earnest.training.fit.response import (
    ResponsePlan,
    count_rows,
    cut_params,
    cut_parts,
    refuse_other_length,
    take_rows,
)
from earnest.training.fit.samples import Samples, find_inner_splits, keep_copies_together
from earnest.training.fit.splits import Splits
from earnest.training.fit.stages import Stage, StagedModel, Stages, join_stages
from earnest.training.protocols import Estimator, FitObserver, FitTask, Params, Scorer

WHOLE = "estimator"  # the name under which `params` show a whole estimator
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Configuration:
    """One configuration: parameters of the experiment's estimator, or a whole estimator.

    Parameters
    ----------
    params : dict
        What `cv_results_["params"]` shows.
    estimator : estimator, optional
        An estimator that replaces the experiment's; `params` then only describe it.
    rounds : int, optional
        After how many rounds of boosting it ends, where it is a stage of a longer fit.
    fit : int, optional
        Which fit it is a stage of; stages of one fit are neighbours, the longest last.
    """

    params: dict[str, object]
    estimator: Estimator | None = None
    rounds: int | None = None
    fit: int | None = None

    def make_from(self, base: Estimator, more: Mapping[str, object] | None = None) -> Estimator:
        """Return a new, unfitted estimator with this configuration, and with `more` set on it."""
        from sklearn.base import clone

        if self.estimator is not None:
            return clone(self.estimator).set_params(**(more or {}))
        # Parameters may be estimators themselves, which a fit would change.
        return clone(base).set_params(**clone(self.params, safe=False), **(more or {}))

    @property
    def plain(self) -> bool:
        """Whether it only changes values: no part of the estimator, and no seed."""
        return self.estimator is None and not any(
            hasattr(value, "get_params") or name.endswith("random_state")
            for name, value in self.params.items()
        )


LEARNER = Configuration({})  # the experiment's estimator as it is


@dataclass(frozen=True, slots=True)
class Cell:
    """What one task trains, on which rows, and what seeds it.

    Parameters
    ----------
    place : int
        The number of a split or of a bootstrap sample; ignored if models are trained on all cases.
    stream : tuple of int
        The stream of seeds for parts of the model that have none of their own. It depends only on
        the key of the task, never on what else is trained.
    configuration : Configuration
        The configuration; the learner itself by default.
    stages : tuple of (int, int)
        The position and the rounds of each configuration that this fit is kept as; none where it
        is kept as itself.
    """

    place: int
    stream: tuple[int, ...]
    configuration: Configuration = LEARNER
    stages: Stages = ()


def make_cells(
    configs: Sequence[int],
    chosen: Sequence[int],
    configurations: Sequence[Configuration],
    splits: Splits,
) -> list[EngineTask]:
    """Return the tasks of some configurations on some splits, one fit after another.

    As in scikit-learn, neighbouring tasks cost about the same. All configurations share the seeds
    of a split, so that they differ only in their parameters. Stages of one fit are one task, which
    trains the longest of them.
    """
    fits: dict[object, list[int]] = {}
    for config in configs:
        fit = configurations[config].fit
        fits.setdefault(("alone", config) if fit is None else fit, []).append(config)
    tasks = []
    for members in fits.values():
        longest = members[-1]
        stages = tuple(
            (config, rounds)
            for config in members
            if (rounds := configurations[config].rounds) is not None
        )
        for split in chosen:
            where = splits.repeat[split], splits.fold[split]
            cell = Cell(split, where, configurations[longest], stages)
            tasks.append(EngineTask((longest, *where), cell))
    return tasks


@dataclass(frozen=True, eq=False)
class Parts:
    """The training and test data of one cell, and their row numbers."""

    X_train: object
    y_train: object
    X_test: object
    y_test: object
    train: Rows | None = None
    test: Rows | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """What all cells of a run share.

    Parameters
    ----------
    X, y : array-like
        The data; y may be None.
    base : estimator
        The unfitted learner, which configurations are made from.
    rows : Splits or Samples, optional
        The rows that a cell trains on and those that it predicts. The model of a bootstrap sample
        predicts every case. None trains on all cases and predicts `X_new`.
    X_new : array-like, optional
        Other cases to predict, instead of those that `rows` says.
    plan : ResponsePlan, optional
        Which predictions of a model are kept; None keeps nothing.
    scorer : callable, optional
        `scorer(model, X, y, **params)` to a number, or to a dict of numbers; None scores nothing.
    fit_params, score_params : mapping
        Further arguments of `fit` and of the scorer.
    return_train_score : bool
        Whether models are also scored on their training rows.
    seed : int, optional
        The seed of parts of an estimator without a `random_state`; None leaves them unseeded.
    config : mapping
        scikit-learn's settings, such as metadata routing, which worker processes do not inherit.
    callbacks : FitObserver, optional
        Notified when a fit begins and ends.
    """

    X: object
    y: object
    base: Estimator
    rows: Splits | Samples | None = None
    X_new: object = None
    plan: ResponsePlan | None = None
    scorer: Scorer | None = None
    fit_params: Params = field(default_factory=dict)
    score_params: Params = field(default_factory=dict)
    return_train_score: bool = False
    seed: int | None = None
    config: Mapping[str, object] = field(default_factory=dict)
    callbacks: FitObserver | None = None

    @property
    def n_cases(self) -> int:
        """The number of rows."""
        return count_rows(self.X)

    def make_model(self, configuration: Configuration, stream: tuple[int, ...]) -> Estimator:
        """Return the unfitted model of a configuration, with seeds for its unseeded parts.

        A seed depends on the stream and on the name of the part, not on the configuration.
        """
        if self.seed is None:
            return configuration.make_from(self.base)
        if configuration.plain:
            if stream not in self._base_seeds:
                self._base_seeds[stream] = self._draw_seeds(find_unseeded(self.base), stream)
            return configuration.make_from(self.base, self._base_seeds[stream])
        model = configuration.make_from(self.base)
        return model.set_params(**self._draw_seeds(find_unseeded(model), stream))

    def prepare(self, cell: Cell) -> tuple[Estimator, Parts]:
        """Return the unfitted model of a cell, and its data."""
        model = self.make_model(cell.configuration, cell.stream)
        if self.rows is None:
            return model, Parts(self.X, self.y, self.X_new, None)
        train, test = self.rows.find_rows(cell.place)
        if isinstance(self.rows, Samples) and self._splits_inside:
            seed = self._draw_seeds(("cv",), cell.stream)["cv"]
            groups = self.rows.target.groups
            model = keep_copies_together(model, train, take_rows(self.y, train), groups, seed)
        cut = Parts(*cut_parts(model, self.X, self.y, train, test), train, test)
        if self.X_new is None:
            return model, cut
        return model, replace(cut, X_test=self.X_new, y_test=None)

    @cached_property
    def _base_seeds(self) -> dict[tuple[int, ...], dict[str, int]]:
        """The seeds of each stream, shared by all configurations that only change values."""
        return {}

    @cached_property
    def _splits_inside(self) -> bool:
        """Whether the learner splits its own training rows, so that copies matter."""
        return bool(find_inner_splits(self.base)[0])

    def _draw_seeds(self, names: tuple[str, ...], stream: tuple[int, ...]) -> dict[str, int]:
        seeds = Seeds(self.seed or 0)
        drawn = {}
        for name in names:
            word = zlib.crc32(name.encode())
            draw = seeds.generator(Purpose.TRAINING, *stream, word)
            drawn[name] = int(draw.integers(0, 2**31 - 1))
        return drawn


def find_unseeded(model: Estimator) -> tuple[str, ...]:
    """Return the names of all `random_state` parameters of an estimator that are None."""
    return tuple(
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    )


RESPONSE = "response"  # the name of a cell's predictions


def name_response(plan: ResponsePlan) -> str:
    """Return the name of a cell's predictions of another kind."""
    return f"{RESPONSE}_{plan.kind}"


UNPREDICTED = "fitted, but without usable predictions"  # the note of such a cell
SINGLE = "score"  # the name of the only score, as in scikit-learn's tables


def fit_cell(experiment: Experiment, task: EngineTask, *, raises: bool = False) -> TaskOutcome:
    """Train the model of a cell, and return its predictions, scores and times.

    A failure becomes the outcome; with `raises` it is raised instead, as it came.
    """
    from sklearn import config_context, get_config

    if experiment.config and get_config() != experiment.config:
        with config_context(**experiment.config):
            return fit_cell(experiment, task, raises=raises)
    if experiment.callbacks is None:
        return _fit_and_score(experiment, task, None, raises)
    evaluation = experiment.callbacks.evaluation(task.key[0], task.payload.place)
    try:
        return _fit_and_score(experiment, task, evaluation, raises)
    finally:
        evaluation.end()


def _fit_and_score(
    experiment: Experiment, task: EngineTask, evaluation: FitTask | None, raises: bool
) -> TaskOutcome:
    start = perf_counter()
    try:
        model, data = experiment.prepare(task.payload)
        params = cut_params(experiment.fit_params, experiment.n_cases, data.train)
        with (
            evaluation.fitting(model, data.X_train, data.y_train, params)
            if evaluation
            else nullcontext()
        ):
            fit_model(model, data.X_train, data.y_train, params)
    except Exception:
        if raises:
            raise
        times = {"fit_time": perf_counter() - start, "score_time": 0.0}
        return TaskOutcome(task.key, numbers=times, error=format_exc())
    fit_time, stages = perf_counter() - start, task.payload.stages
    if not stages:
        outcome = _predict_and_score(experiment, task.key, model, data, raises)
        return replace(outcome, numbers={"fit_time": fit_time, **outcome.numbers})
    staged = StagedModel(model, [rounds for _, rounds in stages])
    outcomes = [
        _predict_and_score(experiment, (config, *task.key[1:]), stage, data, raises)
        for (config, _), stage in zip(stages, staged.stages(), strict=True)
    ]
    outcome = join_stages(task.key, outcomes)
    return replace(outcome, numbers={"fit_time": fit_time, **outcome.numbers})


def _predict_and_score(
    experiment: Experiment, key: Key, model: Estimator | Stage, data: Parts, raises: bool
) -> TaskOutcome:
    """Return the predictions and scores of a fitted model, and the time that they took."""
    start = perf_counter()
    responses, unpredicted = dict[str, NDArray[np.float64]](), None
    try:
        try:
            if experiment.plan is not None:
                responses = _remember_all(experiment.plan, model, data.X_test)
        except Exception:  # a scorer may still work
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
    return TaskOutcome(
        key,
        arrays=responses,
        numbers={"score_time": scored - start, **scores},
        error=unpredicted,
        note=UNPREDICTED if unpredicted else "\n".join(problems) or None,
    )


def fit_model(model: Estimator, X: object, y: object, params: Params) -> object:
    """Fit a model, with an outcome or without."""
    return model.fit(X, **params) if y is None else model.fit(X, y, **params)


def _score(
    experiment: Experiment,
    model: Estimator | Stage,
    X: object,
    y: object,
    rows: NDArray[np.intp] | None,
    side: str,
    raises: bool,
) -> tuple[dict[str, float], list[str]]:
    """Return the scores by name, and the tracebacks of scorers that failed."""
    if experiment.scorer is None:
        return {}, []
    params = cut_params(experiment.score_params, experiment.n_cases, rows)
    arguments = (model, X) if y is None else (model, X, y)
    try:
        answer = experiment.scorer(*arguments, **params)
    except Exception:
        if raises:
            raise
        return {}, [format_exc()]
    named = answer if isinstance(answer, dict) else {SINGLE: answer}
    several = hasattr(experiment.scorer, "_scorers")  # where a text is the traceback of one of them
    failed = {name: text for name, text in named.items() if several and isinstance(text, str)}
    numbers = {k: _read_number(v, k) for k, v in named.items() if k not in failed}
    return {f"{side}_{name}": value for name, value in numbers.items()}, list(failed.values())


def _read_number(value: object, name: str) -> float:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if not isinstance(value, Number | np.number | np.bool_) or isinstance(value, complex):
        raise InputError(
            f"scorer {name!r} does not return a number",
            needs="a number",
            got=f"{type(value).__name__}",
        )
    return float(value)  # type: ignore[arg-type]  # a Number does not say that it has one


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
        return self.answer.copy()  # the caller may write into it


def _remember_all(
    plan: ResponsePlan, model: Estimator | Stage, X: object
) -> dict[str, NDArray[np.float64]]:
    """Read all responses of a model by name, without those that the first one tells."""
    first = _remember(plan, model, X)
    answers = {name_response(other): _remember(other, model, X) for other in plan.others}
    by_response = {name_response(other): plan.tell(other, first) for other in plan.others}
    others = {name: a for name, a in answers.items() if not np.array_equal(a, by_response[name])}
    return {RESPONSE: first, **others}


def _remember(plan: ResponsePlan, model: Estimator | Stage, X: object) -> NDArray[np.float64]:
    """Read a model's response, and let its scorers reuse it instead of predicting again.

    The answer shadows the method of this one fitted model until `_forget`.
    """
    name = plan.find_method(model)
    method = getattr(model, name)
    answer = method(X)
    if hasattr(model, "__dict__") and isinstance(answer, np.ndarray):
        vars(model)[name] = _MemoizedMethod(method, X, answer)
    refuse_other_length(answer, count_rows(X), name)
    return plan.complete(plan.encode(answer, name, model), model, X)


def _forget(model: Estimator | Stage) -> None:
    attributes = getattr(model, "__dict__", {})
    for name in [name for name, value in attributes.items() if isinstance(value, _MemoizedMethod)]:
        del attributes[name]
