"""The best binary split of a node of curves: all split points of all columns in one pass.

A node is a table of numbers with one row per Monte Carlo point. Its impurity is the sum of squared
distances from the column means, and the best split has the smallest sum of both children's
impurities (Moosbauer et al. 2021, algorithm 1). Since the total is fixed, this is the split with
the largest sum of squared sums over counts, which running sums give for every split point at once.
A NaN in the table is a combination that does not exist; means are over what exists (eq. 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_LEVELS = 12  # levels up to which every subset of them is tried: 2,047
BLOCK = 1 << 23  # numbers held at once while columns are scanned
TIE = 1e-12  # share of the impurity within which two splits tie: the rounding of running sums


@dataclass(frozen=True)
class Split:
    """A question with two answers, and what it leaves.

    Attributes
    ----------
    column : int
        Which column of the features it asks about.
    gap : tuple of float or None
        For an ordered column: the last value that goes left and the first that goes right.
    levels : tuple of float or None
        For a column of categories: those that go left.
    impurity : float
        The sum of the impurities of both children.
    exact : bool
        False if the subset of categories was found by an ordering, not by trying all.
    """

    column: int
    gap: tuple[float, float] | None
    levels: tuple[float, ...] | None
    impurity: float
    exact: bool = True

    @property
    def threshold(self) -> float:
        """The middle of the gap, or the last value of the left side if there is no middle."""
        assert self.gap is not None
        middle = 0.5 * (self.gap[0] + self.gap[1])
        return middle if middle < self.gap[1] else self.gap[0]

    def goes_left(self, values: Floats) -> NDArray[np.bool_]:
        """Tell which values go left."""
        if self.levels is not None:
            return np.isin(values, self.levels)
        return np.asarray(values <= self.threshold)


@dataclass(frozen=True)
class Node:
    """The table of a node, centred, with the sums that every split point needs."""

    table: Floats  # (n, k), centred, zero where nothing exists
    counts: Floats  # (n, k) of ones and zeros
    total: float

    @classmethod
    def of(cls, table: Floats) -> Node:
        """Centre a table; centring keeps differences of large sums exact."""
        exists = ~np.isnan(table)
        counts = exists.astype(np.float64)
        filled = np.where(exists, table, 0.0)
        means = filled.sum(axis=0) / np.maximum(counts.sum(axis=0), 1.0)
        centred = np.where(exists, table - means, 0.0)
        return cls(centred, counts, float(np.einsum("ij,ij->", centred, centred)))

    def explained(self, sums: Floats, counts: Floats) -> Floats:
        """Return how much of the impurity a split explains, from the sums of its left side.

        The table is centred, so the sums of the right side are those of the left with another
        sign, and both parts share their square.
        """
        others = self.counts.sum(axis=0) - counts
        weight = 1.0 / np.maximum(counts, 1.0) + 1.0 / np.maximum(others, 1.0)
        return np.asarray((sums * sums * weight).sum(axis=-1))

    def running(self, order: NDArray[np.intp]) -> Floats:
        """Return what every cut along each order (c, n) explains: (c, n - 1)."""
        columns, n = order.shape
        sums = np.take(self.table, order.ravel(), axis=0).reshape(columns, n, -1)
        np.cumsum(sums, axis=1, out=sums)
        if not self.counts.all():
            counts = np.take(self.counts, order.ravel(), axis=0).reshape(columns, n, -1)
            return self.explained(sums[:, :-1], np.cumsum(counts, axis=1)[:, :-1])
        left = np.arange(1.0, n)  # the usual case: a count is a row number
        squares = np.einsum("ijk,ijk->ij", sums, sums)[:, :-1]
        return np.asarray(squares * (1.0 / left + 1.0 / (n - left)))

    def impurity(self, explained: float) -> float:
        """Return what is left."""
        return max(self.total - explained, 0.0)


def impurity(table: Floats) -> float:
    """Return the sum of squared distances from the column means."""
    return Node.of(table).total


def best_split(
    table: Floats, features: Floats, categorical: Sequence[bool], min_points: int = 2
) -> Split | None:
    """Return the best of all splits, None if no column can be split.

    Parameters
    ----------
    table : ndarray of shape (n, k)
        What should be alike within a child.
    features : ndarray of shape (n, d)
        What may be asked; a column with a NaN is inactive somewhere and never asked.
    categorical : sequence of bool
        Which columns have no order.
    min_points : int
        The fewest rows of a child.

    Notes
    -----
    Ties go to the first split point, then to the first column.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.regions.splits import best_split
    >>> table = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> best_split(table, np.array([[1.0], [2.0], [3.0], [4.0]]), [False]).threshold
    2.5
    """
    node = Node.of(table)
    active = ~np.isnan(features).any(axis=0)
    names = np.arange(features.shape[1])
    unordered = np.asarray(categorical, dtype=bool)
    splits = [
        *_split_ordered(node, features, names[active & ~unordered], min_points),
        *(
            split
            for column in names[active & unordered]
            if (split := _split_categories(node, features[:, column], int(column), min_points))
        ),
    ]
    if not splits:
        return None
    least = min(split.impurity for split in splits) + TIE * node.total
    return min((s for s in splits if s.impurity <= least), key=lambda s: s.column)


def _split_ordered(
    node: Node, features: Floats, columns: NDArray[np.intp], min_points: int
) -> Iterator[Split]:
    """Yield the best split of each ordered column, scanned in blocks of columns."""
    n, k = node.table.shape
    width = max(1, BLOCK // max(1, 2 * n * k))
    sizes = np.arange(1, n)
    enough = (sizes >= min_points) & (sizes <= n - min_points)
    for start in range(0, len(columns), width):
        block = columns[start : start + width]
        values = np.ascontiguousarray(features[:, block].T)  # (c, n)
        order = np.argsort(values, axis=1, kind="stable")
        ranked = np.take_along_axis(values, order, axis=1)
        explained = node.running(order)
        allowed = enough & (ranked[:, 1:] > ranked[:, :-1])
        for c, column in enumerate(block):
            row = _find_first_largest(np.where(allowed[c], explained[c], -np.inf), node.total)
            if row is not None:
                gap = (float(ranked[c, row]), float(ranked[c, row + 1]))
                yield Split(int(column), gap, None, node.impurity(float(explained[c, row])))


def _find_first_largest(explained: Floats, total: float) -> int | None:
    if not explained.size or not np.isfinite(explained.max()):
        return None
    return int(np.argmax(explained >= explained.max() - TIE * total))


def _split_categories(node: Node, codes: Floats, column: int, min_points: int) -> Split | None:
    """Return the best subset of categories to go left."""
    levels, where = np.unique(codes, return_inverse=True)
    if len(levels) < 2:
        return None
    member = np.zeros((len(levels), len(codes)))
    member[where, np.arange(len(codes))] = 1.0
    sums, counts, sizes = member @ node.table, member @ node.counts, member.sum(axis=1)
    exact = len(levels) <= MOST_LEVELS or node.table.shape[1] == 1
    if len(levels) <= MOST_LEVELS:
        subsets = _list_subsets(len(levels))
    else:
        subsets = _list_prefixes(_order_along_component(sums, counts, sizes))
    explained = node.explained(subsets @ sums, subsets @ counts)
    inside = subsets @ sizes
    allowed = (inside >= min_points) & (inside <= len(codes) - min_points)
    row = _find_first_largest(np.where(allowed, explained, -np.inf), node.total)
    if row is None:
        return None
    left = tuple(float(level) for level in levels[subsets[row] > 0])
    return Split(column, None, left, node.impurity(float(explained[row])), exact)


def _list_subsets(q: int) -> Floats:
    """Return all 2^(q-1) - 1 ways to divide q levels in two, as rows of ones and zeros.

    The first level always goes left, so that no division is counted twice.
    """
    numbers = np.arange(2 ** (q - 1) - 1)
    bits = (numbers[:, None] >> np.arange(q - 1)) & 1
    return np.column_stack([np.ones(len(numbers)), bits])


def _list_prefixes(order: NDArray[np.intp]) -> Floats:
    """Return the ways to divide levels in two that keep an order, the first level to the left."""
    rank = np.argsort(order)
    low = (rank[None, :] < np.arange(1, len(order))[:, None]).astype(np.float64)
    return np.where(low[:, :1] > 0, low, 1.0 - low)


def _order_along_component(sums: Floats, counts: Floats, sizes: Floats) -> NDArray[np.intp]:
    """Order levels along the direction in which their mean curves differ most.

    With one number per row this is the order of the means, which contains the best subset (Fisher
    1958); with curves it is the heuristic of Wright and König (2019).
    """
    means = sums / np.maximum(counts, 1.0)
    weighted = means * np.sqrt(sizes)[:, None]
    _, _, directions = np.linalg.svd(weighted, full_matrices=False)
    first = directions[0] * (1.0 if directions[0].sum() >= 0 else -1.0)
    return np.argsort(means @ first, kind="stable")
