"""The verbs `assess` and `assess_all`: how good is this learner? They train what they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from numpy.typing import ArrayLike

from earnest.core.base import check
from earnest.core.base.errors import (
    ClusterError,
    EarnestError,
    EvidenceError,
    InputError,
    MetricError,
)
from earnest.core.base.protocols import Progress, Store
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.data.designs import NestedPredictions
from earnest.core.data.replicates import Replicates
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.estimate import Estimate, Estimates, Refusal, by_severity
from earnest.core.results.interval import Ask
from earnest.core.results.specs import Design, Side
from earnest.core.text.doors import arg
from earnest.inference.cases.no_information import need_rate
from earnest.methods import METHODS
from earnest.methods.base import Method, check_question
from earnest.methods.run import disagreement, estimate
from earnest.methods.winner.nested import Nested
from earnest.metrics.families import MetricLike
from earnest.training.assess.plan import (
    Block,
    Evidence,
    SplitEvidence,
    SplitPlan,
    TrainingNeeds,
    check_cost,
    check_groups,
    choose_method,
    choose_usual,
    find_needs,
    make_evidence,
    make_perfect_evidence,
    make_plan,
    set_ratio,
    train_splits,
    warn_of_cost,
)
from earnest.training.assess.question import (
    FOLDS,
    AssessOptions,
    LearnerQuestion,
    read_question,
    warn_of_few_cases,
)
from earnest.training.assess.replicates import choose_drawn_units, train_replicates
from earnest.training.fit.run import RunOptions
from earnest.training.fit.samples import Samples
from earnest.training.protocols import Estimator, StoreLike
from earnest.training.tables.hidden_groups import warn_of_copies

USUAL = ".632+"  # unless the metric has no known no-information rate


def assess(
    estimator: Estimator,
    X: object,
    y: object,
    *,
    method: str | Method | None = None,
    metric: MetricLike,
    confidence_level: float = 0.95,
    side: Side | str = "two-sided",
    n_replicates: int = 200,
    stratify: bool | ArrayLike | None = None,
    cv: object = FOLDS,
    n_repeats: int | None = None,
    n_resamples: int | None = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    test: tuple[object, object] | None = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
    store: str | Path | Store | None = None,
    time_limit: float | None = None,
    progress: Progress | bool | None = None,
) -> Estimate:
    """Tell how good a learner is, by training it as often as the method needs.

    A learner is anything that can be fitted: a model, a pipeline or a search. With a `SearchCV` the
    whole search is trained again each time, so that tuning is part of what is judged.

    **What is estimated.** It depends on the method, and the result says it: mostly the mean
    performance over training sets of about this size, which is not that of the one model that is
    refitted on all cases.

    **What it assumes.** Independent cases, or `groups` that are given; and that the learner was
    not chosen by looking at these cases.

    **When it fails.** Few cases. Learners that were themselves chosen on the data: put the choice
    into a `SearchCV` and assess that.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn estimator; it is cloned, never changed.
    X, y : array-like or table
        The data; for survival y is a structured array, or a pair of events and times.
    method : str or Method, optional
        '.632+' by default, or '.632' for a metric without a no-information rate, such as the
        calibration slope. '.632+' and the other estimators from bootstrap samples ('apparent',
        'simple_bootstrap', 'loob', 'err_star', 'refined', '.632', 'lpob'), or 'cv',
        'bayle_all_pairs', 'bayle_within_fold', 'corrected_t', 'repeated_cv', 'loocv', 'holdout',
        'bates_ncv', 'conservative_z', and for a search 'nested'.
    metric : str, Metric or callable
        What to measure, named like scikit-learn's scorers.
    confidence_level, side
        As for `estimate`.
    n_replicates : int
        The number of bootstrap samples that are trained on; 1000 or more for an interval.
    stratify : bool or array-like, optional
        Whether classes (or these strata) are drawn apart; as the metric needs by default.
    cv : int, splitter or iterable
        The folds; a number makes shuffled folds, by class and by group.
    n_repeats : int, optional
        How often folds are repeated: 10 for 'repeated_cv' and 'bates_ncv', 1 for the others and
        for a `cv` with repeats of its own; for 'conservative_z' the number of random splits, 15.
    n_resamples : int, optional
        The number of weight draws of methods that resample predictions.
    groups : array-like, shape (n,), optional
        Cases that belong together; they stay on one side of every split.
    positive : label, optional
        The positive class; by default the last one, as in scikit-learn, or the other one where
        the last is called what a study is not about ('control', 'no', 'healthy').
    test : tuple of X and y, optional
        With 'holdout': a set kept away from the design, to be used once. The learner is trained on
        all of X. A `store` records the use, and a caution says if it is not the first.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of splits, of samples, and of the parts of the learner that have none.
    n_jobs : int, optional
        How many models are trained at once; never changes the result.
    store : path or Store, optional
        Where finished fits are kept, so that the same call continues after it was stopped.
    time_limit : float, optional
        Seconds for each fit.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.

    Returns
    -------
    Estimate
        The value, its interval where the method has one, what it estimates, and what to be
        careful about.

    Raises
    ------
    InputError, MetricError, EvidenceError
        Before any training, where the question cannot be answered; after it where a fit failed.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> en.assess(GaussianNB(), X, y, method="bayle_all_pairs", metric="accuracy", rng=0)
    accuracy 0.937, 95 % interval [0.917, 0.957] (bayle_all_pairs, trained on 512, n=569)
    """
    chosen = choose_method(USUAL if method is None else method, n_resamples)
    name = chosen.spec.name
    if test is not None and chosen.spec.design is not Design.HOLDOUT:
        raise InputError(
            f"{arg('test')} is for method 'holdout'",
            got=arg("method", name),
            cure=f"Use {arg('method', 'holdout')}.",
        )
    if chosen.spec.design is Design.SEARCH:
        _check_search(estimator)
        Ask.of(confidence_level, side)  # not used, but checked
        _refuse_for_nested(
            {"cv": (cv, FOLDS), "n_repeats": (n_repeats, None), "stratify": (stratify, None)}
            | {"positive": (positive, None), "time_limit": (time_limit, None)}
        )
        return _run_nested(chosen, estimator, X, y, metric, groups, rng, n_jobs, store, progress)
    options = AssessOptions(
        metric=metric,
        confidence_level=confidence_level,
        side=side,
        n_replicates=n_replicates,
        stratify=stratify,
        cv=cv,
        n_repeats=n_repeats,
        groups=groups,
        positive=positive,
        rng=rng,
        n_jobs=n_jobs,
        store=store,
        time_limit=time_limit,
        progress=progress,
    )
    question = read_question(estimator, X, y, options)
    if method is None:
        chosen = choose_default(question, n_resamples)
        name = chosen.spec.name
    if test is not None:
        from earnest.training.assess.test_set import assess_once

        return assess_once(question, chosen, test, options)
    answers, refused = assess_methods(question, [chosen], options)
    if refused:
        raise refused[name]
    return answers[0]


def choose_default(question: LearnerQuestion, n_resamples: int | None = None) -> Method:
    """Return '.632+', or '.632' where the metric has no known no-information rate."""
    try:
        need_rate(question.metric, question.target)
    except MetricError:
        return choose_method(".632", n_resamples)
    return choose_method(USUAL, n_resamples)


def assess_all(
    estimator: Estimator,
    X: object,
    y: object,
    *,
    methods: Iterable[str | Method] | str | None = None,
    metric: MetricLike,
    confidence_level: float = 0.95,
    side: Side | str = "two-sided",
    n_replicates: int = 200,
    stratify: bool | ArrayLike | None = None,
    cv: object = FOLDS,
    n_repeats: int | None = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    rng: RngLike = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    time_limit: float | None = None,
    progress: Progress | bool | None = None,
) -> Estimates:
    """Assess a learner by several methods that share their fits: each model is trained once.

    Parameters
    ----------
    methods : list of str or Method, optional
        Which methods; by default those of one set of folds, and those of bootstrap samples. A
        method that cannot answer stands in `refused` with its reason, and nothing is trained for
        it.
    store : path, optional
        As for `assess`; where both folds and bootstrap samples are trained there are two files,
        with '-folds' and '-replicates' added to the name.
    estimator, X, y, metric, confidence_level, side, n_replicates, stratify, cv, n_repeats, groups
        As for `assess`; so are `positive`, `rng`, `n_jobs`, `time_limit` and `progress`.

    Returns
    -------
    Estimates
        The estimates side by side; each is what `assess` gives with the same seed.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> asked = ["cv", "corrected_t", "bayle_all_pairs"]
    >>> table = en.assess_all(GaussianNB(), X, y, methods=asked, metric="accuracy", rng=0)
    >>> [made.method for made in table]
    ['cv', 'corrected_t', 'bayle_all_pairs']
    """
    wanted = [methods] if isinstance(methods, str) else methods
    names = choose_usual() if wanted is None else list(wanted)
    if not names:
        raise InputError("no method was requested", needs="at least one of " + ", ".join(METHODS))
    chosen = [choose_method(name) for name in names]
    for candidate in chosen:
        if candidate.spec.design is Design.SEARCH:
            raise InputError(
                "nested cross-validation cannot share fits with other methods",
                needs="methods for one learner",
                cure=f"Use earnest.assess(search, X, y, {arg('method', 'nested')}).",
            )
    options = AssessOptions(
        metric=metric,
        confidence_level=confidence_level,
        side=side,
        n_replicates=n_replicates,
        stratify=stratify,
        cv=cv,
        n_repeats=n_repeats,
        groups=groups,
        positive=positive,
        rng=rng,
        n_jobs=n_jobs,
        store=store,
        time_limit=time_limit,
        progress=progress,
    )
    question = read_question(estimator, X, y, options)
    answers, refused = assess_methods(question, chosen, options)
    if not answers:
        raise EvidenceError("no method fits this question", got=str(next(iter(refused.values()))))
    reasons = {name: Refusal.of(error) for name, error in refused.items()}
    return Estimates(tuple(answers), reasons, tuple(disagreement(answers)))


def _check_search(estimator: Estimator) -> None:
    if not hasattr(estimator, "stop_when_width"):
        raise InputError(
            "method 'nested' needs a search",
            needs="earnest.SearchCV",
            got=type(estimator).__name__,
            cure=f"Wrap the learner in a SearchCV, or use {arg('method', 'cv')}.",
        )


def _refuse_for_nested(arguments: Mapping[str, tuple[object, object]]) -> None:
    """Refuse options that belong to the search, instead of ignoring them."""
    for name, (value, default) in arguments.items():
        if value is not default and not (isinstance(value, int) and value == default):
            is_of_search = name in ("cv", "n_repeats", "time_limit")
            raise InputError(
                f"method 'nested' uses the folds of the search and takes no {arg(name)}",
                got=f"{name}={check.show(value)}",
                cure=f"Set it in the search: SearchCV(..., {name}=...)." if is_of_search else "",
            )


def _run_nested(
    method: Method,
    estimator: Estimator,
    X: object,
    y: object,
    metric: MetricLike,
    groups: object,
    rng: RngLike,
    n_jobs: int | None,
    store: object,
    progress: object,
) -> Estimate:
    """Cross-validate a whole search by its own folds, and apply the method."""
    from sklearn.base import clone

    from earnest.training.assess.nested import nested_cv

    search = clone(estimator).set_params(metric=metric)
    if progress is not None:
        search.set_params(verbose=progress)
    if rng is not None and search.random_state is None:
        search.set_params(random_state=Seeds.of(rng).entropy % 2**32)
    nested = nested_cv(search, X, y, groups=groups, n_jobs=n_jobs, store=store)
    if isinstance(method, Nested):
        return nested.estimate
    inner = iter(nested.inner)  # those of every outer fold, repeat by repeat
    rows = tuple(tuple(next(inner) for _ in names) for names in nested.predictions.fold_names)
    evidence = NestedPredictions(nested.predictions, rows)
    return estimate(evidence, method=method, metric=metric, rng=rng, n_jobs=n_jobs)


def assess_methods(
    question: LearnerQuestion, methods: Sequence[Method], options: AssessOptions
) -> tuple[list[Estimate], dict[str, EarnestError]]:
    """Refuse what cannot be answered, train what the others need, and ask them."""
    refused: dict[str, EarnestError] = {}
    able: list[Method] = []
    for method in methods:
        try:
            check_groups(method, question.target)
            check_cost(method, question.target)
            _check_design(question, method, options)
            able.append(method)
        except EarnestError as error:
            refused[method.spec.name] = error
    needs = TrainingNeeds()
    for method in able:
        needs |= find_needs(method, options.repeats(method))
    splits = _train_splits(question, needs, options)
    replicates = _train_replicates(question, needs, options)
    copied = _warn_of_copies(question, splits)
    answers = []
    for method in able:
        if method.spec.design is Design.REPLICATES:
            assert replicates is not None
            evidence: Evidence | Replicates = replicates
        else:
            assert splits is not None
            evidence = make_evidence(method, options.repeats(method), splits)
        try:
            ready = method if splits is None else set_ratio(method, splits)
            answer = _ask_method(question, ready, evidence, options.n_jobs)
        except ClusterError:
            raise
        except EarnestError as error:
            refused[method.spec.name] = error
            continue
        about = splits.list_cautions() if splits is not None and answer.provenance.n_folds else ()
        answers.append(replace(answer, cautions=by_severity([*answer.cautions, *about, *copied])))
    return answers, refused


def _warn_of_copies(question: LearnerQuestion, splits: SplitEvidence | None) -> tuple[Caution, ...]:
    """Return a caution if folds test copies of their training cases."""
    folds = None if splits is None else splits.plan.blocks.get(Block.FOLDS)
    return () if folds is None else tuple(warn_of_copies(question.X, question.y, folds))


def _ask_method(
    question: LearnerQuestion, method: Method, evidence: Evidence | Replicates, n_jobs: int | None
) -> Estimate:
    """Apply a method, and add the cautions about the learner's cases."""
    answer = estimate(
        evidence,
        method=method,
        metric=question.metric,
        confidence_level=question.ask.confidence_level,
        side=question.ask.side,
        rng=question.seed,
        n_jobs=n_jobs,
    )
    cautions = [caution for caution in answer.cautions if caution.about is not Scope.SELECTION]
    remarks = [*warn_of_few_cases(question.target), *warn_of_cost(method, question.target)]
    every = dict.fromkeys(
        [*cautions, *remarks]
    )  # bootstrap samples tell of few cases by themselves
    return replace(answer, cautions=by_severity(every))


def _check_design(question: LearnerQuestion, method: Method, options: AssessOptions) -> None:
    """Refuse before any training what a method cannot answer in these splits or samples."""
    target, metric = question.target, question.metric
    if method.spec.design is Design.REPLICATES:
        everywhere = metric.needs_all_classes and target.has_classes
        drawn = choose_drawn_units(options.stratify, target.groups is not None, everywhere)
        check_question(method, drawn, target, metric)
        samples = Samples(target=target, drawn=drawn, both_sides=everywhere, seed=question.seed)
        samples.draw_counts(0)  # refuses what can never be drawn
        return
    few = _limit_repeats(method, options.repeats(method))  # what is refused is so from the start
    plan = _make_plan(question, find_needs(method, few), options)
    perfect = make_perfect_evidence(question, plan)
    design = make_evidence(method, few, perfect)
    check_question(method, design, design.target, metric)


def _limit_repeats(method: Method, n_repeats: int | None) -> int | None:
    least = method.spec.min_repeats
    return least if n_repeats is None else min(n_repeats, least)


def _make_plan(
    question: LearnerQuestion, needs: TrainingNeeds, options: AssessOptions
) -> SplitPlan:
    return make_plan(needs, options.cv, question.X, question.y, question.target, question.seeds)


def _train_splits(
    question: LearnerQuestion, needs: TrainingNeeds, options: AssessOptions
) -> SplitEvidence | None:
    if not needs.splits:
        return None
    return train_splits(
        question, _make_plan(question, needs, options), _run_options(options, needs, "-folds")
    )


def _train_replicates(
    question: LearnerQuestion, needs: TrainingNeeds, options: AssessOptions
) -> Replicates | None:
    if not needs.replicates:
        return None
    return train_replicates(
        question.estimator,
        question.X,
        question.y,
        question.response,
        question.metric,
        stratify=options.stratify,
        n_replicates=options.n_replicates,
        options=_run_options(options, needs, "-replicates"),
        name=question.learner,
        n_inner=needs.inner,
        rng=question.seed,
    )


def _run_options(options: AssessOptions, needs: TrainingNeeds, word: str) -> RunOptions:
    return RunOptions(
        n_jobs=options.n_jobs,
        store=_choose_store(options.store, needs, word),
        time_limit=options.time_limit,
        progress=options.progress,
    )


def _choose_store(store: StoreLike | None, needs: TrainingNeeds, word: str) -> StoreLike | None:
    """Return the file for one kind of fits: the only one, or one of two side by side."""
    if store is None or not (needs.splits and needs.replicates):
        return store
    if not isinstance(store, str | Path):
        raise InputError(
            "folds and bootstrap samples need two run files",
            needs="a path, from which two file names are made",
            got=type(store).__name__,
        )
    path = Path(store)
    return path.with_name(f"{path.stem}{word}{path.suffix}")
