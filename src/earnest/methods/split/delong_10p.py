"""DeLong's interval for the best of the preselected configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Estimand, Evidence, Family, MethodSpec
from earnest.methods.base import register
from earnest.methods.split.delong import DeLong


@register
@dataclass(frozen=True, kw_only=True)
class DeLong10p(DeLong):
    """DeLong's interval for the best of the top tenth, adjusted for that choice.

    The top tenth of the learning part (with ties) is compared on the evaluation part. The
    pessimistic limit is read at Sidak's level 1 - (1 - alpha)^(1/m) for m preselected
    configurations. The other limit needs no adjustment: choosing the best can only be optimistic.

    **What is estimated.** The performance of the configuration chosen on the evaluation part among
    those preselected, treating its predictions as those of one fixed model. The value itself is
    slightly optimistic; the pessimistic limit allows for the choice.

    **What it assumes and when it fails.** As for `delong`. Sidak's level makes the interval rather
    wide if the preselected configurations make the same errors, as configurations of one search do.

    DeLong, DeLong and Clarke-Pearson 1988; the competitor DL10p in Paraschakis et al. 2024.

    Parameters
    ----------
    evaluate, split, learn, selector, direction, variant
        As for `delong`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 200)
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((400, 30)))
    >>> en.estimate(pi, method="delong_10p", metric="roc_auc", side="lower", rng=0)
    roc_auc 0.70, 95 % lower bound 0.59 (delong_10p, winner of 30 configs, bound corrected, n=400)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="delong_10p",
        title="DeLong's interval for the best of the preselected",
        short="DeLong, best of a tenth",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.CHOSEN_ON_EVALUATION,
        metrics=Family.AUC,
        cites="DeLong et al. 1988, as in Paraschakis et al. 2024, the rival DL10p",
        corrected=True,
        static_only=True,
    )
    preselect: ClassVar[bool] = True
