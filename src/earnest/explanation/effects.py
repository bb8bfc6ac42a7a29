"""Partial dependence of the objective on one or two parameters, with its uncertainty.

Moosbauer et al. 2021: the curve is eq. 3, its band eq. 5 by default and eq. 4 beside it; in spaces
with conditions, appendix B: a parameter is averaged where it is active, over combinations that
exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.space.parameters import Parameter
from earnest.core.space.space import Space
from earnest.explanation.curves import (
    EffectCurve,
    EffectSurface,
    Ice,
    Objective,
    average_columns,
    average_ice,
)
from earnest.explanation.regions.regions import Limit, inside
from earnest.explanation.surrogate.surrogate import EffectSums, FittedSurrogate

Floats = NDArray[np.float64]
ROUNDS = 50  # of drawing points for a parameter that is rarely active
POINTS, PAIRS, IMPORTANCE, SUGGEST = range(4)  # what is drawn from which stream
SURFACE_POINTS = 250  # of a surface: it has as many values as a grid squared


@dataclass(frozen=True)
class Scene:
    """The surrogate, the trials and the Monte Carlo points that answer all questions.

    Attributes
    ----------
    space : Space
        What the codes mean.
    fitted : FittedSurrogate
        The model of the objective.
    codes : ndarray of shape (N, d)
        The trials that inform, NaN where a parameter is inactive.
    values : ndarray of shape (N,)
        Their objective.
    objective : Objective
        Its name and direction.
    n_points, grid_size : int
        How many Monte Carlo points and grid values.
    seeds : Seeds
        The root of all randomness.
    pruned : ndarray of bool, shape (N,), optional
        Which trials were stopped early; None if none was.
    unused : ndarray of shape (K, d), optional
        The trials that were stopped early and do not inform.
    """

    space: Space
    fitted: FittedSurrogate = field(repr=False)
    codes: Floats = field(repr=False)
    values: Floats = field(repr=False)
    objective: Objective
    n_points: int
    grid_size: int
    seeds: Seeds
    pruned: NDArray[np.bool_] | None = field(default=None, repr=False)
    unused: Floats | None = field(default=None, repr=False)

    @cached_property
    def points(self) -> Floats:
        """A uniform sample of the space (n, d), with values for inactive children too."""
        return self.space.sample(self.n_points, self.stream(POINTS), complete=True)

    @cached_property
    def active(self) -> NDArray[np.bool_]:
        """Where the parameters are active among the points."""
        return self.space.active(self.points)

    @cached_property
    def best(self) -> int:
        """The best complete trial."""
        return self.objective.best(np.where(self.complete, self.values, np.nan))

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which trials were not stopped early: (N,)."""
        return np.ones(len(self.values), dtype=bool) if self.pruned is None else ~self.pruned

    def stream(self, use: int, *indices: int) -> np.random.Generator:
        """Return the generator of one use."""
        return self.seeds.generator(Purpose.EXPLANATION, use, *indices)

    def share_active(self, column: int) -> float:
        """Return in which share of the space a parameter is active."""
        return float(self.active[:, column].mean())

    def points_where_active(self, *columns: int) -> Floats:
        """Return a uniform sample of where parameters are active, of the usual size if it can.

        Points are drawn until there are enough, so that a parameter of one branch out of many is
        averaged over as many points as any other.
        """
        samples = [self.points[self.active[:, columns].all(axis=1)]]
        rng = self.stream(POINTS, *(1 + column for column in columns))
        for _ in range(ROUNDS):
            if sum(map(len, samples)) >= self.n_points:
                break
            more = self.space.sample(self.n_points, rng, complete=True)
            samples.append(more[self.space.active(more)[:, columns].all(axis=1)])
        return np.concatenate(samples)[: self.n_points]


def effect_of(
    scene: Scene,
    param: str | int,
    points: Floats | None = None,
    *,
    where: str = "",
    covariance: bool = True,
) -> EffectCurve:
    """Return the effect of a parameter.

    Parameters
    ----------
    scene : Scene
        The surrogate and the trials.
    param : str or int
        The parameter.
    points : ndarray, optional
        What to average over; a uniform sample of where the parameter is active by default.
    where : str
        Where that is, in words.
    covariance : bool
        Whether the uncertainty of the average (eq. 4) is wanted too.
    """
    column = scene.space.index(param)
    points = scene.points_where_active(column) if points is None else points
    if not len(points):
        raise refuse_never_active(scene, column)
    grid, codes = scene.space[column].grid(scene.grid_size)
    sums = scene.fitted.effect(points, column, codes, covariance=covariance)
    own_mean, own_sd = scene.fitted.posterior(scene.space.mask(points))
    assert sums.ice_mean is not None
    assert sums.ice_sd is not None
    ice = Ice(points, scene.objective.clip_all(sums.ice_mean), sums.ice_sd, own_mean, own_sd)
    parameter, tried = scene.space[column], scene.codes[:, column]
    curve = EffectCurve(
        param=parameter.name,
        grid=tuple(grid),
        scale=_name_scale(parameter),
        objective=scene.objective,
        where=where or describe_condition(scene.space, column),
        best=parameter.decode(tried[[scene.best]])[0],
        codes=codes,
        **find_tried(scene, column),
        **average_ice(ice),
    )
    if scene.space.forbidden:
        return _leave_out_forbidden(scene, column, curve, covariance)
    return replace(curve, sd_of_mean=sums.sd_of_mean)


class TriedValues(TypedDict):
    """The fields of an effect that say where trials are; see `EffectCurve`."""

    trials: tuple[object, ...]
    pruned: tuple[object, ...]
    unused: tuple[object, ...]


def find_tried(
    scene: Scene, column: int, holds: Callable[[Floats], NDArray[np.bool_]] | None = None
) -> TriedValues:
    """Return the values of a parameter in the trials, or in those that `holds` says of codes."""

    def read(codes: Floats) -> tuple[object, ...]:
        rows = codes[~np.isnan(codes[:, column])]
        rows = rows if holds is None else rows[holds(rows)]
        return tuple(scene.space[column].decode(rows[:, column]))

    unused = np.empty((0, len(scene.space))) if scene.unused is None else scene.unused
    return {
        "trials": read(scene.codes[scene.complete]),
        "pruned": read(scene.codes[~scene.complete]),
        "unused": read(unused),
    }


def find_ranges(space: Space, codes: Floats) -> dict[str, tuple[object, ...]]:
    """Return the values of each parameter among codes: low and high of a number, levels else."""
    ranges: dict[str, tuple[object, ...]] = {}
    for j, parameter in enumerate(space):
        present = codes[~np.isnan(codes[:, j]), j]
        if not len(present):
            continue
        ends = np.array([present.min(), present.max()]) if parameter.numeric else np.unique(present)
        ranges[parameter.name] = tuple(parameter.decode(ends))
    return ranges


def describe_condition(space: Space, column: int) -> str:
    """Return where a parameter is active, in words; empty if everywhere."""
    condition = space[column].condition
    return "" if condition is None else str(condition)


def refuse_never_active(scene: Scene, *columns: int) -> InputError:
    """Return the error for parameters that are never active, or never together."""
    names = " and ".join(repr(scene.space[c].name) for c in columns)
    together = "are never active together" if len(columns) > 1 else "is hardly ever active"
    return InputError(
        f"{names} {together}",
        got="; ".join(describe_condition(scene.space, c) or "always" for c in columns),
        cure="Use hyperparameters of one branch of the space.",
    )


def compute_surface(
    scene: Scene,
    first: str | int,
    second: str | int,
    size: int | None = None,
    *,
    limits: Sequence[Limit] = (),
    where: str = "",
    n_points: int = SURFACE_POINTS,
) -> EffectSurface:
    """Return the joint effect of two parameters, in the part of the space that meets limits.

    A limit on another parameter chooses the points that are averaged. A limit on one of the two
    leaves the pairs that do not meet it without a value.

    Parameters
    ----------
    scene : Scene
        The surrogate and the trials.
    first, second : str or int
        The parameters.
    size : int, optional
        How many values each has; those of the curves by default.
    limits : sequence of Limit
        What a configuration must meet; the whole space by default.
    where : str
        The same in words.
    n_points : int
        How many points are averaged at most.
    """
    a, b = scene.space.index(first), scene.space.index(second)
    _check_pair(scene, a, b)
    others = [limit for limit in limits if scene.space.index(limit.param) not in (a, b)]
    points = scene.points_where_active(a, b)
    points = points[inside(scene.space, others, scene.space.mask(points))][:n_points]
    if not len(points):
        raise (
            refuse_empty_region(scene, a, b, where) if others else refuse_never_active(scene, a, b)
        )
    size = scene.grid_size if size is None else size
    (grid_a, codes_a), (grid_b, codes_b) = (scene.space.grid(c, size) for c in (a, b))
    pairs = np.array([(u, v) for u in codes_a for v in codes_b])
    sums = scene.fitted.effect(points, (a, b), pairs)
    shape = (len(grid_a), len(grid_b))
    placed = np.full((len(pairs), len(scene.space)), np.nan)
    placed[:, [a, b]] = pairs
    conditions = [limit for limit in limits if limit not in others]
    allowed = inside(scene.space, conditions, placed)
    if not allowed.any():
        raise refuse_empty_region(scene, a, b, where)
    mean, sd, sd_of_mean = (
        np.where(allowed, sheet, np.nan)
        for sheet in _average_existing(scene, points, (a, b), pairs, sums)
    )
    there = np.isnan(scene.codes[:, [a, b]]).sum(axis=1) == 0
    there &= inside(scene.space, limits, scene.codes)
    kinds = [scene.space[c] for c in (a, b)]
    columns = (kind.decode(scene.codes[:, c]) for kind, c in zip(kinds, (a, b), strict=True))
    values = list(zip(*columns, strict=True))
    return EffectSurface(
        params=(kinds[0].name, kinds[1].name),
        grids=(tuple(grid_a), tuple(grid_b)),
        scales=(_name_scale(kinds[0]), _name_scale(kinds[1])),
        mean=scene.objective.clip_all(mean).reshape(shape),
        sd=sd.reshape(shape),
        sd_of_mean=sd_of_mean.reshape(shape),
        objective=scene.objective,
        where=where
        or " and ".join(filter(None, (describe_condition(scene.space, c) for c in (a, b)))),
        n_points=len(points),
        trials=tuple(value for value, here in zip(values, there, strict=True) if here),
        best=values[scene.best] if there[scene.best] else None,
    )


def refuse_empty_region(scene: Scene, a: int, b: int, where: str) -> InputError:
    """Return the error for a region in which two parameters have no joint effect."""
    names = " and ".join(repr(scene.space[c].name) for c in (a, b))
    return InputError(
        f"{names} have no joint effect in this region",
        needs="a region in which both are active",
        got=where or "an empty region",
        cure="Take a region of the tree of one of them.",
    )


def _check_pair(scene: Scene, a: int, b: int) -> None:
    names = scene.space[a].name, scene.space[b].name
    if a == b:
        raise InputError("a surface needs two hyperparameters", got=f"{names[0]!r} twice")
    for parent, child in (names, names[::-1]):
        if child in scene.space.children(parent):
            raise InputError(
                f"{child!r} exists only for some values of {parent!r}",
                needs="two hyperparameters, neither of which decides whether the other is active",
                got=describe_condition(scene.space, scene.space.index(child)),
                cure=f"Use the effect of {child!r}, which is averaged where it is active.",
            )


def _find_existing(
    scene: Scene, points: Floats, columns: tuple[int, ...], values: Floats
) -> NDArray[np.bool_]:
    """Tell at which points (m,) each row of values (G, k) makes no forbidden combination."""
    out = np.ones((len(points), len(values)), dtype=bool)
    for g, row in enumerate(values):
        moved = points.copy()
        moved[:, columns] = row
        out[:, g] = scene.space.valid(scene.space.mask(moved))
    return out


def _leave_out_forbidden(
    scene: Scene, column: int, curve: EffectCurve, covariance: bool
) -> EffectCurve:
    """Leave forbidden combinations out of a curve (eq. 8)."""
    ice = curve.ice
    assert ice is not None
    exists = _find_existing(scene, ice.points, (column,), curve.codes[:, None])
    mean, sd = (np.where(exists, surface, np.nan) for surface in (ice.mean, ice.sd))
    allowed = replace(ice, mean=mean, sd=sd)
    effect = curve.averaged(allowed)
    if not covariance:
        return effect
    return replace(
        effect,
        sd_of_mean=_find_sd_of_means(scene, ice.points, (column,), curve.codes[:, None], exists),
    )


def _find_sd_of_means(
    scene: Scene,
    points: Floats,
    columns: tuple[int, ...],
    values: Floats,
    exists: NDArray[np.bool_],
) -> Floats:
    """Return the sd of the mean over what exists (eq. 4), value by value."""
    out = np.full(len(values), np.nan)
    for g, row in enumerate(values):
        moved = points[exists[:, g]].copy()
        if len(moved):
            moved[:, columns] = row
            out[g] = scene.fitted.averages(scene.space.mask(moved)[None])[1][0]
    return out


def _average_existing(
    scene: Scene, points: Floats, columns: tuple[int, int], pairs: Floats, sums: EffectSums
) -> tuple[Floats, Floats, Floats]:
    """Return mean, sd and sd of the mean of a surface, over combinations that exist."""
    assert sums.sd is not None
    assert sums.sd_of_mean is not None
    if not scene.space.forbidden:
        return sums.mean, sums.sd, sums.sd_of_mean
    assert sums.ice_mean is not None
    assert sums.ice_sd is not None
    exists = _find_existing(scene, points, columns, pairs)
    mean = average_columns(np.where(exists, sums.ice_mean, np.nan))
    variance = average_columns(np.where(exists, sums.ice_sd**2, np.nan))
    spread = _find_sd_of_means(scene, points, columns, pairs, exists)
    return mean, np.sqrt(variance), spread


def _name_scale(parameter: Parameter) -> str:
    if not parameter.numeric:
        return "levels"
    return "log" if parameter.log else "linear"
