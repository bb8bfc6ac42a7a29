"""The difference of two AUCs by the leave-pair-out bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.comparison.base import (
    SupportedMetrics,
    TestSpec,
    refuse_metric,
    register,
)
from earnest.comparison.left_out import SampleTest
from earnest.core.data.replicates import Replicates
from earnest.core.data.target import Target
from earnest.core.results.specs import ComparisonEstimand, Evidence
from earnest.core.text.doors import arg
from earnest.inference.left_out.estimates import has_pairs, pairs_left_out
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.metrics.families import Metric


@register
@dataclass(frozen=True, kw_only=True)
class LPOBTest(SampleTest):
    """The difference of two AUCs, each pair of cases judged by models that saw neither.

    **What is compared.** The mean AUC over training sets of about .632 n distinct cases, both
    learners trained on the same bootstrap samples; or the concordance of survival times.

    **What it assumes.** Independent cases (or groups, which are drawn whole), and that the estimate
    is a smooth function of the sample, which the mean over many replicates ensures. The variance is
    that of the difference of the two influence functions, and covers both training sets and test
    cases.

    **When it fails.** With few replicates, whose noise is subtracted from the variance: use 1000.
    The standard error of a difference was about 30 % too large in the simulations of the chapter
    and here, so the test is conservative.

    Yousef 2022, section 4 and table 4; Yousef, Wagner, Loew 2005.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> ask = {"test": "lpob", "n_replicates": 50, "rng": 1}
    >>> made = en.compare_learners(GaussianNB(), stump, X[:90, :3], y[:90], **ask)
    >>> made.metric, made.favours
    ('roc_auc', 'GaussianNB')
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="lpob",
        title="Leave-pair-out bootstrap",
        estimand=ComparisonEstimand.BOOTSTRAP_LEARNERS,
        metrics=SupportedMetrics.PAIRS,
        cites="Yousef 2022, eq. 60",
        needs=Evidence.REPLICATES,
        draws=True,
    )

    def check_metric(self, metric: Metric, target: Target) -> None:
        """Refuse a metric that is not a mean over pairs."""
        if not has_pairs(metric, target):
            raise refuse_metric(
                self.spec,
                metric,
                f"Use {arg('test', 'loob')} for means over cases, or {arg('test', 'corrected_t')}.",
            )

    def leave_out(
        self, metric: Metric, learner: Replicates, other: Replicates | None
    ) -> LeftOutEstimate:
        """Return the estimate of one learner, or of its difference to another."""
        return pairs_left_out(learner, metric, other=other)
