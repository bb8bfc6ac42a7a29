"""The score of a model on the cases that it was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.inference.left_out.scores import apparent_score
from earnest.methods.base import EstimateParts, register
from earnest.methods.bootstrap.replicated import ReplicatesCall


@register
@dataclass(frozen=True, kw_only=True)
class Apparent:
    """The apparent score: train on all cases, and test on them again.

    **What is estimated.** It is biased for every target: it shows how well the learner memorizes
    the cases.

    **What it assumes.** That nothing was learned from the cases.

    **When it fails.** Always, and completely for learners that memorize, such as nearest neighbours
    and deep trees. 'refined', '.632' and '.632+' correct it.

    Yousef 2022, section 3.1 (the resubstitution error of Efron 1983).

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
    >>> en.estimate(made, method="apparent", metric="accuracy")
    accuracy 1.000 (apparent, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="apparent",
        title="Apparent score of the training cases",
        short="Apparent score",
        needs=Evidence.REPLICATES,
        design=Design.REPLICATES,
        estimand=Estimand.TRAINING_SCORE,
        cites="Yousef 2022, section 3.1",
        interval=False,
        aliases=("resubstitution",),
    )

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the score of the model of all cases on these cases."""
        value = apparent_score(call.replicates, call.metric)
        return EstimateParts(value=value, naive=value)
