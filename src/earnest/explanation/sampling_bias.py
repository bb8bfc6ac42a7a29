"""Where the optimiser looked: how far the trials are from an even spread over the space.

The distance is the maximum mean discrepancy with a Gaussian kernel whose width is the median
distance of all points (Moosbauer et al. 2021, appendix C.1; Gretton et al. 2012).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.base import Plain
from earnest.core.space.levels import show_level
from earnest.core.space.space import Space

Floats = NDArray[np.float64]
BINS = 10  # of a numeric parameter, in which trials are counted
SPARSE = 1 / 3  # of the count of an even spread; fewer is hardly tried
CHANCE = 0.005  # of so few trials under an even spread, above which they are no finding
MOST_ROWS = 2000  # of each side in a distance matrix; more hardly change the figure


@dataclass(frozen=True)
class Discrepancy(Plain):
    """How far two samples are apart: 0 is alike.

    Attributes
    ----------
    biased : float
        The square root of the V-statistic; positive even for equal laws.
    unbiased_squared : float
        The U-statistic of the squared distance, about 0 for equal laws and sometimes below it.
    """

    derived: ClassVar[tuple[str, ...]] = ("unbiased",)

    biased: float
    unbiased_squared: float

    @property
    def unbiased(self) -> float:
        """The square root of the U-statistic, 0 if that is negative."""
        return math.sqrt(max(self.unbiased_squared, 0.0))


@dataclass(frozen=True)
class Gap(Plain):
    """A part of a parameter's range that was hardly tried.

    Attributes
    ----------
    low, high : float
        Its ends as codes of the space; for a category both are the code of the level.
    words : str
        The part in words, such as 'above 0.2'.
    n_trials, expected : int, float
        The trials in it, and how many an even spread would have put there.
    """

    low: float
    high: float
    words: str = field(metadata={"key": "where"})
    n_trials: int
    expected: float


@dataclass(frozen=True)
class SamplingBias(Plain):
    """How far the trials are from an even spread, overall and parameter by parameter.

    Attributes
    ----------
    overall : Discrepancy
        Over all parameters together.
    by_param : mapping of str to Discrepancy
        Each parameter alone, among the trials in which it is active.
    gaps : mapping of str to tuple of Gap
        The parts of each parameter that were hardly tried, under a third of an even spread.
    """

    overall: Discrepancy
    by_param: Mapping[str, Discrepancy]
    gaps: Mapping[str, tuple[Gap, ...]] = field(default_factory=dict)


def discrepancy(x: Floats, y: Floats) -> Discrepancy:
    """Return the maximum mean discrepancy of two samples, rows being points.

    Notes
    -----
    The kernel is exp(-d^2 / (2 m^2)) with m the median of all pairwise distances. Where all points
    are equal the distance is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.sampling_bias import discrepancy
    >>> even = np.linspace(0, 1, 50)[:, None]
    >>> discrepancy(even, even).biased
    0.0
    >>> bool(discrepancy(even, 0.2 * even).biased > 0.3)
    True
    """
    x, y = _thin(x), _thin(y)
    squared = _square_distances(np.vstack([x, y]))
    kernel = np.divide(squared, -2.0 * _find_width(squared) ** 2, out=squared)
    np.exp(kernel, out=kernel)
    n, m = len(x), len(y)
    within_x, within_y, across = kernel[:n, :n], kernel[n:, n:], kernel[:n, n:]
    biased = within_x.mean() - 2 * across.mean() + within_y.mean()
    return Discrepancy(
        math.sqrt(max(float(biased), 0.0)),
        _measure_gap(within_x, n) + _measure_gap(within_y, m) - 2 * float(across.mean()),
    )


def sampling_bias(space: Space, trials: Floats, even: Floats) -> SamplingBias:
    """Compare the trials with an even spread over the space, on its unit cube.

    Parameters
    ----------
    space : Space
        What the codes mean.
    trials, even : ndarray of shape (n, d)
        Codes of the trials and of a uniform sample, NaN where a parameter is inactive.
    """
    by_param, gaps = {}, {}
    for j, parameter in enumerate(space):
        if not parameter.varies:
            continue
        here, there = (_find_active(codes, j) for codes in (trials, even))
        if len(here) and len(there):
            coordinates = (_make_coordinates(space, j, sample) for sample in (here, there))
            by_param[parameter.name] = discrepancy(*coordinates)
            gaps[parameter.name] = list_hardly_tried(space, j, here, there)
    overall = discrepancy(make_unit_rows(space, trials), make_unit_rows(space, even))
    return SamplingBias(overall, by_param, gaps)


def list_hardly_tried(space: Space, column: int, trials: Floats, even: Floats) -> tuple[Gap, ...]:
    """Return the parts of a parameter with under a third of the trials of an even spread.

    Parts that an even spread could leave as empty by chance do not count.
    """
    parameter = space[column]
    if parameter.numeric:
        edges = np.linspace(0.0, 1.0, BINS + 1)
    else:
        edges = np.linspace(-0.5, len(parameter.choices) - 0.5, len(parameter.choices) + 1)
    counts = np.histogram(trials, edges)[0]
    expected = np.histogram(even, edges)[0] * len(trials) / max(1, len(even))
    sparse = counts < SPARSE * expected
    runs = (
        _find_runs(sparse)
        if parameter.numeric
        else [(int(i), int(i)) for i in np.flatnonzero(sparse)]
    )
    return tuple(
        Gap(
            float(edges[first]) if parameter.numeric else float(first),
            float(edges[last + 1]) if parameter.numeric else float(last),
            _put_in_words(space, column, edges, first, last),
            int(counts[first : last + 1].sum()),
            float(expected[first : last + 1].sum()),
        )
        for first, last in runs
        if _find_chance(counts[first : last + 1].sum(), expected[first : last + 1].sum()) < CHANCE
    )


def _find_chance(count: float, expected: float) -> float:
    """Return the Poisson probability of at most so many trials."""
    from scipy.special import pdtr

    return float(pdtr(count, expected))


def make_unit_rows(space: Space, codes: Floats) -> Floats:
    """Return codes as points of a cube: levels one-hot, what is inactive in the middle."""
    parts = [_make_coordinates(space, j, codes[:, j]) for j in range(len(space)) if space[j].varies]
    return np.hstack(parts) if parts else np.zeros((len(codes), 1))


def _make_coordinates(space: Space, column: int, codes: Floats) -> Floats:
    parameter = space[column]
    if parameter.kind == "categorical":  # two levels are 1 apart
        levels = np.arange(len(parameter.choices))
        return np.where(codes[:, None] == levels, math.sqrt(0.5), 0.0)
    return np.where(np.isnan(codes), 0.5, codes / parameter.top)[:, None]


def _find_active(codes: Floats, column: int) -> Floats:
    values = codes[:, column]
    return np.asarray(values[~np.isnan(values)])


def _thin(rows: Floats) -> Floats:
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)]


def _square_distances(rows: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", rows, rows)
    out = squares[:, None] + squares[None, :]
    out -= 2 * rows @ rows.T
    np.fill_diagonal(out, 0.0)
    return np.asarray(np.maximum(out, 0.0, out=out))


def _find_width(squared: Floats) -> float:
    """Return the median of distances, the largest if that is 0, and 1 if all are."""
    upper = np.concatenate([row[i + 1 :] for i, row in enumerate(squared)])
    if not len(upper):
        return 1.0
    middle = [(len(upper) - 1) // 2, len(upper) // 2]
    upper.partition(middle)
    return float(np.sqrt(upper[middle]).mean()) or float(np.sqrt(upper.max())) or 1.0


def _measure_gap(kernel: Floats, n: int) -> float:
    return float((kernel.sum() - np.trace(kernel)) / (n * (n - 1))) if n > 1 else math.nan


def _find_runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and last places of each run of flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _put_in_words(space: Space, column: int, edges: Floats, first: int, last: int) -> str:
    parameter = space[column]
    if not parameter.numeric:
        return str(parameter.choices[first])
    low, high = (show_short(v) for v in parameter.decode(edges[[first, last + 1]]))
    if first == 0:
        return f"below {high}"
    return f"above {low}" if last == len(edges) - 2 else f"{low} to {high}"


def show_short(value: object) -> str:
    """Return a value with at most three digits, as it is read in a sentence."""
    return show_level(value, digits=3)
