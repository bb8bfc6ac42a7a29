"""The interval of DeLong for the AUC of the configuration chosen on another part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from earnest.core.base import check
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, best_of
from earnest.core.results.specs import MethodSpec, MetricFamily
from earnest.inference.cases.placements import need_auc
from earnest.inference.limits.auc import delong
from earnest.inference.remarks import few_groups_in_variance
from earnest.inference.resampling.splits import TENTH, Choice
from earnest.methods.base import Call, register
from earnest.methods.split.splitting import SplitMethod, declare
from earnest.metrics.families import Metric


@register
@dataclass(frozen=True, kw_only=True)
class DeLong(SplitMethod):
    """DeLong's interval for the AUC of one configuration, chosen on another part of the cases.

    With one configuration nothing is chosen and all cases evaluate: this is the interval that
    reviewers ask for by name.

    **What is estimated.** The AUC of the configuration chosen on the learning part, treating its
    predictions as those of one fixed model.

    **What it assumes.** Independent cases (or independent groups), and enough cases of both classes
    in the evaluation part for a normal approximation. With groups the variance is that of
    Obuchowski 1997.

    **When it fails.** With few cases of a class, or an AUC near 1, the interval is too narrow and
    is cut off at 1; `variant='logit'` is better there. Where the variance is 0 or undefined, you
    get the exact limits for disjoint pairs, with a caution.

    DeLong, DeLong and Clarke-Pearson 1988; the competitor DL in Paraschakis et al. 2024.

    Parameters
    ----------
    variant : {None, 'logit'}
        'logit' uses the normal approximation on the logit scale, so that the limits never leave the
        range.
    preselect : float, optional
        The share of the configurations, the best of the learning part (with ties), that are
        compared again on the evaluation part; `method="delong_10p"` has 0.1. The
        pessimistic limit is read at Sidak's level 1 - (1 - alpha)^(1/m) for m of them. The value is
        that of the best of them, so slightly optimistic. By default only the best of the learning
        part goes there.
    evaluate : float
        The share of cases that evaluate, a quarter by default.
    split : {'stratified', 'unstratified'}
        How the parts are drawn; 'unstratified' is the published redraw.
    learn : sequence of bool, optional
        Which cases learn, one boolean per case, instead of a random split.
    selector : str or Selector, optional
        The rule that scores configurations on the learning part; 'mean_of_folds' by default.
    direction : {'fixed', 'auto'}
        'auto', as published, reverses scores if the negatives have the greater median.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.repeat([0, 1], 40)
    >>> score = y + np.sin(np.arange(80))
    >>> en.estimate(en.Predictions.from_arrays(y, score), method="delong", metric="roc_auc")
    roc_auc 0.81, 95 % interval [0.72, 0.90] (delong, n=80)
    """

    spec: ClassVar[MethodSpec] = declare(
        name="delong",
        title="DeLong's interval on a held-out part",
        title_alone="DeLong's interval",
        short="DeLong",
        metrics=MetricFamily.AUC,
        cites="DeLong et al. 1988",
        aliases=("dl",),
        presets={"delong_10p": {"preselect": TENTH}},
        weighted=True,
    )
    variant: Literal["logit"] | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of_or_none("variant", self.variant, ["logit"])

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse metrics other than the AUC of two classes."""
        need_auc(f"method {self.spec.name!r}", metric, target)

    def find_limits(
        self, call: Call, choice: Choice
    ) -> tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]:
        """Return DeLong's limits of the AUC."""
        limits = delong(choice, call.metric, logit=self.variant == "logit")
        source = best_of(limits.source, len(choice.candidates), call.metric.greater_is_better)
        remarks = limits.cautions or tuple(few_groups_in_variance(choice.part.target.groups))
        return source, remarks, {}
