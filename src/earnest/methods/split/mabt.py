"""Multiplicity-adjusted bootstrap tilting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.results.specs import Estimand, MethodSpec, MetricFamily
from earnest.inference.resampling.splits import TENTH
from earnest.methods.base import register
from earnest.methods.split.splitting import declare
from earnest.methods.split.tilted import Tilted


@register
@dataclass(frozen=True, kw_only=True)
class MABT(Tilted):
    """Multiplicity-adjusted bootstrap tilting: choose once more where the evaluation is done.

    The top tenth of the learning part is compared on the evaluation part. The pessimistic limit is
    tilted until the best of the preselected configurations reaches the estimate only with
    probability alpha. The optimistic limit is that of bootstrap tilting: choosing the best can only
    be optimistic, so it needs no correction. With one preselected configuration both limits are
    those of bootstrap tilting.

    **What is estimated.** The performance of the configuration chosen on the evaluation part among
    those preselected, treating its predictions as those of one fixed model. The value itself is
    slightly optimistic; the pessimistic limit allows for the choice.

    **What it assumes.** Independent cases (or independent groups), and a metric that is a mean over
    cases, or the AUC.

    **When it fails.** With few cases of a class, or scores near the best possible, the pessimistic
    limit depends on a handful of weighted resamples and is rough. With perfect separation no tilt
    goes far enough, and you get DeLong's or Wilson's limit at Sidak's level. A caution tells you of
    both.

    Rink and Brannath 2022; the competitor MABT in Paraschakis et al. 2024.

    Parameters
    ----------
    variant : {None, 'uncapped'}
        'uncapped' leaves the pessimistic limit of an AUC where the tilt puts it, even if that is
        nearer to 1 than that of a perfect one.
    preselect : float or None
        The share of the configurations, the best of the learning part (with ties), that are
        compared again on the evaluation part.
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
        For an AUC: 'auto' reverses scores if the negatives have the greater median.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 200)
    >>> pi = en.Predictions.from_arrays(y, y[:, None] + rng.standard_normal((400, 30)))
    >>> en.estimate(pi, method="mabt", metric="roc_auc", side="lower", rng=0)
    roc_auc 0.70, 95 % lower bound 0.57 (mabt, winner of 30 configs, bound corrected, n=400)
    """

    spec: ClassVar[MethodSpec] = declare(
        name="mabt",
        title="Multiplicity-adjusted bootstrap tilting",
        short="MABT",
        estimand=Estimand.CHOSEN_ON_EVALUATION,
        metrics=MetricFamily.MEANS_AND_AUC,
        cites="Rink and Brannath 2022, as in Paraschakis et al. 2024",
    )
    corrected: ClassVar[bool] = True
    preselect: float | None = TENTH
