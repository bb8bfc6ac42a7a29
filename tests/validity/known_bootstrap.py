"""Linear and quadratic discriminants on many bootstrap samples at once, as Yousef 2022 trains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trial:
    """Scores (B, n) of both discriminants, counts (B, n), classes (n,), apparent scores (n,)."""

    linear: Array
    quadratic: Array
    counts: NDArray[np.int64]
    y: NDArray[np.int64]
    apparent: Array  # of the quadratic one
    truth: float  # the AUC of the quadratic one on fresh cases, NaN if not asked for


def trial(
    rng: np.random.Generator,
    *,
    per_class: int,
    features: int,
    shift: float,
    replicates: int,
    fresh: int = 0,
) -> Trial:
    """Two normal classes `shift` apart in each feature; samples drawn within each class."""
    y = np.repeat([1, 0], per_class)
    x = rng.standard_normal((2 * per_class, features)) + shift * y[:, None]
    even = np.full(per_class, 1 / per_class)
    parts = [_drawn(rng, per_class, even, replicates, features) for _ in (1, 0)]
    counts = np.concatenate(parts, axis=1)
    linear, quadratic = scores(x, y, counts, x)
    once = np.ones((1, 2 * per_class), dtype=np.int64)
    truth = float("nan")
    if fresh:
        there = np.repeat([1, 0], fresh)
        new = rng.standard_normal((2 * fresh, features)) + shift * there[:, None]
        truth = auc(there, scores(x, y, once, new)[1][0])
    return Trial(linear, quadratic, counts, y, scores(x, y, once, x)[1][0], truth)


def _drawn(
    rng: np.random.Generator, n: int, even: Array, replicates: int, features: int
) -> NDArray[np.int64]:
    """Counts of one class, drawn again where too few distinct cases span no covariance."""
    counts = rng.multinomial(n, even, size=replicates)
    while (few := (counts > 0).sum(axis=1) <= features + 1).any():
        counts[few] = rng.multinomial(n, even, size=int(few.sum()))
    return counts


def scores(
    x: Array, y: NDArray[np.int64], counts: NDArray[np.int64], where: Array
) -> tuple[Array, Array]:
    """The log-likelihood ratios of the linear and the quadratic discriminant: (B, m) each."""
    means, spreads, sizes = [], [], []
    for code in (1, 0):
        weight = counts * (y == code)  # (B, n)
        size = weight.sum(axis=1)
        mean = weight @ x / size[:, None]
        second = np.einsum("bn,ni,nj->bij", weight, x, x, optimize=True)
        about = second - size[:, None, None] * mean[:, :, None] * mean[:, None, :]
        means.append(mean)
        spreads.append(about)
        sizes.append(size)
    pooled = (spreads[0] + spreads[1]) / (sizes[0] + sizes[1] - 2)[:, None, None]
    linear = _density(where, means[0], pooled) - _density(where, means[1], pooled)
    own = [s / (n - 1)[:, None, None] for s, n in zip(spreads, sizes, strict=True)]
    return linear, _density(where, means[0], own[0]) - _density(where, means[1], own[1])


def _density(x: Array, mean: Array, spread: Array) -> Array:
    away = x[None] - mean[:, None]  # (B, m, p)
    far = np.einsum("bmi,bij,bmj->bm", away, np.linalg.inv(spread), away, optimize=True)
    return -0.5 * far - 0.5 * np.linalg.slogdet(spread)[1][:, None]


def auc(y: NDArray[np.int64], score: Array) -> float:
    """The AUC by ranks; continuous scores have no ties."""
    ranks = np.empty(len(y))
    ranks[np.argsort(score)] = np.arange(1, len(y) + 1)
    positives = int((y == 1).sum())
    low = positives * (positives + 1) / 2
    return float((ranks[y == 1].sum() - low) / (positives * (len(y) - positives)))
