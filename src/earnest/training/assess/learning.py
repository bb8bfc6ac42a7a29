"""The verb `learning_curve`: a learner trained on parts of each training set, on the same tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.comparison.asking import ComparisonRequest
from earnest.comparison.run import compare
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError, MetricError
from earnest.core.base.protocols import Progress
from earnest.core.base.provenance import list_versions
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution, Scope
from earnest.core.results.comparison import Comparison
from earnest.core.results.estimate import Estimate, Provenance, by_severity
from earnest.core.results.gain import LearningCurve
from earnest.core.results.interval import Interval
from earnest.core.text.doors import arg
from earnest.methods.run import estimate
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.training.assess.compare_learners import (
    Learner,
    make_folds_once,
    make_resumable,
    read_learners,
    train_learners,
)
from earnest.training.assess.question import read_data, read_response
from earnest.training.fit.run import RunOptions
from earnest.training.fit.splits import Splits
from earnest.training.protocols import Estimator, StoreLike
from earnest.training.search.search_cv import SearchCV

FRACTIONS = (0.125, 0.25, 0.5, 1.0)
Rows = NDArray[np.intp]


def learning_curve(
    learner: Learner | SearchCV,
    X: object,
    y: object,
    *,
    metric: MetricLike | None = None,
    fractions: Sequence[float] = FRACTIONS,
    cv: object = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    confidence_level: float = 0.95,
    store: StoreLike | None = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    rng: RngLike = None,
) -> LearningCurve:
    """Tell what more training cases gave: train on parts of each training set, test on the same.

    The predictions of a search are of models that were trained on one number of cases, and cannot
    tell what another number gives. This trains the learner again, on nested parts of the training
    set of each fold.

    **What is estimated.** The cross-validated score at each size, and what the last step gave: by
    how much models of all training cases are better than those of the largest part, on the same
    test cases. Nothing is said of more cases than there are.

    **What it assumes.** Independent cases (or groups), and a stable learner: the interval of the
    last step is that of the test `bayle`, paired by case, or of the first test that applies to the
    metric. Folds are drawn anew, so that what made the winner of a search look best in its own
    folds is not taken for what its cases gave.

    **When it fails.** The settings of a winner were chosen with all training cases. With fewer,
    others may be better, so that a step can look larger than it is: note `EN127`.

    Parameters
    ----------
    learner : estimator, pair of name and estimator, or fitted SearchCV
        What is trained; of a search its winner.
    X, y : array-like
        The cases and their outcome.
    metric : str, Metric or callable, optional
        What to measure; that of the search by default.
    fractions : sequence of float
        The parts of each training set, growing, the last one 1. An eighth, a quarter, a half and
        all by default.
    cv : int, splitter or iterable, optional
        The folds: 10 by default, shuffled, and stratified for classes; once.
    groups : array-like, optional
        Cases that belong together; whole groups are left out.
    positive : label, optional
        The positive class.
    confidence_level : float
        The level of all limits.
    store : str, Path or Store, optional
        A run file; a call that was interrupted continues where it stopped.
    n_jobs : int, optional
        How many fits at once; never changes the result.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of folds and parts, and of the parts of a learner that have none.

    Returns
    -------
    LearningCurve
        The scores with their limits, and what the last step gave.

    Raises
    ------
    InputError, EvidenceError, MetricError
        Where the question cannot be answered, or the learner cannot be trained.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> made = en.learning_curve(
    ...     KNeighborsClassifier(3), X, y, metric="accuracy", fractions=(0.25, 0.5, 1), cv=5, rng=0
    ... )
    >>> made.sizes, made.n_fits
    ((30, 60, 120), 15)
    """
    from sklearn.base import is_classifier

    shares = _check_fractions(fractions)
    searched = isinstance(learner, SearchCV)
    shown_learner = learner
    if isinstance(learner, SearchCV):
        shown_learner, metric = _find_winner(learner, metric)
    if metric is None:
        raise InputError(f"{arg('metric')} is missing", needs="what to measure, such as 'accuracy'")
    measure = resolve_metric(metric)
    X, y = read_data(X, y)
    rng = make_resumable(rng, store, X, y)
    request = ComparisonRequest.of(
        "bayle", "two-sided", confidence_level, None, rng, n_jobs, evidence=None
    )
    learners = read_learners({"learner": shown_learner})
    plan = read_response(learners.estimators, y, measure, groups=groups, positive=positive)
    classifier = is_classifier(learners.estimators[0])
    folds = make_folds_once(request, X, y, cv=cv, groups=groups, classifier=classifier)
    nested = nest_splits(folds, shares, plan.target, request.seeds)
    how = RunOptions(n_jobs=n_jobs, store=store, progress=progress)
    pi = train_learners(learners, X, y, plan, nested, request, how)
    sizes = tuple(
        round(float(np.mean([len(rows) for rows in nested.train[i * len(folds) :][: len(folds)]])))
        for i in range(len(shares))
    )
    if len(set(sizes)) < len(sizes):
        raise InputError(
            "two fractions give as many training cases",
            needs="parts of different size",
            got=", ".join(map(str, sizes)),
            cure="Use fewer or larger fractions.",
        )
    remarks = [warn_of_settings()] if searched else []
    predictions = _side_by_side(pi, sizes)
    return _make_curve(predictions, measure, request, learners.ids[0], shares, sizes, remarks)


def _check_fractions(fractions: Sequence[float]) -> tuple[float, ...]:
    try:
        shares = tuple(float(fraction) for fraction in fractions)
    except (TypeError, ValueError):
        raise InputError(
            "`fractions` is not a list of numbers",
            needs="growing numbers above 0, the last one 1",
            got=check.show(fractions),
        ) from None
    growing = all(a < b for a, b in pairwise(shares))
    if len(shares) < 2 or not growing or shares[-1] != 1.0 or shares[0] <= 0.0:
        raise InputError(
            "`fractions` does not make a learning curve",
            needs="two or more growing numbers above 0, the last one 1",
            got=", ".join(f"{fraction:g}" for fraction in shares) or "none",
            cure="Use fractions=(0.25, 0.5, 1).",
        )
    return shares


def _find_winner(search: SearchCV, metric: MetricLike | None) -> tuple[Learner, MetricLike | None]:
    """Return the winner of a search with its name, unfitted, and what the search measured."""
    from sklearn.base import clone
    from sklearn.utils.validation import check_is_fitted

    from earnest.core.text.names import name_configs, simplify_values

    check_is_fitted(search, "cv_results_")
    every, best = search.cv_results_["params"], search.best_index_
    ids = [str(index) for index in range(len(every))]
    name = name_configs(ids, simplify_values(every))[ids[best]].words
    if hasattr(search, "best_estimator_"):
        model = clone(search.best_estimator_)
    else:
        model = clone(search.estimator).set_params(**clone(every[best], safe=False))
    if metric is None and search.predictions_ is not None:
        metric = search.estimate_.metric
    return (name if name != ids[best] else type(model).__name__, cast(Estimator, model)), metric


def nest_splits(folds: Splits, fractions: Sequence[float], target: Target, seeds: Seeds) -> Splits:
    """Return the folds once for every fraction, as a repeat each, trained on nested parts.

    A part keeps the shares of the classes, and groups whole. The last fraction is the folds
    themselves.

    Parameters
    ----------
    folds : Splits
        One partition.
    fractions : sequence of float
        Growing, the last one 1.
    """
    orders = [
        _order_rows(rows, target, seeds.generator(Purpose.SPLITS, 2, index))
        for index, rows in enumerate(folds.train)
    ]
    nested = []
    for repeat, fraction in enumerate(fractions):
        for fold, order in enumerate(orders):
            whole = folds.train[fold]
            subset = np.sort(order[: _count_part(order, fraction, target)])
            _refuse_lost_classes(subset, whole, target)
            nested.append((whole if fraction == 1.0 else subset, folds.test[fold], repeat, fold))
    return Splits.of(nested, folds.n_cases)


def _order_rows(rows: Rows, target: Target, rng: np.random.Generator) -> Rows:
    """Return rows in the order in which parts take them: any first part is alike in classes."""
    mixed = rng.permutation(rows)
    if target.groups is not None:
        codes = np.unique(target.groups, return_inverse=True)[1].ravel()
        unit = rng.permutation(codes.max() + 1)[codes[mixed]]
        return np.asarray(mixed[np.argsort(unit, kind="stable")])
    if not target.has_classes:
        return np.asarray(mixed)
    turn = np.empty(len(mixed))
    for code in np.unique(target.y[mixed]):
        mine = np.flatnonzero(target.y[mixed] == code)
        turn[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
    return np.asarray(mixed[np.argsort(turn, kind="stable")])


def _count_part(order: Rows, fraction: float, target: Target) -> int:
    """Return how many rows a part has; the last group of a part is whole."""
    count = max(1, round(fraction * len(order)))
    if target.groups is None:
        return count
    groups = np.asarray(target.groups)[order]
    while count < len(order) and groups[count] == groups[count - 1]:
        count += 1
    return count


def _refuse_lost_classes(subset: Rows, whole: Rows, target: Target) -> None:
    if not target.has_classes:
        return
    classes = len(np.unique(target.y[subset]))
    if classes < len(np.unique(target.y[whole])):
        raise InputError(
            f"a training set of {len(subset):,} cases lacks a class",
            needs="cases of every class in the smallest part",
            got=f"{classes} classes",
            cure="Use larger fractions, such as (0.5, 1).",
        )


def _side_by_side(pi: Predictions, sizes: tuple[int, ...]) -> Predictions:
    """Return the repeats of one learner as configurations, named by their training sets."""
    return replace(
        pi,
        configs=Configs(ids=tuple(f"{size} training cases" for size in sizes)),
        responses=np.swapaxes(pi.responses, 1, 2),
        folds=pi.folds[:, :1],
        fold_names=pi.fold_names[:1],
        training_sizes=None,
    )


def _make_curve(
    pi: Predictions,
    metric: Metric,
    request: ComparisonRequest,
    name: str,
    fractions: tuple[float, ...],
    sizes: tuple[int, ...],
    remarks: list[Caution],
) -> LearningCurve:
    step, each = _judge(pi, metric, request)
    sign = 1.0 if step.scale.greater_is_better else -1.0
    interval = step.interval
    if interval is not None and sign < 0:
        interval = Interval(-interval.high, -interval.low, interval.confidence_level, interval.side)
    ends = [estimate.interval for estimate in each]
    # One of two sizes is the best of the table: it was not chosen for that.
    cautions = [caution for caution in step.cautions if caution.about is not Scope.TABLE]
    return LearningCurve(
        value=sign * step.difference,
        interval=interval,
        standard_error=step.standard_error,
        scale=step.scale,
        learner=name,
        fractions=fractions,
        sizes=sizes,
        scores=tuple(estimate.value for estimate in each),
        low=tuple(None if estimate is None else estimate.low for estimate in ends),
        high=tuple(None if estimate is None else estimate.high for estimate in ends),
        test=step.test,
        n_cases=step.n_cases,
        n_fits=len(sizes) * step.provenance.n_folds,
        confidence_level=request.confidence_level,
        cautions=by_severity([*cautions, *remarks]),
        provenance=Provenance(
            seed=request.seeds.entropy,
            fingerprint=pi.fingerprint,
            n_folds=step.provenance.n_folds,
            n_repeats=1,
            knobs={"fractions": list(fractions)},
            versions=list_versions(),
        ),
    )


def _judge(
    pi: Predictions, metric: Metric, request: ComparisonRequest
) -> tuple[Comparison, list[Estimate]]:
    """Return the last step, and every size for itself: by the same formula where it applies."""
    last, before = pi.configs.ids[-1], pi.configs.ids[-2]
    level, rng = request.confidence_level, request.seeds.entropy

    def ask(test: str | None, method: str) -> tuple[Comparison, list[Estimate]]:
        step = compare(pi, last, before, metric=metric, test=test, confidence_level=level, rng=rng)
        each = [
            estimate(
                pi.select(index), metric=metric, method=method, confidence_level=level, rng=rng
            )
            for index in range(pi.n_configs)
        ]
        return step, each

    try:
        return ask("bayle", "bayle_all_pairs")
    except (MetricError, EvidenceError):  # no mean over cases, nor an AUC
        return ask(None, "bbc")


def warn_of_settings() -> Caution:
    """Return the note on a learner whose settings a search has chosen with all cases."""
    return of_search.settings_of_all()
