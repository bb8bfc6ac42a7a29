"""The counts of a search in words, the same for every reader."""

from __future__ import annotations

from earnest.core.results.counts import Counts
from earnest.core.text.numbers import write_count


def tell_counts(counts: Counts) -> str:
    """Return how many configurations were tried, and what became of those that are not complete.

    Examples
    --------
    >>> from earnest.core.results.counts import Counts
    >>> from earnest.core.text.counts import tell_counts
    >>> tell_counts(Counts(planned=106, tried=85, complete=83, failed=1))
    '85 configurations (106 planned): 83 on every fold, 1 failed, 1 incomplete'
    >>> tell_counts(Counts(planned=12, tried=12, complete=12))
    '12 configurations'
    """
    words = write_count(counts.tried, "configuration")
    if counts.planned is not None and counts.planned != counts.tried:
        words += f" ({counts.planned:,} planned)"
    ends = (
        (counts.complete, "on every fold"),
        (counts.dropped, "dropped early"),
        (counts.failed, "failed"),
        (counts.incomplete, "incomplete"),
    )
    if counts.complete == counts.tried:
        return words
    return f"{words}: {', '.join(f'{count:,} {end}' for count, end in ends if count)}"
