"""The methods of the paper as its code has them, where ours differ: for an AUC of two classes.

Ours have limits that allow for errors not yet seen, where resamples near a perfect AUC are too sure
of themselves, and the formula of Hanley and McNeil. All else is that of the methods named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchmarks.papers.study import Floats
from earnest.core import DrawnLimits, LimitSource, NormalLimits, Purpose, Side, best_of
from earnest.core.results.cautions import Caution
from earnest.core.results.specs import MethodSpec
from earnest.inference import Choice, choose_winners
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.inference.resampling.winners import judge_winner
from earnest.kernels import fold_scores
from earnest.methods import BBC, BBCFold, DeLong, HanleyMcNeil, NaiveBootstrap
from earnest.methods.base import Call, EstimateParts
from earnest.methods.winner.bbc import draw_winners
from earnest.rules import MeanOfFolds, Pooled

FoundLimits = tuple[LimitSource, tuple[Caution, ...], Mapping[str, object]]


@dataclass(frozen=True, eq=False)
class PublishedDraws(DrawnLimits, kind="published draws"):
    """Two-sided limits of Tsamardinos et al. 2018: the 25th and the 975th of 1000 draws.

    The lower one lies one place lower than that of the one-sided rule of the code, which is ours.
    """

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        if side is not Side.TWO_SIDED or self.draws is None:
            return super().limits(confidence_level, side)
        ordered = np.sort(self.draws[~np.isnan(self.draws)])
        beyond = max(math.floor((1 - confidence_level) / 2 * len(ordered) + 1e-9), 1)
        return float(ordered[beyond - 1]), float(ordered[max(len(ordered) - beyond, beyond) - 1])


@dataclass(frozen=True, kw_only=True)
class PublishedBBC(ResamplingKnobs):
    """BBC that selects in-bag by the pooled AUC, and names the winner by the mean of the folds."""

    spec: ClassVar[MethodSpec] = BBC.spec

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean of the out-of-bag scores, with their quantiles."""
        found = draw_winners(
            self,
            call,
            lambda inbag: choose_winners(call.pi, call.metric, inbag, Pooled(), n_jobs=call.n_jobs),
            MeanOfFolds(),
        )
        draws = found.table[:, 0]
        return EstimateParts(
            value=float(np.nanmean(draws)),
            winner=found.final,
            naive=found.naive,
            source=PublishedDraws(draws),
        )


@dataclass(frozen=True, kw_only=True)
class PublishedBBCFold(BBCFold):
    """BBC-F with the quantiles of its draws, for one repeat."""

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean of the scores on the folds left out, with their quantiles."""
        pi, metric, rule = call.pi, call.metric, MeanOfFolds()
        table = fold_scores(pi, metric, n_jobs=call.n_jobs)  # (K, 1, C)
        winner, naive, _ = judge_winner(pi, metric, rule, table)
        draws = self.draws([table[:, 0]], rule, metric, pi, call.seeds)[:, 0]
        source = DrawnLimits(draws)
        return EstimateParts(value=float(draws.mean()), winner=winner, naive=naive, source=source)


@dataclass(frozen=True, kw_only=True)
class PublishedNaiveBootstrap(NaiveBootstrap):
    """The bootstrap of the winner's fold scores with its quantiles, for one repeat."""

    def __call__(self, call: Call) -> EstimateParts:
        """Return the winner's mean over folds, with the quantiles of its resamples."""
        table = fold_scores(call.pi, call.metric, n_jobs=call.n_jobs)  # (K, 1, C)
        winner, naive, _ = judge_winner(call.pi, call.metric, MeanOfFolds(), table)
        source = self.find_limits(table[:, 0, winner], call)
        return EstimateParts(value=naive, winner=winner, naive=naive, source=source)

    def find_limits(self, scores: Floats, call: Call) -> LimitSource:
        """Return the normal limits of fold scores (K,), or the quantiles of their resamples."""
        folds = len(scores)
        if self.interval == "normal":
            return NormalLimits(float(scores.mean()), float(scores.std() / math.sqrt(folds)))
        rng = call.seeds.generator(Purpose.FOLD_BOOTSTRAP, 0)
        return DrawnLimits(scores[rng.integers(0, folds, (self.n_resamples, folds))].mean(axis=1))


@dataclass(frozen=True, kw_only=True)
class PublishedDeLong(DeLong):
    """DeLong with normal limits whatever the AUC: a point where the variance is 0."""

    def find_limits(self, call: Call, choice: Choice) -> FoundLimits:
        """Return normal limits from DeLong's variance."""
        source = NormalLimits(choice.value, math.sqrt(float(choice.placements.variance()[0])))
        return best_of(source, len(choice.candidates), greater_is_better=True), (), {}


@dataclass(frozen=True, kw_only=True)
class PublishedHanleyMcNeil(HanleyMcNeil):
    """Hanley and McNeil with the formula of the code, and no adjustment for several candidates.

    In the place of the positives are the cases that a threshold of 0 classifies rightly, in that of
    the negatives all other cases of the sample, and n1 + 1 stands for n1 - 1.
    """

    def find_limits(self, call: Call, choice: Choice) -> FoundLimits:
        """Return normal limits from the AUC and these two counts."""
        part, area = choice.part, choice.value
        scores = part.responses[:, choice.chosen, 0]
        right = int(np.sum((scores > 0) == (part.target.y == 1)))
        wrong = call.pi.n_cases - right
        first, second = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
        spread = area * (1 - area) + (right + 1) * first + (wrong - 1) * second
        variance = max(spread / (right * wrong), 0.0) if right and wrong else 0.0
        return NormalLimits(area, math.sqrt(variance)), (), {}
