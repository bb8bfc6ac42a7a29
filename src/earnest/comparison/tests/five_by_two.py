"""The 5x2 cross-validated t test of Dietterich."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from earnest.comparison.base import (
    Array,
    PairOutcome,
    PairReading,
    Question,
    SupportedMetrics,
    TestSpec,
    predict_alike,
    register,
)
from earnest.comparison.wald import wald
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_evidence
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.kernels.score import fold_scores

DESIGN = (5, 2)  # repeats, and folds of each
DEGREES = 5
ONE_FOLD = of_evidence.first_fold_only()


@dataclass(frozen=True, eq=False)
class FiveByTwo(PairReading):
    """The metric of every configuration in both folds of five repeats.

    Parameters
    ----------
    scores : ndarray, shape (5, 2, C)
        By repeat and fold.
    """

    question: Question
    scores: Array

    @classmethod
    def of(cls, spec: TestSpec, question: Question) -> Self:
        """Score both folds of every repeat, and refuse where the metric is undefined in one."""
        table = fold_scores(question.pi, question.metric, n_jobs=question.n_jobs)[:, 0]  # (10, C)
        bad = int(np.isnan(table).any(axis=1).sum())
        if bad:
            raise EvidenceError(
                f"test {spec.name!r} needs the score of every fold",
                needs="a metric that is defined in both folds of all five repeats",
                got=f"{bad} of {len(table)} folds without a score",
                cure=f"Use more or stratified cases, or {arg('test', 'corrected_t')}.",
            )
        return cls(question, table.reshape(*DESIGN, -1))

    def apart(self, a: int, b: int) -> Array:
        """Return the differences of two configurations: (5, 2)."""
        return np.asarray(self.scores[:, :, a] - self.scores[:, :, b])


def average_variance(apart: Array) -> float:
    """Return the mean over repeats of the variance of their two differences.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.comparison.tests.five_by_two import average_variance
    >>> average_variance(np.array([[1.0, 3.0], [0.0, 0.0]]))
    1.0
    """
    return float(((apart - apart.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean())


@dataclass(frozen=True, eq=False)
class FiveByTwoReading(FiveByTwo):
    """What the t test reads: the first fold of the first repeat, over the spread of all."""

    @property
    def values(self) -> Array:
        """The metric of every configuration in the first fold of the first repeat: (C,)."""
        return np.asarray(self.scores[0, 0])

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the first difference over the root of the mean spread, a Student's t."""
        question, values = self.question, self.values
        return wald(
            (float(values[a]), float(values[b])),
            average_variance(self.apart(a, b)),
            question.metric.scale,
            units=DEGREES,
            unit="repeat",
            df=DEGREES,
            same=predict_alike(question.pi, a, b),
            cautions=[ONE_FOLD],
        )


@register
@dataclass(frozen=True, kw_only=True)
class FiveByTwoTest:
    """The t test of one difference over the spread of five repeats of two folds.

    **What is compared.** The mean performance over training sets of n / 2 cases. The difference and
    its interval are those of the first fold of the first repeat, for which the distribution of the
    statistic is known.

    **What it assumes.** The differences of the two folds of a repeat are normal and independent:
    their training sets do not overlap. The spreads of the five repeats are treated as independent
    too, which holds roughly.

    **When it fails.** The result depends on which fold comes first, so another seed may give
    another answer; its power is low. Each half of a repeat tests the model of the other, so both
    scores are similar for learners that depend a lot on their training cases; in simulation the
    test then found differences too easily (11 to 16 % at a level of 5 %). Prefer `corrected_t`.

    Dietterich 1998. t = p₁₁ / sqrt(mean sᵢ²) with sᵢ² the variance of the two differences of repeat
    i; five degrees of freedom.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ask = {"test": "five_by_two", "metric": "accuracy", "rng": 1}
    >>> made = en.compare_learners(GaussianNB(), DecisionTreeClassifier(), X, y, **ask)
    >>> made.provenance.n_repeats, made.provenance.n_folds
    (5, 2)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="five_by_two",
        title="5x2 cross-validated t test",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Dietterich 1998",
        min_folds=2,
        design=DESIGN,
        aliases=("5x2",),
    )

    def read(self, question: Question) -> FiveByTwoReading:
        """Score both folds of every repeat."""
        return FiveByTwoReading.of(self.spec, question)
