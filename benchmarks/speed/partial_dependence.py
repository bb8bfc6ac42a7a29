"""Partial dependence of a Gaussian process, against scikit-learn's own prediction.

And the processor time of whole explanations, against what they may take.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import earnest as en
from benchmarks.speed.timing import Row, best_processor, has_avx512, side_by_side
from earnest.core.base.threads import each, one_blas_thread, workers
from earnest.explanation.surrogate.gaussian_process import GaussianProcess

TRIALS, PARAMETERS, GRID, POINTS = 200, 7, 20, 1000
# Half of the time is exp of float64, which NumPy vectorises with AVX-512 alone.
EQUATION_4 = {True: 20.0, False: 15.0}
EQUATION_5 = {True: 2.5, False: 2.0}
WHOLE = ((200, 7, 1.0), (1000, 20, 10.0))  # trials, parameters, and the seconds they may take
SAMPLED = 4  # grid values of the covariances that the baseline is timed on, then scaled


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratios of the sd by equation 4 and by equation 5, and whole explanations."""
    points = 200 if quick else POINTS
    fitted, where = problem(points)
    grid = np.linspace(0.0, 1.0, GRID)
    # Equation 4 first: its baseline is then in the state of a process that only does this.
    yield sd_of_mean(fitted, where, grid, None if quick else EQUATION_4[has_avx512()])
    yield average_sd(fitted, where, grid, None if quick else EQUATION_5[has_avx512()])
    for trials, parameters, allowed in WHOLE[:1] if quick else WHOLE:
        yield whole_explanation(trials, parameters, allowed)


def problem(points: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """Return a process fitted to a smooth objective with noise, and Monte Carlo points."""
    rng = np.random.default_rng(seed)
    space = en.Space(tuple(en.Parameter(name=f"x{i}", kind="float") for i in range(PARAMETERS)))
    codes = space.sample(TRIALS, rng)
    fitted = GaussianProcess().fit(space, codes, smooth_and_noisy(codes, rng), rng=rng)
    return fitted, space.sample(points, rng)


def smooth_and_noisy(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an objective of four of the parameters, with noise."""
    truth = np.sin(3 * codes[:, 0]) + codes[:, 1] * codes[:, 2] + 0.3 * codes[:, 3] ** 2
    return np.asarray(truth + 0.05 * rng.standard_normal(len(codes)))


def whole_explanation(trials: int, parameters: int, allowed: float) -> Row:
    """Hold the processor time of `explain`, on one thread, against what it may take."""
    rng = np.random.default_rng(0)
    codes = rng.random((trials, parameters))
    configs = [{f"x{j}": value for j, value in enumerate(row)} for row in codes.tolist()]
    values = smooth_and_noisy(codes, rng).tolist()

    def ours() -> object:
        return en.explain(configs, objective_values=values, direction="maximize", rng=0)

    return Row(
        f"a whole explanation, {trials} trials, {parameters} parameters, processor time",
        best_processor(ours, 2),
        "what it may take",
        allowed,
        1.0,
        more_is_better=False,
    )


def average_sd(fitted: Any, points: np.ndarray, grid: np.ndarray, target: float | None) -> Row:
    """Time means and the sd by equation 5 with all ICE curves, in threads as `explain` has them."""

    def ours() -> object:
        with one_blas_thread():
            return each(
                lambda j: fitted.effect(points, j, grid, covariance=False),
                range(PARAMETERS),
                workers(-1),
            )

    def theirs() -> None:
        for j in range(PARAMETERS):
            stacked = np.repeat(points, len(grid), axis=0)
            stacked[:, j] = np.tile(grid, len(points))
            fitted.regressor.predict(stacked, return_std=True)

    mine, other = side_by_side(ours, theirs, 3)
    return Row(f"effects, eq. 5, {_size(points)}", mine, "predict(return_std)", other, target)


def sd_of_mean(fitted: Any, points: np.ndarray, grid: np.ndarray, target: float | None) -> Row:
    """Time means and the sd by equation 4, for every parameter, in threads as `explain` has them.

    The baseline makes matrices of eight megabytes. In a fresh process each of them is a new mapping
    of memory; once larger ones were freed, memory is reused, and it is two to three times as fast.
    """

    def ours() -> object:
        with one_blas_thread():
            return each(
                lambda j: fitted.effect(points, j, grid, pointwise=False),
                range(PARAMETERS),
                workers(-1),
            )

    def theirs() -> None:
        for value in grid[:SAMPLED]:
            moved = points.copy()
            moved[:, 0] = value
            fitted.regressor.predict(moved, return_cov=True)

    mine, other = side_by_side(ours, theirs, 5)
    scaled = other * PARAMETERS * len(grid) / SAMPLED
    return Row(f"effects, eq. 4, {_size(points)}", mine, "predict(return_cov)", scaled, target)


def _size(points: np.ndarray) -> str:
    return f"{TRIALS} trials, {PARAMETERS} parameters, G={GRID} n={len(points)}"
