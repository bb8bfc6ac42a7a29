"""Hanley and McNeil's interval for the best of the preselected configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Estimand, Evidence, Family, MethodSpec
from earnest.methods.base import register
from earnest.methods.split.hanley_mcneil import HanleyMcNeil


@register
@dataclass(frozen=True, kw_only=True)
class HanleyMcNeil10p(HanleyMcNeil):
    """Hanley and McNeil's interval for the best of the top tenth, adjusted for that choice.

    The top tenth of the learning part (with ties) is compared on the evaluation part. The
    pessimistic limit is read at Sidak's level 1 - (1 - alpha)^(1/m) for m preselected
    configurations. The other limit needs no adjustment: choosing the best can only be optimistic.

    **What is estimated.** The performance of the configuration chosen on the evaluation part among
    those preselected, treating its predictions as those of one fixed model. The value itself is
    slightly optimistic; the pessimistic limit allows for the choice.

    **What it assumes and when it fails.** As for `hanley_mcneil`. Sidak's level makes the interval
    rather wide if the preselected configurations make the same errors, as configurations of one
    search do.

    Hanley and McNeil 1982; the competitor HM10p in Paraschakis et al. 2024, which omits the
    adjustment; so does `variant='as_published'`.

    Parameters
    ----------
    evaluate, split, learn, selector, direction, variant
        As for `hanley_mcneil`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 200)
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((400, 30)))
    >>> best = en.estimate(pi, method="hanley_mcneil_10p", metric="roc_auc", side="lower", rng=0)
    >>> round(best.value, 2), round(best.interval.low, 2), str(best.selection)
    (0.7, 0.59, 'bound_only')
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="hanley_mcneil_10p",
        title="Hanley and McNeil's interval for the best of the preselected",
        short="Hanley and McNeil, best of a tenth",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.CHOSEN_ON_EVALUATION,
        metrics=Family.AUC,
        cites="Hanley and McNeil 1982, as in Paraschakis et al. 2024, the rival HM10p",
        corrected=True,
        static_only=True,
    )
    preselect: ClassVar[bool] = True
