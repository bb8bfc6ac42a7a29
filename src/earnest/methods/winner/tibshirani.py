"""The correction of Tibshirani and Tibshirani."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds
from earnest.core.data.target import Target
from earnest.core.results.specs import Estimand, Evidence, MethodSpec
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.inference.resampling.winners import judge_winner, keep_defined_folds
from earnest.kernels.score import fold_scores
from earnest.methods.base import Call, EstimateParts, need_folds, register
from earnest.metrics.families import Metric


@dataclass(frozen=True)
class TibshiraniDetails:
    """The estimated bias, and the value before it was moved into the metric's range."""

    bias: float
    unclipped: float


@register
@dataclass(frozen=True, kw_only=True)
class Tibshirani:
    """Tibshirani and Tibshirani's correction (TT): subtract what each fold's own best gains.

    **What is estimated.** The mean performance of a configuration chosen by the mean of folds. It
    is a heuristic without an interval.

    **What it assumes.** That a fold's own winner beats the overall winner on that fold by as much
    as the overall winner beats the truth.

    **When it fails.** With small folds and many configurations it overcorrects, sometimes beyond
    the metric's range (the value is then moved back, with a caution). With leave-one-out and a 0-1
    loss it is useless.

    Tsamardinos, Greasidou, Borboudakis 2018, algorithm 4: bias = L_CVT - mean_k min_i l_k(i).

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays(
    ...     [1.0, 2.0, 3.0, 4.0],
    ...     [[1.0, 2.0], [3.0, 2.0], [3.0, 5.0], [4.0, 4.0]],
    ...     fold=[0, 0, 1, 1],
    ... )
    >>> en.estimate(pi, method="tibshirani", metric="mae")
    mae 0.250 (tibshirani, winner of 2 configs, trained on 2, n=4)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="tibshirani",
        title="Tibshirani-Tibshirani correction",
        short="Tibshirani and Tibshirani",
        needs=Evidence.OUT_OF_SAMPLE,
        from_fold_scores=True,
        estimand=Estimand.WINNER,
        cites="Tsamardinos et al. 2018, algorithm 4",
        min_folds=2,
        interval=False,
        corrected=True,
        static_only=True,
        aliases=("tt",),
        weighted=True,
        surveys=True,
    )

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse a single fold."""
        need_folds(self, design)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the winner's score less its estimated bias."""
        pi, metric = call.pi, call.metric
        everything = fold_scores(pi, metric, n_jobs=call.n_jobs)
        scores = keep_defined_folds(everything)[:, 0]  # (F, C)
        best, naive, means = judge_winner(pi, metric, MeanOfFolds(), everything)
        own_best = metric.sign * np.nanmax(metric.sign * scores, axis=1)  # (F,)
        bias = naive - float(own_best.mean())
        value = naive + bias
        cautions = [*warn_of_undefined_folds(len(everything), len(scores))]
        if metric.scale.clip(value) != value:
            cautions.append(of_limits.value_moved_back(value, metric.title))
        return EstimateParts(
            value=value,
            winner=best,
            scores=means,
            naive=naive,
            cautions=cautions,
            details=TibshiraniDetails(bias, value),
        )
