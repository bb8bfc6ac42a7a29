"""Π of AutoGluon: what a bagged `TabularPredictor` gives as out-of-fold predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.automl import Kept, Model, predictions_of_models
from earnest.adapters.wanted import Wanted
from earnest.core.errors import EvidenceError, InputError
from earnest.core.predictions import Predictions

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


def is_folder(path: Path) -> bool:
    """Tell whether this is the folder of a predictor."""
    return (path / "predictor.pkl").is_file() and (path / "learner.pkl").is_file()


def is_predictor(source: object) -> bool:
    """Tell whether this is a `TabularPredictor`, without importing AutoGluon."""
    return any(
        k.__name__ == "TabularPredictor" and k.__module__.startswith("autogluon.")
        for k in type(source).__mro__
    )


def predictions_of_folder(folder: Path, wanted: Wanted) -> Predictions:
    """Make Π of the folder of a predictor, which is pickles: only if the caller trusts it."""
    if not wanted.trust_pickle:
        raise InputError(
            "a folder of AutoGluon is pickles, and a pickle can run anything when it is read",
            needs="trust_pickle=True for a folder that you or someone you trust has written",
            cure="Or load it yourself, and pass the TabularPredictor.",
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


def predictions_of(predictor: Any, wanted: Wanted) -> Predictions:
    """Make Π of a fitted predictor."""
    wanted.refuse("AutoGluon", "store", "study")
    facts = predictor.info()
    task = str(facts["problem_type"])
    if task not in TASKS:
        raise EvidenceError(
            "predictions of this task cannot be judged",
            needs=", ".join(TASKS),
            got=f"problem_type {task!r}",
        )
    _refuse_no_bags(facts)
    y = _outcome(predictor)
    labels = None if task == "regression" else list(predictor.class_labels)
    refitted = set(predictor.model_refit_map().values())  # their folds are those of the others
    models = [
        _model(predictor, name, facts["model_info"].get(name, {}), labels)
        for name in predictor.model_names()
        if name not in refitted
    ]
    kept = Kept(
        tool=TOOL,
        models=tuple(models),
        y=_agreed(y, wanted),
        static=not any(_TUNED in model.name for model in models),
        weighted=getattr(predictor, "sample_weight", None) is not None,
        averaged=any(_repeats(one) > 1 for one in facts["model_info"].values()),
    )
    said = replace(wanted, task=wanted.task or task, classes=wanted.classes or labels)
    if task == "binary" and wanted.positive is None:
        said = replace(said, positive=predictor.positive_class)
    return predictions_of_models(kept, said)


def _refuse_no_bags(facts: Mapping[str, Any]) -> None:
    if not facts.get("num_bag_folds"):
        raise EvidenceError(
            "AutoGluon kept no out-of-fold predictions: its models were not bagged",
            needs="fit(..., num_bag_folds=8), or a preset with bagging such as 'best_quality'",
            got="num_bag_folds=0",
        )


def _outcome(predictor: Any) -> Any:
    """Return the outcome of the training cases in the labels of the user, with their index."""
    _, internal = predictor.load_data_internal(data="train", return_X=False)
    return predictor.transform_labels(internal, inverse=True)


def _agreed(written: Any, wanted: Wanted) -> NDArray[Any]:
    """Return the outcome as AutoGluon has it; one that is given must be the same."""
    values = np.asarray(written)
    if wanted.y is None:
        return values
    given = np.asarray(wanted.y)
    same = given.shape == values.shape and bool(np.all(given == values))
    if not same:
        raise InputError(
            "`y` differs from the outcome that AutoGluon was given",
            needs=f"the {len(values)} values of its training rows, in their order",
            got=f"shape {given.shape}" if given.shape != values.shape else "other values",
            cure="Leave it out: the predictor holds the outcome.",
        )
    return given


def _repeats(facts: Mapping[str, Any]) -> int:
    return int(facts.get("bagged_info", {}).get("_n_repeats", 1))


def _model(predictor: Any, name: str, facts: Mapping[str, Any], labels: list[Any] | None) -> Model:
    bagged = facts.get("bagged_info", {})
    child = str(bagged.get("child_model_type", facts.get("model_type", "")))
    weighted = facts.get("model_type") == "WeightedEnsembleModel"
    answer, why = _answer(predictor, name, facts, labels)
    return Model(
        name=name,
        answer=answer,
        params={"model": child} | dict(bagged.get("child_hyperparameters", {})),
        stops_early=child in STOPPING,
        ensemble=weighted or _stacked(facts),
        out_of_bag=not weighted and bagged.get("bagged_mode") is False,
        why_none=why,
    )


def _stacked(facts: Mapping[str, Any]) -> bool:
    return int(facts.get("stacker_info", {}).get("num_base_models", 0)) > 0


def _answer(
    predictor: Any, name: str, facts: Mapping[str, Any], labels: list[Any] | None
) -> tuple[NDArray[np.float64] | None, str]:
    """Return the predictions of a model, or why there are none."""
    if facts.get("val_in_fit"):
        return None, "it used a validation set, see use_bag_holdout"
    if "bagged_info" not in facts:
        return None, "it was not bagged"
    try:
        table = predictor.predict_oof(name) if labels is None else predictor.predict_proba_oof(name)
    except AssertionError as error:  # as AutoGluon says of an ensemble of models without any
        return None, str(error)
    answer = np.asarray(table if labels is None else table[labels], dtype=np.float64)
    if not np.isfinite(answer).all():
        missing = int((~np.isfinite(answer)).reshape(len(answer), -1).any(axis=1).sum())
        return None, f"no prediction for {missing} cases"
    return answer, ""
