"""A bootstrap of the winner alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.weights import Weights
from earnest.core.results.interval import DrawnLimits, LimitSource, NormalLimits
from earnest.core.results.specs import Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.remarks import one_repeat_at_a_time, warn_of_undefined_folds
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.inference.resampling.winners import choose_winner, judge_winner, keep_defined_folds
from earnest.kernels.score import fold_repeats, fold_scores, score_selected
from earnest.methods.base import Call, EstimateParts, need_folds, register, selector_of


@register
@dataclass(frozen=True, kw_only=True)
class NaiveBootstrap(ResamplingKnobs):
    """Bootstrap the winner's scores as if it had been fixed in advance.

    **What is estimated.** The winner's performance, as if nobody had selected it. It shows what
    goes wrong without a correction: it is not valid for a tuned model, only for a single
    configuration.

    **What it assumes.** That nothing was selected; over folds, that fold scores are independent.

    **When it fails.** Whenever there was a choice. Over folds the interval is also too narrow with
    few folds.

    Paraschakis et al. 2024, the competitor NB: over folds, with percentile or normal limits.

    Parameters
    ----------
    n_resamples : int
        The number of resamples.
    over : {'folds', 'cases'}, optional
        What is resampled: the winner's fold scores, as published, or the cases; by default folds
        where there are two or more and no resampler is given.
    interval : {'percentile', 'normal'}
        How the limits over folds are computed; 'normal' uses the mean and the standard deviation
        (ddof=0).
    selector : str or Selector, optional
        By default 'mean_of_folds' over folds and 'pooled' over cases.
    undefined : {'redraw', 'drop', 'stratify'}
        Over cases: what to do with a resample on which the metric is undefined.
    resampler : str or Resampler, optional
        Over cases: by default groups if there are any, otherwise cases; 'bayesian' works too.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.methods.winner.naive_bootstrap import NaiveBootstrap
    >>> y = np.tile([0, 1], 50)
    >>> pi = en.Predictions.from_arrays(y, 0.6 * y + np.linspace(0, 1, 100) % 0.37)
    >>> en.estimate(pi, method=NaiveBootstrap(over="cases"), metric="roc_auc", rng=1)
    roc_auc 1.000, 95 % interval [0.982, 1.000] (naive_bootstrap, n=100)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="naive_bootstrap",
        title="Naive bootstrap of the winner",
        short="Bootstrap of the winner",
        short_alone="Bootstrap of its score",
        needs=Evidence.OUT_OF_SAMPLE,
        estimand=Estimand.WINNER_AS_FIXED,
        cites="Paraschakis et al. 2024, the rival NB",
        aliases=("nb",),
        weighted=True,
    )
    over: Literal["folds", "cases"] | None = None
    interval: Literal["percentile", "normal"] = "percentile"
    selector: str | Selector | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        check.one_of_or_none("over", self.over, ["folds", "cases"])
        check.one_of("interval", self.interval, ["percentile", "normal"])
        if self.over == "cases" and self.interval == "normal":
            raise InputError(
                "normal limits need fold scores",
                needs=f"{arg('interval', 'percentile')} over cases",
                got=f"{arg('interval', 'normal')}, {arg('over', 'cases')}",
            )
        if self.over == "folds" and self.resampler is not None:
            raise InputError(
                "a resampler draws cases",
                needs=arg("over", "cases"),
                got=arg("over", "folds"),
            )

    def __call__(self, call: Call) -> EstimateParts:
        """Return the winner's score with an interval that ignores the selection."""
        over = self.over
        if over is None:
            cases = self.resampler is not None or call.pi.n_folds < 2
            over = "cases" if cases and self.interval == "percentile" else "folds"
        return self._folds(call) if over == "folds" else self._cases(call)

    def _folds(self, call: Call) -> EstimateParts:
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, MeanOfFolds())
        need_folds(
            self, pi, least=2, cure=f"Use {arg('over', 'cases')}, or {arg('method', 'bbc')}."
        )
        everything = fold_scores(pi, metric, n_jobs=call.n_jobs)
        if selector.by_fold:
            best, naive, _ = judge_winner(pi, metric, selector, everything)
        else:
            best, naive, _ = choose_winner(pi, metric, selector, n_jobs=call.n_jobs)
        winner_scores = everything[:, :, [best]]  # a fold may be undefined for the winner alone
        usable = ~np.isnan(winner_scores).all(axis=(1, 2))
        scores = keep_defined_folds(winner_scores)[:, 0, 0]  # (F,)
        repeats = fold_repeats(pi)[usable]
        value = float(scores.mean())
        source = self._fold_limits(call, scores, repeats, value)
        source, remarks = with_spread(
            source, pi.select(best), metric, value=value, by_law=False, by_fold=True
        )
        return EstimateParts(
            value=value,
            winner=best,
            naive=naive,
            source=source,
            cautions=[
                *warn_of_undefined_folds(len(everything), len(scores)),
                *one_repeat_at_a_time(pi),
                *remarks,
            ],
            used={"selector": selector, "over": "folds", "undefined": None},
        )

    def _fold_limits(
        self,
        call: Call,
        scores: NDArray[np.float64],
        repeats: NDArray[np.intp],
        value: float,
    ) -> LimitSource:
        tables = [scores[repeats == r] for r in np.unique(repeats)]
        if self.interval == "normal":
            errors = [float(table.std() / np.sqrt(len(table))) for table in tables]
            return NormalLimits(value, float(np.mean(errors)))
        draws = np.empty(self.n_resamples)
        for turn, table in enumerate(tables):
            mine = slice(turn, None, len(tables))
            rng = call.seeds.generator(Purpose.FOLD_BOOTSTRAP, turn)
            picks = rng.integers(0, len(table), (len(draws[mine]), len(table)))
            draws[mine] = table[picks].mean(axis=1)
        return DrawnLimits(draws)

    def _cases(self, call: Call) -> EstimateParts:
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, Pooled())
        best, naive, _ = choose_winner(pi, metric, selector, n_jobs=call.n_jobs)

        def score(weights: Weights) -> NDArray[np.float64]:
            columns = np.full(len(weights), best)
            return score_selected(pi, metric, weights, columns, n_jobs=call.n_jobs)[:, None]

        value = float(score(Weights.ones(pi.n_cases))[0, 0])
        draws = self.resample(score, pi.target, metric, call.seeds, n_jobs=call.n_jobs)
        resampler = self.find_resampler(pi.target)
        source, remarks = with_spread(
            DrawnLimits(draws[:, 0]), pi.select(best), metric, value=value, by_law=False
        )
        return EstimateParts(
            value=value,
            winner=best,
            naive=naive,
            source=source,
            cautions=remarks,
            used={"selector": selector, "over": "cases", "resampler": resampler},
        )
