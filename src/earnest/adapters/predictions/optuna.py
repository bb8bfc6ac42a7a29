"""Π of an Optuna study whose objective kept its predictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.adapters.predictions.optuna_kept import PredictionsPart, find_sampler, parts_of
from earnest.adapters.predictions.request import PredictionsRequest
from earnest.adapters.readers import PredictionsReader, register
from earnest.adapters.trials.files import list_tables, read_start
from earnest.adapters.trials.optuna import (
    StudyContent,
    is_study,
    open_study_journal,
    open_study_sqlite,
    open_study_url,
)
from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.folds import places
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.core.space.parameters import plain

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

    from earnest.adapters.predictions.request import StoreLike
    from earnest.core.tables.columns import Outcome

URL = re.compile(r"^[a-z][a-z0-9+]+:/", re.IGNORECASE)  # a Path has lost one of the slashes
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


def is_storage(source: object) -> bool:
    """Tell whether this is a storage of Optuna: a URL, a SQLite file or a journal file."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if not path.is_file():
        return not path.exists() and bool(URL.match(str(source)))
    start = read_start(path)
    if start.startswith(b"SQLite format 3\0"):
        return "study_directions" in list_tables(path)
    return start.startswith(b"{") and b'"op_code"' in start


def read_kept_study(study: Study | StudyContent, wanted: PredictionsRequest) -> Predictions:
    """Make Π from a study whose objective called `keep_predictions`.

    Every finished trial is a configuration. One that was pruned, failed, or gave NaN lacks
    predictions in some folds, and is left out of estimates with a note (EN012).
    """
    source = "an Optuna study"
    wanted.refuse(source, "study", "fold", "ensembles", "trust_pickle")
    finished = [trial for trial in study.get_trials(deepcopy=False) if _is_finished(trial)]
    _refuse_nothing(study, finished)
    y = wanted.outcome(source)
    if wanted.store is None:
        raise InputError(
            "`store` is missing: a study does not hold its predictions",
            needs="the folder or artifact store that you passed to keep_predictions",
        )
    _refuse_no_folder(wanted.store)
    kept = [_read_kept(trial, wanted.store) for trial in finished]
    _refuse_no_whole(study, kept)
    tests = _find_folds(kept)
    n = _count_cases(y, tests)
    scores, fold = _fill_table(kept, tests, n)
    remarks = (*_remark_silent(kept), *_remark_pruned(kept), *_remark_longer(n, tests))
    return wanted.made(y, scores, fold, _make_configs(kept), remarks)


def read_kept_storage(source: str | Path, wanted: PredictionsRequest) -> Predictions:
    """Make Π from a study in a storage: a URL, a SQLite file or a journal file."""
    study = _open_study(source, wanted.study)
    return read_kept_study(study, replace(wanted, study=None))


def _open_study(source: str | Path, name: str | None) -> StudyContent:
    if isinstance(source, str) and "://" in source:
        return open_study_url(source, name)
    path = Path(source)
    with path.open("rb") as file:
        database = file.read(16).startswith(b"SQLite format 3")
    return open_study_sqlite(path, name) if database else open_study_journal(path, name)


def _refuse_no_folder(store: StoreLike) -> None:
    if isinstance(store, (str, Path)) and not Path(store).is_dir():
        raise InputError(
            f"`store` is not a folder: {str(store)!r}",
            needs="the folder that you passed to keep_predictions",
            cure="Its path is relative to the folder where the study was run.",
        )


def _is_finished(trial: FrozenTrial) -> bool:
    return bool(trial.state.is_finished())


def _read_kept(trial: FrozenTrial, store: StoreLike) -> TrialParts:
    """Return a trial with its parts; of a fold that was reported twice the last one counts."""
    parts = [part for part in parts_of(trial, store) if _is_whole(part.answer)]
    ordered = [_sort_part(part) for part in parts]
    return TrialParts(trial, {part.rows.tobytes(): part for part in ordered})


def _sort_part(part: PredictionsPart) -> PredictionsPart:
    order = np.argsort(part.rows, kind="stable")
    return PredictionsPart(part.rows[order], part.answer[order])


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


def _refuse_no_whole(study: Study | StudyContent, kept: Sequence[TrialParts]) -> None:
    if not any(one.parts for one in kept if one.done):
        raise EvidenceError(
            "the study has no completed trial with predictions",
            needs="a completed trial with finite predictions",
            got=f"no such trial among {len(kept)} finished of {check.show(study.study_name)}",
        )


def _find_folds(kept: Sequence[TrialParts]) -> dict[bytes, NDArray[np.intp]]:
    """Return the test folds of the fullest trial, and refuse trials with others."""
    fullest = max((one for one in kept if one.done), key=lambda one: len(one.parts))
    for one in kept:
        strange = [key for key in one.parts if key not in fullest.parts]
        if strange:
            raise EvidenceError(
                "trials were tested on different folds",
                needs="the same test rows in every trial",
                got=f"different rows in trials {one.trial.number} and {fullest.trial.number}",
                cure="Give the splitter a fixed random_state, or make the splits once before the "
                "study: splits = list(cv.split(X, y)).",
            )
    return {key: part.rows for key, part in fullest.parts.items()}


def _count_cases(y: Outcome, tests: dict[bytes, NDArray[np.intp]]) -> int:
    n = len(y[0]) if isinstance(y, tuple) else len(y)
    largest = 1 + max(int(rows.max()) for rows in tests.values())
    if largest > n:
        raise InputError(
            "`y` has fewer cases than the kept rows",
            needs=f"at least {largest} cases, in the order of the row numbers",
            got=str(n),
        )
    return n


def _fill_table(
    kept: Sequence[TrialParts], tests: dict[bytes, NDArray[np.intp]], n: int
) -> tuple[RawArray, NDArray[np.int32]]:
    """Return responses (n, C, R[, K]) and folds (n, R)."""
    placed = dict(zip(tests, places(list(tests.values()), n), strict=True))
    repeats = 1 + max(repeat for repeat, _ in placed.values())
    parts = [part.answer for one in kept for part in one.parts.values()]
    shape = (n, len(kept), repeats, *_find_width(kept))
    text = any(part.dtype.kind in "US" for part in parts)
    scores = np.full(shape, None if text else np.nan, dtype=object if text else np.float64)
    fold = np.full((n, repeats), -1, dtype=np.int32)
    for column, one in enumerate(kept):
        for key, part in one.parts.items():
            scores[part.rows, column, placed[key][0]] = part.answer
    for key, rows in tests.items():
        fold[rows, placed[key][0]] = placed[key][1]
    return scores, fold


def _find_width(kept: Sequence[TrialParts]) -> tuple[int, ...]:
    shapes = {p.answer.shape[1:]: one.trial.number for one in kept for p in one.parts.values()}
    if len(shapes) > 1:
        raise InputError(
            "the kept predictions have different shapes",
            needs="the same number of columns in every fold of every trial",
            got=", ".join(f"{shape or (1,)} in trial {number}" for shape, number in shapes.items()),
            cure="If a training part lacks a class, fill its column with zeros.",
        )
    return next(iter(shapes))


def _make_configs(kept: Sequence[TrialParts]) -> Configs:
    samplers = {name for name in (find_sampler(one.trial) for one in kept) if name is not None}
    return Configs(
        ids=tuple(f"trial {one.trial.number}" for one in kept),
        params=tuple({k: plain(v) for k, v in one.trial.params.items()} for one in kept),
        static=samplers <= STATIC,
    )


def _remark_silent(kept: Sequence[TrialParts]) -> Iterator[Caution]:
    """Yield a caution where a trial was a candidate, and nothing is known of its predictions."""
    silent = [str(one.trial.number) for one in kept if one.done and not one.parts]
    if silent:
        yield Caution(
            "EN100",
            f"{len(silent)} completed trials kept no predictions: {check.some(silent)}.",
            "They took part in the choice, but the estimate does not include them.",
            "Call keep_predictions in every trial, for every fold.",
        )


def _remark_pruned(kept: Sequence[TrialParts]) -> Iterator[Caution]:
    """Yield a caution where a pruner ended trials by their scores so far."""
    ended = sum(one.trial.state.name == PRUNED for one in kept)
    if ended:
        yield Caution(
            "EN051",
            f"{ended} of {len(kept)} trials were pruned before their last fold.",
            "The estimate is about the choice among the rest; if all are equally good, a little "
            "optimism remains.",
            "If that matters, confirm the result on cases that the study never saw, or run it "
            "without a pruner.",
        )


def _remark_longer(n: int, tests: dict[bytes, NDArray[np.intp]]) -> Iterator[Caution]:
    """Yield a caution where the outcome goes on after the last row that was tested.

    Test rows that are 0, 1, ... up to some row are those of a whole cross-validation of fewer
    cases; the rows of a hold-out set, or of splits in time, begin later or have gaps.
    """
    tested = np.unique(np.concatenate(list(tests.values())))
    if len(tested) < n and tested[-1] == len(tested) - 1:
        yield Caution(
            "EN059",
            f"The outcome has {n:,} cases, but the trials tested only the first {len(tested):,}.",
            "If the study used other rows, each prediction is compared with the outcome of "
            "another case, and the result means nothing.",
            "Pass the outcome of exactly the rows that the study used, in the same order.",
        )


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
