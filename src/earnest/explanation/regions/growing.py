"""How a tree of regions grows: which node is split next, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.explanation.regions.splits import (
    Split,
    best_split,
    find_published_split,
    impurity,
)

VARIANTS = ("exhaustive", "as_published")
FEWEST_POINTS = 10  # in a region; an average over fewer says little of it
DEFAULT_REGIONS = 4
Floats = NDArray[np.float64]
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
        The fewest Monte Carlo points of a region; 10, and 2 as published.
    variant : {'exhaustive', 'as_published'}
        Whether every split point is tried, or the thinned list of the published code.
    """

    depth: int | None = None
    n_regions: int | None = None
    min_gain: float | None = None
    min_points: int | None = None
    variant: str = "exhaustive"

    def __post_init__(self) -> None:
        """Check every knob, and set the number of regions where nothing else stops the tree."""
        check.one_of("variant", self.variant, VARIANTS)
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
        """Return the best split of a node by the search of the variant."""
        if self.variant == "as_published":
            ordered = np.where(np.asarray(categorical, dtype=bool), np.nan, features)
            return find_published_split(table, ordered)
        return best_split(table, features, categorical, self.fewest)


@dataclass(frozen=True)
class GrownNode:
    """A node of a grown tree: its rows, its place, and its split if it is no leaf."""

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
    >>> from earnest.explanation.regions.growing import Growth, grow
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
        at = max(ends, key=lambda i: nodes[i].impurity - _left(nodes[i]))
        if growth.n_regions is None:
            at = ends[0]
        ends.remove(at)
        ends += tree.divide(nodes, at)
    kept = [node if node.children else _restore_leaf(node) for node in nodes]
    return _order_nodes(kept)


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
            # The published tree splits whatever it can; a node of equal curves has nothing to say.
            return self.growth.variant == "as_published" or node.split.impurity < node.impurity
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
        nodes[at] = GrownNode(
            node.rows,
            node.depth,
            node.parent,
            node.went_left,
            node.impurity,
            node.split,
            (places[0], places[1]),
        )
        return places


def _left(node: GrownNode) -> float:
    assert node.split is not None
    return node.split.impurity


def _restore_leaf(node: GrownNode) -> GrownNode:
    """Take the split away that was looked for and not made."""
    return GrownNode(node.rows, node.depth, node.parent, node.went_left, node.impurity)


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
    place = {at: number for number, at in enumerate(order)}
    return [
        GrownNode(
            nodes[at].rows,
            nodes[at].depth,
            None if nodes[at].parent is None else place[nodes[at].parent or 0],
            nodes[at].went_left,
            nodes[at].impurity,
            nodes[at].split,
            _renumber(nodes[at].children, place),
        )
        for at in order
    ]


def _renumber(children: tuple[int, int] | None, place: dict[int, int]) -> tuple[int, int] | None:
    return None if children is None else (place[children[0]], place[children[1]])


def _check_gain(value: object) -> float:
    number = check.read_number(value)
    if not 0.0 <= number < 1.0:
        raise InputError(
            "`min_gain` is out of range", needs="a number from 0 to below 1", got=check.show(value)
        )
    return number
