"""Leave-one-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled
from earnest.core.data.target import Target
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.cases.fold_variance import Variance, check_fold_units
from earnest.methods.base import Call, EstimateParts, need_folds, register
from earnest.methods.learner.bayle_all_pairs import estimate_by_folds
from earnest.metrics.families import Metric, MomentMetric


@register
@dataclass(frozen=True, kw_only=True)
class LOOCV:
    """Leave-one-out cross-validation: each case is predicted by a model of all the others.

    **What is estimated.** The mean performance of this learner over training sets of n - 1 cases:
    almost unbiased for training on all n, at the cost of n fits.

    **What it assumes.** Independent cases. The limits are normal, from the spread of all cases
    (Bayle et al. 2020, k = n): they assume a learner that a single case changes little.

    **When it fails.** For unstable learners the limits are too narrow, and for nearest neighbours
    or labels without information its value itself is extreme: leaving a case out makes its class
    rarer among the others. An AUC is refused: it would rank scores of n different models, which
    pulls it down.

    Lachenbruch, Mickey 1968; Bayle, Bayle, Janson and Mackey 2020, eq. 9.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.linspace(-1, 1, 50)
    >>> total = y.sum()
    >>> guess = (total - y) / 49 + 0.8 * y  # anything predicted without the case itself
    >>> pi = en.Predictions.from_arrays(y, guess, np.arange(50))
    >>> en.estimate(pi, method="loocv", metric="mse")
    mse 0.017, 95 % interval [0.013, 0.021] (loocv, trained on 49, n=50)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="loocv",
        title="Leave-one-out cross-validation",
        short="Leave-one-out",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.SINGLES,
        no_groups="it would train on other cases of the group that it tests",
        estimand=Estimand.LEARNER,
        cites="Lachenbruch, Mickey 1968",
        metrics=MetricFamily.SUMS,
        min_folds=2,
        leave_one_out=True,
        one_learner=True,
        weighted=True,
    )

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse folds of several cases, and rank metrics."""
        need_folds(self, design, cure="Give each case its own fold.")
        if not isinstance(metric, MomentMetric):
            raise MetricError(
                "leave-one-out scores of different cases come from different models and cannot "
                "be ranked against each other",
                needs="a mean over cases such as 'accuracy' or 'mse', or a function of sums",
                got=metric.name,
                cure=f"Use {arg('method', 'cv')} or 'lpob' for an AUC.",
            )
        if design.n_folds != design.n_cases:
            raise EvidenceError(
                "method 'loocv' needs a fold for every case",
                needs=f"{design.n_cases} folds",
                got=f"{design.n_folds}",
                cure=f"Use {arg('method', 'bayle_all_pairs')}, which works with any folds.",
            )
        check_fold_units(design.folds, target.groups, Variance.ALL_PAIRS)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the score of all cases with a normal interval."""
        return estimate_by_folds(self, call, Pooled(), Variance.ALL_PAIRS)
