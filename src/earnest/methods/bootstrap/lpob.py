"""The leave-pair-out bootstrap of the AUC, with the standard error of its influence function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.replicates import DrawUnit
from earnest.core.data.target import Target
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.inference.left_out.estimates import need_pairs, pairs_left_out
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.methods.base import register
from earnest.methods.bootstrap.replicated import LeftOutMethod, ReplicatesCall
from earnest.metrics.families import Metric


@register
@dataclass(frozen=True, kw_only=True)
class LPOB(LeftOutMethod):
    """The leave-pair-out bootstrap: judge each pair of cases by the models that drew neither.

    **What is estimated.** The mean AUC, or concordance index, of the learner over training sets of
    about .632 n different cases.

    **What it assumes.** Independent cases, drawn within each class or not, or groups that are
    drawn whole.

    **When it fails.** With few replicates: a pair is left out by one in seven, so use 1000 or more.
    With few cases of a class its distribution is far from normal (EN044).

    Yousef 2022, eq. 60 and section 4.2, with the standard error centred and corrected for the
    finite number of replicates. The concordance index, which is not in the paper, uses the same
    formula over comparable pairs. The limits are normal on the logit scale, so they stay in range.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> X = y[:, None] + rng.standard_normal((80, 2))
    >>> asked = {"metric": "roc_auc", "n_replicates": 50, "rng": 0}
    >>> made = en.bootstrap_train(KNeighborsClassifier(1), X, y, **asked)
    >>> en.estimate(made, method="lpob", metric="roc_auc")
    roc_auc 0.64, 95 % interval [0.55, 0.73] (lpob, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="lpob",
        title="Leave-pair-out bootstrap",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_632,
        cites="Yousef 2022, eq. 60",
        metrics=MetricFamily.PAIRS,
        aliases=("leave_pair_out_bootstrap",),
    )

    def check(self, target: Target, design: DrawUnit, metric: Metric) -> None:
        """Refuse metrics that are not means over pairs."""
        need_pairs(metric, target)

    def leave_out(self, call: ReplicatesCall) -> LeftOutEstimate:
        """Return the mean over pairs of how often models that saw neither put them in order."""
        return pairs_left_out(call.replicates, call.metric)
