"""Π of mljar-supervised: the out-of-fold predictions in its results folder, all of it text.

Each model has a folder with `framework.json` and `predictions_out_of_folds.csv`, whose rows are
the training cases in order; `folds/` tells which fold validated which case. With a single split
there are `predictions_validation.csv` and `split_validation_indices.npy` instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

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
from earnest.core.base.arrays import RawArray, missing, whole_as_int
from earnest.core.base.errors import EvidenceError, FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions.reasons import Omission, Peek, Silence
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MOST_STEPS, GreedyEnsemble
from earnest.core.results.base import parse_json
from earnest.core.text.doors import arg

TOOL = "mljar-supervised"
FILES = ("predictions_out_of_folds.csv", "predictions_validation.csv", "predictions_ensemble.csv")
# Those that stop by the score on the fold that tests them; its neural networks split off their own.
STOPPING = {"CatBoost", "Extra Trees", "LightGBM", "Random Forest", "Xgboost"}
NOT_TUNED = {"Baseline", "Decision Tree", "Linear"}  # by its Optuna, which uses the first fold
TASKS = {
    "binary_classification": "binary",
    "multiclass_classification": "multiclass",
    "regression": "regression",
}
_LEFT = {"seed", "explain_level", "ml_task", "num_class", "n_jobs", "model_type", "metric"}


def is_folder(source: object) -> bool:
    """Tell whether this is a results folder, even of a run that was stopped."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    begun = (path / "params.json").is_file() or (path / "progress.json").is_file()
    return begun and (path / "data_info.json").is_file()


def is_automl(source: object) -> bool:
    """Tell whether this is an `AutoML` of mljar, without importing it."""
    return is_kind(source, "AutoML", "supervised.")


def predictions_of(automl: object, wanted: PredictionsRequest) -> Predictions:
    """Make Π of a fitted `AutoML`, from its folder."""
    folder = getattr(automl, "results_path", None) or getattr(automl, "_results_path", None)
    if folder is None:
        raise InputError("the AutoML of mljar was not fitted", cure="Call its `fit` first.")
    return read_folder(Path(folder), wanted)


def read_folder(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π of a results folder."""
    folder = Path(source)
    wanted.refuse("mljar-supervised", "store", "study", "trust_pickle", "fold")
    facts, about = _read_params(folder), _read_json(folder / "data_info.json")
    task = TASKS.get(str(facts.get("ml_task")))
    if task is None:
        raise EvidenceError(
            "the task of mljar cannot be read",
            needs=", ".join(TASKS),
            got=check.show(facts.get("ml_task")),
        )
    tables = [_read(folder / name) for name in facts.get("saved", [])]
    with_rows = [table for table in tables if table.content is not None]
    if not with_rows:
        raise EvidenceError(
            "mljar-supervised kept no predictions",
            needs=f"model folders with {FILES[0]}",
            got=f"{len(tables)} models in {str(folder)!r} without any",
        )
    labels = _find_labels(tables, task)
    rows, fold = _read_folds(folder, len(with_rows[0]))
    source_rows = _find_given(rows, int(about.get("rows", rows.max() + 1)), wanted)
    names = _name_labels(labels, numbers=bool(about.get("target_is_numeric")))
    written = _read_written(with_rows[0], names)
    y = written if wanted.y is None else _check_outcome(written, source_rows, wanted)
    run = ToolRun(
        tool=TOOL,
        models=tuple(_make_model(table, task, labels) for table in tables),
        y=y,
        fold=fold,
        averaged=fold is None and any(_list_in_order(folder)),
        weighted=bool(about.get("is_sample_weighted")),
        rows=source_rows,
        rule=_find_rule(facts, tables),
    )
    return predictions_of_models(run, _add_task(wanted, task, _match_labels(y, names)))


def _read_params(folder: Path) -> JsonObject:
    """Return what is said of the run; mljar writes it with its first model."""
    if not (folder / "params.json").is_file():
        raise EvidenceError(
            "the run of mljar-supervised was stopped before it had a model",
            needs="a run with at least one model, finished or not",
            got=f"no params.json in {str(folder)!r}",
            cure="Fit again with the same results_path to continue it.",
        )
    return _read_json(folder / "params.json")


@dataclass(frozen=True, eq=False)
class ModelFolder:
    """The folder of a model: what it is, and the columns of its predictions."""

    name: str
    framework: JsonObject
    columns: tuple[str, ...]
    content: NDArray[np.float64] | None  # (n, columns)

    def __len__(self) -> int:
        """Count the cases."""
        return 0 if self.content is None else len(self.content)

    def named(self, start: str) -> NDArray[np.float64]:
        """Return the columns whose names begin so."""
        assert self.content is not None
        return self.content[:, [c.startswith(start) for c in self.columns]]


def _read(folder: Path) -> ModelFolder:
    """Read the folder of a model; an ensemble has another description than a single one."""
    single = folder / "framework.json"
    framework = _read_json(single) if single.is_file() else {"ensemble": True}
    files = [folder / name for name in FILES if (folder / name).is_file()]
    if not files:
        return ModelFolder(folder.name, framework, (), None)
    from pyarrow import ArrowInvalid, csv

    try:
        table = csv.read_csv(files[0])
        columns = [column.to_numpy().astype(np.float64) for column in table.columns]
    except (ArrowInvalid, ValueError) as error:
        raise FormatError(
            f"{files[0].name!r} of {folder.name!r} cannot be read",
            needs=f"a column {arg('target')} and columns {arg('prediction')}, numbers only",
            got=str(error),
        ) from error
    return ModelFolder(folder.name, framework, tuple(table.column_names), np.column_stack(columns))


def _read_json(path: Path) -> JsonObject:
    try:
        return dict(parse_json(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise FormatError(
            f"{path.name!r} cannot be read", needs="a JSON file of mljar", got=str(error)
        ) from error


def _find_labels(tables: list[ModelFolder], task: str) -> list[str] | None:
    """Return the labels in the order of their codes, where mljar turned text into codes."""
    for table in tables:
        for step in table.framework.get("preprocessing", []):
            codes = step.get("categorical_y")
            if codes and task != "regression":
                return sorted(codes, key=lambda label: int(codes[label]))
    return None


def _read_folds(folder: Path, n: int) -> tuple[NDArray[np.intp], NDArray[np.intp] | None]:
    """Return the rows that the tables are about, and their folds; None for several repeats."""
    tests = [np.load(p, allow_pickle=False) for p in _list_in_order(folder)]
    rows = np.unique(np.concatenate(tests)) if tests else np.arange(n)
    if len(rows) != n:
        raise FormatError(
            "the folds and the predictions of mljar have different cases",
            needs=f"{len(rows)} predictions, as the files with indices say",
            got=str(n),
        )
    if not tests or sum(map(len, tests)) != len(rows):
        return rows, None
    fold = np.empty(len(rows), dtype=np.intp)
    for number, test in enumerate(tests):
        fold[np.searchsorted(rows, test)] = number
    return rows, fold


def _list_in_order(folder: Path) -> list[Path]:
    files = [*folder.glob("folds/fold_*validation_indices.npy")]
    files += folder.glob("split_*validation_indices.npy")  # a single split stands beside
    return sorted(files, key=lambda p: [int(w) for w in p.stem.split("_") if w.isdecimal()])


def _find_given(rows: NDArray[np.intp], n: int, wanted: PredictionsRequest) -> SourceRows:
    """Return where the cases stand in the user's table; rows without an outcome are dropped."""
    if wanted.y is None:
        return SourceRows(n=n, rows=rows)
    absent = missing(np.asarray(wanted.y))
    labelled = np.flatnonzero(~absent)
    if absent.ndim != 1 or len(labelled) <= rows.max():
        raise InputError(
            f"{OUTCOME} does not match the cases that mljar used",
            needs=f"{n} values, in the order of the training rows",
            got=f"shape {absent.shape}" + (" with missing values" if absent.any() else ""),
            cure="Leave it out: the folder holds the outcome.",
        )
    omission = Omission.NO_OUTCOME if absent.any() else None
    return SourceRows(n=len(absent), rows=labelled[rows], left_out=omission)


def _name_labels(labels: list[str] | None, *, numbers: bool) -> RawArray | None:
    """Return the user's labels in the order of their codes; mljar writes them as text."""
    if labels is None or not numbers:
        return None if labels is None else np.asarray(labels)
    try:
        return whole_as_int(np.asarray(labels, dtype=np.float64))
    except ValueError:
        return np.asarray(labels)


def _read_written(table: ModelFolder, names: RawArray | None) -> RawArray:
    """Return the outcome that mljar wrote, in the user's labels."""
    target = table.named("target")[:, 0]
    return whole_as_int(target) if names is None else names[target.astype(np.intp)]


def _check_outcome(
    written: RawArray, source_rows: SourceRows, wanted: PredictionsRequest
) -> RawArray:
    """Return the given outcome if it is the one that mljar wrote."""
    mine = np.asarray(source_rows.cases(wanted.y))
    if mine.dtype.kind == "f" and written.dtype.kind in "if":
        same = np.isclose(mine, written)
    elif mine.dtype.kind == "b" or written.dtype.kind == mine.dtype.kind:
        same = mine == written
    else:
        same = mine.astype(str) == written.astype(str)
    if not np.all(same):
        raise InputError(
            f"{OUTCOME} differs from the outcome that mljar used",
            needs="the same outcome, in the order of the training rows",
            got=f"{int(np.sum(~same))} of {len(mine)} different values",
            cure="Leave it out: the folder holds the outcome.",
        )
    return mine


def _match_labels(y: RawArray, names: RawArray | None) -> list[object] | None:
    """Return the labels as `y` has them."""
    classes = {str(value): value for value in np.unique(y).tolist()}
    return None if names is None else [classes.get(str(name), name) for name in names.tolist()]


def _make_model(table: ModelFolder, task: str, labels: list[str] | None) -> AutoMLModel:
    learner = dict(table.framework.get("params", {}).get("learner", {}))
    kind = str(learner.get("model_type", "Ensemble"))
    answer = None if table.content is None else _read_answer(table, task, labels)
    return AutoMLModel(
        name=table.name,
        answer=answer,
        params={"model": kind} | {k: v for k, v in learner.items() if k not in _LEFT},
        stops_early=kind in STOPPING,
        ensemble=bool(table.framework.get("ensemble") or table.framework.get("is_stacked")),
        peeked=_find_peeking(table.framework.get("params", {}), kind),
        silence=Silence.NO_FILE if answer is None else None,
    )


def _find_rule(facts: JsonObject, tables: list[ModelFolder]) -> GreedyEnsemble | None:
    """Return the rule of the model that predicts, where it is an ensemble.

    mljar adds models one by one, as Caruana et al. do, in as many steps as there are models.
    """
    by_name = {table.name: table.framework for table in tables}
    if not by_name.get(str(facts.get("best_model")), {}).get("ensemble"):
        return None
    single = [
        facts_of_model
        for facts_of_model in by_name.values()
        if not (facts_of_model.get("ensemble") or facts_of_model.get("is_stacked"))
    ]
    return GreedyEnsemble(size=min(max(len(single), 1), MOST_STEPS))


def _find_peeking(params: JsonObject, kind: str) -> Peek | None:
    """Tell how the outcome of the test folds came into training, apart from early stopping."""
    prepared = params.get("preprocessing", {})
    if prepared.get("golden_features"):  # made once, from the training part of the first fold
        return Peek.GOLDEN_FEATURES
    if prepared.get("drop_features"):  # those of least importance on the test folds
        return Peek.FEATURES
    if params.get("injected_sample_weight"):  # by the errors of another model out of fold
        return Peek.WEIGHTS
    if params.get("optuna_time_budget") and kind not in NOT_TUNED:
        return Peek.HYPERPARAMETERS
    return None


def _read_answer(table: ModelFolder, task: str, labels: list[str] | None) -> NDArray[np.float64]:
    answer = table.named("prediction")
    if task != "multiclass":
        return answer[:, 0]
    names = [c.removeprefix("prediction_") for c in table.columns if c.startswith("prediction")]
    if labels is not None and sorted(names) == sorted(labels):
        answer = answer[:, [names.index(label) for label in labels]]
    sums = answer.sum(axis=1, keepdims=True)  # written as text: 1 but for rounding
    return np.asarray(answer / sums)


def _add_task(
    wanted: PredictionsRequest, task: str, labels: list[object] | None
) -> PredictionsRequest:
    """Return what is wanted with what the folder tells: task, classes and the positive class."""
    request = replace(wanted, task=wanted.task or task)
    if labels is not None and task == "binary" and wanted.positive is None:
        return replace(request, positive=labels[1])  # the column is the score of code 1
    if labels is not None and task == "multiclass" and wanted.classes is None:
        return replace(request, classes=labels)
    return request


register(
    PredictionsReader(
        name="mljar",
        words="an AutoML of mljar",
        takes=is_automl,
        read=predictions_of,
    )
)
register(
    PredictionsReader(
        name="mljar_folder",
        words="a results folder of mljar-supervised",
        takes=is_folder,
        read=read_folder,
        tool=TOOL,
    )
)
