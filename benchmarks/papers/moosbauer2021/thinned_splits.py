"""The search of the published code for the best split of a node, and a tree that grows by it.

It tries a thinned list of split points, so it can miss the best one; it knows no categories, and
puts a limit in the middle between two values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.papers.study import Floats
from earnest.explanation import Growth, Node, Split

CHUNK = 2  # their smallest node, and the step between split points
QUANTILES = 100
FEWEST = 5  # rows under which their search gives up


@dataclass(frozen=True)
class PublishedGrowth(Growth):
    """When a tree stops to grow that splits as the published code does."""

    def split(self, table: Floats, features: Floats, categorical: Sequence[bool]) -> Split | None:
        """Return the best of the thinned split points of numbers."""
        numbers = np.where(np.asarray(categorical, dtype=bool), np.nan, features)
        return find_published_split(table, numbers)


def list_split_points(values: Floats) -> Floats:
    """Return the split points that are tried for a column.

    Every second order statistic from the third on, of which at most 101 quantiles are kept, each
    moved to the middle between it and the next larger value.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.papers.moosbauer2021.thinned_splits import list_split_points
    >>> list_split_points(np.arange(9.0)).tolist()
    [2.5, 4.5, 6.5]
    """
    points = np.unique(_thin_order(values))
    distinct = np.unique(values)
    if len(distinct) < 2:
        return points[:0]
    after = np.minimum(np.searchsorted(distinct, points, side="right"), len(distinct) - 1)
    return np.asarray(0.5 * (distinct[after - 1] + distinct[after]))


def _thin_order(values: Floats) -> Floats:
    """Return the thinned order statistics, at most 101 of them."""
    chunks = np.sort(values)[CHUNK : len(values) - CHUNK : CHUNK]
    if not len(chunks):
        return chunks
    shares = np.arange(QUANTILES + 1) / QUANTILES
    rank = np.ceil(len(chunks) * shares - 4 * np.finfo(np.float64).eps)
    return np.asarray(chunks[np.maximum(rank, 1).astype(np.intp) - 1])


def find_published_split(table: Floats, features: Floats) -> Split | None:
    """Return the best of the thinned split points, or None if the search gives up.

    A column with a NaN is inactive somewhere and never used. Ties go to the first split point,
    then to the first column.
    """
    if len(table) < FEWEST:
        return None
    node = Node.of(table)
    best: Split | None = None
    for column in np.flatnonzero(~np.isnan(features).any(axis=0)):
        split = find_published_split_of(node, features[:, column], int(column))
        if split is not None and (best is None or split.impurity < best.impurity):
            best = split
    return best


def find_published_split_of(node: Node, values: Floats, column: int) -> Split | None:
    """Return the best of the thinned split points of one column."""
    tried = list_split_points(values)
    if not len(tried):
        return None
    points = np.unique(_thin_order(values))
    cuts = points[np.argmin(np.abs(points[None, :] - tried[:, None]), axis=1)]
    left = (values[None, :] <= cuts[:, None]).astype(np.float64)  # (split points, n)
    explained = node.explained(left @ node.table, left @ node.counts)
    sizes = left.sum(axis=1)
    allowed = (sizes >= CHUNK) & (sizes <= len(values) - CHUNK)
    if not allowed.any():
        return None
    row = int(np.argmax(np.where(allowed, explained, -np.inf)))
    middle = float(tried[row])
    gap = middle, float(np.nextafter(middle, np.inf))  # no room to round the limit off
    return Split(column, gap, None, node.impurity(float(explained[row])))
