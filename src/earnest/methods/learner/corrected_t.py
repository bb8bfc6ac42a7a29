"""Student's interval of fold scores, with a variance that allows for overlapping training sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import EqualCaseLimits, LimitSource, StudentLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.cases.fold_variance import (
    ROUNDING,
    check_ratio,
    corrected_variance,
    overlap_of,
)
from earnest.inference.limits.fold_scores import refuse_unknown_overlap
from earnest.inference.limits.unseen_errors import allow_for_unseen_errors
from earnest.inference.resampling.winners import choose_winner
from earnest.methods.base import Call, EstimateParts, Method, need_folds, register
from earnest.methods.learner.cv import FoldDetails, as_fixed, fold_details
from earnest.metrics.families import CallableMetric, Metric

FEW_SCORES = 5  # under which a standard deviation of fold scores says little


@register
@dataclass(frozen=True, kw_only=True)
class CorrectedT:
    """Give the mean of fold scores Student's interval, its variance corrected for the overlap.

    With R repeats of K folds there are J = R K scores with the standard deviation s. The variance
    of their mean is s² (1 / J + 1 / (K - 1)), and the distribution is Student's t with J - 1
    degrees of freedom. The second term does not shrink with repeats.

    **What is estimated.** The mean performance of this learner over training sets of (1 - 1/K) n
    cases.

    **What it assumes.** The scores are about normal, and two of them are correlated by the share of
    test cases.

    **When it fails.** The correction is a heuristic: no unbiased estimate of this variance exists.
    The interval is too short for learners whose performance varies a lot between training sets, and
    rather wide for stable ones. Few folds make it wide.

    Nadeau, Bengio 2003; for repeated cross-validation Bouckaert, Frank 2004.

    Parameters
    ----------
    ratio : float, optional
        Test cases over training cases, instead of 1 / (K - 1), if a model is not trained on all
        cases outside its test set. `assess` sets it.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = rng.standard_normal(200)
    >>> guess = y + 0.5 * rng.standard_normal(200)
    >>> pi = en.Predictions.from_arrays(y, guess, np.arange(200) % 10)
    >>> en.estimate(pi, method="corrected_t", metric="mse")
    mse 0.26, 95 % interval [0.18, 0.34] (corrected_t, trained on 180, n=200)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="corrected_t",
        title="Corrected resampled t interval",
        short="Corrected t",
        needs=Evidence.OUT_OF_SAMPLE,
        from_fold_scores=True,
        design=Design.FOLDS,
        estimand=Estimand.LEARNER,
        cites="Nadeau, Bengio 2003",
        min_folds=2,
        one_learner=True,
        overlap=True,
        aliases=("nadeau_bengio",),
        weighted=True,
    )
    ratio: float | None = None

    def __post_init__(self) -> None:
        """Check the knob."""
        check_ratio(self.ratio)

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse one test set, and a metric that fewer than two folds define."""
        if design.n_repeats == 1:  # else a repeat may be one random split, as the authors have it
            need_folds(
                self,
                design,
                cure=f"Pass {arg('fold')}; for one test set use {arg('method', 'holdout')}.",
            )
        if design.n_configs == 1 and not isinstance(metric, CallableMetric):
            _need_two(self, fold_details(design, metric, 0)[0])

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean of the fold scores with Student's limits."""
        pi, metric = call.pi, call.metric
        best, value, _ = choose_winner(pi, metric, MeanOfFolds(), n_jobs=call.n_jobs)
        scores, undefined = fold_details(pi, metric, best)
        count = _need_two(self, scores)
        ratio = overlap_of(call.given) if self.ratio is None else self.ratio
        if call.fold_scores is not None and self.ratio is None:
            refuse_unknown_overlap(call.fold_scores, arg("method", "corrected_t(ratio=0.25)"))
        error = float(corrected_variance(scores, ratio)) ** 0.5
        limits: LimitSource = StudentLimits(value, error, count - 1)
        spread = error > ROUNDING * max(abs(value), abs(scores).max())
        if not spread:
            units = min(count, pi.n_folds) if pi.n_folds > 1 else count
            limits = EqualCaseLimits(value, units, *metric.limits)
        source: LimitSource | None = limits if spread else None  # of folds that do not differ
        if call.fold_scores is None:
            source = allow_for_unseen_errors(limits, pi.select(best), metric)
        return EstimateParts(
            value=value,
            winner=best,
            naive=value,
            source=source,
            cautions=[
                *undefined,
                *(few_scores(count) if spread else equal_scores(count)),
            ],
            estimand=as_fixed(self, pi),
            details=FoldDetails.of(scores),
        )


def _need_two(method: Method, scores: NDArray[np.float64]) -> int:
    """Return how many folds have a score, and refuse fewer than two."""
    if len(scores) < 2:
        raise EvidenceError(
            f"method {method.spec.name!r} needs scores of folds",
            needs="at least two folds in which the metric is defined",
            got=f"{len(scores)}",
            cure="Use fewer or stratified folds, or a metric that is defined in small folds.",
        )
    return len(scores)


def few_scores(count: int) -> Iterator[Caution]:
    """Yield a caution if a standard deviation comes from few scores."""
    if count < FEW_SCORES:
        yield of_limits.few_fold_scores(count)


def equal_scores(count: int) -> Iterator[Caution]:
    """Yield a caution if the folds do not differ at all."""
    yield of_limits.folds_equal(count)
