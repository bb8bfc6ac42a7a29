"""Undeclared groups: rows that are copies, and columns that look like group names."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import of_evidence
from earnest.core.results.cautions import Caution
from earnest.training.fit.splits import Splits
from earnest.training.tables.kinds import ColumnKind
from earnest.training.tables.schema import Schema

Codes = NDArray[np.int64]
FEWEST_ROWS = 20  # under which nothing is told
FEWEST_COPIES = 3
SHARE_OF_COPIES = 0.01  # of the rows: fewer move no score by much
AGREEING = 0.95  # of pairs of rows with equal features, in the outcome; by coincidence fewer do
BY_CHANCE = 0.1  # of the equal pairs may be expected by chance
FEWEST_LEVELS = 10  # of a column that names groups
UNLIKELY = 1e-3  # the probability that the outcome is constant within levels by chance
BLOCK = 1_000_000  # cells that are looked at at once
MOST_OBJECTS = 5_000_000  # cells that are not numbers


def find_copies(X: object, y: object) -> Codes | None:
    """Return codes (n,) of the rows, equal for copies, or None if there are hardly any.

    Rows are copies if all features and the outcome are equal. Rows of few categories are often
    equal by chance; then rows with different outcomes are equal too, and about as many as
    independent categories would give. Such a table has no copies.

    Parameters
    ----------
    X : array-like or frame, shape (n, p)
        The features; None is returned for a sparse matrix or what is not a table.
    y : array-like, shape (n,)
        The outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tables.hidden_groups import find_copies
    >>> X, y = np.random.default_rng(0).normal(size=(30, 2)), np.tile([0, 1], 15)
    >>> find_copies(X, y) is None, len(set(find_copies(np.tile(X, (2, 1)), np.tile(y, 2))))
    (True, 30)
    """
    table, outcome = _make_table(X), _make_codes(y)
    if table is None or outcome is None or not FEWEST_ROWS <= len(table) == len(outcome):
        return None
    _, first, rows = np.unique(_hash_rows(table), return_index=True, return_inverse=True)
    both = rows * (int(outcome.max()) + 1) + outcome
    copies: Codes = np.unique(both, return_inverse=True)[1].astype(np.int64)
    extra = len(copies) - int(copies.max()) - 1
    if extra < max(FEWEST_COPIES, SHARE_OF_COPIES * len(copies)):
        return None
    equal = _list_pairs(rows)
    if _list_pairs(copies) < AGREEING * equal or not _is_beyond_chance(table, first, equal):
        return None
    return copies


def _make_table(X: object) -> NDArray[np.generic] | None:
    """Return features as an array (n, p) of numbers or of codes, or None if impossible."""
    if hasattr(X, "tocsr"):
        return None
    try:
        table = np.asarray(X)
    except (TypeError, ValueError):
        return None
    if table.ndim < 2 or not table.size:
        return None
    table = table.reshape(len(table), -1)
    if table.dtype.kind in "biuf":
        return table
    if table.size > MOST_OBJECTS or table.dtype.kind not in "OUS":
        return None
    columns = (np.unique(column.astype(str), return_inverse=True)[1] for column in table.T)
    return np.column_stack(list(columns))


def _make_codes(y: object) -> Codes | None:
    """Return an outcome as codes of its values, or None if it is missing or has several columns."""
    values = np.asarray(y)
    if y is None or values.ndim != 1 or not len(values):
        return None
    try:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    except TypeError:  # labels of several kinds
        return np.unique(values.astype(str), return_inverse=True)[1].astype(np.int64)


def _hash_rows(table: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Return a number for each row, the same for equal rows; NaN equals NaN."""
    columns = table.shape[1]
    factors = np.random.default_rng(0).integers(1, 2**63, columns, dtype=np.uint64) * 2 + 1
    step = max(1, BLOCK // columns)
    hashes = np.empty(len(table), dtype=np.uint64)
    for start in range(0, len(table), step):
        block = table[start : start + step].astype(np.float64) + 0.0  # -0.0 is 0.0
        block[np.isnan(block)] = np.nan
        bits = np.ascontiguousarray(block).view(np.uint64)
        mixed = (bits ^ (bits >> np.uint64(29))) * factors
        hashes[start : start + step] = (mixed ^ (mixed >> np.uint64(32))).sum(axis=1)
    return hashes


def _list_pairs(codes: NDArray[np.generic]) -> float:
    counts = np.unique(codes, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1.0) / 2.0).sum())


def _is_beyond_chance(table: NDArray[np.generic], first: NDArray[np.intp], equal: float) -> bool:
    """Tell whether independent columns would give far fewer pairs of equal rows.

    Copies also repeat values. So in a column with about as many values as distinct rows, only the
    `first` row of each is used.
    """
    n, m = len(table), len(first)
    expected = n * (n - 1.0) / 2.0
    for column in table.T:
        counts = np.unique(column, return_counts=True)[1].astype(np.float64)
        if 2 * len(counts) >= m > 1:
            counts = np.unique(column[first], return_counts=True)[1].astype(np.float64)
            expected *= float((counts * (counts - 1.0)).sum()) / (m * (m - 1.0))
        else:
            expected *= float((counts**2).sum()) / n**2
        if expected <= BY_CHANCE * equal:
            return True
    return False


def warn_of_copies(X: object, y: object, splits: Splits) -> Iterator[Caution]:
    """Yield a caution if models are tested on copies of their training cases."""
    copies = find_copies(X, y)
    if copies is None:
        return
    is_tested = np.zeros(splits.n_cases, dtype=bool)
    for train, test in zip(splits.train, splits.test, strict=True):
        is_tested[test[np.isin(copies[test], copies[train])]] = True
    count = int(is_tested.sum())
    if count >= max(FEWEST_COPIES, SHARE_OF_COPIES * splits.n_cases):
        yield of_evidence.copies_tested(count, splits.n_cases)


def note_kept_together(copies: Codes) -> Caution:
    """Return the caution that copies were made groups of a table."""
    n, different = len(copies), int(copies.max()) + 1
    return of_evidence.copies_kept_together(n - different, n)


def warn_of_group_columns(
    X: NDArray[np.float64], y: NDArray[np.generic], schema: Schema, group: str | None
) -> Iterator[Caution]:
    """Yield a caution for the first column that looks like the name of a group.

    Such a column has many values, integers or text, each in several rows. The outcome is constant
    within each value, which is too unlikely by chance, and does not just rise or fall along its
    numbers, as it would with a predictive feature.
    """
    codes = _make_codes(y) if group is None and y.dtype.names is None else None
    if codes is None or len(X) < FEWEST_ROWS:
        return
    for index, feature in enumerate(schema.features):
        if feature.source:  # a part of a date, or a word of a text
            continue
        levels = _list_levels(X[:, index], codes, numeric=feature.kind is ColumnKind.NUMBER)
        if levels is None:
            continue
        yield of_evidence.column_like_groups(feature.name, levels, len(X) / levels)
        return


def _list_levels(column: NDArray[np.float64], codes: Codes, *, numeric: bool) -> int | None:
    """Return how many values a column has if it looks like the name of a group, else None."""
    is_present = ~np.isnan(column)
    values, outcome = column[is_present], codes[is_present]
    if not len(values) or (numeric and not (values == np.round(values)).all()):
        return None
    levels, first, level_codes = np.unique(values, return_index=True, return_inverse=True)
    count, n = len(levels), len(values)
    if not FEWEST_LEVELS <= count <= n / 2 or (outcome[first][level_codes] != outcome).any():
        return None
    commonest = np.bincount(outcome).max() / n
    if commonest ** (n - count) > UNLIKELY:
        return None
    return None if numeric and _is_followed(outcome[first]) else count


def _is_followed(outcome: Codes) -> bool:
    """Tell whether an outcome along sorted values changes, or turns, less than by chance."""
    shares = np.bincount(outcome) / len(outcome)
    changes = int((np.diff(outcome) != 0).sum())
    turns = int((np.diff(np.sign(np.diff(outcome.astype(np.float64)))) != 0).sum())
    expected = (len(outcome) - 1) * (1.0 - float((shares**2).sum()))
    return changes < expected / 2 or turns < len(outcome) / 4


def has_too_few_apart(copies: Codes, layers: Codes | None, folds: int) -> bool:
    """Tell whether copies kept together would leave too few rows, or of a class, for the folds."""
    first = np.unique(copies, return_index=True)[1]
    kinds = np.zeros(len(first), dtype=np.int64) if layers is None else layers[first]
    counts = np.bincount(kinds)
    return bool(counts[counts > 0].min() < 2 * folds)
