"""The central limit theorem of cross-validation, with the variance over all pairs of cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import check_terms
from earnest.inference.cases.fold_variance import Variance, check_fold_units
from earnest.inference.limits.fold_normal import fold_normal
from earnest.inference.resampling.winners import choose_winner
from earnest.methods.base import Call, EstimateParts, Method, need_folds, register, selector_of
from earnest.methods.learner.cv import as_fixed
from earnest.metrics.families import Metric, RankMetric


@register
@dataclass(frozen=True, kw_only=True)
class BayleAllPairs:
    """Give a cross-validated score a normal interval, from the spread of all its cases.

    **What is estimated.** The average test performance of the models that were fitted in the folds.
    It is not the performance of a model refitted on all cases, nor the mean over training sets.
    With several configurations it treats the winner as if it had been fixed in advance.

    **What it assumes.** Independent cases (or groups), one partition, losses that vary, and a
    learner that is stable: leaving out one training case changes its losses by little.

    **When it fails.** For the winner of a search, because nothing corrects for the choice. For
    unstable learners, and for few cases.

    Bayle, Bayle, Janson and Mackey 2020, eq. 9 with its factor corrected: the variance is the mean
    squared distance of the losses from their mean, over n.

    Parameters
    ----------
    selector : str or Selector, optional
        The rule that names the winner of several configurations: by default 'mean_of_folds' for
        an AUC, else 'pooled'.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y, fold = np.tile([0, 1], 50), np.arange(100) // 10
    >>> pi = en.Predictions.from_arrays(y, 0.4 * y + np.linspace(0, 1, 100) % 0.37, fold)
    >>> en.estimate(pi, method="bayle_all_pairs", metric="accuracy")
    accuracy 0.85, 95 % interval [0.78, 0.92] (bayle_all_pairs, trained on 90, n=100)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="bayle_all_pairs",
        title="Normal interval of cross-validation, variance over all pairs",
        short="Bayle, all pairs",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.FOLDS,
        estimand=Estimand.FITTED_MODELS,
        cites="Bayle et al. 2020, eq. 9",
        metrics=MetricFamily.CASEWISE,
        min_folds=2,
        aliases=("bayle",),
        weighted=True,
    )
    variance: ClassVar[Variance] = Variance.ALL_PAIRS
    selector: str | Selector | None = None

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse folds and metrics for which the variance is undefined."""
        need_folds(
            self,
            design,
            cure=f"Pass {arg('fold')}; for one test set use {arg('method', 'holdout')}.",
        )
        check_terms(design, metric, singles=self.variance is Variance.ALL_PAIRS)
        check_fold_units(design.folds, target.groups, self.variance)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the cross-validated score with a normal interval."""
        default = MeanOfFolds() if isinstance(call.metric, RankMetric) else Pooled()
        selector = selector_of(self.selector, default)
        return estimate_by_folds(self, call, selector, self.variance, used={"selector": selector})


def estimate_by_folds(
    method: Method,
    call: Call,
    selector: Selector,
    variance: Variance,
    *,
    used: Mapping[str, object] | None = None,
) -> EstimateParts:
    """Return the winner's cross-validated score with a normal interval, as if it were fixed."""
    best, naive, _ = choose_winner(call.pi, call.metric, selector, n_jobs=call.n_jobs)
    limits = fold_normal(call.pi, call.metric, best, variance)
    return EstimateParts(
        value=limits.value,
        winner=best,
        naive=naive,
        source=limits.source,
        cautions=limits.cautions,
        estimand=as_fixed(method, call.pi),
        used=used or {},
    )
