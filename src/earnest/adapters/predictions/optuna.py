"""Predictions of an objective of Optuna: kept beside its study, and read again as Π.

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.adapters.readers import OUTCOME, PredictionsReader, PredictionsRequest, register
from earnest.adapters.trials.files import SQLITE, is_storage, read_start
from earnest.adapters.trials.optuna import (
    StudyContent,
    is_study,
    open_study_journal,
    open_study_sqlite,
    open_study_url,
)
from earnest.core.base import check
from earnest.core.base.arrays import RawArray, as_array
from earnest.core.base.errors import EvidenceError, FormatError, InputError
from earnest.core.base.writing import write_file
from earnest.core.cautions import of_evidence, of_search
from earnest.core.data.folds import places
from earnest.core.data.guides import FIXED, Guides, Halves
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.core.space.parameters import simplify_value
from earnest.core.tables.formats.expanding import check_arrays, refuse_expanding
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.artifacts._protocol import ArtifactStore
    from optuna.trial import FrozenTrial

    from earnest.adapters.readers import StoreLike
    from earnest.core.tables.columns import Outcome


STATIC = {"RandomSampler", "GridSampler", "BruteForceSampler", "QMCSampler"}  # see no scores
DONE, PRUNED = "COMPLETE", "PRUNED"


@dataclass(frozen=True, eq=False)
class TrialParts:
    """A finished trial with the parts that were kept of it, by the rows that they tested."""

    trial: FrozenTrial
    parts: dict[bytes, PredictionsPart]

    @property
    def done(self) -> bool:
        """Whether the trial ended as a candidate for the winner."""
        return bool(self.trial.state.name == DONE)


def read_kept_study(study: Study | StudyContent, wanted: PredictionsRequest) -> Predictions:
    """Make Π from a study whose objective called `keep_predictions`.

    Every finished trial is a configuration. One that was pruned, failed, or gave NaN lacks
    predictions in some folds, and is left out of estimates with a note (EN012).
    """
    source = "an Optuna study"
    wanted.refuse(source, "study", "fold", "ensembles", "trust_pickle")
    finished = [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
    _refuse_nothing(study, finished)
    y = wanted.outcome(source)
    if wanted.store is None:
        raise InputError(
            f"{arg('store')} is missing: a study does not hold its predictions",
            needs="the folder or artifact store that you passed to keep_predictions",
        )
    _refuse_no_folder(wanted.store)
    trials = [_read_kept(trial, wanted.store) for trial in finished]
    _refuse_no_whole(study, trials)
    tests = _find_folds(trials)
    n = _count_cases(y, tests)
    scores, fold = _fill_table(trials, tests, n)
    remarks = (*_remark_silent(trials), *_remark_pruned(trials), *_remark_longer(n, tests))
    pi = wanted.made(y, scores, fold, _make_configs(trials), remarks)
    return replace(pi, guides=_find_guides(trials, n))


def read_kept_storage(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π from a study in a storage: a URL, a SQLite file or a journal file."""
    study = _open_study(source, wanted.study)
    return read_kept_study(study, replace(wanted, study=None))


def _open_study(source: str | Path, name: str | None) -> StudyContent:
    if isinstance(source, str) and "://" in source:
        return open_study_url(source, name)
    path = Path(source)
    database = read_start(path).startswith(SQLITE)
    return open_study_sqlite(path, name) if database else open_study_journal(path, name)


def _refuse_no_folder(store: StoreLike) -> None:
    if isinstance(store, (str, Path)) and not Path(store).is_dir():
        raise InputError(
            f"{arg('store')} is not a folder: {str(store)!r}",
            needs="the folder that you passed to keep_predictions",
            cure="Its path is relative to the folder where the study was run.",
        )


def _read_kept(trial: FrozenTrial, store: StoreLike) -> TrialParts:
    """Return a trial with its parts; of a fold that was reported twice the last one counts."""
    parts: dict[bytes, PredictionsPart] = {}
    for fold in parts_of(trial, store):
        if _is_whole(fold.answer):
            order = np.argsort(fold.rows, kind="stable")
            rows = fold.rows[order]
            halves = None if fold.halves is None else fold.halves[order]
            parts[rows.tobytes()] = PredictionsPart(rows, fold.answer[order], halves, fold.guide)
    return TrialParts(trial, parts)


def _is_whole(answer: RawArray) -> bool:
    return answer.dtype.kind != "f" or bool(np.isfinite(answer).all())


def _refuse_nothing(study: Study | StudyContent, finished: Sequence[FrozenTrial]) -> None:
    """Refuse a study whose objective kept nothing, and say what can be done with it."""
    if any(find_sampler(trial) is not None for trial in finished):
        return
    if not finished:
        raise EvidenceError(
            f"the study {check.show(study.study_name)} has no finished trial",
            needs="trials whose objective called earnest.keep_predictions",
        )
    raise EvidenceError(
        f"the study {check.show(study.study_name)} kept no predictions, and earnest cannot "
        "correct scores alone",
        needs="an objective that calls earnest.keep_predictions(trial, rows, predictions, ...)",
        got=f"no predictions in any of {len(finished)} finished",
        cure="Add that line and run the same trials again: new.enqueue_trial(trial.params) for "
        "trial in study.trials. earnest.explain works without them.",
    )


def _refuse_no_whole(study: Study | StudyContent, trials: Sequence[TrialParts]) -> None:
    if not any(trial.parts for trial in trials if trial.done):
        raise EvidenceError(
            "the study has no completed trial with predictions",
            needs="a completed trial with finite predictions",
            got=f"no such trial among {len(trials)} finished of {check.show(study.study_name)}",
        )


def _find_folds(trials: Sequence[TrialParts]) -> dict[bytes, NDArray[np.intp]]:
    """Return the test folds of the fullest trial, and refuse trials with others."""
    fullest = max((trial for trial in trials if trial.done), key=lambda trial: len(trial.parts))
    for trial in trials:
        strange = [key for key in trial.parts if key not in fullest.parts]
        if strange:
            raise EvidenceError(
                "trials were tested on different folds",
                needs="the same test rows in every trial",
                got=f"different rows in trials {trial.trial.number} and {fullest.trial.number}",
                cure="Give the splitter a fixed random_state, or make the splits once before the "
                "study: splits = list(cv.split(X, y)).",
            )
    return {key: fold.rows for key, fold in fullest.parts.items()}


def _count_cases(y: Outcome, tests: dict[bytes, NDArray[np.intp]]) -> int:
    n = len(y[0]) if isinstance(y, tuple) else len(y)
    largest = 1 + max(int(rows.max()) for rows in tests.values())
    if largest > n:
        raise InputError(
            f"{OUTCOME} has fewer cases than the kept rows",
            needs=f"at least {largest} cases, in the order of the row numbers",
            got=str(n),
        )
    return n


def _fill_table(
    trials: Sequence[TrialParts], tests: dict[bytes, NDArray[np.intp]], n: int
) -> tuple[RawArray, NDArray[np.int32]]:
    """Return responses (n, C, R[, K]) and folds (n, R)."""
    placed = dict(zip(tests, places(list(tests.values()), n), strict=True))
    repeats = 1 + max(repeat for repeat, _ in placed.values())
    parts = [answers_of_fold.answer for trial in trials for answers_of_fold in trial.parts.values()]
    shape = (n, len(trials), repeats, *_find_width(trials))
    text = any(answers_of_fold.dtype.kind in "US" for answers_of_fold in parts)
    scores = np.full(shape, None if text else np.nan, dtype=object if text else np.float64)
    fold = np.full((n, repeats), -1, dtype=np.int32)
    for column, trial in enumerate(trials):
        for key, answers_of_fold in trial.parts.items():
            scores[answers_of_fold.rows, column, placed[key][0]] = answers_of_fold.answer
    for key, rows in tests.items():
        fold[rows, placed[key][0]] = placed[key][1]
    return scores, fold


def _find_guides(trials: Sequence[TrialParts], n: int) -> Guides | None:
    """Return what guided the trials of a crossed study.

    None if some trial does not say, or if trials tell of different halves.
    """
    halves = np.full(n, -1, dtype=np.int8)
    guided_by = np.full(len(trials), FIXED, dtype=np.int8)
    for row, trial in enumerate(trials):
        for answers in trial.parts.values():
            if answers.halves is None:
                return None
            earlier = halves[answers.rows]
            if ((earlier >= 0) & (earlier != answers.halves)).any():
                return None
            halves[answers.rows], guided_by[row] = answers.halves, answers.guide
    return Guides(np.maximum(halves, 0).astype(np.int8), guided_by)


def _find_width(trials: Sequence[TrialParts]) -> tuple[int, ...]:
    shapes = {
        p.answer.shape[1:]: trial.trial.number for trial in trials for p in trial.parts.values()
    }
    if len(shapes) > 1:
        raise InputError(
            "the kept predictions have different shapes",
            needs="the same number of columns in every fold of every trial",
            got=", ".join(f"{shape or (1,)} in trial {number}" for shape, number in shapes.items()),
            cure="If a training part lacks a class, fill its column with zeros.",
        )
    return next(iter(shapes))


def _make_configs(trials: Sequence[TrialParts]) -> Configs:
    samplers = {
        name for name in (find_sampler(trial.trial) for trial in trials) if name is not None
    }
    return Configs(
        ids=tuple(f"trial {trial.trial.number}" for trial in trials),
        params=tuple(
            {k: simplify_value(v) for k, v in trial.trial.params.items()} for trial in trials
        ),
        static=samplers <= STATIC,
    )


def _remark_silent(trials: Sequence[TrialParts]) -> Iterator[Caution]:
    """Yield a caution where a trial was a candidate, and nothing is known of its predictions."""
    silent = [str(trial.trial.number) for trial in trials if trial.done and not trial.parts]
    if silent:
        yield of_search.trials_without_predictions(tuple(silent), harvested=False)


def _remark_pruned(trials: Sequence[TrialParts]) -> Iterator[Caution]:
    """Yield a caution where a pruner ended trials by their scores so far."""
    ended = sum(trial.trial.state.name == PRUNED for trial in trials)
    if ended:
        yield of_search.trials_pruned(ended, len(trials))


def _remark_longer(n: int, tests: dict[bytes, NDArray[np.intp]]) -> Iterator[Caution]:
    """Yield a caution where the outcome goes on after the last row that was tested.

    Test rows that are 0, 1, ... up to some row are those of a whole cross-validation of fewer
    cases; the rows of a hold-out set, or of splits in time, begin later or have gaps.
    """
    tested = np.unique(np.concatenate(list(tests.values())))
    if len(tested) < n and tested[-1] == len(tested) - 1:
        yield of_evidence.outcome_too_long(n, len(tested))


register(
    PredictionsReader(name="optuna", words="an Optuna study", takes=is_study, read=read_kept_study)
)
register(
    PredictionsReader(
        name="optuna_storage",
        words="a storage of Optuna",
        takes=is_storage,
        read=read_kept_storage,
        tool="Optuna",
        options=" --store FOLDER --data TABLE --target COLUMN",
    )
)


ATTRIBUTE = "earnest"  # of a trial: its number, its sampler, and the names of its files
_lock = threading.Lock()  # folds of a trial may be reported from several threads


@dataclass(frozen=True, eq=False)
class PredictionsPart:
    """What one call of `keep_predictions` kept."""

    rows: NDArray[np.intp]
    answer: RawArray
    halves: Halves | None = None  # of these rows, in a crossed study
    guide: int = FIXED


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
    keep_part(trial, rows, predictions, store)


def keep_part(
    trial: Trial,
    rows: ArrayLike,
    predictions: ArrayLike,
    store: StoreLike,
    guide: tuple[Halves, int] | None = None,
) -> PredictionsPart:
    """Keep a test fold of a trial, and return it; `guide` is what guides a crossed study.

    That is the half of every case, and the half whose scores the trial's sampler is told.
    """
    _refuse_no_trial(trial)
    where, answer = _check_arrays(rows, predictions)
    out = BytesIO()
    if guide is None:
        np.savez_compressed(out, rows=where, answer=answer)
    else:
        halves, half = guide
        np.savez_compressed(out, rows=where, answer=answer, halves=halves[where], guide=half)
    content = out.getvalue()
    target = _place(store)
    if isinstance(target, Path):
        name = _write_file(content, target)
    else:
        name = _upload(content, target, trial)
    with _lock:
        note = _find_note(trial) or {
            "trial": trial.number,
            "sampler": _name_sampler(trial),
            "files": [],
        }
        trial.set_user_attr(ATTRIBUTE, {**note, "files": [*note["files"], name]})
    return PredictionsPart(where, answer)


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
            needs=f"integers of at least 0, such as {arg('test')} of cv.split(X, y)",
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


def _place(store: StoreLike) -> Path | ArtifactStore:
    """Return the folder, or the artifact store, and refuse what is neither."""
    if isinstance(store, (str, os.PathLike)):
        return Path(store)
    if all(hasattr(store, name) for name in ("open_reader", "write")):
        return store
    raise InputError(
        f"{arg('store')} cannot hold predictions",
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
            answers = PredictionsPart(content["rows"].astype(np.intp), content["answer"])
            if "halves" not in content:
                return answers
            halves = content["halves"].astype(np.int8)
            return replace(answers, halves=halves, guide=int(content["guide"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"the predictions of trial {number} are not in the store",
            needs=f"the {arg('store')} that you passed to keep_predictions, with all of its files",
            got=f"{check.show(name)}: {type(error).__name__}",
        ) from error


@contextmanager
def _open_part(name: str, store: StoreLike) -> Iterator[BinaryIO]:
    target = _place(store)
    if isinstance(target, Path):
        if Path(name).name != name:  # a study may come from anyone: never leave the folder
            raise OSError(f"{json.dumps(name)} is not a file name")
        with (target / name).open("rb") as file:
            yield file
        return
    from optuna.artifacts.exceptions import ArtifactNotFound

    try:
        with target.open_reader(name) as file:
            content = BytesIO(file.read())
    except ArtifactNotFound as error:
        raise OSError(f"{json.dumps(name)} is not in the artifact store") from error
    yield content
