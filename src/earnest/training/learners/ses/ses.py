"""`SES`: statistically equivalent signatures, as a selection of scikit-learn's form."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations, islice, product
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.training.learners.selection import NUMBERS, SURVIVAL, ColumnSelection, find_kind
from earnest.training.learners.ses.tests import (
    Columns,
    Given,
    Independence,
    LikelihoodRatio,
    PartialCorrelation,
)

if TYPE_CHECKING:
    pass

ROUNDING = 1e-9  # of a log p-value: copies of a column differ by no more


@dataclass
class Search:
    """One run of the search; `run` fills what it learns.

    Parameters
    ----------
    test : Independence
        What tests independence.
    count : int
        The number of columns.
    alpha : float
        The level above which a column counts as independent.
    max_k : int
        How many columns a test conditions on at most.

    Attributes
    ----------
    selected : list of int
        The columns, in the order in which they entered.
    equivalent : dict of int to list of int
        Each selected column with those that can stand for it, itself first.
    log_p : ndarray, shape (p,)
        The largest log p-value of each column over all tests so far: its least association.
    """

    test: Independence
    count: int
    alpha: float
    max_k: int
    selected: list[int] = field(default_factory=list)
    equivalent: dict[int, list[int]] = field(default_factory=dict)
    log_p: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def run(self) -> Search:
        """Let the column with the greatest least association enter, until none is left.

        After each entry, whatever is independent of the outcome given some of the selected leaves,
        candidates and selected columns alike, and never comes back. Only sets with the newest
        column are new, so only they are tested.
        """
        every = np.arange(self.count)
        self.equivalent = {int(i): [int(i)] for i in every}
        self.log_p = self.test.log_p(every, ())
        waiting = every[self.log_p <= self._level]
        while len(waiting):
            newest = self._find_strongest(waiting)
            self.selected.append(newest)
            waiting = self._list_waiting(waiting[waiting != newest], newest)
        self.equivalent = {i: self.equivalent[i] for i in self.selected}
        return self

    def _find_strongest(self, waiting: Columns) -> int:
        """Return the column of the least log p-value, the first of those that rounding divides."""
        values = self.log_p[waiting]
        return int(waiting[values <= values.min() * (1.0 - ROUNDING)][0])

    @property
    def _level(self) -> float:
        return math.log(self.alpha)

    def _list_sets(self, newest: int) -> Iterator[Given]:
        """Yield the sets of selected columns that hold the newest, the small ones first."""
        others = [one for one in self.selected if one != newest]
        for size in range(1, min(self.max_k, self.test.most_given) + 1):
            for rest in combinations(others, size - 1):
                if all(one in self.selected for one in rest):  # none has left meanwhile
                    yield (newest, *rest)

    def _list_waiting(self, waiting: Columns, newest: int) -> Columns:
        """Test candidates and selected columns given every new set; what is independent leaves."""
        for given in self._list_sets(newest):
            chosen = [one for one in self.selected if one not in given]
            columns = np.concatenate([waiting, np.array(chosen, dtype=np.intp)])
            if not len(columns):
                break
            found = self.test.log_p(columns, given, self.log_p[columns])
            self.log_p[columns] = np.maximum(self.log_p[columns], found)
            for column in columns[found > self._level].tolist():
                self._find_stand_in(column, given)
                if column in chosen:
                    self.selected.remove(column)
            waiting = waiting[found[: len(waiting)] <= self._level]
        return waiting

    def _find_stand_in(self, column: int, given: Given) -> None:
        """Let a column that leaves stand for a selected one that its set would lose to it."""
        for one in given:
            exchanged = (*(other for other in given if other != one), column)
            level = np.array([self._level])
            if self.test.log_p(np.array([one]), exchanged, level)[0] > self._level:
                self.equivalent[one] += self.equivalent[column]
                return


def list_signatures(search: Search, limit: int) -> list[tuple[int, ...]]:
    """Return the selected columns with every exchange of equivalent ones, at most so many."""
    choices = [search.equivalent[one] for one in search.selected]
    return list(islice(product(*choices), limit)) if choices else []


def count_signatures(search: Search) -> int:
    """Return how many signatures there are."""
    return math.prod(len(search.equivalent[one]) for one in search.selected)


REMEMBERED = 256  # searches: some selections on the folds of some repeats
_LAST: OrderedDict[tuple[object, ...], Search] = OrderedDict()
_LOCK = Lock()


class SES(ColumnSelection):
    """Select a minimal set of columns, and find those that could replace them.

    **What it finds.** The columns that stay dependent on the outcome given any few of the other
    selected ones: in a network of causes, the outcome's parents and children. It begins with the
    column of the strongest association; the next is always the one whose *least* association,
    over all sets of at most `max_k` selected columns, is greatest (max-min). What is independent
    given such a set leaves. A column that leaves because of a set of which it could replace a
    member, so that this member would leave instead, is *equivalent* to that member.

    **What it assumes.** For an outcome of numbers, tests of partial correlation (Fisher's z):
    linear relations. For classes, likelihood ratio tests of logistic models, multinomial for
    several classes: linear log odds. Each column is tested by itself; a category must have been
    encoded before, and its one-hot columns are then columns like others.

    **When it fails.** Columns that are informative only together (such as the two inputs of an
    exclusive or) are independent of the outcome one by one, and never enter. With few cases the
    tests see only strong relations. Where nothing is dependent, the column of the smallest p-value
    is kept, as a model needs one.

    Lagani, Athineou, Farcomeni, Tsagris, Tsamardinos 2017 (SES); Tsamardinos, Brown, Aliferis 2006
    (max-min parents and children). Written from these definitions.

    Parameters
    ----------
    alpha : float
        The level: a column with a p-value above it counts as independent.
    max_k : int
        How many columns a test conditions on at most.
    n_signatures : int
        How many signatures to list at most; there can be very many.
    outcome : {'auto', 'classes', 'numbers'}
        What the outcome is; by default numbers where scikit-learn would call it continuous.

    Attributes
    ----------
    selected_ : tuple of int
        The columns, in the order in which they were found.
    support_ : ndarray of bool, shape (p,)
        Which columns these are.
    signatures_ : list of tuple of int
        Sets that are as good as `selected_`, which is the first of them.
    n_signatures_ : int
        How many there are, listed or not.
    equivalent_ : dict of int to tuple of int
        Each selected column with those that could take its place, itself first.
    p_values_ : ndarray, shape (p,)
        The largest p-value of each column over all its tests.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.learners.ses.ses import SES
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 6))
    >>> X[:, 4] = X[:, 0] + 0.5 * rng.normal(size=300)  # tells of y through column 0 only
    >>> X[:, 5] = X[:, 1]  # a copy
    >>> y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=300)
    >>> chosen = SES().fit(X, y)
    >>> chosen.selected_, chosen.signatures_
    ((0, 1), [(0, 1), (0, 5)])
    """

    def __init__(
        self,
        alpha: float = 0.05,
        max_k: int = 3,
        *,
        n_signatures: int = 100,
        outcome: str = "auto",
    ) -> None:
        self.alpha = alpha
        self.max_k = max_k
        self.n_signatures = n_signatures
        self.outcome = outcome

    def fit(self, X: NDArray[np.float64], y: NDArray[np.generic]) -> SES:
        """Find the columns."""
        check.share("alpha", self.alpha)
        check.whole_number("max_k", self.max_k, low=0)
        check.whole_number("n_signatures", self.n_signatures, low=1)
        kind = self._kind(y)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=kind == NUMBERS)
        found = _find_columns(X, _encode_outcome(y, kind), self.alpha, self.max_k)
        self.p_values_ = np.exp(found.log_p)
        self.selected_ = tuple(found.selected)
        self.equivalent_ = {one: tuple(others) for one, others in found.equivalent.items()}
        self.signatures_ = list_signatures(found, self.n_signatures)
        self.n_signatures_ = count_signatures(found)
        self.support_ = np.isin(np.arange(X.shape[1]), self.selected_)
        return self

    def _kind(self, y: object) -> str:
        if y is None:
            raise ValueError(
                "This SES estimator requires y to be passed, but the target y is None."
            )
        kind = find_kind(self.outcome, y)
        if kind == SURVIVAL:
            raise InputError(
                "SES has no test for events and times",
                needs="an outcome of classes or of numbers",
                got="survival",
                cure="Select with UnivariateSelection, or let Cox's model have an L1 penalty.",
            )
        return kind


def _encode_outcome(y: NDArray[np.generic], kind: str) -> NDArray[np.float64] | NDArray[np.intp]:
    """Return the outcome as floats, or as codes of its classes."""
    if kind == NUMBERS:
        return np.asarray(y, dtype=np.float64)
    return np.asarray(np.unique(y, return_inverse=True)[1].astype(np.intp).ravel())


def _find_columns(
    X: NDArray[np.float64], y: NDArray[np.float64] | NDArray[np.intp], alpha: float, max_k: int
) -> Search:
    """Return what a search finds; one of the last ones on the same data is not run again.

    A portfolio has dozens of models after one selection, and each is fitted on the same folds.
    """
    data = blake2b(np.ascontiguousarray(X).tobytes())
    data.update(y.tobytes())
    key = (X.shape, y.dtype.kind, data.digest(), alpha, max_k)
    with _LOCK:
        if key in _LAST:
            _LAST.move_to_end(key)
            return _LAST[key]
    found = Search(_choose_test(X, y), X.shape[1], alpha, max_k).run()
    if not found.selected:
        strongest = int(found.log_p.argmin())
        found.selected, found.equivalent = [strongest], {strongest: [strongest]}
    with _LOCK:
        _LAST[key] = found
        while len(_LAST) > REMEMBERED:
            _LAST.popitem(last=False)
    return found


def _choose_test(X: NDArray[np.float64], y: NDArray[np.float64] | NDArray[np.intp]) -> Independence:
    if y.dtype.kind == "f":
        return PartialCorrelation(X, np.asarray(y, dtype=np.float64))
    return LikelihoodRatio(X, np.asarray(y, dtype=np.intp))
