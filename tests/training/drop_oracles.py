"""Early dropping once more, slowly: loops over resamples and configurations, rows repeated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from earnest import Predictions
from earnest.core import Seeds
from earnest.resampling import CaseBootstrap, GroupBootstrap, batches
from earnest.training import STREAM

Gain = Callable[[NDArray[np.generic], NDArray[np.float64]], float]  # greater is better, or NaN


def drawn_rows(pi: Predictions, count: int, seed: int, round: int) -> list[NDArray[np.intp]]:
    """Return the rows of every resample, with their repetitions."""
    resampler = CaseBootstrap() if pi.target.groups is None else GroupBootstrap()
    parts = batches(resampler, pi.target, count, Seeds(seed), stream=STREAM + round)
    rows = np.arange(pi.n_cases)
    return [np.repeat(rows, counts) for part in parts for counts in part.values]


def bced(
    y: NDArray[np.generic],
    scores: NDArray[np.float64],
    resamples: list[NDArray[np.intp]],
    gain: Gain,
) -> tuple[int, list[float]]:
    """Return the current best, and in which share of the resamples each other is worse."""
    configs = range(scores.shape[1])
    whole = [gain(y, scores[:, c]) for c in configs]
    best = next(c for c in configs if whole[c] >= max(whole) - 1e-12)
    shares = []
    for c in configs:
        worse = defined = 0
        for rows in resamples:
            mine, its = gain(y[rows], scores[rows, c]), gain(y[rows], scores[rows, best])
            if np.isnan(mine) or np.isnan(its):
                continue
            defined += 1
            worse += mine < its - 1e-12
        shares.append(worse / defined if defined else np.nan)
    return best, shares


def chances(
    y: NDArray[np.generic],
    scores: NDArray[np.float64],
    resamples: list[NDArray[np.intp]],
    gain: Gain,
    units: int | None = None,
) -> list[float]:
    """Return how probable it is that the best of all looks as bad as each configuration does.

    `units` is how many groups the cases are in, where they are in any.
    """
    n, count = units or len(scores), scores.shape[1]
    whole = np.array([gain(y, scores[:, c]) for c in range(count)])
    drawn = np.array([[gain(y[r], scores[r, c]) for c in range(count)] for r in resamples])
    away = drawn - whole
    found = []
    for c in range(count):
        others = [j for j in range(count) if j != c]
        spread = {j: float(np.std(away[:, j] - away[:, c], ddof=1)) for j in others}
        lead = max((whole[j] - whole[c]) / spread[j] for j in others)
        lead = float(norm.isf(t.sf(lead, n - 1))) if lead > 0 else lead
        largest = [max((row[j] - row[c]) / spread[j] for j in others) for row in away]
        found.append((1 + sum(m >= lead for m in largest)) / (1 + len(resamples)))
    return found
