"""How the curves of an effect become a tree of regions (Moosbauer et al. 2021, algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.explain import IMPURITIES, ON
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.space.space import ParameterKind
from earnest.explanation.curves import EffectCurve, Ice, average_columns, relative_gain
from earnest.explanation.effects import Scene, find_tried
from earnest.explanation.regions.regions import (
    Limit,
    Region,
    RegionTree,
    find_split_limits,
    in_words,
    inside,
)
from earnest.explanation.regions.splits import Split, best_split, impurity

FEWEST_POINTS = 10  # in a region; an average over fewer says little of it
DEFAULT_REGIONS = 4
Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Growth:
    """When a tree stops to grow.

    Parameters
    ----------
    depth : int, optional
        How often a path may split. In the published code every node of a level is split, and its
        "number of splits" is this depth.
    n_regions : int, optional
        How many leaves; the node whose split explains most is split next.
    min_gain : float, optional
        The share by which a split must narrow the mean band, weighted over both children.
    min_points : int, optional
        The fewest Monte Carlo points of a region; 10 by default.
    """

    depth: int | None = None
    n_regions: int | None = None
    min_gain: float | None = None
    min_points: int | None = None

    def __post_init__(self) -> None:
        """Check every knob, and set the number of regions where nothing else stops the tree."""
        for name, least in (("depth", 0), ("n_regions", 1), ("min_points", 1)):
            if getattr(self, name) is not None:
                check.whole_number(name, getattr(self, name), low=least)
        if self.min_gain is not None:
            _check_gain(self.min_gain)
        if self.depth is None and self.n_regions is None and self.min_gain is None:
            object.__setattr__(self, "n_regions", DEFAULT_REGIONS)

    @property
    def fewest(self) -> int:
        """The fewest points of a region."""
        return FEWEST_POINTS if self.min_points is None else self.min_points

    def split(self, table: Floats, features: Floats, categorical: Sequence[bool]) -> Split | None:
        """Return the best split of a node."""
        return best_split(table, features, categorical, self.fewest)


@dataclass(frozen=True)
class GrownNode:
    """A node of a grown tree: its rows, its place, and its split unless it is a leaf."""

    rows: Rows
    depth: int
    parent: int | None
    went_left: bool | None
    impurity: float
    split: Split | None = None
    children: tuple[int, int] | None = None


def grow(
    table: Floats,
    features: Floats,
    categorical: Sequence[bool],
    growth: Growth,
    width: Callable[[Rows], float] | None = None,
) -> list[GrownNode]:
    """Grow a tree, parents before their children, the left child before the right one.

    Parameters
    ----------
    table : ndarray of shape (n, k)
        What should be alike within a region.
    features : ndarray of shape (n, d)
        What may be asked; NaN where a parameter is inactive.
    categorical : sequence of bool
        Which columns have no order.
    growth : Growth
        When to stop.
    width : callable, optional
        The mean width of the band of some rows; needed for `min_gain`.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.regions.partition import Growth, grow
    >>> table = np.repeat([0.0, 5.0], 20)[:, None]
    >>> nodes = grow(table, np.arange(40.0)[:, None], [False], Growth(depth=1))
    >>> [len(node.rows) for node in nodes]
    [40, 20, 20]
    """
    tree = _Tree(table, features, categorical, growth, width)
    nodes = [tree.leaf(np.arange(len(table)), 0, None, None)]
    ends = [0]  # leaves that may still be split
    while ends and (growth.n_regions is None or _count_leaves(nodes) < growth.n_regions):
        ends = [at for at in ends if tree.splits(nodes[at])]
        if not ends:
            break
        at = max(ends, key=lambda i: nodes[i].impurity - _get_impurity(nodes[i]))
        if growth.n_regions is None:
            at = ends[0]
        ends.remove(at)
        ends += tree.divide(nodes, at)
    # A leaf has the split that was looked for, but not made.
    return _order_nodes([node if node.children else replace(node, split=None) for node in nodes])


@dataclass(frozen=True)
class _Tree:
    table: Floats
    features: Floats
    categorical: Sequence[bool]
    growth: Growth
    width: Callable[[Rows], float] | None

    def leaf(self, rows: Rows, depth: int, parent: int | None, went_left: bool | None) -> GrownNode:
        """Return a node with the split that it could have."""
        split = None
        if self.growth.depth is None or depth < self.growth.depth:
            split = self.growth.split(self.table[rows], self.features[rows], self.categorical)
        return GrownNode(rows, depth, parent, went_left, impurity(self.table[rows]), split)

    def splits(self, node: GrownNode) -> bool:
        """Tell whether a node is to be split: it can be, and confidence is gained."""
        if node.split is None:
            return False
        least = self.growth.min_gain
        if least is None:
            return node.split.impurity < node.impurity  # not of equal curves
        assert self.width is not None
        left, right = self.sides(node)
        whole = self.width(node.rows)
        shares = len(left) / len(node.rows), len(right) / len(node.rows)
        after = shares[0] * self.width(left) + shares[1] * self.width(right)
        return whole > 0 and 1.0 - after / whole >= least

    def sides(self, node: GrownNode) -> tuple[Rows, Rows]:
        """Return the rows of both children."""
        assert node.split is not None
        to_left = node.split.goes_left(self.features[node.rows, node.split.column])
        return node.rows[to_left], node.rows[~to_left]

    def divide(self, nodes: list[GrownNode], at: int) -> list[int]:
        """Split a node in place and return the places of its children."""
        node = nodes[at]
        left, right = self.sides(node)
        places = [len(nodes), len(nodes) + 1]
        nodes.append(self.leaf(left, node.depth + 1, at, True))
        nodes.append(self.leaf(right, node.depth + 1, at, False))
        nodes[at] = replace(node, children=(places[0], places[1]))
        return places


def _get_impurity(node: GrownNode) -> float:
    assert node.split is not None
    return node.split.impurity


def _count_leaves(nodes: list[GrownNode]) -> int:
    return sum(node.children is None for node in nodes)


def _order_nodes(nodes: list[GrownNode]) -> list[GrownNode]:
    """Number the nodes from the root down, the left branch first."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += reversed(nodes[at].children or ())
    position = {at: number for number, at in enumerate(order)}
    renumbered = []
    for node in (nodes[at] for at in order):
        parent = None if node.parent is None else position[node.parent]
        children = node.children and (position[node.children[0]], position[node.children[1]])
        renumbered.append(replace(node, parent=parent, children=children))
    return renumbered


def _check_gain(value: object) -> float:
    number = check.read_number(value)
    if not 0.0 <= number < 1.0:
        raise InputError(
            "`min_gain` is out of range", needs="a number from 0 to below 1", got=check.show(value)
        )
    return number


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegionRule:
    """What has to be alike within a region, and when a tree stops.

    Attributes
    ----------
    growth : Growth
        When to stop.
    impurity : {'l2', 'area', 'variance', 'mean'}
        Curves alike at every grid value; alike on average; the uncertainty at the points alike;
        the mean at the points alike, which says nothing about uncertainty (a baseline).
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
        """Return what should be alike, one row per point."""
        curves, spreads = (ice.sd, ice.own_sd) if self.on == "sd" else (ice.sd**2, ice.own_sd**2)
        if self.impurity == "l2":
            return curves
        if self.impurity == "area":
            return average_columns(curves.T)[:, None]
        return (spreads if self.impurity == "variance" else ice.own_mean)[:, None]


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
    limits = _list_limits(scene, nodes, features)
    trials = scene.codes[~np.isnan(scene.codes[:, column])]
    best, active = scene.codes[scene.best], scene.share_active(column)
    regions: list[Region] = []
    for number, node in enumerate(nodes):
        within = inside(scene.space, limits[number], trials)
        effect = curve.averaged(ice.taken(node.rows))
        meets = inside(scene.space, limits[number], best[None, :])
        holds = not np.isnan(best[column]) and bool(meets[0])
        here = _restrict_to_region(scene, column, effect, limits[number], holds)
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
    tree = RegionTree(param=curve.param, regions=tuple(regions), impurity=rule.impurity, on=rule.on)
    return replace(tree, baseline=_find_baseline(scene, column, curve, tree))


def _restrict_to_region(
    scene: Scene,
    column: int,
    curve: EffectCurve,
    limits: tuple[Limit, ...],
    holds: bool,
) -> EffectCurve:
    """Return the curve with the trials of its region, and the best value only where it lies."""
    words = " and ".join(filter(None, (curve.where, in_words(limits))))
    tried = find_tried(scene, column, lambda codes: inside(scene.space, limits, codes))
    best = curve.best if holds else None
    return replace(curve, where=words, best=best, **tried)


def eligible(scene: Scene, column: int, points: Floats) -> Floats:
    """Return what a tree may ask about: NaN where a parameter is inactive, or never may be asked.

    That is the plotted parameter itself, and its children, which it switches on and off
    (appendix B).
    """
    features = scene.space.mask(points)
    barred = [column, *(scene.space.index(c) for c in scene.space.children(column))]
    features[:, barred] = np.nan
    return features


def _list_limits(scene: Scene, nodes: list[GrownNode], features: Floats) -> list[tuple[Limit, ...]]:
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
        sides = find_split_limits(above.split, scene.space[column], present)
        out.append((*out[node.parent], sides[0] if node.went_left else sides[1]))
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
    effect = curve.averaged(ice.taken(rows))
    return replace(effect, where=f"the {size} points nearest to the best configuration")


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
