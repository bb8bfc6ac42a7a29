"""How far predictions of new rows miss: what intervals and sets for single rows are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.results.base import Plain
from earnest.core.text.doors import arg

ROUNDING = 1e-12  # by which sums of shares differ


@dataclass(frozen=True, eq=False)
class ErrorShares(Plain):
    """The share of new rows that a model misses by at most an error.

    An error is the distance of the number from its prediction, or what is missing from 1 in the
    probability of the true class.

    Attributes
    ----------
    errors : ndarray, shape (m,)
        In rising order, the last one the largest that was seen.
    shares : ndarray, shape (m,)
        The share of new rows whose error is at most that, corrected for the selection of the
        model, which leaves the last one below 1.
    n_units : int
        The cases, or the groups of cases, that they come from.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.error_shares import ErrorShares
    >>> seen = ErrorShares(np.arange(1.0, 20.0), np.arange(1, 20) / 19, 19)
    >>> seen.find_bound(0.9), seen.find_bound(0.95)
    (18.0, 19.0)
    """

    errors: NDArray[np.float64]
    shares: NDArray[np.float64]
    n_units: int

    def __post_init__(self) -> None:
        """Refuse what is no distribution of errors."""
        whole = (
            self.errors.ndim == 1
            and self.errors.shape == self.shares.shape
            and len(self.errors) > 0
            and self.n_units >= 1
            and bool(np.isfinite(self.errors).all() and np.isfinite(self.shares).all())
            and bool((np.diff(self.errors) >= 0).all() and (np.diff(self.shares) >= 0).all())
            and self.errors[0] >= 0
            and self.shares[0] >= 0
            and 0 < self.shares[-1] <= 1
        )
        if not whole:
            raise InputError(
                "these are no shares of errors",
                needs="errors of at least 0 and shares up to 1, both in rising order",
                got=f"{len(self.errors)} errors, {len(self.shares)} shares",
            )

    @property
    def highest_level(self) -> float:
        """The highest level that so few cases can promise after such a selection."""
        return float(self.shares[-1]) * self.n_units / (self.n_units + 1)

    def find_bound(self, level: float) -> float:
        """Return the error that this share of new rows does not exceed.

        A new row is one more beside those that were seen, so the share among these is a little
        larger: `level * (n + 1) / n`.
        """
        level = check.check_share("interval", level)
        share = level * (self.n_units + 1) / self.n_units - ROUNDING
        if share > self.shares[-1]:
            lowered = math.floor(self.highest_level * 100) / 100
            raise InputError(
                f"{arg('interval')} is too high for so few cases",
                needs=f"at most {lowered:g} with {self.n_units:,} cases or groups",
                got=check.show(level),
                cure=f"Use {lowered:g}, or tune on more cases." if lowered > 0 else "",
            )
        return float(self.errors[np.searchsorted(self.shares, share)])
