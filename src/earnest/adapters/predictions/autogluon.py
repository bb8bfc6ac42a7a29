"""Π of AutoGluon: what a bagged `TabularPredictor` gives as out-of-fold predictions."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.automl import (
    AutoMLModel,
    SourceRows,
    ToolRun,
    predictions_of_models,
)
from earnest.adapters.readers import (
    OUTCOME,
    PredictionsReader,
    PredictionsRequest,
    is_kind,
    register,
)
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions.reasons import Omission, Peek, Silence
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MOST_STEPS, GreedyEnsemble
from earnest.core.text.doors import arg, word

if TYPE_CHECKING:
    import pandas as pd
    from autogluon.tabular import TabularPredictor

TOOL = "AutoGluon"
TASKS = ("binary", "multiclass", "regression")
# Children that stop by the score on the fold that tests them.
STOPPING = {
    "CatBoostModel",
    "LGBModel",
    "NNFastAiTabularModel",
    "RealMLPModel",
    "TabMModel",
    "TabularNeuralNetMxnetModel",
    "TabularNeuralNetTorchModel",
    "XGBoostModel",
}
_TUNED = "/T"  # in the name of what a hyper-parameter search proposed


def is_folder(source: object) -> bool:
    """Tell whether this is the folder of a predictor."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    return (path / "predictor.pkl").is_file() and (path / "learner.pkl").is_file()


def is_predictor(source: object) -> bool:
    """Tell whether this is a `TabularPredictor`, without importing AutoGluon."""
    return is_kind(source, "TabularPredictor", "autogluon.")


def read_folder(folder: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π of the folder of a predictor, which is pickles: only if the caller trusts it."""
    if not wanted.trust_pickle:
        raise InputError(
            "an AutoGluon folder contains pickles, which can run any code when they are read",
            needs=f"{arg('trust_pickle', True)} for a folder that you or someone you trust wrote",
            cure=word("Or load it yourself and pass the TabularPredictor.", ""),
        )
    try:
        from autogluon.tabular import TabularPredictor
    except ModuleNotFoundError as error:
        raise InputError(
            "AutoGluon is not installed",
            needs="the library that wrote the folder",
            cure="pip install autogluon.tabular",
        ) from error
    return predictions_of(TabularPredictor.load(str(folder)), wanted)


def predictions_of(predictor: TabularPredictor, wanted: PredictionsRequest) -> Predictions:
    """Make Π of a fitted predictor."""
    wanted.refuse("AutoGluon", "store", "study")
    facts = _read_facts(predictor)
    task = str(facts["problem_type"])
    if task not in TASKS:
        raise EvidenceError(
            "predictions of this task are not supported",
            needs=", ".join(TASKS),
            got=f"problem_type {task!r}",
        )
    if not facts.get("num_bag_folds"):
        raise EvidenceError(
            "AutoGluon kept no out-of-fold predictions: its models were not bagged",
            needs="fit(..., num_bag_folds=8), or a preset with bagging such as 'best_quality'",
            got="num_bag_folds=0",
        )
    y = _read_outcome(predictor)
    n_given = _count_rows_given(predictor, len(y))
    y, copies = y.iloc[:n_given], len(y) - n_given  # copies of cases come last
    labels = None if task == "regression" else _keep_present(list(predictor.class_labels), y)
    refitted = set(predictor.model_refit_map().values())  # their folds are those of the others
    models = [
        _read_model(predictor, name, facts["model_info"].get(name, {}), labels, len(y))
        for name in predictor.model_names()
        if name not in refitted
    ]
    if copies > 0:
        models = [replace(model, peeked=Peek.COPIES) for model in models]
    rows = SourceRows(
        n=n_given,
        rows=_find_places(y, n_given),
        index=y.index,
        left_out=Omission.RARE_CLASSES if len(y) < n_given else None,
    )
    run = ToolRun(
        tool=TOOL,
        models=tuple(models),
        y=_check_outcome(y, rows, wanted) if any(m.answer is not None for m in models) else y,
        static=not any(_TUNED in model.name for model in models),
        weighted=getattr(predictor, "sample_weight", None) is not None,
        averaged=any(
            _count_repeats(facts_of_model) > 1 for facts_of_model in facts["model_info"].values()
        ),
        rows=rows,
        rule=_find_rule(facts),
    )
    request = replace(wanted, task=wanted.task or task, classes=wanted.classes or labels)
    if task == "binary" and wanted.positive is None:
        request = replace(request, positive=predictor.positive_class)
    return predictions_of_models(run, request)


def _read_facts(predictor: TabularPredictor) -> JsonObject:
    try:
        with _cheapen_collections():
            return dict(predictor.info())
    except AssertionError as error:  # as AutoGluon says before a fit, and after one that failed
        raise InputError(
            "the predictor of AutoGluon was not fitted, or its fit failed", got=str(error)
        ) from error


@contextmanager
def _cheapen_collections() -> Iterator[None]:
    """Let garbage collections pass over what is there already.

    AutoGluon collects once for every child of every model, to tell its size.
    """
    if gc.get_freeze_count():  # somebody else's
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _read_outcome(predictor: TabularPredictor) -> pd.Series:
    """Return the outcome of the training cases in the labels of the user, with their index."""
    _, internal = predictor.load_data_internal(data="train", return_X=False)
    return predictor.transform_labels(internal, inverse=True)


def _count_rows_given(predictor: TabularPredictor, n: int) -> int:
    """Return how many rows were given to fit: AutoGluon drops some classes, and copies others."""
    return int(getattr(getattr(predictor, "_learner", None), "_pre_X_rows", None) or n)


def _keep_present(labels: list[object], y: pd.Series) -> list[object]:
    """Return the classes without those that AutoGluon dropped, and gives no probability."""
    present = set(np.asarray(y).tolist())
    return [label for label in labels if label in present]


def _find_places(y: pd.Series, n_given: int) -> NDArray[np.intp] | None:
    """Return where the cases stood in the training table, None if only their names tell."""
    if len(y) == n_given:
        return np.arange(n_given)
    names = np.asarray(y.index)
    counted = names.dtype.kind in "iu" and y.index.is_unique
    fits = (
        counted
        and names.min() >= 0
        and names.max() < n_given
        and bool(np.all(names[:-1] < names[1:]))
    )
    return names.astype(np.intp) if fits else None


def _check_outcome(
    written: pd.Series, source_rows: SourceRows, wanted: PredictionsRequest
) -> RawArray:
    """Return the outcome as AutoGluon has it; one that is given must be the same."""
    values = np.asarray(written)
    if wanted.y is None:
        return values
    outcome = np.asarray(source_rows.cases(wanted.y))
    if outcome.shape != values.shape or not bool(np.all(outcome == values)):
        raise InputError(
            f"{OUTCOME} differs from the outcome that AutoGluon used",
            needs=f"the {len(values)} values of its training rows, in the same order",
            got=f"shape {outcome.shape}" if outcome.shape != values.shape else "other values",
            cure="Leave it out: the predictor holds the outcome.",
        )
    return outcome


def _find_rule(facts: JsonObject) -> GreedyEnsemble | None:
    """Return the rule of the model that predicts, where it is a weighted ensemble.

    AutoGluon adds models one by one, as Caruana et al. do, and may add one again.
    """
    best = facts["model_info"].get(str(facts.get("best_model")), {})
    if best.get("model_type") != "WeightedEnsembleModel":
        return None
    settings = best.get("bagged_info", {}).get("child_hyperparameters", {})
    size = int(settings.get("ensemble_size") or GreedyEnsemble.size)
    return GreedyEnsemble(size=min(max(size, 1), MOST_STEPS))


def _count_repeats(facts: JsonObject) -> int:
    return int(facts.get("bagged_info", {}).get("_n_repeats", 1))


def _read_model(
    predictor: TabularPredictor, name: str, facts: JsonObject, labels: list[object] | None, n: int
) -> AutoMLModel:
    bagged = facts.get("bagged_info", {})
    child = str(bagged.get("child_model_type", facts.get("model_type", "")))
    weighted = facts.get("model_type") == "WeightedEnsembleModel"
    answer, silence = _read_answer(predictor, name, facts, labels)
    answer = None if answer is None else answer[:n]
    return AutoMLModel(
        name=name,
        answer=answer,
        params={"model": child, **bagged.get("child_hyperparameters", {})},
        stops_early=child in STOPPING,
        ensemble=weighted or _is_stacked(facts),
        out_of_bag=not weighted and bagged.get("bagged_mode") is False,
        silence=silence,
    )


def _is_stacked(facts: JsonObject) -> bool:
    return int(facts.get("stacker_info", {}).get("num_base_models", 0)) > 0


def _read_answer(
    predictor: TabularPredictor, name: str, facts: JsonObject, labels: list[object] | None
) -> tuple[NDArray[np.float64] | None, Silence | None]:
    """Return the predictions of a model, or why there are none."""
    if facts.get("val_in_fit"):
        return None, Silence.VALIDATION
    if "bagged_info" not in facts:
        return None, Silence.NOT_BAGGED
    ask = predictor.predict_oof if labels is None else predictor.predict_proba_oof
    try:
        table = ask(name, internal_oof=True)  # of the rows whose outcome is read, one by one
    except AssertionError:  # of an ensemble of models without any
        return None, Silence.SILENT_MEMBERS
    if labels is not None:
        columns = list(table.columns)
        table = table.iloc[:, [columns.index(label) for label in labels]]  # labels may be booleans
    answer = np.asarray(table, dtype=np.float64)
    if not np.isfinite(answer).all():
        return None, Silence.SOME_CASES
    return answer, None


register(
    PredictionsReader(
        name="autogluon",
        words="a TabularPredictor of AutoGluon",
        takes=is_predictor,
        read=predictions_of,
    )
)
register(
    PredictionsReader(
        name="autogluon_folder",
        words="a folder of AutoGluon",
        takes=is_folder,
        read=read_folder,
        tool=TOOL,
        options=" --trust-pickle",
    )
)
