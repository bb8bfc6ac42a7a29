"""Π of TabRepo and TabArena: what their repositories keep of every configuration and task.

A repository has a folder per dataset, and in it one per fold: an outer split into cases that models
were trained on and cases that test them. `pred-val.dat` holds the out-of-fold predictions of the
training cases, by which models are chosen, and `pred-test.dat` those of the test cases: numbers
without a header, `(models, cases[, classes])`. What they are stands in `metadata.json`, and the
labels in `label-*.csv.zip` or `labels.dat`; newer repositories have both in one `tasks.dat` a
dataset. A fold is read by its training cases. A dataset of several folds is a cross-validation,
and is read by its test cases.
"""

from __future__ import annotations

import shlex
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.automl import AutoMLModel, ToolRun, predictions_of_models
from earnest.adapters.readers import PredictionsReader, PredictionsRequest, register
from earnest.core.base import check
from earnest.core.base.arrays import RawArray, whole_as_int
from earnest.core.base.errors import EvidenceError, FormatError, InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.base import parse_json
from earnest.core.tables.columns import convert_column, number_repeats
from earnest.core.tables.formats.expanding import refuse_expanding

TOOL = "TabRepo"
METADATA, TASKS, LABELS = "metadata.json", "tasks.dat", "labels.dat"
TYPES = ("float16", "float32", "float64")
# How the names of models begin that stop by the score on the fold that validates them.
STOPPING = ("CatBoost", "LightGBM", "XGBoost", "NeuralNet", "RealMLP", "TabM", "ModernNCA")
_HEADER = struct.Struct("<I")
_LARGEST_HEADER = 256 << 20


@dataclass(frozen=True, eq=False)
class Part:
    """The predictions of the training or of the test cases of one fold, and their labels."""

    models: tuple[str, ...]
    answers: NDArray[np.floating]  # (C, n) or (C, n, K)
    labels: RawArray  # (n,)
    ids: RawArray | None  # (n,), None where the repository does not name its cases

    @property
    def classes(self) -> int:
        """The number of classes, 0 where there is one number per case."""
        return self.answers.shape[2] if self.answers.ndim == 3 else 0


def is_fold(source: object) -> bool:
    """Tell whether this is the folder of one fold of one dataset."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    described = (path / METADATA).is_file() or (path.parent / TASKS).is_file()
    return described and (path / "pred-val.dat").is_file() and (path / "pred-test.dat").is_file()


def is_dataset(source: object) -> bool:
    """Tell whether this is the folder of a dataset, with folders of folds."""
    return isinstance(source, str | Path) and any(map(is_fold, _list_folders(Path(source))))


def is_repository(source: object) -> bool:
    """Tell whether this is the folder of a repository, with folders of datasets."""
    if not isinstance(source, str | Path):
        return False
    folders = _list_folders(Path(source))
    return any(is_dataset(folder) for folder in folders[:MOST_FOLDERS])


MOST_FOLDERS = 100  # that are looked into to see what a folder is


def _list_folders(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_dir())
    except OSError:
        return []


def read_fold(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π of the out-of-fold predictions of the training cases of one fold."""
    _refuse_meaningless(wanted)
    fold = _read_part(Path(source), "val")
    run = ToolRun(
        tool=TOOL,
        models=tuple(
            AutoMLModel(name=name, answer=answer, stops_early=name.startswith(STOPPING))
            for name, answer in zip(
                fold.models, _normalise(fold.answers, fold.classes), strict=True
            )
        ),
        y=fold.labels,
        static=True,  # portfolios of fixed and of random configurations
    )
    return predictions_of_models(run, _add_task(wanted, fold.labels, fold.classes))


def read_dataset(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π of the test cases of all folds of a dataset; one fold is read as such."""
    folders = [folder for folder in _list_folders(Path(source)) if is_fold(folder)]
    if len(folders) == 1:
        return read_fold(folders[0], wanted)
    _refuse_meaningless(wanted)
    wanted.refuse("a dataset of TabRepo, which tells its folds", "fold")
    folders.sort(key=lambda folder: (len(folder.name), folder.name))  # '2' comes before '10'
    parts = [_read_part(folder, "test") for folder in folders]
    if any(fold.ids is None for fold in parts):
        raise EvidenceError(
            "the repository does not name its cases, so the folds of a dataset may test the same "
            "ones",
            needs="label-test.csv.zip in every fold, or one fold",
            got=f"{len(folders)} folds with {TASKS} or {LABELS}",
            cure=f"Read one fold: earnest gather {shlex.quote(str(folders[0]))}.",
        )
    return _join(parts, [folder.name for folder in folders], wanted)


def refuse_repository(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Refuse a whole repository, since a winner is chosen for one dataset."""
    names = [folder.name for folder in _list_folders(Path(source)) if is_dataset(folder)]
    raise InputError(
        f"{str(source)!r} holds several datasets, and configurations are chosen for one",
        needs="the folder of a dataset, or of one of its folds",
        got=check.some(map(repr, names)),
        cure=f"Read one: earnest gather {shlex.quote(str(Path(source) / names[0]))}.",
    )


def _refuse_meaningless(wanted: PredictionsRequest) -> None:
    wanted.refuse("TabRepo", "y", "store", "study", "trust_pickle", "ensembles")


def _join(parts: Sequence[Part], names: Sequence[str], wanted: PredictionsRequest) -> Predictions:
    """Make Π of the test cases of several folds, in which a configuration may be missing."""
    ids = np.concatenate([each.ids for each in parts if each.ids is not None])
    _, first, case = np.unique(ids, return_index=True, return_inverse=True)
    fold = np.repeat(np.arange(len(parts)), [len(each.labels) for each in parts])
    tested = np.zeros((len(parts), len(first)), bool)
    tested[fold, case] = True
    runs = number_repeats(tested, np.arange(len(parts)))
    if runs is None and (tested.sum(axis=0) > 1).any():
        raise EvidenceError(
            "the folds overlap: a case is tested more than once",
            needs="folds, perhaps repeated, in which every repeat tests a case once",
            got=f"{len(parts)} folds, and up to {int(tested.sum(axis=0).max())} for a case",
            cure="Read one fold, or leave the folders of the other repeats out.",
        )
    runs = np.zeros(len(parts), np.intp) if runs is None else runs
    labels = np.concatenate([each.labels for each in parts])
    y = labels[first]
    if not np.array_equal(y[case], labels):
        raise EvidenceError("the folds disagree about the labels of the same cases")
    models = tuple(dict.fromkeys(name for each in parts for name in each.models))
    places = {name: position for position, name in enumerate(models)}
    classes = {each.classes for each in parts}
    if len(classes) > 1:
        raise EvidenceError("the folds have different numbers of classes", got=check.some(classes))
    shape = (len(y), len(models), int(runs.max()) + 1, *parts[0].answers.shape[2:])
    scores = np.full(shape, np.nan, parts[0].answers.dtype)  # (n, C, R[, K])
    folds = np.full((shape[0], shape[2]), None, dtype=object)
    for position, each in enumerate(parts):
        rows, repeat = case[fold == position], runs[position]
        which = [places[name] for name in each.models]
        answers = _normalise(each.answers, each.classes)
        scores[rows[:, None], which, repeat] = answers.swapaxes(0, 1)
        folds[rows, repeat] = names[position]
    request = _add_task(wanted, y, parts[0].classes)
    return request.made(y, scores, folds, Configs(ids=models, static=True))


def _normalise(answers: NDArray[np.floating], classes: int) -> NDArray[np.floating]:
    """Return probabilities that add up to 1, which numbers of half precision do nearly."""
    return answers / answers.sum(axis=-1, keepdims=True) if classes else answers


def _add_task(wanted: PredictionsRequest, labels: RawArray, many: int) -> PredictionsRequest:
    """Return what is wanted with the task that the labels and the numbers per case tell."""
    if wanted.task is not None:
        return wanted
    if many:
        classes = wanted.classes or list(range(many))
        return replace(wanted, task="multiclass", classes=classes, response="probability")
    if set(np.unique(labels).tolist()) <= {0, 1}:
        positive = 1 if wanted.positive is None else wanted.positive
        return replace(wanted, task="binary", positive=positive, response="probability")
    return replace(wanted, task="regression")


def _read_part(folder: Path, split: str) -> Part:
    """Read the predictions and labels of one fold."""
    facts, labels, ids = _read_facts(folder, split)
    models, kind = facts.get("models"), str(facts.get("dtype"))
    shape = facts.get(f"pred_{split}_shape")
    whole = isinstance(shape, list) and all(
        isinstance(length, int) and length > 0 for length in shape
    )
    if not (isinstance(models, list) and isinstance(shape, list) and whole and kind in TYPES):
        raise FormatError(
            f"the metadata of {str(folder)!r} cannot be read",
            needs=f"names of models, shapes, and a type of {', '.join(TYPES)}",
            got=check.show({"dtype": kind, f"pred_{split}_shape": shape}),
        )
    path = folder / f"pred-{split}.dat"
    size = int(np.prod(shape, dtype=object)) * np.dtype(kind).itemsize
    fits = len(shape) in (2, 3) and shape[0] == len(models) and shape[1] == len(labels)
    if path.stat().st_size != size or not fits:
        raise FormatError(
            f"{path.name!r} is not of the size that its metadata tells",
            needs=f"{size} bytes for {len(models)} models and {len(labels)} labels",
            got=f"{path.stat().st_size} bytes and shape {shape}",
        )
    answers = np.memmap(path, dtype=kind, mode="r", shape=tuple(shape))
    width = np.float32 if kind == "float16" else np.dtype(kind)
    return Part(tuple(map(str, models)), np.asarray(answers, width), whole_as_int(labels), ids)


def _read_facts(folder: Path, split: str) -> tuple[JsonObject, RawArray, RawArray | None]:
    """Return what is said of the predictions, the labels, and the names of the cases."""
    try:
        if (folder / METADATA).is_file():
            facts = dict(parse_json((folder / METADATA).read_text(encoding="utf-8")))
            return facts, *_read_labels(folder, split)
        header, content = _split_header(folder.parent / TASKS)
        facts = dict(header["folds"][folder.name])
        entry = facts["labels"][split]
        return facts, _take(content, entry, int(entry["offset"])), None
    except (OSError, ValueError, KeyError, TypeError, BadZipFile, struct.error) as error:
        raise FormatError(
            f"the fold {str(folder)!r} cannot be read",
            needs=f"{METADATA} with label-{split}.csv.zip or {LABELS}, or {TASKS} of the dataset",
            got=f"{type(error).__name__}: {error}",
        ) from error


def _read_labels(folder: Path, split: str) -> tuple[RawArray, RawArray | None]:
    """Return the labels of the cases, and their names where a table has them."""
    table = folder / f"label-{split}.csv.zip"
    if table.is_file():
        return _read_label_table(table)
    header, content = _split_header(folder / LABELS)
    before = header["val"]
    start = 0 if split == "val" else int(before["n"]) * np.dtype(str(before["dtype"])).itemsize
    return _take(content, header[split], start), None


def _read_label_table(path: Path) -> tuple[RawArray, RawArray]:
    """Return the second and the first column of a table, which is all that a ZIP file holds."""
    import pyarrow as pa
    from pyarrow import csv

    with ZipFile(path) as archive:
        refuse_expanding(archive, path)
        content = archive.read(archive.namelist()[0])
    table = csv.read_csv(pa.BufferReader(content))
    if table.num_columns != 2:
        raise ValueError(f"{table.num_columns} columns in place of two: {table.column_names}")
    ids, labels = (convert_column(table.column(i).combine_chunks()) for i in (0, 1))
    return labels, ids


def _split_header(path: Path) -> tuple[JsonObject, bytes]:
    """Return the JSON at the beginning of a file, after its length, and all that follows."""
    content = path.read_bytes()
    (size,) = _HEADER.unpack_from(content, 0)
    if size > min(len(content), _LARGEST_HEADER):
        raise ValueError(f"a header of {size} bytes in a file of {len(content)}")
    start = _HEADER.size + size
    header = dict(parse_json(content[_HEADER.size : start]))
    if header.get("version") != 1:
        raise ValueError(f"version {header.get('version')!r} in place of 1")
    return header, content[start:]


def _take(content: bytes, entry: JsonObject, offset: int) -> RawArray:
    """Return the labels that lie at a place: numbers of a type that is written beside them."""
    kind = np.dtype(str(entry["dtype"]))
    if kind.kind not in "iufb":
        raise ValueError(f"labels of type {kind}")
    return np.frombuffer(content, dtype=kind, count=int(entry["n"]), offset=offset)


register(
    PredictionsReader(
        name="tabrepo_fold",
        words="a fold of a dataset of TabRepo or TabArena",
        takes=is_fold,
        read=read_fold,
        tool=TOOL,
    )
)
register(
    PredictionsReader(
        name="tabrepo_dataset",
        words="a dataset of TabRepo or TabArena",
        takes=is_dataset,
        read=read_dataset,
        tool=TOOL,
    )
)
register(
    PredictionsReader(
        name="tabrepo",
        words="a repository of TabRepo or TabArena",
        takes=is_repository,
        read=refuse_repository,
        tool=TOOL,
    )
)
