"""Covariance functions of a stretched squared distance, and their slope in log length scales."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kernel:
    """A covariance function of s² = (stretch r)², for r the distance in units of length scales.

    Parameters
    ----------
    words : str
        Its name for people.
    stretch : float
        What distances are multiplied by beforehand, once, rather than in every evaluation.
    value : callable
        `value(squares, out)`: the function, written to `out`; the squares are overwritten.
    slope : callable
        The factor f in the derivative f s_j² in log l_j, where s_j² is the part of s² that comes
        from length scale j.
    smoothness : float
        That of the Matérn family.
    fast_sums : callable, optional
        A shorter way to the sums over rows than by the values.
    """

    words: str
    stretch: float
    value: Callable[[Floats, Floats], Floats]
    slope: Callable[[Floats], Floats]
    smoothness: float
    fast_sums: Callable[[Floats, Floats], Floats] | None = None

    def sums(self, squares: Floats, out: Floats) -> Floats:
        """Return the sum of the values of each row; both arrays are overwritten."""
        if self.fast_sums is not None:
            return self.fast_sums(squares, out)
        return np.asarray(self.value(squares, out) @ np.ones(out.shape[1]))


def _matern32(squares: Floats, out: Floats) -> Floats:
    """Return (1 + s) exp(-s)."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    squares += 1.0
    out *= squares
    return out


def _matern32_sums(squares: Floats, out: Floats) -> Floats:
    """Return the sums of exp(-s) and of s exp(-s): two passes over the values fewer."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    return np.asarray(out @ np.ones(out.shape[1]) + np.vecdot(squares, out))


def _matern52(squares: Floats, out: Floats) -> Floats:
    """Return (1 + s + s²/3) exp(-s)."""
    s = np.sqrt(squares)
    np.negative(s, out=out)
    np.exp(out, out=out)
    squares /= 3.0
    squares += s
    squares += 1.0
    out *= squares
    return out


def _rbf(squares: Floats, out: Floats) -> Floats:
    """Return exp(-s²)."""
    np.negative(squares, out=out)
    return np.asarray(np.exp(out, out=out))


KERNELS: dict[str, Kernel] = {
    "matern32": Kernel(
        "Matérn 3/2",
        np.sqrt(3.0),
        _matern32,
        lambda squares: np.exp(-np.sqrt(squares)),
        1.5,
        _matern32_sums,
    ),
    "matern52": Kernel(
        "Matérn 5/2",
        np.sqrt(5.0),
        _matern52,
        lambda squares: (1.0 + np.sqrt(squares)) * np.exp(-np.sqrt(squares)) / 3.0,
        2.5,
    ),
    "rbf": Kernel(
        "squared exponential",
        np.sqrt(0.5),
        _rbf,
        lambda squares: 2.0 * np.exp(-squares),
        np.inf,
    ),
}


def squared_distances(left: Floats, right: Floats) -> Floats:
    """Return squared Euclidean distances (n, m) by one product, never negative."""
    squares = left @ (-2.0 * right).T
    squares += np.einsum("ij,ij->i", left, left)[:, None]
    squares += np.einsum("ij,ij->i", right, right)
    return np.asarray(np.maximum(squares, 0.0, out=squares))
