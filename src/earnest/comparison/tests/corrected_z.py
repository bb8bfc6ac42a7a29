"""The tests of cases with a variance that allows for drawing the training sets, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from earnest.comparison.base import (
    JointReading,
    Question,
    SupportedMetrics,
    TestSpec,
    register,
)
from earnest.comparison.tests.bayle import BayleTest
from earnest.comparison.tests.delong import DeLongTest
from earnest.core.results.specs import ComparisonEstimand
from earnest.inference.cases.fold_variance import overlap_of
from earnest.metrics.ranking import is_auc


@register
@dataclass(frozen=True, kw_only=True)
class CorrectedZTest:
    """Compare learners: the variance of the cases, and as much again for drawing training sets.

    **What is compared.** The mean performance of two learners over training sets of the size used
    in the folds. For an AUC of two classes it is that of all cases at once, for other metrics the
    mean over cases.

    **What it assumes.** Independent cases (or groups), and that the scores of two folds correlate
    by the share of test cases, as Nadeau and Bengio assume. With n cases and training sets of m
    the variance of the cases is multiplied by 1 + n / m.

    **When it fails.** It is a heuristic: its level holds in simulations, not by a theorem. With
    fewer than about thirty cases the normal distribution is rough.

    It is `corrected_t` with the variance of n cases in place of that of a few folds, so that many
    configurations can be compared at once.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y = rng.standard_normal(300)
    >>> guesses = y[:, None] + rng.standard_normal((300, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, np.arange(300) % 10, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="corrected_z", metric="mse")
    mse(a) - mse(b) = -0.13, 95 % interval [-0.23, -0.03], p = 0.014 (corrected_z, n=300)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="corrected_z",
        title="Corrected test of cases",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.SMOOTH,
        cites="Nadeau, Bengio 2003",
        weighted=True,
    )

    def read(self, question: Question) -> JointReading:
        """Compute what each case adds to the metric."""
        training = 1.0 + overlap_of(question.pi)
        if is_auc(question.metric, question.pi.target):
            return replace(DeLongTest().read(question), training=training)
        return replace(BayleTest().read(question), training=training)
