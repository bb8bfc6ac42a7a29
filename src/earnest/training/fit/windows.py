"""Splits of cases in time order: models see what came before the cases that test them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.data.order import encode_order
from earnest.core.text.doors import arg
from earnest.training.fit.response import count_rows

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TimeWindows:
    """A splitter of windows in time: each fold tests a window, and trains on cases before it.

    Windows follow each other and reach to the last time, so that each case is tested once at most,
    and those before the first window never. Cases of one time stay together. Where `split` is
    called with groups, training cases of groups that are tested are left out.

    Parameters
    ----------
    n_splits : int
        How many windows test.
    when : array-like, shape (n,), optional
        The time of each case, numbers or dates; the rows are in time order by default.
    test_size : int, optional
        How many times a window has; as many as divide all times into `n_splits` + 1 by default.
    train_size : int, optional
        How many times at most a model sees, the last ones before its window (a rolling window).
        By default all (an expanding one).
    gap : int
        How many times between training and window are left out, as what is predicted `h` times
        ahead is known `h` - 1 times later than the predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.learners import TimeWindows
    >>> for train, test in TimeWindows(2, test_size=2, gap=1).split(np.zeros((8, 1))):
    ...     print(train, test)
    [0 1 2] [4 5]
    [0 1 2 3 4] [6 7]
    """

    n_splits: int = 5
    when: ArrayLike | None = None
    test_size: int | None = None
    train_size: int | None = None
    gap: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        check.whole_number("n_splits", self.n_splits, low=2)
        check.whole_number("gap", self.gap, low=0)
        for name, size in (("test_size", self.test_size), ("train_size", self.train_size)):
            if size is not None:
                check.whole_number(name, size, low=1)

    @property
    def order_(self) -> NDArray[np.int64] | None:
        """The rank of the time of each case, None where the rows are in time order."""
        if self.when is None:
            return None
        return encode_order(self.when, len(np.asarray(self.when)))

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of windows."""
        return self.n_splits

    def split(
        self, X: object, y: object = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the training rows and the test rows of each window, in time order."""
        n = count_rows(X)
        ranks = cast("NDArray[np.int64]", encode_order(True if self.when is None else self.when, n))
        times = int(ranks.max()) + 1 if n else 0
        size = times // (self.n_splits + 1) if self.test_size is None else self.test_size
        first = times - self.n_splits * size
        if size < 1 or first - self.gap < 1:
            raise InputError(
                "there are too few times for these windows",
                needs=f"at least {self._count_least():,} different times",
                got=f"{times:,}",
                cure=f"Use fewer windows, a smaller {arg('test_size')} or a smaller {arg('gap')}.",
            )
        rows = np.argsort(ranks, kind="stable")
        units = None if groups is None else np.asarray(groups)
        for start in range(first, times, size):
            end = start - self.gap
            begin = 0 if self.train_size is None else max(0, end - self.train_size)
            inside = ranks[rows]
            train = rows[(inside >= begin) & (inside < end)]
            test = rows[(inside >= start) & (inside < start + size)]
            if units is not None:
                train = train[~np.isin(units[train], units[test])]
                if not len(train):
                    raise InputError(
                        "no training case is left in a window",
                        needs="groups that end before the window which tests others",
                        got="cases of the tested groups alone",
                        cure="Leave the groups out, or use fewer windows.",
                    )
            yield train.astype(np.intp), test.astype(np.intp)

    def _count_least(self) -> int:
        """Return how many times are needed."""
        return self.n_splits * (self.test_size or self.gap + 1) + self.gap + 1
