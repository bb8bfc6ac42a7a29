"""The .632 bootstrap: between the training score and that of cases left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.inference.left_out.scores import apparent_score
from earnest.inference.limits.replicates import scaled_limits
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.replicated import ReplicatesCall, score_left_out


@register
@dataclass(frozen=True, kw_only=True)
class B632:
    """The .632 bootstrap: .368 of the training score and .632 of the score of cases left out.

    **What is estimated.** It is designed for the model of all n cases; in effect it estimates the
    mean performance at n.

    **What it assumes.** Independent cases (or groups), and a learner that does not fit its cases
    perfectly.

    **When it fails.** For learners that memorize: it reports a nearest neighbour on noise to be
    right in two of three cases. Use '.632+'.

    The score of cases left out is the leave-one-out bootstrap for means over cases and functions of
    sums, otherwise the mean over samples (AUC(*)). The interval uses the scaled standard error of
    the leave-one-out or leave-pair-out bootstrap (EN086).

    Yousef 2022, eq. 37 and 56 (Efron 1983).

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
    >>> en.estimate(made, method=".632", metric="accuracy")
    accuracy 0.77, 95 % interval [0.69, 0.85] (.632, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name=".632",
        title=".632 bootstrap",
        short=".632",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.LEARNER_AT_N,
        cites="Yousef 2022, eq. 37 and 56",
        flatters=True,
        aliases=("b632", "632"),
    )

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return .368 of the training score plus .632 of that of cases left out."""
        apparent, (outside, remarks) = (
            apparent_score(call.replicates, call.metric),
            score_left_out(call),
        )
        value = weigh(apparent, outside)
        limits = scaled_limits(call.replicates, call.metric, value, of=self.spec.name)
        return EstimateParts(
            value=value,
            naive=apparent,
            source=limits.source,
            cautions=[*limits.cautions, *remarks],
        )


def weigh(apparent: float, outside: float) -> float:
    """Return .368 of the training score plus .632 of that of cases left out (eq. 37)."""
    return 0.368 * apparent + 0.632 * outside
