"""The splits of nested cross-validation: inner folds are the remaining outer folds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from earnest.core.errors import InputError
from earnest.training.splits import Splits

LEAST = 3  # folds: with two, an inner model would have nothing to train on


@dataclass(frozen=True, eq=False)
class Nesting:
    """All splits that nested cross-validation trains on.

    Attributes
    ----------
    outer : Splits
        The folds of the search itself, of all repeats.
    inner : tuple of Splits
        For every outer split the remaining folds of its repeat, each trained on the others.
    every : Splits
        All of them in a row: those of the search first, so that its fits are the same as those of
        an ordinary search, then the inner ones; each outer split is a repeat of its own.
    """

    outer: Splits
    inner: tuple[Splits, ...]
    every: Splits

    @classmethod
    def of(cls, outer: Splits) -> Nesting:
        """Make the nesting of folds that part the cases, and refuse others."""
        _refuse(outer)
        inner = tuple(_inner(outer, split) for split in range(len(outer)))
        first = outer.n_repeats
        parts = [outer, *(_as_repeat(part, first + i) for i, part in enumerate(inner))]
        every = Splits(
            train=tuple(rows for part in parts for rows in part.train),
            test=tuple(rows for part in parts for rows in part.test),
            repeat=tuple(place for part in parts for place in part.repeat),
            fold=tuple(place for part in parts for place in part.fold),
            n_cases=outer.n_cases,
        )
        return cls(outer, inner, every)

    def key(self, config: int, outer: int | None, split: int) -> tuple[int, int, int]:
        """Return the key of a fit: of the search itself, or within an outer split."""
        if outer is None:
            return config, self.outer.repeat[split], self.outer.fold[split]
        return config, self.outer.n_repeats + outer, split

    def fits_published(self, configs: int) -> int:
        """Return how many models algorithm 3 trains: K² C + K + 1 for one repeat."""
        return (len(self.every)) * configs + len(self.outer) + 1


def _refuse(outer: Splits) -> None:
    """Refuse splits that are no partition of the cases into at least three folds."""
    for repeat in range(outer.n_repeats):
        own = [i for i in range(len(outer)) if outer.repeat[i] == repeat]
        tested = np.sort(np.concatenate([outer.test[i] for i in own]))
        whole = np.array_equal(tested, np.arange(outer.n_cases))
        rest = all(len(outer.train[i]) + len(outer.test[i]) == outer.n_cases for i in own)
        if not whole or not rest or len(own) < LEAST or outer.leaking:
            raise InputError(
                "these splits cannot be nested",
                needs=f"at least {LEAST} folds that part the cases, each trained on all the others",
                got=f"{len(own)} splits" + ("" if whole and rest else " that are no partition"),
                cure="Use KFold, StratifiedKFold or GroupKFold.",
            )


def _inner(outer: Splits, held_out: int) -> Splits:
    """Return the remaining folds of the repeat of an outer split."""
    others = [
        i for i in range(len(outer)) if outer.repeat[i] == outer.repeat[held_out] and i != held_out
    ]
    return Splits(
        train=tuple(np.setdiff1d(outer.train[i], outer.test[held_out]) for i in others),
        test=tuple(outer.test[i] for i in others),
        repeat=(0,) * len(others),
        fold=tuple(range(len(others))),
        n_cases=outer.n_cases,
    )


def _as_repeat(splits: Splits, repeat: int) -> Splits:
    return replace(splits, repeat=(repeat,) * len(splits))
