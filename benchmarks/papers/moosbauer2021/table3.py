"""Table 3: the likelihood of the true curve under both bands, with a right and a wrong kernel.

The true objective is the mean of a process
with a Matérn 3/2 kernel that was fitted to 30 values of the Styblinski-Tang function; surrogates
with a Matérn 3/2 and with a squared exponential kernel are fitted to its values at those points.
All three are either the published process, or ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.moosbauer2021.kriging import Kriging
from benchmarks.papers.moosbauer2021.optimise import styblinski_tang
from benchmarks.papers.moosbauer2021.table1 import GRID, SEED, cube
from earnest.explanation.curves import negative_log_likelihood
from earnest.explanation.surrogate.gaussian_process import GaussianProcess

Floats = NDArray[np.float64]
TRIALS, POINTS, KERNELS = 30, 100, ("matern32", "rbf")
NO_LIMIT = 1e4  # of the variance: the published process has one only where a nugget is given
Curve = tuple[Floats, Floats, Floats]  # mean, sd by equation 4, sd by equation 5


class Published:
    """The published process and its effect of the first parameter."""

    def __init__(self, points: Floats, values: Floats, kernel: str) -> None:
        self.process = Kriging(kernel=kernel, freedom=NO_LIMIT).fit(points, values)

    def at(self, points: Floats) -> Floats:
        """Return the mean at the points."""
        return self.process.predict(points)[0]

    def curve(self, over: Floats, grid: Floats) -> Curve:
        """Return the effect on the grid, averaged over points."""
        moved = [np.column_stack([np.full(len(over), value), over[:, 1:]]) for value in grid]
        both = [self.process.predict(each) for each in moved]
        average = [np.sqrt(np.square(sd).mean()) for _, sd in both]
        of_mean = [self.process.sd_of_mean(each) for each in moved]
        return np.array([mean.mean() for mean, _ in both]), np.array(of_mean), np.array(average)


class Ours:
    """Our process, of largest likelihood, and its effect of the first parameter."""

    def __init__(self, points: Floats, values: Floats, kernel: str) -> None:
        space, rng = cube(points.shape[1]), np.random.default_rng(0)
        process = GaussianProcess(kernel=kernel, prior=False)
        self.process = process.fit(space, coded(points), values, rng=rng)

    def at(self, points: Floats) -> Floats:
        """Return the mean at the points."""
        return self.process.posterior(coded(points))[0]

    def curve(self, over: Floats, grid: Floats) -> Curve:
        """Return the effect on the grid, averaged over points."""
        sums = self.process.effect(coded(over), 0, coded(grid), pointwise=True)
        assert sums.sd_of_mean is not None
        assert sums.sd is not None
        return sums.mean, sums.sd_of_mean, sums.sd


def coded(values: Floats) -> Floats:
    """Return values of [-5, 5] on [0, 1]."""
    return np.asarray((values + 5.0) / 10.0)


def likelihoods(surrogate: str, dimensions: int, replication: int) -> dict[tuple[str, str], float]:
    """Return the NLL of the true curve by kernel and band."""
    rng = np.random.default_rng([SEED, dimensions, replication])
    points, over = (rng.uniform(-5, 5, (n, dimensions)) for n in (TRIALS, POINTS))
    grid = np.linspace(over[:, 0].min(), over[:, 0].max(), GRID)
    kind = Published if surrogate == "kriging" else Ours
    truth = kind(points, styblinski_tang(points), "matern32")
    true, values = truth.curve(over, grid)[0], truth.at(points)
    out = {}
    for kernel in KERNELS:
        mean, of_mean, average = kind(points, values, kernel).curve(over, grid)
        out[kernel, "eq4"] = negative_log_likelihood(true, mean, of_mean)
        out[kernel, "eq5"] = negative_log_likelihood(true, mean, average)
    return out
