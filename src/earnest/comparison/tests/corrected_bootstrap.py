"""The paired bootstrap with a spread that allows for drawing the training sets, too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from earnest.comparison.base import Question, SupportedMetrics, TestSpec, register
from earnest.comparison.tests.bootstrap import BootstrapReading, BootstrapTest
from earnest.core.results.specs import ComparisonEstimand
from earnest.inference.cases.fold_variance import overlap_of


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
    average_precision(a) - average_precision(b) = 0.19, 95 % interval [-0.01, 0.39], p = 0.063
    (corrected_bootstrap, n=120)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="corrected_bootstrap",
        title="Corrected paired bootstrap",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Nadeau, Bengio 2003; Efron, Tibshirani 1993",
        draws=True,
        blocks=True,
        weighted=True,
        surveys=True,
    )

    def read(self, question: Question) -> BootstrapReading:
        """Score all configurations on the same resamples."""
        return replace(super().read(question), training=1.0 + overlap_of(question.pi))
