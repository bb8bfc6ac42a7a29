"""The .632+ bootstrap: more weight to the cases left out, the more a learner overfits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.replicates import DrawUnit
from earnest.core.data.target import Target
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.inference.cases.no_information import need_rate, no_information_rate
from earnest.inference.left_out.scores import apparent_score
from earnest.inference.limits.replicates import scaled_limits
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.b632 import weigh
from earnest.methods.bootstrap.replicated import ReplicatesCall, score_left_out
from earnest.metrics.families import Metric


@dataclass(frozen=True)
class PlusDetails:
    """The parts of the .632+ bootstrap.

    Attributes
    ----------
    apparent, left_out : float
        The training score, and that of cases left out.
    no_information_rate : float
        The score if outcomes and predictions were unrelated.
    overfitting_rate : float
        The relative overfitting rate R', from 0 to 1.
    weight : float
        The weight of the cases left out, from .632 to 1.
    """

    apparent: float
    left_out: float
    no_information_rate: float
    overfitting_rate: float
    weight: float


@register
@dataclass(frozen=True, kw_only=True)
class B632Plus:
    """The .632+ bootstrap: .632, with the weights moved by how much the learner overfits.

    **What is estimated.** It is designed for the model of all n cases; in effect it estimates the
    mean performance at n.

    **What it assumes.** Independent cases (or groups).

    **When it fails.** It is the least biased of its family, but just as variable: it does not tell
    which of two similar learners is better on these cases (its correlation with the true
    performance of the given training set is .2 to .35 in table 2 of Yousef 2022).

    The no-information rate is the mean over all pairs of an outcome and a prediction; one half for
    the AUC and the concordance index. The interval uses the scaled standard error of the
    leave-one-out or leave-pair-out bootstrap (EN086).

    Where the cases left out score worse than no information, overfitting is full (R' = 1), as in
    Efron and Tibshirani 1997; eq. 45 and 57c of Yousef 2022 print R' = 0, which would make a jump.

    Yousef 2022, eq. 38 to 46 and 57; Efron and Tibshirani 1997.

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
    >>> en.estimate(made, method=".632+", metric="accuracy")
    accuracy 0.69, 95 % interval [0.58, 0.79] (.632+, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name=".632+",
        title=".632+ bootstrap",
        short=".632+",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_N,
        cites="Yousef 2022, eq. 46 and 57",
        metrics=MetricFamily.SUMS_AND_PAIRS,
        aliases=("b632plus", "632+"),
    )

    def check(self, target: Target, design: DrawUnit, metric: Metric) -> None:
        """Refuse metrics without a known no-information rate."""
        need_rate(metric, target)

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the mean of training score and left-out score, by the overfitting rate."""
        rate = no_information_rate(call.replicates, call.metric)
        apparent, (outside, remarks) = (
            apparent_score(call.replicates, call.metric),
            score_left_out(call),
        )
        value, details = plus(apparent, outside, rate, call.metric.sign)
        limits = scaled_limits(call.replicates, call.metric, value, of=self.spec.name)
        return EstimateParts(
            value=value,
            naive=apparent,
            source=limits.source,
            cautions=[*limits.cautions, *remarks],
            details=details,
        )


def plus(apparent: float, outside: float, rate: float, sign: float) -> tuple[float, PlusDetails]:
    """Return the .632+ value of a score (sign 1) or a loss (sign -1), and its parts.

    Examples
    --------
    >>> from earnest.methods.bootstrap.b632plus import plus
    >>> plus(0.0, 0.5, 0.5, -1.0)[0]  # a loss, all of it overfitting
    0.5
    """
    # As losses: a score's worse end is below.
    train, test, none = (-sign * each for each in (apparent, outside, rate))
    capped = min(test, none)
    over = (capped - train) / (none - train) if capped > train else 0.0
    moved = weigh(train, test) + (capped - train) * 0.368 * 0.632 * over / (1 - 0.368 * over)
    weight = 0.632 / (1.0 - 0.368 * over)
    return -sign * moved, PlusDetails(apparent, outside, rate, over, weight)
