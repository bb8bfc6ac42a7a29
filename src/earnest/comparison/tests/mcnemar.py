"""McNemar's test of two columns of hits and misses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.comparison.base import (
    Array,
    PairOutcome,
    PairReading,
    Question,
    SupportedMetrics,
    TestSpec,
    nothing_to_tell,
    p_values,
    predict_alike,
    refuse_metric,
    register,
    several_models,
)
from earnest.comparison.wald import SAME_COLUMN
from earnest.core.base import check
from earnest.core.results.comparison import ExactLimits
from earnest.core.results.interval import NormalLimits
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values


@dataclass(frozen=True, eq=False)
class McNemarReading(PairReading):
    """Which cases each configuration has a 1 for."""

    question: Question
    hits: NDArray[np.bool_]  # (n, C)
    mid: bool

    @property
    def values(self) -> Array:
        """The share of ones of every configuration: (C,)."""
        return np.asarray(self.hits.mean(axis=0))

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the test of the cases on which only one has a 1, and an adjusted interval."""
        pi, n = self.question.pi, len(self.hits)
        only_a = int((self.hits[:, a] & ~self.hits[:, b]).sum())
        only_b = int((~self.hits[:, a] & self.hits[:, b]).sum())
        same = predict_alike(pi, a, b)
        values = (float(self.hits[:, a].mean()), float(self.hits[:, b].mean()))
        return PairOutcome(
            difference=(only_a - only_b) / n,
            values=values,
            standard_error=_standard_error(only_a, only_b, n),
            statistic=float(only_a),
            p_values=_p_values(only_a, only_b, self.mid),
            limits=ExactLimits(0.0) if same else adjusted_limits(only_a, only_b, n),
            least_p=None if same else 0.5 ** (only_a + only_b) * (0.5 if self.mid else 1.0),
            cautions=(*several_models(pi), *((SAME_COLUMN,) if same else ())),
        )


@register
@dataclass(frozen=True, kw_only=True)
class McNemarTest:
    """McNemar's test counts who wins among the cases that only one of the two gets right.

    **What is compared.** Two columns of predictions, each treated as those of one fixed model.

    **What it assumes.** Independent cases; nothing else, as the test is exact. The interval of
    the difference is that of Bonett and Price: one case is added to each of the two counts, and
    two to all cases.

    **When it fails.** With few cases on which the two disagree it can show nothing. The exact test
    is conservative; the mid-p test is less so and seldom exceeds its level. Test and interval are
    computed separately and may disagree at the edge. Groups and repeats are refused.

    McNemar 1947; Fagerland, Lydersen, Laake 2013; Bonett, Price 2012.

    Parameters
    ----------
    p : {'exact', 'mid'}
        The exact binomial p-value, or the mid-p value, which counts the observed outcome half.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 20)
    >>> a, b = y.copy(), y.copy()
    >>> a[:2], b[:11] = 1 - y[:2], 1 - y[:11]  # both wrong twice, b alone nine times more
    >>> pi = en.Predictions.from_arrays(y, np.column_stack([a, b]), response="label")
    >>> en.compare(pi, 0, 1, test="mcnemar", metric="accuracy")
    accuracy(c0) - accuracy(c1) = 0.23, 95 % interval [0.07, 0.35], p = 0.004 (mcnemar, n=40)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="mcnemar",
        title="McNemar's exact test",
        estimand=ComparisonEstimand.FIXED_MODELS,
        metrics=SupportedMetrics.HITS,
        cites="McNemar 1947",
        repeats=False,
        groups=False,
    )
    p: str = "exact"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("p", self.p, ["exact", "mid"])

    def read(self, question: Question) -> McNemarReading:
        """Find the hits of every configuration."""
        pi, metric = question.pi, question.metric
        cure = (
            f"Use {arg('metric', 'accuracy')}, or {arg('test', 'sign_flip')} for other means "
            "over cases."
        )
        if not metric.pointwise:
            raise refuse_metric(self.spec, metric, cure)
        terms = case_values(pi, metric).terms[:, :, 0]
        if not np.isin(terms, (0.0, 1.0)).all():
            raise refuse_metric(self.spec, metric, cure)
        return McNemarReading(question, terms == 1.0, self.p == "mid")


def _p_values(only_a: int, only_b: int, mid: bool) -> dict[str, float]:
    """Return the binomial p-values of the cases on which one alone has a 1."""
    from scipy.special import bdtr

    total = only_a + only_b
    if total == 0:
        return nothing_to_tell()
    if mid and only_a == only_b:
        return p_values(0.5, 0.5)  # by symmetry, without rounding
    seen = math.comb(total, only_a) * 0.5**total if total < 1000 else _point(only_a, total)
    at_most = float(bdtr(only_a, total, 0.5))
    at_least = float(bdtr(only_b, total, 0.5))  # by symmetry: P(X >= a) = P(X <= total - a)
    half = 0.5 * seen if mid else 0.0
    return p_values(at_most - half, at_least - half)


def _point(count: int, total: int) -> float:
    logs = math.lgamma(total + 1) - math.lgamma(count + 1) - math.lgamma(total - count + 1)
    return math.exp(logs - total * math.log(2.0))


def _standard_error(only_a: int, only_b: int, n: int) -> float:
    """Return the plain standard error of a difference of paired shares."""
    spread = (only_a + only_b) - (only_a - only_b) ** 2 / n
    return math.sqrt(max(spread, 0.0)) / n


def adjusted_limits(only_a: int, only_b: int, n: int) -> NormalLimits:
    """Return the interval of Bonett and Price 2012: a case added to each count, two to all.

    Examples
    --------
    >>> from earnest.comparison.tests.mcnemar import adjusted_limits
    >>> from earnest.core.results.specs import ComparisonEstimand, Side
    >>> [round(x, 4) for x in adjusted_limits(0, 0, 98).limits(0.95, Side.TWO_SIDED)]
    [-0.0277, 0.0277]
    """
    first, second = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    difference = first - second
    variance = (first + second - difference**2) / (n + 2)
    return NormalLimits(difference, math.sqrt(variance))
