"""Forests of stumps and small networks for many training sets, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.papers.bayle2020.populations import BINS, Floats


@njit(fastmath=True, cache=True)
def stumps(
    codes: NDArray[np.uint8],
    y: Floats,
    keep: NDArray[np.bool_],
    features: NDArray[np.int64],
) -> Floats:
    """Return the mean of trees with one cut each, as a table (p, BINS) that is added up.

    codes (m, p) are the binned features of the training cases, keep (T, m) those that each tree
    sees, and features (T, f) the ones that it may cut.
    """
    trees, (m, p) = len(keep), codes.shape
    table = np.zeros((p, BINS))
    for t in range(trees):
        count, total = np.zeros((p, BINS)), np.zeros((p, BINS))
        for i in range(m):
            if keep[t, i]:
                for j in range(p):
                    count[j, codes[i, j]] += 1.0
                    total[j, codes[i, j]] += y[i]
        cases, whole = count[0].sum(), total[0].sum()
        best, where, cut = -1.0, 0, BINS - 1
        low, high = whole / cases, 0.0
        for j in features[t]:
            left, below = 0.0, 0.0
            for b in range(BINS - 1):
                left += count[j, b]
                below += total[j, b]
                if 0.0 < left < cases:
                    right, above = cases - left, whole - below
                    gain = below * below / left + above * above / right
                    if gain > best:
                        best, where, cut = gain, j, b
                        low, high = below / left, above / right
        table[where, : cut + 1] += low
        table[where, cut + 1 :] += high
    return table / trees


@njit(fastmath=True, cache=True)
def network(
    X: Floats,
    y: Floats,
    start: Floats,
    shrink: Floats,
    layers: tuple[int, int],
    epochs: int,
    batch: int,
    rate: float,
) -> Floats:
    """Return the parameters of a network for two classes, trained by Adam on cases in their order.

    Parameters are one vector: weights and intercepts of the first hidden layer, of the second, and
    of the output. `start` is where it begins, `shrink` the penalty of each.
    """
    (m, p), (h1, h2) = X.shape, layers
    theta, slope = start.copy(), np.zeros_like(start)
    first, second = np.zeros_like(start), np.zeros_like(start)
    W1, b1, W2, b2, W3 = _views(theta, p, h1, h2)
    S1, s1, S2, s2, S3 = _views(slope, p, h1, h2)
    a1, a2, d1, d2 = np.empty(h1), np.empty(h2), np.empty(h1), np.empty(h2)
    step = 0
    for _ in range(epochs):
        for begin in range(0, m, batch):
            end = min(begin + batch, m)
            slope[:] = 0.0
            for i in range(begin, end):
                z = _forward(X[i], W1, b1, W2, b2, W3, theta[-1], a1, a2)
                d3 = 1.0 / (1.0 + np.exp(-z)) - y[i]
                slope[-1] += d3
                for k in range(h2):
                    S3[k] += a2[k] * d3
                    d2[k] = W3[k] * d3 if a2[k] > 0 else 0.0
                    s2[k] += d2[k]
                for j in range(h1):
                    back = 0.0
                    for k in range(h2):
                        S2[j, k] += a1[j] * d2[k]
                        back += W2[j, k] * d2[k]
                    d1[j] = back if a1[j] > 0 else 0.0
                    s1[j] += d1[j]
                for q in range(p):
                    for j in range(h1):
                        S1[q, j] += X[i, q] * d1[j]
            step += 1
            scaled = rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for r in range(len(theta)):
                g = (slope[r] + shrink[r] * theta[r]) / (end - begin)
                first[r] = 0.9 * first[r] + 0.1 * g
                second[r] = 0.999 * second[r] + 0.001 * g * g
                theta[r] -= scaled * first[r] / (np.sqrt(second[r]) + 1e-8)
    return theta


@njit(fastmath=True, cache=True)
def outputs(X: Floats, theta: Floats, layers: tuple[int, int]) -> Floats:
    """Return what a network adds up to for every case, above 0 for class 1: (N,)."""
    h1, h2 = layers
    W1, b1, W2, b2, W3 = _views(theta, X.shape[1], h1, h2)
    a1, a2, out = np.empty(h1), np.empty(h2), np.empty(len(X))
    for i in range(len(X)):
        out[i] = _forward(X[i], W1, b1, W2, b2, W3, theta[-1], a1, a2)
    return out


@njit(cache=True)
def _views(theta: Floats, p: int, h1: int, h2: int) -> Any:
    a, b = p * h1, p * h1 + h1
    c, d = b + h1 * h2, b + h1 * h2 + h2
    return (
        theta[:a].reshape((p, h1)),
        theta[a:b],
        theta[b:c].reshape((h1, h2)),
        theta[c:d],
        theta[d : d + h2],
    )


@njit(fastmath=True, cache=True)
def _forward(
    x: Floats,
    W1: Floats,
    b1: Floats,
    W2: Floats,
    b2: Floats,
    W3: Floats,
    b3: float,
    a1: Floats,
    a2: Floats,
) -> float:
    for j in range(len(a1)):
        a1[j] = b1[j]
    for q in range(len(x)):
        for j in range(len(a1)):
            a1[j] += x[q] * W1[q, j]
    for k in range(len(a2)):
        a2[k] = b2[k]
    for j in range(len(a1)):
        a1[j] = max(a1[j], 0.0)
        for k in range(len(a2)):
            a2[k] += a1[j] * W2[j, k]
    z = b3
    for k in range(len(a2)):
        a2[k] = max(a2[k], 0.0)
        z += a2[k] * W3[k]
    return z
