"""Splits into training and test cases. All folds and random splits are made here."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import GROUPS
from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.folds import FoldSizes, find_training_sizes, places
from earnest.core.data.target import Target
from earnest.core.text.doors import arg
from earnest.engine.identity import describe, digest
from earnest.training.fit.response import count_rows
from earnest.training.protocols import Params, Splitter, shuffle_splitter

Indices = NDArray[np.intp]
LEAST_TO_HALVE = 4  # of a class: each half needs one to train on and one to test
LEAST_TO_NEST = 3  # folds: with two, an inner model would have nothing to train on


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
    order : ndarray of int64, shape (n,), optional
        The rank of the time of each row, where each split trains on earlier rows than it tests.
    """

    train: tuple[Indices, ...]
    test: tuple[Indices, ...]
    repeat: tuple[int, ...]
    fold: tuple[int, ...]
    n_cases: int
    order: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, parts: Iterable[tuple[Indices, Indices, int, int]], n_cases: int) -> Splits:
        """Make splits from the training rows, test rows, repeat and fold of each."""
        train, test, repeat, fold = zip(*parts, strict=True)
        return cls(train=train, test=test, repeat=repeat, fold=fold, n_cases=n_cases)

    @classmethod
    def join(cls, parts: Sequence[Splits]) -> Splits:
        """Return the splits of several in a row."""
        return cls.of((split for splits in parts for split in splits), parts[0].n_cases)

    def __len__(self) -> int:
        """Count the splits."""
        return len(self.test)

    def __iter__(self) -> Iterator[tuple[Indices, Indices, int, int]]:
        """Yield the training rows, test rows, repeat and fold of each split."""
        return zip(self.train, self.test, self.repeat, self.fold, strict=True)

    def select(self, repeats: Container[int]) -> Splits:
        """Return the splits of some repeats."""
        chosen = Splits.of((split for split in self if split[2] in repeats), self.n_cases)
        return replace(chosen, order=self.order)

    def find_rows(self, index: int) -> tuple[Indices, Indices]:
        """Return the training rows and the test rows of a split."""
        return self.train[index], self.test[index]

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
    def training_sizes(self) -> FoldSizes | None:
        """The size of each fold's training set; None where a K-fold trains on all others."""
        sizes: list[list[int]] = [[] for _ in range(self.n_repeats)]
        for train, _, repeat, _ in self:
            sizes[repeat].append(len(train))
        counts = tuple(map(tuple, sizes))
        return None if counts == find_training_sizes(self.fold_codes) else counts

    @property
    def leaking(self) -> tuple[int, ...]:
        """The splits that test cases which they train on."""
        pairs = enumerate(zip(self.train, self.test, strict=True))
        return tuple(i for i, (train, test) in pairs if len(np.intersect1d(train, test)))

    @property
    def oddity(self) -> str:
        """Why predictions of these splits cannot be judged; empty if they can."""
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
    cv: object,
    X: object,
    y: object,
    *,
    classifier: bool,
    n_repeats: int = 1,
    seeds: Seeds,
    params: Params | None = None,
    odd: bool = False,
) -> Splits:
    """Return the splits of `cv` and of its repeats.

    The first repeat is exactly that of scikit-learn; each further one is the same splitter,
    shuffled by its own seed. A split whose test cases overlap with earlier ones begins the next
    repeat, so `Repeated*` splitters and `ShuffleSplit` have repeats too.

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
        The seeds that shuffle the repeats after the first.
    params : mapping, optional
        Further arguments of the splitter, such as `groups`.
    odd : bool
        Whether a split may test a row twice or have no rows, as in scikit-learn.
    """
    check.whole_number("n_repeats", n_repeats, low=1)
    first = _read_cv(cv, y, classifier)
    splitters = [first, *(_make_shuffled(first, seeds, r) for r in range(1, n_repeats))]
    pairs: list[tuple[Indices, Indices]] = []
    placed: list[tuple[int, int]] = []
    n = count_rows(X)
    for splitter in splitters:
        listed = _list_pairs(splitter, X, y, n, dict(params or {}), odd)
        start = placed[-1][0] + 1 if placed else 0
        pairs += listed
        placed += places([np.unique(test) if odd else test for _, test in listed], n, start)
    splits = Splits.of(((*pair, *cell) for pair, cell in zip(pairs, placed, strict=True)), n)
    return replace(splits, order=_find_order(first, pairs, n))


def make_splitter(folds: int, *, layered: bool, grouped: bool, seed: int) -> Splitter:
    """Return the splitter for a number of folds: shuffled, by class and by group."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    if grouped:
        kind = StratifiedGroupKFold if layered else GroupKFold
    else:
        kind = StratifiedKFold if layered else KFold
    return kind(folds, shuffle=True, random_state=seed)


def make_random_splitter(
    count: int, share: float, *, layered: bool, grouped: bool, seed: int
) -> Splitter:
    """Return the splitter of random test sets that hold a share of the cases, or of the groups."""
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    alone = StratifiedShuffleSplit if layered else ShuffleSplit
    kind = GroupShuffleSplit if grouped else alone
    return kind(count, test_size=share, random_state=seed)


def draw_split_seed(seeds: Seeds, repeat: int = 0) -> int:
    """Return the seed by which the folds of a repeat are shuffled."""
    return int(seeds.generator(Purpose.SPLITS, repeat).integers(0, 2**31 - 1))


def shuffle_folds(
    folds: int,
    repeats: int,
    n: int,
    layers: NDArray[np.integer] | None,
    groups: NDArray[np.generic] | None,
    seeds: Seeds,
    *,
    odd: bool = False,
) -> Splits:
    """Return shuffled folds, repeat by repeat.

    Parameters
    ----------
    folds, repeats : int
        How many folds, and how often.
    n : int
        The number of cases.
    layers : ndarray of int, shape (n,), optional
        What folds are stratified by, such as classes.
    groups : ndarray, shape (n,), optional
        Cases that stay together.
    seeds : Seeds
        The seeds that shuffle them.
    odd : bool
        Whether a fold may be empty, as it can be with few large groups.
    """
    layered, grouped = layers is not None, groups is not None
    splitter = make_splitter(folds, layered=layered, grouped=grouped, seed=draw_split_seed(seeds))
    return make_splits(
        splitter,
        np.zeros((n, 1)),
        layers,
        classifier=layered,
        n_repeats=repeats,
        seeds=seeds,
        params={"groups": groups},
        odd=odd,
    )


def make_folds(
    cv: object, X: object, y: object, target: Target, repeats: int, seeds: Seeds
) -> Splits:
    """Return the folds of every repeat: shuffled, by class and by group, for a number of folds."""
    params = {"groups": target.groups}
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        check_fold_count(int(cv), target)
        layers = target.layer_codes if len(target.layers) > 1 else None
        return shuffle_folds(int(cv), repeats, target.n, layers, target.groups, seeds)
    return make_splits(
        cv, X, y, classifier=target.has_classes, n_repeats=repeats, seeds=seeds, params=params
    )


def check_fold_count(folds: int, target: Target) -> None:
    """Refuse more folds than there are cases, groups, or cases of a class."""
    check.whole_number("cv", folds, low=2)
    groups = None if target.groups is None else len(np.unique(target.groups))
    if groups == 1:
        raise InputError(
            "all cases are in one group", needs="at least 2 groups, to test on one of them"
        )
    units, noun = (target.n, "cases") if groups is None else (groups, "groups")
    if folds > units:
        raise InputError(
            "there are too many folds",
            needs=f"at most {units}, because there are {units} {noun}",
            got=f"{arg('cv', folds)}",
            cure=_suggest_fewer(min(units, *(len(rows) for rows in target.layers))),
        )
    check_layers(folds, target)


def _suggest_fewer(most: int) -> str:
    """Return the advice to use fewer folds."""
    return f"Pass {arg('cv', most)}." if most >= 2 else "Use more cases."


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
        cure=f"Pass {arg('cv', fewest)}."
        if fewest >= 2
        else f"Leave that {kind} out, or merge it with another.",
    )


def leave_out_pairs(folds: Splits, repeats: int) -> Splits:
    """Return the splits that leave out two folds: one model tests both, trained on the rest."""
    check_partition(
        folds, cure=f"Pass {arg('cv', 5)}, or use KFold, StratifiedKFold or GroupKFold."
    )
    every, pairs = np.arange(folds.n_cases), []
    for number in range(repeats):
        tests = [test for _, test, repeat, _ in folds if repeat == number]
        for index, pair in enumerate(combinations(tests, 2)):
            rows = np.concatenate(pair)
            pairs.append((np.setdiff1d(every, rows), rows, number, index))
    return Splits.of(pairs, folds.n_cases)


def check_partition(folds: Splits, *, cure: str) -> None:
    """Refuse splits that are not at least three folds, each trained on all the others."""
    for repeat in range(folds.n_repeats):
        rows = [i for i in range(len(folds)) if folds.repeat[i] == repeat]
        tested = np.sort(np.concatenate([folds.test[i] for i in rows]))
        whole = np.array_equal(tested, np.arange(folds.n_cases))
        is_complement = all(len(folds.train[i]) + len(folds.test[i]) == folds.n_cases for i in rows)
        if not whole or not is_complement or len(rows) < LEAST_TO_NEST or folds.leaking:
            raise InputError(
                "these splits cannot be nested",
                needs=f"at least {LEAST_TO_NEST} folds that partition the cases, each trained on "
                "all the others",
                got=f"{len(rows)} splits"
                + ("" if whole and is_complement else " that do not partition the cases"),
                cure=cure,
            )


def leave_out_singles(n: int) -> Splits:
    """Return the splits that leave out one case each."""
    return _train_on_others([[i] for i in range(n)], n)


def split_once(share: float, target: Target, seeds: Seeds) -> Splits:
    """Return one split that tests a share of the cases, of every class alike."""
    rng = seeds.generator(Purpose.SPLITS, 1_000_000)
    return _train_on_others([_draw_test_rows(target, share, rng)], target.n)


def halve_and_split(
    target: Target, seeds: Seeds, *, subsamples: int, halvings: int, share: float
) -> tuple[Splits, Splits]:
    """Return random splits of all cases, and of both halves of every halving.

    All test sets have the same size. Halves are drawn by class and differ by at most one case per
    class.
    """
    fewest = min(len(rows) for rows in target.layers)
    if fewest < LEAST_TO_HALVE:
        raise InputError(
            "these cases cannot be halved",
            needs=f"at least {LEAST_TO_HALVE} cases"
            + (" of every class" if target.has_classes else ""),
            got=f"{fewest}",
            cure=f"Use {arg('method', 'cv')}.",
        )
    whole = [
        _draw_test_rows(target, share, seeds.generator(Purpose.SPLITS, 2_000_000, j))
        for j in range(subsamples)
    ]
    halves = []
    for halving in range(halvings):
        rng = seeds.generator(Purpose.SPLITS, 3_000_000, halving)
        first = _draw_test_rows(target, 0.5, rng)
        for side, rows in enumerate((first, np.setdiff1d(np.arange(target.n), first))):
            for j in range(subsamples):
                draw = seeds.generator(Purpose.SPLITS, 4_000_000, halving, side, j)
                half = rows[_draw_test_rows(target.take(rows), 2.0 * share, draw)]
                halves.append((np.setdiff1d(rows, half), half, 2 * halving + side, j))
    every = _train_on_others(whole, target.n)
    apart = replace(every, repeat=every.fold, fold=every.repeat)
    return apart, Splits.of(halves, target.n)


def _train_on_others(tests: Iterable[object], n: int) -> Splits:
    """Return splits of one repeat, each trained on all other cases."""
    every, splits = np.arange(n), []
    for index, test in enumerate(tests):
        rows = np.sort(np.asarray(test, dtype=np.intp))
        splits.append((np.setdiff1d(every, rows, assume_unique=True), rows, 0, index))
    return Splits.of(splits, n)


def _draw_test_rows(target: Target, share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a share of the cases of every layer; whole groups if there are any."""
    if target.groups is not None:
        names = rng.permutation(np.unique(target.groups))
        sizes = np.cumsum([int((target.groups == name).sum()) for name in names])
        count = int(np.searchsorted(sizes, share * target.n)) + 1
        return np.flatnonzero(np.isin(target.groups, names[: min(count, len(names) - 1)]))
    parts = [
        rng.permutation(rows)[: _count_tested(share * len(rows), len(rows))]
        for rows in target.layers
    ]
    return np.sort(np.concatenate(parts))


def _count_tested(wanted: float, size: int) -> int:
    """Return how many cases of a layer are tested: at least one, leaving at least one to train."""
    return min(max(1, round(wanted)), max(size - 1, 0))


def _find_order(
    splitter: Splitter, pairs: Sequence[tuple[Indices, Indices]], n: int
) -> NDArray[np.int64] | None:
    """Return the ranks of the times of the rows, where every split trains on what came before.

    A splitter of time tells them; otherwise they are the rows themselves.
    """
    ranks = getattr(splitter, "order_", None)
    order = np.arange(n) if ranks is None else np.asarray(ranks, dtype=np.int64)
    before = len(pairs) > 1 and all(_is_before(order, *pair) for pair in pairs)
    return order if before else None


def _is_before(order: NDArray[np.int64], train: Indices, test: Indices) -> bool:
    """Tell whether all training rows come before all test rows."""
    return bool(len(train) and len(test) and order[train].max() < order[test].min())


def _read_cv(cv: object, y: object, classifier: bool) -> Splitter:
    from sklearn.model_selection import check_cv

    try:
        return check_cv(cv, y, classifier=classifier)
    except ValueError as error:
        if cv is None or (isinstance(cv, int | np.integer) and cv >= 2):
            raise InputError("folds cannot be made with this `y`", got=str(error)) from error
        raise InputError(
            f"{arg('cv')} cannot be read",
            needs="a number of folds of at least 2, a scikit-learn splitter, or (train, test) "
            "pairs",
            got=check.show(cv),
            cure=str(error),
        ) from error


def can_shuffle(splitter: object) -> bool:
    """Tell whether a splitter, or a number of folds, can be repeated with other folds."""
    if splitter is None or isinstance(splitter, int | np.integer):
        return True
    # TimeSeriesSplit inherits the attribute, but has no such parameter.
    return "shuffle" in signature(type(splitter)).parameters


def _make_shuffled(splitter: Splitter, seeds: Seeds, repeat: int) -> Splitter:
    """Return the splitter of a further repeat."""
    name = _name_splitter(splitter)
    if not can_shuffle(splitter):
        raise InputError(
            f"{name} cannot be repeated",
            needs="a splitter that can shuffle, such as KFold, StratifiedKFold or GroupKFold",
            got=f"n_repeats above 1 with {name}",
            cure=f"Leave {arg('n_repeats')} at 1; a Repeated* splitter or ShuffleSplit repeats "
            "by itself.",
        )
    return shuffle_splitter(splitter, draw_split_seed(seeds, repeat))


def _list_pairs(
    splitter: Splitter, X: object, y: object, n: int, params: dict[str, object], odd: bool
) -> list[tuple[Indices, Indices]]:
    try:
        promised = splitter.get_n_splits(X, y, **params)
        pairs = list(splitter.split(X, y, **params))
    except (ValueError, TypeError) as error:
        raise _explain_no_split(splitter, error, params) from error
    if not pairs:
        raise InputError(
            f"{arg('cv')} has no splits", needs="at least one split", got=check.show(splitter)
        )
    if promised != len(pairs):
        raise InputError(
            f"`split` and `get_n_splits` of {_name_splitter(splitter)} disagree",
            needs=f"{promised} splits, the number from get_n_splits",
            got=f"{len(pairs)} splits",
        )
    return [
        (_read_rows(train, n, "train", odd), _read_rows(test, n, "test", odd))
        for train, test in (_read_pair(item) for item in pairs)
    ]


def _read_pair(item: object) -> tuple[object, object]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise InputError(
            f"{arg('cv')} does not return splits",
            needs="(train, test) pairs of row numbers",
            got=check.show(item),
        )
    return item[0], item[1]


def _explain_no_split(
    splitter: Splitter, error: Exception, params: dict[str, object]
) -> InputError:
    cure = "Use fewer folds, or another splitter."
    if "groups" in str(error) and params.get("groups") is None:
        cure = f"Pass the groups of the cases as {GROUPS}."
    if "inconsistent numbers of samples" in str(error):
        cure = "Pass one group per row."
    if isinstance(error, TypeError):
        cure = "Pass (train, test) pairs of row numbers, or a splitter."
    return InputError(
        f"{_name_splitter(splitter)} cannot split these data", got=str(error), cure=cure
    )


def _name_splitter(splitter: Splitter) -> str:
    name = type(splitter).__name__
    return arg("cv") if name.startswith("_") else name  # scikit-learn's own wrapper of pairs


def _read_rows(indices: object, n: int, side: str, odd: bool) -> Indices:
    rows = np.asarray(indices)
    if odd and rows.size == 0:
        return np.empty(0, dtype=np.intp)
    if rows.dtype == bool and len(rows) == n:
        rows = np.flatnonzero(rows)
    whole = rows.ndim == 1 and rows.dtype.kind in "iu" and len(rows) > 0
    if not whole or rows.min() < 0 or rows.max() >= n:
        raise InputError(
            f"a split has no usable {side} rows",
            needs=f"at least one integer from 0 to {n - 1}",
            got="none" if rows.size == 0 else check.show(indices),
            cure="Row numbers are positions, not labels of an index." if rows.size else "",
        )
    return rows.astype(np.intp, copy=False)


# What identifies a stored run: its splits, and seeds that the same call makes again.


def check_seeded(cv: object) -> None:
    """Refuse a splitter that shuffles differently at every call: its run could not be resumed."""
    shuffles = getattr(cv, "shuffle", True)  # ShuffleSplit and Repeated* have no such choice
    if hasattr(cv, "split") and shuffles and getattr(cv, "random_state", 0) is None:
        raise InputError(
            f"the splits would differ at every call, so {arg('store')} could not be resumed",
            needs="a splitter with a seed",
            got=f"{type(cv).__name__} that shuffles with random_state=None",
            cure=f"Pass random_state=0 to the splitter, or leave {arg('store')} out.",
        )


def add_splits(facts: Mapping[str, str], splits: Splits) -> dict[str, str]:
    """Return the facts together with the rows of every split; no facts without a store."""
    if not facts:
        return {}
    rows = describe([*splits.train, *splits.test])
    return {**facts, "splits": f"{len(splits)} splits {digest(rows)}"}


def make_seed(facts: Mapping[str, str]) -> int:
    """Return a seed that depends only on the facts."""
    return int(digest(json.dumps(dict(facts), sort_keys=True)), 16) % 2**32
