"""What lies in the hand: a mapping of out-of-fold arrays, of lists per fold, of fold scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.fold_scores import FoldScores
from earnest.core.data.predictions import Predictions

OUTCOME, FOLD, SPLITS, GROUPS = "y", "fold", "splits", "groups"
ROLES = (OUTCOME, FOLD, SPLITS, GROUPS)
FEWEST = "at least one configuration beside " + ", ".join(repr(name) for name in ROLES)


def read_mapping(source: Mapping[Any, Any]) -> Predictions | FoldScores:
    """Read a mapping of arrays.

    With 'y' it holds predictions: a column per configuration, with 'fold' or 'splits', a list of
    (train, test), if there are any; with splits, or where 'y' is a list of arrays, an entry is a
    list of one array per fold. Without 'y' each entry is the list of a configuration's fold scores.

    Examples
    --------
    >>> from earnest.adapters.folds.arrays import read_mapping
    >>> read_mapping({"y": [[0, 1], [1, 0]], "svm": [[0.2, 0.9], [0.6, 0.3]]})
    Predictions(n=4, configs=1, repeats=1, folds=2, task=binary, response=probability)
    >>> read_mapping({"svm": [0.8, 0.7, 0.9], "tree": [0.7, 0.6, 0.8]})
    FoldScores(configs=2, folds=3, repeats=1, score)
    """
    names = [name for name in source if name not in ROLES]
    if not names:
        raise InputError("there is no configuration", needs=FEWEST, got=check.show(list(source)))
    if OUTCOME not in source:
        extra = [name for name in (FOLD, SPLITS, GROUPS) if name in source]
        if extra:
            raise InputError(
                f"{extra[0]!r} is for predictions, and the outcome is missing",
                needs="an entry 'y' with the outcome of the cases",
                got=check.some([repr(name) for name in source]),
            )
        return FoldScores.from_rows({str(name): source[name] for name in names})
    y, fold, groups = source[OUTCOME], source.get(FOLD), source.get(GROUPS)
    columns = {str(name): source[name] for name in names}
    if SPLITS in source:
        return _read_splits(np.asarray(y), list(source[SPLITS]), columns, groups)
    if _is_per_fold(y):
        return _join_folds(y, columns, groups)
    return Predictions.from_arrays(y, _stack(columns), fold, groups=groups, configs=list(columns))


def _is_per_fold(y: object) -> bool:
    """Tell whether outcomes come as one array per fold."""
    return (
        isinstance(y, list | tuple)
        and len(y) > 1
        and all(hasattr(fold, "__len__") and not isinstance(fold, str | bytes) for fold in y)
    )


def _stack(columns: Mapping[str, Any]) -> NDArray[Any]:
    """Return columns of cases side by side; those of class probabilities keep their classes."""
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) > 1:
        raise InputError(
            "the configurations do not have as many predictions",
            needs="arrays of one shape",
            got=check.some([f"{name}: {array.shape}" for name, array in arrays.items()]),
        )
    table = np.stack(list(arrays.values()), axis=1)
    if table.ndim == 3 and table.shape[2] == 2 and np.allclose(table.sum(axis=2), 1.0):
        return np.asarray(table[:, :, 1])  # predict_proba of two classes
    return table if table.ndim < 3 else table[:, :, None]


def _join_folds(y: Sequence[Any], columns: Mapping[str, Any], groups: Any) -> Predictions:
    """Join lists of one array per fold."""
    sizes = [len(values) for values in y]
    joined = {}
    for name, parts in columns.items():
        lengths = [len(values) for values in parts]
        if lengths != sizes:
            raise InputError(
                f"the folds of {name!r} are not those of 'y'",
                needs=f"arrays of {check.some(sizes)} cases",
                got=check.some(lengths),
            )
        joined[name] = np.concatenate([np.asarray(values) for values in parts])
    fold = np.repeat(np.arange(len(sizes)), sizes)
    together = None if groups is None else np.concatenate([np.asarray(values) for values in groups])
    outcome = np.concatenate([np.asarray(values) for values in y])
    return Predictions.from_arrays(
        outcome, _stack(joined), fold, groups=together, configs=list(joined)
    )


def _read_splits(
    y: NDArray[Any], splits: Sequence[Any], columns: Mapping[str, Any], groups: Any
) -> Predictions:
    """Put predictions of test parts where their cases are; parts that meet again are repeats."""
    tests = []
    for split in splits:
        test = np.asarray(
            split[1] if isinstance(split, list | tuple) and len(split) == 2 else split
        )
        tests.append(np.flatnonzero(test) if test.dtype == bool else test.astype(np.intp))
    if any(len(test) and (test.min() < 0 or test.max() >= len(y)) for test in tests):
        raise InputError(
            "'splits' name cases that 'y' does not have",
            needs=f"row numbers from 0 to {len(y) - 1}",
            got=str(max(int(test.max()) for test in tests if len(test))),
        )
    times = np.zeros(len(y), dtype=np.intp)
    repeat_of = []
    for test in tests:
        repeat_of.append(int(times[test].max(initial=0)))
        times[test] += 1
    repeats = max(repeat_of) + 1
    fold = np.full((len(y), repeats), -1)
    first = {name: np.asarray(parts[0]) for name, parts in columns.items()}
    wide = next(iter(first.values())).shape[1:]
    table = np.full((len(y), len(columns), repeats, *wide), np.nan)
    for c, (name, parts) in enumerate(columns.items()):
        if [len(answer) for answer in parts] != [len(test) for test in tests]:
            raise InputError(
                f"the predictions of {name!r} do not fit 'splits'",
                needs=f"arrays of {check.some([len(test) for test in tests])} cases",
                got=check.some([len(answer) for answer in parts]),
            )
        for test, answer, repeat in zip(tests, parts, repeat_of, strict=True):
            table[test, c, repeat] = np.asarray(answer)
    for number, (test, repeat) in enumerate(zip(tests, repeat_of, strict=True)):
        fold[test, repeat] = number
    if wide == (2,):
        table = table[..., 1]
    return Predictions.from_arrays(y, table, fold, groups=groups, configs=list(columns))
