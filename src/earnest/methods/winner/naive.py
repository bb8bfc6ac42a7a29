"""The winner's own cross-validated score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from earnest.core.data.selection import MeanOfFolds, Selector
from earnest.core.results.specs import Estimand, Evidence, MethodSpec
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.inference.resampling.winners import judge_winner, keep_defined_folds, score_sample
from earnest.methods.base import Call, EstimateParts, register, selector_of


@register
@dataclass(frozen=True, kw_only=True)
class Naive:
    """Cross-validation with tuning (CVT): the winner's score, as every search reports it.

    **What is estimated.** It is biased for every target: it is the largest of many noisy scores.

    **What it assumes.** That nothing was selected.

    **When it fails.** Always when more than one configuration was tried; the more configurations
    and the fewer cases, the worse.

    Tsamardinos, Greasidou, Borboudakis 2018, algorithm 2.

    Parameters
    ----------
    selector : str or Selector, optional
        The rule that chooses the winner; 'mean_of_folds' by default.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays(
    ...     [0, 1, 0, 1], [[0.2, 0.6], [0.7, 0.4], [0.1, 0.3], [0.8, 0.9]]
    ... )
    >>> en.estimate(pi, method="naive", metric="roc_auc")
    roc_auc 1.000 (naive, winner of 2 configs, not corrected, n=4)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="naive",
        title="Naive cross-validated score of the winner",
        short="Naive winner’s score",
        short_alone="Its own score",
        needs=Evidence.OUT_OF_SAMPLE,
        from_fold_scores=True,
        estimand=Estimand.WINNER_SCORE,
        cites="Tsamardinos et al. 2018, algorithm 2",
        interval=False,
        aliases=("cvt",),
        weighted=True,
        surveys=True,
    )
    selector: str | Selector | None = None

    def __call__(self, call: Call) -> EstimateParts:
        """Return the winner's score."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, MeanOfFolds())
        table = score_sample(pi, metric, selector, n_jobs=call.n_jobs)  # (F, 1, C)
        best, score, scores = judge_winner(pi, metric, selector, table)
        return EstimateParts(
            value=score,
            winner=best,
            scores=scores,
            naive=score,
            cautions=warn_of_undefined_folds(len(table), len(keep_defined_folds(table))),
            used={"selector": selector},
        )
