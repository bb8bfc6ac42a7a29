"""Out-of-fold predictions of `xgboost.cv`, `lightgbm.cv` and `catboost.cv`.

These functions train a model for each fold, return a table of scores and forget what the models
predicted. A callback, or the models that CatBoost returns, give the predictions back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.predictions.automl import AutoMLModel, ToolRun, predictions_of_models
from earnest.adapters.readers import PredictionsRequest
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.predictions import Predictions
from earnest.core.data.stages import read_stages, spread_rounds
from earnest.core.text.doors import arg
from earnest.training.fit.response import take_rows
from earnest.training.fit.splits import make_splitter
from earnest.training.protocols import Splitter

if TYPE_CHECKING:
    from xgboost.callback import TrainingCallback

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]  # the rows that train, and those that test
Answer = NDArray[np.float64]

EARLY_STOPPING = 30  # the `order` of LightGBM's own early stopping, before which ours is called


class Booster(Protocol):
    """A model of LightGBM or CatBoost."""

    def predict(self, data: object, **options: object) -> ArrayLike:
        """Return the predictions of some rows."""


class XGBoostBooster(Booster, Protocol):
    """A model of XGBoost."""

    def num_boosted_rounds(self) -> int:
        """Return how many rounds it holds."""


class LightGBMBooster(Booster, Protocol):
    """A model of LightGBM."""

    def current_iteration(self) -> int:
        """Return how many rounds it holds."""


class CatBoostModel(Booster, Protocol):
    """A model of CatBoost."""

    tree_count_: int


class FoldOfBooster(Protocol):
    """A fold of `xgboost.cv`: its model, and the rows that test it."""

    bst: XGBoostBooster
    dtest: object


class PackedBooster(Protocol):
    """What XGBoost gives a callback: the folds, and what was learned of them together."""

    cvfolds: list[FoldOfBooster]

    def attr(self, key: str) -> str | None:
        """Return a fact by name."""


class FoldModels(Protocol):
    """LightGBM's `CVBooster`: the models of all folds."""

    boosters: list[LightGBMBooster]
    best_iteration: int


class LightGBMEnvironment(Protocol):
    """What LightGBM gives a callback."""

    model: FoldModels


class LightGBMKeeper:
    """A callback of LightGBM that remembers the models of all folds."""

    order = EARLY_STOPPING - 10  # where LightGBM calls it among others

    def __init__(self) -> None:
        self.models: FoldModels | None = None

    def __call__(self, environment: LightGBMEnvironment) -> None:
        """Remember the models as they are after an iteration."""
        self.models = environment.model


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A call of a `cv` function: its name, its parameters, and how to get its predictions."""

    name: str
    params: dict[str, object]
    read: Callable[[], tuple[Sequence[KeptStage], bool]]  # did its choice of rounds see the tests?


@dataclass(frozen=True, eq=False)
class KeptStage:
    """What the models of all folds predicted after some rounds."""

    answers: Sequence[Answer]
    rounds: int | None = None  # None where the call decided
    counted_as: str = "num_boost_round"


class BoosterFolds:
    """Keep the out-of-fold predictions of `xgboost.cv`, `lightgbm.cv` and `catboost.cv`.

    Make it once, and give its `folds` to every call, so that all configurations are tested on the
    same cases.

    Parameters
    ----------
    y : array-like, shape (n,)
        The outcome, in the order of the rows.
    folds : splitter, int or sequence of (train, test)
        The folds. An int asks for that many, shuffled with `random_state`: stratified ones if `y`
        holds classes, and whole groups if there are `groups`.
    X : array or table, shape (n, p), optional
        The features. LightGBM and CatBoost need them to predict; XGBoost does not.
    groups : array-like, optional
        Units that belong together, such as the patient of each row.
    random_state : int
        For `folds` given as an int.

    Attributes
    ----------
    folds : list of (train, test)
        The row numbers of each fold, for the `folds` argument of the three functions.

    Examples
    --------
    >>> import numpy as np, earnest as en
    >>> y = np.tile([0, 1], 20)
    >>> kept = en.BoosterFolds(y, folds=5)
    >>> [len(test) for train, test in kept.folds]
    [8, 8, 8, 8, 8]

    With XGBoost, for parameters `params` and a `DMatrix` of all rows::

        xgboost.cv(params, data, folds=kept.folds, callbacks=[kept.xgboost(params)])
        pi = kept.predictions()
    """

    def __init__(
        self,
        y: ArrayLike,
        folds: Splitter | int | Sequence[tuple[ArrayLike, ArrayLike]] = 5,
        *,
        X: object = None,
        groups: ArrayLike | None = None,
        random_state: int = 0,
    ) -> None:
        self._y = np.asarray(y)
        if self._y.ndim != 1 or len(self._y) == 0:
            raise InputError(
                "`y` is not a column", needs="one outcome per row", got=f"shape {self._y.shape}"
            )
        self._x = X
        self._groups = groups
        self.folds: list[Fold] = read_folds(folds, self._y, groups, random_state)
        self._fold = find_test_folds(self.folds, len(self._y))
        self._runs: list[KeptRun] = []

    def __repr__(self) -> str:
        return f"BoosterFolds(n={len(self._y)}, folds={len(self.folds)}, kept={len(self._runs)})"

    def xgboost(
        self,
        params: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        stages: bool | int = False,
    ) -> TrainingCallback:
        """Return a callback for one call of `xgboost.cv`.

        Put it last in `callbacks`. With early stopping the predictions are those of the best
        iteration, as the table of scores says.

        Parameters
        ----------
        params : mapping, optional
            The parameters of this configuration, for tables and explanations.
        name : str, optional
            Its name; its number by default.
        stages : bool or int
            Whether the number of rounds is a choice too: keep the predictions after 20 numbers of
            rounds, or as many as you say, each as a configuration.
        """
        from xgboost.callback import TrainingCallback

        kept: list[KeptStage] = []
        stopped, count = [False], read_stages(stages)

        class PredictionKeeper(TrainingCallback):
            """Predict the test part of each fold when training ends."""

            def after_training(self, model: PackedBooster) -> PackedBooster:
                best = model.attr("best_iteration")
                stopped[0] = best is not None and not count
                grown = model.cvfolds[0].bst.num_boosted_rounds() if count else 0
                last = 0 if best is None else int(best) + 1
                for rounds in spread_rounds(grown, count) or (None,):
                    until = (0, last if rounds is None else rounds)
                    answers = [
                        np.asarray(fold.bst.predict(fold.dtest, iteration_range=until), dtype=float)
                        for fold in model.cvfolds
                    ]
                    kept.append(KeptStage(answers, rounds))
                return model

        self._keep(name, params, lambda: (kept, stopped[0]))
        return PredictionKeeper()

    def lightgbm(
        self,
        params: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        stages: bool | int = False,
    ) -> LightGBMKeeper:
        """Return a callback for one call of `lightgbm.cv`.

        Parameters
        ----------
        params : mapping, optional
            The parameters of this configuration, for tables and explanations.
        name : str, optional
            Its name; its number by default.
        stages : bool or int
            As in `xgboost`.
        """
        self._need_features("LightGBM")
        keep, count = LightGBMKeeper(), read_stages(stages)

        def read() -> tuple[list[KeptStage], bool]:
            if keep.models is None:
                return [], False
            models = keep.models.boosters
            best = getattr(keep.models, "best_iteration", -1)
            if count:
                spread = spread_rounds(models[0].current_iteration(), count)
                predicted = [self._predict_parts(models, num_iteration=rounds) for rounds in spread]
                return [KeptStage(*stage) for stage in zip(predicted, spread, strict=True)], False
            rounds = best if best > 0 else None
            return [KeptStage(self._predict_parts(models, num_iteration=rounds))], best > 0

        self._keep(name, params, read)
        return keep

    def catboost(
        self,
        models: Sequence[CatBoostModel],
        params: Mapping[str, object] | None = None,
        *,
        name: str | None = None,
        stages: bool | int = False,
    ) -> None:
        """Keep the predictions of one call of `catboost.cv(..., return_models=True)`.

        Parameters
        ----------
        models : sequence of CatBoost
            What the call returned as its second value: one model per fold.
        params : mapping, optional
            The parameters of this configuration, for tables and explanations.
        name : str, optional
            Its name; its number by default.
        stages : bool or int
            As in `xgboost`.
        """
        self._need_features("CatBoost")
        self._check_parts(models, "CatBoost")
        kind = "Probability" if _predicts_classes(models[0]) else "RawFormulaVal"
        count, settings = read_stages(stages), dict(params or {})
        spread = spread_rounds(max(model.tree_count_ for model in models), count) if count else ()
        kept = [KeptStage(self._predict_parts(models, prediction_type=kind))]
        if spread:
            ends = {rounds: {"prediction_type": kind, "ntree_end": rounds} for rounds in spread}
            kept = [
                KeptStage(self._predict_parts(models, **end), rounds, "iterations")
                for rounds, end in ends.items()
            ]
        stops = bool({"early_stopping_rounds", "od_wait", "od_type", "od_pval"} & set(settings))
        self._keep(name, params, lambda: (kept, stops and not count))

    def predictions(
        self, *, task: str | None = None, positive: object = None, static: bool = True
    ) -> Predictions:
        """Return the predictions of every call so far, one configuration each.

        Parameters
        ----------
        task, positive
            As in `Predictions.from_arrays`.
        static : bool
            Whether the configurations were fixed before any was evaluated. Say False if an
            optimiser proposed them by the scores of earlier ones.
        """
        if not self._runs:
            raise InputError(
                "no call of a cv function was kept",
                needs="a callback of `xgboost` or `lightgbm` given to each call, or `catboost` "
                "called after it",
            )
        models = tuple(model for run in self._runs for model in self._make_models(run))
        tool_run = ToolRun(tool="the cv function", models=models, y=self._y, fold=self._fold)
        wanted = PredictionsRequest(
            groups=self._groups, task=task, positive=positive, static=static
        )
        return predictions_of_models(tool_run, wanted)

    def _make_models(self, run: KeptRun) -> Iterator[AutoMLModel]:
        stages, stopped = run.read()
        if not stages:
            raise InputError(
                f"configuration {run.name!r} has no predictions",
                needs="its callback given to a cv function that ran to its end",
                cure="Pass callbacks=[...] to the call, and make a new callback for each call.",
            )
        for stage in stages:
            yield self._make_model(run, stage, stopped)

    def _make_model(self, run: KeptRun, stage: KeptStage, stopped: bool) -> AutoMLModel:
        parts = stage.answers
        self._check_parts(parts, f"configuration {run.name!r}")
        whole = np.full((len(self._y), *parts[0].shape[1:]), np.nan)
        for (_, test), answer in zip(self.folds, parts, strict=True):
            if len(answer) != len(test):
                raise InputError(
                    f"configuration {run.name!r} was tested on other folds",
                    needs=f"{len(test)} predictions of a fold",
                    got=f"{len(answer)}",
                    cure="Pass folds=kept.folds to the cv function.",
                )
            whole[test] = answer
        if stage.rounds is None:
            return AutoMLModel(name=run.name, answer=whole, params=run.params, stops_early=stopped)
        params = {**run.params, stage.counted_as: stage.rounds}
        return AutoMLModel(name=f"{run.name}@{stage.rounds}", answer=whole, params=params)

    def _keep(
        self,
        name: str | None,
        params: Mapping[str, object] | None,
        read: Callable[[], tuple[Sequence[KeptStage], bool]],
    ) -> None:
        called = str(len(self._runs)) if name is None else name
        if any(run.name == called for run in self._runs):
            raise InputError(
                f"there is already a configuration {called!r}", needs="a name of its own"
            )
        self._runs.append(KeptRun(called, dict(params or {}), read))

    def _need_features(self, tool: str) -> None:
        if self._x is None:
            raise InputError(
                f"{tool} needs the features to predict the test folds",
                needs="`X`, the rows that the models were trained on",
                cure="BoosterFolds(y, folds, X=X)",
            )

    def _check_parts(self, parts: Sequence[object], what: str) -> None:
        if len(parts) != len(self.folds):
            raise InputError(
                f"{what} has another number of folds",
                needs=f"{len(self.folds)} folds",
                got=f"{len(parts)}",
                cure="Pass folds=kept.folds to the cv function.",
            )

    def _predict_parts(self, models: Sequence[Booster], **options: object) -> list[Answer]:
        """Return what the model of each fold predicts for the rows that test it."""
        self._check_parts(models, "the cross-validation")
        answers = []
        for model, (_, test) in zip(models, self.folds, strict=True):
            answer = np.asarray(model.predict(take_rows(self._x, test), **options), dtype=float)
            if answer.ndim == 2 and answer.shape[1] <= 2:  # of two classes, that of the second
                answer = answer[:, -1]
            answers.append(answer)
        return answers


def read_folds(
    folds: Splitter | int | Sequence[tuple[ArrayLike, ArrayLike]],
    y: NDArray[np.generic],
    groups: ArrayLike | None,
    random_state: int,
) -> list[Fold]:
    """Return the rows that train and test each fold, of what a user gives as folds."""
    from sklearn.utils.multiclass import type_of_target

    splitter: object = folds
    if isinstance(folds, int):
        check.whole_number("folds", folds, low=2, high=len(y))
        layered = type_of_target(y) in ("binary", "multiclass") and _has_enough(y, folds)
        splitter = make_splitter(
            folds, layered=layered, grouped=groups is not None, seed=random_state
        )
    pairs = splitter.split(np.zeros(len(y)), y, groups) if hasattr(splitter, "split") else folds
    return [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in cast("Iterable[tuple[ArrayLike, ArrayLike]]", pairs)
    ]


def _has_enough(y: NDArray[np.generic], folds: int) -> bool:
    """Tell whether every fold can have a case of every class; if not, y holds no classes."""
    return bool(np.unique(y, return_counts=True)[1].min() >= folds)


def find_test_folds(folds: Sequence[Fold], n: int) -> NDArray[np.intp]:
    """Return the fold (n,) that tests each case, and refuse cases without one or with two."""
    counts = np.zeros(n, dtype=np.intp)
    fold = np.full(n, -1, dtype=np.intp)
    for number, (_, test) in enumerate(folds):
        if len(test) and (test.min() < 0 or test.max() >= n):
            raise InputError(
                f"{arg('folds')} names rows that do not exist",
                needs=f"row numbers from 0 to {n - 1}",
                got=f"{int(test.min())} to {int(test.max())}",
            )
        np.add.at(counts, test, 1)
        fold[test] = number
    if (counts != 1).any():
        row = int(np.flatnonzero(counts != 1)[0])
        raise InputError(
            f"{arg('folds')} must test every row exactly once",
            got=f"row {row} is tested {int(counts[row])} times",
            cure="Use KFold or StratifiedKFold; for repeats, make one BoosterFolds per repeat.",
        )
    return fold


def _predicts_classes(model: object) -> bool:
    """Tell whether a model of CatBoost was trained for classes, which its loss says."""
    settings = cast("Mapping[str, object]", getattr(model, "get_all_params", dict)())
    loss = str(settings.get("loss_function", ""))
    return loss.split(":")[0] in ("Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll")
