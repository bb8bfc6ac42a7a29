"""Bootstrap bias correction over folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import MOST_RESAMPLES
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.sums import weighted_sums
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Selector, first_best
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import ScoreErrors
from earnest.core.results.interval import DrawnLimits, LimitSource
from earnest.core.results.specs import Estimand, Evidence, MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.fold_scores import limits_of_folds
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.remarks import one_repeat_at_a_time, warn_of_undefined_folds
from earnest.inference.resampling.fold_draws import (
    are_enumerated,
    resample_folds,
    split_by_repeat,
)
from earnest.inference.resampling.winners import errors_in_the_limit, gains_of, judge_winner
from earnest.kernels.score import fold_repeats, fold_scores
from earnest.methods.base import Call, EstimateParts, need_folds, register, selector_of
from earnest.methods.winner.bbc import BBCDetails
from earnest.metrics.families import Metric
from earnest.resampling.folds import enumerable

CELLS = 1 << 22  # fold scores gathered at a time
FEW_FOLDS = 5


@register
@dataclass(frozen=True, kw_only=True)
class BBCFold:
    """BBC over folds (BBC-F): draw folds in place of cases, from the scores of every fold.

    **What is estimated.** As for `bbc`, with selection by the mean of folds.

    **What it assumes.** The fold scores of a configuration behave like independent draws; the
    configurations were fixed in advance. With repeats, each resample draws from the folds of one
    repeat, in turn, because folds of different repeats share their cases.

    Scores of folds are enough, so that it answers for a search whose predictions are lost.

    **When it fails.** With few folds there are few different draws. A fold in which the metric is
    undefined is left out. If the draws are all equal, as on a few separated cases, you get exact
    limits for unseen errors instead, with a caution.

    Paraschakis et al. 2024, algorithm 1: K folds drawn with replacement, redrawn while none is left
    out; with at most six folds all K**K - K! draws are enumerated and nothing is random.

    Parameters
    ----------
    n_resamples : int
        The number of draws where they are not enumerated.
    selector : str or Selector, optional
        A rule that looks at folds; 'mean_of_folds' by default.
    exact : bool, optional
        Whether to enumerate all draws; by default if K**K is at most 50,000.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y, fold = np.tile([0, 1], 50), np.repeat(np.arange(5), 20)
    >>> pi = en.Predictions.from_arrays(y, rng.random((100, 30)), fold)
    >>> en.estimate(pi, method="bbc_fold", metric="roc_auc", side="lower").n_resamples
    3005
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="bbc_fold",
        title="Bootstrap bias correction over folds",
        short="BBC by folds",
        needs=Evidence.OUT_OF_SAMPLE,
        from_fold_scores=True,
        estimand=Estimand.WINNER,
        cites="Paraschakis et al. 2024, algorithm 1",
        min_folds=2,
        corrected=True,
        static_only=True,
        aliases=("bbc_f",),
        weighted=True,
    )
    n_resamples: int = 1000
    selector: str | Selector | None = None
    exact: bool | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_RESAMPLES)
        if self.exact not in (None, True, False):
            raise InputError(
                f"{arg('exact')} is unknown",
                needs="True, False or None",
                got=check.spell(self.exact),
            )

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse a single fold, and rules that do not look at folds."""
        need_folds(self, design)
        selector = selector_of(self.selector, MeanOfFolds())
        if not selector.by_fold:
            raise EvidenceError(
                f"method 'bbc_fold' cannot select by {selector.name!r}",
                needs="selector 'mean_of_folds' or 'one_standard_error'",
                cure=f"Use {arg('method', 'bbc')} for the pooled rule.",
            )

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean score, on the folds left out, of the winner on the folds drawn."""
        pi, metric = call.pi, call.metric
        selector = selector_of(self.selector, MeanOfFolds())
        table = fold_scores(pi, metric, n_jobs=call.n_jobs)
        everything = table[:, 0]  # (F, C)
        usable = np.asarray(~np.isnan(everything).all(axis=1))
        scores, repeats = everything[usable], fold_repeats(pi)[usable]
        tables = split_by_repeat(scores, repeats)
        if not tables:
            raise EvidenceError(
                "fewer than two folds have a defined score",
                needs="two folds of a repeat with every class in them",
                got=f"{int(usable.sum())} of {len(usable)}",
                cure=f"Use {arg('method', 'bbc')}, which pools the folds.",
            )
        drawn = self.draws(tables, selector, metric, pi, call.seeds)  # (B, 2)
        draws, best = drawn[:, 0], drawn[:, 1].astype(np.intp)
        final, naive, means = judge_winner(pi, metric, selector, table)
        value = float(np.nanmean(draws))
        quantiles = DrawnLimits(draws)
        spread = quantiles.has_width
        most = max(len(table) for table in tables)
        source: LimitSource | None
        if call.fold_scores is not None:
            held = [table[:, final] for table in tables]
            source, remarks = limits_of_folds(call.fold_scores, quantiles, held, value)
        else:
            contest = Contest.of(pi, final, means, selector, call.seeds, n_jobs=call.n_jobs)
            alone = pi.select(final)
            source, remarks = with_spread(quantiles, alone, metric, value=value, contest=contest)
            remarks = (*_few_folds(most), *remarks)
        return EstimateParts(
            value=value,
            winner=final,
            scores=means,
            naive=naive,
            source=source,
            cautions=[
                *warn_of_undefined_folds(len(everything), len(scores)),
                *one_repeat_at_a_time(pi),
                *remarks,
            ],
            details=BBCDetails.of(best, pi.n_configs),
            used={"selector": selector, "exact": self._exact(tables)},
            errors=_errors(tables, selector, metric, best, call.seeds) if spread else None,
        )

    def draws(
        self,
        tables: list[NDArray[np.float64]],
        selector: Selector,
        metric: Metric,
        pi: Predictions,
        seeds: Seeds,
    ) -> NDArray[np.float64]:
        """Return the out-of-bag score and the in-bag winner of every resample: (B, 2).

        `tables` are the fold scores (K, C) of each repeat.
        """
        parts = [
            np.repeat(_draws(drawn.scores, selector, metric, pi, drawn.counts), drawn.times, axis=0)
            for drawn in resample_folds(
                tables, seeds, n_resamples=self.n_resamples, exact=self._exact(tables)
            )
        ]
        drawn = np.concatenate(parts)  # repeat after repeat
        if self._exact(tables):
            return drawn
        turns = np.argsort(np.arange(len(drawn)) % len(tables), kind="stable")
        return drawn[np.argsort(turns)]  # in turns, so that more resamples extend fewer

    def _exact(self, tables: list[NDArray[np.float64]]) -> bool:
        folds = max(len(table) for table in tables)
        if self.exact and not enumerable(folds):
            raise EvidenceError(
                "there are too many draws of folds to enumerate",
                needs="at most six folds",
                got=str(folds),
                cure=f"Leave {arg('exact')} out.",
            )
        return are_enumerated(tables) if self.exact is None else self.exact


def _draws(
    scores: NDArray[np.float64],
    selector: Selector,
    metric: Metric,
    pi: Predictions,
    counts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the out-of-bag score and the in-bag winner (b, 2) of draws of folds (b, K)."""
    best = _select(scores, selector, metric, pi, counts)
    left_out = counts == 0
    held = np.ascontiguousarray(scores.T)[best]  # (b, K), sums of rows do not depend on b
    means = np.where(left_out, held, 0.0).sum(axis=1) / left_out.sum(axis=1)
    return np.column_stack([np.where(best < 0, np.nan, means), best])


def _select(
    scores: NDArray[np.float64],
    selector: Selector,
    metric: Metric,
    pi: Predictions,
    counts: NDArray[np.int64],
) -> NDArray[np.intp]:
    if type(selector) is MeanOfFolds:  # the same as below, as one matrix product
        means = weighted_sums(counts, scores) / len(scores)  # (b, C)
        return first_best(gains_of(metric, means[None])[0])
    folds, order = np.arange(len(scores)), pi.configs.simplicity_order()
    bags = np.stack([np.repeat(folds, row) for row in counts])  # (b, K)
    step = max(1, CELLS // scores.size)
    chosen = []
    for start in range(0, len(bags), step):
        drawn = np.moveaxis(scores[bags[start : start + step]], 1, 0)  # (K, b', C)
        chosen.append(selector(gains_of(metric, drawn), order))
    return np.concatenate(chosen)


def _errors(
    tables: list[NDArray[np.float64]],
    selector: Selector,
    metric: Metric,
    best: NDArray[np.intp],
    seeds: Seeds,
) -> ScoreErrors:
    """Return the standard error of the value, folds of a repeat being independent units.

    Folds of different repeats share their cases, so that repeats make it no smaller. So few units
    say too little of the optimism for an interval. None for rules other than the best mean.
    """
    winners, wins = np.unique(best[best >= 0], return_counts=True)
    defined = all(np.isfinite(table[:, winners]).all() for table in tables)
    if type(selector) is not MeanOfFolds or not defined or len(winners) == 0:
        return ScoreErrors()
    squares = []
    for repeat, table in enumerate(tables):
        gains, folds = metric.sign * table[:, winners], len(table)
        away = (gains - gains.mean(axis=0)) / np.sqrt(folds * (folds - 1))
        moves = np.column_stack([away, np.zeros(folds)])
        rng = seeds.generator(Purpose.VALUE_ERROR, repeat)
        errors = errors_in_the_limit(moves, gains.mean(axis=0), wins / wins.sum(), rng)
        squares.append((errors.value or 0.0) ** 2)
    return ScoreErrors(value=float(np.sqrt(np.mean(squares))))


def _few_folds(folds: int) -> Iterator[Caution]:
    if folds < FEW_FOLDS:
        yield of_limits.few_folds(folds)
