"""The splits that two learners are trained on, by the design of the test that compares them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from earnest.comparison.base import TestSpec, check_splits
from earnest.core import check
from earnest.core.errors import InputError
from earnest.core.rng import Purpose, Seeds
from earnest.core.target import Target
from earnest.training.assess_plan import check_layers
from earnest.training.splits import Splits, make_splits

FOLDS = 10
TEST_SETS = 10


def learner_splits(
    spec: TestSpec,
    X: Any,
    y: Any,
    *,
    cv: Any,
    n_repeats: int | None,
    groups: Any,
    classifier: bool,
    seeds: Seeds,
    target: Target | None = None,
) -> Splits:
    """Return the splits that a test asks for, shuffled, and stratified for classes.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        The folds; for random test sets 1 over their share. A splitter or pairs are taken as given.
    n_repeats : int, optional
        How often folds are repeated, or how many random test sets there are.
    target : Target, optional
        Whose strata, if there are any, stand in the place of classes; not for a splitter or pairs.
    """
    if n_repeats is not None:
        check.whole_number("n_repeats", n_repeats, low=1)
    given = None if groups is None else {"groups": groups}
    own = cv is None or isinstance(cv, int | np.integer)
    if isinstance(cv, bool | np.bool_):
        raise _unreadable(cv)
    if own:
        layered = target is not None and target.strata is not None
        splitter, repeats = _own(
            spec, cv, n_repeats, groups is not None, classifier or layered, seeds
        )
        if target is not None and layered:
            if not spec.random_test_sets:
                check_layers(splitter.n_splits, target)
            y = target.strata
    elif n_repeats is not None:
        raise InputError(
            "`n_repeats` given beside a splitter",
            needs="a number of folds, or a splitter that repeats itself",
            got=check.show(cv),
            cure="Leave `n_repeats` out.",
        )
    else:
        splitter, repeats = cv, 1
    with warnings.catch_warnings():  # a class with fewer cases than folds: the cautions tell
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        made = make_splits(
            splitter, X, y, classifier=classifier, n_repeats=repeats, seeds=seeds, params=given
        )
    count = None if groups is None else len(np.unique(np.asarray(groups).astype(str)))
    check_splits(spec, np.bincount(made.repeat).tolist(), count)
    return made


def _own(
    spec: TestSpec,
    cv: Any,
    n_repeats: int | None,
    grouped: bool,
    layered: bool,
    seeds: Seeds,
) -> tuple[Any, int]:
    """Return a splitter of the test's own design, and its repeats."""
    seed = int(seeds.generator(Purpose.SPLITS, 0).integers(0, 2**31 - 1))
    if spec.design is not None:
        repeats, folds = spec.design
        for name, value, fixed in (("n_repeats", n_repeats, repeats), ("cv", cv, folds)):
            if value not in (None, fixed):
                raise InputError(
                    f"test {spec.name!r} is for {repeats} repeats of {folds} folds",
                    needs=f"{name}={fixed}, or none",
                    got=f"{name}={value}",
                    cure="Use test='corrected_t' for other numbers.",
                )
        return _folds(folds, grouped, layered, seed), repeats
    count = FOLDS if cv is None else int(cv)
    if count < 2:
        raise _unreadable(cv)
    if spec.random_test_sets:
        sets = check.whole_number("n_repeats", n_repeats or TEST_SETS, low=2)
        return _random(sets, 1.0 / count, grouped, layered, seed), 1
    return _folds(count, grouped, layered, seed), n_repeats or 1


def _unreadable(cv: Any) -> InputError:
    return InputError(
        "`cv` cannot be read",
        needs="a number of folds from 2 on, a splitter of scikit-learn, or (train, test) pairs",
        got=check.show(cv),
    )


def _folds(count: int, grouped: bool, layered: bool, seed: int) -> Any:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    if grouped:
        kind = StratifiedGroupKFold if layered else GroupKFold
    else:
        kind = StratifiedKFold if layered else KFold
    return kind(count, shuffle=True, random_state=seed)


def _random(count: int, share: float, grouped: bool, layered: bool, seed: int) -> Any:
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    alone = StratifiedShuffleSplit if layered else ShuffleSplit
    kind = GroupShuffleSplit if grouped else alone
    return kind(count, test_size=share, random_state=seed)


def overlap(splits: Splits) -> float | None:
    """Return test cases over training cases where test sets do not part the cases, else None."""
    if (splits.fold_codes >= 0).all():
        return None
    tests = sum(len(rows) for rows in splits.test)
    return tests / sum(len(rows) for rows in splits.train)
