"""The max-min search for the columns nearest to an outcome, and for what can stand for them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice, product

import numpy as np
from numpy.typing import NDArray

from earnest.training.learners.ses.tests import Columns, Given, Independence

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
