"""The mean over bootstrap samples of the score on the cases that a sample left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.inference.left_out.scores import apparent_score, left_out_scores
from earnest.inference.limits.replicates import scaled_limits
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.replicated import (
    ReplicatesCall,
    average_defined,
)


@register
@dataclass(frozen=True, kw_only=True)
class ErrStar:
    """Err(*), or AUC(*): score each bootstrap-trained model on what it did not draw, and average.

    **What is estimated.** The mean performance of the learner over training sets of about .632 n
    different cases. For a search it is the direct bootstrap of tuning.

    **What it assumes.** Independent cases, or groups that are drawn whole.

    **When it fails.** An AUC is undefined where the cases left out lack a class; such samples are
    ignored (EN010).

    Every metric has a value. Only metrics with a leave-one-out or leave-pair-out form have an
    interval, with the standard error of that form (EN086): it averages the same losses in another
    order.

    Yousef 2022, eq. 51 and 54.

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
    >>> en.estimate(made, method="err_star", metric="roc_auc")
    roc_auc 0.65, 95 % interval [0.55, 0.73] (err_star, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="err_star",
        title="Mean score of cases left out, sample by sample",
        short="Err*",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_632,
        cites="Yousef 2022, eq. 51 and 54",
        aliases=("auc_star", "out_of_bag"),
    )

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the mean over replicates of the score on the cases left out."""
        scores = left_out_scores(call.replicates, call.metric, call.n_jobs)
        value, remarks = average_defined(call, scores)
        limits = scaled_limits(call.replicates, call.metric, value, of=self.spec.name, scaled=False)
        return EstimateParts(
            value=value,
            naive=apparent_score(call.replicates, call.metric),
            source=limits.source,
            cautions=[*limits.cautions, *remarks],
        )
