"""Bootstrap tilting for the best of the preselected configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Estimand, Evidence, Family, MethodSpec
from earnest.methods.base import register
from earnest.methods.split.tilted import Tilted


@register
@dataclass(frozen=True, kw_only=True)
class Tilted10p(Tilted):
    """Bootstrap tilting for the best of the top tenth, adjusted for that choice.

    The top tenth of the learning part (with ties) is compared on the evaluation part. The
    pessimistic limit is read at Sidak's level 1 - (1 - alpha)^(1/m) for m preselected
    configurations. The other limit needs no adjustment: choosing the best can only be optimistic.

    **What is estimated.** The performance of the configuration chosen on the evaluation part among
    those preselected, treating its predictions as those of one fixed model. The value itself is
    slightly optimistic; the pessimistic limit allows for the choice.

    **What it assumes and when it fails.** As for `tilted`. Sidak's level makes the interval rather
    wide if the preselected configurations make the same errors, as configurations of one search do.

    Efron 1981; Rink and Brannath 2022; the competitor BT10p in Paraschakis et al. 2024.

    Parameters
    ----------
    variant, evaluate, split, learn, selector, direction, n_resamples, resampler
        As for `tilted`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 200)
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((400, 30)))
    >>> en.estimate(pi, method="tilted_10p", metric="roc_auc", side="lower", rng=0)
    roc_auc 0.70, 95 % lower bound 0.58 (tilted_10p, winner of 30 configs, bound corrected, n=400)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="tilted_10p",
        title="Bootstrap tilting for the best of the preselected",
        short="Tilting, best of a tenth",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.CHOSEN_ON_EVALUATION,
        metrics=Family.MEANS_AND_AUC,
        cites="Efron 1981, as in Paraschakis et al. 2024, the rival BT10p",
        corrected=True,
        static_only=True,
    )
    preselect: ClassVar[bool] = True
