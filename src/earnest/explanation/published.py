"""The split search as published with Moosbauer et al. 2021: a thinned list of candidates.

It is kept to compare with published figures. It skips every second order statistic, so that it
can miss the best split, and it knows no categories; `splits.best_split` is the better search.
"""

from __future__ import annotations

import numpy as np

from earnest.explanation.splits import Floats, Node, Split

CHUNK = 2  # their smallest node, and the step from candidate to candidate
QUANTILES = 100
FEWEST = 5  # rows under which their search gives up


def candidates(values: Floats) -> Floats:
    """Return the split points that are tried for a column.

    Every second order statistic from the third on, of which at most 101 quantiles are kept, each
    moved to the middle between it and the next larger value.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.explanation.published import candidates
    >>> candidates(np.arange(9.0)).tolist()
    [2.5, 4.5, 6.5]
    """
    kept = np.unique(_kept(values))
    distinct = np.unique(values)
    if len(distinct) < 2:
        return kept[:0]
    after = np.minimum(np.searchsorted(distinct, kept, side="right"), len(distinct) - 1)
    middles = 0.5 * (distinct[after - 1] + distinct[after])
    return np.asarray(middles)


def _kept(values: Floats) -> Floats:
    """Return the thinned order statistics, at most 101 of them."""
    chunks = np.sort(values)[CHUNK : len(values) - CHUNK : CHUNK]
    if not len(chunks):
        return chunks
    shares = np.arange(QUANTILES + 1) / QUANTILES
    rank = np.ceil(len(chunks) * shares - 4 * np.finfo(np.float64).eps)
    return np.asarray(chunks[np.maximum(rank, 1).astype(np.intp) - 1])


def published_split(table: Floats, features: Floats) -> Split | None:
    """Return the best of the thinned candidates, None where the search gives up.

    A column with a NaN is inactive somewhere and never asked. Ties go to the first candidate,
    then to the first column.
    """
    if len(table) < FEWEST:
        return None
    node = Node.of(table)
    best: Split | None = None
    for column in np.flatnonzero(~np.isnan(features).any(axis=0)):
        found = published_split_of(node, features[:, column], int(column))
        if found is not None and (best is None or found.impurity < best.impurity):
            best = found
    return best


def published_split_of(node: Node, values: Floats, column: int) -> Split | None:
    """Return the best of the thinned candidates of one column."""
    tried = candidates(values)
    if not len(tried):
        return None
    kept = np.unique(_kept(values))
    cuts = kept[np.argmin(np.abs(kept[None, :] - tried[:, None]), axis=1)]
    left = (values[None, :] <= cuts[:, None]).astype(np.float64)  # (candidates, n)
    explained = node.explained(left @ node.table, left @ node.counts)
    sizes = left.sum(axis=1)
    allowed = (sizes >= CHUNK) & (sizes <= len(values) - CHUNK)
    if not allowed.any():
        return None
    row = int(np.argmax(np.where(allowed, explained, -np.inf)))
    distinct = np.unique(values)
    middle = float(tried[row])
    place = int(np.searchsorted(distinct, middle, side="right"))
    gap = (float(distinct[place - 1]), float(distinct[min(place, len(distinct) - 1)]))
    return Split(column, gap, None, node.impurity(float(explained[row])))
