"""Multiplicity-adjusted bootstrap tilting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Estimand, Evidence, Family, MethodSpec
from earnest.methods.base import register
from earnest.methods.split.tilted import Tilted


@register
@dataclass(frozen=True, kw_only=True)
class MABT(Tilted):
    """Multiplicity-adjusted bootstrap tilting: choose once more where the evaluation is done.

    The top tenth of the learning part are compared in the evaluation part. The pessimistic limit is
    tilted until the estimate exceeds what the best of the candidates reaches with probability alpha
    only. The good limit is that of bootstrap tilting: choosing the best can only be optimistic, so
    it needs no correction. With one candidate both limits are those of bootstrap tilting.

    **What is estimated.** The performance of the configuration chosen on the evaluation part among
    those preselected, its predictions read as one fixed model's. The value itself is a little
    optimistic; the pessimistic limit allows for the choice.

    **What it assumes.** Independent cases, or groups that are given; a metric that is a mean over
    cases, or the AUC.

    **When it fails.** With few cases of a class, or scores near the best possible, the pessimistic
    limit rests on a handful of weighted resamples: it is rough, and a caution says so. With perfect
    separation no tilt goes far enough: the limit is then DeLong's or Wilson's at Sidak's level, and
    a caution says so.

    Rink and Brannath 2022; the rival MABT in Paraschakis et al. 2024.

    Parameters
    ----------
    variant : {None, 'as_published'}
        'as_published' is for the table of Paraschakis et al. 2024 only: the bad limit of an AUC may
        be nearer to 1 than that of a perfect one.
    n_resamples : int
        The number of resamples, R.
    resampler : str or Resampler, optional
        By default groups if there are any, otherwise cases, for the AUC within classes.
    evaluate : float
        The share of cases that evaluate, a quarter by default.
    split : {'stratified', 'unstratified'}
        How the parts are drawn; 'unstratified' is the published redraw.
    learn : sequence of bool, optional
        Which cases learn, one boolean per case, instead of a random split.
    selector : str or Selector, optional
        The rule that scores configurations on the learning part; 'mean_of_folds' by default.
    direction : {'fixed', 'auto'}
        For an AUC: 'auto' turns scores around where the negatives have the greater median.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 200)
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((400, 30)))
    >>> en.estimate(pi, method="mabt", metric="roc_auc", side="lower", rng=0)
    roc_auc 0.70, 95 % lower bound 0.57 (mabt, winner of 30 configs, n=400)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="mabt",
        title="Multiplicity-adjusted bootstrap tilting",
        short="MABT",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.CHOSEN_ON_EVALUATION,
        metrics=Family.MEANS_AND_AUC,
        cites="Rink and Brannath 2022, as in Paraschakis et al. 2024",
        corrected=True,
        static_only=True,
    )
    preselect: ClassVar[bool] = True
    corrected: ClassVar[bool] = True
