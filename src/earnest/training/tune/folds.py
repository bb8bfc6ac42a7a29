"""The folds of `tune`, and which tables have too few cases for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Seeds
from earnest.training.fit.splits import shuffle_folds
from earnest.training.tables.outcome import count_in_words
from earnest.training.tables.table import Tabular

Pairs = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def check_folds(table: Tabular, folds: int) -> None:
    """Refuse more folds than the smallest class, the events or the groups can fill."""
    if table.groups is not None and table.groups.max() + 1 < folds:
        count = int(table.groups.max() + 1)
        needs = "at least one group in each fold"
        raise _refuse_too_many(
            folds, "grouped", f"there are {count} groups", needs, f"{count}", count
        )
    layers = table.layers
    if layers is None:
        n = table.n_cases
        if n < 2 * folds:
            needs = "at least two cases in each fold"
            raise _refuse_too_many(folds, "plain", f"there are {n} cases", needs, f"{n}", n // 2)
        return
    counts = np.bincount(layers)
    names = table.classes if table.classes else ("censored", "event")
    least = int(counts.argmin())
    if counts[least] < folds:
        role = table.schema.roles.get("target") or table.schema.roles.get("event")
        listed = [count_in_words(count, name) for name, count in zip(names, counts, strict=True)]
        cases = "case" if counts[least] == 1 else "cases"
        raise _refuse_too_many(
            folds,
            "stratified",
            f"class {names[least]} of {role} has {counts[least]} {cases}",
            "at least one case of each class in each fold",
            check.some(listed, limit=8),
            int(counts[least]),
        )


def _refuse_too_many(
    folds: int, kind: str, why: str, needs: str, got: str, most: int
) -> InputError:
    cure = "Two folds need two of it: gather more, or leave it out."
    if most >= 2:
        fewer = max(n for n in (2, 3, 5, 10, 20, 50) if n <= most)
        cure = f"Use folds={fewer}" + (f", or folds={fewer} and repeats=5." if most < 30 else ".")
    return InputError(f"cannot make {folds} {kind} folds: {why}", needs=needs, got=got, cure=cure)


def make_folds(table: Tabular, folds: int, repeats: int, seeds: Seeds) -> Pairs:
    """Return (train, test) pairs of rows, repeat by repeat."""
    layers = table.layers
    made = shuffle_folds(folds, repeats, table.n_cases, layers, table.groups, seeds, odd=True)
    pairs = [pair for pair in zip(made.train, made.test, strict=True) if len(pair[1])]
    _refuse_lost_classes(table, layers, pairs)
    return pairs


def _refuse_lost_classes(table: Tabular, layers: NDArray[np.int64] | None, pairs: Pairs) -> None:
    """Refuse groups of which one fold holds all cases of a class: nothing is left to train on."""
    if layers is None or table.groups is None:
        return
    names = table.classes if table.classes else ("censored", "event")
    every = np.bincount(layers)
    for train, _ in pairs:
        lost = np.flatnonzero((np.bincount(layers[train], minlength=len(every)) == 0) & (every > 0))
        if len(lost):
            raise InputError(
                f"all cases of class {names[lost[0]]} are in one fold",
                needs="each class in several groups, so that every fold leaves some to train on",
                got=f"{len(np.unique(table.groups[layers == lost[0]]))} groups of that class",
                cure="Look whether `group` names the right column, or use more folds.",
            )
