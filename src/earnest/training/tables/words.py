"""Words of free text as numbers: each row holds the marks of its words, and nothing is learned.

A mark is a hash of the word in small letters, so that a word has the same mark in every table. What
words are worth is learned from the training part of a fold, by `ColumnEncoder`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

MOST_WORDS = 100  # different ones of a text, the first; the others are not looked at
MOST_MARKS = 50_000_000  # held for a column
SPACE = 1 << 22  # of marks: two of five thousand words share one about three times
_WORD = re.compile(r"\w\w+")


def count_words(column: pa.ChunkedArray) -> int:
    """Return how many different words a text of a column has at most, of those looked at."""
    most = max((len(set(_WORD.findall(text))) for text in _list_texts(column)), default=1)
    return max(1, min(most, MOST_WORDS, MOST_MARKS // max(len(column), 1)))


def mark_words(column: pa.ChunkedArray, width: int) -> NDArray[np.float64]:
    """Return the marks of the first different words of every text: (n, width), NaN beyond.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from earnest.training.tables.words import mark_words
    >>> marks = mark_words(pa.chunked_array([["no pain", "Pain, pain!", None]]), 2)
    >>> bool(marks[0, 1] == marks[1, 0]), np.isnan(marks).sum(axis=1).tolist()
    (True, [0, 1, 2])
    """
    from sklearn.utils import murmurhash3_32

    known: dict[str, int] = {}
    marks = np.full((len(column), width), np.nan)
    for row, text in enumerate(_list_texts(column)):
        words = list(dict.fromkeys(_WORD.findall(text)))[:width]
        for place, word in enumerate(words):
            mark = known.get(word)
            if mark is None:
                mark = known[word] = int(murmurhash3_32(word, positive=True)) % SPACE
            marks[row, place] = mark
    return marks


def _list_texts(column: pa.ChunkedArray) -> list[str]:
    """Return the texts in small letters, '' where one is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.fill_null(pc.utf8_lower(column.cast(pa.large_string())), "")
    return [str(cell) for cell in text.to_pylist()]
