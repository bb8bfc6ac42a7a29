"""The interval of Hanley and McNeil for the AUC of a configuration chosen on another part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, best_of
from earnest.core.results.specs import MethodSpec, MetricFamily
from earnest.inference.cases.placements import need_auc
from earnest.inference.limits.auc import hanley_mcneil
from earnest.inference.remarks import warn_of_groups
from earnest.inference.resampling.splits import TENTH, Choice
from earnest.methods.base import Call, register
from earnest.methods.split.splitting import SplitMethod, declare
from earnest.metrics.families import Metric


@register
@dataclass(frozen=True, kw_only=True)
class HanleyMcNeil(SplitMethod):
    """Hanley and McNeil's interval for the AUC of a configuration chosen on another part.

    It needs only the AUC and the class sizes. With one configuration nothing is chosen, and all
    cases evaluate.

    **What is estimated.** The AUC of the configuration chosen on the learning part, treating its
    predictions as those of one fixed model.

    **What it assumes.** Independent cases, and scores that are roughly exponential in both classes;
    the formula's two moments assume it.

    **When it fails.** For other distributions the variance is off, usually a little too large;
    DeLong's makes no such assumption. With an AUC of 1 the variance is 0; you then get the exact
    limits for disjoint pairs, with a caution.

    Hanley and McNeil 1982, with (n1 - 1) and (n0 - 1); the competitor HM in Paraschakis et al.
    2024, whose code has another formula.

    Parameters
    ----------
    preselect : float, optional
        The share of the configurations, the best of the learning part (with ties), that are
        compared again on the evaluation part; `method="hanley_mcneil_10p"` has 0.1. The
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
    >>> en.estimate(en.Predictions.from_arrays(y, score), method="hanley_mcneil", metric="roc_auc")
    roc_auc 0.81, 95 % interval [0.72, 0.91] (hanley_mcneil, n=80)
    """

    spec: ClassVar[MethodSpec] = declare(
        name="hanley_mcneil",
        title="Hanley and McNeil's interval on a held-out part",
        title_alone="Hanley and McNeil's interval",
        short="Hanley and McNeil",
        metrics=MetricFamily.AUC,
        cites="Hanley and McNeil 1982",
        aliases=("hm",),
        presets={"hanley_mcneil_10p": {"preselect": TENTH}},
    )

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse metrics other than the AUC of two classes."""
        need_auc(f"method {self.spec.name!r}", metric, target)

    def find_limits(
        self, call: Call, choice: Choice
    ) -> tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]:
        """Return limits from the AUC and the class sizes."""
        limits = hanley_mcneil(choice, call.metric)
        source = best_of(limits.source, len(choice.candidates), call.metric.greater_is_better)
        return source, limits.cautions or tuple(warn_of_groups(choice.part, self.spec.name)), {}
