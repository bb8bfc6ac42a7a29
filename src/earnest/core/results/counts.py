"""How many configurations a search planned, tried, completed, failed and dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from earnest.core.results.base import Plain

COMPLETE, DROPPED, FAILED = "complete", "dropped", "failed"  # how a configuration ended


@dataclass(frozen=True, kw_only=True)
class Counts(Plain):
    """How many configurations a search planned and tried, and how they ended.

    Terminal, live page, report and files show these numbers and count nothing themselves.

    Attributes
    ----------
    planned : int or None
        How many were planned; None where nobody knows. A search that has time left may try more.
    tried : int
        How many were begun.
    complete : int
        How many were evaluated on every fold that the search finished.
    failed : int
        How many have a fit or a score that failed.
    dropped : int
        How many were ended early, for being worse.
    incomplete : int
        How many of those begun are none of these, such as those under way when the time was over.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> search = en.SearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 9]}, cv=3)
    >>> search.fit(X, y).counts_
    Counts(planned=3, tried=3, complete=3, failed=0, dropped=0)
    """

    derived: ClassVar[tuple[str, ...]] = ("incomplete",)

    planned: int | None = None
    tried: int = 0
    complete: int = 0
    failed: int = 0
    dropped: int = 0

    @property
    def incomplete(self) -> int:
        """How many were begun and neither completed nor failed nor were dropped."""
        return max(self.tried - self.complete - self.failed - self.dropped, 0)

    @classmethod
    def of_statuses(cls, statuses: Iterable[str], planned: int | None = None) -> Self:
        """Count configurations by how they ended; any other word is that of an incomplete one.

        Examples
        --------
        >>> from earnest.core.results.counts import Counts
        >>> Counts.of_statuses(["complete", "failed", "incomplete"], planned=4).incomplete
        1
        """
        count = Counter(statuses)
        return cls(
            planned=planned,
            tried=count.total(),
            complete=count[COMPLETE],
            failed=count[FAILED],
            dropped=count[DROPPED],
        )
