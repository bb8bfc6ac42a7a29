"""From the curves of an effect to its tree of regions (Moosbauer et al. 2021, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.space.space import ParameterKind
from earnest.explanation.effects.curves import EffectCurve, Ice
from earnest.explanation.effects.effects import Scene, average
from earnest.explanation.effects.quality import relative_gain
from earnest.explanation.regions.growing import GrownNode, Growth, grow
from earnest.explanation.regions.limits import Limit, in_words, limits_of
from earnest.explanation.regions.regions import Region, RegionTree

Floats = NDArray[np.float64]
IMPURITIES = ("l2", "area", "variance", "mean")
ON = ("sd", "variance")


@dataclass(frozen=True)
class RegionRule:
    """What has to be alike within a region, and when a tree stops.

    Attributes
    ----------
    growth : Growth
        When to stop, and how to search.
    impurity : {'l2', 'area', 'variance', 'mean'}
        Curves alike at every grid value; alike on average; the uncertainty at the points alike;
        the mean at the points alike, which is no statement on uncertainty (a baseline).
    on : {'sd', 'variance'}
        What the curves are of.
    """

    growth: Growth = field(default_factory=Growth)
    impurity: str = "l2"
    on: str = "sd"

    def __post_init__(self) -> None:
        """Check the names."""
        check.one_of("impurity", self.impurity, IMPURITIES)
        check.one_of("on", self.on, ON)

    def table(self, ice: Ice) -> Floats:
        """Return what should be alike, a row a point."""
        curves, own = (ice.sd, ice.own_sd) if self.on == "sd" else (ice.sd**2, ice.own_sd**2)
        if self.impurity == "l2":
            return curves
        if self.impurity == "area":
            return average_rows(curves)[:, None]
        return (own if self.impurity == "variance" else ice.own_mean)[:, None]


def regions_of(scene: Scene, curve: EffectCurve, rule: RegionRule) -> RegionTree:
    """Grow the tree of regions of an effect that carries its ICE curves."""
    ice = curve.ice
    if ice is None:
        raise EvidenceError("regions need the ICE curves of the effect", cure="Compute it again.")
    column = scene.space.index(curve.param)
    features = eligible(scene, column, ice.points)
    unordered = [p.kind == ParameterKind.CATEGORICAL for p in scene.space]
    nodes = grow(
        rule.table(ice), features, unordered, rule.growth, lambda rows: _find_width(ice, rows)
    )
    limits = _list_limits(scene, nodes, features, rule.growth.variant == "exhaustive")
    trials = scene.codes[~np.isnan(scene.codes[:, column])]
    best, active = scene.codes[scene.best], scene.share_active(column)
    regions: list[Region] = []
    for number, node in enumerate(nodes):
        within = inside(scene, limits[number], trials)
        grid = list(curve.grid)
        part = average(scene, column, grid, curve.codes, ice.taken(node.rows), curve.where)
        holds = not np.isnan(best[column]) and bool(inside(scene, limits[number], best[None, :])[0])
        here = _restrict_to_region(scene, column, part, limits[number], trials[within], holds)
        if number == 0:
            here = replace(here, sd_of_mean=curve.sd_of_mean, where=curve.where)
        whole = regions[0].curve if regions else here
        regions.append(
            Region(
                number=number,
                parent=node.parent,
                children=node.children or (),
                limits=limits[number],
                share=active * len(node.rows) / len(ice.points),
                n_trials=int(within.sum()),
                of_trials=len(trials),
                curve=here,
                narrower=relative_gain(whole.mean_confidence, here.mean_confidence),
                holds_best=holds,
                impurity=node.impurity,
                exact=node.split is None or node.split.exact,
            )
        )
    tree = RegionTree(
        param=curve.param,
        regions=tuple(regions),
        impurity=rule.impurity,
        on=rule.on,
        variant=rule.growth.variant,
    )
    return replace(tree, baseline=_find_baseline(scene, column, curve, tree))


def _restrict_to_region(
    scene: Scene,
    column: int,
    curve: EffectCurve,
    limits: tuple[Limit, ...],
    trials: Floats,
    holds: bool,
) -> EffectCurve:
    """Return the curve with the trials of its region, and the best value only where it lies."""
    words = " and ".join(filter(None, (curve.where, in_words(limits))))
    values = tuple(scene.space[column].decode(trials[:, column]))
    best = curve.best if holds else None
    return replace(curve, where=words, trials=values, best=best)


def eligible(scene: Scene, column: int, points: Floats) -> Floats:
    """Return what a tree may ask about: NaN where a parameter is inactive, or never may be asked.

    That is the plotted parameter itself, and its children, which it switches on and off
    (appendix B).
    """
    features = scene.space.mask(points)
    barred = [column, *(scene.space.index(c) for c in scene.space.children(column))]
    features[:, barred] = np.nan
    return features


def _list_limits(
    scene: Scene, nodes: list[GrownNode], features: Floats, round_off: bool
) -> list[tuple[Limit, ...]]:
    """Return the limits of every node, those of its path together."""
    out: list[tuple[Limit, ...]] = []
    for node in nodes:
        if node.parent is None:
            out.append(())
            continue
        above = nodes[node.parent]
        assert above.split is not None
        column = above.split.column
        present = np.unique(features[above.rows, column]).tolist()
        sides = limits_of(above.split, scene.space[column], present, round_off=round_off)
        out.append((*out[node.parent], sides[0] if node.went_left else sides[1]))
    return out


def inside(scene: Scene, limits: tuple[Limit, ...], codes: Floats) -> NDArray[np.bool_]:
    """Tell which codes meet all limits."""
    out = np.ones(len(codes), dtype=bool)
    for limit in limits:
        out &= limit.holds(codes[:, scene.space.index(limit.param)])
    return out


def _find_width(ice: Ice, rows: NDArray[np.intp]) -> float:
    return float(np.mean(np.sqrt(average_columns(ice.sd[rows] ** 2))))


def _find_baseline(
    scene: Scene, column: int, curve: EffectCurve, tree: RegionTree
) -> EffectCurve | None:
    best, ice = tree.best, curve.ice
    if best is None or ice is None:
        return None
    size = int(best.curve.n_points.max())
    rows = neighbours(scene, column, ice.points, size)
    part = average(scene, column, list(curve.grid), curve.codes, ice.taken(rows), curve.where)
    return replace(part, where=f"the {size} points nearest to the best configuration")


def neighbours(scene: Scene, column: int, points: Floats, size: int) -> NDArray[np.intp]:
    """Return the points nearest to the best configuration in the L1 distance of the others.

    Numbers count by their distance on [0, 1], levels and activity by 0 or 1.
    """
    best, masked = scene.codes[scene.best], scene.space.mask(points)
    total = np.zeros(len(points))
    for j, parameter in enumerate(scene.space):
        if j == column or not parameter.varies:
            continue
        apart = np.abs(masked[:, j] - best[j])
        step = apart > 0 if parameter.kind == ParameterKind.CATEGORICAL else apart / parameter.top
        missing = np.isnan(masked[:, j]).astype(np.float64)
        total += np.where(np.isnan(apart), np.abs(missing - np.isnan(best[j])), step)
    return np.sort(np.argsort(total, kind="stable")[:size])


def average_rows(table: Floats) -> Floats:
    """Return the mean of each row over what exists."""
    return average_columns(table.T)


def average_columns(table: Floats) -> Floats:
    """Return the mean of each column over what exists; NaN where nothing does."""
    exists = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(exists, table, 0.0).sum(axis=0) / exists.sum(axis=0))
