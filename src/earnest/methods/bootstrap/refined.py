"""The refined bootstrap: the training score less the optimism that bootstrap samples show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from earnest.core.base import check
from earnest.core.base.errors import MetricError
from earnest.core.cautions import of_limits
from earnest.core.results.interval import DrawnLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.left_out.scores import apparent_score, score_drawn, score_replicates
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.replicated import (
    ReplicatesCall,
    average_defined,
)


@register
@dataclass(frozen=True, kw_only=True)
class Refined:
    """The refined bootstrap (RB): it subtracts how much too good models look on their own samples.

    **What is estimated.** It is designed for the model of all n cases; in effect it estimates the
    mean performance at n.

    **What it assumes.** Independent cases (or groups), and that a model looks as much too good on
    its bootstrap sample as the model of all cases does on these.

    **When it fails.** For learners that memorize: a model was trained on .632 of the cases that
    test it, so too little is subtracted. It is also called Harrell's optimism correction.

    Yousef 2022, eq. 34 and 55 (Efron 1983; Efron and Tibshirani 1993, section 17.6).

    Parameters
    ----------
    interval : {'none', 'shifted'}
        'shifted' gives the location-shifted interval of Noma et al. 2021: the quantiles of the
        scores of models on their own samples, less the optimism.

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
    >>> en.estimate(made, method="refined", metric="accuracy")
    accuracy 0.872 (refined, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="refined",
        title="Refined bootstrap",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_N,
        cites="Yousef 2022, eq. 34 and 55",
        interval=False,
        flatters=True,
        aliases=("rb", "optimism", "harrell"),
    )
    interval: Literal["none", "shifted"] = "none"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("interval", self.interval, ["none", "shifted"])

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the training score plus the mean of (score on all cases - score on the sample)."""
        replicates, metric = call.replicates, call.metric
        if self.interval == "shifted" and metric.ideal is not None:
            raise MetricError(
                f"the score of a model on its own sample does not vary for {metric.name!r}",
                needs="a metric with a best value, such as 'roc_auc' or 'brier'",
                got=metric.name,
                cure=f"Leave {arg('interval')} out, or use {arg('method', 'bbc')}.",
            )
        drawn = score_drawn(replicates, metric, call.n_jobs)
        gaps = score_replicates(replicates, metric, call.n_jobs) - drawn
        apparent = apparent_score(replicates, metric)
        gap, remarks = average_defined(call, gaps)
        shifted = self.interval == "shifted"
        return EstimateParts(
            value=apparent + gap,
            naive=apparent,
            source=DrawnLimits(drawn + gap) if shifted else None,
            cautions=[*remarks, *([of_limits.limits_shifted()] if shifted else [])],
        )
