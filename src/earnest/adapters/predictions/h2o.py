"""Π of H2O: cross-validation predictions that its models kept, from a cluster that runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

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
from earnest.core.base import check
from earnest.core.base.arrays import RawArray, missing
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions.reasons import Omission, Silence
from earnest.core.data.predictions import Predictions
from earnest.core.text.doors import word

TOOL = "H2O"
if TYPE_CHECKING:
    from h2o import H2OFrame
    from h2o.automl import H2OAutoML
    from h2o.grid import H2OGridSearch
    from h2o.model import ModelBase

Source: TypeAlias = "H2OAutoML | H2OGridSearch | ModelBase | Sequence[ModelBase]"
SEVERAL = "An ensemble has none: pass the H2OAutoML, or the models it is made of."
KEEP = "keep_cross_validation_predictions=True"
_NOT_TUNED = re.compile(
    r"model_id|.*_frame|.*_find_column|seed|keep_|export_|max_runtime|nfolds|fold_"
)


def is_source(source: object) -> bool:
    """Tell whether this is an H2OAutoML, a grid, a model of H2O, or a list of models."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(_is_model(model) for model in source)
    return _is_automl(source) or _is_grid(source) or _is_model(source)


def predictions_of(source: Source, wanted: PredictionsRequest) -> Predictions:
    """Make Π of models that were trained with kept cross-validation predictions."""
    wanted.refuse("H2O", "store", "study", "trust_pickle")
    models = _list_models(source)
    read = [_read_model(model) for model in models]
    usable = [
        model
        for model, description in zip(models, read, strict=True)
        if description.answer is not None
    ]
    if not usable:
        raise EvidenceError(
            "H2O kept no cross-validation predictions",
            needs=f"models trained with nfolds and {KEEP}",
            got=check.some([model.name for model in read]) or "no models",
            cure=SEVERAL if read and all(m.ensemble for m in read) else "",
        )
    frame = _find_training_frame(usable)
    y = _read_outcome(usable[0], frame, wanted)
    rows, omission = _find_cases(missing(y), _find_idle(usable[0], frame, read, len(y)))
    labels = _match_labels(y[rows], _read_labels(usable[0]))
    fold = _find_folds(usable, frame, len(y))
    run = ToolRun(
        tool=TOOL,
        models=tuple(_take_rows(model, rows) for model in read),
        y=y[rows],
        fold=None if fold is None else fold[rows],
        static=not _is_automl(source),  # grids and lists are made in advance
        weighted=any(_find_column(model, "weights_column") is not None for model in usable),
        rows=SourceRows(n=len(y), rows=rows, left_out=omission),
    )
    return predictions_of_models(run, _add_labels(wanted, labels))


def _add_labels(wanted: PredictionsRequest, labels: list[object]) -> PredictionsRequest:
    """Return what is wanted with what the levels tell: task, classes and the positive class."""
    if not labels:
        return replace(wanted, task=wanted.task or "regression")
    task = "binary" if len(labels) == 2 else "multiclass"
    request = replace(wanted, task=wanted.task or task, classes=wanted.classes or labels)
    positive = labels[-1] if wanted.positive is None else wanted.positive  # the last, as H2O has it
    by_text = {str(label): label for label in labels}  # levels are text, whatever they were before
    return (
        replace(request, positive=by_text.get(str(positive), positive))
        if len(labels) == 2
        else request
    )


def _take_rows(model: AutoMLModel, rows: NDArray[np.intp]) -> AutoMLModel:
    return (
        model if model.answer is None else replace(model, answer=_rescale_rows(model.answer[rows]))
    )


def _is_automl(source: object) -> bool:
    return is_kind(source, "H2OAutoML", "h2o.")


def _is_grid(source: object) -> bool:
    return is_kind(source, "H2OGridSearch", "h2o.")


def _is_model(source: object) -> bool:
    return is_kind(source, "ModelBase", "h2o.")


def _list_models(source: Source) -> list[ModelBase]:
    if isinstance(source, Sequence):
        return [_check_trained(model) for model in source]
    if _is_grid(source):
        return list(source.models or ())
    if not _is_automl(source):
        return [_check_trained(source)]
    import h2o

    header, *rows = source.leaderboard.as_data_frame(use_pandas=False)
    if "model_id" not in header:
        raise InputError("the H2OAutoML was not trained", cure="Call its `train` first.")
    column = header.index("model_id")
    return [h2o.get_model(row[column]) for row in rows]


def _check_trained(model: ModelBase) -> ModelBase:
    if not model.model_id:
        raise InputError("an H2O model was not trained", cure="Call its `train` first.")
    return model


def _read_model(model: ModelBase) -> AutoMLModel:
    params = dict(model.actual_params)
    frame = model.cross_validation_holdout_predictions()
    ensemble = model.algo == "stackedensemble"
    return AutoMLModel(
        name=str(model.model_id),
        answer=None if frame is None else _read_numbers(frame),
        params={"model": str(model.algo)} | _find_tuned(params, dict(model.default_params)),
        stops_early=not ensemble and _is_stopped_early(dict(model.params)),
        ensemble=ensemble,
        silence=Silence.NOT_KEPT if frame is None else None,
    )


def _is_stopped_early(params: JsonObject) -> bool:
    """Tell whether the models of the folds stopped early; that of all cases then does not."""
    rounds = params.get("stopping_rounds", {})
    return bool(rounds.get("input") or rounds.get("actual"))


def _find_tuned(params: JsonObject, usual: JsonObject) -> dict[str, object]:
    """Return the parameters that differ from H2O's defaults and are plain values."""
    return {
        name: value
        for name, value in params.items()
        if isinstance(value, (bool, int, float, str))
        and value != usual.get(name)
        and not _NOT_TUNED.match(name)
    }


def _read_table(frame: H2OFrame) -> tuple[list[str], list[list[str]]]:
    header, *rows = frame.as_data_frame(use_pandas=False)
    return list(header), rows


def _read_numbers(frame: H2OFrame) -> NDArray[np.float64]:
    """Return class probabilities, or predicted numbers: (n, K) or (n,)."""
    rows = _read_table(frame)[1]
    several = len(frame.names) > 1
    cells = np.array([row[1:] if several else row for row in rows], dtype=np.float64)
    return cells if several else cells[:, 0]


def _rescale_rows(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows that sum to 1; written as text, they do but for rounding."""
    return answer if answer.ndim == 1 else np.asarray(answer / answer.sum(axis=1, keepdims=True))


def _read_labels(model: ModelBase) -> list[str]:
    return list(model.cross_validation_holdout_predictions().names)[1:]


def _match_labels(y: RawArray, labels: list[str]) -> list[object]:
    """Return the classes as `y` has them: H2O writes p0, p1 for the labels 0 and 1."""
    if not labels:
        return []
    classes = {str(value): value for value in np.unique(y).tolist()}
    if not set(labels) <= set(classes) and all(re.fullmatch(r"p-?\d+", label) for label in labels):
        labels = [label[1:] for label in labels]
    strange = [label for label in labels if label not in classes]
    if strange and len(classes) > len(labels) - len(strange):
        raise InputError(
            f"{OUTCOME} has labels that H2O does not have",
            needs=check.some(map(repr, labels)),
            got=check.some(map(repr, classes)),
        )
    return [classes.get(label, label) for label in labels]


def _find_column(model: ModelBase, role: str) -> str | None:
    """Return the name of the column that a model was given as its weights or its folds."""
    column = model.actual_params.get(role)
    return column.get("column_name") if isinstance(column, dict) else column


def _find_training_frame(models: Sequence[ModelBase]) -> H2OFrame | None:
    """Return the frame that all were trained on, None where it is no longer in the cluster."""
    names = {model.actual_params.get("training_frame") for model in models}
    if len(names) > 1:
        raise EvidenceError(
            "the H2O models were trained on different frames",
            needs="one training frame",
            got=check.some(sorted(map(repr, names))),
        )
    import h2o

    name = names.pop()
    return None if name is None else h2o.get_frame(name)


def _read_values(frame: H2OFrame, name: str) -> RawArray:
    """Return a column as text or numbers, with None or NaN for what is missing."""
    column = frame[name]
    cells = [row[0] if row and row[0] != "" else None for row in _read_table(column)[1]]
    if column.types[name] == "enum":
        return np.array(cells, dtype=object if None in cells else None)
    return np.array([np.nan if cell is None else float(cell) for cell in cells])


def _read_outcome(model: ModelBase, frame: H2OFrame | None, wanted: PredictionsRequest) -> RawArray:
    """Return the outcome of all rows, from the training frame; one that is given must agree."""
    if frame is None and wanted.y is None:
        raise InputError(
            "the training frame is no longer in the cluster",
            needs=f"{OUTCOME}, in the order of its rows",
            cure=word("predictions_from(source, y)", "Use --data TABLE --target COLUMN."),
        )
    outcome = None if wanted.y is None else np.asarray(wanted.y)
    if frame is None:
        assert outcome is not None
        return _check_length(
            outcome, len(_read_table(model.cross_validation_holdout_predictions())[1])
        )
    written = _read_values(frame, model.actual_params["response_column"])
    if outcome is None:
        return written
    outcome = _check_length(outcome, len(written))
    absent = missing(written) | missing(outcome)  # a NaN of pandas may have become the level 'nan'
    if written.dtype.kind == "f":
        same = np.isclose(
            np.where(absent, 0, outcome).astype(np.float64), np.where(absent, 0, written)
        )
    else:
        same = outcome.astype(str) == written.astype(str)
    if not np.all(same | absent):
        raise InputError(
            f"{OUTCOME} differs from the outcome in the training frame",
            needs="its values, in the same order",
            got=f"{int(np.sum(~(same | absent)))} of {len(written)} different values",
            cure="Leave it out: the frame holds the outcome.",
        )
    return outcome


def _check_length(y: RawArray, n: int) -> RawArray:
    if y.shape != (n,):
        raise InputError(
            f"{OUTCOME} does not match the rows of the training frame",
            needs=f"{n} values",
            got=f"{y.shape}",
        )
    return np.asarray(y)


def _find_idle(
    model: ModelBase, frame: H2OFrame | None, read: Sequence[AutoMLModel], n: int
) -> NDArray[np.bool_]:
    """Tell which rows had no weight: of these H2O writes zeros, which are no predictions."""
    name = _find_column(model, "weights_column")
    if name is None:
        return np.zeros(n, dtype=bool)
    if frame is not None:
        return ~(_read_values(frame, name) > 0)
    answers = [
        description.answer.reshape(n, -1) for description in read if description.answer is not None
    ]
    return np.asarray((np.hstack(answers) == 0).all(axis=1))


def _find_cases(
    absent: NDArray[np.bool_], idle: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Omission | None]:
    """Return the rows that were judged, and why others were not."""
    omission = {
        (False, False): None,
        (True, False): Omission.NO_OUTCOME,
        (False, True): Omission.NO_WEIGHT,
        (True, True): Omission.NEITHER,
    }[bool(absent.any()), bool(idle.any())]
    return np.flatnonzero(~absent & ~idle), omission


def _find_folds(models: Sequence[ModelBase], frame: H2OFrame | None, n: int) -> RawArray | None:
    """Return the folds that all models share, None where one does not tell its own."""
    single = [model for model in models if model.algo != "stackedensemble"]
    assignments = [_read_assignment(model, frame, n) for model in single]
    folds = [fold for fold in assignments if fold is not None]
    if not folds or len(folds) < len(assignments):
        return None
    for fold, model in zip(folds, single, strict=True):
        if not np.array_equal(fold, folds[0]):
            raise EvidenceError(
                "the H2O models were tested on different folds",
                needs="the same folds for every model",
                got=f"different folds for {model.model_id} and {single[0].model_id}",
                cure="Train them with one `fold_column`, or fold_assignment='Modulo'.",
            )
    return folds[0]


def _read_assignment(model: ModelBase, frame: H2OFrame | None, n: int) -> RawArray | None:
    """Return the folds of a model: kept, or known from how they were made."""
    params = model.actual_params
    assignment = None
    if params.get("keep_cross_validation_fold_assignment"):
        assignment = model.cross_validation_fold_assignment()
    if assignment is not None:
        return _read_codes([row[0] for row in _read_table(assignment)[1]])
    column = _find_column(model, "fold_column")
    if column is not None and frame is not None:
        return _read_codes([row[0] for row in _read_table(frame[column])[1]])
    if str(params.get("fold_assignment")) == "Modulo" and params.get("nfolds"):
        return np.arange(n) % int(params["nfolds"])
    return None


def _read_codes(cells: list[str]) -> RawArray:
    """Return folds as numbers where they are, else as text."""
    try:
        return np.array(cells, dtype=np.float64).astype(np.intp)
    except ValueError:
        return np.array(cells)


register(
    PredictionsReader(
        name="h2o", words="models of H2O, or its AutoML", takes=is_source, read=predictions_of
    )
)
