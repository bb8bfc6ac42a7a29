"""Harvest an OptunaSearchCV: by its own parameters `scoring`, `cv` and `callbacks`.

It routes no metadata, so its scorer is told neither rows nor trial. Its splits are made once and
handed to it, and what the scorer is given is found among them by content; a callback, which Optuna
calls in the thread of the trial, says which trial it was. Nothing of the library is changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError
from earnest.core.data.folds import places
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.core.space.parameters import plain
from earnest.training.fit.response import ResponsePlan, count_rows, take_rows
from earnest.training.protocols import Estimator, Scorer
from earnest.training.search.judging import ResultsTable
from earnest.training.search.optuna import STATIC

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial
    from pandas import DataFrame


Rows = NDArray[np.intp]


class Search(Estimator, Protocol):
    """A search of scikit-learn's form, and what its `fit` sets."""

    estimator: Estimator
    scoring: object
    refit: object
    cv_results_: ResultsTable
    n_splits_: int
    multimetric_: bool
    best_index_: int
    best_params_: dict[str, object]
    best_score_: float
    scorer_: Scorer | dict[str, Scorer]


class OptunaSearch(Search, Protocol):
    """The search of optuna-integration."""

    cv: object
    callbacks: list[Callable[[Study, FrozenTrial], None]] | None
    return_train_score: bool
    subsample: float
    study_: Study


def is_optuna_search(search: Search) -> TypeGuard[OptunaSearch]:
    """Tell whether this is the search of optuna-integration, without importing it."""
    return any(
        k.__name__ == "OptunaSearchCV" and k.__module__.startswith("optuna_integration.")
        for k in type(search).__mro__
    )


def harvest_optuna(
    search: OptunaSearch,
    X: object,
    y: object,
    plan: ResponsePlan,
    groups: ArrayLike | None,
    fit_params: dict[str, object],
) -> Predictions:
    """Fit an OptunaSearchCV as its own `fit` would, and return the predictions of its trials."""
    from sklearn.base import is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import check_cv

    _refuse_what_hides_rows(search)
    splitter = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    splits = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(X, y, groups)]
    tests = [test.astype(np.intp) for _, test in splits]
    keeper = TrialKeeper(
        call=check_scoring(search.estimator, scoring=search.scoring),
        plan=plan,
        split_of=_index_by_content(X, y, tests),
    )
    with _keep_with(search, keeper, splits):
        search.fit(X, y, groups=groups, **fit_params)
    return _gather(search.study_, keeper, plan, tests, count_rows(X))


def _refuse_what_hides_rows(search: OptunaSearch) -> None:
    if search.return_train_score:
        raise InputError(
            "training and test scores cannot be told apart here",
            needs="return_train_score=False",
            got="return_train_score=True",
        )
    if search.subsample != 1.0:
        raise InputError(
            "a subsample of the cases is drawn inside the search",
            needs="subsample=1.0",
            got=f"subsample={search.subsample}",
            cure="Draw the subsample first.",
        )


@dataclass(eq=False)
class TrialKeeper:
    """A scorer that keeps what it scores, and a callback that files it under its trial."""

    call: Scorer
    plan: ResponsePlan
    split_of: dict[bytes, int]
    trials: dict[int, dict[int, NDArray[np.float64]]] = field(default_factory=dict)
    _own: threading.local = field(default_factory=threading.local)

    def __call__(self, model: Estimator, X: object, y: object) -> object:
        """Return the score of a fitted model; of a split that is scored again the last counts."""
        split = self.split_of.get(_hash_content(X, y))
        if split is not None:
            try:
                self._list_waiting()[split] = self.plan.read(model, X)
            except EarnestError:  # such as NaN: the score is the search's own business
                self._list_waiting().pop(split, None)
        return self.call(model, X, y)

    def file_trial(self, study: Study, trial: FrozenTrial) -> None:
        """File what this thread has kept since its last trial ended."""
        self.trials[trial.number] = self._list_waiting()
        self._own.kept = {}

    def _list_waiting(self) -> dict[int, NDArray[np.float64]]:
        if not hasattr(self._own, "kept"):
            self._own.kept = {}
        kept: dict[int, NDArray[np.float64]] = self._own.kept
        return kept


@contextmanager
def _keep_with(
    search: OptunaSearch, keeper: TrialKeeper, splits: list[tuple[Rows, Rows]]
) -> Iterator[None]:
    """Let the keeper score on these splits, and put the search back as it was."""
    given = {"scoring": search.scoring, "cv": search.cv, "callbacks": search.callbacks}
    callbacks = [keeper.file_trial, *(search.callbacks or [])]
    search.set_params(scoring=keeper, cv=splits, callbacks=callbacks)
    try:
        yield
    finally:
        search.set_params(**given)
        if hasattr(search, "scorer_"):
            search.scorer_ = keeper.call


def _index_by_content(X: object, y: object, tests: Sequence[Rows]) -> dict[bytes, int]:
    """Return the number of each split by the content of its test part."""
    _refuse_rows_without_names(X)
    found = {
        _hash_content(take_rows(X, rows), take_rows(y, rows)): i for i, rows in enumerate(tests)
    }
    if len(found) < len(tests):
        raise InputError(
            "two test folds have the same content",
            needs="folds that can be told apart",
            cure="Use SearchCV with optuna_candidates(...), which knows its rows.",
        )
    return found


def _refuse_rows_without_names(X: object) -> None:
    if hasattr(X, "iloc") and not cast("DataFrame", X).index.is_unique:
        raise InputError(
            "rows of the table have the same name",
            needs="a unique index",
            cure="Call reset_index(drop=True) first.",
        )


def _hash_content(X: object, y: object) -> bytes:
    """Return a hash of rows: of the index of a table, else of the values."""
    digest = hashlib.sha256()
    if hasattr(X, "iloc"):
        parts = [np.asarray(cast("DataFrame", X).index)]
    elif hasattr(X, "tocsr"):
        rows = X.tocsr()
        parts = [rows.data, rows.indices, rows.indptr]
    else:
        parts = [np.asarray(X)]
    for part in [*parts, np.asarray(y)]:
        text = part.dtype.hasobject
        content = repr(part.tolist()).encode() if text else np.ascontiguousarray(part).tobytes()
        digest.update(f"{part.dtype}{part.shape}".encode() + content)
    return digest.digest()


def _gather(
    study: Study, keeper: TrialKeeper, plan: ResponsePlan, tests: list[Rows], n: int
) -> Predictions:
    trials = [t for t in study.get_trials(deepcopy=False) if t.state.is_finished()]
    done = {t.number for t in trials if t.state.name == "COMPLETE"}
    kept = {number: keeper.trials.get(number, {}) for number in done}
    if not any(kept.values()):
        raise EvidenceError(
            "the search kept no predictions",
            needs="trials that complete, each in one thread",
            got=f"{len(trials)} trials without any",
            cure="Leave joblib's parallel_config out, or use SearchCV with optuna_candidates(...).",
        )
    placed = places(tests, n)
    repeats = 1 + max(repeat for repeat, _ in placed)
    width = () if plan.width is None else (plan.width,)
    responses = np.full((n, len(trials), repeats, *width), np.nan)
    folds = np.full((n, repeats), -1, dtype=np.int32)
    for rows, (repeat, fold) in zip(tests, placed, strict=True):
        folds[rows, repeat] = fold
    for column, trial in enumerate(trials):
        for split, answer in kept.get(trial.number, {}).items():
            responses[tests[split], column, placed[split][0]] = answer
    sampler = type(study.sampler)
    return Predictions(
        target=plan.target,
        configs=Configs(
            ids=tuple(f"trial {trial.number}" for trial in trials),
            params=tuple({k: plain(v) for k, v in trial.params.items()} for trial in trials),
            static=sampler.__name__ in STATIC and sampler.__module__.startswith("optuna."),
        ),
        responses=responses,
        folds=folds,
        fold_names=tuple(
            tuple(str(k) for k in range(folds[:, r].max() + 1)) for r in range(repeats)
        ),
        kind=plan.kind,
        remarks=tuple(
            _warn_of_silent([str(number) for number in sorted(done) if not kept[number]])
        ),
    )


def _warn_of_silent(numbers: list[str]) -> Iterator[Caution]:
    if numbers:
        yield Caution(
            "EN100",
            f"{len(numbers)} completed trials have no predictions: {check.some(numbers)}.",
            "They took part in the choice, but the estimate does not include them.",
            "Start with a new study.",
        )
