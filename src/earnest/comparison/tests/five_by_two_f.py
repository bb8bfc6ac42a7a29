"""The combined 5x2 cross-validated F test of Alpaydin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from earnest.comparison.base import (
    LEAST,
    Array,
    PairOutcome,
    Question,
    SupportedMetrics,
    TestSpec,
    predict_alike,
    register,
)
from earnest.comparison.tests.five_by_two import DEGREES, DESIGN, FiveByTwo, average_variance
from earnest.comparison.wald import ROUNDING, wald
from earnest.core.results.specs import ComparisonEstimand

SQUARES = 10  # squared differences, two per repeat


@dataclass(frozen=True, eq=False)
class CombinedReading(FiveByTwo):
    """What the F test reads: all ten differences over their spread."""

    @property
    def values(self) -> Array:
        """The mean over all ten folds of every configuration: (C,)."""
        return np.asarray(self.scores.mean(axis=(0, 1)))

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the sum of squared differences over twice that of their spreads, by F(10, 5)."""
        question, values, apart = self.question, self.values, self.apart(a, b)
        pair = (float(values[a]), float(values[b]))
        below = 2.0 * DEGREES * average_variance(apart)
        same = predict_alike(question.pi, a, b)
        size = max(abs(pair[0]), abs(pair[1]), float(np.abs(apart).max()))
        if same or below <= (ROUNDING * size) ** 2:  # nothing to divide by
            outcome = wald(
                pair, 0.0, question.metric.scale, units=DEGREES, unit="repeat", same=same
            )
            p = (outcome.p_values or {})["two-sided"]
            return replace(outcome, standard_error=None, limits=None, p_values={"two-sided": p})
        from scipy.special import fdtrc

        statistic = float((apart**2).sum()) / below
        return PairOutcome(
            difference=pair[0] - pair[1],
            values=pair,
            statistic=statistic,
            p_values={"two-sided": max(float(fdtrc(SQUARES, DEGREES, statistic)), LEAST)},
        )


@register
@dataclass(frozen=True, kw_only=True)
class FiveByTwoFTest:
    """The F test of all ten differences of five repeats of two folds.

    **What is compared.** The mean performance over training sets of n / 2 cases.

    **What it assumes.** As `five_by_two`: the differences are normal, those of the two folds of a
    repeat independent; and that the ten squares are independent, which holds roughly.

    **When it fails.** It has no direction and gives no interval: `alternative` is two-sided. Its
    statistic is also large if the differences of repeats have different signs. For learners that
    depend a lot on their training cases it found differences too easily in simulation, like
    `five_by_two` (16 % at a level of 5 %).

    Alpaydin 1999. F = Σ pᵢⱼ² / (2 Σ sᵢ²), with 10 and 5 degrees of freedom.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ask = {"test": "five_by_two_f", "metric": "accuracy", "rng": 1}
    >>> made = en.compare_learners(GaussianNB(), DecisionTreeClassifier(), X, y, **ask)
    >>> made.interval is None, 0 < made.p_value < 1
    (True, True)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="five_by_two_f",
        title="Combined 5x2 cross-validated F test",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Alpaydin 1999",
        min_folds=2,
        design=DESIGN,
        one_sided=False,
        aliases=("5x2_f",),
    )

    def read(self, question: Question) -> CombinedReading:
        """Score both folds of every repeat."""
        return CombinedReading.of(self.spec, question)
