"""The verb `check_stability`: whether a learner meets the condition of the limit theorem of CV."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.comparison.asking import ComparisonRequest
from earnest.core.arguments.shared import GROUPS
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError, MetricError
from earnest.core.base.protocols import Progress
from earnest.core.base.rng import Purpose, RngLike, Seeds
from earnest.core.cautions import of_tests
from earnest.core.results.base import Plain
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values, find_case_kind
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import MetricLike
from earnest.training.assess.compare_learners import (
    Learner,
    check_kinds,
    make_folds_once,
    read_learners,
    train_learners,
)
from earnest.training.assess.question import read_data, read_response
from earnest.training.fit.experiment import find_unseeded
from earnest.training.fit.run import RunOptions
from earnest.training.fit.splits import Splits
from earnest.training.search.preparation import ConfigurationList

SWAPS = 100
UNSTABLE = 1.0  # of the ratio: one of a learner is below it where it is smooth, above where not


@dataclass(frozen=True)
class Stability(Plain):
    """How much one training case changes the losses of a learner.

    Attributes
    ----------
    ratio : float
        n times the loss stability over the variance of the losses; the theorem asks that it goes
        to 0 with more cases.
    ratio_error : float
        Its standard error, over the swaps.
    loss_stability : float
        How much losses of test cases differ when one training case is replaced: the mean square,
        after the mean over test cases is taken off.
    variance : float
        The variance of the losses (or of their difference) over all cases.
    n_swaps, n_cases : int
        How many training cases were replaced, and how many cases there are.
    metric : str
        What was measured.
    learners : tuple of str
        The learner, or the two whose difference was measured.
    cautions : tuple of Caution
        `EN114` where the learner is not stable enough.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> y = X[:, 0] + rng.standard_normal(200)
    >>> found = en.check_stability(("ridge", Ridge()), X, y, metric="mse", n_swaps=40, rng=0)
    >>> found.stable, found.n_swaps, found.learners
    (True, 40, ('ridge',))
    """

    derived: ClassVar[tuple[str, ...]] = ("stable",)

    ratio: float
    ratio_error: float
    loss_stability: float
    variance: float
    n_swaps: int
    n_cases: int
    metric: str
    learners: tuple[str, ...]
    cautions: tuple[Caution, ...] = ()

    @property
    def stable(self) -> bool:
        """Whether the ratio is small enough for intervals and tests of `bayle`."""
        return self.ratio <= UNSTABLE

    def __str__(self) -> str:
        """Return the ratio in one line."""
        who = " - ".join(self.learners)
        word = "stable" if self.stable else "not stable"
        how = f"{self.metric}, n={self.n_cases}, {self.n_swaps} swaps"
        return f"{who}: {word}, ratio {self.ratio:.2g} ± {self.ratio_error:.1g} ({how})"

    __repr__ = __str__


def check_stability(
    a: Learner,
    X: object,
    y: object,
    *,
    b: Learner | None = None,
    metric: MetricLike,
    cv: object = None,
    n_swaps: int = SWAPS,
    groups: ArrayLike | None = None,
    positive: object = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    rng: RngLike = None,
) -> Stability:
    """Tell whether a learner is stable enough for the intervals and tests of `bayle`.

    The central limit theorem of cross-validation holds for learners whose losses hardly change when
    one training case is replaced. This trains the learner in every fold, and again with one
    training case replaced by a case of the fold, and compares the losses of the other cases of the
    fold.

    **What is estimated.** The loss stability gamma, which is the variance over test cases of the
    change of their loss, times n over the variance of the losses. The theorem asks that this ratio
    goes to 0 as n grows. With two learners, losses are differences of their losses: a difference
    varies less than either, so the same changes weigh more.

    **What it assumes.** A metric that is a mean over cases (or a function of such means, which is
    linearised), and independent cases: no groups. The learner is trained from the same seed each
    time, so that its own randomness does not count as a change.

    **When it fails.** A ratio of few swaps is rough: look at its standard error. A small ratio with
    these n cases says nothing of fewer. A large one is no proof that intervals fail: of 0-1 losses
    ('accuracy') it is large for nearly every learner, because a label changes wholly or not at all.
    Judge a classifier by 'brier' or 'log_loss'.

    Bayle, Bayle, Janson, Mackey 2020, definition 1 and theorem 1.

    Parameters
    ----------
    a : estimator, or pair of name and estimator
        The learner; not changed.
    X, y : array-like
        The cases and their outcome.
    b : estimator, or pair of name and estimator, optional
        Another learner, where the difference of both is of interest.
    metric : str, Metric or callable
        What to measure: a mean over cases such as 'brier', 'log_loss' or 'mse'.
    cv : int, splitter or iterable, optional
        The folds: 10 by default, shuffled, and stratified for classes.
    n_swaps : int
        How many training cases are replaced, 100 by default, spread over the folds. Each costs a
        model.
    groups : array-like, optional
        Refused: the theorem is about independent cases.
    positive : label, optional
        The positive class.
    n_jobs : int, optional
        How many fits at once; never changes the result.
    progress : bool or Progress, optional
        Whether to show progress, or an object that receives it.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed of folds, swaps, and of the parts of a learner that have none.

    Returns
    -------
    Stability
        The ratio with its standard error; `stable` tells whether it is small enough, and a caution
        (`EN114`) says what follows where it is not.

    Raises
    ------
    InputError, EvidenceError, MetricError
        Where the question cannot be answered, or a learner cannot be trained.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> y = X[:, 0] + rng.standard_normal(200)
    >>> en.check_stability(("ridge", Ridge()), X, y, metric="mse", rng=0).stable
    True
    >>> en.check_stability(("1-NN", KNeighborsRegressor(1)), X, y, metric="mse", rng=0).stable
    False
    """
    from sklearn.base import is_classifier

    if groups is not None:
        raise InputError(
            f"{GROUPS} given for a check of stability",
            needs="independent cases: the theorem replaces one of them at a time",
            cure="Leave groups out to check the learner on cases as if they were independent.",
        )
    check.whole_number("n_swaps", n_swaps, low=2)
    request = ComparisonRequest.of("bayle", "two-sided", 0.95, None, rng, n_jobs, evidence=None)
    pair = {"a": a} if b is None else {"a": a, "b": b}
    learners = read_learners(pair)
    if b is not None:
        check_kinds(learners)
    learners = _with_seeds(learners, request.seeds)
    measure = resolve_metric(metric)
    X, y = read_data(X, y)
    plan = read_response(learners.estimators, y, measure, groups=None, positive=positive)
    measure = measure.on(plan.target.task)
    if find_case_kind(measure) == "placements":
        raise MetricError(
            f"metric {measure.name!r} is not a mean over cases",
            needs="one loss for every case",
            cure=f"Use {arg('metric', 'brier')}, 'log_loss' or 'accuracy' for classes.",
        )
    classifier = is_classifier(learners.estimators[0])
    folds = make_folds_once(request, X, y, cv=cv, groups=None, classifier=classifier)
    smallest = min(len(rows) for rows in folds.test)
    if smallest < 3:
        raise EvidenceError(
            "a check of stability needs folds of three cases or more",
            needs="at least three test cases in every fold",
            got=f"a fold of {smallest} cases",
            cure=f"Use cv={max(2, min(10, plan.target.n // 3))}, or fewer folds.",
        )
    swapped = _swap_cases(folds, n_swaps, request.seeds)
    how = RunOptions(n_jobs=request.n_jobs, progress=progress)
    pi = train_learners(learners, X, y, plan, swapped, request, how)
    values = case_values(pi, measure)
    terms = values.terms[:, 0] - (0.0 if b is None else values.terms[:, 1])  # (n, 1 + swaps)
    return _measure(terms, values.folds, learners.ids, measure.name, n_swaps)


def _with_seeds(learners: ConfigurationList, seeds: Seeds) -> ConfigurationList:
    """Return the learners with one seed for all their fits, where they have none."""
    from sklearn.base import clone

    seed = int(seeds.generator(Purpose.TRAINING).integers(0, 2**31 - 1))
    fixed = {}
    for name, learner in zip(learners.ids, learners.estimators, strict=True):
        model = clone(learner)
        unseeded = find_unseeded(model)
        fixed[name] = model.set_params(**dict.fromkeys(unseeded, seed)) if unseeded else model
    return read_learners({name: (name, model) for name, model in fixed.items()})


def _swap_cases(folds: Splits, n_swaps: int, seeds: Seeds) -> Splits:
    """Return the folds, and a repeat for every round of swaps.

    In a round every fold trains on its own training set with one case replaced by a case of the
    fold, and tests the other cases of the fold. The last round may leave out folds.
    """
    rng, count = seeds.generator(Purpose.SPLITS, 1), len(folds)
    swapped = list(folds)
    for index in range(n_swaps):
        at = index % count
        rows, tested = folds.train[at].copy(), folds.test[at]
        new = int(rng.integers(len(tested)))
        rows[int(rng.integers(len(rows)))] = tested[new]
        swapped.append((rows, np.delete(tested, new), 1 + index // count, at))
    return Splits.of(swapped, folds.n_cases)


def _measure(
    terms: NDArray[np.float64],
    folds: NDArray[np.int32],
    learners: tuple[str, ...],
    metric: str,
    n_swaps: int,
) -> Stability:
    """Return the ratio from terms and folds (n, 1 + rounds); the first column has no swap."""
    n, variance = len(terms), float(terms[:, 0].var())
    changes = [
        float(np.var(terms[rows, r] - terms[rows, 0], ddof=1))
        for r in range(1, terms.shape[1])
        for rows in (np.flatnonzero(folds[:, r] == k) for k in range(int(folds[:, 0].max()) + 1))
        if len(rows) > 1
    ]
    if variance == 0.0:
        raise EvidenceError(
            "every case has the same loss, so that no change can be held to their variance",
            needs="losses that differ between cases",
            cure="Choose a metric that tells cases apart, such as 'brier' or 'mse'.",
        )
    ratios = n * np.array(changes) / variance
    stability = Stability(
        ratio=float(ratios.mean()),
        ratio_error=float(ratios.std(ddof=1) / math.sqrt(len(ratios))),
        loss_stability=float(np.mean(changes)),
        variance=variance,
        n_swaps=n_swaps,
        n_cases=n,
        metric=metric,
        learners=learners,
    )
    return (
        stability
        if stability.stable
        else replace(stability, cautions=(warn_of_instability(stability),))
    )


def warn_of_instability(stability: Stability) -> Caution:
    """Return the caution that one training case changes the losses too much."""
    return of_tests.learner_unstable(len(stability.learners), stability.ratio)
