"""Which models the methods of an assessment need, so that each is trained once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.target import Target
from earnest.training.fit.splits import Indices, Splits, make_splits

LEAST_TO_HALVE = 4  # of a class: each half needs one to train on and one to test


class Block(IntEnum):
    """What a split is for; the number is the first part of its key and never changes."""

    FOLDS = 0
    PAIRS = 1
    SINGLES = 2
    HOLDOUT = 3
    WHOLE = 4
    HALVES = 5


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What one or several methods need to be trained.

    Attributes
    ----------
    folds : int
        How many repeats of the folds.
    pairs : int
        In how many of these repeats two folds are left out at a time, too.
    singles : bool
        Whether every case is left out alone.
    holdout : float
        The share of cases that one split tests; 0 for none.
    subsamples, halvings : int
        How many random splits of all cases and of each half, and how often cases are halved.
    share : float
        The share of cases that a random split tests.
    replicates : bool
        Whether bootstrap samples are trained on.
    """

    folds: int = 0
    pairs: int = 0
    singles: bool = False
    holdout: float = 0.0
    subsamples: int = 0
    halvings: int = 0
    share: float = 0.1
    replicates: bool = False

    def __or__(self, other: Needs) -> Needs:
        """Return what both need."""
        if self.holdout and other.holdout and self.holdout != other.holdout:
            raise InputError(
                "two hold-outs of unlike size cannot share a split",
                needs="one share of cases that score",
                got=f"{self.holdout:g} and {other.holdout:g}",
            )
        return Needs(
            folds=max(self.folds, other.folds),
            pairs=max(self.pairs, other.pairs),
            singles=self.singles or other.singles,
            holdout=max(self.holdout, other.holdout),
            subsamples=max(self.subsamples, other.subsamples),
            halvings=max(self.halvings, other.halvings),
            share=other.share if other.subsamples else self.share,
            replicates=self.replicates or other.replicates,
        )

    @property
    def splits(self) -> bool:
        """Whether anything but bootstrap samples is trained on."""
        return bool(self.folds or self.singles or self.holdout or self.subsamples)


@dataclass(frozen=True, eq=False)
class Plan:
    """All splits of an assessment by what they are for.

    Attributes
    ----------
    blocks : dict
        The splits of each block; those of FOLDS carry repeats and folds as Π has them, the others
        one repeat a group of splits.
    rounds : int
        How often the splitter was asked; one like ShuffleSplit makes several repeats at a time.
    """

    blocks: dict[Block, Splits] = field(default_factory=dict)
    rounds: int = 1

    def repeats(self, rounds: int) -> int:
        """Return how many repeats of Π the folds have after so many rounds of the splitter."""
        return rounds * self.blocks[Block.FOLDS].n_repeats // self.rounds

    def tasks(self) -> list[tuple[tuple[int, int, int], int]]:
        """Return the key of every split and its position in `every`."""
        keys = [
            (int(block), repeat, fold)
            for block, splits in self.blocks.items()
            for repeat, fold in zip(splits.repeat, splits.fold, strict=True)
        ]
        return [(key, i) for i, key in enumerate(keys)]

    @property
    def every(self) -> Splits:
        """All splits in a row."""
        parts = list(self.blocks.values())
        return Splits(
            train=tuple(rows for part in parts for rows in part.train),
            test=tuple(rows for part in parts for rows in part.test),
            repeat=tuple(place for part in parts for place in part.repeat),
            fold=tuple(place for part in parts for place in part.fold),
            n_cases=parts[0].n_cases,
        )


def make_plan(needs: Needs, cv: Any, X: Any, y: Any, target: Target, seeds: Seeds) -> Plan:
    """Return the splits of what is needed; each purpose draws from a stream of its own."""
    blocks: dict[Block, Splits] = {}
    if needs.folds:
        blocks[Block.FOLDS] = fold_splits(cv, X, y, target, needs.folds, seeds)
    if needs.pairs:
        made = Plan(blocks, max(1, needs.folds)).repeats(needs.pairs)
        blocks[Block.PAIRS] = pair_splits(blocks[Block.FOLDS], made)
    if needs.singles:
        blocks[Block.SINGLES] = _splits([[i] for i in range(target.n)], target.n)
    if needs.holdout:
        rng = seeds.generator(Purpose.SPLITS, 1_000_000)
        blocks[Block.HOLDOUT] = _splits([_test_rows(target, needs.holdout, rng)], target.n)
    if needs.subsamples:
        blocks[Block.WHOLE], blocks[Block.HALVES] = halving_splits(needs, target, seeds)
    return Plan(blocks, max(1, needs.folds))


def fold_splits(cv: Any, X: Any, y: Any, target: Target, repeats: int, seeds: Seeds) -> Splits:
    """Return the folds of every repeat: shuffled, by class and by group, for a number of folds."""
    params = {"groups": target.groups}
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        made = _splitter(int(cv), target, seeds)
        data, codes = np.zeros((target.n, 1)), target.layer_codes
        return make_splits(
            made, data, codes, classifier=True, n_repeats=repeats, seeds=seeds, params=params
        )
    return make_splits(
        cv, X, y, classifier=target.has_classes, n_repeats=repeats, seeds=seeds, params=params
    )


def _splitter(folds: int, target: Target, seeds: Seeds) -> Any:
    """Return the splitter of a number of folds, refusing more than classes or groups allow."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    _check_folds(folds, target)
    seed = int(seeds.generator(Purpose.SPLITS, 0).integers(0, 2**31 - 1))
    layered = len(target.layers) > 1
    if target.groups is not None:
        kind = StratifiedGroupKFold if layered else GroupKFold
    else:
        kind = StratifiedKFold if layered else KFold
    return kind(folds, shuffle=True, random_state=seed)


def _check_folds(folds: int, target: Target) -> None:
    check.whole_number("cv", folds, low=2)
    groups = None if target.groups is None else len(np.unique(target.groups))
    if groups == 1:
        raise InputError(
            "all cases are of one group", needs="at least 2 groups, to test on one of them"
        )
    units, noun = (target.n, "cases") if groups is None else (groups, "groups")
    if folds > units:
        raise InputError(
            "there are more folds than there is to split",
            needs=f"at most {units} folds, as there are {units} {noun}",
            got=f"cv={folds}",
            cure=_fewer(min(units, *(len(rows) for rows in target.layers))),
        )
    check_layers(folds, target)


def _fewer(most: int) -> str:
    """Return how many folds could be asked for."""
    return f"Say cv={most}." if most >= 2 else "Use more cases."


def check_layers(folds: int, target: Target) -> None:
    """Refuse more folds than the smallest class, stratum or kind of outcome has cases."""
    counts = [len(rows) for rows in target.layers]
    fewest = min(counts)
    if len(counts) == 1 or fewest >= folds:
        return
    if target.strata is not None:
        who, kind = "a stratum", "stratum"
    elif target.has_classes:
        who, kind = f"class {target.classes[int(np.argmin(counts))]!r}", "class"
    else:
        who, kind = "the rarer of event and censoring", "kind"
    raise InputError(
        f"{who} has fewer cases than there are folds",
        needs=f"at least {folds} cases of every {kind}, or fewer folds",
        got=f"{fewest} case{'s' * (fewest != 1)}",
        cure=f"Say cv={fewest}."
        if fewest >= 2
        else f"Leave that {kind} out, or join it with another.",
    )


def pair_splits(folds: Splits, repeats: int) -> Splits:
    """Return the splits that leave out two folds: one model tests both, trained on the rest."""
    train, test, repeat, fold = [], [], [], []
    for own in range(repeats):
        tests = [folds.test[i] for i in range(len(folds)) if folds.repeat[i] == own]
        _need_partition(folds, own, tests)
        for place, (first, second) in enumerate(combinations(range(len(tests)), 2)):
            rows = np.concatenate([tests[first], tests[second]])
            train.append(np.setdiff1d(np.arange(folds.n_cases), rows))
            test.append(rows)
            repeat.append(own)
            fold.append(place)
    return Splits(
        train=tuple(train),
        test=tuple(test),
        repeat=tuple(repeat),
        fold=tuple(fold),
        n_cases=folds.n_cases,
    )


def _need_partition(folds: Splits, repeat: int, tests: list[Indices]) -> None:
    """Refuse splits that are no partition, or train on less than all other folds."""
    every = np.sort(np.concatenate(tests))
    own = [i for i in range(len(folds)) if folds.repeat[i] == repeat]
    rest = all(len(folds.train[i]) + len(folds.test[i]) == folds.n_cases for i in own)
    if len(tests) < 3 or not rest or not np.array_equal(every, np.arange(folds.n_cases)):
        raise InputError(
            "these splits cannot be nested",
            needs="at least 3 folds that part the cases, each trained on all the others",
            got=f"{len(tests)} splits" + ("" if rest else " that are no partition"),
            cure="Say cv=5, or use KFold, StratifiedKFold or GroupKFold.",
        )


def halving_splits(needs: Needs, target: Target, seeds: Seeds) -> tuple[Splits, Splits]:
    """Return random splits of all cases, and of both halves of every halving.

    All test sets have the same size. The halves are drawn by class, each as large as the other up
    to one case of a class.
    """
    fewest = min(len(rows) for rows in target.layers)
    if fewest < LEAST_TO_HALVE:
        raise InputError(
            "these cases cannot be halved",
            needs=f"at least {LEAST_TO_HALVE} cases"
            + (" of every class" if target.has_classes else ""),
            got=f"{fewest}",
            cure="Use method='cv'.",
        )
    whole = [
        _test_rows(target, needs.share, seeds.generator(Purpose.SPLITS, 2_000_000, j))
        for j in range(needs.subsamples)
    ]
    train: list[Indices] = []
    test: list[Indices] = []
    repeat: list[int] = []
    for halving in range(needs.halvings):
        rng = seeds.generator(Purpose.SPLITS, 3_000_000, halving)
        first = _test_rows(target, 0.5, rng)
        for side, rows in enumerate((first, np.setdiff1d(np.arange(target.n), first))):
            for j in range(needs.subsamples):
                draw = seeds.generator(Purpose.SPLITS, 4_000_000, halving, side, j)
                own = rows[_test_rows(target.take(rows), 2.0 * needs.share, draw)]
                train.append(np.setdiff1d(rows, own))
                test.append(own)
                repeat.append(2 * halving + side)
    fold = [j for _ in range(2 * needs.halvings) for j in range(needs.subsamples)]
    halves = Splits(
        train=tuple(train),
        test=tuple(test),
        repeat=tuple(repeat),
        fold=tuple(fold),
        n_cases=target.n,
    )
    every = _splits(whole, target.n)
    return replace(every, repeat=tuple(range(len(whole))), fold=(0,) * len(whole)), halves


def _splits(tests: Iterable[Any], n: int) -> Splits:
    """Return splits of one repeat, each trained on all other cases."""
    rows = tuple(np.sort(np.asarray(test, dtype=np.intp)) for test in tests)
    every = np.arange(n)
    return Splits(
        train=tuple(np.setdiff1d(every, test, assume_unique=True) for test in rows),
        test=rows,
        repeat=(0,) * len(rows),
        fold=tuple(range(len(rows))),
        n_cases=n,
    )


def _test_rows(target: Target, share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a share of the cases, of every layer alike; whole groups where there are any."""
    if target.groups is not None:
        names = rng.permutation(np.unique(target.groups))
        sizes = np.cumsum([int((target.groups == name).sum()) for name in names])
        count = int(np.searchsorted(sizes, share * target.n)) + 1
        return np.flatnonzero(np.isin(target.groups, names[: min(count, len(names) - 1)]))
    parts = [
        rng.permutation(rows)[: _count(share * len(rows), len(rows))] for rows in target.layers
    ]
    return np.sort(np.concatenate(parts))


def _count(wanted: float, size: int) -> int:
    """Return how many of a layer are tested: one at least, and one at least is left to train."""
    return min(max(1, round(wanted)), max(size - 1, 0))
