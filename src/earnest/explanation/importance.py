"""Which parameters affect the objective: shares of its variance over the space, with intervals.

Functional ANOVA of the surrogate (Hutter et al. 2014; Sobol' 1993) by Monte Carlo. All shares are
computed for many draws of the surrogate, so that their intervals show its uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import Plain
from earnest.core.results.interval import quantile_limits
from earnest.core.results.specs import Side
from earnest.core.space.parameters import Parameter
from earnest.core.text.doors import arg
from earnest.explanation.effects import IMPORTANCE, PAIRS, Scene
from earnest.explanation.surrogate.quality import Trust
from earnest.explanation.surrogate.surrogate import FittedSurrogate

if TYPE_CHECKING:
    import pyarrow as pa

    from earnest.plotting.figures.effects import Axes

Floats = NDArray[np.float64]
DRAWS = 200  # functions
SAMPLE = 500  # points at which the variance over the space is told
CELLS, POINTS = 10, 80  # of a main effect: values of the parameter, points averaged over
PAIR_CELLS, PAIR_POINTS = 5, 24  # the same of a pair, for each of both parameters
MOST_IN_PAIRS = 10  # parameters whose pairs are looked at: those with the largest total effect
JITTERS = tuple(10.0**-power for power in range(12, 1, -1))  # shares of the largest variance


@dataclass(frozen=True)
class Share(Plain):
    """A share of the variance of the objective over the space, with its interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, drawn: Floats, confidence_level: float) -> Share:
        """Return the mean of draws and their quantiles, within [0, 1]."""
        shares = np.clip(drawn, 0.0, 1.0)
        low, high = quantile_limits(shares, confidence_level, Side.TWO_SIDED)
        return cls(min(max(float(shares.mean()), low), high), low, high)


@dataclass(frozen=True)
class Importance(Plain):
    """How much each parameter affects the objective over the space, according to the surrogate.

    Attributes
    ----------
    main : mapping of str to Share
        The share of the variance that a parameter explains alone. A parameter that is active in a
        part of the space counts by that part.
    total : mapping of str to Share
        The share that is lost when its values are shuffled (permutation), on average over all
        shuffles: alone and together with others; never below the main one. Parameters come in its
        order, the largest first: one that decides which others are active moves the objective
        mostly through them.
    pairs : mapping of pair of str to Share
        What two parameters explain together beyond both alone, the largest first; of the ten
        parameters with the largest total effect. Pairs of which one decides whether the other is
        active have none.
    confidence_level : float
        The level of the intervals, which show how certain the surrogate is.
    trust : Trust
        Whether the surrogate predicts well enough for the shares to mean something; see
        `judge_trust`.
    """

    main: Mapping[str, Share]
    total: Mapping[str, Share]
    pairs: Mapping[tuple[str, str], Share]
    confidence_level: float
    trust: Trust = Trust.SHOWN

    @property
    def ranking(self) -> tuple[str, ...]:
        """The parameters, the most important first."""
        return tuple(self.main)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares with their intervals and return the matplotlib Axes."""
        from earnest.plotting.figures.effects import plot_importance

        return plot_importance(self, ax)

    def to_frame(self) -> pa.Table:
        """Return the shares as a pyarrow table with one row per parameter."""
        import pyarrow as pa

        rows = [
            {
                "param": name,
                "main": share.value,
                "main_low": share.low,
                "main_high": share.high,
                "total": self.total[name].value,
                "total_low": self.total[name].low,
                "total_high": self.total[name].high,
            }
            for name, share in self.main.items()
        ]
        return pa.Table.from_pylist(rows)

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data: pairs as a list, for JSON names with one word."""
        pairs = [{"params": list(pair), **share.to_dict()} for pair, share in self.pairs.items()]
        return {**super().to_dict(draws=draws), "pairs": pairs}

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make importances from plain data."""
        pairs = {tuple(pair["params"]): Share.from_dict(pair) for pair in data["pairs"]}
        return replace(super().from_dict({**data, "pairs": {}}), pairs=pairs)

    def __repr__(self) -> str:
        """Return one line."""
        shares = (f"{name} {100 * share.value:.0f} %" for name, share in self.main.items())
        return f"importance: {', '.join(shares)}"


def measure_importance(
    scene: Scene, columns: list[int], confidence_level: float, *, pairs: bool = True
) -> Importance:
    """Return main, total and pairwise effects as shares of the variance over the space.

    Combinations that a space forbids count as if they were allowed: variances have parts only
    where parameters are free of each other.

    Parameters
    ----------
    scene : Scene
        The surrogate and the Monte Carlo points.
    columns : list of int
        The parameters.
    confidence_level : float
        That of the intervals.
    pairs : bool
        Whether pairs are wanted too.
    """
    whole = _SpaceSample.of(scene)
    main, total = {}, {}
    for column in columns:
        name = scene.space[column].name
        weight = whole.weight(column)
        alone, shuffled = draw_single_effects(scene, column)
        main[name] = Share.of(weight * alone, confidence_level)
        total[name] = Share.of(weight * shuffled, confidence_level)
    order = sorted(main, key=lambda name: (-total[name].value, -main[name].value))
    ranked = {name: main[name] for name in order}
    first = sorted(columns, key=lambda c: -total[scene.space[c].name].value)[:MOST_IN_PAIRS]
    interactions = (
        dict(_yield_pairs(scene, sorted(first), whole, confidence_level)) if pairs else {}
    )
    return Importance(
        ranked,
        {name: total[name] for name in ranked},
        dict(sorted(interactions.items(), key=lambda item: -item[1].value)),
        confidence_level,
    )


def draw_single_effects(scene: Scene, column: int) -> tuple[Floats, Floats]:
    """Return draws of the shares that a parameter explains alone, and that shuffling it costs.

    Both are within where it is active, from one table of its values and of points. A shuffle
    costs, on average over all shuffles, the variance along the values at a point, averaged over
    the points (the total effect of Sobol'); so it is never below the share alone.
    """
    points = scene.points_where_active(column)[:POINTS]
    codes = make_even_codes(scene.space[column], CELLS)
    table = _draw_at(scene, points, (column,), codes[:, None], IMPORTANCE, column)  # (B, G, m)
    whole = table.reshape(len(table), -1).var(axis=1)
    alone, shuffled = table.mean(axis=2).var(axis=1), table.var(axis=1).mean(axis=1)
    return _divide(alone, whole), _divide(shuffled, whole)


def pair_effect(scene: Scene, a: int, b: int) -> Floats:
    """Return draws of what two parameters explain together beyond both alone, where active."""
    points = scene.points_where_active(a, b)[:PAIR_POINTS]
    codes = [make_even_codes(scene.space[c], PAIR_CELLS) for c in (a, b)]
    if len(codes[0]) * len(codes[1]) > 4 * PAIR_CELLS**2:
        codes = [_thin(each) for each in codes]
    cells = np.array([(u, v) for u in codes[0] for v in codes[1]])
    table = _draw_at(scene, points, (a, b), cells, PAIRS, a, b)
    means = table.mean(axis=2).reshape(DRAWS, len(codes[0]), len(codes[1]))
    alone = means.mean(axis=2).var(axis=1) + means.mean(axis=1).var(axis=1)
    joint = np.maximum(means.reshape(DRAWS, -1).var(axis=1) - alone, 0.0)
    return _divide(joint, table.reshape(DRAWS, -1).var(axis=1))


def _yield_pairs(
    scene: Scene, columns: list[int], whole: _SpaceSample, confidence_level: float
) -> Iterator[tuple[tuple[str, str], Share]]:
    for a, b in combinations(columns, 2):
        first, second = scene.space[a].name, scene.space[b].name
        tied = second in scene.space.children(first) or first in scene.space.children(second)
        together = scene.active[:, [a, b]].all(axis=1)
        if tied or together.sum() < PAIR_POINTS:
            continue
        weight = whole.weight(a, b)
        yield (first, second), Share.of(weight * pair_effect(scene, a, b), confidence_level)


def _draw_at(
    scene: Scene, points: Floats, columns: tuple[int, ...], values: Floats, *stream: int
) -> Floats:
    """Return draws at the points (m,) with columns set to each row of values: (B, G, m)."""
    if not len(points):
        names = ", ".join(scene.space[c].name for c in columns)
        raise InputError(f"{names} is hardly ever active", cure=f"Leave it out of {arg('params')}.")
    moved = np.repeat(points[None], len(values), axis=0)
    for k, column in enumerate(columns):
        moved[:, :, column] = values[:, k, None]
    rows = scene.space.mask(moved.reshape(-1, points.shape[1]))
    sampled = draws(scene.fitted, rows, DRAWS, scene.stream(*stream))
    return sampled.reshape(DRAWS, len(values), len(points))


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    return np.asarray(
        np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
    )


@dataclass(frozen=True)
class _SpaceSample:
    """The surrogate at a uniform sample of the space: mean and covariances."""

    active: NDArray[np.bool_]
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, scene: Scene) -> _SpaceSample:
        """Evaluate the surrogate at the first Monte Carlo points."""
        codes = scene.space.mask(scene.points[:SAMPLE])
        return cls(scene.active[:SAMPLE], *scene.fitted.joint(codes))

    def weight(self, *columns: int) -> float:
        """Return the share of the variance over the space that lies where columns are active.

        All parts are of one sample, so that branches and what is between them make up the whole.
        """
        rows = np.asarray(self.active[:, columns].all(axis=1))
        whole = self._spread(np.asarray(rows | True))
        if rows.all() or whole <= 0.0:
            return 1.0
        return min(float(rows.mean()) * self._spread(rows) / whole, 1.0)

    def _spread(self, rows: NDArray[np.bool_]) -> float:
        """Return the expected variance of the objective over some of the points."""
        if rows.sum() < 2:
            return 0.0
        covariance = self.covariance[np.ix_(rows, rows)]
        return max(
            float(self.mean[rows].var() + covariance.diagonal().mean() - covariance.mean()), 0.0
        )


def _thin(codes: Floats) -> Floats:
    most = 2 * PAIR_CELLS
    return codes if len(codes) <= most else codes[:: math.ceil(len(codes) / most)]


def draws(fitted: FittedSurrogate, codes: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Draw functions from the surrogate, and return their values at codes: (count, n)."""
    mean, covariance = fitted.joint(codes)
    root = root_of(covariance)
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
            shifted = symmetric.copy()
            shifted[np.diag_indices_from(shifted)] += jitter * largest
            return np.asarray(np.linalg.cholesky(shifted), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
    values, vectors = np.linalg.eigh(symmetric)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


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
