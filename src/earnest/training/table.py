"""The table of results, in scikit-learn's own form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def results_table(
    params: Sequence[dict[str, Any]],
    times: dict[str, Array],
    test: dict[str, Array],
    train: dict[str, Array] | None = None,
) -> dict[str, Any]:
    """Return `cv_results_`: the same keys, types and order as scikit-learn gives.

    Parameters
    ----------
    params : list of dict
        The configurations.
    times : dict of ndarray, shape (C, S)
        `fit_time` and `score_time` of every split.
    test, train : dict of ndarray, shape (C, S)
        The scores by name.
    """
    table: dict[str, Any] = {}
    for name, values in times.items():
        _summarise(table, name, values)
    table.update(_parameter_columns(params))
    table["params"] = list(params)
    for name, values in test.items():
        _splits(table, f"test_{name}", values)
        _summarise(table, f"test_{name}", values)
        table[f"rank_test_{name}"] = ranks(table[f"mean_test_{name}"])
        if train is not None:
            _splits(table, f"train_{name}", train[name])
            _summarise(table, f"train_{name}", train[name])
    return table


def _splits(table: dict[str, Any], name: str, values: Array) -> None:
    for split in range(values.shape[1]):
        table[f"split{split}_{name}"] = values[:, split]


def _summarise(table: dict[str, Any], name: str, values: Array) -> None:
    means = np.average(values, axis=1)
    table[f"mean_{name}"] = means
    with np.errstate(invalid="ignore"):  # infinite scores have no spread
        table[f"std_{name}"] = np.sqrt(np.average((values - means[:, None]) ** 2, axis=1))


def ranks(means: Array) -> NDArray[np.int32]:
    """Return the rank of each mean, 1 for the greatest; NaN ranks last, ties share the better."""
    from scipy.stats import rankdata

    if np.isnan(means).all():
        return np.ones(len(means), dtype=np.int32)
    filled = np.where(np.isnan(means), np.nanmin(means) - 1, means)
    return np.asarray(rankdata(-filled, method="min").astype(np.int32))


def _parameter_columns(params: Sequence[dict[str, Any]]) -> Iterable[tuple[str, Any]]:
    """Yield a masked array for each parameter, masked where a configuration has it not."""
    columns: dict[str, dict[int, Any]] = {}
    for index, setting in enumerate(params):
        for name, value in setting.items():
            columns.setdefault(f"param_{name}", {})[index] = value
    for name, values in columns.items():
        column = np.ma.MaskedArray(
            np.empty(len(params), dtype=_column_type(list(values.values()))), mask=True
        )
        for index, value in values.items():
            column[index] = value
        yield name, column


def _column_type(values: list[Any]) -> Any:
    """Return the type that holds all values one by one: numbers as numbers, the rest as objects."""
    try:
        array = np.array(values)
    except ValueError:  # sequences of unlike length
        return object
    return array.dtype if array.dtype.kind != "U" and array.ndim == 1 else object
