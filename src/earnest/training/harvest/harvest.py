"""Harvest: keeps the predictions that another library's search makes and throws away.

A search of scikit-learn scores every fold and discards the predictions. With metadata routing, a
scorer can request the row numbers of the cases that it scores. Ours keeps the predictions under a
number and returns that number next to the score, so that `cv_results_` shows which predictions
belong to which configuration and split. scikit-learn itself is not changed.

OptunaSearchCV routes no metadata, so its scorer knows neither rows nor trial. We make its splits
once and pass them in; the scorer recognizes each test part by its content, and a callback, which
Optuna calls in the thread of the trial, tells which trial it was.
"""

from __future__ import annotations

import hashlib
import inspect
import secrets
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import EarnestError, EvidenceError, InputError
from earnest.core.cautions import of_search
from earnest.core.data.folds import places
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.results.cautions import Caution
from earnest.core.space.parameters import simplify_value
from earnest.core.text.doors import arg
from earnest.metrics.families import MetricLike
from earnest.training.fit.experiment import SINGLE
from earnest.training.fit.problem import Problem, Scoring, read_problem, read_scoring
from earnest.training.fit.response import ResponsePlan, count_rows, take_rows
from earnest.training.fit.splits import Splits
from earnest.training.protocols import Estimator, Scorer, Splitter
from earnest.training.search.judging import ResultsTable
from earnest.training.search.optuna import STATIC

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial
    from pandas import DataFrame
    from sklearn.utils.metadata_routing import MetadataRequest


def refuse_unfit(search: SklearnSearch) -> None:
    """Refuse searches of other libraries, and those whose predictions cannot be compared."""
    from sklearn.model_selection._search import BaseSearchCV

    if not isinstance(search, BaseSearchCV):
        raise InputError(
            "this search cannot be harvested",
            needs="GridSearchCV, RandomizedSearchCV or a halving search of scikit-learn, "
            "BayesSearchCV or OptunaSearchCV",
            got=f"the class {search.__name__}" if isinstance(search, type) else _name(search),
            cure="Create an instance with the estimator and the candidates."
            if isinstance(search, type)
            else _suggest_cure(_name(search)),
        )
    if getattr(search, "resource", None) == "n_samples":
        raise InputError(
            "a halving search over the number of cases compares configurations on different cases",
            needs="`resource` set to a hyperparameter of the estimator, such as 'n_estimators'",
            got="resource='n_samples'",
            cure=f"Use SearchCV(..., {arg('drop', 'bced')}), which drops bad configurations "
            "early and is "
            "corrected for.",
        )


def _name(search: SklearnSearch) -> str:
    return type(search).__name__


def _suggest_cure(name: str) -> str:
    if name == "SearchCV":
        return "earnest.SearchCV keeps its predictions: fit it and read `predictions_`."
    if "Optuna" in name:
        return "Use SearchCV with optuna_candidates(...), which lets Optuna propose."
    return "Use SearchCV with this estimator and these candidates."


ROWS = "earnest_rows"  # what the scorer asks for: the row numbers of the cases it is given
GROUPS = "groups"
KEPT = "earnest_kept"  # the score that is the number of the predictions
LEAST, LARGEST = 1 << 40, 1 << 52  # of that number: exact as a float, and no one's `error_score`
_OF_NUMBERS = r"(?s)One or more of the test scores are non-finite:.*e\+1[2-5]"
NOTHING = 0.0  # where none were kept; NaN would be warned of as a score that failed


def harvest(
    search: SklearnSearch,
    X: object,
    y: object,
    *,
    metric: MetricLike | None = None,
    response: str | None = None,
    groups: ArrayLike | None = None,
    **fit_params: object,
) -> Predictions:
    """Fit a search of scikit-learn, and return the out-of-sample predictions of its configurations.

    The search is fitted as by its own `fit`: it has `cv_results_`, `best_estimator_` and the rest
    afterwards, and its parameters are unchanged. Each test fold is predicted once more than
    without harvesting, by the model that is fitted anyway.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or HalvingRandomSearchCV
        The search; it is fitted here. `BayesSearchCV` of scikit-optimize works too, and
        `OptunaSearchCV` of optuna-integration with its n_jobs in threads. Halving over the number
        of cases is refused, because it judges configurations on different cases.
    X, y : array-like
        What it is fitted to.
    metric : str, Metric or callable, optional
        What the predictions will be judged by, where that is not the search's own score.
    response : {'predict_proba', 'decision_function', 'predict'}, optional
        Which response of a classifier is kept; by default the one that the metric needs.
    groups : array-like, optional
        Units that belong together, for a splitter that heeds them, and for the result.
    **fit_params : object
        Passed on to `fit`; metadata routing is on, so what is to use them must have requested them.
        The predictions carry `sample_weight` as importance.

    Returns
    -------
    Predictions
        Of every configuration in the order of `cv_results_`, with NaN where a fit failed.

    Notes
    -----
    Works with `n_jobs` if workers see the same temporary folder. In a halving search over another
    resource, every combination of parameters and resource is a configuration; they count as
    proposed by scores, since later rounds keep what did well in earlier ones.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import earnest as en
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 2, 4, 8]}, scoring="roc_auc", cv=5)
    >>> pi = en.harvest(search, X[:200], y[:200])
    >>> pi
    Predictions(n=200, configs=4, repeats=1, folds=5, task=binary, response=probability)
    >>> search.best_params_
    {'max_depth': 2}
    """
    if not is_optuna_search(search):
        refuse_unfit(search)
    scoring = read_scoring(search.estimator, search.scoring, refit=search.refit, raises=True)
    plan = _plan_response(search, y, scoring, metric, response, groups)
    if is_optuna_search(search):
        return _weigh(harvest_optuna(search, X, y, plan, groups, fit_params), fit_params)
    passed = dict(fit_params) if groups is None else {**fit_params, GROUPS: groups}
    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        keeper = Keeper(scoring.call, _lighten(plan), Path(folder), tuple(passed))
        with _score_with(search, keeper, scoring), _watch_splits(search, y) as watched:
            _fit(search, X, y, {**passed, ROWS: np.arange(count_rows(X))})
        return _weigh(_gather(search, plan, Path(folder), watched), fit_params)


def _weigh(pi: Predictions, fit_params: dict[str, object]) -> Predictions:
    """Return predictions of cases that count as the search was told."""
    weights = fit_params.get("sample_weight")
    return pi if weights is None else pi.with_weights(cast(ArrayLike, weights))


@dataclass(frozen=True, eq=False)
class Keeper:
    """A scorer that keeps predictions, and returns their number as a score."""

    call: Scorer
    plan: ResponsePlan
    folder: Path
    given: tuple[str, ...] = ()  # the names of what `fit` is given

    def __call__(
        self, model: Estimator, X: object, y: object, **params: object
    ) -> dict[str, object]:
        """Return the scores of a fitted model, and the number of its predictions."""
        rows = params.pop(ROWS, None)
        used = self._list_used()
        scores = self.call(model, X, y, **{name: params[name] for name in params if name in used})
        named = dict(scores) if isinstance(scores, Mapping) else {SINGLE: scores}
        if rows is None:  # no fold: a tracker inside `fit`, such as MLflow's, asks for a score
            return named
        return {**named, KEPT: self._keep(model, X, np.asarray(rows))}

    def _keep(self, model: Estimator, X: object, rows: NDArray[np.intp]) -> float:
        try:
            answer = self.plan.read(model, X)
        except EarnestError:  # such as NaN: the score is the search's own business
            return NOTHING
        number = LEAST + secrets.randbelow(LARGEST - LEAST)
        np.savez(self.folder / f"{number}.npz", rows=rows, answer=answer)
        return float(number)

    def get_metadata_routing(self) -> MetadataRequest:
        """Request the rows, the groups, and what the user's scorer consumes.

        Groups are requested for those who pass them on: a search may name them in its `fit`, even
        as None, and routing refuses what nobody has requested.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="harvest")
        for name in sorted({ROWS, GROUPS, *self._list_used()}):
            request.score.add_request(param=name, alias=True)
        return request

    def _list_used(self) -> set[str]:
        """Return those arguments of `fit` that the user's scorer consumes."""
        from sklearn.utils.metadata_routing import get_routing_for_object

        used: set[str] = get_routing_for_object(self.call).consumes("score", self.given)
        return used


def _plan_response(
    search: SklearnSearch,
    y: object,
    scoring: Scoring,
    metric: MetricLike | None,
    response: str | None,
    groups: ArrayLike | None,
) -> ResponsePlan:
    """Return which response is kept; refuse what cannot be kept, before any fit."""
    problem: Problem = read_problem(
        search.estimator,
        y,
        scoring=search.scoring,
        scorers=scoring,
        refit=search.refit,
        metric=metric,
        models=[search.estimator],
        response=response,
        groups=groups,
    )
    if problem.plan is None:
        raise InputError("the predictions of this search cannot be kept", got=problem.refusal)
    return problem.plan


def _lighten(plan: ResponsePlan) -> ResponsePlan:
    """Return the plan with one case of each class: it travels with every task."""
    first = np.unique(plan.target.y, return_index=True)[1] if plan.target.has_classes else [0]
    return replace(plan, target=plan.target.take(np.sort(np.asarray(first, dtype=np.intp))))


@contextmanager
def _score_with(search: SklearnSearch, keeper: Keeper, scoring: Scoring) -> Iterator[None]:
    """Let the keeper score, and put the search back as it was, its results included."""
    from sklearn import config_context

    search_scoring, refit = search.scoring, search.refit
    several = scoring.names is not None and scoring.names != (SINGLE,)
    search.set_params(scoring=keeper, refit=SINGLE if refit is True else refit)
    try:
        _refuse_refit(search)
        with config_context(enable_metadata_routing=True):
            yield
    finally:
        search.set_params(scoring=search_scoring, refit=refit)
        if hasattr(search, "cv_results_") and not several:
            _restore_one_score(search)
        if hasattr(search, "scorer_"):
            search.scorer_ = scoring.shown


class WatchedSplitter:
    """A splitter that notes which rows each of its splits trains on."""

    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self.trains: list[Rows] = []

    def split(self, X: object, y: object = None, **params: object) -> Iterator[tuple[Rows, Rows]]:
        """Yield the splits of the splitter."""
        splits = list(self.splitter.split(X, y, **params))
        self.trains = [np.asarray(train, dtype=np.intp) for train, _ in splits]
        return iter(splits)

    def __getattr__(self, name: str) -> object:
        if name == "splitter":  # while it is unpickled in a worker
            raise AttributeError(name)
        return getattr(self.splitter, name)


@contextmanager
def _watch_splits(search: SklearnSearch, y: object) -> Iterator[WatchedSplitter]:
    """Note what the search trains on, which a scorer is not told, and put its splitter back."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    splitter = search.cv
    watched = WatchedSplitter(check_cv(splitter, y, classifier=is_classifier(search.estimator)))
    search.set_params(cv=watched)
    try:
        yield watched
    finally:
        search.set_params(cv=splitter)


def _refuse_refit(search: SklearnSearch) -> None:
    """Refuse a `refit` that the search does not take beside two scores, one of which is ours."""
    if isinstance(search.refit, str):
        return
    try:
        search._check_refit_for_multimetric((SINGLE, KEPT))
    except ValueError as error:
        raise InputError(
            f"{_name(search)} cannot be harvested with this `refit`",
            needs="refit=True, or the name of a score",
            got=f"refit={search.refit!r}",
        ) from error


def _restore_one_score(search: SklearnSearch) -> None:
    """Let the attributes be those of a search with one score."""
    others = {name for name in search.cv_results_ if name.startswith("mean_test_")}
    if others != {f"mean_test_{SINGLE}", f"mean_test_{KEPT}"}:
        return  # a callable that gives several
    search.multimetric_ = False
    if not hasattr(search, "best_index_"):
        search.best_index_ = int(search.cv_results_[f"rank_test_{SINGLE}"].argmin())
        search.best_params_ = search.cv_results_["params"][search.best_index_]
    if not callable(search.refit):
        scores = search.cv_results_[f"mean_test_{SINGLE}"]
        search.best_score_ = float(scores[search.best_index_])


def _fit(search: SklearnSearch, X: object, y: object, params: dict[str, object]) -> None:
    from sklearn.exceptions import UnsetMetadataPassedError

    _refuse_unused(search, params)
    try:
        with warnings.catch_warnings():
            # Of numbers under which predictions were kept, which are no scores of the user's.
            warnings.filterwarnings("ignore", message=_OF_NUMBERS)
            search.fit(X, y, **params)
    except UnsetMetadataPassedError as error:
        raise InputError(
            "an argument of `fit` is not used, or it is not clear by what",
            got=str(error),
            cure="Request it, such as estimator.set_fit_request(sample_weight=True).",
        ) from error


def _refuse_unused(search: SklearnSearch, params: dict[str, object]) -> None:
    """Refuse arguments of `fit` that neither the search nor anything in it knows."""
    from sklearn.utils.metadata_routing import get_routing_for_object

    named = inspect.signature(search.fit).parameters
    try:
        get_routing_for_object(search).validate_metadata(
            method="fit", params={name: params[name] for name in params if name not in named}
        )
    except TypeError as error:
        raise InputError("`fit` does not take an argument", got=str(error)) from error


def _gather(
    search: SklearnSearch, plan: ResponsePlan, folder: Path, watched: WatchedSplitter
) -> Predictions:
    """Collect the kept predictions by their numbers in `cv_results_`, and remove the numbers."""
    results = search.cv_results_
    count = len(results["params"])
    columns = [results[f"split{i}_test_{KEPT}"] for i in range(search.n_splits_)]
    numbers = np.array(columns).reshape(search.n_splits_, count)  # (S, C)
    is_gathered = numbers >= LEAST  # False for NaN, too
    for name in [name for name in results if name.endswith(f"_{KEPT}")]:
        del results[name]
    if not is_gathered.any():
        raise EvidenceError(
            "the search kept no predictions",
            needs="a fit that gives finite predictions",
            got=f"{numbers.size} fits without any",
        )
    used = np.flatnonzero(is_gathered.any(axis=1))  # splits with predictions
    splits, answers = [], {}
    for split, numbered in enumerate(numbers[used]):
        for config in np.flatnonzero(is_gathered[used[split]]):
            rows, answers[int(config), split] = _read_kept(folder, numbered[config])
        splits.append((watched.trains[used[split]], rows))
    configs = Configs(
        ids=tuple(f"c{i}" for i in range(count)),
        params=tuple(dict(params) for params in results["params"]),
        static=_proposes_without_scores(search),
    )
    return _assemble(plan, configs, splits, answers)


def _proposes_without_scores(search: SklearnSearch) -> bool:
    """Tell whether all configurations are fixed before any is scored.

    Halving keeps what did well in earlier rounds, and other libraries propose by scores.
    """
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    proposing = type(search)._run_search
    return proposing in (GridSearchCV._run_search, RandomizedSearchCV._run_search)


def _assemble(
    plan: ResponsePlan,
    configs: Configs,
    pairs: Sequence[tuple[Rows, Rows]],
    answers: Mapping[tuple[int, int], NDArray[np.float64]],
) -> Predictions:
    """Return Π of the answers of each configuration in each split, by their numbers."""
    placed = places([test for _, test in pairs], plan.target.n)
    splits = Splits.of(
        ((*pair, *cell) for pair, cell in zip(pairs, placed, strict=True)), plan.target.n
    )
    responses = plan.make_table(len(configs), splits.n_repeats)
    for (config, split), answer in answers.items():
        responses[pairs[split][1], config, placed[split][0]] = answer
    return plan.make_predictions(responses, configs, splits)


def _read_kept(folder: Path, number: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    path = folder / f"{int(number)}.npz"
    if not path.exists():
        raise EvidenceError(
            "the predictions of a worker are not here",
            needs="workers that see the temporary folder of this process",
            got=f"no {check.show(path.name)}",
            cure="Fit on one machine (n_jobs), or search with SearchCV, which runs on clusters.",
        )
    with np.load(path) as content:
        return content["rows"].astype(np.intp), content["answer"]


Rows = NDArray[np.intp]


class SklearnSearch(Estimator, Protocol):
    """A search of scikit-learn's form, and what its `fit` sets."""

    estimator: Estimator
    scoring: object
    refit: object
    cv: object
    cv_results_: ResultsTable
    n_splits_: int
    multimetric_: bool
    best_index_: int
    best_params_: dict[str, object]
    best_score_: float
    scorer_: Scorer | dict[str, Scorer]

    def _check_refit_for_multimetric(self, scores: Sequence[str]) -> None: ...

    def _run_search(self, evaluate_candidates: Callable[..., ResultsTable]) -> None: ...


class OptunaSearch(SklearnSearch, Protocol):
    """The search of optuna-integration."""

    callbacks: list[Callable[[Study, FrozenTrial], None]] | None
    return_train_score: bool
    subsample: float
    study_: Study


def is_optuna_search(search: SklearnSearch) -> TypeGuard[OptunaSearch]:
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
    splits = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in splitter.split(X, y, groups)
    ]
    keeper = TrialKeeper(
        call=check_scoring(search.estimator, scoring=search.scoring),
        plan=plan,
        split_of=_index_by_content(X, y, [test for _, test in splits]),
    )
    with _keep_with(search, keeper, splits):
        search.fit(X, y, groups=groups, **fit_params)
    return _gather_trials(search.study_, keeper, plan, splits)


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
        answers: dict[int, NDArray[np.float64]] = self._own.kept
        return answers


@contextmanager
def _keep_with(
    search: OptunaSearch, keeper: TrialKeeper, splits: list[tuple[Rows, Rows]]
) -> Iterator[None]:
    """Let the keeper score on these splits, and put the search back as it was."""
    originals = {"scoring": search.scoring, "cv": search.cv, "callbacks": search.callbacks}
    callbacks = [keeper.file_trial, *(search.callbacks or [])]
    search.set_params(scoring=keeper, cv=splits, callbacks=callbacks)
    try:
        yield
    finally:
        search.set_params(**originals)
        if hasattr(search, "scorer_"):
            search.scorer_ = keeper.call


def _index_by_content(X: object, y: object, tests: Sequence[Rows]) -> dict[bytes, int]:
    """Return the number of each split by the content of its test part."""
    _refuse_rows_without_names(X)
    index = {
        _hash_content(take_rows(X, rows), take_rows(y, rows)): i for i, rows in enumerate(tests)
    }
    if len(index) < len(tests):
        raise InputError(
            "two test folds have the same content",
            needs="folds that can be told apart",
            cure="Use SearchCV with optuna_candidates(...), which knows its rows.",
        )
    return index


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
    for array in [*parts, np.asarray(y)]:
        text = array.dtype.hasobject
        content = repr(array.tolist()).encode() if text else np.ascontiguousarray(array).tobytes()
        digest.update(f"{array.dtype}{array.shape}".encode() + content)
    return digest.digest()


def _gather_trials(
    study: Study, keeper: TrialKeeper, plan: ResponsePlan, splits: list[tuple[Rows, Rows]]
) -> Predictions:
    trials = [t for t in study.get_trials(deepcopy=False) if t.state.is_finished()]
    done = {t.number for t in trials if t.state.name == "COMPLETE"}
    by_trial = {number: keeper.trials.get(number, {}) for number in done}
    if not any(by_trial.values()):
        raise EvidenceError(
            "the search kept no predictions",
            needs="trials that complete, each in one thread",
            got=f"{len(trials)} trials without any",
            cure="Leave joblib's parallel_config out, or use SearchCV with optuna_candidates(...).",
        )
    answers = {
        (column, split): answer
        for column, trial in enumerate(trials)
        for split, answer in by_trial.get(trial.number, {}).items()
    }
    sampler = type(study.sampler)
    configs = Configs(
        ids=tuple(f"trial {trial.number}" for trial in trials),
        params=tuple({k: simplify_value(v) for k, v in trial.params.items()} for trial in trials),
        static=sampler.__name__ in STATIC and sampler.__module__.startswith("optuna."),
    )
    silent = _warn_of_silent([str(number) for number in sorted(done) if not by_trial[number]])
    return replace(_assemble(plan, configs, splits, answers), remarks=tuple(silent))


def _warn_of_silent(numbers: list[str]) -> Iterator[Caution]:
    if numbers:
        yield of_search.trials_without_predictions(tuple(numbers), harvested=True)
