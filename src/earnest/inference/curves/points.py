"""ROC and precision-recall curves of one score under many weights, on one grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
GRID: Floats = np.linspace(0.0, 1.0, 201)
GRID.flags.writeable = False
NUDGE = 1e-12  # by which a recall may miss a point of the grid through rounding


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """Curves (B, G) on `GRID` with their exact areas (B,); NaN where a class has no weight.

    Attributes
    ----------
    auc, ap : ndarray of shape (B,)
        The area under the ROC curve, and the average precision.
    roc : ndarray of shape (B, G)
        The true positive rate at each false positive rate, the highest where it jumps.
    precision : ndarray of shape (B, G)
        The precision at each recall: that of the first threshold that reaches it.
    """

    auc: Floats
    ap: Floats
    roc: Floats
    precision: Floats

    @classmethod
    def mean(cls, parts: Sequence[CurvePoints]) -> CurvePoints:
        """Return the mean of several, undefined where one of them is."""
        return cls(
            *(np.mean([getattr(p, field.name) for p in parts], axis=0) for field in fields(cls))
        )


def curve_points(
    positive: NDArray[np.bool_], scores: Floats, weights: NDArray[np.uint8]
) -> CurvePoints:
    """Return both curves of a score (n,) under weights (B, n).

    Cases of equal score pass a threshold together: a slanted step of the ROC curve. The average
    precision is the sum of the gains in recall times the precision reached, without interpolation.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.points import curve_points
    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> made = curve_points(positive, scores, np.ones((1, 4), dtype=np.uint8))
    >>> made.auc[0], round(made.ap[0], 4), made.roc[0, [0, 100]]
    (np.float64(0.75), np.float64(0.8333), array([0.5, 1. ]))
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # last of every tied group
    counts, mine = weights[:, order].astype(np.float64), positive[order]
    hits = np.cumsum(counts * mine, axis=1)[:, ends]
    alarms = np.cumsum(counts * ~mine, axis=1)[:, ends]
    shape = (len(weights), len(GRID))
    out = CurvePoints(*(np.full(s, np.nan) for s in (shape[0], shape[0], shape, shape)))
    for b in np.flatnonzero((hits[:, -1] > 0) & (alarms[:, -1] > 0)):
        _fill(out, int(b), hits[b], alarms[b])
    return out


def roc_points(
    positive: NDArray[np.bool_], scores: Floats, weights: NDArray[np.uint8]
) -> tuple[Floats, Floats]:
    """Return the areas (B,) and the ROC curves (B, G) of a score alone, as `curve_points` does.

    Where no two scores are equal, sums of whole numbers over all resamples at a time are enough: a
    small part of the time, which counts where there is a curve for every class.
    """
    if len(np.unique(scores)) < len(scores):
        made = curve_points(positive, scores, weights)
        return made.auc, made.roc
    order = np.argsort(-scores, kind="stable")
    mine = positive[order]
    counts = weights[:, order]
    own = counts[:, mine]
    alarms = _from_zero(counts[:, ~mine])[:, np.cumsum(~mine)[mine]]  # before each positive
    hits = _from_zero(own)
    n_mine, n_rest = hits[:, -1], counts.sum(axis=1, dtype=np.int64) - hits[:, -1]
    known = (n_mine > 0) & (n_rest > 0)
    pairs = np.einsum("bp,bp->b", own.astype(np.int64), n_rest[:, None] - alarms)
    area = np.where(known, pairs / np.maximum(n_mine * n_rest, 1), np.nan)
    curve = np.full((len(weights), len(GRID)), np.nan)
    for b in np.flatnonzero(known):
        passed = np.searchsorted(alarms[b], (GRID + NUDGE) * n_rest[b], side="right")
        curve[b] = hits[b, passed] / n_mine[b]
    return area, curve


def _from_zero(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return running sums of rows, from nothing on."""
    out = np.zeros((len(counts), counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, dtype=np.int64, out=out[:, 1:])
    return out


def _fill(out: CurvePoints, b: int, hits: Floats, alarms: Floats) -> None:
    recall, false = hits / hits[-1], alarms / alarms[-1]
    precision = hits / np.maximum(hits + alarms, 1e-300)
    gains = np.diff(recall, prepend=0.0)
    out.ap[b] = gains @ precision
    xs, ys = np.append(0.0, false), np.append(0.0, recall)
    out.auc[b] = np.diff(xs) @ (0.5 * (ys[1:] + ys[:-1]))
    out.roc[b] = _highest(xs, ys)
    reached = np.searchsorted(recall, np.maximum(GRID, 2 * NUDGE) - NUDGE)
    out.precision[b] = precision[np.minimum(reached, len(recall) - 1)]


def _highest(xs: Floats, ys: Floats) -> Floats:
    """Return the line through points of rising x and y on the grid, the highest at a jump."""
    left = np.searchsorted(xs, GRID + NUDGE, side="right") - 1
    right = np.minimum(left + 1, len(xs) - 1)
    width = xs[right] - xs[left]
    share = np.where(width > 0, (GRID - xs[left]) / np.where(width > 0, width, 1.0), 0.0)
    return np.asarray(ys[left] + np.clip(share, 0.0, 1.0) * (ys[right] - ys[left]))
