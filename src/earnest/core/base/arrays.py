"""Arrays as users have them (lists, Series, frames, masked arrays), made plain NumPy."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.text.doors import arg

# Real numbers of any type; logical values count as 0 and 1.
Numbers: TypeAlias = NDArray[np.floating | np.integer | np.bool_]
# An array as somebody gave it: of any type, which is looked at where it matters.
RawArray: TypeAlias = NDArray[Any]
S = TypeVar("S", bound=np.generic)

BLOCK = 1 << 22  # values looked at in one go, so that a check never copies a large matrix
COPIED = 1 << 26  # bytes up to which a user's array is copied, not watched
LARGEST = 1e150  # size of scores whose squares can be summed
LARGEST_OUTCOME = 1e75  # size of outcomes and predictions whose squares have a variance
TEXT = "UST"  # the kinds of NumPy dtypes that hold text
ROUNDING = 1e-6  # by how much rounding may carry a probability beyond 0 or 1


def as_array(name: str, values: object) -> RawArray:
    """Return values as a plain array; a numeric NumPy array, mapped or not, is not copied.

    Missing values of masked and nullable arrays become NaN among numbers and None elsewhere, and
    an object array whose values are of one type gets that type.

    Examples
    --------
    >>> from earnest.core.base.arrays import as_array
    >>> as_array("y", ["a", float("nan")]).tolist()
    ['a', None]
    """
    try:
        return _settle(_make_array(name, values))
    except OverflowError as error:
        raise InputError(
            f"{arg(name)} holds a number that is too large",
            needs=f"numbers of at most {sys.float_info.max:.1e}",
            got=f"whole numbers with more than {sys.float_info.max_10_exp} digits",
            cure="Convert them to text if they are labels.",
        ) from error


def _make_array(name: str, values: object) -> RawArray:
    if isinstance(values, np.ma.MaskedArray):
        return _unmask(values)
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError(f"{arg(name)} is a sparse matrix", cure=f"Pass {name}.toarray().")
    try:
        array = np.asarray(values)
        if array.dtype.kind in TEXT and isinstance(values, (list, tuple)):
            # NumPy makes text of a NaN or a number that stands among strings.
            array = np.asarray(values, dtype=object)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{arg(name)} cannot be read as an array",
            needs="an array, a list, a Series or a frame, with rows of equal length",
            got=check.show(values),
        ) from error
    return array


def refuse_other_order(arguments: Mapping[str, object]) -> None:
    """Refuse Series and frames of pandas whose rows have the same labels in another order.

    Rows are joined by their place, as NumPy joins them; where labels say otherwise, one of the two
    is wrong, and every number after it.
    """
    first: tuple[str, Any] | None = None
    for name, values in arguments.items():
        index: Any = getattr(values, "index", None)
        if not hasattr(index, "equals"):
            continue
        if first is None:
            first = name, index
        elif not index.equals(first[1]) and set(index.tolist()) == set(first[1].tolist()):
            raise InputError(
                f"the rows of {arg(name)} have the same labels as those of {arg(first[0])}, but in "
                "another order",
                cure=f"Put them in one order with {name}.loc[{first[0]}.index], or, if the order "
                f"is right and the labels are not, pass {name}.to_numpy().",
            )


def read_one_column(name: str, values: object, n: int, beside: str = "y") -> RawArray:
    """Return values as a complete array with one value per case."""
    array = as_array(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim > 1:
        raise InputError(f"{arg(name)} has too many columns", needs="one", got=str(array.shape[1]))
    same_length(name, array, n, beside)
    if array.dtype.kind in "Vc":
        raise InputError(
            f"{arg(name)} does not hold labels",
            needs="text, numbers or bool",
            got=f"type {array.dtype}",
        )
    absent = missing(array)
    if absent.any():
        raise InputError(
            f"{arg(name)} has missing values",
            needs="a label for every case",
            got=f"{int(absent.sum())} of {n} missing",
            cure="Give each ungrouped case its own label.",
        )
    refuse_unhashable(name, array)
    return array


def refuse_unhashable(name: str, values: object, *, huge: bool = True) -> None:
    """Refuse dicts, lists and sets in the place of labels, which cannot be told apart.

    Where `huge` is False, whole numbers beyond 64 bits are refused too: no learner takes them.
    """
    if not isinstance(values, np.ndarray):
        try:
            values = np.asarray(values)
        except (TypeError, ValueError):  # rows of different lengths, which others refuse
            return
    for value in values.ravel() if values.dtype == object else ():
        if not huge and isinstance(value, int) and value.bit_length() > 64:
            raise InputError(
                f"{arg(name)} holds a number that is too large",
                needs="whole numbers of at most 64 bits",
                got=check.show(value),
                cure=f"Convert labels to text with [str(v) for v in {name}].",
            )
        try:
            hash(value)
        except TypeError as error:
            raise InputError(
                f"{arg(name)} does not hold labels",
                needs="text, numbers or bool",
                got=f"a {type(value).__name__}: {check.show(value)}",
                cure=f"Pass one label for each case, such as [str(v) for v in {name}].",
            ) from error


def column_names(values: object) -> tuple[str, ...] | None:
    """Return the names of the columns of a frame, None where they only number the columns."""
    names = getattr(values, "column_names", None) or getattr(values, "columns", None)
    if names is None or isinstance(values, np.ndarray) or not isinstance(names, Iterable):
        return None
    listed = list(names)
    return None if listed == list(range(len(listed))) else tuple(str(name) for name in listed)


def kept(array: NDArray[S]) -> NDArray[S]:
    """Return an array that its owner can no longer change, if a copy of it is not too large.

    Mapped arrays, and those above `COPIED` bytes, are not copied.
    """
    return array if array.nbytes > COPIED or is_mapped(array) else array.copy(order="K")


def read_only(array: NDArray[S]) -> NDArray[S]:
    """Return a view through which an array cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_mapped(array: object) -> bool:
    """Tell whether an array lies in a mapped file, however many views are between."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def same_length(name: str, array: NDArray[np.generic], n: int, beside: str = "y") -> None:
    """Refuse an array that is not about the same cases as what it stands beside."""
    if array.ndim == 0 or len(array) != n:
        raise InputError(
            f"{arg(name)} and {arg(beside)} differ in length",
            needs=f"{n} values, one per case",
            got="one value" if array.ndim == 0 else f"{len(array)} values",
        )


def missing(array: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Tell which values are None, NaN, NA or NaT."""
    if array.dtype.kind in "fc":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype.kind == "O":
        flags = (is_missing(value) for value in array.ravel())
        return np.fromiter(flags, dtype=bool, count=array.size).reshape(array.shape)
    return np.zeros(array.shape, dtype=bool)


def is_missing(value: object) -> bool:
    """Tell whether one value is None, NaN, NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True  # pandas' own, which it would cost an import to name
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN may not be compared
    return isinstance(value, (Real, np.generic)) and bool(value != value)


def make_text(array: RawArray) -> NDArray[np.str_]:
    """Return labels of any types as text; bytes are read as UTF-8.

    Examples
    --------
    >>> from earnest.core.base.arrays import make_text
    >>> make_text(np.array([b"a", 1, "b"], dtype=object)).tolist()
    ['a', '1', 'b']
    """
    texts = [check.spell(_decode(value), str) for value in array.ravel().tolist()]
    return np.array(texts, dtype=str).reshape(array.shape)


def whole_as_int(values: RawArray) -> RawArray:
    """Return floats that are all whole as integers, so that 1.0 and 1 are one label."""
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return values
    whole = (values == np.rint(values)).all() and (np.abs(values) < 2.0**63).all()
    return values.astype(np.int64) if whole else values


def first_other(values: NDArray[np.generic]) -> tuple[int, object] | None:
    """Return the row and the value of the first text among numbers that were read as text.

    None where there is no such text, or where numbers are not the rule.
    """
    numbers = [_is_number(value) for value in values.tolist() if value is not None]
    if all(numbers) or 2 * sum(numbers) <= len(numbers):
        return None
    return next(
        (row, v) for row, v in enumerate(values.tolist()) if v is not None and not _is_number(v)
    )


def _is_number(value: object) -> bool:
    if not isinstance(value, str | bytes | SupportsFloat | SupportsIndex):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def cut_row_blocks(array: NDArray[S]) -> Iterator[NDArray[S]]:
    """Cut an array into views of rows of a bounded size."""
    rows = count_block_rows(array)
    return (array[start : start + rows] for start in range(0, len(array), rows))


def count_block_rows(array: NDArray[np.generic], values: int = BLOCK) -> int:
    """Return how many rows of an array make a block of about that many values."""
    return max(1, values // max(1, array[:1].size))


def yield_row_bytes(array: NDArray[np.generic]) -> Iterator[memoryview]:
    """Yield the bytes of an array of floats block by block, every NaN as the same one."""
    for block in cut_row_blocks(array):
        absent = np.isnan(block)
        same = np.where(absent, np.nan, block) if absent.any() else block
        yield np.ascontiguousarray(same, dtype=array.dtype).reshape(-1).view(np.uint8).data


def _unmask(
    values: np.ma.MaskedArray[tuple[int, ...], np.dtype[np.generic]],
) -> NDArray[np.generic]:
    number = values.dtype.kind in "fiu"
    kind = (values.dtype if values.dtype.kind == "f" else np.float64) if number else object
    plain = np.array(values.data, dtype=kind)
    plain[np.ma.getmaskarray(values)] = np.nan if number else None
    return plain


def _settle(array: NDArray[np.generic]) -> NDArray[np.generic]:
    plain = np.asarray(array) if type(array) is not np.memmap else array  # no np.matrix
    if plain.dtype.kind == "S":
        return np.char.decode(plain, "utf-8", "backslashreplace")
    if plain.dtype.kind == "T":  # NumPy's own variable-width strings may hold NA
        plain = plain.astype(object)
    return _type_objects(plain) if plain.dtype.kind == "O" else plain


def _type_objects(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Give an object array the type that all its values share."""
    values: list[object] = [None if is_missing(v) else v for v in array.ravel()]
    present = [v for v in values if v is not None]
    whole = len(present) == len(values)
    typed: NDArray[np.generic] | None = None
    if all(isinstance(v, (bool, np.bool_)) for v in present) and present:
        typed = np.array(values, dtype=bool) if whole else None
    elif all(isinstance(v, (Real, Decimal)) for v in present):
        typed = _make_numbers(values, present) if values else None
    elif all(isinstance(v, bytes) for v in present):
        values = [_decode(v) for v in values]
        typed = np.array(values, dtype=str) if whole else None
    elif all(isinstance(v, str) for v in present):
        typed = np.array(values, dtype=str) if whole else None
    if typed is None:
        typed = np.fromiter(values, dtype=np.object_, count=len(values))
    return typed.reshape(array.shape)


def _decode(value: object) -> object:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _make_numbers(values: list[object], present: list[object]) -> NDArray[np.generic] | None:
    integral = all(isinstance(v, (int, np.integer)) for v in present)
    if integral and len(present) == len(values):
        numbers = np.array([int(v) for v in values if isinstance(v, (int, np.integer))])
        return numbers if numbers.dtype.kind in "iu" else None  # None: beyond 64 bits
    real = (float(v) if isinstance(v, (Real, Decimal)) else np.nan for v in values)
    return np.array(list(real), dtype=np.float64)


def finite_range(array: Numbers) -> tuple[float, float]:
    """Return the smallest and the largest value, NaN aside; (inf, -inf) where there is none."""
    low, high = np.inf, -np.inf
    for block in cut_row_blocks(array):
        low = np.fmin(low, np.fmin.reduce(block, axis=None))
        high = np.fmax(high, np.fmax.reduce(block, axis=None))
    return float(low), float(high)


def is_subset(array: RawArray, classes: tuple[object, ...]) -> bool:
    """Tell whether a three-dimensional array holds numbers, and every one is a class."""
    if array.ndim > 3 or array.dtype.kind not in "fiub":
        return False
    if not all(isinstance(c, (int, float)) for c in classes):
        return False
    values = np.array(classes, dtype=np.float64)
    is_proper = False
    for block in cut_row_blocks(array):
        absent = np.isnan(block)
        if not (np.isin(block, values) | absent).all():
            return False
        is_proper = is_proper or not absent.all()
    return is_proper


def look_like_class_columns(scores: RawArray, count: int) -> bool:
    """Tell whether the last axis looks like the probabilities of `count` classes.

    Predictions of different models, or of repeats, do not sum to 1 in every case.
    """
    if scores.ndim not in (2, 3) or scores.shape[-1] != count or len(scores) < 3:
        return False
    if scores.dtype.kind != "f" or not is_within_one(scores):
        return False
    blocks = cut_row_blocks(scores)
    return all(bool((np.abs(block.sum(axis=-1) - 1.0) <= 1e-5).all()) for block in blocks)


def is_within_one(array: Numbers) -> bool:
    """Tell whether all numbers may be probabilities, but for rounding."""
    low, high = finite_range(array)
    return low >= -ROUNDING and high <= 1.0 + ROUNDING
