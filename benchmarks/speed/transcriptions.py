"""Definitions written down in plain NumPy, one resample after the other: baselines and oracles.

They follow Paraschakis et al. 2024 (bootstrap tilting and MABT, lower bound, AUC) and DeLong et al.
1988 step by step, as one would from the papers, with NumPy and without any of earnest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def mid_ranks(score: Array) -> Array:
    """Rank from 1 on, ties at the mean of their ranks."""
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place])


def auc(positive: Bools, score: Array) -> float:
    """Mann-Whitney from mid-ranks."""
    n1 = int(positive.sum())
    n0 = len(positive) - n1
    ranks = mid_ranks(score)
    return float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


def delong_variance(positive: Bools, score: Array) -> float:
    """DeLong's variance of one column from mid-ranks (Sun and Xu 2014)."""
    n1 = int(positive.sum())
    n0 = len(positive) - n1
    ranks = mid_ranks(score)
    own = (ranks[positive] - mid_ranks(score[positive])) / n0
    other = 1 - (ranks[~positive] - mid_ranks(score[~positive])) / n1
    return float(own.var(ddof=1) / n1 + other.var(ddof=1) / n0)


def pairwise_delong_variance(positive: Bools, score: Array) -> float:
    """DeLong's variance of one column from all pairs of a positive and a negative."""
    own, other = score[positive], score[~positive]
    psi = np.greater.outer(own, other) + 0.5 * np.equal.outer(own, other)
    s10, s01 = psi.mean(axis=1).var(ddof=1), psi.mean(axis=0).var(ddof=1)
    return float(s10 / len(own) + s01 / len(other))


def resample(positive: Bools, rng: np.random.Generator, p: Array | None = None) -> NDArray[np.intp]:
    """Draw cases within classes, with probabilities p within each class."""
    parts = []
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        chance = None if p is None else p[members] / p[members].sum()
        parts.append(rng.choice(members, size=len(members), p=chance))
    return np.concatenate(parts)


def regression_influence(positive: Bools, counts: Array, scores: Array) -> Array:
    """Regress resampled scores on relative counts, the first case of each class left out."""
    shares, kept = counts.copy(), np.ones(len(positive), dtype=bool)
    for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        shares[:, members] /= len(members)
        kept[members[0]] = False
    design = np.column_stack([np.ones(len(scores)), shares[:, kept]])
    fitted = np.linalg.lstsq(design, scores, rcond=None)[0]
    influence = np.zeros(len(positive))
    influence[kept] = fitted[1:]
    for members in (positive, ~positive):
        influence[members] -= influence[members].mean()
    return influence


def tilted_share(influence: Array, tau: float) -> Array:
    """Return p(tau), over all cases together."""
    raised = np.exp(tau * influence)
    return np.asarray(raised / raised.sum())


def worth(influence: Array, counts: Array, tau: float) -> Array:
    """Return the importance weight of every resample."""
    relative = len(influence) * tilted_share(influence, tau)
    return np.asarray(np.prod(relative**counts, axis=1))


def search(tail: Callable[[float], float], alpha: float, step: float) -> float | None:
    """Step outwards until the tail is below alpha / 2, then halve intervals; None where NA."""
    tau = 0.0
    while True:
        tau -= step
        if tail(tau) <= alpha / 2 or tau <= -20:
            break
    if not (tail(tau) < alpha / 2 and tail(0.0) > 2 * alpha):
        return None
    low, high = tau, 0.0
    while high - low > 1.2e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if tail(middle) > alpha else (middle, high)
    return low


def bootstrap(
    positive: Bools, scores: Array, n_resamples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return counts (R, n) and AUCs (R, m), one resample after the other."""
    counts = np.zeros((n_resamples, len(positive)))
    areas = np.empty((n_resamples, scores.shape[1]))
    for r in range(n_resamples):
        rows = resample(positive, rng)
        counts[r] = np.bincount(rows, minlength=len(positive))
        for j in range(scores.shape[1]):
            areas[r, j] = auc(positive[rows], scores[rows, j])
    return counts, areas


def adjusted_tail(
    areas: Array, counts: Array, influence: Array, estimate: float
) -> Callable[[float], float]:
    """Return MABT's p(tau) for the first column."""
    size = len(areas)
    ranks = np.stack(
        [np.searchsorted(np.sort(column), column, side="right") for column in areas.T], axis=1
    )
    best = (ranks / (size + 1)).max(axis=1)

    def tail(tau: float) -> float:
        weights = worth(influence, counts, tau)
        reached = weights[areas[:, 0] <= estimate].sum() / weights.sum()
        return 1.0 - float(np.mean(best <= reached))

    return tail


def mabt(
    positive: Bools, scores: Array, n_resamples: int, alpha: float, rng: np.random.Generator
) -> float | None:
    """Return MABT's lower bound for the first column, chosen among all columns given."""
    counts, areas = bootstrap(positive, scores, n_resamples, rng)
    influence = regression_influence(positive, counts, areas[:, 0])
    tail = adjusted_tail(areas, counts, influence, auc(positive, scores[:, 0]))
    tau = search(tail, alpha, 0.1)
    if tau is None:
        return None
    p = tilted_share(influence, tau)
    again = [resample(positive, rng, p) for _ in range(n_resamples)]
    return float(np.mean([auc(positive[rows], scores[rows, 0]) for rows in again]))


def split_mabt(
    positive: Bools,
    scores: Array,
    folds: NDArray[np.intp],
    learn: Bools,
    n_resamples: int,
    seed: int,
) -> float | None:
    """Return MABT's lower 95 % bound after the choice on the learning part."""
    codes = np.unique(folds)
    valid = [
        np.mean(
            [auc(positive[rows], scores[rows, c]) for rows in ((folds == k) & learn for k in codes)]
        )
        for c in range(scores.shape[1])
    ]
    top = np.flatnonzero(valid >= np.quantile(valid, 0.9))
    judged = [auc(positive[~learn], scores[~learn, c]) for c in top]
    order = [top[int(np.argmax(judged))], *np.delete(top, int(np.argmax(judged)))]
    rng = np.random.default_rng(seed)
    return mabt(positive[~learn], scores[~learn][:, order], n_resamples, 0.05, rng)
