"""Marks of words: the same for the same words, and gaps beyond."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from earnest.training.tables.words import MOST_WORDS, count_words, mark_words


def test_two_texts_share_as_many_marks_as_words() -> None:
    texts = ["The pain began, the Pain ended", "pain ended at once", "Ärger: 3 days!", "", None]
    marks = mark_words(pa.chunked_array([texts]), 6)
    sets = [{m for m in row if not np.isnan(m)} for row in marks]
    words = [{"the", "pain", "began", "ended"}, {"pain", "ended", "at", "once"}, {"ärger", "days"}]
    assert [len(s) for s in sets] == [4, 4, 2, 0, 0]
    assert len(sets[0] & sets[1]) == len(words[0] & words[1])
    assert not sets[2] & (sets[0] | sets[1])


def test_a_mark_does_not_depend_on_the_table() -> None:
    one = mark_words(pa.chunked_array([["a long story about pain"]]), 5)
    other = mark_words(pa.chunked_array([["pain"], ["more pain"]]), 2)
    assert other[0, 0] in one[0]
    assert other[1, 1] == other[0, 0]


def test_the_first_words_count_and_no_more_than_the_most() -> None:
    long = " ".join(f"word{i}" for i in range(3 * MOST_WORDS))
    column = pa.chunked_array([[long, "short one"]])
    assert count_words(column) == MOST_WORDS
    assert count_words(pa.chunked_array([["one two two", None]])) == 2
    assert (mark_words(column, 3)[0] == mark_words(column, 9)[0, :3]).all()
