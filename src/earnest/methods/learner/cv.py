"""The cross-validated score of a learner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.inference.resampling.winners import judge_winner, keep_defined_folds, score_sample
from earnest.kernels.score import fold_scores
from earnest.methods.base import Call, EstimateParts, Method, need_folds, register, selector_of
from earnest.metrics.families import CallableMetric, Metric, MomentMetric


@dataclass(frozen=True)
class FoldDetails:
    """The scores of the folds, NaN where the metric is undefined.

    Attributes
    ----------
    scores : tuple of float
        One per fold, the folds of a repeat together.
    """

    scores: tuple[float, ...]

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> FoldDetails:
        """Make them from an array (J,)."""
        return cls(tuple(float(score) for score in scores))


@register
@dataclass(frozen=True, kw_only=True)
class CV:
    """Cross-validation: each case is predicted by a model that has not seen it.

    A metric that is a function of sums over cases (accuracy, F1, R², ...) is computed from all
    cases together; any other metric is the mean over folds, because scores of different models
    should not be ranked against each other.

    **What is estimated.** The mean performance of this learner over training sets of (1 - 1/K) n
    cases. It says little about the one model that is refitted on all cases.

    **What it assumes.** Independent cases (or groups that folds keep together), and that nothing
    was selected on them.

    **When it fails.** It has no interval: the folds share their training cases, and no unbiased
    estimate of its variance exists (Bengio and Grandvalet 2004). `bayle_all_pairs`, `corrected_t`
    and `bates_ncv` add intervals to the same value, each under its own assumption. For the winner
    of several configurations it is the naive score.

    Stone 1974; Yousef 2022, section 6.

    Parameters
    ----------
    selector : str or Selector, optional
        How folds are combined: 'pooled' for functions of sums, otherwise 'mean_of_folds'.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y, fold = np.tile([0, 1], 50), np.arange(100) // 10
    >>> pi = en.Predictions.from_arrays(y, 0.4 * y + np.linspace(0, 1, 100) % 0.37, fold)
    >>> en.estimate(pi, method="cv", metric="accuracy")
    accuracy 0.850 (cv, trained on 90, n=100)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="cv",
        title="Cross-validation",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.FOLDS,
        estimand=Estimand.LEARNER,
        cites="Stone 1974",
        min_folds=2,
        one_learner=True,
        interval=False,
        weighted=True,
        surveys=True,
    )
    selector: str | Selector | None = None

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse one test set, and a metric that no fold defines."""
        need_folds(
            self,
            design,
            cure=f"Pass {arg('fold')}; for one test set use {arg('method', 'holdout')}.",
        )
        if design.n_configs == 1 and not isinstance(metric, CallableMetric):
            selector = selector_of(self.selector, score_rule(metric))
            judge_winner(design, metric, selector, score_sample(design, metric, selector))

    def __call__(self, call: Call) -> EstimateParts:
        """Return the score."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, score_rule(metric))
        table = score_sample(pi, metric, selector, n_jobs=call.n_jobs)  # (F, 1, C)
        best, value, _ = judge_winner(pi, metric, selector, table)
        scores = fold_scores(pi.select(best), metric)[:, 0, 0]
        return EstimateParts(
            value=value,
            winner=best,
            naive=value,
            cautions=warn_of_undefined_folds(len(table), len(keep_defined_folds(table))),
            estimand=as_fixed(self, pi),
            details=FoldDetails.of(scores),
            used={"selector": selector},
        )


def score_rule(metric: Metric) -> Selector:
    """Return how to combine folds: pooled for functions of sums, by their mean for the rest."""
    return Pooled() if isinstance(metric, MomentMetric) else MeanOfFolds()


def as_fixed(method: Method, pi: Predictions) -> str:
    """Return the estimand, which says that a winner is treated as the only configuration."""
    aside = "; of the winner, as if it had been fixed in advance" if pi.n_configs > 1 else ""
    return method.spec.estimand + aside


def fold_details(
    pi: Predictions, metric: Metric, best: int
) -> tuple[NDArray[np.float64], Iterable[Caution]]:
    """Return the defined fold scores (J,) of one configuration, and a caution for the others."""
    scores = fold_scores(pi.select(best), metric)[:, 0, 0]
    defined = scores[~np.isnan(scores)]
    return defined, warn_of_undefined_folds(len(scores), len(defined))
