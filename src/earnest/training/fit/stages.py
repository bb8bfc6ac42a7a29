"""The rounds of a booster as configurations: one fit, and what it predicts after some rounds.

A model that adds one tree after another can say what it would predict had it stopped earlier. So
one fit gives a configuration for each number of rounds, without another fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.trials.run_file import SHARED
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Key, Store, TaskOutcome
from earnest.core.data.stages import spread_rounds
from earnest.core.text.doors import arg
from earnest.engine.worker import LIMITED
from earnest.training.protocols import Answer, Estimator

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
STOPS = ("early_stopping_rounds", "early_stopping_round", "od_type", "od_wait", "od_pval")


@dataclass(frozen=True)
class BoosterKind:
    """How a library counts rounds, and how its models predict after fewer.

    Parameters
    ----------
    names : tuple of str
        What the number of rounds is called; the first one is the usual name.
    usual : int
        How many rounds there are where nobody says.
    argument : callable, optional
        Makes, of a number of rounds, the arguments of its `predict`; None where the model has
        `staged_` methods.
    """

    names: tuple[str, ...]
    usual: int = 100
    argument: Callable[[int], dict[str, object]] | None = None


SCIKIT_LEARN = BoosterKind(("max_iter", "n_estimators"))
KINDS = {
    "xgboost": BoosterKind(("n_estimators",), 100, lambda r: {"iteration_range": (0, r)}),
    "lightgbm": BoosterKind(("n_estimators",), 100, lambda r: {"num_iteration": r}),
    "catboost": BoosterKind(
        ("iterations", "n_estimators", "num_boost_round", "num_trees"),
        1000,
        lambda r: {"ntree_end": r},
    ),
}


def find_kind(model: Estimator) -> BoosterKind | None:
    """Return how a model counts rounds, None where it has no stages."""
    library = next(
        (base.__module__.split(".")[0] for base in type(model).__mro__ if _is_booster(base)), None
    )
    if library is not None:
        return KINDS[library]
    return SCIKIT_LEARN if hasattr(type(model), "staged_predict") else None


def _is_booster(base: type) -> bool:
    """Tell whether a class is an estimator of one of the libraries for boosting."""
    return base.__module__.split(".")[0] in KINDS and hasattr(base, "fit")


@dataclass(frozen=True)
class Rounds:
    """The rounds of an unfitted model: the parameter that says how many, and its value."""

    name: str
    count: int

    @classmethod
    def of(cls, model: Estimator) -> Rounds:
        """Return the rounds of a model; refuse one without stages, or whose stages mislead."""
        prefix, booster = _find_booster(model)
        kind = find_kind(booster)
        if kind is None:
            raise InputError(
                f"{type(booster).__name__} has no stages",
                needs="a booster: GradientBoosting, HistGradientBoosting or AdaBoost of "
                "scikit-learn, XGBoost, LightGBM or CatBoost, alone or as the last step of a "
                "pipeline",
                got=type(booster).__name__,
                cure=f"Leave {arg('stages')} out.",
            )
        params = booster.get_params(deep=False)
        _refuse_other_stages(booster, kind, params)
        name = next((name for name in kind.names if params.get(name) is not None), kind.names[0])
        count = params.get(name)
        count = kind.usual if count is None else count
        check.whole_number(name, count, low=1)
        return cls(prefix + name, int(cast(int, count)))

    def spread(self, stages: int) -> tuple[int, ...]:
        """Return at most so many numbers of rounds, evenly spread; the last one is all rounds."""
        return spread_rounds(self.count, stages)


def _find_booster(model: Estimator) -> tuple[str, Estimator]:
    """Return the booster at the end of a pipeline, and the beginning of its parameters' names."""
    steps: Sequence[tuple[str, Estimator]] | None = getattr(model, "steps", None)
    if not steps:
        return "", model
    prefix, booster = _find_booster(steps[-1][1])
    return f"{steps[-1][0]}__{prefix}", booster


def _refuse_other_stages(
    booster: Estimator, kind: BoosterKind, params: Mapping[str, object]
) -> None:
    """Refuse a booster that would grow other trees if it were told to stop at a stage."""
    if kind is SCIKIT_LEARN:
        return
    name = type(booster).__name__
    stops = [stop for stop in STOPS if params.get(stop)]
    if stops:
        raise InputError(
            f"{name} stops early by itself, and `stages` chooses the number of rounds",
            needs="one of the two",
            got=f"{stops[0]}={params[stops[0]]!r}",
            cure=f"Leave {stops[0]} out: stages are scored on the test folds, and the estimate "
            "corrects for the choice.",
        )
    if "dart" in (params.get("booster"), params.get("boosting_type"), params.get("boosting")):
        raise InputError(
            f"{name} with dart changes earlier trees in later rounds, so a stage is not the model "
            "of fewer rounds",
            needs="another kind of boosting",
            got="dart",
            cure=f"Leave {arg('stages')} out, and try several {kind.names[0]}.",
        )
    if kind is KINDS["catboost"] and not (params.get("learning_rate") or params.get("eta")):
        raise InputError(
            f"{name} chooses its learning rate by the number of rounds, so a stage is not the "
            "model of fewer rounds",
            needs="a learning rate",
            got="none",
            cure="Set learning_rate=0.1, or try several.",
        )


class StagedModel:
    """A fitted booster, alone or at the end of a pipeline, which predicts after some rounds."""

    def __init__(self, model: Estimator, rounds: Sequence[int]) -> None:
        self.model, self.rounds = model, tuple(rounds)
        _, self._booster = _find_booster(model)
        self._kind = cast(BoosterKind, find_kind(self._booster))
        self._features: list[tuple[object, object]] = []  # what came in, and what the booster sees
        self._answers: dict[tuple[str, int], list[NDArray[np.generic]]] = {}

    def stages(self) -> Iterator[Stage]:
        """Yield the model after each number of rounds."""
        for position in range(len(self.rounds)):
            yield Stage(self, position)

    def answer(self, method: str, position: int, X: object) -> NDArray[np.generic]:
        """Return what a method answers after some rounds; one pass answers for all stages."""
        if method == "predict_log_proba":
            with np.errstate(divide="ignore"):
                logs = np.log(self.answer("predict_proba", position, X))
            return cast("NDArray[np.generic]", logs)
        place = self._transform(X)
        key = method, place
        if key not in self._answers:
            self._answers[key] = self._predict(method, self._features[place][1])
        return self._answers[key][position].copy()

    def _transform(self, X: object) -> int:
        """Return the place of the features that the booster sees."""
        for place, (given, _) in enumerate(self._features):
            if given is X:
                return place
        features: Any = X
        model: Any = self.model
        while getattr(model, "steps", None):
            if len(model.steps) > 1:
                features = model[:-1].transform(features)
            model = model.steps[-1][1]
        self._features.append((X, features))
        return len(self._features) - 1

    def _predict(self, method: str, X: object) -> list[NDArray[np.generic]]:
        booster: Any = self._booster
        if self._kind.argument is not None:
            grown = _count_rounds(booster)
            predict = getattr(booster, method)
            return [
                np.asarray(predict(X, **self._kind.argument(min(rounds, grown))))
                for rounds in self.rounds
            ]
        answers: list[NDArray[np.generic]] = []
        wanted, answer = iter(self.rounds), None
        target = next(wanted)
        for done, answer in enumerate(getattr(booster, f"staged_{method}")(X), start=1):
            while target == done:
                answers.append(np.array(answer))
                following = next(wanted, None)
                if following is None:
                    return answers
                target = following
        # Training ended before these rounds, as it would have if it had been given just as many.
        return answers + [np.array(answer)] * (len(self.rounds) - len(answers))


def _count_rounds(booster: Answer) -> int:
    """Return how many rounds a fitted model of a library for boosting holds."""
    if hasattr(booster, "get_booster"):
        return int(booster.get_booster().num_boosted_rounds())
    if hasattr(booster, "booster_"):
        return int(booster.booster_.current_iteration())
    return int(booster.tree_count_)


class Stage:
    """A fitted model as it was after some rounds, as scorers see it."""

    def __init__(self, staged: StagedModel, position: int) -> None:
        self._staged, self._position = staged, position

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_staged", "_position"):
            raise AttributeError(name)
        value = getattr(self._staged.model, name)  # what the model lacks, its stages lack
        return self._bind(name) if name in ANSWERS else value

    def _bind(self, name: str) -> Callable[[object], NDArray[np.generic]]:
        def answer(X: object) -> NDArray[np.generic]:
            return self._staged.answer(name, self._position, X)

        answer.__name__ = name  # by which scikit-learn's scorers know what they asked
        return answer

    def __sklearn_tags__(self) -> object:
        return cast(Any, self._staged.model).__sklearn_tags__()

    def score(self, X: object, y: object, sample_weight: object = None) -> float:
        """Return the usual score: the accuracy of a classifier, R² of a regressor."""
        from sklearn.base import is_classifier, is_regressor
        from sklearn.metrics import accuracy_score, r2_score

        model: Any = self._staged.model
        if not is_classifier(model) and not is_regressor(model):
            return float(type(model).score(self, X, y))
        usual = accuracy_score if is_classifier(model) else r2_score
        return float(usual(y, self._bind("predict")(X), sample_weight=sample_weight))


# What a fit with stages gives: one outcome that travels and one per stage that is kept.


Stages = tuple[tuple[int, int], ...]  # the position of each configuration, and its rounds


def join_stages(key: Key, outcomes: Sequence[TaskOutcome]) -> TaskOutcome:
    """Return the outcomes of the stages of one fit as one that bears its key."""
    last = outcomes[-1]
    limit = {LIMITED: last.numbers[LIMITED]} if LIMITED in last.numbers else {}
    return TaskOutcome(
        key,
        arrays={
            f"{outcome.key[0]}:{name}": array
            for outcome in outcomes
            for name, array in outcome.arrays.items()
        },
        numbers={
            f"{outcome.key[0]}:{name}": number
            for outcome in outcomes
            for name, number in outcome.numbers.items()
        }
        | limit,
        error=last.error,
        note=last.note,
    )


def split_stages(outcome: TaskOutcome, stages: Stages) -> Iterator[TaskOutcome]:
    """Yield the outcome of each stage of a fit; the last one is that of the whole fit.

    The time of the fit is shared among its stages. What went wrong did so for all of them.
    """
    arrays, numbers = _sort_by_stage(outcome.arrays), _sort_by_stage(outcome.numbers)
    whole = numbers.pop("", {})
    for config, _ in stages:
        times = {
            name: value / len(stages) if name.endswith("_time") else value
            for name, value in whole.items()
        }
        mark = {SHARED: float(outcome.key[0])} if config != outcome.key[0] else {}
        yield replace(
            outcome,
            key=(config, *outcome.key[1:]),
            arrays=arrays.get(str(config), {}),
            numbers={**times, **numbers.get(str(config), {}), **mark},
        )


def _sort_by_stage(values: Mapping[str, Answer]) -> dict[str, dict[str, Answer]]:
    sorted_values: dict[str, dict[str, Answer]] = {}
    for name, value in values.items():
        config, mark, plain = name.partition(":")
        if not (mark and config.isdigit()):  # of the whole fit
            config, plain = "", name
        sorted_values.setdefault(config, {})[plain] = value
    return sorted_values


class JoinedStages(Mapping[Key, TaskOutcome]):
    """The finished fits of a store by key, each with all its stages, read when asked for."""

    def __init__(self, done: Mapping[Key, TaskOutcome], stages: Mapping[Key, Stages]) -> None:
        self._done, self._stages = done, stages

    def __getitem__(self, key: Key) -> TaskOutcome:
        keys = self._keys(key)
        return join_stages(key, [self._done[each] for each in keys])

    def __iter__(self) -> Iterator[Key]:
        return (key for key in self._stages if all(each in self._done for each in self._keys(key)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _keys(self, key: Key) -> list[Key]:
        return [(config, *key[1:]) for config, _ in self._stages[key]]


class StageStore:
    """A store in which a stage is a configuration like any other.

    Readers of a run file need not know of stages. The whole fit is written last, so that a run that
    is killed while it writes the stages fits them again.
    """

    def __init__(self, store: Store, stages: Mapping[Key, Stages]) -> None:
        self._store, self._stages = store, stages

    def done(self) -> Mapping[Key, TaskOutcome]:
        """Return the finished fits by key, each with all its stages."""
        return JoinedStages(self._store.done(), self._stages)

    def put(self, outcome: TaskOutcome) -> None:
        """Keep the outcome of each stage."""
        for stage in split_stages(outcome, self._stages[outcome.key]):
            self._store.put(stage)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
