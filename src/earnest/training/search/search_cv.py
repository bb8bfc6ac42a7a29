"""`SearchCV`: tune once, keep every prediction, and tell how good the winner really is."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Progress, Store
from earnest.core.base.rng import RngLike
from earnest.core.data.selection import EnsembleRule
from earnest.methods.base import Method
from earnest.metrics.families import MetricLike
from earnest.training.fit.experiment import Configuration, fit_model
from earnest.training.fit.problem import make_survival_outcome, read_scoring
from earnest.training.learners.averaged import join_members
from earnest.training.protocols import Answer, Estimator
from earnest.training.search.callbacks import (
    Callbacks,
    CallbackSupport,
    log_the_winner,
    tell_callbacks,
)
from earnest.training.search.dropping.bced import DroppingRule
from earnest.training.search.estimate import EstimateAttributes, refuse_estimate
from earnest.training.search.judging import SearchResults, judge_search
from earnest.training.search.live import LivePage
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import (
    SearchSetup,
    find_base_estimator,
    is_routing_enabled,
    make_router,
    prepare,
)
from earnest.training.search.run import SearchRun, count_fits, count_planned, search_all

if TYPE_CHECKING:
    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRouter


def _has(name: str) -> Callable[[WinnerMethods], bool]:
    """Return a check that raises AttributeError where the refitted estimator lacks a method."""

    def check(search: WinnerMethods) -> bool:
        assert isinstance(search, SearchCV)
        need_refit(search, name)
        fitted = getattr(search, "best_estimator_", None)
        try:
            getattr(search.base_estimator() if fitted is None else fitted, name)
        except InputError as error:  # no estimator to ask: `hasattr` must not fail for that
            raise AttributeError(str(error)) from error
        return True

    return check


def need_refit(search: SearchCV, name: str) -> None:
    """Refuse what only a refitted estimator can answer."""
    if not search.refit:
        raise AttributeError(
            f"This {type(search).__name__} was made with refit={search.refit!r}, but `{name}` "
            "needs the estimator refitted with the best parameters. Use refit=True, or fit one "
            "with best_params_ yourself."
        )


class NotebookView:
    """What a search shows of itself in a notebook: the estimator, refitted if there is one."""

    def _sk_visual_block_(self) -> object:
        """Return the block of scikit-learn's own search around the same estimator."""
        from sklearn.model_selection import GridSearchCV

        shown = GridSearchCV(self.base_estimator(), {})  # type: ignore[attr-defined]  # of the search
        if hasattr(self, "best_estimator_"):
            shown.best_estimator_ = self.best_estimator_
        return shown._sk_visual_block_()


class WinnerMethods:
    """The methods of a search that its `best_estimator_` answers.

    Each is there only where that estimator has it.
    """

    best_estimator_: Answer

    def _best(self) -> Answer:
        check_is_fitted(self)
        return self.best_estimator_

    @available_if(_has("predict"))
    def predict(self, X: object) -> Answer:
        """Return what the best estimator predicts."""
        return self._best().predict(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: object) -> Answer:
        """Return the class probabilities of the best estimator."""
        return self._best().predict_proba(X)

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X: object) -> Answer:
        """Return the logarithms of the class probabilities of the best estimator."""
        return self._best().predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: object) -> Answer:
        """Return the decision values of the best estimator."""
        return self._best().decision_function(X)

    @available_if(_has("score_samples"))
    def score_samples(self, X: object) -> Answer:
        """Return the scores that the best estimator gives to single cases."""
        return self._best().score_samples(X)

    @available_if(_has("transform"))
    def transform(self, X: object) -> Answer:
        """Return X as the best estimator transforms it."""
        return self._best().transform(X)

    @available_if(_has("inverse_transform"))
    def inverse_transform(self, X: object) -> Answer:
        """Return what the best estimator would have transformed into X."""
        return self._best().inverse_transform(X)

    @property
    def classes_(self) -> Answer:
        """The classes, where the best estimator is a classifier."""
        _has("classes_")(self)
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """The number of features seen in `fit`."""
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(
                f"{type(self).__name__} object has no n_features_in_ attribute."
            ) from error
        return int(self.best_estimator_.n_features_in_)


class SearchCV(
    MetaEstimatorMixin,
    WinnerMethods,
    NotebookView,
    EstimateAttributes,
    CallbackSupport,
    BaseEstimator,
):
    """Tune with cross-validation, keep all predictions, and estimate the winner honestly.

    A search of scikit-learn's form (`cv_results_`, `best_estimator_`, `predict`, ...) that gives
    the same numbers as GridSearchCV and RandomizedSearchCV, and beyond that keeps the out-of-sample
    predictions of every configuration. From them `estimate_` says how good the winner really is,
    without training again.

    **What is estimated.** By default (`method='bbc'`) the performance of a configuration
    chosen in this way among these, as the mean over the models of these folds.
    `best_score_` is the winner's own score, as scikit-learn defines it, and too optimistic.

    **What it assumes.** Cases (or `groups`) are independent, and configurations fixed in advance;
    the estimate of a dynamic search has a caution.

    **When it fails.** If `scoring` is a function of fitted models, there is no metric to
    estimate; pass `metric` then. A configuration whose fits fail, time out
    or give NaN is recorded in `failures_` and left out of the estimate.

    Tsamardinos, Greasidou, Borboudakis 2018 (CVT, BBC-CV, BCED-CV).

    Parameters
    ----------
    estimator : estimator
        What is tuned; ignored, and best None, if `candidates` are estimators.
    candidates : dict, list, or dynamic search
        A parameter grid or distributions (a dict, or a list of them), a list of estimators, of
        (name, estimator) pairs or of the configurations of a portfolio (any objects with `name`,
        `params` and `estimator`), or `optuna_candidates(...)`. `param_grid` and
        `param_distributions` are other names of it, so that calls of scikit-learn work as they are.
    n_iter : int, optional
        How many configurations to draw; None takes all points of a grid, and 10 of distributions
        and of all that is given as `param_distributions`, lists too.
    scoring : str, callable, list or dict, optional
        What configurations are compared by, as in scikit-learn; earnest's metrics work too.
        The positive class of two is the last label, as in scikit-learn.
    metric : str, Metric or callable, optional
        What the estimate is of; that of `scoring` (and of `refit`, with several) by default.
    cv : int, splitter or iterable, optional
        The folds, as in scikit-learn.
    n_repeats : int
        How often the folds are repeated; after the first time they are shuffled.
    refit : bool, str, EnsembleRule or callable
        Whether, or by which score or rule, the winner is refitted on all data. An ensemble rule,
        such as `GreedyEnsemble(size=25)`, chooses several configurations by the metric; each is
        refitted, `best_estimator_` averages their probabilities or values, and `estimate_` is of
        this ensemble, chosen anew in every resample.
    method : str or Method
        The estimation method.
    confidence_level : float
        The level of the interval.
    n_resamples : int, optional
        The number of resamples; that of the method by default.
    response : {'predict_proba', 'decision_function', 'predict'}, optional
        Which response of a classifier is kept. By default it is the one that tells most of those
        that the metric and the scores need; a second one is kept beside it only where it tells
        more, such as the labels of a model that does not decide by its probabilities.
    guide : {'crossed', 'all'}, optional
        Which cases guide a search that learns from scores. 'crossed': two samplers, each told the
        scores of one half of the cases; the other half judges what it proposed, so the estimate is
        corrected for the proposals too. 'all': one sampler is told all, and some optimism is left
        (EN006). By default a search is crossed where that optimism was shown to matter.
    drop : {'bced', 'bced_adjusted'} or DroppingRule, optional
        How to drop configurations early that are clearly worse than the best. In a crossed search
        each sampler's are compared on its own half, and the other half judges.
    stop_when_width : float, optional
        Leave out the rest of the folds once the interval is no wider than this.
    store : str, Path or Store, optional
        A file that keeps every finished fit: the same call resumes after any interruption.
    time_limit : float, optional
        Seconds for each fit. With a longer one, stored fits that ran out of it are run again.
    budget : str or float, optional
        For how long a search that learns from scores proposes, such as '10m' or seconds. What was
        proposed by then is evaluated. Resumed from its store, it has the whole budget again.
    n_jobs : int, optional
        How many fits at once; never changes the result.
    pre_dispatch : int or str
        How many parcels of fits joblib sends ahead, as in scikit-learn: a number, an expression of
        `n_jobs`, or 'all'. The data are sent once in any case, and a cluster has its own queue.
    error_score : 'raise' or number
        The score of a fit that fails.
    return_train_score : bool
        Whether to score on training rows too.
    random_state : None, int, RandomState, Generator or SeedSequence
        The seed of drawn configurations, repeats and resamples, and of those parts of an estimator
        that have no seed of their own. None leaves these parts as they are, unless there is a
        `store`: then seeds are made from the data and the search, so that the same call resumes.
    verbose : int or Progress
        Shows a bar if above 0; an object with the methods of a Progress receives it instead, and
        a `ProgressDisplay` of `earnest.engine.progress` the same numbers as the bar.
    param_grid, param_distributions : optional
        Other names of `candidates`; one of the three is given. From `param_distributions`
        configurations are drawn, without replacement where all are lists.
    live : str or Path, optional
        A page (.html) that shows the search while it runs: progress, the best score so far, the
        leaders, failures. Open it in a browser; it reloads itself and needs no server.
    stages : bool or int
        Whether the number of rounds of a booster is chosen too: each fit also counts as a
        configuration for every so many rounds, 20 of them or as many as you say, without another
        fit. The winner is refitted with the winning number, and the estimate corrects for this
        choice too. For GradientBoosting, HistGradientBoosting and AdaBoost of scikit-learn,
        XGBoost, LightGBM and CatBoost, also at the end of a pipeline.
    weights : {'importance', 'survey', 'frequency'}
        What `sample_weight` of `fit` means, see `Predictions.from_arrays`. Where it goes to the
        scorer, as in scikit-learn, the estimate is weighted too.

    Attributes
    ----------
    cv_results_, best_index_, best_params_, best_score_, best_estimator_, refit_time_, scorer_
        As in scikit-learn; so are `n_splits_`, `multimetric_`, `classes_`, `n_features_in_` and
        `feature_names_in_`.
    ensemble_ : dict of str to float
        The share of each configuration by its name, if `refit` is an ensemble rule.
    predictions_ : Predictions
        The out-of-sample predictions of every configuration.
    estimate_ : Estimate
        How good the winner really is; computed on first use.
    confidence_interval_ : Interval
        The interval of the estimate.
    corrected_score_ : float
        The value of the estimate.
    dropped_ : DropTrace
        Which configurations were dropped, when, and with which p-value.
    failures_ : tuple of Failure
        Which fits or scores failed, with their tracebacks.
    trials_ : tuple of Trial
        Each configuration with its mean score, its standard error and its status.
    counts_ : Counts
        How many configurations were planned and tried, and how they ended.
    n_fits_, n_fits_saved_ : int
        The fits of the cross-validation, and those that dropping and stopping saved.
    begun_ : str or None
        When the search was begun, in UTC; a resumed search keeps its first start time, and a
        search inside a nested cross-validation has none.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 20]}
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = en.SearchCV(tree, grid, scoring="roc_auc", random_state=7).fit(X, y)
    >>> search.best_params_
    {'max_depth': 4, 'min_samples_leaf': 20}
    >>> search.estimate_
    roc_auc 0.975, 95 % interval [0.954, 0.987] (bbc, winner of 8 configs, trained on 455, n=569)
    """

    def __init__(
        self,
        estimator: Estimator | None,
        candidates: object = None,
        *,
        n_iter: int | None = None,
        scoring: object = None,
        metric: MetricLike | None = None,
        cv: object = None,
        n_repeats: int = 1,
        refit: bool | str | EnsembleRule | Callable[..., object] = True,
        method: str | Method = "bbc",
        confidence_level: float = 0.95,
        n_resamples: int | None = None,
        response: str | None = None,
        guide: str | None = None,
        drop: str | DroppingRule | None = None,
        stop_when_width: float | None = None,
        store: str | Path | Store | None = None,
        time_limit: float | None = None,
        budget: str | float | None = None,
        n_jobs: int | None = None,
        error_score: str | float = np.nan,
        return_train_score: bool = False,
        random_state: RngLike = None,
        verbose: float | Progress = 0,
        param_grid: object = None,
        param_distributions: object = None,
        pre_dispatch: int | str = "2*n_jobs",
        live: str | Path | LivePage | None = None,
        stages: bool | int = False,
        weights: str = "importance",
    ) -> None:
        self.estimator = estimator
        self.candidates = candidates
        self.n_iter = n_iter
        self.scoring = scoring
        self.metric = metric
        self.cv = cv
        self.n_repeats = n_repeats
        self.refit = refit
        self.method = method
        self.confidence_level = confidence_level
        self.n_resamples = n_resamples
        self.response = response
        self.guide = guide
        self.drop = drop
        self.stop_when_width = stop_when_width
        self.store = store
        self.time_limit = time_limit
        self.budget = budget
        self.n_jobs = n_jobs
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.random_state = random_state
        self.verbose = verbose
        self.param_grid = param_grid
        self.param_distributions = param_distributions
        self.pre_dispatch = pre_dispatch
        self.live = live
        self.stages = stages
        self.weights = weights

    @property
    def given_candidates(self) -> object:
        """The configurations, under whichever of three names they were given; None without."""
        return read_options(self).given_candidates

    def fit(self, X: object, y: object = None, **params: object) -> SearchCV:
        """Evaluate every configuration on every split, and refit the best.

        Parameters
        ----------
        X : array-like, table or sparse matrix, shape (n, p)
            The data.
        y : array-like, shape (n,), structured array, or pair of events and times
            The outcome.
        **params : object
            `groups` of the cases, and further arguments of the estimator, the splitter or the
            scorer, such as `sample_weight`; by request if scikit-learn's metadata routing is
            enabled.

        Returns
        -------
        SearchCV
            The search itself, fitted.
        """
        options = read_options(self)
        prepared = prepare(options, X, y, params)
        shared = prepared.experiment
        with (
            log_the_winner(self),
            tell_callbacks(self, shared.X, shared.y, shared.fit_params) as callbacks,
        ):
            return _fit_prepared(self, options, prepared, callbacks)

    def score(self, X: object, y: object = None, **params: object) -> Answer:
        """Score the best estimator on other data, by the scorer that chose it."""
        need_refit(self, "score")
        check_is_fitted(self)
        routed: dict[str, object] = {}
        if is_routing_enabled():
            routed = process_routing(self, "score", **params).scorer["score"]
        elif params:
            raise InputError(
                f"score takes {check.some(params)} only with metadata routing",
                cure="sklearn.set_config(enable_metadata_routing=True) enables it.",
            )
        y = make_survival_outcome(y)
        if isinstance(self.scorer_, dict):
            return self.scorer_[self.refit](self.best_estimator_, X, y, **routed)
        value = self.scorer_(self.best_estimator_, X, y, **routed)
        return value[self.refit] if self.multimetric_ else value

    def base_estimator(self) -> Estimator:
        """Return the estimator that configurations are made from, or the first of a list."""
        return find_base_estimator(read_options(self))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return where the arguments of `fit` and `score` go."""
        base = self.base_estimator()
        scorer = read_scoring(base, self.scoring, refit=self.refit, raises=True).call
        return make_router(type(self).__name__, base, scorer, self.cv)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        try:
            base_tags = get_tags(self.base_estimator())
        except InputError:  # nothing to ask: a search that cannot be fitted can still be shown
            return tags
        tags.estimator_type = base_tags.estimator_type
        tags.classifier_tags = deepcopy(base_tags.classifier_tags)
        tags.regressor_tags = deepcopy(base_tags.regressor_tags)
        tags.input_tags.pairwise = base_tags.input_tags.pairwise
        tags.input_tags.sparse = base_tags.input_tags.sparse
        tags.target_tags.multi_output = base_tags.target_tags.multi_output
        return tags


def read_options(search: SearchCV) -> SearchOptions:
    """Return the arguments of a search as one value."""
    return SearchOptions(
        **{field.name: getattr(search, field.name) for field in fields(SearchOptions)}
    )


def keep_results(
    search: SearchCV, prepared: SearchSetup, searched: SearchRun, judged: SearchResults
) -> SearchCV:
    """Set what was learned on a search; what an earlier fit learned goes first."""
    for name in [name for name in vars(search) if name.endswith("_") and name[0] != "_"]:
        delattr(search, name)
    search.cv_results_ = judged.table
    search.n_splits_ = len(searched.splits)
    search.multimetric_ = judged.multimetric
    search.scorer_ = prepared.scoring.shown
    if judged.best is not None:
        search.best_index_ = judged.best_index
        search.best_params_ = judged.table["params"][judged.best]
        if judged.best_score is not None:
            search.best_score_ = judged.best_score
    search.dropped_ = searched.dropped
    search.failures_ = searched.ledger.list_failures()
    search.trials_ = judged.trials
    search.counts_ = judged.counts
    search.begun_ = searched.begun
    search.n_fits_ = searched.ledger.n_fits
    search.n_fits_saved_ = (
        count_fits(searched.ledger.configurations) * len(prepared.splits) - search.n_fits_
    )
    search._record = judged
    search._answer = None
    return search


def refit_winner(
    search: SearchCV,
    prepared: SearchSetup,
    configuration: Configuration | Estimator,
    callbacks: Callbacks | None = None,
) -> None:
    """Fit the winner, or the model of an ensemble, on all data, as `best_estimator_`."""
    shared = prepared.experiment
    search.best_estimator_ = (
        shared.make_model(configuration, (0,))
        if isinstance(configuration, Configuration)
        else configuration
    )
    arguments = (search.best_estimator_, shared.X, shared.y, shared.fit_params)
    watched = None if callbacks is None else callbacks.refit()
    start = time.perf_counter()
    with watched.fitting(*arguments) if watched else nullcontext():
        fit_model(*arguments)
    search.refit_time_ = time.perf_counter() - start
    if hasattr(search.best_estimator_, "feature_names_in_"):
        search.feature_names_in_ = search.best_estimator_.feature_names_in_
    if watched is not None:
        watched.end()


def _fit_prepared(
    search: SearchCV, options: SearchOptions, prepared: SearchSetup, callbacks: Callbacks | None
) -> SearchCV:
    """Run a search that is ready, and refit its winner."""
    searched = _search(options, prepared, callbacks)
    judged = judge_search(options, prepared, searched)
    keep_results(search, prepared, searched, judged)
    if options.ensemble is not None:
        refit_winner(search, prepared, _join_ensemble(search, prepared, searched), callbacks)
    elif options.refit and judged.best is not None:
        refit_winner(search, prepared, searched.ledger.configurations[judged.best], callbacks)
    return search


def _join_ensemble(search: SearchCV, prepared: SearchSetup, searched: SearchRun) -> Estimator:
    """Choose the ensemble of a search, and return its unfitted model."""
    record = search._record
    if record.predictions is None or record.question is None:
        raise refuse_estimate(record.refusal, "ensemble")
    search.ensemble_ = record.question.choose_members(record.predictions)
    by_name = dict(zip(searched.ledger.ids, searched.ledger.configurations, strict=True))
    members = [prepared.experiment.make_model(by_name[name], (0,)) for name in search.ensemble_]
    classes = record.predictions.target.has_classes
    return join_members(members, [*search.ensemble_.values()], classes=classes)


def _search(
    options: SearchOptions, prepared: SearchSetup, callbacks: Callbacks | None
) -> SearchRun:
    """Evaluate the configurations, and notify the callbacks of every fit."""
    if callbacks is None:
        return search_all(options, prepared)
    with callbacks.searching(count_planned(prepared.candidates), len(prepared.splits)) as watched:
        experiment = replace(prepared.experiment, callbacks=watched)
        return search_all(options, replace(prepared, experiment=experiment))
