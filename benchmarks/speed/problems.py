"""Synthetic predictions of a given size."""

from __future__ import annotations

import numpy as np

import earnest as en


def binary(n: int, configs: int, *, dtype: type = np.float64, seed: int = 0) -> en.Predictions:
    """Return probabilities of a grid of correlated configurations of unlike strength."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int64)
    shared = rng.standard_normal(n)
    scores = np.empty((n, configs), dtype=dtype)
    for c in range(configs):
        strength = rng.uniform(0.2, 1.6)
        raw = strength * y + 0.7 * shared + 0.7 * rng.standard_normal(n)
        scores[:, c] = 1 / (1 + np.exp(-raw))
    return en.Predictions.from_arrays(y, scores, np.arange(n) % 10, response="probability")


def repeated(n: int, configs: int, *, repeats: int, seed: int = 0) -> en.Predictions:
    """Return scores of equally good configurations in repeats of ten folds."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    scores = y[:, None, None] + rng.standard_normal((n, configs, repeats))
    fold = np.stack([rng.permutation(n) % 10 for _ in range(repeats)], axis=1)
    return en.Predictions.from_arrays(y, scores, fold)


def multiclass(n: int, configs: int, *, classes: int = 10, seed: int = 0) -> en.Predictions:
    """Return class probabilities that know a little of the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    raw = rng.standard_exponential((n, configs, 1, classes))
    raw[np.arange(n), :, 0, y] += 1.0
    scores = raw / raw.sum(axis=3, keepdims=True)
    return en.Predictions.from_arrays(y, scores, np.arange(n) // classes % 10, task="multiclass")
