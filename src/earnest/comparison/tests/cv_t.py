"""The plain t test of fold scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.comparison.base import (
    Question,
    SupportedMetrics,
    TestSpec,
    dependent_folds,
    register,
)
from earnest.comparison.fold_differences import FoldReading, read_fold_differences
from earnest.core.results.specs import ComparisonEstimand


@register
@dataclass(frozen=True, kw_only=True)
class CVTTest:
    """Student's paired t test of the fold scores of one cross-validation.

    **What is compared.** The mean performance over training sets of the size used in the folds.

    **What it assumes.** That fold scores are independent and normal. They are not independent: any
    two training sets share most of their cases.

    **When it fails.** It finds differences too often; it is here because papers use it. Unequal
    folds count the same. Prefer `corrected_t` or `bayle`.

    Dietterich 1998; studied as "CV t" in Bayle et al. 2020.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = rng.standard_normal(200)
    >>> guesses = y[:, None] + rng.standard_normal((200, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, np.arange(200) % 10, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="cv_t", metric="mse")
    mse(a) - mse(b) = -0.07, 95 % interval [-0.17, 0.03], p = 0.14 (cv_t, n=200)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="cv_t",
        title="Paired t test of fold scores",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Dietterich 1998",
        from_fold_scores=True,
        min_folds=2,
        repeats=False,
        weighted=True,
    )

    def read(self, question: Question) -> FoldReading:
        """Score every fold."""
        remarks = dependent_folds(question.pi.n_folds)
        return read_fold_differences(self.spec, question, corrected=False, remarks=remarks)
