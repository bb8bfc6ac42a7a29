"""Limits of a winner whose search was guided by halves of the cases, each judged by the other half.

Three numbers decide. In shares a, b and c of the resamples the winner was guided by half 0, by half
1 and by nobody. Its score there is a mean over the cases left out of half 1, of half 0, or of both.
With the variance of the mean over all cases as the unit:

- The value is a mean over all resamples, in which a case of half 0 weighs 2b + c and one of half 1
  2a + c. Its variance is V = ((2a + c)² + (2b + c)²) / 2: 1 where both halves judge alike.
- A draw leaves out a share of 1/e of its cases, so that it varies about the mean of its half by
  (1 - 1/e) / (1/e) = e - 1 times as much as that mean does, which itself varies twice as much as
  that of all cases. The means of the halves differ too, by 1 on each side of that of all. So draws
  vary by D = (e - 1) (2a + 2b + c) + (a + b) - (a - b)².

Without guidance, c = 1, draws vary e - 1 = 1.72 times as much as the value, which is the slack of
their quantiles. Distances from the value are multiplied by the root of (e - 1) V / D, so that this
slack is the same: by .62 where both halves judge alike, by 1 where one half judges alone.

A score that is no mean over cases, such as R² or F1, spreads more on few cases than this says: on
half of what a draw leaves out, its draws are too wide by more than the factor takes away. Its draws
are therefore joined: in each resample the best configuration that half 0 did not guide is judged by
the cases of half 0 that were left out, the best that half 1 did not guide by those of half 1, and
both together are one score. It is of as many cases as without guidance, and varies e - 1 times as
much as a mean over all cases, so that distances are multiplied by the root of V alone. Joined
winners are not those that the value is of, so their draws are moved to it: what is left between
their mean and the value is the effect of the size of the part, as without guidance.

Near the best score the law of the ceiling looks at one configuration. Here it is a crossed one:
for the cases of each half it predicts what the best configuration does that this half did not
guide. So every case judges, as it does for the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import e

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.data.guides import FIXED, Guides
from earnest.core.data.predictions import Configs, Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.interval import DrawnLimits, LimitSource, ScaledLimits
from earnest.inference.limits.contest import Contest
from earnest.inference.resampling.winners import (
    CELLS,
    deal_winners,
    depends_on_size,
    is_guided,
)
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Metric, RankMetric

SLACK = e - 1.0  # variance of draws that leave 1/e of the cases out, to that of the mean over all


@dataclass(frozen=True)
class JudgeShares:
    """In which shares of the resamples the winner was guided by half 0, by half 1 and by nobody.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.guides import Guides
    >>> from earnest.inference.limits.crossed import JudgeShares
    >>> guides = Guides(np.array([0, 1], np.int8), np.array([0, 1, -1], np.int8))
    >>> both = JudgeShares.of(guides, np.array([0, 1, 0, 1]))
    >>> both.variance, round(both.factor, 3)
    (1.0, 0.622)
    >>> first = JudgeShares.of(guides, np.array([0, 0]))
    >>> first.variance, first.factor
    (2.0, 1.0)
    """

    first: float
    second: float
    nobody: float

    @classmethod
    def of(cls, guides: Guides, winners: NDArray[np.intp]) -> JudgeShares:
        """Count the winners (B,) of the resamples, -1 where there is none."""
        codes = guides.guided_by[winners[winners >= 0]]
        if len(codes) == 0:
            return cls(0.0, 0.0, 1.0)
        return cls(*(float(np.mean(codes == code)) for code in (0, 1, FIXED)))

    @property
    def variance(self) -> float:
        """The variance of the value; 1 is that of a mean over all cases."""
        a, b, c = self.first, self.second, self.nobody
        return ((2.0 * b + c) ** 2 + (2.0 * a + c) ** 2) / 2.0

    @property
    def variance_of_draws(self) -> float:
        """The variance of the draws that the value is the mean of."""
        a, b, c = self.first, self.second, self.nobody
        return SLACK * (2.0 * (a + b) + c) + (a + b) - (a - b) ** 2

    @property
    def factor(self) -> float:
        """By what the distances of draws from the value are multiplied."""
        return float(np.sqrt(SLACK * self.variance / self.variance_of_draws))


def find_factor(pi: Predictions, table: NDArray[np.float64]) -> float:
    """Return by what distances of draws are multiplied, from draws and winners (B, 2 or more)."""
    if pi.guides is None or not is_guided(pi):
        return 1.0
    return JudgeShares.of(pi.guides, table[:, 1].astype(np.intp)).factor


Chooser = Callable[[Predictions, Weights], NDArray[np.intp]]  # in-bag winners (b,), -1 for none


@dataclass(frozen=True, eq=False)
class JoinedScores:
    """The scores of crossed winners on all cases that resamples leave out, whoever guided them.

    Each half is judged by what it did not guide: the winner of half 0 is the best in-bag of the
    configurations that half 0 did not guide, and predicts the cases of half 0.

    Parameters
    ----------
    pi, metric
        The predictions and the metric.
    choose : callable
        From some of the configurations and in-bag weights to their winners.
    """

    pi: Predictions
    metric: Metric
    choose: Chooser
    n_jobs: int | None = None

    @classmethod
    def fit(cls, pi: Predictions, metric: Metric) -> bool:
        """Tell whether draws are joined: of a score that is no mean over cases, and no rank."""
        if pi.guides is None or not is_guided(pi) or isinstance(metric, RankMetric):
            return False
        judged = all((pi.guides.guided_by != half).any() for half in (0, 1))
        return judged and depends_on_size(metric, pi.target)

    def __call__(self, inbag: Weights) -> NDArray[np.float64]:
        """Return the scores of some resamples, and the effect of the size of the part: (b, 2).

        The effect is that on winners that the part did not choose: those of another resample, dealt
        at random, on the part, less their score on all cases.
        """
        winners, outside = self._choose_pairs(inbag), inbag.out_of_bag()
        pairs, places = np.unique(winners, axis=0, return_inverse=True)
        places = np.where((winners >= 0).all(axis=1), places.ravel(), -1)
        dealt = deal_winners(places)
        ones = Weights(np.ones((len(pairs), self.pi.n_cases), dtype=np.uint8))
        whole = self._score_pairs(pairs, ones, np.arange(len(pairs)))
        scores, others = (self._score_pairs(pairs, outside, mine) for mine in (places, dealt))
        return np.column_stack([scores, others - np.append(whole, np.nan)[dealt]])

    def _choose_pairs(self, inbag: Weights) -> NDArray[np.intp]:
        """Return the winners (b, 2) of what each half did not guide, -1 where there is none."""
        assert self.pi.guides is not None
        winners = np.empty((len(inbag), 2), dtype=np.intp)
        for half in (0, 1):
            columns = np.flatnonzero(self.pi.guides.guided_by != half)
            best = self.choose(self.pi.select(columns), inbag)
            winners[:, half] = np.where(best < 0, -1, columns[best])
        return winners

    def _score_pairs(
        self, pairs: NDArray[np.intp], weights: Weights, places: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the score of one of the pairs (P, 2) in each resample (b,), NaN for -1."""
        scores = np.full(len(weights), np.nan)
        step = max(1, CELLS // max(1, self.pi.responses[:, 0].size))
        for start in range(0, len(pairs), step):
            rows = np.flatnonzero((places >= start) & (places < start + step))
            joined, left = self._join(pairs[start : start + step]), weights.take(rows)
            scores[rows] = score_selected(
                joined, self.metric, left, places[rows] - start, n_jobs=self.n_jobs
            )
        return scores

    def _join(self, pairs: NDArray[np.intp]) -> Predictions:
        """Return configurations that predict each half as one of a pair (P, 2) does."""
        pi = self.pi
        assert pi.guides is not None
        wide = (slice(None), *(None,) * (pi.responses.ndim - 1))
        first, second = (pi.responses[:, pairs[:, half]] for half in (0, 1))
        responses = np.where((pi.guides.halves == 0)[wide], first, second)
        names = tuple(f"{a} and {b}" for a, b in pairs.tolist())
        return replace(pi, configs=Configs(ids=names), responses=responses, guides=None)


def judge_draws(
    pi: Predictions,
    metric: Metric,
    table: NDArray[np.float64],
    value: float,
    join: Callable[[], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], float]:
    """Return the draws (B,) that limits are read from, and by what their distances are multiplied.

    Parameters
    ----------
    pi, metric
        The predictions and the metric.
    table : ndarray, shape (B, 2 or more)
        The scores of the winners of the resamples, and the winners.
    value : float
        What the limits are of.
    join : callable
        The table of the joined scores of the resamples, where `JoinedScores.fit`.
    """
    if not JoinedScores.fit(pi, metric):
        return table[:, 0], find_factor(pi, table)
    assert pi.guides is not None
    joined = join()
    centre = np.nanmean(joined[:, 0]) - np.nan_to_num(np.nanmean(joined[:, 1]))
    variance = JudgeShares.of(pi.guides, table[:, 1].astype(np.intp)).variance
    return joined[:, 0] + (value - centre), float(np.sqrt(variance))


def limit_by_draws(draws: NDArray[np.float64], value: float, factor: float) -> LimitSource:
    """Return the limits of draws, their distances from the value multiplied by a factor."""
    drawn = DrawnLimits(draws)
    return drawn if factor == 1.0 else ScaledLimits(drawn, value, factor)


def cross_judges(contest: Contest, metric: Metric) -> Contest:
    """Return a contest in which no case judges what it guided; the same where no case guided.

    Its configurations are crossed: the first predicts the cases of each half as the winner does, or
    as the best one does that this half did not guide; the next as the second best do, and so on.
    A metric of ranks compares cases of both halves, so these are ranked within their half.
    """
    pi = contest.pi
    if pi.guides is None or not is_guided(pi):
        return contest
    goodness = np.nan_to_num(metric.sign * contest.scores, nan=-np.inf)
    goodness[contest.winner] = np.inf
    order = np.argsort(-goodness, kind="stable")
    lists = [order[pi.guides.guided_by[order] != half] for half in (0, 1)]
    if min(map(len, lists)) == 0:  # all were guided by one half: the other one judges
        return _keep_cases(contest, metric, pi.guides.judges([contest.winner])[0])
    by_rank = isinstance(metric, RankMetric)
    responses = np.empty(
        (pi.n_cases, max(map(len, lists)), *pi.responses.shape[2:]),
        dtype=np.float64 if by_rank else pi.responses.dtype,
    )
    for half, columns in enumerate(lists):
        cases = np.flatnonzero(pi.guides.halves == half)
        block = pi.responses[np.ix_(cases, np.resize(columns, responses.shape[1]))]
        responses[cases] = _rank_cases(block) if by_rank else block
    winner = pi.configs.ids[contest.winner]
    names = (winner, *(f"{winner}, rival {place}" for place in range(1, responses.shape[1])))
    crossed = replace(pi, configs=Configs(ids=names), responses=responses, guides=None)
    scores = score_table(crossed, metric, Weights.ones(pi.n_cases), n_jobs=contest.n_jobs)[0]
    return replace(contest, pi=crossed, winner=0, scores=scores, inbag=None)


def _keep_cases(contest: Contest, metric: Metric, judges: NDArray[np.bool_]) -> Contest:
    """Return the contest on some of the cases."""
    pi = replace(contest.pi.take(np.flatnonzero(judges)), guides=None)
    scores = score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=contest.n_jobs)[0]
    return replace(contest, pi=pi, scores=scores, inbag=None)


def _rank_cases(block: Numbers) -> NDArray[np.float64]:
    """Return the ranks of cases along the first axis as shares; cases without a number have none.

    Equal numbers share the mean of their ranks.
    """
    flat = np.asarray(block, dtype=np.float64).reshape(len(block), -1)
    ranks = np.full(flat.shape, np.nan)
    for column, numbers in zip(ranks.T, flat.T, strict=True):
        tested = np.flatnonzero(~np.isnan(numbers))
        _, place, counts = np.unique(numbers[tested], return_inverse=True, return_counts=True)
        middle = np.cumsum(counts) - 0.5 * (counts - 1)
        column[tested] = middle[place] / (len(tested) + 1)
    return ranks.reshape(block.shape)
