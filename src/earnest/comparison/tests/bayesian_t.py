"""The Bayesian correlated t test with a region of practical equivalence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from earnest.comparison.base import (
    Array,
    PairOutcome,
    Question,
    SupportedMetrics,
    TestSpec,
    register,
)
from earnest.comparison.fold_differences import FoldReading, read_fold_differences
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.cautions import of_limits
from earnest.core.results.cautions import Scope
from earnest.core.results.comparison import ExactLimits, Probabilities
from earnest.core.results.interval import StudentLimits
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.metrics.families import Metric

ROPE = 0.01  # the custom, for metrics with a natural unit


@dataclass(frozen=True, eq=False)
class PosteriorReading:
    """The posterior of every difference, from the fold scores."""

    folds: FoldReading
    rope: float

    @property
    def values(self) -> Array:
        """The mean over folds of every configuration: (C,)."""
        return self.folds.values

    @property
    def used(self) -> Mapping[str, object]:
        """The region of practical equivalence as it was taken."""
        return {"rope": self.rope}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the posterior probabilities; Student's distribution is that of `corrected_t`."""
        outcome = replace(self.folds.pair(a, b), statistic=None, p_values=None)
        if isinstance(outcome.limits, ExactLimits):  # the same predictions differ by nothing
            return replace(outcome, probabilities=Probabilities(0.0, 1.0, 0.0, rope=self.rope))
        if not isinstance(outcome.limits, StudentLimits):
            return _without_posterior(outcome, self.folds)
        above, within, below = self._shares(outcome.limits)
        better = self.folds.question.metric.greater_is_better
        shares = (above, within, below) if better else (below, within, above)
        return replace(outcome, probabilities=Probabilities(*shares, rope=self.rope))

    def _shares(self, posterior: StudentLimits) -> tuple[float, float, float]:
        """Return the posterior mass above, within and below the region."""
        from scipy.special import stdtr

        low, high = (
            (end - posterior.centre) / posterior.standard_error for end in (-self.rope, self.rope)
        )
        below, above = float(stdtr(posterior.df, low)), float(stdtr(posterior.df, -high))
        return above, max(0.0, 1.0 - below - above), below


def _without_posterior(outcome: PairOutcome, folds: FoldReading) -> PairOutcome:
    """Return the outcome if all folds agree: without a spread there is no posterior."""
    others = [caution for caution in outcome.cautions if caution.about is not Scope.SPREAD]
    remark = of_limits.no_posterior(folds.units, bounded=outcome.limits is not None)
    return replace(outcome, cautions=(*others, remark))


@register
@dataclass(frozen=True, kw_only=True)
class BayesianTTest:
    """The Bayesian correlated t test gives the probability that a is better, equal, or worse.

    **What is compared.** The mean performance over training sets of the size used in the folds.

    **What it assumes.** Normal fold differences with the same correlation 1 / K between any two,
    and a flat prior; the posterior of the difference is Student's with the mean, scale and degrees
    of freedom of `corrected_t`. Differences within `rope` count as practically equal.

    **When it fails.** As `corrected_t` does. If all folds show the same difference, there is no
    spread for a posterior, and you get a caution instead of probabilities. There is no p-value, as
    the probability of a hypothesis is not one. The interval is a credible interval.

    Corani, Benavoli 2015; Benavoli et al. 2017.

    Parameters
    ----------
    rope : float, optional
        Half the width of the region of practical equivalence, in the metric's own units; 0.01 by
        default for metrics with a natural unit, such as accuracy. Other metrics need one.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = rng.standard_normal(200)
    >>> guesses = y[:, None] + rng.standard_normal((200, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, np.arange(200) % 10, configs=["a", "b"])
    >>> made = en.compare(pi, "a", "b", test=en.comparison.BayesianTTest(rope=0.05), metric="mse")
    >>> print(made.decision)
    Undecided: a is better with probability 0.62, b with 0.04, and they are equal within 0.05
    with 0.34.
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="bayesian_t",
        title="Bayesian correlated t test",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Corani, Benavoli 2015",
        from_fold_scores=True,
        min_folds=2,
        p_value=False,
    )
    rope: float | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        if self.rope is not None:
            _check_rope(self.rope)

    def read(self, question: Question) -> PosteriorReading:
        """Score every fold of every repeat."""
        rope = _rope_for(question.metric) if self.rope is None else float(self.rope)
        return PosteriorReading(read_fold_differences(self.spec, question, corrected=True), rope)


def _check_rope(rope: object) -> None:
    if isinstance(rope, (int, float)) and not isinstance(rope, bool) and 0.0 <= rope < math.inf:
        return
    raise InputError(
        f"{arg('rope')} is out of range", needs="a number of at least 0", got=check.spell(rope)
    )


def _rope_for(metric: Metric) -> float:
    if metric.has_unit:
        return ROPE
    raise InputError(
        f"{arg('rope')} must be given for {metric.name!r}",
        needs="the largest difference that does not matter in practice, in the metric's units",
        got="None, and the metric has no natural unit",
    )
