"""The t test of repeated random splits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from earnest.comparison.base import (
    Question,
    SupportedMetrics,
    TestSpec,
    dependent_test_sets,
    register,
)
from earnest.comparison.fold_differences import FoldReading, read_fold_differences
from earnest.core.results.specs import ComparisonEstimand


@register
@dataclass(frozen=True, kw_only=True)
class ResampledTTest:
    """Student's paired t test of the scores of several random test sets.

    **What is compared.** The mean performance over training sets of the size used in the splits.

    **What it assumes.** That the scores of the test sets are independent and normal. They are far
    from independent: training sets share most of their cases, and so do test sets.

    **When it fails.** Always: it finds differences far too often, and more often the more splits
    there are. It is here because papers use it. Prefer `corrected_t`, which is the same test with
    a variance that allows for the overlap.

    Studied in Dietterich 1998, and as the repeated train-validation t test in Bayle et al. 2020.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ask = {"test": "resampled_t", "metric": "accuracy", "rng": 1}
    >>> made = en.compare_learners(GaussianNB(), DecisionTreeClassifier(), X, y, **ask)
    >>> made.cautions[0].code
    'EN038'
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="resampled_t",
        title="Paired t test of random splits",
        estimand=ComparisonEstimand.LEARNERS,
        metrics=SupportedMetrics.ANY,
        cites="Dietterich 1998",
        from_fold_scores=True,
        min_folds=2,
        random_test_sets=True,
    )

    def read(self, question: Question) -> FoldReading:
        """Score every test set."""
        reading = read_fold_differences(self.spec, question, corrected=False)
        remarks = (*dependent_test_sets(len(reading.scores)), *reading.remarks)
        return replace(reading, remarks=remarks)
