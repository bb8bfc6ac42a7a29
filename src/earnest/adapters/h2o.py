"""Π of H2O: cross-validation predictions that its models kept, from a cluster that runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.automl import Kept, Model, predictions_of_models
from earnest.adapters.wanted import Wanted
from earnest.core import check
from earnest.core.errors import EvidenceError, InputError
from earnest.core.predictions import Predictions

TOOL = "H2O"
KEEP = "keep_cross_validation_predictions=True"
_NOT_TUNED = re.compile(r"model_id|.*_frame|.*_column|seed|keep_|export_|max_runtime|nfolds|fold_")


def is_source(source: object) -> bool:
    """Tell whether this is an H2OAutoML, a grid, a model of H2O, or a list of models."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(_is_model(one) for one in source)
    return _is_automl(source) or _is_grid(source) or _is_model(source)


def predictions_of(source: Any, wanted: Wanted) -> Predictions:
    """Make Π of models that were trained with kept cross-validation predictions."""
    wanted.refuse("H2O", "store", "study", "trust_pickle")
    models = _models(source)
    read = [_model(one) for one in models]
    if all(one.answer is None for one in read):
        raise EvidenceError(
            "H2O kept no cross-validation predictions",
            needs=f"models trained with nfolds and {KEEP}",
            got=check.some([one.name for one in read]),
        )
    kept = [one for one, made in zip(models, read, strict=True) if made.answer is not None]
    labels = _labels(kept[0])
    y = _outcome(kept, wanted)
    labels = _as_in(y, labels)
    run = Kept(
        tool=TOOL,
        models=tuple(read),
        y=y,
        fold=_folds(kept),
        static=_is_static(source),
        weighted=any(bool(one.actual_params.get("weights_column")) for one in kept),
    )
    said = wanted
    if labels:
        task = "binary" if len(labels) == 2 else "multiclass"
        said = replace(wanted, task=wanted.task or task, classes=wanted.classes or labels)
        if len(labels) == 2 and wanted.positive is None:
            said = replace(said, positive=labels[1])  # the last level, as H2O itself has it
    elif wanted.task is None:
        said = replace(wanted, task="regression")
    return predictions_of_models(run, said)


def _named(source: object, name: str) -> bool:
    return any(k.__name__ == name and k.__module__.startswith("h2o.") for k in type(source).__mro__)


def _is_automl(source: object) -> bool:
    return _named(source, "H2OAutoML")


def _is_grid(source: object) -> bool:
    return _named(source, "H2OGridSearch")


def _is_model(source: object) -> bool:
    return _named(source, "ModelBase")


def _is_static(source: object) -> bool:
    """Grids and lists are made in advance; AutoML goes on by what it has seen."""
    return not _is_automl(source)


def _models(source: Any) -> list[Any]:
    if isinstance(source, (list, tuple)):
        return list(source)
    if _is_grid(source):
        return list(source.models)
    if not _is_automl(source):
        return [source]
    import h2o

    header, *rows = source.leaderboard.as_data_frame(use_pandas=False)
    place = header.index("model_id")
    return [h2o.get_model(row[place]) for row in rows]


def _model(model: Any) -> Model:
    params = dict(model.actual_params)
    frame = model.cross_validation_holdout_predictions()
    ensemble = model.algo == "stackedensemble"
    return Model(
        name=str(model.model_id),
        answer=None if frame is None else _numbers(frame),
        params={"model": str(model.algo)} | _tuned(params, dict(model.default_params)),
        stops_early=not ensemble and _stops(dict(model.params)),
        ensemble=ensemble,
        why_none=f"it was trained without {KEEP}" if frame is None else "",
    )


def _stops(params: dict[str, Any]) -> bool:
    """Tell whether the models of the folds stopped early; that of all cases then does not."""
    said = params.get("stopping_rounds", {})
    return bool(said.get("input") or said.get("actual"))


def _tuned(params: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that differ from H2O's defaults and are plain values."""
    return {
        name: value
        for name, value in params.items()
        if isinstance(value, (bool, int, float, str))
        and value != usual.get(name)
        and not _NOT_TUNED.match(name)
    }


def _table(frame: Any) -> tuple[list[str], list[list[str]]]:
    header, *rows = frame.as_data_frame(use_pandas=False)
    return list(header), rows


def _numbers(frame: Any) -> NDArray[np.float64]:
    """Return class probabilities, or predicted numbers: (n, K) or (n,)."""
    header, rows = _table(frame)
    cells = np.array([row[1:] if len(header) > 1 else row for row in rows], dtype=np.float64)
    if len(header) == 1:
        return cells[:, 0]
    sums = cells.sum(axis=1, keepdims=True)  # written as text: 1 but for rounding
    return np.asarray(cells / sums)


def _labels(model: Any) -> list[str]:
    return _table(model.cross_validation_holdout_predictions())[0][1:]


def _as_in(y: NDArray[Any], labels: list[str]) -> list[Any]:
    """Return the classes as `y` has them: H2O writes p0, p1 for the labels 0 and 1."""
    if not labels:
        return []
    known = {str(value): value for value in np.unique(y).tolist()}
    if not set(labels) <= set(known) and all(re.fullmatch(r"p-?\d+", one) for one in labels):
        labels = [one[1:] for one in labels]
    strange = [one for one in labels if one not in known]
    if strange and len(known) > len(labels) - len(strange):
        raise InputError(
            "`y` has other labels than H2O",
            needs=check.some(map(repr, labels)),
            got=check.some(map(repr, known)),
        )
    return [known.get(one, one) for one in labels]


def _outcome(models: Sequence[Any], wanted: Wanted) -> NDArray[Any]:
    """Return the outcome, from the training frame unless it is given."""
    if wanted.y is not None:
        return np.asarray(wanted.y)
    import h2o

    params = models[0].actual_params
    frames = {one.actual_params["training_frame"] for one in models}
    if len(frames) > 1:
        raise EvidenceError(
            "models of H2O were trained on different frames",
            needs="one training frame",
            got=check.some(sorted(map(repr, frames))),
        )
    frame = h2o.get_frame(params["training_frame"])
    if frame is None:
        raise InputError(
            "the training frame is no longer in the cluster",
            needs="`y`, in the order of its rows",
        )
    column = frame[params["response_column"]]
    values = np.array([row[0] for row in _table(column)[1]])
    return (
        values.astype(np.float64) if column.types[params["response_column"]] != "enum" else values
    )


def _folds(models: Sequence[Any]) -> NDArray[np.intp] | None:
    """Return the folds that all models share, None where one does not tell its own."""
    found = [_assignment(one) for one in models if one.algo != "stackedensemble"]
    known = [fold for fold in found if fold is not None]
    for fold, model in zip(known, models, strict=False):
        if not np.array_equal(fold, known[0]):
            raise EvidenceError(
                "models of H2O were tested on different folds",
                needs="the same folds for every model",
                got=f"others of {model.model_id} than of {models[0].model_id}",
                cure="Train them with one `fold_column`, or fold_assignment='Modulo'.",
            )
    return known[0] if known and len(known) == len(found) else None


def _assignment(model: Any) -> NDArray[np.intp] | None:
    params = model.actual_params
    if not params.get("keep_cross_validation_fold_assignment"):
        return None
    rows = _table(model.cross_validation_fold_assignment())[1]
    return np.array([row[0] for row in rows], dtype=np.float64).astype(np.intp)
