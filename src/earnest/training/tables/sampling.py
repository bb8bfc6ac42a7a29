"""Some of the rows, where all are too many for the time."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.data.target import Task

FEWEST = 10  # cases of a class


def find_layers(task: Task, y: NDArray[np.generic]) -> NDArray[np.int64] | None:
    """Return what samples and folds are stratified by: classes or events; None for numbers."""
    if task is Task.REGRESSION:
        return None
    return np.asarray(
        cast(NDArray[np.void], y)["event"] if task is Task.SURVIVAL else y, dtype=np.int64
    )


def sample_rows(
    n: int,
    most: int,
    rng: np.random.Generator,
    *,
    layers: NDArray[np.int64] | None = None,
    fewest: int = FEWEST,
) -> NDArray[np.intp]:
    """Return about `most` of `n` rows, in their order, classes or events in their shares.

    A class keeps `fewest` cases if it has them. All rows come back where `most` is enough. Groups
    lose rows like the rest: few rows of many groups tell more than all rows of a few, and of large
    groups too few would be left for the folds.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tables.sampling import sample_rows
    >>> layers = np.array([0, 0, 0, 0, 1, 1])
    >>> layers[sample_rows(6, 3, np.random.default_rng(0), layers=layers, fewest=1)].tolist()
    [0, 0, 1]
    """
    if n <= most:
        return np.arange(n)
    if layers is None:
        return np.sort(rng.choice(n, most, replace=False))
    kept = [
        rng.choice(rows, max(round(most * len(rows) / n), min(len(rows), fewest)), False)
        for rows in (np.flatnonzero(layers == code) for code in np.unique(layers))
    ]
    return np.sort(np.concatenate(kept))
