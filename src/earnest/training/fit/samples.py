"""Bootstrap samples to train on: which cases each draws, and which samples are drawn again."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.check import show
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.replicates import DrawUnit
from earnest.core.data.target import Target
from earnest.core.text.doors import arg
from earnest.resampling.bootstrap import (
    RESAMPLERS,
    TRIES,
    Accept,
    every_class_drawn,
    every_class_on_both_sides,
    has_any_drawn,
    something_out_of_bag,
)
from earnest.training.fit.response import count_rows, take_rows
from earnest.training.protocols import Estimator, Splitter, shuffle_splitter

ALL_CASES = -1  # the place of the model that is trained on every case once
MOST_SAMPLES = 1_000_000  # from which on places are those of samples of samples


def find_inner_place(sample: int, inner: int) -> int:
    """Return the place of the model of a sample of a sample."""
    return (inner + 1) * MOST_SAMPLES + sample


@dataclass(frozen=True, eq=False, kw_only=True)
class Samples:
    """The bootstrap samples of a run, each from a stream of its own.

    Parameters
    ----------
    target : Target
        The outcome.
    drawn : Drawn
        What is drawn: cases, cases of each class apart, or groups.
    both_sides : bool
        Whether every class must be left out too, not only drawn.
    seed : int
        The root of all draws.
    """

    target: Target
    drawn: DrawUnit
    both_sides: bool
    seed: int

    def draw_counts(self, sample: int) -> NDArray[np.uint8]:
        """Return how often a sample draws each case: (n,)."""
        rng = Seeds(self.seed).generator(Purpose.REPLICATES, sample)
        drawn = RESAMPLERS[str(self.drawn)].draw(self.target, 1, rng, self._accept)
        return np.asarray(drawn.values[0], dtype=np.uint8)

    def draw_inner(self, sample: int, inner: int) -> NDArray[np.uint8]:
        """Return how often a sample of a sample draws each case: (n,).

        Its cases, copies and all, are drawn as the cases of the study were: of each stratum apart,
        or groups whole.
        """
        rng = Seeds(self.seed).generator(Purpose.REPLICATES, sample, inner + 1)
        counts = self.draw_counts(sample).astype(np.int64)
        for _ in range(TRIES):
            again = self._draw_from(counts, rng)
            if self._accept_inner(again[None])[0]:
                return again.astype(np.uint8)
        raise InputError(
            "a bootstrap sample cannot be drawn from again",
            needs="several cases of each class in every sample",
            got=f"sample {sample}",
            cure=f"Draw every class apart: {arg('stratify', True)}.",
        )

    def _draw_from(self, counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a draw with replacement from the units of a sample: (n,)."""
        target, n = self.target, self.target.n
        units, layers = np.arange(n), np.zeros(n, dtype=np.int64)
        if self.drawn is DrawUnit.GROUPS and target.groups is not None:
            units = np.unique(target.groups, return_inverse=True)[1].reshape(-1)
        if self.drawn is DrawUnit.STRATIFIED:
            layers = np.asarray(target.layer_codes)
        first = np.unique(units, return_index=True)[1]
        there, layers = counts[first], layers[first]
        again = np.zeros(len(first), dtype=np.int64)
        for layer in np.unique(layers):
            mine = layers == layer
            size = int(there[mine].sum())
            again[mine] = rng.multinomial(size, there[mine] / max(size, 1))
        return again[units]

    def find_rows(self, index: int) -> tuple[NDArray[np.intp], None]:
        """Return the rows that a sample trains on, copies in a row; it answers for every case."""
        every = np.arange(self.target.n)
        if index == ALL_CASES:
            return every, None
        inner, sample = divmod(index, MOST_SAMPLES)
        counts = self.draw_inner(sample, inner - 1) if inner else self.draw_counts(sample)
        return np.repeat(every, counts), None

    @cached_property
    def _accept(self) -> Accept:
        return _choose_rule(self.target, both_sides=self.both_sides)

    @cached_property
    def _accept_inner(self) -> Accept:
        return _choose_rule(self.target, both_sides=False)


def _choose_rule(target: Target, *, both_sides: bool) -> Accept:
    """Return which samples are kept: something is left out, and every class is drawn.

    Of a survival outcome an event must be drawn: nothing could be learned from a sample without.
    """
    if not target.has_classes and target.event is None:
        return something_out_of_bag
    if target.event is not None:
        whole: Accept = partial(has_any_drawn, rows=np.flatnonzero(target.event))
    else:
        whole = every_class_on_both_sides(target) if both_sides else every_class_drawn(target)

    def accepted(counts: NDArray[np.integer]) -> NDArray[np.bool_]:
        return np.asarray(something_out_of_bag(counts) & whole(counts))

    return accepted


# Splits inside a learner that is trained on a bootstrap sample: all copies of a case together.
#
# A bootstrap sample holds a case several times. An inner cross-validation that splits rows would
# train on one copy and test on another, and a search would choose what remembers best. So the
# distinct cases are split as the user's own splitter splits them, and all copies follow their case.


Indices = NDArray[np.intp]
BY_FORMULA = ("RidgeCV", "RidgeClassifierCV")  # `cv=None` leaves single rows out in one go


class CopySplitter:
    """A splitter that splits the distinct cases of a bootstrap sample, copies and all.

    Parameters
    ----------
    base : splitter
        What splits the distinct cases.
    cases : ndarray of int, shape (rows,)
        The case that each row is a copy of.
    groups : ndarray, shape (n,), optional
        The groups of the cases, for splitters that need them.
    shuffle, random_state
        Set by those who repeat a splitter; handed to `base`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from earnest.training.fit.samples import CopySplitter
    >>> splits = CopySplitter(KFold(2), np.array([4, 4, 7, 9, 9, 9]))
    >>> [test.tolist() for _, test in splits.split(np.zeros((6, 1)))]
    [[0, 1, 2], [3, 4, 5]]
    """

    def __init__(
        self,
        base: Splitter,
        cases: Indices,
        groups: NDArray[np.generic] | None = None,
        shuffle: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.base, self.cases, self.groups = base, cases, groups
        self.shuffle, self.random_state = shuffle, random_state

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of splits."""
        distinct, first = np.unique(self.cases, return_index=True)
        distinct_groups = None if self.groups is None else self.groups[distinct]
        distinct_rows = np.zeros((len(distinct), 1)) if X is None else take_rows(X, first)
        return int(
            self.base.get_n_splits(
                distinct_rows, None if y is None else take_rows(y, first), distinct_groups
            )
        )

    def split(
        self, X: object, y: object = None, groups: object = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the rows of every split."""
        if count_rows(X) != len(self.cases):
            raise InputError(
                "a learner changes the number of rows before it splits them",
                needs=f"{len(self.cases)} rows",
                got=f"{count_rows(X)}",
            )
        distinct, first, code = np.unique(self.cases, return_index=True, return_inverse=True)
        distinct_groups = None if self.groups is None else self.groups[distinct]
        for train, test in self._make_splitter().split(
            take_rows(X, first), take_rows(y, first), distinct_groups
        ):
            yield (
                np.flatnonzero(np.isin(code.reshape(-1), train)),
                np.flatnonzero(np.isin(code.reshape(-1), test)),
            )

    def _make_splitter(self) -> Splitter:
        if not self.shuffle:
            return self.base
        return shuffle_splitter(self.base, self.random_state)


def find_inner_splits(model: Estimator) -> tuple[list[str], list[str]]:
    """Return the names of the `cv` of a learner that can be replaced, and of those that cannot.

    Those that cannot be replaced lie within another one, whose training parts only it knows, or
    are formulas.
    """
    params = model.get_params(deep=True)
    named = [n for n in params if n == "cv" or n.endswith("__cv")]
    free: list[str] = []
    bound: list[str] = []
    for name in sorted(named, key=lambda n: n.count("__")):
        owner = model if name == "cv" else params.get(name.removesuffix("__cv"))
        inside = any(name.startswith(outer.removesuffix("cv")) for outer in free)
        if isinstance(params[name], str):  # 'prefit' and its like split nothing
            continue
        formula = params[name] is None and type(owner).__name__ in BY_FORMULA
        (bound if inside or formula else free).append(name)
    return free, bound


def refuse_fixed_splits(model: Estimator) -> None:
    """Refuse an inner `cv` that lists row numbers: a bootstrap sample has other rows."""
    params = model.get_params(deep=True)
    for name in find_inner_splits(model)[0]:
        cv = params[name]
        if cv is not None and not isinstance(cv, int | np.integer) and not hasattr(cv, "split"):
            raise InputError(
                f"{arg(name)} lists the rows of its splits, but a bootstrap sample has other rows",
                needs="a number of folds, or a splitter",
                got=show(cv),
            )


def keep_copies_together(
    model: Estimator, cases: Indices, y: object, groups: NDArray[np.generic] | None, seed: int
) -> Estimator:
    """Give every inner `cv` of a learner that can be replaced one that keeps copies together."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    params = model.get_params(deep=True)
    splitters = {}
    for name in find_inner_splits(model)[0]:
        owner = model if name == "cv" else params[name.removesuffix("__cv")]
        base = check_cv(params[name], y, classifier=is_classifier(owner))
        unseeded = getattr(base, "random_state", 0) is None and getattr(base, "shuffle", True)
        if unseeded:
            base = copy(base)
            base.random_state = seed
        splitters[name] = CopySplitter(base, cases, groups)
    return model.set_params(**splitters) if splitters else model
