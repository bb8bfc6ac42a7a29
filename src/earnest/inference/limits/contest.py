"""What a winner was chosen from: the scores of all configurations in resamples of its cases.

A method that has them on the way keeps the first ones; otherwise they are drawn again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.weights import Weights
from earnest.inference.limits.local_level import StandardisedScores, winner_errors
from earnest.inference.limits.unseen_errors import is_loss_of_chances
from earnest.inference.limits.winner_law import anscombe, in_range
from earnest.inference.resampling.resampled import choose_resampler, resample_statistic
from earnest.kernels.contest import RoughScores
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import UndefinedRule, out_of_bag_rule

RESAMPLES = 500  # from which the rivals of a winner are read
MOST_KEPT = 1 << 22  # scores of these resamples that a method may keep for it
CELLS = 1 << 15  # scores put on another scale at a time, which the cache holds
FEWEST = 40  # of them with a score of every configuration

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Contest:
    """The configurations that one was chosen from, which its limits must allow for.

    Attributes
    ----------
    pi : Predictions
        All configurations.
    winner : int
        The one that was chosen.
    scores : ndarray, shape (C,)
        The scores that it was chosen by.
    seeds : Seeds
        The source of resamples, the same as those that the method itself draws.
    best_wins : bool
        Whether the best score wins; under another rule the level is that of the largest error.
    by_fold : bool
        Whether the scores are means over folds.
    inbag : ndarray, shape (b, C), optional
        The scores of all configurations in the first resamples, where the method has computed
        them on the way; else they are drawn and scored again.
    """

    pi: Predictions
    winner: int
    scores: Array
    seeds: Seeds
    best_wins: bool = True
    by_fold: bool = False
    n_jobs: int | None = None
    inbag: Array | None = None

    @classmethod
    def of(
        cls,
        pi: Predictions,
        winner: int,
        scores: Array,
        selector: Selector,
        seeds: Seeds,
        *,
        n_jobs: int | None = None,
        inbag: Array | None = None,
    ) -> Contest:
        """Make a contest from the rule that chose the winner."""
        best_wins = type(selector) in (Pooled, MeanOfFolds)  # a subclass has its own rule
        by_fold = selector.by_fold
        return cls(pi, winner, scores, seeds, best_wins, by_fold, n_jobs, inbag)

    def select_first(self, count: int, winner: int) -> Contest:
        """Return the contest of the first configurations, whose scores are columns of these."""
        if count == self.pi.n_configs:
            return replace(self, winner=winner)
        table = None if self.inbag is None else self.inbag[:, :count]
        first = self.pi.select(range(count))
        return replace(self, pi=first, winner=winner, scores=self.scores[:count], inbag=table)

    def with_table(self, metric: Metric) -> Contest:
        """Return the same contest with its table, if that is not too large to keep."""
        few = RESAMPLES * self.pi.n_configs <= MOST_KEPT
        return replace(self, inbag=self.table(metric)) if few else self

    def table(self, metric: Metric) -> Array:
        """Return the scores of all configurations in the first resamples: (b, C)."""
        table = self.inbag
        if table is None or len(table) < RESAMPLES:
            table = _score_resamples(self, metric)
        return table[:RESAMPLES]


class FirstScores:
    """The scores of all configurations in the first resamples of a method, kept on the way."""

    def __init__(self, configs: int) -> None:
        self._missing = RESAMPLES if RESAMPLES * configs <= MOST_KEPT else 0
        self._parts: list[Array] = []
        self._least_spread = np.zeros(configs)

    def __call__(self, scores: Array | RoughScores | None) -> None:
        """Keep what is still missing of the scores (b, C) of the next resamples, if they serve."""
        if scores is None:
            self._missing = 0
        if scores is None or not self._missing:
            return
        if isinstance(scores, RoughScores):
            self._least_spread = np.maximum(self._least_spread, scores.least_spread)
            scores = scores.values
        missing = scores[: self._missing]
        # A view holds on to all scores: to twice as many at most.
        self._parts.append(missing if 2 * len(missing) >= len(scores) else missing.copy())
        self._missing -= len(missing)

    @property
    def table(self) -> Array | None:
        """The scores (b, C); None where a method computes none, too many to keep or too roughly."""
        if sum(len(part) for part in self._parts) < RESAMPLES:
            return None
        table = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)
        if self._least_spread.any() and not (table.std(axis=0) >= self._least_spread).all():
            return None
        return table


@dataclass(frozen=True, eq=False)
class Rivals:
    """The scores of the resamples and of the sample itself (C,), on a steady scale."""

    table: StandardisedScores
    scores: Array
    winner: int

    def errors(self, contest: Contest, draws: int) -> Array:
        """Return the errors of those who win, rising: (draws,)."""
        rng = contest.seeds.generator(Purpose.LOCAL_LEVEL)
        best_wins = contest.best_wins
        return winner_errors(
            self.table, self.scores, self.winner, rng, best_wins=best_wins, draws=draws
        ).errors


def find_rivals(contest: Contest, metric: Metric, trials: float) -> Rivals | None:
    """Return how all configurations did in resamples, None where most leave scores undefined."""
    table = contest.table(metric)
    finite = np.isfinite(table)
    defined = finite.any(axis=0) & np.isfinite(contest.scores)
    if not defined[contest.winner]:
        return None
    if not (defined.all() and finite.all()):  # else there is nothing to leave out
        table = table[:, defined]
        table = table[np.isfinite(table).all(axis=1)]
    if len(table) < FEWEST:
        return None
    scores = contest.scores[defined]
    if is_loss_of_chances(metric):
        steady, goodness = _steady_losses(table), _steady_losses(scores)
    else:
        good = in_range(metric, scores)
        worth = np.full(len(good), trials)
        steady = steady_scores(metric, table, worth, workers(contest.n_jobs))
        goodness = anscombe(np.clip(good, 0.0, 1.0), worth)
    return Rivals(
        StandardisedScores.of(steady, overwrite=True),
        goodness,
        int(defined[: contest.winner].sum()),
    )


def _steady_losses(losses: Array) -> Array:
    """Return losses on the scale of roots, on which counts of errors have a steady variance."""
    return np.asarray(-np.sqrt(np.maximum(losses, 0.0)))


def steady_scores(metric: Metric, table: Array, worth: Array, jobs: int) -> Array:
    """Return scores (B, C) on the scale on which their variance is steady, some rows per thread."""
    out = np.empty_like(table)

    def fill(rows: slice) -> None:
        out[rows] = anscombe(in_range(metric, table[rows]), worth)

    step = max(1, min(-(-len(table) // jobs), CELLS // len(worth)))
    each(fill, [slice(start, start + step) for start in range(0, len(table), step)], jobs)
    return out


def _score_resamples(contest: Contest, metric: Metric) -> Array:
    """Return the scores of all configurations in the resamples that the method itself draws."""
    pi = contest.pi

    def scored(weights: Weights) -> Array:
        return score_table(pi, metric, weights, n_jobs=contest.n_jobs)

    return resample_statistic(
        scored,
        pi.target,
        choose_resampler(None, pi.target, UndefinedRule.REDRAW),
        RESAMPLES,
        contest.seeds,
        accept=out_of_bag_rule(metric, pi.target, UndefinedRule.REDRAW),
        redraw=False,
        columns=pi.n_configs,
        n_jobs=contest.n_jobs,
    )  # (B, C)
