"""The corrected resampled t test of Nadeau and Bengio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.comparison.base import (
    Question,
    SupportedMetrics,
    TestSpec,
    register,
)
from earnest.comparison.fold_differences import FoldReading, read_fold_differences
from earnest.core.results.specs import ComparisonEstimand
from earnest.inference.cases.fold_variance import check_ratio


@register
@dataclass(frozen=True, kw_only=True)
class CorrectedTTest:
    """The t test of fold scores with a variance that allows for overlapping training sets.

    **What is compared.** The mean performance over training sets of the size used in the folds.

    **What it assumes.** The scores of two folds are correlated by the share of test cases. With R
    repeats of K folds there are J = R K scores, the variance of their mean is s² (1 / J + 1 / (K -
    1)), and the distribution is Student's t with J - 1 degrees of freedom. With J random test sets
    instead of folds, `ratio` replaces 1 / (K - 1).

    **When it fails.** The correction is a heuristic: no unbiased estimate of this variance exists.
    With few folds the interval is wide. Folds in which the metric is undefined are left out.

    Nadeau, Bengio 2003; for repeated cross-validation Bouckaert, Frank 2004.

    Parameters
    ----------
    ratio : float, optional
        The number of test cases over that of training cases, for random test sets; by default that
        of the folds. `compare_learners` sets it.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(4)
    >>> y = rng.standard_normal(200)
    >>> guesses = y[:, None] + rng.standard_normal((200, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, np.arange(200) % 10, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="corrected_t", metric="mse")
    mse(a) - mse(b) = -0.07, 95 % interval [-0.21, 0.07], p = 0.29 (corrected_t, n=200)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="corrected_t",
        title="Corrected resampled t test",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Nadeau, Bengio 2003",
        from_fold_scores=True,
        min_folds=2,
        overlap=True,
        aliases=("nadeau_bengio",),
        weighted=True,
    )
    ratio: float | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_ratio(self.ratio)

    def read(self, question: Question) -> FoldReading:
        """Score every fold of every repeat."""
        return read_fold_differences(self.spec, question, corrected=True, ratio=self.ratio)
