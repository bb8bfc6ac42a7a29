"""What the columns are that models see, before any model is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from earnest.core.base.errors import InputError


@dataclass(frozen=True)
class Inputs:
    """The columns of the matrix that models see, and the number of cases.

    The matrix itself is float64 of shape (n, p): a number is as it was, a category is the code
    0..L-1 of its level, and NaN is missing. A level that training never saw arrives as NaN or as
    a code of its own.

    Parameters
    ----------
    names : tuple of str
        One a column.
    levels : tuple of int
        0 for a column of numbers, else the number of levels of the category.
    missing : tuple of bool
        Whether a column has missing values.
    n_cases : int
        The number of rows.

    Examples
    --------
    >>> from earnest.training.learners.inputs import Inputs
    >>> inputs = Inputs(("age", "job"), (0, 4), (True, False), n_cases=300)
    >>> inputs.numeric, inputs.categorical
    ((0,), (1,))
    """

    names: tuple[str, ...]
    levels: tuple[int, ...]
    missing: tuple[bool, ...]
    n_cases: int

    def __post_init__(self) -> None:
        """Refuse columns that are described unlike each other, and a table without any."""
        lengths = {len(self.names), len(self.levels), len(self.missing)}
        if len(lengths) != 1 or lengths == {0}:
            raise InputError(
                "the descriptions of the columns do not match",
                needs="a name, a number of levels and a flag for each of at least one column",
                got=f"{len(self.names)} names, {len(self.levels)} levels, "
                f"{len(self.missing)} flags",
            )

    @classmethod
    def of(cls, X: object, *, categorical: Iterable[int] = (), names: Iterable[str] = ()) -> Inputs:
        """Describe a matrix whose categories are codes already.

        Examples
        --------
        >>> import numpy as np
        >>> from earnest.training.learners.inputs import Inputs
        >>> Inputs.of(np.array([[1.5, 0], [np.nan, 2]]), categorical=[1])
        Inputs(names=('x0', 'x1'), levels=(0, 3), missing=(True, False), n_cases=2)
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or not X.size:
            raise InputError("X is not a table", needs="rows and columns", got=f"shape {X.shape}")
        chosen = set(categorical)
        levels = [int(np.nanmax(X[:, i], initial=0)) + 1 for i in range(X.shape[1])]
        return cls(
            names=tuple(names) or tuple(f"x{i}" for i in range(X.shape[1])),
            levels=tuple(count if i in chosen else 0 for i, count in enumerate(levels)),
            missing=tuple(bool(column.any()) for column in np.isnan(X).T),
            n_cases=len(X),
        )

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def numeric(self) -> tuple[int, ...]:
        """The positions of the columns of numbers."""
        return tuple(i for i, count in enumerate(self.levels) if count == 0)

    @property
    def categorical(self) -> tuple[int, ...]:
        """The positions of the categories."""
        return tuple(i for i, count in enumerate(self.levels) if count > 0)

    @property
    def has_missing(self) -> bool:
        """Whether any column has missing values."""
        return any(self.missing)

    @property
    def n_encoded(self) -> int:
        """The number of columns where every level gets one of its own."""
        return sum(max(count, 1) for count in self.levels)
