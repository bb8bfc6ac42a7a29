"""Repeats that no column of their own tells: 'Fold1.Rep2', and repeats stacked without names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import Caution
from earnest.core.frames.columns import Columns

_REPEAT = r"rep(eat)?[._ -]*(?P<repeat>\d+)"
_BOTH = (  # the fold first, as caret writes it, or the repeat first
    re.compile(rf"(?P<fold>.*?\d)[._ -]*{_REPEAT}", re.IGNORECASE),
    re.compile(rf"{_REPEAT}[._ -]*(?P<fold>fold[._ -]*\d+)", re.IGNORECASE),
)

FEWEST = 20  # cases under which an order of outcomes may come about again by chance
RUN = 3  # rows of a fold, on average, from which folds are sorted rather than dealt out


def with_repeats(columns: Columns, fold: str | None, repeat: str | None) -> Columns:
    """Return the columns with a column of repeats that was part of the names of the folds.

    Nothing is done where there is a column of repeats, where none is wanted, and where a fold
    has another name.
    """
    if fold not in columns.names or repeat is None or repeat in columns.names:
        return columns
    codes, labels = columns.codes(fold)
    texts = [str(label).strip() for label in labels.tolist()]
    found = next(
        (all_ for form in _BOTH if all(all_ := [form.fullmatch(text) for text in texts])), []
    )
    matches = [match for match in found if match is not None]
    if not matches or (codes < 0).any() or len({m["repeat"] for m in matches}) < 2:
        return columns
    import narwhals as nw
    import pyarrow as pa

    folds = np.array([match["fold"] for match in matches])[codes]
    times = np.array([int(match["repeat"]) for match in matches])[codes]
    table = nw.from_native(pa.table({"fold": folds, "repeat": times}), eager_only=True)
    derived = {fold: table.get_column("fold"), repeat: table.get_column("repeat")}
    read = columns.read
    names = (*columns.names, repeat)
    return replace(
        columns, names=names, read=lambda name: derived[name] if name in derived else read(name)
    )


def remark_stacked(columns: Columns, y: Any, fold: NDArray[Any] | None) -> list[Caution]:
    """Tell of rows that may be repeats of the same cases, one under the other, without a name.

    So it looks where a real outcome has every value equally often, where the outcomes come in the
    same order again and again, and where sorted folds begin anew with the same outcomes.
    """
    values = y[0] if isinstance(y, tuple) else y
    times = _times_of_values(values) or _times_of_order(values) or _times_of_folds(values, fold)
    if times < 2:
        return []
    return [
        Caution(
            "EN122",
            f"The {columns.rows:,} rows may be {columns.rows // times:,} cases, {times} times "
            "each: their outcomes come again.",
            "Repeats that are read as other cases make every interval too narrow.",
            "If they are repeats, add a column that names the cases and one that numbers the "
            "repeats, and say id='COLUMN' and repeat='COLUMN'.",
        )
    ]


def _times_of_values(values: NDArray[Any]) -> int:
    """Return how often each value of a real outcome stands there, 0 where that differs."""
    if values.dtype.kind != "f":
        return 0
    found, counts = np.unique(values, return_counts=True)
    real = len(found) >= FEWEST and bool((found != np.rint(found)).any())
    return int(counts[0]) if real and bool((counts == counts[0]).all()) else 0


def _times_of_order(values: NDArray[Any]) -> int:
    """Return how often the outcomes come in the same order, 0 for short and for single orders."""
    n = len(values)
    for period in range(1, n // 2 + 1):
        if n % period == 0 and bool((values[period:] == values[:-period]).all()):
            return n // period if period >= FEWEST else 0
    return 0


def _times_of_folds(values: NDArray[Any], fold: NDArray[Any] | None) -> int:
    """Return how often sorted folds begin anew, each time with as many of every outcome."""
    if fold is None or fold.ndim != 1 or values.dtype.kind == "f":
        return 0
    starts = np.flatnonzero(np.append(True, fold[1:] != fold[:-1]))
    labels = fold[starts].tolist()
    width = len(set(labels))
    times, rest = divmod(len(labels), width)
    if width < 2 or times < 2 or rest or len(values) < RUN * len(labels):
        return 0
    if labels != labels[:width] * times or len(values) // times < FEWEST:
        return 0
    parts = np.split(values, starts[width::width])
    first = np.sort(parts[0])
    return times if all(np.array_equal(np.sort(part), first) for part in parts[1:]) else 0
