"""The leave-one-out bootstrap, with the standard error of its influence function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.replicates import DrawUnit
from earnest.core.data.target import Target
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.inference.left_out.estimates import cases_left_out, need_cases
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.methods.base import register
from earnest.methods.bootstrap.replicated import LeftOutMethod, ReplicatesCall
from earnest.metrics.families import Metric


@register
@dataclass(frozen=True, kw_only=True)
class LOOB(LeftOutMethod):
    """The leave-one-out bootstrap: judge each case by the models that did not draw it.

    **What is estimated.** The mean performance of the learner over training sets of about .632 n
    different cases, which is a little worse than that of n.

    **What it assumes.** Independent cases, or groups that are drawn whole.

    **When it fails.** With few replicates the standard error is rough (EN084): use 1000 or more.
    In simulation it was 5 to 15 % too large for the error rate of 40 cases, so that intervals
    are on the safe side.

    Yousef 2022, eq. 32 and 48 (Efron and Tibshirani 1997), with a misprint mended, centred and
    corrected for the finite number of replicates. A function of sums such as F1 is that of the
    mean moments of cases left out, by the delta method.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> X = y[:, None] + rng.standard_normal((80, 2))
    >>> asked = {"metric": "accuracy", "n_replicates": 50, "rng": 0}
    >>> made = en.bootstrap_train(KNeighborsClassifier(1), X, y, **asked)
    >>> en.estimate(made, method="loob", metric="accuracy")
    accuracy 0.64, 95 % interval [0.51, 0.76] (loob, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="loob",
        title="Leave-one-out bootstrap",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_632,
        cites="Yousef 2022, eq. 32 and 48",
        metrics=MetricFamily.SUMS,
        aliases=("leave_one_out_bootstrap",),
    )

    def check(self, target: Target, design: DrawUnit, metric: Metric) -> None:
        """Refuse rank metrics."""
        need_cases(metric)

    def leave_out(self, call: ReplicatesCall) -> LeftOutEstimate:
        """Return the mean over cases of their mean score by models that did not see them."""
        return cases_left_out(call.replicates, call.metric)
