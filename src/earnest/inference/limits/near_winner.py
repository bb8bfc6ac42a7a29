"""The limits of a winner at its local level, from the scores of all configurations in resamples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Purpose, Seeds
from earnest.core.cautions import of_evidence
from earnest.core.data.predictions import Predictions
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import (
    LimitSource,
    MovedLimits,
    NearWinnerLimits,
    TighterLimits,
    WidenedLimits,
)
from earnest.core.results.specs import Side
from earnest.inference.cases.dependence import spread_by_dependence
from earnest.inference.cases.placements import auc_placements
from earnest.inference.limits.contest import Contest
from earnest.inference.limits.local_level import (
    DroppedConfigurations,
    StandardisedScores,
    winner_errors,
)
from earnest.inference.limits.unseen_errors import is_loss_of_chances, unseen_error_limits
from earnest.inference.limits.winner_law import Law, WinnerLaw, law_of
from earnest.kernels.score import fold_scores, score_table
from earnest.metrics.families import Metric, MomentMetric
from earnest.metrics.ranking import is_auc, line_of


@dataclass(frozen=True, eq=False)
class WinnerLimits:
    """What the law of a metric says of the winner.

    Attributes
    ----------
    source : LimitSource or None
        The limits; None where the winner's score cannot have the distribution.
    near : ndarray of bool, shape (C,)
        The configurations whose distance to the winner chance alone can explain.
    objection : Caution or None
        Why there are no limits.
    remarks : tuple of Caution
        Why the limits may not hold.
    """

    source: LimitSource | None
    near: NDArray[np.bool_]
    objection: Caution | None
    remarks: tuple[Caution, ...]


def find_winner_limits(
    law: WinnerLaw,
    winner: int,
    inbag: NDArray[np.float64],
    seeds: Seeds,
    *,
    given: Predictions,
    value: float,
    draws: NDArray[np.float64] | None = None,
    best_wins: bool = True,
) -> WinnerLimits:
    """Return the limits of the winner's own distribution at the level that its rivals leave it.

    Parameters
    ----------
    law : WinnerLaw
        The distribution of the metric, with the scores of all configurations.
    winner : int
        The configuration that won.
    inbag : ndarray, shape (B, C)
        The metric of all configurations in resamples.
    seeds : Seeds
        The source of the Gaussian draws.
    given : Predictions
        The predictions as they were given, with configurations that were dropped.
    value : float
        The corrected value, which limits always hold.
    draws : ndarray, optional
        The out-of-bag scores that it is the mean of.
    best_wins : bool
        Whether the best score wins; under another rule the level is that of the largest error.
    """
    pi, metric = law.pi, law.metric
    table = law.read(spread_by_dependence(pi, metric, inbag))  # (B, C)
    defined = np.isfinite(table).all(axis=1)
    table = table if defined.all() else table[defined]
    dropped = find_dropped(given, metric, law, pi.configs.ids[winner], winner)
    rivals = pi.n_configs + len(dropped.gaps)
    near, errors = np.ones(pi.n_configs, dtype=bool), None
    if rivals > 1:
        rng = seeds.generator(Purpose.LOCAL_LEVEL)
        steady = StandardisedScores.of(law.steady(table), overwrite=True)
        scores = law.steady(law.scores)
        winner_draws = winner_errors(
            steady, scores, winner, rng, best_wins=best_wins, dropped=dropped
        )
        near, errors = winner_draws.near, winner_draws.errors
    objection = law.objection(winner)
    if objection is not None:
        return WinnerLimits(None, near, objection, ())
    inner = law.limits(winner, table, near)
    if isinstance(metric, MomentMetric) and is_loss_of_chances(metric):
        unseen = unseen_error_limits(pi.select(winner), metric)
        inner = WidenedLimits.of(inner, unseen, end=Side.UPPER)
    end = Side.LOWER if metric.greater_is_better else Side.UPPER
    source = NearWinnerLimits(inner, value, end, rivals, errors, draws)
    return WinnerLimits(source, near, None, tuple(law.remarks(winner)))


BY_CHANCE = 2.0  # standard errors that a pooled AUC gains on the mean of its folds by chance
ROUNDING = 1e-9
FEWEST_CASES, FEWEST_GROUPS = 40, 16  # of the searches on which the tighter limits were shown
TIGHTER = (Law.SHARE, Law.AREA, Law.MEAN_OF_SHARES)


def is_tighter_shown(pi: Predictions, metric: Metric) -> bool:
    """Tell whether the tighter one of these limits and those of draws was shown to hold.

    That is: for accuracy, AUC and balanced accuracy of two classes, of the winner of several
    configurations that were cross-validated.
    """
    law, groups = law_of(metric, pi.target), pi.target.groups
    of_all = not isinstance(metric, MomentMetric) or metric.mean_of_cases
    return (
        pi.target.task is Task.BINARY
        and law in TIGHTER
        and (of_all or law is not Law.SHARE)
        and min(pi.n_folds, pi.n_configs) > 1
        and pi.n_cases >= FEWEST_CASES
        and (groups is None or len(np.unique(groups)) >= FEWEST_GROUPS)
    )


def find_tighter_law(
    contest: Contest, metric: Metric, given: Predictions, value: float
) -> LimitSource | None:
    """Return the limits whose tighter end was shown to hold beside those of draws, None if not."""
    pi = contest.pi
    kind = law_of(metric, pi.target)
    if kind is None or not is_tighter_shown(pi, metric):
        return None
    law = WinnerLaw.of(kind, pi, metric, contest.scores)
    table = contest.table(metric)
    limits = find_winner_limits(law, contest.winner, table, contest.seeds, given=given, value=value)
    return None if limits.remarks else limits.source


def finish_limits(
    source: LimitSource,
    metric: Metric,
    *,
    value: float,
    alone: Predictions,
    draws: NDArray[np.float64] | None,
    law: LimitSource | None,
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return the limits of a winner, and a caution where pooling helped it.

    Parameters
    ----------
    source : LimitSource
        Limits of draws, wider near the best score.
    metric : Metric
        What is measured.
    value : float
        What the limits are of.
    alone : Predictions
        The winner on the cases that judge it.
    draws : ndarray, optional
        The draws, where the metric depends on the size of the part that they left out.
    law : LimitSource, optional
        What `find_tighter_law` returned.
    """
    if law is not None:
        source = TighterLimits(source, law)
    elif draws is not None:
        source = move_good_end(source, metric, value, draws)
    return allow_for_pooling(source, alone, metric)


def move_good_end(
    source: LimitSource, metric: Metric, value: float, draws: NDArray[np.float64]
) -> LimitSource:
    """Return limits whose good end is as far from the value as from the mean of the draws.

    A score that depends on the size of a part is worse on the small parts that the draws leave out.
    """
    by = metric.sign * (value - float(np.nanmean(draws)))
    if not by > 0.0:
        return source
    up = metric.sign > 0
    return MovedLimits(source, Side.UPPER if up else Side.LOWER, by, metric.limits[int(up)])


def allow_for_pooling(
    source: LimitSource, pi: Predictions, metric: Metric
) -> tuple[LimitSource, tuple[Caution, ...]]:
    """Return limits of a pooled AUC that hold the mean over the models of the folds, and a caution.

    A model that found nothing says about the same of all its cases. They rank between the positives
    and the negatives of a model that found the pattern, so that pairs of cases of two folds are in
    order more often than pairs of one fold. Where the AUC gains more from that than chance
    explains, its bad end lies further out by as much.

    Parameters
    ----------
    source : LimitSource
        The limits so far.
    pi : Predictions
        The chosen configuration.
    metric : Metric
        What is measured; other metrics than the AUC of two classes gain nothing.
    """
    if not is_auc(metric, pi.target) or pi.n_folds < 2:
        return source, ()
    areas = fold_scores(pi, metric)[:, 0, 0]
    areas = areas[~np.isnan(areas)]
    if len(areas) < 2:
        return source, ()
    pooled = float(score_table(pi, metric, Weights.ones(pi.n_cases))[0, 0])
    gain = metric.sign * (pooled - float(areas.mean()))
    error = abs(line_of(metric)[1]) * _find_error_of_pooling(pi)
    if not gain > max(BY_CHANCE * error, ROUNDING):
        return source, ()
    up = metric.sign > 0
    moved = MovedLimits(source, Side.LOWER if up else Side.UPPER, gain, metric.limits[not up])
    return moved, (of_evidence.gain_of_pooling(metric.title, gain),)


def _find_error_of_pooling(pi: Predictions) -> float:
    """Return the standard error of a pooled AUC less the mean of its folds, for equal models.

    Both sum the same placements. Pairs of a positive and a negative vary around these by s², and
    the mean has one pair of the pooled AUC in K: s² (K - 1) / (n1 n0). Cases of a group go
    together, and the error grows with that of the AUC.
    """
    placed = auc_placements(pi, 0)
    positive = pi.target.y == 1
    n1, n0 = (pi.target.count_effective(side) for side in (positive, ~positive))
    area = float(placed.auc[0])
    around = sum(float(side.var()) for side in (placed.positives, placed.negatives))
    variance = max(area * (1.0 - area) - around, 0.0) * (pi.n_folds - 1) / (n1 * n0)
    groups, alone = pi.target.groups, float(placed.variance()[0])
    if groups is not None and alone > 0.0:
        together = placed.clustered_variance(groups[positive], groups[~positive])
        variance *= max(float(np.nan_to_num(together[0])) / alone, 1.0)
    return float(variance**0.5)


def find_dropped(
    pi: Predictions, metric: Metric, law: WinnerLaw, name: str, winner: int
) -> DroppedConfigurations:
    """Return the configurations that have predictions of some folds and not of all.

    They competed until they were dropped, and are compared with the winner on the cases that they
    were tested on. A configuration without any prediction never competed.
    """
    begun = np.any([cell.any(axis=0) for cell in pi.cells], axis=0)
    dropped = np.flatnonzero(begun & ~pi.complete)
    gaps, shares = np.zeros(len(dropped)), np.ones(len(dropped))
    if len(dropped) == 0:
        return DroppedConfigurations(gaps, shares)
    table = pi.select([pi.configs.ids.index(name), *dropped.tolist()])
    answers = table.responses.reshape(*table.responses.shape[:3], -1)
    tested: NDArray[np.bool_] = np.asarray(np.isfinite(answers).all(axis=3))  # (n, 1 + D, R)
    patterns: dict[bytes, list[int]] = {}
    for column in range(len(dropped)):
        patterns.setdefault(tested[:, 1 + column].tobytes(), []).append(column)
    for alike in patterns.values():
        mask = tested[:, 1 + alike[0]]  # (n, R)
        some = table.select([0, *(1 + column for column in alike)])
        hidden = np.where(_as_wide(mask, some.responses), some.responses, np.nan)
        some = replace(some, responses=hidden).usable()
        scores = score_table(some, metric, Weights.ones(some.n_cases))[0]
        share = float(mask.sum() / tested[:, 0].sum())
        shares[alike] = share
        gaps[alike] = law.gaps(winner, float(scores[0]), scores[1:], share)
    return DroppedConfigurations(
        np.where(np.isfinite(gaps), gaps, 0.0), shares
    )  # undefined on few cases: none


def _as_wide(mask: NDArray[np.bool_], responses: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask (n, R) with the axes of responses (n, C, R[, K])."""
    wide = mask[:, None, :]
    return wide[..., None] if responses.ndim == 4 else wide
