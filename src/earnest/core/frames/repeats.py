"""Folds and repeats in one column, as R's caret writes them: 'Fold1.Rep2'."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from earnest.core.frames.columns import Columns

_REPEAT = r"rep(eat)?[._ -]*(?P<repeat>\d+)"
_BOTH = (  # the fold first, as caret writes it, or the repeat first
    re.compile(rf"(?P<fold>.*?\d)[._ -]*{_REPEAT}", re.IGNORECASE),
    re.compile(rf"{_REPEAT}[._ -]*(?P<fold>fold[._ -]*\d+)", re.IGNORECASE),
)


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
