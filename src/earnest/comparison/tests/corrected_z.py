"""The tests of cases with a variance that allows for drawing the training sets, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from earnest.comparison.base import (
    ComparisonEstimand,
    JointReading,
    Question,
    SupportedMetrics,
    TestSpec,
    register,
)
from earnest.comparison.tests.bayle import BayleTest
from earnest.comparison.tests.bootstrap import BootstrapReading, BootstrapTest
from earnest.comparison.tests.delong import DeLongTest
from earnest.inference.cases.fold_variance import overlap_of
from earnest.metrics.ranking import is_auc

NADEAU_BENGIO = "Nadeau, Bengio 2003"


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
    mse(a) - mse(b) = -0.13, 95 % interval [-0.23, -0.04], p = 0.007 (corrected_z, n=300)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="corrected_z",
        title="Corrected test of cases",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.SMOOTH,
        cites=NADEAU_BENGIO,
        min_folds=2,
    )

    def read(self, question: Question) -> JointReading:
        """Compute what each case adds to the metric."""
        training = 1.0 + overlap_of(question.pi)
        if is_auc(question.metric, question.pi.target):
            return replace(DeLongTest().read(question), training=training)
        return replace(BayleTest().read(question), training=training)


@register
@dataclass(frozen=True, kw_only=True)
class CorrectedBootstrapTest(BootstrapTest):
    """The paired bootstrap for learners: differences are spread for drawing training sets, too.

    **What is compared.** The mean performance of two learners over training sets of the size used
    in the folds, for any metric.

    **What it assumes, when it fails.** As `corrected_z`, with resampled cases in place of the
    variance: differences of resamples are spread about their mean by the square root of 1 + n / m,
    with n cases and training sets of m.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(2)
    >>> y = np.tile([0, 1], 60)
    >>> scores = y[:, None] * [1.5, 0.8] + rng.standard_normal((120, 2))
    >>> pi = en.Predictions.from_arrays(y, scores, np.arange(120) // 2 % 5, configs=["a", "b"])
    >>> en.compare(pi, test="corrected_bootstrap", metric="average_precision", a="a", b="b", rng=0)
    average_precision(a) - average_precision(b) = 0.19, 95 % interval [-0.01, 0.39], p = 0.070
    (corrected_bootstrap, n=120)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="corrected_bootstrap",
        title="Corrected paired bootstrap",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites=f"{NADEAU_BENGIO}; Efron, Tibshirani 1993",
        min_folds=2,
        draws=True,
    )

    def read(self, question: Question) -> BootstrapReading:
        """Score all configurations on the same resamples."""
        return replace(super().read(question), training=1.0 + overlap_of(question.pi))
