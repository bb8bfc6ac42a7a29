"""Surrogates: models of the objective over the space, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.results.cautions import Caution
from earnest.core.space.space import Space

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EffectSums:
    """Partial dependence of a surrogate on `G` values, averaged over `m` points.

    Parameters
    ----------
    mean : ndarray, shape (G,)
        The mean over the points of the surrogate's mean (Moosbauer et al. 2021, eq. 3).
    sd : ndarray, shape (G,), optional
        The average uncertainty of the surrogate, sqrt(mean of its variances) (eq. 5). It is not
        the standard deviation of `mean`, and does not shrink with more points.
    sd_of_mean : ndarray, shape (G,), optional
        The standard deviation of `mean`, from all covariances (eq. 4); never above `sd`.
    ice_mean, ice_sd : ndarray, shape (m, G), optional
        Mean and standard deviation at every point: its ICE curves.
    """

    mean: Floats
    sd: Floats | None = None
    sd_of_mean: Floats | None = None
    ice_mean: Floats | None = None
    ice_sd: Floats | None = None


@runtime_checkable
class FittedSurrogate(Protocol):
    """A surrogate that has seen the trials."""

    @property
    def name(self) -> str:
        """The name in words."""
        ...

    @property
    def space(self) -> Space:
        """The space of its codes."""
        ...

    @property
    def noise_sd(self) -> float:
        """The sd of the noise that `posterior` leaves out, in the units of the objective."""
        ...

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Cautions about the fit."""
        ...

    def posterior(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd of the latent function at codes (n, d)."""
        ...

    def joint(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariances of the latent function at codes (n, d)."""
        ...

    def averages(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd of the mean over the m points of each of (G, m, d)."""
        ...

    def covariance(self, codes: Floats, others: Floats) -> Floats:
        """Return the covariances of the latent function at codes (n, d) with others (k, d)."""
        ...

    def effect(
        self,
        points: Floats,
        column: int | tuple[int, ...],
        values: Floats,
        *,
        pointwise: bool = True,
        covariance: bool = True,
        n_jobs: int | None = None,
    ) -> EffectSums:
        """Return what setting a column of the points (m, d) to each of (G,) values gives."""
        ...


@runtime_checkable
class Surrogate(Protocol):
    """A kind of surrogate with its options."""

    @property
    def name(self) -> str:
        """The name that selects it."""
        ...

    def fit(
        self,
        space: Space,
        codes: Floats,
        objective: Floats,
        standard_error: Floats | None = None,
        *,
        added_sd: Floats | None = None,
        rng: np.random.Generator,
    ) -> FittedSurrogate:
        """Learn the objective (n,) at the codes (n, d), NaN where a parameter is inactive.

        `added_sd` (n,) is what the objective of a pruned trial is less certain by than others; None
        if no trial was pruned.
        """
        ...


def choose_surrogate(space: Space, n: int) -> Surrogate:
    """Return the surrogate for this many trials in this space.

    A Gaussian process up to 1000 trials, a random forest beyond them, and also where categories
    have more than 30 levels between them and the trials are fewer than ten per level: the process
    then has hardly anything to tell levels apart by.
    """
    from earnest.explanation.surrogate.forest import ForestSurrogate
    from earnest.explanation.surrogate.gaussian_process import GaussianProcess

    levels = sum(len(p.choices) for p in space if not p.numeric and p.varies)
    if n > LARGEST_PROCESS:
        return ForestSurrogate(most_trials=LARGEST_PROCESS)
    if levels > MANY_LEVELS and n < 10 * levels:
        return ForestSurrogate(many_levels=levels)
    return GaussianProcess()


LARGEST_PROCESS = 1000  # trials; the time of a Gaussian process grows with their cube
MANY_LEVELS = 30


def find_surrogate(surrogate: object, space: Space, n: int) -> Surrogate:
    """Return the surrogate of the argument `surrogate`: a name, an instance or None."""
    from earnest.explanation.surrogate.forest import ForestSurrogate
    from earnest.explanation.surrogate.gaussian_process import GaussianProcess

    if surrogate is None:
        return choose_surrogate(space, n)
    if isinstance(surrogate, Surrogate):
        return surrogate
    surrogates: dict[str, type[Surrogate]] = {
        "gaussian_process": GaussianProcess,
        "forest": ForestSurrogate,
    }
    return surrogates[check.one_of("surrogate", surrogate, surrogates)]()


def as_columns(column: int | tuple[int, ...], values: Floats) -> tuple[tuple[int, ...], Floats]:
    """Return the columns as a tuple and their values as (G, k)."""
    columns = (column,) if isinstance(column, (int, np.integer)) else tuple(column)
    table = np.asarray(values, dtype=np.float64)
    return tuple(int(c) for c in columns), table.reshape(len(table), len(columns))


BLOCK = 256  # rows of a square of covariances of which only the diagonal is wanted


def variances(fitted: FittedSurrogate, codes: Floats) -> Floats:
    """Return the variance of the latent function at codes, as its covariances have it."""
    blocks = (codes[start : start + BLOCK] for start in range(0, len(codes), BLOCK))
    return np.concatenate([fitted.covariance(block, block).diagonal() for block in blocks])
