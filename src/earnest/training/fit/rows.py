"""Taking rows of the user's data, as scikit-learn takes them.

scikit-learn has no public way to take rows of arrays, tables, sparse matrices and lists alike, nor
of a precomputed kernel; its own searches and those of others use these two helpers, which have
been the same since before version 1.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.training.protocols import Estimator, Params


def cut_parts(
    model: Estimator, X: object, y: object, train: NDArray[np.intp], test: NDArray[np.intp] | None
) -> tuple[object, object, object, object]:
    """Return X and y of the training rows, and X and y of the test rows, None for every row."""
    from sklearn.utils import get_tags
    from sklearn.utils.metaestimators import _safe_split

    if get_tags(model).input_tags.pairwise:  # a kernel: its columns are cut, too
        asked = np.arange(count_rows(X)) if test is None else test
        return (*_safe_split(model, X, y, train), *_safe_split(model, X, y, asked, train))
    if test is None:
        return take_rows(X, train), take_rows(y, train), X, y
    return take_rows(X, train), take_rows(y, train), take_rows(X, test), take_rows(y, test)


def take_rows(values: object, rows: NDArray[np.intp]) -> object:
    """Return some rows of anything that has rows; of nothing, nothing."""
    from sklearn.utils import _safe_indexing

    if values is None or type(values) is np.ndarray:
        return None if values is None else values[rows]
    return _safe_indexing(values, rows)


def count_rows(values: object) -> int:
    """Return the number of rows of anything that has rows."""
    if hasattr(values, "shape"):
        return int(values.shape[0])
    return len(cast(Sized, values))


def cut_params(params: Params, n: int, rows: NDArray[np.intp] | None = None) -> dict[str, object]:
    """Return what goes beside X and y, cut to some rows where it has one value a row.

    Without rows, lists are made into what rows can be taken of.
    """
    if not params:
        return {}
    cut = dict(params)
    for name, value in params.items():
        if not _has_one_a_row(value, n):
            continue
        cut[name] = _make_indexable(value) if rows is None else take_rows(value, rows)
    return cut


def _has_one_a_row(value: object, n: int) -> bool:
    if isinstance(value, str | bytes | Mapping):
        return False
    shape = getattr(value, "shape", None)
    if shape is not None:
        return len(shape) > 0 and shape[0] == n
    return hasattr(value, "__len__") and len(value) == n


def _make_indexable(value: object) -> object:
    from sklearn.utils import indexable

    return indexable(value)[0]
