"""Tables of data that were given for predictions: what can be told by their columns."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from earnest.core.base.errors import InputError
from earnest.core.tables.columns import Columns
from earnest.core.tables.roles import WORDS_OF_CASES, WORDS_OF_PREDICTIONS

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
    >>> from earnest.core.tables.raw import holds_data
    >>> data = {"age": [40, 60], "mass": [70.5, 80], "pulse": [99, 95], "y": [0, 1]}
    >>> holds_data(pa.table(data)), holds_data(pa.table(data | {"fold": [0, 1]}))
    (True, False)
    """
    try:
        columns = Columns.of(table)
        plain = {name: name.strip().casefold() for name in columns.names}
        if any(word in WORDS_OF_PREDICTIONS for word in plain.values()):
            return False
        values = [columns.array(name) for name in plain if plain[name] not in WORDS_OF_CASES]
    except InputError:
        return False
    return _unlike_ranges(values) + _unlike_words(values) >= ENOUGH


def _unlike_ranges(values: Sequence[Any]) -> int:
    """Count the columns of numbers outside the largest set whose ranges have a point in common."""
    numbers = [v[np.isfinite(v)] for v in values if v.dtype.kind in "iuf"]
    ranges = np.array([(v.min(), v.max()) for v in numbers if v.size], dtype=float)
    if not len(ranges):
        return 0
    low, high = ranges.T
    return len(ranges) - max(int(((low <= at) & (at <= high)).sum()) for at in low)


def _unlike_words(values: Sequence[Any]) -> int:
    """Count the columns of text outside the largest set that has a word in common."""
    texts = [{w for w in v.tolist() if isinstance(w, str)} for v in values if v.dtype.kind in "UO"]
    shared = Counter(word for words in texts for word in words)
    return len(texts) - max(shared.values(), default=0)
