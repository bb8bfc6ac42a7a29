"""The conservative Z interval of Nadeau and Bengio, from halves that share no case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.designs import PairedHalves
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import EqualCaseLimits, LimitSource, NormalLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.cases.fold_variance import ROUNDING
from earnest.inference.limits.unseen_errors import allow_for_unseen_errors
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.kernels.score import fold_scores
from earnest.methods.base import Call, EstimateParts, register
from earnest.metrics.families import CallableMetric, Metric

FEW_HALVINGS = 5


@dataclass(frozen=True)
class HalvesDetails:
    """What the halves said.

    Attributes
    ----------
    scores : tuple of float
        The scores of the random splits of all cases.
    pairs : tuple of pairs of float
        The mean scores of the two halves of every halving.
    """

    scores: tuple[float, ...]
    pairs: tuple[tuple[float, float], ...]


@register
@dataclass(frozen=True, kw_only=True)
class ConservativeZ:
    """Give the mean of random splits an interval from how much two halves of the cases differ.

    The cases are halved M times. In each half the learner is assessed by random splits of that
    half. Two halves share no case, so their difference shows the whole variance of an assessment on
    half as many cases: 1 / (2 M) sum_m (mu_m - mu_m^c)².

    **What is estimated.** The mean performance of this learner over training sets of the size that
    the random splits have.

    **What it assumes.** Independent cases, and that an assessment of n cases varies no more than
    one of n / 2.

    **When it fails.** It trains (2 M + 1) J models, and the interval is about sqrt(2) times as wide
    as necessary. With few halvings the width itself is rough. Learners that fail on half of the
    cases cannot be assessed.

    Nadeau, Bengio 2003, section 4.2.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> asked = {"method": "conservative_z", "metric": "accuracy", "n_repeats": 5, "rng": 0}
    >>> en.assess(GaussianNB(), X, y, **asked)
    accuracy 0.96, 95 % interval [0.91, 1.00] (conservative_z, trained on 135, n=150)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="conservative_z",
        title="Conservative Z interval of halves",
        short="Conservative Z",
        needs=Evidence.PAIRED,
        design=Design.HALVES,
        repeats=15,
        no_groups="its random splits cut through groups",
        estimand=Estimand.LEARNER,
        cites="Nadeau, Bengio 2003",
    )

    def check(self, target: Target, design: PairedHalves, metric: Metric) -> None:
        """Refuse a metric that no random split defines."""
        if not isinstance(metric, CallableMetric):
            _scores(design.whole, metric)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean of the random splits with normal limits."""
        halves, metric = call.design, call.metric
        assert isinstance(halves, PairedHalves)
        scores, missing = _scores(halves.whole, metric)
        means = [tuple(_scores(half, metric)[0].mean() for half in pair) for pair in halves.halves]
        value = float(scores.mean())
        error = float(np.mean([(a - b) ** 2 for a, b in means]) / 2.0) ** 0.5
        source: LimitSource = NormalLimits(value, error)
        remarks = list(_few_halvings(len(means)))
        if error <= ROUNDING * max(abs(value), 1.0):
            tested = int(halves.whole.tested(0).sum())
            source = EqualCaseLimits(value, max(tested, 1), *metric.limits)
            remarks = [*_equal(tested)]
        source = allow_for_unseen_errors(source, halves.whole, metric)
        return EstimateParts(
            value=value,
            winner=0,
            naive=value,
            source=source,
            cautions=[*warn_of_undefined_folds(len(scores) + missing, len(scores)), *remarks],
            details=HalvesDetails(
                tuple(scores.tolist()), tuple((float(a), float(b)) for a, b in means)
            ),
        )


def _scores(pi: Predictions, metric: Metric) -> tuple[NDArray[np.float64], int]:
    """Return the defined scores of the random splits, and how many are undefined."""
    scores = fold_scores(pi, metric)[:, 0, 0]
    defined = scores[~np.isnan(scores)]
    if len(defined) == 0:
        raise EvidenceError(
            f"metric {metric.name!r} is undefined in every random split",
            needs="test sets with cases of every class",
            got=f"{len(scores)} test sets of about {int(pi.tested(0).sum())} cases",
            cure=f"Use more cases, another metric, or {arg('method', 'corrected_t')}.",
        )
    return defined, len(scores) - len(defined)


def _few_halvings(count: int) -> Iterator[Caution]:
    if count < FEW_HALVINGS:
        yield of_limits.few_halvings(count)


def _equal(tested: int) -> Iterator[Caution]:
    yield of_limits.halves_equal(tested)
