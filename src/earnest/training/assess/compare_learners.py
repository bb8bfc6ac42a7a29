"""The verb `compare_learners`: train two learners on the same splits or samples, and compare."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from earnest.comparison.asking import (
    ComparisonRequest,
    find_evidence_cautions,
    refuse_undefined,
    result,
)
from earnest.comparison.base import SupportedMetrics, Test, TestSpec, check_splits
from earnest.comparison.left_out import SampleTest
from earnest.comparison.replicates import compare_samples
from earnest.core.arguments.base import check_arguments
from earnest.core.arguments.compare_learners import CompareLearnersArguments
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.protocols import Progress
from earnest.core.base.rng import RngLike, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Scope
from earnest.core.results.comparison import Alternative, Comparison
from earnest.core.results.specs import Evidence
from earnest.core.text.doors import arg
from earnest.engine.identity import describe, digest
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.training.assess.question import (
    identify_learners,
    read_data,
    read_response,
    refuse_inner_store,
    warn_of_few_cases,
)
from earnest.training.assess.replicates import train_replicates
from earnest.training.fit.experiment import Experiment
from earnest.training.fit.ledger import OutcomeLog, find_exception
from earnest.training.fit.problem import make_survival_outcome
from earnest.training.fit.response import ResponsePlan, plan_response, will_have
from earnest.training.fit.run import RunOptions, open_run
from earnest.training.fit.splits import (
    Splits,
    add_splits,
    check_layers,
    draw_split_seed,
    make_random_splitter,
    make_splits,
    make_splitter,
)
from earnest.training.protocols import Estimator, Splitter, StoreLike
from earnest.training.search.estimate import warn_of_leaking_splits
from earnest.training.search.preparation import ConfigurationList, read_candidates
from earnest.training.search.run import enter_configs, put_cases, record_all

Learner: TypeAlias = Estimator | tuple[str, Estimator]  # alone, or with its name
FOLDS = 10
TEST_SETS = 10


def make_folds_once(
    request: ComparisonRequest,
    X: object,
    y: object,
    *,
    cv: object,
    groups: ArrayLike | None,
    classifier: bool,
) -> Splits:
    """Return folds that test every case once, and refuse repeats."""
    splits = make_learner_splits(
        request.test.spec,
        X,
        y,
        cv=cv,
        n_repeats=None,
        groups=groups,
        classifier=classifier,
        seeds=request.seeds,
    )
    if splits.n_repeats > 1:
        raise EvidenceError(
            "one partition into folds is needed",
            needs="folds that test every case once",
            got=f"{splits.n_repeats} repeats",
            cure=f"Use {arg('cv', 10)}.",
        )
    return splits


def make_learner_splits(
    spec: TestSpec,
    X: object,
    y: object,
    *,
    cv: object,
    n_repeats: int | None,
    groups: object,
    classifier: bool,
    seeds: Seeds,
    target: Target | None = None,
) -> Splits:
    """Return the splits that a test asks for, shuffled, and stratified for classes.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        The folds; for random test sets 1 over their share. A splitter or pairs are taken as given.
    n_repeats : int, optional
        How often folds are repeated, or how many random test sets there are.
    target : Target, optional
        Whose strata, if there are any, stand instead of classes; not for a splitter or pairs.
    """
    if n_repeats is not None:
        check_arguments(CompareLearnersArguments, n_repeats=n_repeats)
    params = None if groups is None else {"groups": groups}
    if isinstance(cv, bool | np.bool_):
        raise _refuse_cv(cv)
    splitter: object
    if cv is None or isinstance(cv, int | np.integer):
        layered = target is not None and target.strata is not None
        splitter, repeats = _make_own_splitter(
            spec,
            None if cv is None else int(cv),
            n_repeats,
            groups is not None,
            classifier or layered,
            seeds,
        )
        if target is not None and layered:
            if not spec.random_test_sets:
                check_layers(splitter.get_n_splits(), target)
            y = target.strata
    elif n_repeats is not None:
        raise InputError(
            f"{arg('n_repeats')} cannot be combined with a splitter",
            needs="a number of folds, or a splitter that repeats by itself",
            got=check.show(cv),
            cure=f"Leave {arg('n_repeats')} out.",
        )
    else:
        splitter, repeats = cv, 1
    with warnings.catch_warnings():  # a class with fewer cases than folds: the cautions tell
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        splits = make_splits(
            splitter, X, y, classifier=classifier, n_repeats=repeats, seeds=seeds, params=params
        )
    count = None if groups is None else len(np.unique(np.asarray(groups).astype(str)))
    check_splits(spec, np.bincount(splits.repeat).tolist(), count)
    return splits


def _make_own_splitter(
    spec: TestSpec,
    cv: int | None,
    n_repeats: int | None,
    grouped: bool,
    layered: bool,
    seeds: Seeds,
) -> tuple[Splitter, int]:
    """Return the splitter that the test is designed for, and the number of repeats."""
    make = partial(make_splitter, layered=layered, grouped=grouped, seed=draw_split_seed(seeds))
    if spec.design is not None:
        repeats, folds = spec.design
        for name, value, fixed in (("n_repeats", n_repeats, repeats), ("cv", cv, folds)):
            if value not in (None, fixed):
                raise InputError(
                    f"test {spec.name!r} is for {repeats} repeats of {folds} folds",
                    needs=f"{arg(name, fixed)}, or none",
                    got=arg(name, value),
                    cure=f"Use {arg('test', 'corrected_t')} for other numbers.",
                )
        return make(folds), repeats
    count = FOLDS if cv is None else int(cv)
    if count < 2:
        raise _refuse_cv(cv)
    if spec.random_test_sets:
        sets = check.whole_number("n_repeats", n_repeats or TEST_SETS, low=2)
        return make_random_splitter(
            sets, 1.0 / count, layered=layered, grouped=grouped, seed=draw_split_seed(seeds)
        ), 1
    return make(count), n_repeats or 1


def _refuse_cv(cv: object) -> InputError:
    return InputError(
        f"{arg('cv')} cannot be read",
        needs="a number of folds of at least 2, a scikit-learn splitter, or (train, test) pairs",
        got=check.show(cv),
    )


def measure_overlap(splits: Splits) -> float | None:
    """Return the ratio of test to training cases, or None if the test sets are a partition."""
    if (splits.fold_codes >= 0).all():
        return None
    tests = sum(len(rows) for rows in splits.test)
    return tests / sum(len(rows) for rows in splits.train)


def read_learners(learners: Mapping[str, Learner]) -> ConfigurationList:
    """Return learners with unique names; messages name the argument of each."""
    for word, entry in learners.items():
        learner = entry[1] if isinstance(entry, tuple) and len(entry) == 2 else entry
        is_learner = all(will_have(learner, name) for name in ("fit", "predict", "get_params"))
        if isinstance(learner, type) or not is_learner or isinstance(entry, list):
            raise InputError(
                f"{arg(word)} is not a learner",
                needs="an estimator with `fit`, `predict` and `get_params`, or (name, estimator)",
                got=check.show(entry),
                cure=f"Write {learner.__name__}()." if isinstance(learner, type) else "",
            )
        refuse_inner_store(learner)
    configurations = read_candidates(list(learners.values()))
    assert isinstance(configurations, ConfigurationList)
    return configurations


def check_kinds(pair: ConfigurationList) -> None:
    """Refuse to compare a classifier with a regressor."""
    from sklearn.base import is_classifier, is_regressor

    first, second = pair.estimators
    for kind, other in ((first, second), (second, first)):
        if is_classifier(kind) and is_regressor(other):
            raise InputError(
                "a classifier and a regressor have no common metric",
                needs="two learners for one task",
                got=f"{type(kind).__name__} and {type(other).__name__}",
            )


def choose_pair_metric(request: ComparisonRequest, metric: MetricLike | None, y: object) -> Metric:
    """Return the metric; tests of pairs have a default."""
    if metric is None and request.test.spec.metrics is SupportedMetrics.PAIRS:
        outcome = make_survival_outcome(y)
        survival = isinstance(outcome, np.ndarray) and outcome.dtype.names is not None
        return resolve_metric("concordance" if survival else "roc_auc")
    if metric is None:
        raise InputError(
            f"{arg('metric')} is missing", needs="a metric to compare by, such as 'accuracy'"
        )
    return resolve_metric(metric)


def refuse_for_test(request: ComparisonRequest, **arguments: object) -> None:
    """Refuse arguments that do not apply to the test."""
    spec = request.test.spec
    for name, value in arguments.items():
        if value is not None:
            trains = "bootstrap samples" if name != "n_replicates" else "folds"
            use = (
                arg("n_replicates")
                if name != "n_replicates"
                else f"{arg('cv')} and {arg('n_repeats')}"
            )
            raise InputError(
                f"{arg(name)} does not apply to test {spec.name!r}, which trains on {trains}",
                needs=use,
                got=check.show(value),
                cure="Leave it out.",
            )


def make_resumable(rng: RngLike, store: StoreLike | None, X: object, y: object) -> RngLike:
    """Return the seed; with a store and no seed, one made from the data, so that it resumes."""
    if rng is not None or store is None:
        return rng
    return int(digest(describe(X) + describe(make_survival_outcome(y))), 16) % 2**32


def make_store_files(store: StoreLike | None) -> tuple[Path | None, Path | None]:
    """Return a file for each learner."""
    if store is None:
        return None, None
    if not isinstance(store, str | Path):
        raise InputError(
            "two learners on bootstrap samples need one file each",
            needs="a path",
            got=type(store).__name__,
        )
    path = Path(store)
    first, second = (path.with_name(f"{path.stem}-{end}{path.suffix}") for end in "ab")
    return first, second


REPLICATES = 1000
ABOUT_TEST_SETS = {
    Scope.UNTESTED,
    Scope.OVERLAP,
}  # random test sets leave cases out, and are meant to


def compare_learners(
    a: Learner,
    b: Learner,
    X: object,
    y: object,
    *,
    test: str | Test | SampleTest = "corrected_t",
    metric: MetricLike | None = None,
    cv: object = None,
    n_repeats: int | None = None,
    n_replicates: int | None = None,
    stratify: bool | ArrayLike | None = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    alternative: Alternative | str = "two-sided",
    confidence_level: float = 0.95,
    store: StoreLike | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: Progress | bool | None = None,
    rng: RngLike = None,
) -> Comparison:
    """Tell whether one learner is better than another, by training both.

    Both are trained on the same splits, or on the same bootstrap samples, so the test is paired.
    The difference is metric(a) - metric(b) in the metric's own units.

    **What is compared.** By `corrected_t`, `five_by_two` and their kin the mean performance over
    training sets of the size used; by `lpob` and `loob` that over bootstrap samples; by `bayle` and
    the other tests of `compare` the models that were fitted in these folds. The result says which.

    **What it assumes.** Independent cases, or `groups`, which are then kept together by folds and
    samples alike. A learner is all that is trained: a pipeline with its steps, a `SearchCV` with
    its tuning.

    **When it fails.** A learner that cannot be trained in a fold ends it. `resampled_t` and `cv_t`
    find differences too often, and their results say so.

    Parameters
    ----------
    a, b : estimator, or pair of name and estimator
        The learners; not changed.
    X, y : array-like
        The cases and their outcome; for survival y is a structured array, or a pair of events and
        times.
    test : str or Test
        A name (`earnest tests` lists them), a name with knobs, or a configured instance.
    metric : str, Metric or callable
        What to compare by; for `lpob` the AUC (or the concordance) by default.
    cv : int, splitter or iterable, optional
        The folds: 10 by default, shuffled, and stratified for classes. For `resampled_t` a number k
        makes random test sets of a share 1/k. Not for tests of bootstrap samples.
    n_repeats : int, optional
        How often the folds are repeated, or how many random test sets there are (10).
    n_replicates : int, optional
        The number of bootstrap samples, for `lpob` and `loob`; 1000 by default.
    stratify : bool or array-like, optional
        As for `assess`: whether bootstrap samples draw classes (or these strata) apart, which is as
        the metric needs by default. Strata also part the folds, instead of classes.
    groups : array-like, shape (n,), optional
        Cases that belong together.
    positive : label, optional
        The positive class; by default the last one, as in scikit-learn, or the other one where
        the last is called what a study is not about ('control', 'no', 'healthy').
    alternative, confidence_level
        As for `compare`.
    store : path or Store, optional
        Where finished fits are kept, so that the same call continues where it stopped; tests of
        bootstrap samples take a path, and make a file for each learner from it.
    n_jobs : int, optional
        How many fits at once; never changes the result.
    time_limit : float, optional
        Seconds for each fit.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of splits and samples, and of the parts of a learner that have none.

    Returns
    -------
    Comparison
        As of `compare`.

    Raises
    ------
    InputError, EvidenceError, MetricError
        Before any training where the question cannot be answered; after it where a learner failed.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2)
    >>> en.compare_learners(("nb", GaussianNB()), ("dt", tree), X, y, metric="roc_auc", rng=1)
    roc_auc(nb) - roc_auc(dt) = 0.044, 95 % interval [0.012, 0.076], p = 0.013 (corrected_t, n=569)
    """
    pair = read_learners({"a": a, "b": b})
    rng = make_resumable(rng, store, X, y)
    named_test = cast("str | Test", test)  # a test of bootstrap samples is used as one below
    request = ComparisonRequest.of(
        named_test, alternative, confidence_level, None, rng, n_jobs, evidence=None
    )
    bootstraps = request.test.spec.needs is Evidence.REPLICATES
    measure = choose_pair_metric(request, metric, y)
    check_kinds(pair)
    if bootstraps:
        refuse_for_test(request, cv=cv, n_repeats=n_repeats)
    else:
        refuse_for_test(request, n_replicates=n_replicates)
    count = REPLICATES if n_replicates is None else n_replicates
    check_arguments(CompareLearnersArguments, n_replicates=count)
    X, y = read_data(X, y)
    plan = read_response(
        pair.estimators, y, measure, groups=groups, stratify=stratify, positive=positive
    )
    how = RunOptions(n_jobs=request.n_jobs, store=store, time_limit=time_limit, progress=progress)
    if bootstraps:
        return _compare_by_samples(request, pair, X, y, plan, measure, stratify, count, how)
    return _compare_by_folds(request, pair, X, y, plan, measure, groups, cv, n_repeats, how)


def _compare_by_folds(
    request: ComparisonRequest,
    pair: ConfigurationList,
    X: object,
    y: object,
    plan: ResponsePlan,
    metric: Metric,
    groups: ArrayLike | None,
    cv: object,
    n_repeats: int | None,
    how: RunOptions,
) -> Comparison:
    """Train both learners on the same splits, and apply the test to their predictions."""
    from sklearn.base import is_classifier

    splits = make_learner_splits(
        request.test.spec,
        X,
        y,
        cv=cv,
        n_repeats=n_repeats,
        groups=groups,
        classifier=is_classifier(pair.estimators[0]),
        seeds=request.seeds,
        target=plan.target,
    )
    request = replace(request, test=_set_ratio(request.test, splits))
    plan = replace(plan, target=replace(plan.target, order=splits.order))
    pi = train_learners(pair, X, y, plan, splits, request, how)
    question = request.question(pi, metric.on(pi.target.task), pi.fingerprint)
    refuse_undefined(question)
    remarks = [
        caution
        for caution in find_evidence_cautions(pi, question.metric, request.test)
        if measure_overlap(splits) is None or caution.about not in ABOUT_TEST_SETS
    ]
    cautions = [*remarks, *warn_of_leaking_splits(splits), *warn_of_few_cases(pi.target)]
    comparison = result(request, question, request.test.read(question), 0, 1, cautions)
    about = replace(comparison.provenance, seed=request.seeds.entropy)
    return replace(comparison, n_cases=pi.n_cases, provenance=about)


def _compare_by_samples(
    request: ComparisonRequest,
    pair: ConfigurationList,
    X: object,
    y: object,
    plan: ResponsePlan,
    metric: Metric,
    stratify: bool | ArrayLike | None,
    count: int,
    how: RunOptions,
) -> Comparison:
    """Train both learners on the same bootstrap samples, and apply the test to the replicates."""
    target, measure = plan.target, metric.on(plan.target.task)
    chosen = cast("SampleTest", request.test)
    chosen.check_metric(metric, target)
    replicates = [
        train_replicates(
            learner,
            X,
            y,
            plan_response(measure, target, [learner]),
            measure,
            stratify=stratify,
            n_replicates=count,
            options=replace(how, store=file),
            name=name,
            rng=request.seeds.entropy,
        )
        for name, learner, file in zip(
            pair.ids, pair.estimators, make_store_files(how.store), strict=True
        )
    ]
    return compare_samples(request, (replicates[0], replicates[1]), measure)


def _set_ratio(test: Test, splits: Splits) -> Test:
    """Return a test that corrects for overlap with the ratio of these splits."""
    ratio = measure_overlap(splits)
    has_ratio = not test.spec.overlap or getattr(test, "ratio", None) is not None
    if ratio is None or has_ratio:
        return test
    return replace(test, ratio=ratio)  # type: ignore[type-var]  # tests are frozen dataclasses


def train_learners(
    pair: ConfigurationList,
    X: object,
    y: object,
    plan: ResponsePlan,
    splits: Splits,
    request: ComparisonRequest,
    how: RunOptions,
) -> Predictions:
    """Fit one or two learners on every split; raise if a fit fails."""
    from sklearn import get_config

    experiment = Experiment(
        X=X,
        y=y,
        base=pair.estimators[0],
        rows=splits,
        plan=plan,
        seed=request.seeds.entropy,
        config=get_config(),
    )
    ledger = OutcomeLog(splits, plan, ())
    facts: dict[str, str] = {}
    if how.store is not None:
        named = {
            f"learner {letter}": predictions
            for letter, predictions in zip("ab", pair.estimators, strict=False)
        }
        facts = {
            **identify_learners(f"{len(pair)} learners", X, y, plan, named),
            "names": describe(pair.ids),
            "seed": describe(request.seeds.entropy),
        }
    with open_run(
        experiment,
        how,
        identity=add_splits(facts, splits),
        total=len(pair) * len(splits),
        title="Splits",
    ) as opened:
        if opened.store is not None:
            put_cases(opened.store, plan, splits, static=True)
        both = enter_configs(opened, ledger, pair.ids, pair.configurations)
        record_all(opened, ledger, ledger.make_tasks(both, range(len(splits))))
    _refuse_failures(ledger)
    predictions = ledger.make_predictions()
    assert predictions is not None
    return predictions


def _refuse_failures(ledger: OutcomeLog) -> None:
    failures, every = ledger.list_failures(), ledger.list_failed_fits()
    if every and len(every) == ledger.n_fits:
        raise _make_failure("both learners", every[0])
    if failures:
        raise _make_failure(failures[0].config, failures[0].error or failures[0].note or "")


def _make_failure(who: str, why: str) -> EvidenceError:
    return EvidenceError(
        f"{who} failed in some splits",
        needs="predictions of both learners for every test set",
        got=find_exception(why),
        cure="Fix the learner, or remove the data that it cannot handle.",
    )
