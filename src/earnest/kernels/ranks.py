"""The order of the columns of predictions, kept for the next question.

To sort a column takes a fifth of the time of an AUC over a thousand resamples, and nearly all of
that of the sample itself. Another method, the gain curve or a report asks about the same columns:
their order is kept as long as the predictions are, up to `KEPT_BYTES`. Nothing here needs numba.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.arrays import Numbers
from earnest.core.data.predictions import Predictions
from earnest.metrics.families import Need

KEPT_BYTES = 64_000_000  # of the orders of one table of predictions
ENTRY_BYTES = 5  # 4 row number, 1 mark


@dataclass(frozen=True, eq=False)
class KeptRanks:
    """The orders of some columns; see `earnest.kernels.sorting.Ranking`.

    Attributes
    ----------
    rows, marks : ndarray, shape (C, n)
        The row numbers of each column in ascending order, and what is special about each.
    lengths, tied : ndarray, shape (C,)
        How many entries are in use, and whether any two scores are equal.
    is_sorted : ndarray of bool, shape (C,)
        Which columns were sorted already.
    """

    rows: NDArray[np.int32]
    marks: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    tied: NDArray[np.bool_]
    is_sorted: NDArray[np.bool_]

    @classmethod
    def empty(cls, columns: int, n: int) -> KeptRanks:
        """Make room for the orders of all columns; pages never written take no memory."""
        return cls(
            np.empty((columns, n), np.int32),
            np.empty((columns, n), np.uint8),
            np.empty(columns, np.int64),
            np.empty(columns, np.bool_),
            np.zeros(columns, np.bool_),
        )

    def part(self, columns: slice | NDArray[np.intp]) -> KeptRanks:
        """Return some columns: those of a slice are views, so that what is sorted is kept."""
        return KeptRanks(
            self.rows[columns],
            self.marks[columns],
            self.lengths[columns],
            self.tied[columns],
            self.is_sorted[columns],
        )

    def put(self, columns: NDArray[np.intp], ranks: KeptRanks) -> None:
        """Keep the orders of some columns."""
        self.rows[columns], self.marks[columns] = ranks.rows, ranks.marks
        self.lengths[columns], self.tied[columns] = ranks.lengths, ranks.tied
        self.is_sorted[columns] = True


@dataclass(frozen=True, eq=False)
class RankKeeper:
    """Finds the kept orders of one response of one repeat of some predictions."""

    pi: Predictions
    needs: Need
    repeat: int

    def find(self, column: int | None, truth: Numbers) -> KeptRanks | None:
        """Return the orders for a truth (n, ...) that all columns share, None if too large.

        `column` is the class whose scores are ordered.
        """
        entries = _KEPT.setdefault(self.pi, [])
        wanted = (self.needs, self.repeat, column)
        for key, labels, ranks in entries:
            if key == wanted and np.array_equal(labels, truth):
                return ranks
        size = ENTRY_BYTES * len(truth) * self.pi.n_configs
        taken = sum(ENTRY_BYTES * ranks.rows.size for _, _, ranks in entries)
        if taken + size > KEPT_BYTES:
            return None
        ranks = KeptRanks.empty(self.pi.n_configs, len(truth))
        entries.append((wanted, np.array(truth), ranks))
        return ranks


Key = tuple[Need, int, int | None]
_KEPT: WeakKeyDictionary[Predictions, list[tuple[Key, Numbers, KeptRanks]]] = WeakKeyDictionary()
