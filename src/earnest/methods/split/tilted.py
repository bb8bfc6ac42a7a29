"""Bootstrap tilting for the configuration chosen on another part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from earnest.core.base import check
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, best_of
from earnest.core.results.specs import Estimand, Evidence, Family, MethodSpec
from earnest.inference.resampling.resampled import MOST_RESAMPLES
from earnest.inference.resampling.splits import Choice
from earnest.inference.resampling.tilt import (
    choose_tilt_resampler,
    need_tiltable,
    no_better_than_perfect,
    tilt_limits,
)
from earnest.methods.base import Call, register
from earnest.methods.split.splitting import SplitMethod
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import Resampler, find_resampler


@register
@dataclass(frozen=True, kw_only=True)
class Tilted(SplitMethod):
    """Bootstrap tilting (BT): the values under which the estimate would be just too good.

    Cases are reweighted, those with more influence more strongly, until the resampled score exceeds
    the estimate only with probability alpha; the score under those weights is the limit. The other
    limit tilts the other way. With one configuration nothing is chosen, and all cases evaluate.

    **What is estimated.** The performance of the configuration chosen on the learning part,
    treating its predictions as those of one fixed model.

    **What it assumes.** Independent cases (or independent groups), and a metric that is a mean over
    cases, or the AUC.

    **When it fails.** The weights of strong tilts depend on few resamples. With perfect separation
    or very few cases no tilt goes far enough, and you get DeLong's limits for the AUC and Wilson's
    for means in a finite range. A caution tells you of both.

    Efron 1981; Rink and Brannath 2022; the competitor BT in Paraschakis et al. 2024.

    Parameters
    ----------
    variant : {None, 'as_published'}
        'as_published' only reproduces the table of Paraschakis et al. 2024: the pessimistic limit
        of an AUC may be nearer to 1 than that of a perfect one.
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
    >>> y = np.repeat([0, 1], 40)
    >>> score = y + np.sin(np.arange(80))
    >>> en.estimate(en.Predictions.from_arrays(y, score), method="tilted", metric="roc_auc", rng=0)
    roc_auc 0.81, 95 % interval [0.71, 0.89] (tilted, n=80)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="tilted",
        title="Bootstrap tilting on a held-out part",
        short="Bootstrap tilting",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.CHOSEN_ON_LEARNING,
        metrics=Family.MEANS_AND_AUC,
        cites="Efron 1981, as in Paraschakis et al. 2024, the rival BT",
        corrected=True,
        static_only=True,
        aliases=("bt",),
    )
    corrected: ClassVar[bool] = False  # whether tilts allow for the choice, as those of MABT
    variant: Literal["as_published"] | None = None
    n_resamples: int = 2000
    resampler: str | Resampler | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of_or_none("variant", self.variant, ["as_published"])
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_RESAMPLES)

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse metrics that cannot be tilted."""
        need_tiltable(self.spec.name, metric, target)

    def find_limits(
        self, call: Call, choice: Choice
    ) -> tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]:
        """Return tilted limits."""
        metric, rivals = call.metric, len(choice.candidates)
        given = find_resampler(self.resampler)
        resampler = choose_tilt_resampler(given, metric, call.pi.target)
        made: LimitSource = tilt_limits(
            choice,
            metric,
            resampler,
            self.n_resamples,
            call.seeds,
            corrected=self.corrected,
            n_jobs=call.n_jobs,
        )
        if self.variant is None:
            apart = rivals if self.corrected else 1
            made = no_better_than_perfect(made, choice, metric, rivals=apart)
        if not self.corrected:
            made = best_of(made, rivals, metric.greater_is_better)
        return made, (), {"resampler": resampler}
