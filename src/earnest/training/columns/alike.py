"""Columns that tell much the same: a model can take one for another, so they change together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earnest.training.tables.kinds import ColumnKind
from earnest.training.tables.table import TrainingTable

Floats = NDArray[np.float64]
ALIKE = 0.7  # the mean association within columns that count as one
MOST_ROWS = 2000
MOST_LEVELS = 50  # of a category that is compared with others


def find_alike(
    table: TrainingTable, columns: Sequence[str], rng: np.random.Generator
) -> tuple[tuple[str, ...], ...]:
    """Return the sets of two columns and more whose values go together.

    The association of two columns is the size of their rank correlation, of a category and ranks
    the correlation ratio, and of two categories Cramér's V, both without what chance gives. Sets
    are those of average linkage at `ALIKE`.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    rows = np.sort(rng.choice(table.n_cases, min(table.n_cases, MOST_ROWS), replace=False))
    every = ((name, _look_at(table, name, rows)) for name in columns)
    pictures = {name: picture for name, picture in every if picture is not None}
    names = [*pictures]
    if len(names) < 2:
        return ()
    near = measure_association([*pictures.values()])
    tree = linkage(squareform(1.0 - near, checks=False), method="average")
    sets = fcluster(tree, 1.0 - ALIKE, criterion="distance")
    groups = [tuple(np.array(names)[sets == code].tolist()) for code in dict.fromkeys(sets)]
    return tuple(group for group in groups if len(group) > 1)


def measure_association(columns: Sequence[Floats]) -> Floats:
    """Return how far columns go together, from 0 to 1: (p, p).

    A column is given as its ranks (n,), or as the marks of its levels (n, L).

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.columns.alike import measure_association
    >>> ranks = np.arange(50.0)
    >>> halves = np.eye(2)[(ranks >= 25).astype(int)]
    >>> measure_association([ranks, -ranks, halves]).round(2).tolist()
    [[1.0, 1.0, 0.86], [1.0, 1.0, 0.86], [0.86, 0.86, 1.0]]
    """
    near = np.eye(len(columns))
    n = len(columns[0])
    for i, first in enumerate(columns):
        for j in range(i):
            second = columns[j]
            if first.ndim == 1 and second.ndim == 1:
                value = abs(_correlate(first, second))
            elif first.ndim == 2 and second.ndim == 2:
                value = _measure_cramer(first.T @ second, n)
            else:
                marks, ranks = (first, second) if first.ndim == 2 else (second, first)
                value = _measure_ratio(marks, ranks)
            near[i, j] = near[j, i] = value
    return near


def _look_at(table: TrainingTable, name: str, rows: NDArray[np.intp]) -> Floats | None:
    """Return the ranks of a column, or the marks of its levels; None for text."""
    from scipy.stats import rankdata

    places = table.schema.find_features(name)
    features = [table.schema.features[place] for place in places]
    if features[0].kind is ColumnKind.TEXT:
        return None
    parts = [feature.part for feature in features]
    values = table.X[rows, places[parts.index(DAYS) if DAYS in parts else 0]]
    present = ~np.isnan(values)
    if not present.any():
        return None
    levels = len(features[0].levels)
    if levels > 2:
        codes = np.where(present, values, levels).astype(np.intp)
        _, codes = np.unique(codes, return_inverse=True)
        return np.eye(codes.max() + 1)[codes] if codes.max() < MOST_LEVELS else None
    ranks = np.full(len(values), np.nan)
    ranks[present] = rankdata(values[present])
    ranks[~present] = np.median(ranks[present])
    return ranks


DAYS = "days since 1970"


def _correlate(first: Floats, second: Floats) -> float:
    spread = float(first.std() * second.std())
    if spread == 0:
        return 0.0
    return float(np.mean((first - first.mean()) * (second - second.mean())) / spread)


def _measure_ratio(marks: Floats, ranks: Floats) -> float:
    """Return the correlation ratio of levels and ranks, less what chance gives."""
    total = float(((ranks - ranks.mean()) ** 2).sum())
    counts = marks.sum(axis=0)
    n, levels = len(ranks), int((counts > 0).sum())
    if total == 0 or n <= levels:
        return 0.0
    means = (marks.T @ ranks) / np.maximum(counts, 1)
    between = float((counts * (means - ranks.mean()) ** 2).sum())
    share = 1.0 - (1.0 - between / total) * (n - 1) / (n - levels)
    return float(np.sqrt(max(share, 0.0)))


def _measure_cramer(table: Floats, n: int) -> float:
    """Return Cramér's V of a table of counts, corrected for chance (Bergsma 2013)."""
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    r, c = table.shape
    square = float(((table - expected) ** 2 / np.maximum(expected, 1e-12)).sum()) / n
    square = max(square - (r - 1) * (c - 1) / (n - 1), 0.0)
    most = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1.0
    return float(min(np.sqrt(square / most), 1.0)) if most > 0 else 0.0
