"""Populations of items whose true scores are known."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import earnest as en

Array = NDArray[np.float64]


def answer_items(
    rng: np.random.Generator, n: int, shares: Array | list[float], agreement: float
) -> Array:
    """Return 0/1 scores (n, C) with these true means; `agreement` correlates the latent scores."""
    shares = np.atleast_1d(np.asarray(shares, dtype=np.float64))
    cuts = np.array([NormalDist().inv_cdf(share) for share in shares])
    shared = rng.standard_normal((n, 1))
    own = rng.standard_normal((n, len(shares)))
    latent = np.sqrt(agreement) * shared + np.sqrt(1 - agreement) * own
    return (latent < cuts).astype(np.float64)


def answer_pair(
    rng: np.random.Generator, n: int, loss: float, gain: float
) -> tuple[en.Scores, en.Scores]:
    """Return new and old scores that differ on items with chances `loss` and `gain`."""
    draw = rng.random(n)
    old = (rng.random(n) < 0.7).astype(np.float64)
    new = old.copy()
    old[draw < loss], new[draw < loss] = 1.0, 0.0
    won = (draw >= loss) & (draw < loss + gain)
    old[won], new[won] = 0.0, 1.0
    return make_scores(new, "new"), make_scores(old, "old")


def make_scores(values: Array, *names: str) -> en.Scores:
    """Return 0/1 scores of named configurations, with items that have names."""
    table = values[:, None] if values.ndim == 1 else values
    ids = np.arange(len(table))
    return en.Scores(table, id=ids, configs=names or None, limits=(0, 1))
