"""Splits: which cases train and which test, as repeats and folds of Π."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.folds import places
from earnest.training.fit.rows import count_rows

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class Splits:
    """The splits of a cross-validation, in scikit-learn's order.

    Parameters
    ----------
    train, test : tuple of ndarray
        The rows of each split.
    repeat, fold : tuple of int
        Where each split stands in Π.
    n_cases : int
        The number of rows.
    ordered : bool
        Whether each split trains on earlier rows than it tests.
    """

    train: tuple[Indices, ...]
    test: tuple[Indices, ...]
    repeat: tuple[int, ...]
    fold: tuple[int, ...]
    n_cases: int
    ordered: bool = False

    def __len__(self) -> int:
        """Count the splits."""
        return len(self.test)

    def rows_of(self, place: int) -> tuple[Indices, Indices]:
        """Return the rows that a split trains on, and those that it tests."""
        return self.train[place], self.test[place]

    @property
    def n_repeats(self) -> int:
        """The number of repeats."""
        return self.repeat[-1] + 1

    @property
    def fold_codes(self) -> NDArray[np.int32]:
        """The fold that tests each case in each repeat, -1 where none does: (n, R)."""
        codes = np.full((self.n_cases, self.n_repeats), -1, dtype=np.int32)
        for rows, repeat, fold in zip(self.test, self.repeat, self.fold, strict=True):
            codes[rows, repeat] = fold
        return codes

    @property
    def fold_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the folds of each repeat."""
        counts = np.bincount(self.repeat)
        return tuple(tuple(str(k) for k in range(count)) for count in counts)

    @property
    def leaking(self) -> tuple[int, ...]:
        """The splits that test cases which they train on."""
        pairs = enumerate(zip(self.train, self.test, strict=True))
        return tuple(i for i, (train, test) in pairs if len(np.intersect1d(train, test)))

    @property
    def oddity(self) -> str:
        """Why these splits make no predictions that can be judged; empty where they do."""
        empty = sum(not len(rows) for rows in self.test)
        twice = sum(len(np.unique(rows)) < len(rows) for rows in self.test)
        if empty:
            return f"{empty} of {len(self)} splits with no test row"
        if twice:
            return f"{twice} of {len(self)} splits that test a row more than once"
        return ""

    @property
    def partial_repeats(self) -> int:
        """The number of repeats that leave cases untested."""
        return int((self.fold_codes < 0).any(axis=0).sum())


def make_splits(
    cv: Any,
    X: Any,
    y: Any,
    *,
    classifier: bool,
    n_repeats: int = 1,
    seeds: Seeds,
    params: Mapping[str, Any] | None = None,
    odd: bool = False,
) -> Splits:
    """Return the splits of `cv` and of its repeats.

    The first repeat is exactly what scikit-learn gives; each further one is the same splitter
    shuffled by a seed of its own. A split whose test cases overlap with those before it opens the
    next repeat, which makes repeats of a `Repeated*` splitter and of `ShuffleSplit` alike.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        As in scikit-learn.
    X, y : array-like
        The data.
    classifier : bool
        Whether whole numbers of folds are stratified by `y`.
    n_repeats : int
        The number of repeats.
    seeds : Seeds
        What the repeats after the first are shuffled with.
    params : mapping, optional
        What the splitter is given beside the data, such as `groups`.
    odd : bool
        Whether a split may test a row twice, and have no rows at all, as in scikit-learn.
    """
    check.whole_number("n_repeats", n_repeats, low=1)
    first = _checked(cv, y, classifier)
    splitters = [first, *(_shuffled(first, seeds, r) for r in range(1, n_repeats))]
    pairs: list[tuple[Indices, Indices]] = []
    placed: list[tuple[int, int]] = []
    n = count_rows(X)
    for splitter in splitters:
        own = _pairs(splitter, X, y, n, dict(params or {}), odd)
        start = placed[-1][0] + 1 if placed else 0
        pairs += own
        placed += places([np.unique(test) if odd else test for _, test in own], n, start)
    return Splits(
        train=tuple(train for train, _ in pairs),
        test=tuple(test for _, test in pairs),
        repeat=tuple(repeat for repeat, _ in placed),
        fold=tuple(fold for _, fold in placed),
        n_cases=n,
        ordered=len(pairs) > 1 and all(_before(train, test) for train, test in pairs),
    )


def _before(train: Indices, test: Indices) -> bool:
    """Tell whether all training rows come before all test rows."""
    return bool(len(train) and len(test) and train.max() < test.min())


def _checked(cv: Any, y: Any, classifier: bool) -> Any:
    from sklearn.model_selection import check_cv

    try:
        return check_cv(cv, y, classifier=classifier)
    except ValueError as error:
        if cv is None or (isinstance(cv, int | np.integer) and cv >= 2):
            raise InputError("no folds can be made by this `y`", got=str(error)) from error
        raise InputError(
            "`cv` cannot be read",
            needs="a number of folds from 2 on, a splitter of scikit-learn, or (train, test) pairs",
            got=check.show(cv),
            cure=str(error),
        ) from error


def can_shuffle(splitter: Any) -> bool:
    """Tell whether a splitter, or a number of folds, can be repeated with other folds."""
    if splitter is None or isinstance(splitter, int | np.integer):
        return True
    # TimeSeriesSplit inherits the attribute, but cannot be told to.
    return "shuffle" in signature(type(splitter)).parameters


def _shuffled(splitter: Any, seeds: Seeds, repeat: int) -> Any:
    """Return the splitter of a further repeat."""
    from copy import copy

    name = _name(splitter)
    if not can_shuffle(splitter):
        raise InputError(
            f"{name} cannot be repeated",
            needs="a splitter that can shuffle, such as KFold, StratifiedKFold or GroupKFold",
            got=f"n_repeats above 1 with {name}",
            cure="Leave `n_repeats` at 1; a Repeated* splitter or ShuffleSplit has repeats of its "
            "own.",
        )
    made = copy(splitter)
    made.shuffle = True
    made.random_state = int(seeds.generator(Purpose.SPLITS, repeat).integers(0, 2**31 - 1))
    return made


def _pairs(
    splitter: Any, X: Any, y: Any, n: int, params: dict[str, Any], odd: bool
) -> list[tuple[Indices, Indices]]:
    try:
        promised = splitter.get_n_splits(X, y, **params)
        found = list(splitter.split(X, y, **params))
    except (ValueError, TypeError) as error:
        raise _no_split(splitter, error, params) from error
    if not found:
        raise InputError("`cv` gives no split", needs="a split at least", got=check.show(splitter))
    if promised != len(found):
        raise InputError(
            f"`split` and `get_n_splits` of {_name(splitter)} disagree",
            needs=f"{promised} splits, as get_n_splits says",
            got=f"{len(found)} splits",
        )
    return [
        (_rows(train, n, "train", odd), _rows(test, n, "test", odd))
        for train, test in (_pair(item) for item in found)
    ]


def _pair(item: Any) -> tuple[Any, Any]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InputError(
            "`cv` gives something else than splits",
            needs="(train, test) pairs of row numbers",
            got=check.show(item),
        )
    return item[0], item[1]


def _no_split(splitter: Any, error: Exception, params: dict[str, Any]) -> InputError:
    cure = "Use fewer folds, or another splitter."
    if "groups" in str(error) and params.get("groups") is None:
        cure = "Pass the groups of the cases as `groups`."
    if "inconsistent numbers of samples" in str(error):
        cure = "Give one group a row."
    if isinstance(error, TypeError):
        cure = "Give (train, test) pairs of row numbers, or a splitter."
    return InputError(f"{_name(splitter)} cannot split these data", got=str(error), cure=cure)


def _name(splitter: Any) -> str:
    name = type(splitter).__name__
    return "`cv`" if name.startswith("_") else name  # scikit-learn's own wrapper of pairs


def _rows(given: Any, n: int, part: str, odd: bool) -> Indices:
    rows = np.asarray(given)
    if odd and rows.size == 0:
        return np.empty(0, dtype=np.intp)
    if rows.dtype == bool and len(rows) == n:
        rows = np.flatnonzero(rows)
    whole = rows.ndim == 1 and rows.dtype.kind in "iu" and len(rows) > 0
    if not whole or rows.min() < 0 or rows.max() >= n:
        raise InputError(
            f"a split has no usable {part} rows",
            needs=f"whole numbers from 0 to {n - 1}, one at least",
            got="none" if rows.size == 0 else check.show(given),
            cure="Row numbers are positions, not labels of an index." if rows.size else "",
        )
    return rows.astype(np.intp, copy=False)
