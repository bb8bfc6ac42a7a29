"""The refined bootstrap: the training score less the optimism that bootstrap samples show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.cautions import of_limits
from earnest.core.results.interval import DrawnLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.left_out.scores import (
    apparent_score,
    correct_each,
    score_drawn,
    score_replicates,
)
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
    interval : {'none', 'shifted', 'two_stage'}
        Noma et al. 2021. 'shifted' gives the quantiles of the scores of models on their own
        samples, less the optimism; 'two_stage' those of the corrected scores of the samples, each
        of which is corrected by samples of its own, about the value.
    n_inner : int
        How many samples of each sample 'two_stage' trains on: with B samples, B times as many more
        models. The noise of few is taken out of the spread.

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
    interval: Literal["none", "shifted", "two_stage"] = "none"
    n_inner: int = 10

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("interval", self.interval, ["none", "shifted", "two_stage"])
        check.whole_number("n_inner", self.n_inner, low=2, high=1000)

    @property
    def needs_inner(self) -> int:
        """How many samples of each sample have to be trained on."""
        return self.n_inner if self.interval == "two_stage" else 0

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the training score plus the mean of (score on all cases - score on the sample)."""
        replicates, metric = call.replicates, call.metric
        if self.interval != "none" and metric.ideal is not None:
            raise MetricError(
                f"the score of a model on its own sample hardly varies for {metric.name!r}",
                needs="a metric with a best value, such as 'roc_auc' or 'brier'",
                got=metric.name,
                cure=f"Leave {arg('interval')} out, or use {arg('method', 'bbc')}.",
            )
        drawn = score_drawn(replicates, metric, call.n_jobs)
        gaps = score_replicates(replicates, metric, call.n_jobs) - drawn
        apparent = apparent_score(replicates, metric)
        gap, remarks = average_defined(call, gaps)
        draws: NDArray[np.float64] | None = None
        if self.interval == "shifted":
            draws = drawn + gap
            remarks = [*remarks, of_limits.limits_shifted()]
        elif self.interval == "two_stage":
            draws = draw_two_stage(correct_each(replicates, metric, call.n_jobs), apparent + gap)
            n_models = replicates.n_replicates * (1 + replicates.n_inner) + 1
            remarks = [*remarks, of_limits.limits_in_two_stages(replicates.n_inner, n_models)]
        return EstimateParts(
            value=apparent + gap,
            naive=apparent,
            source=None if draws is None else DrawnLimits(draws),
            cautions=remarks,
        )


def draw_two_stage(corrected: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Return corrected scores of samples about a value, without the noise of few inner ones: (B,).

    The variance of their means over I inner samples is that of infinitely many plus the inner
    variance over I (the law of total variance); they are drawn toward their mean by what that adds.
    A sample has copies, so that its corrected score is too good: their mean is moved to the value.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.methods.bootstrap.refined import draw_two_stage
    >>> draw_two_stage(np.array([[0.7, 0.7], [0.8, 0.8], [0.9, 0.9]]), 0.75).round(3).tolist()
    [0.65, 0.75, 0.85]
    """
    corrected = corrected[np.isfinite(corrected).all(axis=1)]
    if len(corrected) < 2:
        raise EvidenceError(
            "the metric is undefined in almost all samples of the samples",
            needs="at least two bootstrap samples on which it has a value",
            got=f"{len(corrected)}",
        )
    means = corrected.mean(axis=1)
    noise = float(corrected.var(axis=1, ddof=1).mean()) / corrected.shape[1]
    spread = float(means.var(ddof=1))
    share = max(spread - noise, 0.0) / spread if spread > 0.0 else 1.0
    return np.asarray(value + np.sqrt(share) * (means - means.mean()))
