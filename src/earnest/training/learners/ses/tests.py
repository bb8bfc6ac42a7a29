"""Tests of conditional independence, for many columns at once."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, log_ndtr, ndtri_exp
from scipy.stats import chi2

Array = NDArray[np.float64]
Columns = NDArray[np.intp]
Given = tuple[int, ...]

FLAT = 1e-9  # of a column's variance that others leave unexplained: below it nothing is left
MOST_STEPS = 25  # of Newton's method
SETTLED = 1e-7  # a gain of the log likelihood, a case, that ends it
HALVINGS = 6  # of a step that does not gain
ROOM = 4_000_000  # numbers of one batch of designs
STEEP = 30.0  # log odds beyond which chances are 0 or 1


class Independence(Protocol):
    """Tests whether columns tell anything of the outcome, beyond columns that are given."""

    @property
    def most_given(self) -> int:
        """How many columns may be given."""
        ...

    def log_p(self, columns: Columns, given: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column: (m,), 0 where nothing can be told.

        Where it is below `floor`, any number from it to the floor will do.
        """
        ...


class PartialCorrelation:
    """Fisher's z test of partial correlations, for an outcome of numbers.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The columns.
    y : ndarray, shape (n,)
        The outcome.
    """

    def __init__(self, X: Array, y: Array) -> None:
        self.n = len(X)
        self.X, self.varied = standardise(X)
        outcome, varied = standardise(y[:, None])
        self.with_y = self.X.T @ outcome[:, 0] / self.n if varied[0] else np.zeros(X.shape[1])
        self._with: dict[int, Array] = {}

    @property
    def most_given(self) -> int:
        """How many columns leave degrees of freedom: the test needs n - |given| - 3 > 0."""
        return max(self.n - 4, 0)

    def log_p(self, columns: Columns, given: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column."""
        partial, known = self._partial(columns, given)
        freedom = self.n - len(given) - 3
        if freedom <= 0:
            return np.zeros(len(columns))
        bound = 1.0 - 1e-15
        z = np.arctanh(np.clip(partial, -bound, bound)) * math.sqrt(freedom)
        log_p = math.log(2.0) + log_ndtr(-np.abs(z))
        return np.where(known, np.minimum(log_p, 0.0), 0.0)

    def _partial(self, columns: Columns, given: Given) -> tuple[Array, NDArray[np.bool_]]:
        """Return partial correlations with the outcome, and whether there is anything left."""
        between, left, rest = self.with_y[columns], np.ones(len(columns)), 1.0
        if given:
            inner = self._between(given, np.array(given))
            beside = self._between(given, columns)  # (|given|, m)
            with_y = self.with_y[list(given)]
            solved = np.linalg.pinv(inner, hermitian=True) @ np.column_stack([beside, with_y])
            between = between - with_y @ solved[:, :-1]
            left = left - (beside * solved[:, :-1]).sum(axis=0)
            rest = rest - float(with_y @ solved[:, -1])
        known = self.varied[columns] & (left > FLAT) & (rest > FLAT)
        scale = np.sqrt(np.where(known, left * rest, 1.0))
        return between / scale, known

    def _between(self, given: Given, columns: Columns) -> Array:
        """Return correlations between columns; of many columns at once they are kept."""
        if len(columns) <= len(given):
            return np.asarray(self.X[:, list(given)].T @ self.X[:, columns] / self.n)
        for one in given:
            if one not in self._with:
                self._with[one] = self.X.T @ self.X[:, one] / self.n
        return np.array([self._with[one][columns] for one in given])


class LikelihoodRatio:
    """Likelihood ratio tests of nested logistic models, for an outcome of classes.

    Both models are fitted by Newton's method, those of all columns at once. Where classes are
    separated, the likelihood has no maximum and its supremum is approached, which is all that the
    test needs.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The columns.
    codes : ndarray of int, shape (n,)
        The classes as numbers 0..K-1.
    """

    def __init__(self, X: Array, codes: NDArray[np.intp]) -> None:
        self.X, self.varied = standardise(X)
        self.n, self.count = len(X), int(codes.max(initial=0)) + 1
        self.hits = (codes[:, None] == np.arange(1, self.count)).astype(np.float64)  # (n, K-1)
        self._null: dict[Given, tuple[Array, float]] = {}

    @property
    def most_given(self) -> int:
        """How many columns leave more cases than coefficients."""
        return max(self.n - 3, 0)

    def log_p(self, columns: Columns, given: Given, floor: Array | None = None) -> Array:
        """Return the log of the p-value of each column, a bound where that is below its floor.

        A likelihood only grows on the way to its maximum, so that a model can be left as soon as
        its p-value is below the floor.
        """
        out = np.zeros(len(columns))
        usable = np.flatnonzero(self.varied[columns] & ~np.isin(columns, given))
        if self.count < 2 or not len(usable):
            return out
        null, at_null = self._fitted_null(given)
        needed = np.full(len(columns), np.inf) if floor is None else self._gains(floor)
        for part in self._batches(usable, len(given)):
            enough = at_null + needed[part] / 2.0
            gain = 2.0 * (self._best(columns[part], given, null, enough) - at_null)
            out[part] = self._log_p_of(np.maximum(gain, 0.0))
        return out

    def _log_p_of(self, gain: Array) -> Array:
        if self.count == 2:  # the square of a normal number
            return np.asarray(np.minimum(math.log(2.0) + log_ndtr(-np.sqrt(gain)), 0.0))
        return np.asarray(chi2.logsf(gain, self.count - 1))

    def _gains(self, log_p: Array) -> Array:
        """Return twice the gains of a log likelihood that have these p-values, or a little more."""
        if self.count == 2:
            return np.asarray(ndtri_exp(log_p - math.log(2.0)) ** 2) * (1.0 + 1e-9)
        return np.asarray(chdtri(self.count - 1, np.exp(log_p))) * (1.0 + 1e-9)

    def _batches(self, usable: Columns, given: int) -> list[Columns]:
        size = max(ROOM // (self.n * (given + 2) * (self.count - 1)), 1)
        return [usable[i : i + size] for i in range(0, len(usable), size)]

    def _fitted_null(self, given: Given) -> tuple[Array, float]:
        """Return the coefficients (K-1, d) and the log likelihood without any further column."""
        given = tuple(sorted(given))
        if given not in self._null:
            shorter = given[:-1]
            start = np.zeros((1, self.count - 1, len(given) + 1))
            if given:
                start[0, :, :-1] = self._fitted_null(shorter)[0]
            coef, value = maximise_likelihood(self._design(given)[None], self.hits, start)
            self._null[given] = coef[0], float(value[0])
        return self._null[given]

    def _design(self, given: Given) -> Array:
        return np.column_stack([np.ones(self.n), self.X[:, list(given)]])

    def _best(self, columns: Columns, given: Given, null: Array, enough: Array) -> Array:
        given = tuple(sorted(given))
        design = np.empty((len(columns), self.n, len(given) + 2))
        design[:, :, :-1] = self._design(given)
        design[:, :, -1] = self.X[:, columns].T
        start = np.zeros((len(columns), self.count - 1, len(given) + 2))
        start[:, :, :-1] = null
        return maximise_likelihood(design, self.hits, start, enough)[1]


def standardise(X: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return columns with mean 0 and variance 1, and which of them vary at all."""
    centred = X - X.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    varied = spread > 1e-10 * np.maximum(np.abs(X).max(axis=0, initial=0.0), 1e-300)
    return centred / np.where(varied, spread, 1.0) * varied, varied


def maximise_likelihood(
    design: Array, hits: Array, start: Array, enough: Array | None = None
) -> tuple[Array, Array]:
    """Maximise many log likelihoods of multinomial logistic models at once.

    Parameters
    ----------
    design : ndarray, shape (m, n, d)
        The columns of each model.
    hits : ndarray, shape (n, K - 1)
        Which class a case is of; the first class has no column.
    start : ndarray, shape (m, K - 1, d)
        Where each begins.
    enough : ndarray, shape (m,), optional
        The log likelihoods at which each may end.

    Returns
    -------
    coef : ndarray, shape (m, K - 1, d)
        The coefficients.
    value : ndarray, shape (m,)
        The log likelihoods.
    """
    coef, (value, chance) = start.copy(), _compute_likelihood(design, hits, start)
    wanted = np.full(len(design), np.inf) if enough is None else enough
    going = np.arange(len(design))
    for _ in range(MOST_STEPS):
        step = _solve_steps(design[going], hits, chance[going])
        better, reached, chances = _walk(design[going], hits, coef[going], value[going], step)
        gain = reached - value[going]
        coef[going], value[going], chance[going] = better, reached, chances
        going = going[(gain > SETTLED * len(hits)) & (reached < wanted[going])]
        if not len(going):
            break
    return coef, value


def _compute_likelihood(design: Array, hits: Array, coef: Array) -> tuple[Array, Array]:
    """Return the log likelihoods (m,) and the chances of all classes but the first (m, n, K-1)."""
    odds = np.clip(design @ coef.transpose(0, 2, 1), -STEEP, STEEP)
    if hits.shape[1] == 1:
        total = np.logaddexp(0.0, odds[:, :, 0])
    else:
        total = np.log1p(np.exp(odds).sum(axis=2))
    chance = np.exp(odds - total[:, :, None])
    return (odds * hits).sum(axis=(1, 2)) - total.sum(axis=1), chance


def _solve_steps(design: Array, hits: Array, chance: Array) -> Array:
    """Return Newton's steps: (m, K-1, d)."""
    m, n, d = design.shape
    classes = hits.shape[1]
    slope = (hits - chance).transpose(0, 2, 1) @ design  # (m, K-1, d)
    bend = _compute_bend(design, chance)
    bend += (1e-9 * n + 1e-12) * np.eye(classes * d)  # separated classes have no curvature
    return np.asarray(np.linalg.solve(bend, slope.reshape(m, -1, 1))).reshape(slope.shape)


def _compute_bend(design: Array, chance: Array) -> Array:
    """Return the curvatures: (m, (K-1) d, (K-1) d)."""
    turned = design.transpose(0, 2, 1)
    if chance.shape[2] == 1:
        return turned @ (chance * (1.0 - chance) * design)
    (m, n, d), classes = design.shape, chance.shape[2]
    flat = (chance[:, :, :, None] * design[:, :, None, :]).reshape(m, n, classes * d)
    bend = -(flat.transpose(0, 2, 1) @ flat)
    for a in range(classes):
        part = slice(a * d, (a + 1) * d)
        bend[:, part, part] += turned @ flat[:, :, part]
    return np.asarray(bend)


def _walk(
    design: Array, hits: Array, coef: Array, value: Array, step: Array
) -> tuple[Array, Array, Array]:
    """Go the whole step, or half of it and so on where that gains nothing."""
    made = coef + step
    reached, chance = _compute_likelihood(design, hits, made)
    for _ in range(HALVINGS):
        worse = np.flatnonzero(~(reached >= value))
        if not len(worse):
            return made, reached, chance
        step[worse] /= 2.0
        made[worse] = coef[worse] + step[worse]
        reached[worse], chance[worse] = _compute_likelihood(design[worse], hits, made[worse])
    worse = np.flatnonzero(~(reached >= value))
    if len(worse):
        made[worse] = coef[worse]
        reached[worse], chance[worse] = _compute_likelihood(design[worse], hits, made[worse])
    return made, reached, chance
