"""Who wins, by the same selector in-bag and on the sample itself, and the corrected score.

The corrected score does not depend on the size of the part left out, a third of the cases. A mean
over cases or an AUC has the same expectation on a part as on the whole. R², F1, a root or a
precision does not, and this has nothing to do with the selection. So such a score uses its linear
terms on that part, or else we subtract the effect of the part on configurations that it did not
choose.

It is a leave-one-out bootstrap in which training is the selection. For its standard error the
scores of the configurations are drawn from their normal distribution, and each draw is corrected
like the sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import (
    OneStandardError,
    Pooled,
    Selector,
    first_best,
    in_units_of_the_best,
)
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import ScoreErrors
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import score_terms
from earnest.inference.left_out.leave_one_out import count_sums, leave_one_out, unit_counts
from earnest.kernels.contest import RoughScores, can_contest, contest
from earnest.kernels.score import SPREAD, fold_repeats, fold_scores, score_selected, score_table
from earnest.metrics.families import Array, Metric
from earnest.metrics.responding import need_order
from earnest.resampling.bootstrap import BLOCK, Resampler, StratifiedBootstrap
from earnest.resampling.survey import SurveyBootstrap, weigh_counts

TINY = 1e-9  # in place of 0, for a fold of which no case was drawn
FOLD_CELLS = 1 << 23  # scores of single folds held at a time


def choose_winners(
    pi: Predictions,
    metric: Metric,
    weights: Weights,
    selector: Selector,
    *,
    n_jobs: int | None = None,
    keep: Callable[[NDArray[np.float64] | RoughScores | None], None] | None = None,
) -> NDArray[np.intp]:
    """Return the winner of every resample (B,), -1 where no configuration has a defined score.

    `keep` gets the scores (B, C) where all of them are computed on the way, if only roughly.
    """
    need_order(metric, pi.n_configs)
    here = SPREAD.get() is None  # on a cluster all scores cost less than a few of them here
    if here and type(selector) is Pooled and can_contest(pi, metric, weights):  # no subclass
        best = contest(pi, metric, weights, n_jobs=n_jobs, keep=keep)
        if best is not None:
            return best
    order = pi.configs.simplicity_order()
    if not selector.by_fold:
        scores = score_table(pi, metric, weights, n_jobs=n_jobs)  # (B, C)
        if keep is not None:
            keep(scores)
        return selector(gains_of(metric, scores[None]), order)
    if not metric.pointwise:
        raise MetricError(
            f"selector {selector.name!r} does not work for {metric.name!r} on resampled cases",
            needs="a metric that is a mean over cases (a resampled fold can lose a class)",
            got=metric.name,
            cure=f"Use {arg('selector', 'pooled')}, or {arg('method', 'bbc_fold')}.",
        )
    step = max(1, FOLD_CELLS // (len(fold_repeats(pi)) * pi.n_configs))
    parts = [weights.take(slice(b, b + step)) for b in range(0, len(weights), step)]
    chosen = []
    for block in parts:
        gains = gains_of(metric, fold_scores(pi, metric, block, n_jobs=n_jobs))
        if type(selector) is OneStandardError:  # a subclass has its own rule
            chosen.append(selector(gains, order, fold_inflation(pi, block)))
        else:
            chosen.append(selector(gains, order))
    return np.concatenate(chosen)


def fold_inflation(pi: Predictions, weights: Weights) -> NDArray[np.float64]:
    """Return how many times the variance of a fold's mean is as large in a resample: (F, B).

    A mean under counts w varies as one of (sum w)² / sum w² different cases, of which a fold of n
    cases has about n / 2; the spread of folds over one sample is that of n cases each.
    """
    rows = []
    for repeat in range(pi.n_repeats):
        codes = pi.folds[:, repeat]
        for fold in np.flatnonzero(pi.cells[repeat].any(axis=1)):
            counts = weights.values[:, codes == fold].astype(np.float64)
            total, squares = counts.sum(axis=1), np.square(counts).sum(axis=1)
            rows.append(counts.shape[1] * squares / np.maximum(total, 1.0) ** 2)
    return np.asarray(np.maximum(np.stack(rows), TINY))


def gains_of(metric: Metric, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores (F, B, C) as gains: greater is better, scaled so that ties can be found."""
    need_order(metric, scores.shape[2])
    gains = scores if metric.greater_is_better else -scores
    return gains if metric.has_unit else in_units_of_the_best(gains)


def find_best(metric: Metric, values: Array) -> int:
    """Return the first configuration with the best of values (C,), of which one is defined."""
    defined = np.flatnonzero(~np.isnan(values))
    return int(defined[first_best(gains_of(metric, values[None, None, defined])[0])[0]])


def choose_winner(
    pi: Predictions, metric: Metric, selector: Selector, *, n_jobs: int | None = None
) -> tuple[int, float, NDArray[np.float64]]:
    """Return the winner on the sample itself, its score, and all scores (C,) as it was chosen by.

    The score is pooled over cases for a pooled selector, and the mean over the folds in which the
    metric is defined for one that looks at folds.
    """
    return judge_winner(pi, metric, selector, score_sample(pi, metric, selector, n_jobs=n_jobs))


def score_sample(
    pi: Predictions, metric: Metric, selector: Selector, *, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the scores of the sample itself that a selector looks at: (F, 1, C) or (1, 1, C)."""
    if selector.by_fold:
        return fold_scores(pi, metric, n_jobs=n_jobs)
    return score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=n_jobs)[None]


def judge_winner(
    pi: Predictions, metric: Metric, selector: Selector, scores: NDArray[np.float64]
) -> tuple[int, float, NDArray[np.float64]]:
    """Return the winner by scores (F, 1, C) of the sample itself, as `choose_winner` does."""
    scores = keep_defined_folds(scores)
    means = scores.mean(axis=0)[0]
    best = int(selector(gains_of(metric, scores), pi.configs.simplicity_order())[0])
    if best < 0:
        raise EvidenceError(
            f"metric {metric.name!r} is undefined for every configuration",
            needs="a defined score on the original cases",
            cure="Check the predictions, or choose another metric.",
        )
    return best, float(means[best]), means


def keep_defined_folds(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out the folds (F, B, C) in which the metric is undefined for every configuration."""
    defined = np.asarray(~np.isnan(scores).all(axis=(1, 2)))
    if not defined.any():
        if len(scores) == 1:
            raise EvidenceError(
                "the metric is undefined on these cases, for every configuration",
                cure="Check that there are cases of every class and that predictions vary, or "
                "choose another metric.",
            )
        raise EvidenceError(
            "the metric is undefined in every fold, for every configuration",
            needs="at least one fold in which it is defined, such as one with cases of every class",
            cure=f"Use fewer or stratified folds, or {arg('method', 'bbc')}, which scores all "
            "cases together.",
        )
    return scores[defined]


CELLS = 1 << 21  # terms gathered at a time
KEPT = 1 << 22  # counts that an error is read from: the first resamples of an estimate
TERMS = 1 << 21  # terms that errors are read from, those of the most frequent winners
OUTER, INNER = 200, 200  # normal draws of the scores, and of resamples of each
MOVED = 1 << 16  # of these draws at a time, which the cache holds
STEP = 0.6  # of a standard error, by which scores are moved to see how the corrected one follows
BUNDLES = 4096  # units from which a sum of several stands for each
ROUGH = 0.25  # share of an error that too few resamples may leave open

Choose = Callable[[Weights], NDArray[np.intp]]  # resamples (b, n) -> winners (b,)
Dealt = TypeVar("Dealt", bound=NDArray[Any])  # one entry, or one row, a resample


def depends_on_size(metric: Metric, target: Target) -> bool:
    """Tell whether a part of the cases has another expected score than all of them.

    A mean over cases has the same, and so has an AUC, whose pairs are those of the cases of each
    class. A part of groups that differ in size or in their classes is never a small copy of the
    whole.
    """
    if target.groups is None:
        return not (metric.pointwise or metric.area)
    sizes = np.bincount(target.groups)
    return not metric.pointwise or len(np.unique(sizes[sizes > 0])) > 1


@dataclass(eq=False)
class WinnerScores:
    """The scores of in-bag winners on what each resample leaves out, gathered batch by batch.

    It is the statistic that `resampled` asks for; `corrected` then makes one number of them. The
    columns of its table are the out-of-bag score and the winner and, where the metric depends on
    the size of the part, the score without that dependence, and what to subtract.

    Parameters
    ----------
    pi, metric
        The predictions and the metric.
    resampler : Resampler
        What draws the resamples.
    choose : callable
        From in-bag weights (b, n) to winners (b,).
    """

    pi: Predictions
    metric: Metric
    resampler: Resampler
    choose: Choose
    n_jobs: int | None = None
    _counts: list[NDArray[np.uint8]] = field(default_factory=list)
    _tables: list[Array] = field(default_factory=list)

    def __call__(self, inbag: Weights) -> Array:
        """Return the table (b, 2) or (b, 4) of some resamples."""
        best, outside = self.choose(inbag), inbag.out_of_bag()
        judges = keep_judges(self.pi, outside, best)
        draws = score_selected(self.pi, self.metric, judges, best, n_jobs=self.n_jobs)
        columns = [draws, best]
        if depends_on_size(self.metric, self.pi.target):
            columns += self._free_of_size(draws, best, outside)
        table = np.column_stack(columns)
        room = KEPT // self.pi.n_cases - sum(map(len, self._counts))
        if room > 0 or not self._counts:
            self._counts.append(inbag.values[: max(room, 1)])
            self._tables.append(table[: max(room, 1)])
        return table

    def _free_of_size(self, draws: Array, best: NDArray[np.intp], outside: Weights) -> list[Array]:
        """Return the scores of winners, and the bias of those of others, dealt at random.

        Each resample is dealt the winner of another one, which its own cases did not choose. Over
        all resamples the same configurations are dealt as have won, so that a configuration that
        is alone has the same score twice.
        """
        dealt = deal_winners(best)
        winners = np.unique(best[best >= 0])
        scored = score_terms(self.pi.select(winners), self.metric) if len(winners) else None
        ones = Weights(np.ones((len(winners), self.pi.n_cases), dtype=np.uint8))
        ones = keep_judges(self.pi, ones, winners)
        if scored is not None and np.isfinite(scored[1]).all():
            whole, terms = scored
            moves = np.ascontiguousarray((terms - whole).T)  # (W, n)
            unseen = np.zeros(len(winners))
            if is_guided(self.pi):
                places = np.arange(len(winners))
                masses = self.pi.target.masses
                unseen = mean_left_out(moves, ones.values, places, places, masses=masses)
            scores, other = np.full((2, len(best)), np.nan)
            for out, mine, start in ((scores, best, whole), (other, dealt, -unseen)):
                rows = np.flatnonzero(mine >= 0)
                places = np.searchsorted(winners, mine[rows])
                left = keep_judges(self.pi, outside, mine)
                means = mean_left_out(
                    moves,
                    left.values,
                    rows,
                    places,
                    masses=self.pi.target.masses,
                    factors=left.factors,
                )
                out[rows] = means + start[places]
            return [np.where(np.isnan(draws), np.nan, scores), other]
        judges = keep_judges(self.pi, outside, dealt)
        other = score_selected(self.pi, self.metric, judges, dealt, n_jobs=self.n_jobs)
        whole = np.full(self.pi.n_configs + 1, np.nan)  # the last one for -1, who is nobody
        whole[winners] = score_selected(self.pi, self.metric, ones, winners, n_jobs=self.n_jobs)
        return [draws, other - whole[dealt]]

    def corrected(self, table: Array) -> float:
        """Return the corrected score from the table (B, k) of all resamples."""
        if table.shape[1] == 2:
            return float(np.nanmean(table[:, 0]))
        off = table[:, 3][~np.isnan(table[:, 0])]
        taken = float(np.nanmean(off)) if (~np.isnan(off)).any() else 0.0
        return float(np.nanmean(table[:, 2])) - taken

    def errors(
        self,
        table: Array,
        winner: int,
        rng: np.random.Generator,
        *,
        best_wins: bool = True,
        luck: float | None = None,
    ) -> ScoreErrors:
        """Return the standard errors of the corrected score and of its optimism.

        The error of the optimism includes that of the finite number of resamples: the optimism of
        one configuration is not exactly 0.

        Parameters
        ----------
        table : ndarray, shape (B, k)
            That of all resamples.
        winner : int
            The configuration that won on the sample itself.
        rng : Generator
            The source of the normal draws.
        best_wins : bool
            Whether the best score wins. Under another rule the error is that of the influence
            function, which is too large where configurations are about equal.
        luck : float, optional
            The variance that finitely many draws leave in the corrected score; by default that of
            the mean over the resamples.
        """
        counts, tables = np.concatenate(self._counts), np.concatenate(self._tables)
        valid = ~np.isnan(tables[:, 0])
        counts, tables = counts[valid], tables[valid]
        drawn = table[:, 0] if table.shape[1] == 2 else table[:, 2] - table[:, 3]
        drawn = drawn[~np.isnan(drawn)]
        if len(tables) < 2 or len(drawn) < 2:
            return ScoreErrors()
        luck = float(np.var(drawn, ddof=1)) / len(drawn) if luck is None else luck
        best = tables[:, 1].astype(np.intp)
        often, shares = self._frequent(best, winner)
        scored = self._judged_terms(often) if self.metric.has_terms else None
        if scored is None or not np.isfinite(scored[1]).all():
            dealt = tables.shape[1] > 2  # not where terms were expected, and overflow
            return self._errors_of_draws(counts, tables, winner, luck) if dealt else ScoreErrors()
        if best_wins:
            errors = self._limit_errors(scored, np.zeros(self.pi.n_cases), shares, rng)
            return replace(errors, optimism=float(np.hypot(errors.optimism or 0.0, np.sqrt(luck))))
        terms, position = np.ascontiguousarray(scored[1].T), np.searchsorted(often, best)
        among = np.isin(best, often)
        losses, counts = terms[position[among]], counts[among]
        its_terms = terms[np.searchsorted(often, winner)]
        value, gap = (self._variance(mine, counts) for mine in (losses, its_terms - losses))
        return ScoreErrors(value=float(np.sqrt(value)), optimism=float(np.sqrt(gap + luck)))

    def gain_error(self, wins: Array, start: int | None, rng: np.random.Generator) -> float | None:
        """Return the error of the corrected score less a score that no selection made.

        None for a metric that does not say what a case adds to it.

        Parameters
        ----------
        wins : ndarray, shape (C,)
            How often each configuration won, as a share.
        start : int or None
            The configuration with that score; None if it is the mean score of all.
        rng : Generator
            The source of the normal draws.
        """
        most = max(2, TERMS // self.pi.n_cases)
        often = np.sort(np.argsort(-wins, kind="stable")[:most])
        often = often[wins[often] > 0]
        scored = self._judged_terms(often) if len(often) else None
        zero = self._start_terms(start)
        if scored is None or not (np.isfinite(scored[1]).all() and np.isfinite(zero).all()):
            return None
        return self._limit_errors(scored, zero, wins[often] / wins[often].sum(), rng).gain

    def _judged_terms(self, columns: NDArray[np.intp]) -> tuple[Array, Array] | None:
        """Return scores and terms of configurations; guided ones vary with their judges alone."""
        scored = score_terms(self.pi.select(columns), self.metric)
        if scored is None or self.pi.guides is None:
            return scored
        judges = self.pi.guides.judges(columns).T  # (n, W)
        scores, terms = scored
        return scores, scores + (terms - scores) * judges / np.maximum(judges.mean(axis=0), TINY)

    def _start_terms(self, start: int | None) -> Array:
        """Return the terms (n,) of one configuration, or the mean of those of all."""
        pi, metric = self.pi, self.metric
        if start is not None:
            scored = score_terms(pi.select(start), metric)
            return np.full(pi.n_cases, np.nan) if scored is None else scored[1][:, 0]
        total = np.zeros(pi.n_cases)
        step = max(1, CELLS // pi.n_cases)
        for first in range(0, pi.n_configs, step):
            some = range(first, min(first + step, pi.n_configs))
            scored = score_terms(pi.select(some), metric)
            total += np.nan if scored is None else scored[1].sum(axis=1)
        return total / pi.n_configs

    def _limit_errors(
        self, scored: tuple[Array, Array], zero: Array, shares: Array, rng: np.random.Generator
    ) -> ScoreErrors:
        """Return the errors in the limit, from scores (W,), their terms (n, W) and those of 0."""
        sign, (scores, terms) = self.metric.sign, scored
        away = sign * np.column_stack([terms - scores, zero - zero.mean()]) / len(zero)
        target = self.pi.target
        if target.dependence is not None:
            away *= np.sqrt(target.dependence.inflation)
        units = (
            _by_survey_unit(away, target)
            if isinstance(self.resampler, SurveyBootstrap)
            else _by_unit(away, self._strata(), target.groups)
        )
        units = _bundled(units, rng)
        return errors_in_the_limit(units, sign * scores, shares, rng)

    def _frequent(self, best: NDArray[np.intp], winner: int) -> tuple[NDArray[np.intp], Array]:
        """Return who wins most often, as many as there is room for, and their shares of wins."""
        wins = np.bincount(best, minlength=self.pi.n_configs)
        most = max(2, TERMS // self.pi.n_cases)
        order = np.argsort(-wins, kind="stable")[:most]
        often = np.unique(np.append(order[wins[order] > 0], winner))
        return often, wins[often] / wins[often].sum()

    def _strata(self) -> NDArray[np.intp] | None:
        """Return the layers that were drawn apart, None if there are none."""
        if self.pi.target.groups is not None or not isinstance(self.resampler, StratifiedBootstrap):
            return None
        strata = np.empty(self.pi.n_cases, dtype=np.intp)
        for layer, rows in enumerate(self.pi.target.layers):
            strata[rows] = layer
        return strata

    def _variance(self, losses: Array, counts: NDArray[np.uint8]) -> float:
        groups = self.pi.target.groups
        estimate = leave_one_out(losses, counts, strata=self._strata(), groups=groups)
        return max(estimate.variance, 0.0)

    def _errors_of_draws(
        self, counts: NDArray[np.uint8], table: Array, winner: int, luck: float
    ) -> ScoreErrors:
        """Return errors for a metric that has no terms, from how scores go with the counts.

        A case that is drawn does not score, so the covariance of its count with the score of a
        randomly dealt configuration is minus the influence of the case.
        """
        dealt = np.nan_to_num(table[:, 3] - np.nanmean(table[:, 3]))
        left = table[:, 0] - 2.0 * dealt
        columns = np.full(len(counts), winner, dtype=np.intp)
        inbag = weigh_counts(self.resampler, self.pi.target, counts)
        scores = score_selected(self.pi, self.metric, inbag, columns, n_jobs=self.n_jobs)
        units = unit_counts(counts, self.pi.target.groups)
        value = _covariance_error(units, left)
        gap = _covariance_error(units, scores - left)
        together = None if gap is None else float(np.sqrt(gap**2 + luck))
        return ScoreErrors(value=value, optimism=together)


def errors_in_the_limit(
    moves: Array, gains: Array, shares: Array, rng: np.random.Generator
) -> ScoreErrors:
    """Return the errors of a corrected score, of its optimism and of its gain over a constant.

    With many cases the scores m of the configurations are normal about the true ones. In a resample
    they are m + e with e of the same distribution, and what is left out then scores m - e. So the
    corrected score is h(m) = mean over e of (m - e)_J, J being the best of m + e. The error is the
    spread of h(m + t u) / t, with u of that distribution too. Its linear part is known without
    draws.

    With t near 0 that is the influence function, the slope of h at m alone. Where configurations
    are about equal h is bent, the slope changes from sample to sample, and the error comes out by
    a third or more too large; with t = 1 it is by a fifth too small where one leads by a little.

    Parameters
    ----------
    moves : ndarray, shape (units, W + 1)
        What each independent unit adds to the score of each configuration, less its mean, and in
        the last column to that of a constant prediction.
    gains : ndarray, shape (W,)
        The scores, greater is better.
    shares : ndarray, shape (W,)
        How often each configuration won.
    rng : Generator
        The source of the normal draws.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.resampling.winners import errors_in_the_limit
    >>> moves = np.array([[0.1, 0.0], [-0.1, 0.0]])  # one configuration, a constant of 0
    >>> round(errors_in_the_limit(moves, np.ones(1), np.ones(1), np.random.default_rng(0)).value, 4)
    0.1414
    """
    drawn = STEP * rng.standard_normal((OUTER, len(moves))) @ moves
    half = rng.standard_normal((INNER // 2, len(moves))) @ moves[:, :-1]
    apart, zero = gains + drawn[:, :-1], drawn[:, -1]  # (OUTER, W), (OUTER,)
    luck = np.concatenate([half, -half])  # (INNER, W)
    best = np.empty((OUTER, INNER), dtype=np.intp)
    turns = max(1, MOVED // luck.size)
    moved = np.empty((turns, *luck.shape))
    for turn in range(0, OUTER, turns):
        some = slice(turn, min(turn + turns, OUTER))
        sums = np.add(apart[some, None], luck, out=moved[: some.stop - turn])
        np.argmax(sums, axis=2, out=best[some])
    left = np.take_along_axis(apart, best, axis=1) - luck[np.arange(INNER), best]
    value = left.mean(axis=1)
    line, slope = drawn[:, :-1] @ shares, moves[:, :-1] @ shares

    def error(bent: Array, straight: Array, squares: Array) -> float:
        more = float(np.var(bent, ddof=1) - np.var(straight, ddof=1)) / STEP**2
        return float(np.sqrt(max(float(np.square(squares).sum()) + more, 0.0)))

    return ScoreErrors(
        value=error(value, line, slope),
        optimism=float(np.std(apart.max(axis=1) - value, ddof=1)) / STEP,
        gain=error(value - zero, line - zero, slope - moves[:, -1]),
    )


def _by_unit(
    moves: Array, strata: NDArray[np.intp] | None, groups: NDArray[np.int64] | None
) -> Array:
    """Return what each unit adds (units, W): groups add up, strata are centred."""
    if groups is not None:
        order = np.argsort(groups, kind="stable")
        first = np.unique(groups[order], return_index=True)[1]
        return np.asarray(np.add.reduceat(moves[order], first, axis=0))
    if strata is None:
        return moves
    out = moves.copy()
    for layer in np.unique(strata):
        out[strata == layer] -= moves[strata == layer].mean(axis=0)
    return out


def _by_survey_unit(moves: Array, target: Target) -> Array:
    """Return what each primary sampling unit adds, about the mean of its stratum."""
    design = target.design
    sums = np.zeros((int(design.sizes.sum()), moves.shape[1]))
    np.add.at(sums, design.unit, moves)
    for units in design.strata:
        centred = sums[units] - sums[units].mean(axis=0)
        sums[units] = centred * np.sqrt(len(units) / max(len(units) - 1, 1))
    return sums


def _bundled(moves: Array, rng: np.random.Generator) -> Array:
    """Return many units (m, W) as some thousand sums with random signs, which vary as they do."""
    if len(moves) <= BUNDLES:
        return moves
    signed = moves * rng.choice([-1.0, 1.0], len(moves))[:, None]
    parts = np.arange(0, len(moves), BUNDLES)
    out = np.zeros((BUNDLES, moves.shape[1]))
    for start in parts:
        some = signed[start : start + BUNDLES]
        out[: len(some)] += some
    return out


def keep_judges(pi: Predictions, weights: Weights, columns: NDArray[np.intp]) -> Weights:
    """Return weights (b, n) without the cases that guided the configuration of each row."""
    if pi.guides is None or not is_guided(pi):
        return weights
    return replace(weights, values=weights.values * pi.guides.judges(columns))


def is_guided(pi: Predictions) -> bool:
    """Tell whether scores of half of the cases guided a configuration."""
    return pi.guides is not None and pi.guides.guided


def deal_winners(best: Dealt) -> Dealt:
    """Return for each resample (first axis) the winner of the one before it in its block.

    By blocks, which do not depend on how many resamples make a batch.
    """
    blocks = range(0, len(best), BLOCK)
    parts = [np.roll(best[start : start + BLOCK], 1, axis=0) for start in blocks]
    return cast("Dealt", np.concatenate(parts)) if parts else best


def mean_left_out(
    moves: Array,
    outside: NDArray[np.uint8],
    rows: NDArray[np.intp],
    places: NDArray[np.intp],
    *,
    masses: Array | None = None,
    factors: Array | None = None,
) -> Array:
    """Return the mean of moves (W, n) over the cases that resamples leave out: (E,).

    Entry e is about row `places[e]` of the moves in the resample `rows[e]` of the weights (B, n).
    Moves of cases of unlike weight are multiplied by their masses already; `factors` are those of
    the cases left out of a survey.
    """
    out = np.empty(len(rows))
    if factors is not None:
        moves = moves * factors
        masses = factors if masses is None else masses * factors
    if masses is None:
        whole = np.maximum(outside.sum(axis=1), 1)
    else:
        weights = (outside > 0) @ masses
        whole = np.where(weights > 0, weights, np.nan)
    step = max(1, CELLS // max(1, moves.shape[1]))
    for start in range(0, len(rows), step):
        some = slice(start, start + step)
        left = outside[rows[some]] > 0
        out[some] = np.where(left, moves[places[some]], 0.0).sum(axis=1)
    return np.asarray(out / whole[rows])


def _covariance_error(counts: Numbers, scores: Array) -> float | None:
    """Return the root of the summed squares of covariances of counts (B, m) with scores (B,).

    What the finite number of resamples adds is subtracted. None if too little is left.
    """
    valid = ~np.isnan(scores)
    if valid.sum() < 2:
        return None
    centred = (scores[valid] - scores[valid].mean()) / valid.sum()
    moved, noise = count_sums(counts[valid], centred)
    variance = float(np.square(moved).sum()) - noise
    if variance <= 0.0:
        return None
    ratio = noise / variance
    open_share = 0.5 * np.sqrt((2.0 * ratio**2 + 4.0 * ratio) / counts.shape[1])
    return float(np.sqrt(variance)) if open_share < ROUGH else None
