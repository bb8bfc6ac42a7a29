"""Tables of data that were given for predictions: what can be told by their columns."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from earnest.core.errors import InputError
from earnest.core.frames.columns import Columns
from earnest.core.frames.roles import WORDS_OF_CASES, WORDS_OF_PREDICTIONS

ENOUGH = 3  # columns that are unlike the others; fewer may be numbers of patients or rooms


def tell_of_data(error: InputError, table: Any, path: Path) -> InputError:
    """Return an error about a table, with the way to `earnest tune` where it surely holds data.

    What was wrong stays as it was said; this is added to it.
    """
    if not holds_data(table):
        return error
    return type(error)(
        error.what,
        needs=error.needs,
        got=error.got,
        cure=f"{error.cure} If these are data to learn from, and not predictions: earnest tune "
        f"{shlex.quote(path.name)} trains models on them, and says how good they are.".lstrip(),
    )


def holds_data(table: Any) -> bool:
    """Tell whether the columns of a table are surely no predictions of one outcome.

    Predictions of one outcome are alike: their ranges overlap, or they share labels. It is sure
    where three columns or more are unlike the others, beside those whose names tell a part, and
    where nothing speaks of folds, configurations or predictions.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.core.frames.raw import holds_data
    >>> data = {"age": [40, 60], "mass": [70.5, 80], "pulse": [99, 95], "y": [0, 1]}
    >>> holds_data(pa.table(data)), holds_data(pa.table(data | {"fold": [0, 1]}))
    (True, False)
    """
    try:
        columns = table if isinstance(table, Columns) else Columns.of(table)
        plain = {name: name.strip().casefold() for name in columns.names}
        if any(word in WORDS_OF_PREDICTIONS for word in plain.values()):
            return False
        ranges: list[tuple[float, float]] = []
        texts: list[set[str]] = []
        for name in (name for name in plain if plain[name] not in WORDS_OF_CASES):
            values = columns.array(name)
            if values.dtype.kind in "iuf" and (known := values[np.isfinite(values)]).size:
                ranges.append((float(known.min()), float(known.max())))
            elif values.dtype.kind in "UO":
                texts.append({word for word in values.tolist() if isinstance(word, str)})
    except InputError:
        return False
    return _unlike_ranges(ranges) + _unlike_words(texts) >= ENOUGH


def _unlike_ranges(ranges: Sequence[tuple[float, float]]) -> int:
    """Count the ranges outside the largest set that has a point in common."""
    if not ranges:
        return 0
    low, high = np.sort(np.array(ranges).T, axis=1)
    begun = np.searchsorted(low, low, side="right")  # ranges that begin at this point or before,
    over = np.searchsorted(high, low, side="left")  # and those that are over by then
    return len(ranges) - int((begun - over).max())


def _unlike_words(texts: Sequence[set[str]]) -> int:
    """Count the sets of words outside the largest number of them that share a word."""
    shared = Counter(word for words in texts for word in words)
    return len(texts) - max(shared.values(), default=0)
