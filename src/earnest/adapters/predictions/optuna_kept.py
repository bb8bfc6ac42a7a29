"""Out-of-fold predictions of an objective of Optuna, kept beside its study and read again.

The files have names of their own, and each trial says in a user attribute which of them are its:
a folder may serve many studies and workers at once, and what a study that was deleted has left
there is never taken for another's.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import RawArray, as_array
from earnest.core.base.errors import FormatError, InputError
from earnest.core.base.writing import write_file
from earnest.core.tables.formats.expanding import check_arrays, refuse_expanding

if TYPE_CHECKING:
    from optuna import Trial
    from optuna.artifacts._protocol import ArtifactStore
    from optuna.trial import FrozenTrial

    from earnest.adapters.predictions.request import StoreLike

ATTRIBUTE = "earnest"  # of a trial: its number, its sampler, and the names of its files
_lock = threading.Lock()  # folds of a trial may be reported from several threads


@dataclass(frozen=True, eq=False)
class PredictionsPart:
    """What one call of `keep_predictions` kept."""

    rows: NDArray[np.intp]
    answer: RawArray


class TrialNote(TypedDict):
    """What a trial says was kept of it."""

    trial: int
    sampler: str
    files: list[str]


def keep_predictions(
    trial: Trial, rows: ArrayLike, predictions: ArrayLike, *, store: StoreLike
) -> None:
    """Keep the out-of-fold predictions of an Optuna trial, so that its study can be estimated.

    Call it in the objective, once for each test fold. All trials must use the same folds (a
    splitter with a fixed `random_state`); `predictions_from` then reads the study as Π.

    Parameters
    ----------
    trial : optuna.Trial
        The trial of the objective, or one from `study.ask()`.
    rows : array-like of int, shape (m,)
        The numbers of the cases that were tested, such as `test` of `cv.split(X, y)`.
    predictions : array-like, shape (m,) or (m, K)
        Of these cases: probabilities, decision values, labels or numbers; several columns are
        the classes.
    store : path or optuna artifact store
        A folder, which is made if it is not there and which every worker must see, or an
        artifact store of Optuna such as `FileSystemArtifactStore`.

    Examples
    --------
    >>> import tempfile, numpy as np, optuna
    >>> import earnest as en
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> y, noise = np.tile([0, 1], 30), np.random.default_rng(0).standard_normal(60)
    >>> folder = tempfile.TemporaryDirectory()
    >>> def objective(trial):
    ...     score = y * trial.suggest_float("skill", 0, 2) + noise
    ...     for fold in range(5):
    ...         rows = np.flatnonzero(np.arange(60) // 2 % 5 == fold)
    ...         en.keep_predictions(trial, rows, score[rows], store=folder.name)
    ...     return ((score > 0.5) == y).mean()
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(objective, n_trials=8)
    >>> en.predictions_from(study, y, store=folder.name)
    Predictions(n=60, configs=8, repeats=1, folds=5, task=binary, response=decision)
    >>> folder.cleanup()
    """
    _refuse_no_trial(trial)
    content = _pack(*_check_arrays(rows, predictions))
    place = _place(store)
    if isinstance(place, Path):
        name = _write_file(content, place)
    else:
        name = _upload(content, place, trial)
    with _lock:
        known = _find_note(trial) or {
            "trial": trial.number,
            "sampler": _name_sampler(trial),
            "files": [],
        }
        trial.set_user_attr(ATTRIBUTE, {**known, "files": [*known["files"], name]})


def find_sampler(trial: Trial | FrozenTrial) -> str | None:
    """Return the kind of sampler that proposed a trial, None where nothing was kept of it."""
    note = _find_note(trial)
    return None if note is None else str(note["sampler"])


def parts_of(trial: Trial | FrozenTrial, store: StoreLike) -> list[PredictionsPart]:
    """Return what was kept of a trial, fold by fold, in the order in which it was reported."""
    note = _find_note(trial)
    return [] if note is None else [_read(name, store, trial.number) for name in note["files"]]


def _find_note(trial: Trial | FrozenTrial) -> TrialNote | None:
    """Return what a trial says was kept; a retried trial inherits the note of another number."""
    note = trial.user_attrs.get(ATTRIBUTE)
    mine = isinstance(note, dict) and note.get("trial") == trial.number
    return cast(TrialNote, note) if mine else None


def _refuse_no_trial(trial: object) -> None:
    if not all(hasattr(trial, name) for name in ("number", "set_user_attr", "user_attrs")):
        raise InputError(
            "`trial` is not a trial",
            needs="the optuna.Trial that the objective receives",
            got=check.show(trial),
        )


def _name_sampler(trial: object) -> str:
    """Return the kind of the sampler at work: a study that is loaded later has forgotten it."""
    kind = type(getattr(getattr(trial, "study", None), "sampler", None))
    return kind.__name__ if kind.__module__.startswith("optuna.") else f"other {kind.__name__}"


def _check_arrays(rows: ArrayLike, predictions: ArrayLike) -> tuple[NDArray[np.intp], RawArray]:
    where, answer = np.asarray(rows), as_array("predictions", predictions)
    if where.ndim != 1 or where.dtype.kind not in "iu" or (len(where) and where.min() < 0):
        raise InputError(
            "`rows` are not row numbers",
            needs="integers of at least 0, such as `test` of cv.split(X, y)",
            got=check.show(rows),
            cure="For a mask pass np.flatnonzero(mask)." if where.dtype == bool else "",
        )
    if len(np.unique(where)) < len(where) or not len(where):
        raise InputError(
            "`rows` name a case twice" if len(where) else "`rows` are empty",
            needs="each case of the test fold once",
            got=check.show(rows),
        )
    if answer.ndim not in (1, 2) or len(answer) != len(where):
        raise InputError(
            "`rows` and `predictions` differ in length",
            needs=f"({len(where)},) predictions, or ({len(where)}, K) for K classes",
            got=f"shape {answer.shape}",
        )
    if answer.dtype == object:  # a pickle is neither written nor read
        answer = answer.astype(str)
    return where.astype(np.intp), answer[:, 0] if answer.shape[1:] == (1,) else answer


def _pack(rows: NDArray[np.intp], answer: RawArray) -> bytes:
    out = BytesIO()
    np.savez_compressed(out, rows=rows, answer=answer)
    return out.getvalue()


def _place(store: StoreLike) -> Path | ArtifactStore:
    """Return the folder, or the artifact store, and refuse what is neither."""
    if isinstance(store, (str, os.PathLike)):
        return Path(store)
    if all(hasattr(store, name) for name in ("open_reader", "write")):
        return store
    raise InputError(
        "`store` cannot hold predictions",
        needs="the path of a folder, or an artifact store of Optuna",
        got=check.show(store),
    )


def _write_file(content: bytes, folder: Path) -> str:
    """Write a file whole or not at all, under a name that no other worker uses."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{uuid.uuid4().hex}.npz"
    write_file(folder / name, content)
    return name


def _upload(content: bytes, store: ArtifactStore, trial: Trial) -> str:
    from optuna.artifacts import upload_artifact

    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        path = Path(folder) / "earnest-predictions.npz"
        path.write_bytes(content)
        return str(upload_artifact(artifact_store=store, file_path=str(path), study_or_trial=trial))


def _read(name: str, store: StoreLike, number: int) -> PredictionsPart:
    try:
        with _open_part(name, store) as file, np.load(file, allow_pickle=False) as content:
            refuse_expanding(content.zip, Path(name), file.seek(0, os.SEEK_END))
            check_arrays(content.zip, Path(name))
            return PredictionsPart(content["rows"].astype(np.intp), content["answer"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"the predictions of trial {number} are not in the store",
            needs="the `store` that you passed to keep_predictions, with all of its files",
            got=f"{check.show(name)}: {type(error).__name__}",
        ) from error


@contextmanager
def _open_part(name: str, store: StoreLike) -> Iterator[BinaryIO]:
    place = _place(store)
    if isinstance(place, Path):
        if Path(name).name != name:  # a study may come from anyone: never leave the folder
            raise OSError(f"{json.dumps(name)} is not a file name")
        with (place / name).open("rb") as file:
            yield file
        return
    from optuna.artifacts.exceptions import ArtifactNotFound

    try:
        with place.open_reader(name) as file:
            content = BytesIO(file.read())
    except ArtifactNotFound as error:
        raise OSError(f"{json.dumps(name)} is not in the artifact store") from error
    yield content
