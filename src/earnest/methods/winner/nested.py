"""Nested cross-validation: the score of tuning and fitting together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from earnest.core.base.errors import EvidenceError
from earnest.core.data.designs import NestedPredictions
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.kernels.score import fold_scores
from earnest.methods.base import Call, EstimateParts, register
from earnest.methods.learner.cv import FoldDetails


@register
@dataclass(frozen=True, kw_only=True)
class Nested:
    """Nested cross-validation: tune within each training part, test on what was held out.

    **What is estimated.** The mean performance of tuning and then fitting on (1 - 1/K) n cases. It
    is that of a procedure, not of one configuration.

    **What it assumes.** Independent cases (or groups that folds keep together).

    **When it fails.** It has no interval: the outer models share their training cases. It costs K
    times the fits of the search; `bbc` corrects for the same optimism without any.

    Tsamardinos, Greasidou, Borboudakis 2018, algorithm 3; Varma and Simon 2006.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = en.SearchCV(tree, {"max_depth": [1, 2, 3]}, cv=5, random_state=0)
    >>> en.assess(search, X, y, method="nested", metric="accuracy")
    accuracy 0.953 (nested, winner of 3 configs, trained on 120, n=150)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="nested",
        title="Nested cross-validation",
        needs=Evidence.NESTED,
        design=Design.SEARCH,
        estimand=Estimand.PROCEDURE,
        cites="Tsamardinos et al. 2018, algorithm 3",
        min_folds=3,
        interval=False,
        corrected=True,
    )

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean over the outer folds."""
        nested = call.design
        assert isinstance(nested, NestedPredictions)
        scores = fold_scores(nested.outer.usable(), call.metric)[:, 0, 0]
        defined = scores[~np.isnan(scores)]
        if len(defined) == 0:
            raise EvidenceError(
                f"metric {call.metric.name!r} is undefined in every outer fold",
                needs="cases of every class in at least one fold",
                cure="Use fewer or stratified folds.",
            )
        return EstimateParts(
            value=float(defined.mean()),
            winner=0,
            naive=None,
            cautions=warn_of_undefined_folds(len(scores), len(defined)),
            details=FoldDetails.of(scores),
        )
