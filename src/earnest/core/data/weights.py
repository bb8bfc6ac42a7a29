"""A resample is a row of weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, InputError


class Unit(StrEnum):
    """What a resample draws."""

    CASE = "case"
    GROUP = "group"
    FOLD = "fold"
    BLOCK = "block"


@dataclass(frozen=True, eq=False)
class Weights:
    """`B` resamples of `n` cases as non-negative weights.

    Parameters
    ----------
    values : ndarray, shape (B, n)
        Counts (uint8 or another integer type) or real weights (float64).
    unit : Unit
        What was drawn.
    factors, left_factors : ndarray, shape (n,), optional
        What the weights of the drawn cases, and of those left out, are multiplied by in every
        resample, where strata were drawn in unlike numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.data.weights import Weights
    >>> Weights(np.array([[2, 0, 1]], dtype=np.uint8)).out_of_bag().values
    array([[0, 1, 0]], dtype=uint8)
    """

    values: NDArray[Any]  # counts or real weights
    unit: Unit = Unit.CASE
    factors: NDArray[np.float64] | None = None
    left_factors: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a matrix of non-negative numbers."""
        if self.values.ndim != 2:
            raise InputError(
                "weights have the wrong shape", needs="(B, n)", got=str(self.values.shape)
            )
        kind = self.values.dtype.kind
        if kind not in "uif":
            raise InputError("weights are not numbers", got=f"dtype {self.values.dtype}")
        if kind == "u" or not self.values.size:
            return
        if not (self.values >= 0).all() or (kind == "f" and not np.isfinite(self.values).all()):
            raise InputError("weights are negative or not finite", needs="weights of at least 0")

    @classmethod
    def ones(cls, n: int) -> Weights:
        """Return the one resample that is the sample itself."""
        return cls(np.ones((1, n), dtype=np.uint8))

    def __len__(self) -> int:
        """Count the resamples."""
        return len(self.values)

    @property
    def integral(self) -> bool:
        """Whether the weights are counts."""
        return self.values.dtype.kind in "ui"

    def out_of_bag(self) -> Weights:
        """Return weight 1 for the cases that a resample left out, 0 for the others."""
        if not self.integral:
            raise EvidenceError(
                "real weights are never 0, so there is nothing out-of-bag",
                needs="counts",
                got=f"{self.values.dtype} weights",
                cure="Use a resampler that draws cases, such as CaseBootstrap().",
            )
        return Weights((self.values == 0).view(np.uint8), self.unit, self.left_factors)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Weights:
        """Return some of the resamples."""
        return replace(self, values=self.values[rows])

    def take_cases(self, rows: NDArray[np.intp]) -> Weights:
        """Return the same resamples of some of the cases."""
        return replace(
            self,
            values=np.ascontiguousarray(self.values[:, rows]),
            factors=None if self.factors is None else self.factors[rows],
            left_factors=None if self.left_factors is None else self.left_factors[rows],
        )

    def scale(self, masses: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Return what counts are multiplied by (n,): the masses of cases, and the factors."""
        if masses is None or self.factors is None:
            return self.factors if masses is None else masses
        return masses * self.factors
