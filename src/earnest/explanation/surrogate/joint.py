"""Functions that the surrogate holds possible: draws from it at many points together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.space.space import Parameter
from earnest.explanation.surrogate.surrogate import FittedSurrogate

Floats = NDArray[np.float64]
BLOCK = 256  # rows of a square of covariances of which only the diagonal is wanted
JITTERS = tuple(10.0**-power for power in range(12, 1, -1))  # shares of the largest variance


def draws(fitted: FittedSurrogate, codes: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Draw the values of possible functions at codes: (count, n)."""
    mean = fitted.posterior(codes)[0]
    root = root_of(fitted.covariance(codes, codes))
    return np.asarray(mean + rng.standard_normal((count, len(codes))) @ root.T)


def root_of(covariance: Floats) -> Floats:
    """Return L with L L' = covariance, up to the smallest jitter that makes it one.

    Rounding, and points that are nearly equal, leave eigenvalues a little below 0.
    """
    symmetric = 0.5 * (covariance + covariance.T)
    largest = float(symmetric.diagonal().max(initial=0.0))
    if largest <= 0.0:
        return np.zeros_like(symmetric)
    for jitter in JITTERS:
        try:
            shifted = symmetric + jitter * largest * np.eye(len(symmetric))
            return np.asarray(np.linalg.cholesky(shifted), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    values, vectors = np.linalg.eigh(symmetric)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def variances(fitted: FittedSurrogate, codes: Floats) -> Floats:
    """Return the variance of the latent function at codes, as its covariances have it."""
    blocks = (codes[start : start + BLOCK] for start in range(0, len(codes), BLOCK))
    return np.concatenate([fitted.covariance(part, part).diagonal() for part in blocks])


def make_even_codes(parameter: Parameter, size: int) -> Floats:
    """Return codes that stand for equal shares of a parameter's range: middles of equal cells.

    A grid that begins and ends at the limits would give those twice the weight they have.
    """
    if not parameter.numeric:
        return np.arange(len(parameter.choices), dtype=np.float64)
    values, codes = parameter.grid(size + 1)
    if len(values) <= size:  # a whole number with few values: all of them
        return codes
    middles = (np.arange(size) + 0.5) / size
    return np.unique(parameter.encode(parameter.decode(middles)))
