"""The winner's score on some of the cases, corrected for its choice on all of them.

In every resample a configuration is chosen in-bag on all cases, and is scored on those cases of
each mask that the resample leaves out. The corrected score of a mask is the mean of that over
resamples, as the corrected score of all cases is.

Its error has two sources: the cases of the mask, whose contributions to the winner's own score are
known one by one, and the choice, for which configurations that win resamples stand. The variance
of their scores on the mask over the resamples is added to that of the cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.inference.cases.case_values import score_terms
from earnest.inference.curves.corrected import ResampledSelection
from earnest.inference.curves.delivered import DeliveredEnsemble
from earnest.inference.resampling.winners import (
    WinnerScores,
    choose_winners,
    depends_on_size,
    is_guided,
    keep_judges,
)
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Metric

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
BLOCKS = 200  # of cases left out in turn, for a metric that does not say what a case adds


@dataclass(frozen=True, eq=False, kw_only=True)
class MaskScore:
    """The score of a winner on the cases of a mask.

    Attributes
    ----------
    value : float
        The corrected score; NaN where the metric is undefined.
    naive : float
        The winner's own score on these cases.
    moves : ndarray, shape (U,)
        What every independent unit of all cases adds to the error of the score; 0 outside of the
        mask.
    choice : float
        The variance that the choice of the winner adds.
    n_cases, n_units : int
        The cases of the mask, and the independent units among them.
    fewest : int
        How many units hold the rarest class, for a metric that needs the classes; else all units.
    """

    value: float
    naive: float
    moves: Floats
    choice: float
    n_cases: int
    n_units: int
    fewest: int

    @property
    def defined(self) -> bool:
        """Whether there is a score."""
        return bool(np.isfinite(self.value) and np.isfinite(self.naive))

    @property
    def variance(self) -> float:
        """The variance by what the units add, with the divisor of few units."""
        few = self.n_units / max(self.n_units - 1, 1)
        return few * float(np.square(self.moves).sum())


@dataclass(frozen=True, eq=False)
class MaskScores:
    """The scores of all masks, and how they came about.

    Attributes
    ----------
    scores : tuple of MaskScore
        One per mask.
    winners : ndarray of int, shape (B,)
        Who won each resample, -1 for an ensemble; empty where nothing was chosen.
    """

    scores: tuple[MaskScore, ...]
    winners: NDArray[np.intp]


def score_masks(
    pi: Predictions,
    metric: Metric,
    winner: int,
    selection: ResampledSelection,
    masks: Sequence[Mask],
    *,
    n_jobs: int | None = None,
) -> MaskScores:
    """Return the winner's score on every mask of the cases, corrected for its choice on all.

    Parameters
    ----------
    pi : Predictions
        The usable predictions of all cases.
    winner : int
        The configuration chosen on all cases.
    selection : ResampledSelection
        The resamples and the rule of the estimate.
    masks : sequence of ndarray, each of shape (n,)
        Which cases.
    """
    subsets = [pi.take(np.flatnonzero(mask)) for mask in masks]
    units = number_units_from_zero(pi)
    naive = [_score_own(subset, metric, winner) for subset in subsets]
    alone = pi.n_configs == 1 and not is_guided(pi)
    values, choices, best = naive, [0.0] * len(masks), np.empty(0, dtype=np.intp)
    if not alone:
        table, scorers = _draw(pi, metric, selection, masks, subsets, n_jobs)
        best = table[:, 1].astype(np.intp)
        values = [
            _correct(scorer, columns)
            for scorer, columns in zip(scorers, _split(table, scorers), strict=True)
        ]
        choices = [_vary_by_choice(subset, metric, best) for subset in subsets]
    return MaskScores(
        tuple(
            MaskScore(
                value=value,
                naive=uncorrected,
                moves=find_moves(subset, metric, winner, units, mask, selection.seeds)
                if np.isfinite(uncorrected)
                else np.zeros(int(units.max()) + 1),
                choice=choice,
                n_cases=subset.n_cases,
                n_units=_count_units(subset.target, units[mask]),
                fewest=_count_fewest(subset, metric, units[mask]),
            )
            for value, uncorrected, choice, subset, mask in zip(
                values, naive, choices, subsets, masks, strict=True
            )
        ),
        best,
    )


def score_ensemble_on_masks(
    ensemble: DeliveredEnsemble, masks: Sequence[Mask], *, n_jobs: int | None = None
) -> MaskScores:
    """Return an ensemble's score on every mask of the cases, corrected for its choice on all.

    The value is that of cross-fitted predictions, as of all cases; what the units add to its error
    is read from them, too. Ensembles that resamples choose tell what the choice adds.
    """
    pi, metric, judged = ensemble.pi, ensemble.metric, ensemble.judged
    rows = [np.flatnonzero(mask) for mask in masks]
    units = number_units_from_zero(pi)
    subsets = [judged.take(mine) for mine in rows]
    drawn = _draw_ensembles(ensemble, rows, n_jobs)
    scores = []
    for k, (mine, subset, mask) in enumerate(zip(rows, subsets, masks, strict=True)):
        uncorrected = _score_own(ensemble.whole.take(mine), metric, 0)
        turns = [_score_own(turn.take(mine), metric, 0) for turn in ensemble.partitions]
        left_out = drawn[k, :, 1][~np.isnan(drawn[k, :, 1])]
        values = turns or left_out.tolist()
        chosen = drawn[k, :, 0][~np.isnan(drawn[k, :, 0])]
        score = MaskScore(
            value=metric.scale.clip(float(np.mean(values))) if values else float("nan"),
            naive=uncorrected,
            moves=find_moves(subset, metric, 0, units, mask, ensemble.selection.seeds)
            if np.isfinite(uncorrected)
            else np.zeros(int(units.max()) + 1),
            choice=float(np.var(chosen)) if len(chosen) else 0.0,
            n_cases=subset.n_cases,
            n_units=len(np.unique(units[mask])),
            fewest=_count_fewest(subset, metric, units[mask]),
        )
        scores.append(score)
    return MaskScores(tuple(scores), np.full(drawn.shape[1], -1, dtype=np.intp))


def _draw_ensembles(
    ensemble: DeliveredEnsemble, rows: Sequence[NDArray[np.intp]], n_jobs: int | None
) -> Floats:
    """Return the scores of in-bag ensembles on masks: on all cases, and left out: (M, B, 2)."""
    metric = ensemble.metric

    def judge(blended: Predictions, _: Weights, outside: Weights) -> Floats:
        everybody = np.arange(blended.n_configs)
        parts = []
        for mine in rows:
            subset = blended.take(mine)
            left_out = outside.take_cases(mine)
            parts += [
                score_table(subset, metric, Weights.ones(len(mine)))[0],
                score_selected(subset, metric, left_out, everybody, n_jobs=n_jobs),
            ]
        return np.column_stack(parts)

    table = ensemble.resample(judge, columns=2 * len(rows), n_jobs=n_jobs)
    return np.moveaxis(table.reshape(len(table), len(rows), 2), 0, 1)


def number_units_from_zero(pi: Predictions) -> NDArray[np.int64]:
    """Return what is independent, numbered from 0: the group of a case, or the case itself."""
    groups = pi.target.groups
    if pi.target.surveyed:
        return pi.target.design.unit
    if groups is None:
        return np.arange(pi.n_cases)
    return np.asarray(np.unique(groups, return_inverse=True)[1], dtype=np.int64)


def _score_own(subset: Predictions, metric: Metric, winner: int) -> float:
    """Return the score of one configuration as it is, NaN where it is undefined."""
    return float(score_table(subset.select(winner), metric, Weights.ones(subset.n_cases))[0, 0])


def _count_fewest(subset: Predictions, metric: Metric, units: NDArray[np.int64]) -> int:
    """Return how many units hold the rarest class, for metrics that need every class."""
    target = subset.target
    classes = len(target.classes)
    if not classes or metric.pointwise or not (metric.area or metric.needs_all_classes):
        return _count_units(target, units)
    members = (target.y == code for code in range(classes))
    return min(_count_units(target, units, mine) for mine in members)


def _count_units(
    target: Target, units: NDArray[np.int64], mine: NDArray[np.bool_] | None = None
) -> int:
    """Return how many units of equal weight the units of some cases are worth."""
    count = len(np.unique(units if mine is None else units[mine]))
    if target.masses is None or count == 0:
        return count
    share = target.count_effective(mine) / (target.n if mine is None else mine.sum())
    return max(1, int(count * share + 1e-9))


def _draw(
    pi: Predictions,
    metric: Metric,
    selection: ResampledSelection,
    masks: Sequence[Mask],
    subsets: Sequence[Predictions],
    n_jobs: int | None,
) -> tuple[Floats, list[WinnerScores]]:
    """Return the score and winner of every resample, then what each mask says of that winner."""
    chosen: list[NDArray[np.intp]] = []
    resampler = selection.find_resampler(pi.target)
    scorers = [WinnerScores(subset, metric, resampler, lambda _: chosen[-1]) for subset in subsets]
    rows = [np.flatnonzero(mask) for mask in masks]

    def statistic(inbag: Weights) -> Floats:
        best = choose_winners(pi, metric, inbag, selection.selector, n_jobs=n_jobs)
        judges = keep_judges(pi, inbag.out_of_bag(), best)
        total = score_selected(pi, metric, judges, best, n_jobs=n_jobs)
        chosen.append(best)
        tables = [
            scorer(inbag.take_cases(mine)) for scorer, mine in zip(scorers, rows, strict=True)
        ]
        return np.column_stack([total, best, *tables])

    table = selection.resample(
        statistic,
        pi.target,
        metric,
        selection.seeds,
        left_out=True,
        columns=max(pi.n_configs, 4 * len(masks)),
        n_jobs=n_jobs,
    )
    return table, scorers


def _split(table: Floats, scorers: Sequence[WinnerScores]) -> list[Floats]:
    """Return the columns of each mask, after the score and the winner of all cases."""
    widths = [4 if depends_on_size(each.metric, each.pi.target) else 2 for each in scorers]
    return np.split(table, np.cumsum([2, *widths])[:-1], axis=1)[1:]


def _correct(scorer: WinnerScores, table: Floats) -> float:
    """Return the corrected score; NaN where hardly any resample leaves cases that define it."""
    defined = ~np.isnan(table[:, 0])
    if table.shape[1] > 2:
        defined &= ~np.isnan(table[:, 2])
    if not defined.any():
        return float("nan")
    return scorer.metric.scale.clip(scorer.corrected(table[defined]))


def _vary_by_choice(subset: Predictions, metric: Metric, best: NDArray[np.intp]) -> float:
    """Return the variance over resamples of the scores on the mask of those who won."""
    winners, wins = np.unique(best[best >= 0], return_counts=True)
    scores = score_table(subset.select(winners), metric, Weights.ones(subset.n_cases))[0]
    defined = np.isfinite(scores)
    if defined.sum() < 2:
        return 0.0
    shares = wins[defined] / wins[defined].sum()
    mean = float(shares @ scores[defined])
    return float(shares @ np.square(scores[defined] - mean))


def find_moves(
    subset: Predictions,
    metric: Metric,
    winner: int,
    units: NDArray[np.int64],
    mask: Mask,
    seeds: Seeds,
) -> Floats:
    """Return what each unit adds to the error of a configuration's score on a mask: (U,).

    The mean over cases of the influence of each; for a metric that does not say it, by leaving out
    blocks of units in turn (the jackknife).
    """
    moves = np.zeros(int(units.max()) + 1)
    alone, mine = subset.select(winner), units[mask]
    scored = score_terms(alone, metric)
    if scored is not None and np.isfinite(scored[1]).all():
        influence = (scored[1] - scored[0])[:, 0] / subset.n_cases
        np.add.at(moves, mine, influence)
        return moves
    return moves if scored is not None else _leave_blocks_out(alone, metric, moves, mine, seeds)


def _leave_blocks_out(
    alone: Predictions, metric: Metric, moves: Floats, units: NDArray[np.int64], seeds: Seeds
) -> Floats:
    """Return moves whose squares add up to the jackknife variance, dealt to one unit per block."""
    present, places = np.unique(units, return_inverse=True)
    order = seeds.generator(Purpose.MULTIPLIERS, 3).permutation(len(present))
    blocks = (order % min(BLOCKS, len(present)))[places.reshape(-1)]
    count = int(blocks.max()) + 1
    if count < 2:
        return moves
    weights = (blocks != np.arange(count)[:, None]).astype(np.uint8)
    scores = score_table(alone, metric, Weights(weights))[:, 0]
    scores = np.where(np.isfinite(scores), scores, np.nan)
    if np.isnan(scores).all():
        return moves
    away = (count - 1) / count * (np.nanmean(scores) - scores)
    first = np.unique(order % count, return_index=True)[1]
    moves[present[first]] = np.nan_to_num(away) * np.sqrt(count / max(count - 1, 1))
    return moves
