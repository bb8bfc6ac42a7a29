"""Folds: which part of a cross-validation tested which case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.arrays import (
    Numbers,
    as_array,
    count_block_rows,
    is_missing,
    make_text,
    missing,
    same_length,
)
from earnest.core.base.errors import InputError
from earnest.core.results.base import Plain
from earnest.core.text.doors import arg

FoldSizes = tuple[tuple[int, ...], ...]  # one number per fold of each repeat

_ONLY_NAN = "Use NaN, and nothing else, for predictions that were not made."
_NOT_SQUARED = (
    "The squares of such numbers are infinite. Drop the configuration, or bound its predictions."
)
_ALL_CLASSES = (
    "Give a case a number for every class (0 for a class that the model does not know) or for none."
)


@dataclass(frozen=True)
class TrainingSizes(Plain):
    """How many cases the models of the folds were trained on: fewest, median and most."""

    fewest: int
    median: int
    most: int

    def __str__(self) -> str:
        """Return '90', or '77 to 369' where the sizes differ by more than one."""
        if self.most - self.fewest <= 1:
            return f"{self.median:,}"
        return f"{self.fewest:,} to {self.most:,}"

    @classmethod
    def of(cls, sizes: Sequence[int]) -> TrainingSizes:
        """Summarize the sizes of the training sets of all folds."""
        return cls(min(sizes), int(np.median(sizes)), max(sizes))


def find_training_sizes(folds: NDArray[np.int32]) -> FoldSizes | None:
    """Return the training sizes of a K-fold cross-validation, None where the folds are none.

    In every repeat at least two folds test each case once; a model is trained on all others.
    """
    sizes = []
    for column in folds.T:
        counts = np.bincount(column[column >= 0])
        if (column < 0).any() or np.count_nonzero(counts) < 2:
            return None
        sizes.append(tuple(int(len(column) - count) for count in counts))
    return tuple(sizes)


def encode_folds(
    fold: ArrayLike | None, n: int, repeats: int
) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
    """Turn fold labels into codes (n, R), -1 where a case was not tested in a repeat."""
    if fold is None:
        return np.zeros((n, repeats), dtype=np.int32), (("0",),) * repeats
    array = as_array("fold", fold)
    same_length("fold", array, n)
    shape = array.shape
    array = array[:, None] if array.ndim == 1 else array
    refuse_no_labels(array, f"{arg('fold')}")
    if array.ndim != 2 or array.shape[1] != repeats:
        raise InputError(
            f"{arg('fold')} and `scores` disagree on the repeats",
            needs=f"shape ({n}, {repeats}), one column of folds for each repeat of `scores`",
            got=f"shape {shape}",
            cure=(
                "Scores with repeats have shape (n, C, R), and each repeat has its own folds; "
                f"for class probabilities of one repeat pass {arg('repeats', 1)}."
            ),
        )
    columns = [_encode_column(array[:, r]) for r in range(repeats)]
    return np.stack([codes for codes, _ in columns], axis=1), tuple(names for _, names in columns)


def refuse_no_labels(values: NDArray[np.generic], name: str, meant: Sequence[str] = ()) -> None:
    """Refuse folds that are not labels: real numbers, dates, and other things that are measured.

    Labels are whole numbers (1.0 is one), text and true and false. A column of measurements would
    make a fold of every case.

    Parameters
    ----------
    values : ndarray
        The folds as the user gave them.
    name : str
        How the message calls them.
    meant : sequence of str
        Columns that could be meant instead.
    """
    if values.dtype.kind in "iubU" or (values.dtype.kind == "f" and _are_whole(values)):
        return
    labels = [v for v in values.ravel().tolist() if not is_missing(v)]
    other = next((v for v in labels if not _is_label(v)), None)
    if other is None:
        return
    real = isinstance(other, (Real, Decimal))
    raise InputError(
        f"{name} {'holds real numbers' if real else 'does not hold labels'}, and folds are labels",
        needs="whole numbers, text, or true and false",
        got=f"{check.show_text(check.spell(other, str), 60)}, one of "
        f"{len(set(map(check.spell, labels))):,} different values",
        cure=check.suggest_spelling(f"{arg('fold', column)}" for column in meant)
        or (
            "Pass the number or the name of the fold that tested each case; for one hold-out "
            f"test set without folds pass {arg('fold', None)}."
        ),
    )


def _is_label(value: object) -> bool:
    if isinstance(value, Integral):  # of any size, bool among them
        return True
    if isinstance(value, (Real, Decimal)):
        return math.isfinite(check.read_number(value)) and bool(value % 1 == 0)
    return isinstance(value, (str, bytes))


def _are_whole(values: NDArray[np.generic]) -> bool:
    return bool((np.isnan(values) | (np.isfinite(values) & (values == np.rint(values)))).all())


def _encode_column(labels: NDArray[np.generic]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    absent = missing(labels)
    if labels.dtype.kind in "if":
        absent = absent | (labels == -1)  # scikit-learn's sign for 'in no test set'
    if absent.all():
        raise InputError(
            f"{arg('fold')} is missing for every case",
            got="" if missing(labels).any() else "-1 means not tested",
            cure="Pass the fold that tested each case.",
        )
    present = labels[~absent]
    if present.dtype == object:  # labels of mixed types have no order of their own
        present = as_array("fold", present)
        present = make_text(present) if present.dtype == object else present
    levels, inverse = np.unique(present, return_inverse=True)
    codes = np.full(len(labels), -1, dtype=np.int32)
    codes[~absent] = inverse.reshape(-1)
    return codes, tuple(_name_fold(v) for v in levels)


def _name_fold(label: object) -> str:
    value = float(label) if isinstance(label, (float, np.floating)) else None
    return str(int(value)) if value is not None and value.is_integer() else str(label)


def find_evaluated_cells(
    responses: Numbers,
    folds: NDArray[np.int32],
    names: Sequence[str],
    fold_names: Sequence[Sequence[str]],
    largest: float = np.inf,
) -> tuple[NDArray[np.bool_], ...]:
    """Tell for each repeat which (fold, configuration) was evaluated: a tuple of (K, C).

    A cell is evaluated for all of its cases or for none, a case without a fold for no
    configuration; infinities are never allowed, nor is what is beyond `largest`. The matrix is
    read once, block by block.
    """
    cells = []
    for repeat in range(folds.shape[1]):
        codes = folds[:, repeat]
        absent = np.zeros((len(fold_names[repeat]), responses.shape[1]), dtype=np.int32)
        block = responses[:, :, repeat]  # (n, C[, K])
        step = count_block_rows(block)
        for start in range(0, len(codes), step):
            rows = slice(start, start + step)
            _count_absent(block[rows], codes[rows], absent, names, largest)
        cells.append(_find_whole_cells(absent, codes, repeat, names, fold_names[repeat]))
    return tuple(cells)


def find_complete(cells: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Tell which configurations were evaluated wherever any was: (C,), from (K, C) per repeat."""
    return np.asarray(np.all([cell[cell.any(axis=1)].all(axis=0) for cell in cells], axis=0))


def _count_absent(
    block: Numbers,
    codes: NDArray[np.int32],
    absent: NDArray[np.int32],
    names: Sequence[str],
    largest: float,
) -> None:
    """Add to `absent` (K, C) how many cases of each fold have no prediction."""
    wide = block.dtype == np.float64 and np.isfinite(largest)  # no other holds such numbers
    is_finite = np.abs(block) <= largest if wide else np.isfinite(block)
    if is_finite.all() and (codes >= 0).all():
        return
    gone = _find_missing(block, is_finite, names)  # (rows, C)
    stray = ~gone & (codes < 0)[:, None]
    if stray.any():
        raise _make_error(
            f"{arg('fold')} is missing for cases that have predictions",
            "a fold for every tested case",
            "predictions without a fold",
            stray.sum(axis=0),
            names,
            (
                "Pass the fold that tested each case (-1 means not tested), or set its predictions "
                "to NaN."
            ),
        )
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]  # the cases with a fold, fold by fold
    if len(order):
        folds_of_block, starts = np.unique(codes[order], return_index=True)
        absent[folds_of_block] += np.add.reduceat(gone[order], starts, axis=0, dtype=np.int32)


def _find_missing(
    block: Numbers, is_finite: NDArray[np.bool_], names: Sequence[str]
) -> NDArray[np.bool_]:
    """Tell which (case, configuration) has no prediction; refuse what is half there."""
    shape = (len(block), block.shape[1], -1)  # one class where there is no class axis
    answered = is_finite.reshape(shape)
    nothing = np.asarray(~answered.any(axis=2))
    half = ~nothing & ~answered.all(axis=2)
    infinite = np.isinf(block).reshape(shape).any(axis=2)
    beyond = (~is_finite & np.isfinite(block)).reshape(shape).any(axis=2)
    for word, mask, cure in (
        ("infinite values", infinite, _ONLY_NAN),
        ("too large values", beyond, _NOT_SQUARED),
        ("NaN for some classes", half, _ALL_CLASSES),
    ):
        if mask.any():
            raise _make_not_finite_error(mask.sum(axis=0), names, word, cure)
    return nothing


def _find_whole_cells(
    absent: NDArray[np.int32],
    codes: NDArray[np.int32],
    repeat: int,
    names: Sequence[str],
    fold_names: Sequence[str],
) -> NDArray[np.bool_]:
    sizes = np.bincount(codes[codes >= 0], minlength=len(fold_names))[:, None]
    partial = (absent > 0) & (absent < sizes)
    if partial.any():
        fold = int(np.flatnonzero(partial.any(axis=1))[0])
        raise _make_not_finite_error(
            np.where(partial, absent, 0).sum(axis=0),
            names,
            "NaN",
            (
                "A configuration needs all or none of the predictions of a fold, but fold "
                f"{fold_names[fold]!r} of repeat {repeat} is partly missing: set the whole fold to "
                "NaN, drop the configuration, or drop the cases without a prediction."
            ),
        )
    return np.asarray((absent == 0) & (sizes > 0))  # a fold without cases tested nothing


def _make_not_finite_error(
    counts: Numbers, names: Sequence[str], word: str, cure: str
) -> InputError:
    where, listed = _list_counts(counts, names)
    return InputError(f"`scores` hold {word} in {where}", got=listed, cure=cure)


def _make_error(
    what: str, needs: str, word: str, counts: Numbers, names: Sequence[str], cure: str
) -> InputError:
    where, listed = _list_counts(counts, names)
    return InputError(what, needs=needs, got=f"{word} in {where}: {listed}", cure=cure)


def _list_counts(counts: Numbers, names: Sequence[str]) -> tuple[str, str]:
    """Return in how many configurations cases were counted, and in which."""
    bad = [int(c) for c in np.flatnonzero(counts)]
    listed = [f"{names[c]} ({counts[c]} case{'s' if counts[c] > 1 else ''})" for c in bad]
    return f"{len(bad)} of {len(names)} configurations", check.some(listed)


def places(tests: Sequence[NDArray[np.intp]], n: int, start: int = 0) -> list[tuple[int, int]]:
    """Return (repeat, fold) of each split by its test rows; an overlap opens the next repeat."""
    cells, repeat, fold = [], start, 0
    taken = np.zeros(n, dtype=bool)
    for rows in tests:
        if taken[rows].any():
            repeat, fold = repeat + 1, 0
            taken[:] = False
        if len(np.unique(rows)) < len(rows):
            raise InputError("a split tests a case twice", needs="distinct test rows")
        taken[rows] = True
        cells.append((repeat, fold))
        fold += 1
    return cells
