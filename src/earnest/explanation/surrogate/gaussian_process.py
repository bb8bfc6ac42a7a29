"""A Gaussian process over a mixed, conditional space.

Its features are the codes of configurations, of which inactive parameters leave no trace. Its
scales are those where the marginal likelihood of the trials is largest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.threads import each, workers
from earnest.core.cautions import of_trials
from earnest.core.results.cautions import Caution
from earnest.core.space.parameters import ParameterKind
from earnest.core.space.space import Space
from earnest.explanation.surrogate.surrogate import EffectSums, as_columns

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor


# Covariance functions of a stretched squared distance, and their slope in log length scales.


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


def _apply_matern32(squares: Floats, out: Floats) -> Floats:
    """Return (1 + s) exp(-s)."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    squares += 1.0
    out *= squares
    return out


def _sum_matern32(squares: Floats, out: Floats) -> Floats:
    """Return the sums of exp(-s) and of s exp(-s): two passes over the values fewer."""
    np.sqrt(squares, out=squares)
    np.negative(squares, out=out)
    np.exp(out, out=out)
    return np.asarray(out @ np.ones(out.shape[1]) + np.vecdot(squares, out))


def _apply_matern52(squares: Floats, out: Floats) -> Floats:
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
        _apply_matern32,
        lambda squares: np.exp(-np.sqrt(squares)),
        1.5,
        _sum_matern32,
    ),
    "matern52": Kernel(
        "Matérn 5/2",
        np.sqrt(5.0),
        _apply_matern52,
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


JITTER = 1e-10

# Limits of the scales, for objectives of unit variance and features on [0, 1]: a length scale of
# 100 is a parameter without effect, and noise above the variance of the objective is all noise.
AMPLITUDE, LENGTH, NOISE = (1e-3, 1e3), (1e-2, 1e2), (1e-6, 2.0)


@dataclass(frozen=True)
class Scales:
    """What a Gaussian process is fitted by: amplitude, length scales and noise, all variances."""

    amplitude: float
    lengths: Floats  # one per group of features
    noise: float

    @classmethod
    def of(cls, theta: Floats) -> Scales:
        """Read the logs of amplitude, length scales and noise."""
        values = np.exp(theta)
        return cls(float(values[0]), values[1:-1], float(values[-1]))


@dataclass(frozen=True)
class SurrogateData:
    """Features (n, D) in groups, an objective of unit variance, and the variances known of it."""

    features: Floats
    member: NDArray[np.intp]  # the place of each feature's group among the groups
    groups: int
    objective: Floats
    trial_variance: Floats  # variances of single trials, beside the noise
    kernel: str

    def negative(self, theta: Floats) -> tuple[float, Floats]:
        """Return the negative log marginal likelihood and its gradient (Rasmussen 2006, 5.9).

        The gradient in a length scale is sum_ab M_ab (x_a - x_b)² / l², which is a matrix product
        with M, so that no array of n x n x D is ever made.
        """
        from scipy.linalg import cho_solve, cholesky
        from scipy.linalg.lapack import dpotri

        scales = Scales.of(theta)
        kernel = KERNELS[self.kernel]
        shrunk = self.features * (kernel.stretch / scales.lengths[self.member])
        squares = squared_distances(shrunk, shrunk)
        steep = scales.amplitude * kernel.slope(squares)
        covariance = scales.amplitude * kernel.value(squares, np.empty_like(squares))
        total = covariance.copy()
        total[np.diag_indices_from(total)] = (
            scales.amplitude + scales.noise + JITTER + self.trial_variance
        )
        try:
            factor = cholesky(total, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(theta)
        weights = cho_solve((factor, True), self.objective, check_finite=False)
        inner = np.outer(weights, weights)
        half, _ = dpotri(factor, lower=1)  # the lower half of the inverse, zeros above
        inner -= half
        inner -= half.T
        inner[np.diag_indices_from(inner)] += half.diagonal()
        fit = 0.5 * self.objective @ weights + np.log(np.diag(factor)).sum()
        likelihood = -fit - 0.5 * len(weights) * np.log(2 * np.pi)
        gradient = np.empty_like(theta)
        gradient[0] = 0.5 * np.einsum("ij,ij->", inner, covariance)
        gradient[1:-1] = self._sum_by_length(inner * steep, shrunk)
        gradient[-1] = 0.5 * scales.noise * np.trace(inner)
        return -float(likelihood), -gradient

    def _sum_by_length(self, inner: Floats, shrunk: Floats) -> Floats:
        rows = inner.sum(axis=1)
        sums = rows @ (shrunk * shrunk) - np.einsum("ij,ij->j", shrunk, inner @ shrunk)
        return np.bincount(self.member, sums, self.groups).astype(np.float64)


def penalise_scales(theta: Floats) -> tuple[float, Floats]:
    """Return the negative log density of a weak prior of the scales, and its gradient.

    Length scales around the root of their number, within a factor of 4.5 either way, and noise
    around 2 % of the variance, within a factor of 7: standard deviations of normal logs.
    """
    usual = np.array([0.0, *([0.5 * np.log(max(len(theta) - 2, 1))] * (len(theta) - 2)), -4.0])
    width = np.array([np.inf, *([1.5] * (len(theta) - 2)), 2.0])
    away = (theta - usual) / width
    return float(0.5 * away @ away), away / width


def find_best_scales(
    evidence: SurrogateData, restarts: int, rng: np.random.Generator, *, prior: bool
) -> Scales | None:
    """Return the scales of the highest likelihood found, None if no start converged."""
    from scipy.optimize import minimize

    def negative(theta: Floats) -> tuple[float, Floats]:
        value, gradient = evidence.negative(theta)
        if not prior:
            return value, gradient
        more, slope = penalise_scales(theta)
        return value + more, gradient + slope

    bounds = np.log([AMPLITUDE, *([LENGTH] * evidence.groups), NOISE])
    fits = [
        minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds)
        for start in _list_starts(evidence.groups, restarts, rng)
    ]
    good = [fit for fit in fits if np.isfinite(fit.fun) and fit.fun < 1e24]
    return Scales.of(min(good, key=lambda fit: fit.fun).x) if good else None


def _list_starts(groups: int, restarts: int, rng: np.random.Generator) -> list[Floats]:
    """Return a usual place to begin, and others drawn around it."""
    usual = np.log([1.0, *([0.5 * np.sqrt(max(groups, 1))] * groups), 0.01])
    spread = np.array([1.0, *([1.0] * groups), 2.0])
    return [usual, *(usual + spread * rng.uniform(-1.5, 1.5, groups + 2) for _ in range(restarts))]


MIDDLE = 0.5  # what an inactive number is set to: the same for all, so that it tells nothing


@dataclass(frozen=True)
class Features:
    """How the columns of a space become features, each belonging to one parameter.

    Numbers are one feature on [0, 1], the middle where inactive. Categories are one feature a
    level, scaled so that two different levels are at distance 1; all are 0 where inactive.
    Whether a number is active has a feature of its own only where no category tells it.

    Parameters
    ----------
    space : Space
        The space of the codes.
    group : ndarray, shape (D,)
        The column that each feature comes from; activity is a group of its own, beyond them.
    """

    space: Space
    group: NDArray[np.intp]

    @classmethod
    def of(cls, space: Space) -> Features:
        """Lay out the features of a space."""
        group: list[int] = []
        for j, parameter in enumerate(space):
            if parameter.varies:
                single = parameter.numeric or parameter.kind == ParameterKind.ORDINAL
                group += [j] * (1 if single else len(parameter.choices))
        group += [len(space) + j for j in _list_uncoded(space)]
        return cls(space, np.array(group, dtype=np.intp))

    @property
    def groups(self) -> NDArray[np.intp]:
        """The groups in order, each with a length scale of its own."""
        return np.unique(self.group)

    def __call__(self, codes: Floats) -> Floats:
        """Return codes (n, d) as features (n, D)."""
        active = self.space.active(codes)
        parts = [
            self._encode_column(j, np.where(active[:, j], codes[:, j], np.nan))
            for j, parameter in enumerate(self.space)
            if parameter.varies
        ]
        activity = [active[:, j].astype(np.float64)[:, None] for j in _list_uncoded(self.space)]
        return np.concatenate([*parts, *activity, np.empty((len(codes), 0))], axis=1)

    def columns(self, position: int) -> NDArray[np.intp]:
        """Return which features come from a column of the space."""
        return np.flatnonzero(self.group == position)

    def of_values(self, position: int, values: Floats) -> Floats:
        """Return the features of one column for codes at which it is active."""
        if not self.space.parameters[position].varies:
            return np.empty((len(values), 0))
        return self._encode_column(position, values)

    def _encode_column(self, position: int, column: Floats) -> Floats:
        parameter = self.space.parameters[position]
        inactive = np.isnan(column)
        if parameter.numeric or parameter.kind == ParameterKind.ORDINAL:
            return np.where(inactive, MIDDLE, column / parameter.top)[:, None]
        levels = np.arange(len(parameter.choices))
        return np.asarray((column[:, None] == levels) * np.sqrt(0.5))


def _list_uncoded(space: Space) -> list[int]:
    """Return the numbers and ordinals whose activity does not follow from categories alone."""
    ordered = [
        j
        for j, p in enumerate(space)
        if p.varies and (p.numeric or p.kind == ParameterKind.ORDINAL)
    ]
    return [j for j in ordered if not _is_coded(space, j)]


def _is_coded(space: Space, position: int) -> bool:
    condition = space.parameters[position].condition
    if condition is None:
        return True
    parents = [space[parent] for parent in condition.parents]
    return condition.share is None and all(p.kind == ParameterKind.CATEGORICAL for p in parents)


# A fitted Gaussian process: posterior, partial dependence, and covariances of means.


Floats = NDArray[np.float64]
BLOCK = 1 << 16  # values of a block: 512 KB, which stay close to the core from step to step
COLUMNS = 320  # at least where variances are wanted: each block reads the whole of a large table


@dataclass(frozen=True)
class FittedProcess:
    """A Gaussian process that has seen the trials; see `FittedSurrogate`.

    The way to partial dependence: the distance to the trials is summed over the parameters that
    stay once a block of points, each value of the parameter adds its own part; one triangular
    product gives the variances; and the covariances of a mean need only the mean covariance with
    the trials and one double sum over the points, as that does not depend on the value.
    """

    features: Features
    kernel: str
    scales: Scales
    regressor: GaussianProcessRegressor = field(
        repr=False
    )  # scikit-learn's, which `posterior` equals without noise
    shrunk: Floats = field(repr=False)  # (n, D), features over stretched length scales
    weights: Floats = field(repr=False)  # (n,), K^-1 y, times the amplitude
    inverse: Floats = field(repr=False)  # (n, n), L^-1 in Fortran order, times the amplitude
    shift: float
    spread: float
    cautions: tuple[Caution, ...] = ()

    @classmethod
    def of(
        cls,
        features: Features,
        inputs: Floats,
        objective: Floats,
        scales: Scales,
        evidence: SurrogateData,
        cautions: tuple[Caution, ...],
    ) -> FittedProcess:
        """Let scikit-learn fit the process at these scales, and keep what the fast way needs."""
        from scipy.linalg import solve_triangular

        regressor = _make_regressor(scales, evidence).fit(inputs, objective)
        inverse = solve_triangular(regressor.L_, np.eye(len(inputs)), lower=True)
        return cls(
            features=features,
            kernel=evidence.kernel,
            scales=scales,
            regressor=regressor,
            shrunk=inputs * (KERNELS[evidence.kernel].stretch / scales.lengths[evidence.member]),
            weights=scales.amplitude * regressor.alpha_.ravel(),
            inverse=np.asfortranarray(scales.amplitude * inverse),
            shift=float(objective.mean()),
            spread=float(np.std(objective)) or 1.0,
            cautions=cautions,
        )

    @property
    def name(self) -> str:
        """The name in words."""
        return f"Gaussian process ({KERNELS[self.kernel].words})"

    @property
    def space(self) -> Space:
        """The space of its codes."""
        return self.features.space

    @property
    def noise_sd(self) -> float:
        """The sd of the noise of a trial, in the units of the objective."""
        return float(np.sqrt(self.scales.noise) * self.spread)

    @property
    def lengths(self) -> dict[str, float]:
        """The length scale of every parameter that varies; large ones hardly matter."""
        names = self.space.names
        scale = zip(self.features.groups, self.scales.lengths, strict=True)
        return {names[group]: float(length) for group, length in scale if group < len(names)}

    def posterior(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd of the latent function at codes (n, d)."""
        sums = self._sweep(self._place(np.atleast_2d(codes)), self.shrunk, _NOTHING, True, False)
        assert sums.ice_mean is not None  # pointwise has both
        assert sums.ice_sd is not None
        return sums.ice_mean[:, 0], sums.ice_sd[:, 0]

    def joint(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariances of the latent function at codes (n, d)."""
        from scipy.linalg.blas import dsyrk

        places = self._place(np.atleast_2d(codes))
        near = self._near(self.shrunk, places)
        mean = self._restore_units(self.weights @ near)
        solved = self._solve(near)  # half of a product of two equal tables is the other half
        lost = dsyrk(1.0, solved, trans=1, lower=1)
        lost += np.tril(lost, -1).T
        prior = self.scales.amplitude * self._near(places, places)
        return mean, np.asarray(self.spread**2 * (prior - lost))

    def averages(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd of the mean over the m points of each of (G, m, d)."""
        sweeps = [
            self._sweep(self._place(points), self.shrunk, _NOTHING, False, True) for points in codes
        ]
        means = np.array([sums.mean[0] for sums in sweeps])
        return means, np.array(
            [sums.sd_of_mean[0] for sums in sweeps if sums.sd_of_mean is not None]
        )

    def covariance(self, codes: Floats, others: Floats) -> Floats:
        """Return the covariances of the latent function at codes (n, d) with others (k, d)."""
        left, right = (self._place(np.atleast_2d(each)) for each in (codes, others))
        prior = self.scales.amplitude * self._near(left, right)
        lost = (self.inverse @ self._near(left, self.shrunk).T).T @ (
            self.inverse @ self._near(right, self.shrunk).T
        )
        return np.asarray(self.spread**2 * (prior - lost))

    def _near(self, left: Floats, right: Floats) -> Floats:
        distance = squared_distances(left, right)
        return KERNELS[self.kernel].value(distance, np.empty_like(distance))

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
        """Return what setting a column of the points (m, d) to each of (G,) codes gives.

        Parameters
        ----------
        points : ndarray, shape (m, d)
            Codes at which the column is active. Where it has children, they need values too: draw
            the points with `complete=True`.
        column : int or tuple of int
            What is set; several columns at once for effects of pairs.
        values : ndarray, shape (G,) or (G, k)
            Codes, one per column.
        pointwise : bool
            Whether ICE curves and the sd by eq. 5 are wanted.
        covariance : bool
            Whether the sd by eq. 4 is wanted.
        n_jobs : int, optional
            Threads; results do not depend on it.
        """
        columns, table = as_columns(column, values)
        if any(self.space.children(c) for c in columns):
            moved = self.space.place(points, columns, table)
            return _join_sums(
                [
                    self._sweep(
                        self._place(p), self.shrunk, _NOTHING, pointwise, covariance, n_jobs
                    )
                    for p in moved
                ]
            )
        start = next(self.space.place(points, columns, table[:1]))
        moving = np.isin(self.features.group, columns)
        rows = np.column_stack(
            [np.empty((len(table), 0))]
            + [self.features.of_values(c, table[:, i]) for i, c in enumerate(columns)]
        )
        order = np.concatenate([self.features.columns(c) for c in columns]).astype(np.intp)
        there = rows / self._lengths[order]
        extra = squared_distances(there, self.shrunk[:, order])  # (G, n)
        left = self._place(start)[:, ~moving]
        right = np.ascontiguousarray(self.shrunk[:, ~moving])
        return self._sweep(np.ascontiguousarray(left), right, extra, pointwise, covariance, n_jobs)

    @property
    def _lengths(self) -> Floats:
        each = self.scales.lengths[np.unique(self.features.group, return_inverse=True)[1]]
        return np.asarray(each / KERNELS[self.kernel].stretch)

    def _place(self, codes: Floats) -> Floats:
        return self.features(codes) / self._lengths

    def _sweep(
        self,
        left: Floats,
        right: Floats,
        extra: Floats,
        pointwise: bool,
        covariance: bool,
        n_jobs: int | None = None,
    ) -> EffectSums:
        """Sum over the points at `left` (m, D'), for each row of `extra` (G, n) to be added."""
        m, G, n = len(left), len(extra), len(right)
        kernel = KERNELS[self.kernel]
        means, lost = np.empty((G, m)), np.empty((G, m))

        def block(rows: slice) -> Floats:
            base = squared_distances(right, left[rows])  # (n, b): what is added is one per row
            near, scratch = np.empty_like(base), np.empty_like(base)
            sums = np.zeros((G, n))
            for g in range(G):
                np.add(base, extra[g][:, None], out=scratch)
                if not pointwise:
                    sums[g] = kernel.sums(scratch, near)
                    continue
                kernel.value(scratch, near)
                if covariance:
                    sums[g] = near @ np.ones(near.shape[1])
                means[g, rows] = self.weights @ near
                lost[g, rows] = self._find_lost(near)
            return sums

        # Blocks are added in their order, whichever thread was first.
        blocks = _cut_blocks(m, n, COLUMNS if pointwise else 1)
        at_mean = sum(each(block, blocks, workers(n_jobs)), np.zeros((G, n))) / m
        spread = self._find_sd_of_mean(at_mean, left, n_jobs) if covariance else None
        if not pointwise:
            return EffectSums(self._restore_units(at_mean @ self.weights), sd_of_mean=spread)
        variance = np.maximum(self.scales.amplitude - lost, 0.0).T
        ice = self._restore_units(means.T)
        sd = self.spread * np.sqrt(variance.mean(axis=0))
        return EffectSums(ice.mean(axis=0), sd, spread, ice, self.spread * np.sqrt(variance))

    def _restore_units(self, means: Floats) -> Floats:
        return np.asarray(self.shift + self.spread * means)

    def _find_lost(self, near: Floats) -> Floats:
        """Return what the trials take from the variance at each column of (n, b), overwritten."""
        solved = self._solve(near)
        return np.asarray(np.einsum("ij,ij->j", solved, solved))

    def _solve(self, near: Floats) -> Floats:
        """Return the inverse root of the trials' covariances times (n, b), which is overwritten."""
        from scipy.linalg.blas import dtrmm

        product = dtrmm(1.0, self.inverse, near.T, side=1, lower=1, trans_a=1, overwrite_b=1)
        return np.asarray(product.T)

    def _find_sd_of_mean(self, near: Floats, left: Floats, n_jobs: int | None = None) -> Floats:
        solved = self.inverse @ near.T  # (n, G)
        lost = np.einsum("ij,ij->j", solved, solved)
        prior = self.scales.amplitude * self._mean_covariance(left, n_jobs)
        return np.asarray(self.spread * np.sqrt(np.maximum(prior - lost, 0.0)))

    def _mean_covariance(self, left: Floats, n_jobs: int | None) -> float:
        """Return the mean of the kernel over all pairs of points, half of them computed."""
        m = len(left)

        def block(rows: slice) -> float:
            count = len(left[rows])
            later = squared_distances(left[rows], left[rows.start + count :])
            within = self._near(left[rows], left[rows]).sum()
            sums = KERNELS[self.kernel].sums(later, np.empty_like(later))
            return float(within + 2.0 * sums.sum())

        return sum(each(block, _cut_blocks(m, m), workers(n_jobs))) / m**2


_NOTHING = np.zeros((1, 1))  # added to the distances where no column is set apart


def _cut_blocks(rows: int, width: int, least: int = 1) -> Iterator[slice]:
    """Yield blocks of equal size, an even number of them: two threads then end together."""
    fitting = -(-rows // max(BLOCK // width, least, 1))
    count = min(rows, fitting + fitting % 2) if fitting > 1 else 1
    ends = np.linspace(0, rows, count + 1).astype(int).tolist()
    return (slice(start, stop) for start, stop in pairwise(ends))


def _join_sums(sums: list[EffectSums]) -> EffectSums:
    """Return the sums of one value each as those of all of them."""

    def together(name: str, axis: int) -> Floats | None:
        tables = [getattr(each, name) for each in sums]
        return None if tables[0] is None else np.concatenate(tables, axis=axis)

    return EffectSums(
        np.concatenate([each.mean for each in sums]),
        together("sd", 0),
        together("sd_of_mean", 0),
        together("ice_mean", 1),
        together("ice_sd", 1),
    )


def _make_regressor(scales: Scales, evidence: SurrogateData) -> GaussianProcessRegressor:
    """Return scikit-learn's process with these scales, which it does not change."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

    lengths = scales.lengths[evidence.member]
    smoothness = KERNELS[evidence.kernel].smoothness
    shape = RBF(lengths) if smoothness == np.inf else Matern(lengths, nu=smoothness)
    return GaussianProcessRegressor(
        ConstantKernel(scales.amplitude) * shape + WhiteKernel(scales.noise),
        alpha=evidence.trial_variance + JITTER,
        optimizer=None,
        normalize_y=True,
    )


SCALES_FROM = 500  # trials: more of them hardly change the scales, and cost their cube


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process with a length scale for every parameter and an estimated nugget.

    What is estimated: the latent objective, without the noise of single trials. Amplitude, length
    scales and noise are those of the largest marginal likelihood under a weak prior. Numbers are
    on their own scale, on [0, 1]; all levels of a category are equally far from each other; an
    inactive parameter carries no information. It assumes an objective that is equally smooth all
    over the space, and fails where it jumps or where there are few trials for many parameters;
    the quality of the surrogate then tells.

    Parameters
    ----------
    kernel : {'matern32', 'matern52', 'rbf'}
        The covariance function, from rough to smooth.
    noise : {'estimated', 'standard_error'}
        Whether all noise is estimated, or the squared standard errors of the trials are added to
        it. Those of scores of cross-validation on the same folds are mostly shared by all trials,
        and so no noise between them: they are left out by default.
    restarts : int
        How often the search for the scales begins again.
    prior : bool
        Whether the scales are drawn a little towards usual ones. It matters for few trials, whose
        largest likelihood is often one of no noise and too narrow bands. False is the largest
        likelihood alone, as in Moosbauer et al. 2021.

    References
    ----------
    Rasmussen and Williams (2006), *Gaussian Processes for Machine Learning*, chapters 2 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest import Space
    >>> from earnest.explanation.surrogate.gaussian_process import GaussianProcess
    >>> configs = [{"a": x} for x in np.linspace(0, 1, 12)]
    >>> space = Space.infer(configs)
    >>> y = np.array([config["a"] ** 2 for config in configs])
    >>> rng = np.random.default_rng(0)
    >>> fitted = GaussianProcess().fit(space, space.encode(configs), y, rng=rng)
    >>> fitted.posterior(space.encode([{"a": 0.5}]))[0].round(2).tolist()
    [0.25]
    """

    kernel: str = "matern32"
    noise: str = "estimated"
    restarts: int = 2
    prior: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("kernel", self.kernel, KERNELS)
        check.one_of("noise", self.noise, ("estimated", "standard_error"))
        check.whole_number("restarts", self.restarts, low=0)

    @property
    def name(self) -> str:
        """The name under which it is asked for."""
        return "gaussian_process"

    def fit(
        self,
        space: Space,
        codes: Floats,
        objective: Floats,
        standard_error: Floats | None = None,
        *,
        added_sd: Floats | None = None,
        rng: np.random.Generator,
    ) -> FittedProcess:
        """Fit the scales, then the process, to the objective (n,) at codes (n, d).

        The squares of `added_sd` are variances of single trials, beside the noise of all.
        """
        features = Features.of(space)
        inputs = features(codes)
        spread = float(np.std(objective)) or 1.0
        groups, member = np.unique(features.group, return_inverse=True)
        variance = np.zeros(len(objective))
        if self.noise == "standard_error" and standard_error is not None:
            variance = np.square(standard_error / spread)
        if added_sd is not None:
            variance = variance + np.square(added_sd / spread)
        evidence = SurrogateData(
            inputs,
            member,
            len(groups),
            (objective - objective.mean()) / spread,
            variance,
            self.kernel,
        )
        scales, cautions = self._find_scales(evidence, rng)
        return FittedProcess.of(features, inputs, objective, scales, evidence, cautions)

    def _find_scales(
        self, evidence: SurrogateData, rng: np.random.Generator
    ) -> tuple[Scales, tuple[Caution, ...]]:
        n = len(evidence.objective)
        cautions: list[Caution] = []
        if n > SCALES_FROM:
            rows = np.sort(rng.choice(n, SCALES_FROM, replace=False))
            evidence = replace(
                evidence,
                features=evidence.features[rows],
                objective=evidence.objective[rows],
                trial_variance=evidence.trial_variance[rows],
            )
            cautions.append(_remark_sample(n))
        scales = find_best_scales(evidence, self.restarts, rng, prior=self.prior)
        if scales is None:
            cautions.append(_remark_not_found())
            scales = Scales(1.0, np.full(evidence.groups, 1.0), 0.1)
        return scales, tuple(cautions)


def _remark_sample(n: int) -> Caution:
    return of_trials.scales_of_sample(SCALES_FROM, n)


def _remark_not_found() -> Caution:
    return of_trials.scales_not_fitted()
