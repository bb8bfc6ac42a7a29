"""The simple bootstrap: train on samples, test on all cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.inference.left_out.scores import apparent_score, score_replicates
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.replicated import (
    ReplicatesCall,
    average_defined,
)


@register
@dataclass(frozen=True, kw_only=True)
class SimpleBootstrap:
    """The simple bootstrap (SB): the mean score of bootstrap-trained models on all cases.

    **What is estimated.** The mean performance over training sets, with optimism: each model saw
    .632 of the cases that test it.

    **What it assumes.** Independent cases (or groups).

    **When it fails.** For every learner that memorizes its cases. It is here because 'refined' and
    the papers need it.

    Yousef 2022, eq. 30 and 53 (Efron and Tibshirani 1993, section 17.6).

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
    >>> en.estimate(made, method="simple_bootstrap", metric="accuracy")
    accuracy 0.872 (simple_bootstrap, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="simple_bootstrap",
        title="Simple bootstrap",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.OPTIMISTIC_MEAN,
        cites="Yousef 2022, eq. 30 and 53",
        interval=False,
        aliases=("sb",),
    )

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the mean over replicates of the score on all cases."""
        scores = score_replicates(call.replicates, call.metric, call.n_jobs)
        value, remarks = average_defined(call, scores)
        return EstimateParts(
            value=value,
            naive=apparent_score(call.replicates, call.metric),
            cautions=remarks,
        )
