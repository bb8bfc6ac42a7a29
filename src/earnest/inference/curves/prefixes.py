"""The winner's score, naive and corrected, had the search stopped after its first k configurations.

The naive score of a prefix is that of its best configuration on all cases. The corrected one is
that of the bias correction of `earnest.methods.winner.bbc` on the prefix: in every resample its
in-bag winner is scored by the cases left out. All prefixes have the same resamples, so that one
table of in-bag scores has the winners of them all: those of its running maximum. They change about
as often as the logarithm of the number of configurations, and only those few are scored.

In the mean over all orders, each equally likely, the j-th best of C in-bag wins a prefix of k with
the probability C(C - j, k - 1) / C(C, k), so that the mean needs no order at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.threads import workers
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import Pooled, slack
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import make_interval
from earnest.core.results.interval import Ask, DrawnLimits, LimitSource
from earnest.inference.cases.case_values import score_terms
from earnest.inference.curves.corrected import ResampledSelection
from earnest.inference.limits.ceiling import limits_near_best
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.crossed import (
    JoinedScores,
    cross_judges,
    find_factor,
    judge_draws,
    limit_by_draws,
)
from earnest.inference.limits.near_winner import (
    find_tighter_law,
    finish_limits,
    is_tighter_shown,
)
from earnest.inference.limits.no_spread import with_spread
from earnest.inference.limits.skewness import is_loss_of_numbers
from earnest.inference.resampling.resampled import ROUNDS
from earnest.inference.resampling.winners import (
    CELLS,
    WinnerScores,
    choose_winners,
    deal_winners,
    depends_on_size,
    is_guided,
    keep_judges,
    mean_left_out,
)
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Array, Metric
from earnest.resampling.bootstrap import Resampler, UndefinedRule, batches, out_of_bag_rule

Places = NDArray[np.intp]
COLUMNS = 256  # prefixes whose draws are held at a time
MARKS = 12  # prefixes that have limits
POOLED = Pooled()


class Order(StrEnum):
    """In which order the configurations are taken."""

    TRIED = "tried"
    MEAN = "mean"


@dataclass(frozen=True, eq=False)
class PrefixScores:
    """What a search would have reported after k configurations, and what its winner is worth.

    Scores are NaN where the metric is undefined for every configuration of a prefix.

    Attributes
    ----------
    naive : ndarray, shape (C,)
        The score of the best of the first k on all cases.
    corrected : ndarray, shape (C,)
        The corrected score of the winner among the first k.
    marks : ndarray of int, shape (M,)
        The prefixes that have limits, including the first and the last.
    low, high : ndarray, shape (M,)
        The limits of the corrected score at each mark for itself. In the order tried they are
        those of the estimate of that prefix.
    ahead : ndarray, shape (B,)
        What the winner of all configurations has more than the start on the cases that a resample
        leaves out: than the first configuration with a score, or than the mean of them all. In the
        metric's own units.
    wins : ndarray, shape (C,)
        How often each configuration won among all, as a share.
    luck : float
        The error of the last corrected score that is due to the number of resamples.
    resampler : Resampler
        What drew the resamples.
    factor : float
        By what distances of draws from their value are multiplied, where halves judge.
    """

    naive: Array
    corrected: Array
    marks: Places
    low: Array
    high: Array
    ahead: Array
    wins: Array
    luck: float
    resampler: Resampler
    factor: float = 1.0


def score_prefixes(
    pi: Predictions,
    metric: Metric,
    selection: ResampledSelection,
    *,
    order: Order = Order.TRIED,
    ask: Ask | None = None,
    marks: Sequence[int] | None = None,
    n_jobs: int | None = None,
) -> PrefixScores:
    """Return the scores of the winner of every prefix of the configurations.

    Parameters
    ----------
    pi : Predictions
        Complete predictions, the configurations in the order in which they were tried.
    metric : Metric
        What is measured.
    selection : ResampledSelection
        How the resamples are drawn; the best pooled score wins.
    order : {'tried', 'mean'}
        Whether the prefixes are those of this order, or the mean of those of all orders.
    ask : Ask, optional
        The level and the side of the limits, 95 % on two sides by default.
    marks : sequence of int, optional
        The prefixes that have limits, in rising order; by default those of `mark_prefixes`.
    n_jobs : int, optional
        The number of threads; never changes the result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.inference.curves.corrected import ResampledSelection
    >>> from earnest.inference.curves.prefixes import score_prefixes
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> scores = score_prefixes(pi, en.metric("roc_auc"), ResampledSelection(Seeds(7)))
    >>> print(scores.naive[[0, 4, 19]].round(2), scores.corrected[[0, 4, 19]].round(2))
    [0.79 0.79 0.8 ] [0.79 0.74 0.71]
    """
    question = Ask() if ask is None else ask
    resampler = selection.find_resampler(pi.target)
    job = _Job(pi, metric, selection, resampler, n_jobs)
    whole = score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=n_jobs)  # (1, C)
    make = _score_in_order if order is Order.TRIED else _score_over_orders
    at = mark_prefixes(pi.n_configs) if marks is None else np.array(marks, dtype=np.intp)
    return make(job, whole, question, at)


@dataclass(frozen=True, eq=False)
class Changes:
    """Where the winner changes as configurations are added: the rows are resamples, in order.

    Attributes
    ----------
    rows, starts, configs : ndarray of int, shape (E,)
        From the prefix `starts` + 1 on, `configs` is the winner of resample `rows`.
    """

    rows: Places
    starts: Places
    configs: Places

    def expand(self, resamples: int, columns: int) -> NDArray[np.int32]:
        """Return which change holds for each resample and prefix (B, C), -1 for none."""
        index = np.full((resamples, columns), -1, dtype=np.int32)
        index[self.rows, self.starts] = np.arange(len(self.rows), dtype=np.int32)
        return np.asarray(np.maximum.accumulate(index, axis=1))

    def name(self, index: NDArray[np.int32]) -> Places:
        """Return the winner of each place of `expand`, -1 where there is none."""
        return np.asarray(np.append(self.configs, -1)[index])


def find_changes(gains: Array, *, has_unit: bool) -> Changes:
    """Return the winners of all prefixes of gains (B, C), as `first_best` finds them in each.

    The winner is the first that is tied with the best, so that it changes only where a new best
    one comes. That one wins, unless the best before is still tied with it.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.prefixes import find_changes
    >>> changes = find_changes(np.array([[0.5, 0.4, 0.7], [np.nan, 0.2, 0.2]]), has_unit=True)
    >>> changes.expand(2, 3)
    array([[ 0,  0,  1],
           [-1,  2,  2]], dtype=int32)
    >>> changes.configs
    array([0, 2, 1])
    """
    filled = np.where(np.isnan(gains), -np.inf, gains)
    best = np.maximum.accumulate(filled, axis=1)
    earlier = np.concatenate([np.full((len(best), 1), -np.inf), best[:, :-1]], axis=1)
    rows, starts = np.nonzero(filled > earlier)
    top, before = best[rows, starts], earlier[rows, starts]
    configs = starts.copy()
    doubtful = np.flatnonzero(_are_tied(before, top, has_unit))
    for some in np.array_split(doubtful, max(1, len(doubtful) * gains.shape[1] // CELLS)):
        tied = _are_tied(filled[rows[some]], top[some, None], has_unit)
        configs[some] = np.argmax(tied, axis=1)
    first = np.diff(rows, prepend=-1) > 0
    moved = first | (np.diff(configs, prepend=-1) != 0)
    return Changes(rows[moved], starts[moved], configs[moved])


def _are_tied(gains: Array, best: Array, has_unit: bool) -> NDArray[np.bool_]:
    """Tell which gains count as the best, in units of the best where they have no unit."""
    size = np.abs(best)
    scale = np.where(has_unit | (size == 0) | ~np.isfinite(size), 1.0, size)
    return np.asarray(gains / scale >= best / scale - slack(best / scale))


@dataclass(eq=False)
class _Job:
    """One question: the resamples, who wins in them, and how winners are scored."""

    pi: Predictions
    metric: Metric
    selection: ResampledSelection
    resampler: Resampler
    n_jobs: int | None
    _again: dict[int, tuple[Weights, Changes]] = field(default_factory=dict)
    _contest: Contest | None = None

    def draw(self, count: int, stream: int = 0) -> Iterator[Weights]:
        """Yield the resamples of a stream, those of an estimate of all configurations."""
        selection, pi = self.selection, self.pi
        undefined = UndefinedRule(selection.undefined)
        accept = out_of_bag_rule(self.metric, pi.target, undefined)
        return batches(
            self.resampler,
            pi.target,
            count,
            selection.seeds,
            accept=accept,
            columns=pi.n_configs,
            stream=stream,
            n_jobs=workers(self.n_jobs),
        )

    def tabulate(self, weights: Weights) -> Array:
        """Return the scores of all configurations (b, C)."""
        return score_table(self.pi, self.metric, weights, n_jobs=self.n_jobs)

    def find_changes(self, scores: Array) -> Changes:
        """Return the winners of all prefixes by scores (b, C)."""
        return find_changes(self.metric.sign * scores, has_unit=self.metric.has_unit)

    def score_cells(self, weights: Weights, rows: Places, configs: Places) -> Array:
        """Return the scores (E,) of single configurations in single resamples."""
        out = np.empty(len(rows))
        step = max(1, CELLS // self.pi.n_cases)
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            mine = weights.take(rows[some])
            mine = keep_judges(self.pi, mine, configs[some])
            out[some] = score_selected(
                self.pi, self.metric, mine, configs[some], n_jobs=self.n_jobs
            )
        return out

    def limits_of(
        self,
        table: Array,
        value: float,
        scores: Array,
        prefix: int,
        naive: Changes,
        winners: Places,
    ) -> LimitSource:
        """Return the limits of a prefix as its estimate has them: wider near the best score."""
        pi, metric = self.pi, self.metric
        draws, factor = judge_draws(
            pi.select(range(prefix)), metric, table, value, lambda: self.join_draws(prefix)
        )
        source = limit_by_draws(draws, value, factor)
        if winners[prefix - 1] < 0:
            return source
        best = int(naive.configs[winners[prefix - 1]])
        alone = pi.select(best)
        crossed: Contest | None = None
        if is_guided(pi.select(range(prefix))):
            crossed = cross_judges(self._find_contest(scores).select_first(prefix, best), metric)
            alone = crossed.pi.select(crossed.winner)
        near: LimitSource = source
        if (
            not source.has_width
            or is_loss_of_numbers(metric)
            or limits_near_best(alone, metric, value) is not None
        ):
            contest = crossed or self._find_contest(scores).select_first(prefix, best)
            near = with_spread(source, alone, metric, value=value, contest=contest)[0]
        redraws, law = self.selection.undefined == UndefinedRule.REDRAW, None
        if source.has_width and redraws and is_tighter_shown(pi, metric):
            contest = crossed or self._find_contest(scores).select_first(prefix, best)
            law = find_tighter_law(contest, metric, contest.pi, value)
        return finish_limits(
            near,
            metric,
            value=value,
            alone=alone,
            draws=value + factor * (draws - value) if depends_on_size(metric, pi.target) else None,
            law=law,
        )[0]

    def join_draws(self, prefix: int) -> Array:
        """Return the table of scores of a prefix that both halves judge, on the same resamples."""

        def choose(some: Predictions, inbag: Weights) -> Places:
            return choose_winners(some, self.metric, inbag, POOLED, n_jobs=self.n_jobs)

        scorer = JoinedScores(self.pi.select(range(prefix)), self.metric, choose, self.n_jobs)
        return np.concatenate([scorer(inbag) for inbag in self.draw(self.selection.n_resamples)])

    def _find_contest(self, scores: Array) -> Contest:
        """Return the contest of all configurations; its table is scored once for all prefixes."""
        if self._contest is None:
            seeds, winner = self.selection.seeds, int(np.nanargmax(self.metric.sign * scores))
            contest = Contest.of(self.pi, winner, scores, POOLED, seeds, n_jobs=self.n_jobs)
            self._contest = contest.with_table(self.metric)
        return self._contest

    def redraw(self, bad: Places, prefix: int) -> Array | None:
        """Return the table (len(bad), k) of a prefix where its draws are undefined.

        None where the estimate of the prefix would keep them as they are.
        """
        if self.selection.undefined != UndefinedRule.REDRAW:
            return None
        table, left = np.empty((0, 0)), np.arange(len(bad))
        for stream in range(1, ROUNDS + 1):
            inbag, changes = self._redrawn(stream, len(left))
            index = changes.expand(len(inbag), self.pi.n_configs)[: len(left), prefix]
            best = changes.name(index)
            some = inbag.take(slice(len(left)))
            scores = self.score_winners(some, best)
            if len(table) == 0:
                table = scores
            else:
                table[left] = scores
            left = np.flatnonzero(np.isnan(table[:, 0]))
            if len(left) == 0:
                break
        return table

    def _redrawn(self, stream: int, count: int) -> tuple[Weights, Changes]:
        drawn = self._again.get(stream)
        if drawn is None or len(drawn[0]) < count:
            parts = list(self.draw(min(2 * count, self.selection.n_resamples), stream))
            inbag = replace(parts[0], values=np.concatenate([batch.values for batch in parts]))
            drawn = self._again[stream] = inbag, self.find_changes(self.tabulate(inbag))
        return drawn

    def score_winners(self, inbag: Weights, best: Places) -> Array:
        """Return the table (b, 2) or (b, 4) of given winners, as an estimate makes it."""
        scorer = WinnerScores(self.pi, self.metric, self.resampler, lambda _: best, self.n_jobs)
        return scorer(inbag)


def _score_in_order(job: _Job, whole: Array, ask: Ask, marks: Places) -> PrefixScores:
    """Return the scores of the prefixes of the order in which configurations stand."""
    pi, metric, configs = job.pi, job.metric, job.pi.n_configs
    naive = job.find_changes(whole)
    places = naive.expand(1, configs)[0]
    size_matters = depends_on_size(metric, pi.target)
    parts = [
        _score_batch(job, inbag, size_matters=size_matters)
        for inbag in job.draw(job.selection.n_resamples)
    ]
    corrected = np.full(configs, np.nan)
    low, high = (np.full(len(marks), np.nan) for _ in range(2))
    scorer = WinnerScores(pi, metric, job.resampler, lambda _: places, job.n_jobs)
    first = last = np.empty((0, 2))
    for start in range(0, configs, COLUMNS):
        stop = min(start + COLUMNS, configs)
        tables = np.concatenate([batch.tabulate(start, stop) for batch in parts], axis=1)
        for k in range(start, stop):
            table = tables[k - start]
            bad = np.flatnonzero(np.isnan(table[:, 0]))
            again = job.redraw(bad, k) if len(bad) else None
            if again is not None:
                table[bad] = again[:, : table.shape[1]]
            last = table
            if not np.isnan(table[:, 0]).all():
                first = table if len(first) == 0 else first
                value = scorer.corrected(table)
                if k == 0 and np.isfinite(whole[0, 0]) and not is_guided(pi.select(0)):
                    value = float(whole[0, 0])  # nothing was selected, as `bbc` has it
                corrected[k] = metric.scale.clip(value)
                for mark in np.flatnonzero(marks == k + 1):
                    source = job.limits_of(table, corrected[k], whole[0], k + 1, naive, places)
                    low[mark], high[mark] = _read_limits(source, corrected[k], metric, ask)
    winners = last[:, 1].astype(np.intp)
    return PrefixScores(
        naive=np.append(whole[0], np.nan)[naive.name(places)],
        corrected=corrected,
        marks=marks,
        low=low,
        high=high,
        ahead=_free_draws(last) - _free_draws(first if len(first) else last),
        luck=_measure_luck(_free_draws(last)),
        wins=np.bincount(winners[winners >= 0], minlength=configs) / max(1, (winners >= 0).sum()),
        resampler=job.resampler,
        factor=find_factor(pi, last),
    )


def _free_draws(table: Array) -> Array:
    """Return what each resample adds to the corrected score."""
    return table[:, 0] if table.shape[1] == 2 else table[:, 2] - np.nan_to_num(table[:, 3])


def mark_prefixes(configs: int) -> Places:
    """Return the prefixes at which a curve is marked: all of a few, else evenly on a log scale.

    Examples
    --------
    >>> from earnest.inference.curves.prefixes import mark_prefixes
    >>> mark_prefixes(4), mark_prefixes(143)
    (array([1, 2, 3, 4]), array([  1,   2,   3,   5,   8,  12,  18,  27,  41,  63,  95, 143]))
    """
    if configs <= MARKS:
        return np.arange(1, configs + 1)
    spread = (np.geomspace(1, configs, count) for count in range(MARKS, 2 * MARKS))
    marks = (np.unique(np.rint(places).astype(np.intp)) for places in spread)
    return next(prefixes for prefixes in marks if len(prefixes) >= MARKS)


def _read_limits(
    source: LimitSource, value: float, metric: Metric, ask: Ask
) -> tuple[float, float]:
    """Return the limits of a source, which hold the value as those of an estimate do."""
    interval = make_interval(source, ask, metric.scale).reaching(value)
    return interval.low, interval.high


@dataclass(frozen=True, eq=False)
class _Batch:
    """The scored winners of all prefixes in some resamples.

    `draws`, `own` and `off` are the columns of the table of `WinnerScores`, one number per change;
    `off` is that of the resample that a winner is dealt to.
    """

    place: NDArray[np.int32]  # (b, C)
    changes: Changes
    draws: Array
    own: tuple[Array, Array] | None = None  # by terms, and by scores
    off: tuple[Array, Array] | None = None
    curved: NDArray[np.bool_] | None = None  # (C,): configurations whose terms are not finite

    def tabulate(self, start: int, stop: int) -> Array:
        """Return the tables (k, b, 2) or (k, b, 4) of some prefixes."""
        index = self.place[:, start:stop]
        best = self.changes.name(index)
        draws = np.append(self.draws, np.nan)[index]
        columns = [draws, best.astype(np.float64)]
        if self.own is not None and self.off is not None and self.curved is not None:
            dealt = deal_winners(index)
            by_scores = np.append(self.curved, False)[best].any(axis=0)  # (k,)
            for kind, at in ((self.own, index), (self.off, dealt)):
                by_terms, scored = (np.append(column, np.nan)[at] for column in kind)
                columns.append(np.where(by_scores, scored, by_terms))
            columns[2] = np.where(np.isnan(draws), np.nan, columns[2])
        return np.stack(columns, axis=-1).transpose(1, 0, 2)


def _score_batch(job: _Job, inbag: Weights, *, size_matters: bool) -> _Batch:
    """Find and score the winners of all prefixes in some resamples."""
    pi = job.pi
    changes = job.find_changes(job.tabulate(inbag))
    index = changes.expand(len(inbag), pi.n_configs)
    outside, rows, configs = inbag.out_of_bag(), changes.rows, changes.configs
    draws = job.score_cells(outside, rows, configs)
    if not size_matters:
        return _Batch(index, changes, draws)
    curved = np.ones(pi.n_configs, dtype=bool)
    if len(rows) == 0:
        return _Batch(index, changes, draws, (draws, draws), (draws, draws), curved)
    following = np.empty(len(inbag), dtype=np.intp)
    following[deal_winners(np.arange(len(inbag)))] = np.arange(len(inbag))
    next_rows = following[rows]
    winners, spot = np.unique(configs, return_inverse=True)
    ones = Weights(np.ones((len(winners), pi.n_cases), dtype=np.uint8))
    ones = keep_judges(pi, ones, winners)
    alone = score_selected(pi, job.metric, ones, winners, n_jobs=job.n_jobs)[spot]
    off_scores = job.score_cells(outside, next_rows, configs) - alone
    measured = score_terms(pi.select(winners), job.metric)
    if measured is None:
        return _Batch(index, changes, draws, (draws, draws), (off_scores, off_scores), curved)
    whole, terms = measured
    finite = np.isfinite(terms).all(axis=0)
    curved[winners[finite]] = False
    moves = np.ascontiguousarray(np.where(finite, terms - whole, 0.0).T)  # (W, n)
    masses = pi.target.masses
    weighed = {"masses": masses, "factors": outside.factors}
    if is_guided(pi):  # each entry has its own judges
        own_left, off_left = (
            keep_judges(pi, outside.take(each), configs).values for each in (rows, next_rows)
        )
        every, among = np.arange(len(rows)), np.arange(len(winners))
        unseen = mean_left_out(moves, ones.values, among, among, masses=masses)[spot]
        own_terms = mean_left_out(moves, own_left, every, spot, **weighed) + whole[spot]
        off_terms = mean_left_out(moves, off_left, every, spot, **weighed) - unseen
    else:
        own_terms = mean_left_out(moves, outside.values, rows, spot, **weighed) + whole[spot]
        off_terms = mean_left_out(moves, outside.values, next_rows, spot, **weighed)
    return _Batch(index, changes, draws, (own_terms, draws), (off_terms, off_scores), curved)


def order_chances(configs: int, prefixes: range | None = None) -> Array:
    """Return the chance that the j-th best of all is the best of k drawn ones: (k, C).

    C(C - j, k - 1) / C(C, k), from k / C for the best by the ratio of one to the next.

    Examples
    --------
    >>> from earnest.inference.curves.prefixes import order_chances
    >>> order_chances(3).round(2)
    array([[0.33, 0.33, 0.33],
           [0.67, 0.33, 0.  ],
           [1.  , 0.  , 0.  ]])
    """
    k = np.array(range(1, configs + 1) if prefixes is None else prefixes, dtype=np.float64)
    j = np.arange(1, configs, dtype=np.float64)
    ratios = np.maximum(configs - j - k[:, None] + 1, 0.0) / (configs - j)
    return np.cumprod(np.concatenate([k[:, None] / configs, ratios], axis=1), axis=1)


@dataclass(frozen=True, eq=False)
class _Ranking:
    """The configurations of each resample from the best to the worst, and who is tied.

    `groups` (b * C,) are the starts of runs of tied ranks in the flat table.
    """

    order: Places  # (b, C)
    groups: Places
    defined: NDArray[np.bool_]  # (b, C), by rank

    @classmethod
    def of(cls, gains: Array, *, has_unit: bool) -> _Ranking:
        """Rank gains (b, C); undefined ones come last."""
        filled = np.where(np.isnan(gains), -np.inf, gains)
        order = np.argsort(-filled, axis=1, kind="stable")
        ranked = np.take_along_axis(filled, order, axis=1)
        starts = np.ones(ranked.shape, dtype=bool)
        starts[:, 1:] = ~_are_tied(ranked[:, 1:], ranked[:, :-1], has_unit)
        return cls(order, np.flatnonzero(starts), np.isfinite(ranked))

    def dealt(self) -> _Ranking:
        """Return the ranking that each resample is dealt: that of the one before it."""
        starts = np.zeros(self.order.size, dtype=bool)
        starts[self.groups] = True
        moved = deal_winners(starts.reshape(self.order.shape))
        return _Ranking(deal_winners(self.order), np.flatnonzero(moved), deal_winners(self.defined))

    def rank(self, table: Array) -> tuple[Array, Array]:
        """Return values (b, C) by rank, and which count (0 or 1, between the two where tied).

        Of tied configurations the first in the order wins, so that each is as likely as another.
        """
        values = np.take_along_axis(table, self.order, axis=1)
        counts = (self.defined & ~np.isnan(values)).astype(np.float64)
        return self._share(np.where(counts > 0, values, 0.0)), self._share(counts)

    def _share(self, values: Array) -> Array:
        sizes = np.diff(np.append(self.groups, values.size))
        means = np.add.reduceat(values.ravel(), self.groups) / sizes
        return np.repeat(means, sizes).reshape(values.shape)


def _score_over_orders(job: _Job, whole: Array, ask: Ask, marks: Places) -> PrefixScores:
    """Return the mean over all orders of the scores of prefixes.

    What is undefined is left out of the mean; nothing is drawn again.
    """
    pi, metric, configs = job.pi, job.metric, job.pi.n_configs
    size_matters = depends_on_size(metric, pi.target)
    naive = _Ranking.of(metric.sign * whole, has_unit=metric.has_unit).rank(whole)
    measured = score_terms(pi, metric) if size_matters else None
    terms = measured if measured is not None and np.isfinite(measured[1]).all() else None
    ranked: list[list[Array]] = []
    wins = np.zeros(configs)
    for inbag in job.draw(job.selection.n_resamples):
        ranking = _Ranking.of(metric.sign * job.tabulate(inbag), has_unit=metric.has_unit)
        outside = inbag.out_of_bag()
        draws = job.tabulate(outside)
        columns = list(ranking.rank(draws))
        if size_matters:
            masses = job.pi.target.masses
            off = draws - whole if terms is None else _average_moves(terms, outside, masses)
            corrected_draws = off + terms[0] if terms is not None else draws
            corrected_draws = np.where(np.isnan(draws), np.nan, corrected_draws)
            columns += [ranking.rank(corrected_draws)[0], *ranking.dealt().rank(off)]
        ranked.append(columns)
        first = np.zeros(draws.shape)
        first[:, 0] = ranking.defined[:, 0]
        np.add.at(wins, ranking.order, ranking._share(first))
    parts = [np.concatenate(column) for column in zip(*ranked, strict=True)]
    corrected, own_naive = (np.full(configs, np.nan) for _ in range(2))
    for start in range(0, configs, COLUMNS):
        some = slice(start, min(start + COLUMNS, configs))
        chances = order_chances(configs, range(some.start + 1, some.stop + 1)).T  # (C, k)
        own_naive[some] = _divide(naive[0] @ chances, naive[1] @ chances)[0]
        sums = [sums_of_draws.sum(axis=0) @ chances for sums_of_draws in parts]  # (k,)
        value = _divide(sums[2 if size_matters else 0], sums[1])
        if size_matters:
            value -= np.nan_to_num(_divide(sums[3], sums[4]))
        corrected[some] = np.clip(value, *metric.scale.limits)
    if np.isfinite(own_naive[0]):
        corrected[0] = own_naive[0]  # nothing was selected, as `bbc` has it
    places = [1, *marks, configs]
    chances = np.concatenate([order_chances(configs, range(k, k + 1)) for k in places]).T
    at_marks = [sums_of_draws @ chances for sums_of_draws in parts]  # (B, M + 2)
    draws = _divide(at_marks[0], at_marks[1])
    free = draws
    if size_matters:
        free = _divide(at_marks[2], at_marks[1]) - np.nan_to_num(_divide(at_marks[3], at_marks[4]))
    limits = [
        _read_limits(DrawnLimits(draws[:, mark]), float(corrected[k - 1]), metric, ask)
        for mark, k in enumerate(marks, start=1)
    ]
    return PrefixScores(
        naive=own_naive,
        corrected=corrected,
        marks=marks,
        low=np.array([low for low, _ in limits]),
        high=np.array([high for _, high in limits]),
        ahead=free[:, -1] - free[:, 0],
        luck=_measure_luck(free[:, -1]),
        wins=wins / max(wins.sum(), 1e-300),
        resampler=job.resampler,
    )


def _measure_luck(draws: Array) -> float:
    """Return the error that a mean over draws has by their finite number alone."""
    defined = draws[~np.isnan(draws)]
    return float(np.std(defined, ddof=1) / np.sqrt(len(defined))) if len(defined) > 1 else 0.0


def _divide(sums: Array, counts: Array) -> Array:
    """Return means, NaN where nothing counts."""
    return np.asarray(np.where(counts > 0, sums, np.nan) / np.maximum(counts, 1e-300))


def _average_moves(terms: tuple[Array, Array], outside: Weights, masses: Array | None) -> Array:
    """Return the mean over the cases left out of what every configuration moves by: (b, C)."""
    left = outside.values.astype(np.float64)
    if outside.factors is not None:
        left *= outside.factors
    whole = np.maximum(left.sum(axis=1), 1.0) if masses is None else left @ masses
    return np.asarray(left @ (terms[1] - terms[0]) / whole[:, None])
