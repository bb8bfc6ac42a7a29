"""Folds that keep rows together: seen where they do, and hardly ever where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
)

import earnest as en
from earnest.inference import rows_kept_together

RUNS = 24


def outcomes(kind: str, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    if kind == "sorted":
        return np.sort(np.arange(n) % 2)
    share = 10 if kind == "rare" else 2
    return rng.permutation((np.arange(n) % share == 0).astype(np.int64))


def folds_of(cv: object, y: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    folds = np.empty(len(y), dtype=np.int64)
    given = (groups,) if isinstance(cv, GroupKFold | StratifiedGroupKFold) else ()
    split = cv.split(np.zeros((len(y), 1)), y, *given)  # type: ignore[attr-defined]
    for fold, (_, test) in enumerate(split):
        folds[test] = fold
    return folds


def is_seen(y: NDArray[np.int64], folds: NDArray[np.int64], **about: object) -> bool:
    scores = np.zeros((len(y), 1, folds.shape[1])) if folds.ndim == 2 else np.zeros(len(y))
    pi = en.Predictions.from_arrays(y, scores, folds, **about)  # type: ignore[arg-type]
    return [caution.code for caution in rows_kept_together(pi)] == ["EN156"]


@pytest.mark.parametrize("kind", ["even", "sorted", "rare"])
@pytest.mark.parametrize("k", [2, 5, 10])
def test_ordinary_folds_raise_no_alarm(kind: str, k: int) -> None:
    # At a level of 1e-4 the 96 samples of a setting give a false alarm with probability .01.
    for n in (40, 100):
        none = np.zeros(n, dtype=np.int64)
        for run in range(RUNS // 2):
            y = outcomes(kind, n, np.random.default_rng(run))
            made = [
                KFold(k, shuffle=True, random_state=run),
                KFold(k),
                *((StratifiedKFold(k, shuffle=True, random_state=run), StratifiedKFold(k))
                  if np.bincount(y).min() >= k else ()),
            ]  # fmt: skip
            for cv in made:
                assert not is_seen(y, folds_of(cv, y, none)), (cv, n, run)


def test_systematic_and_single_folds_raise_no_alarm() -> None:
    y = np.tile([0, 1], 30)
    none = np.zeros(60, dtype=np.int64)
    for folds in (np.arange(60) % 5, np.arange(60) // 2 % 5, np.arange(60) // 12):
        assert not is_seen(y, folds)
    assert not is_seen(y, folds_of(LeaveOneOut(), y, none))
    assert not is_seen(y, np.zeros(60, dtype=np.int64))


@pytest.mark.parametrize("size", [4, 5, 10])
@pytest.mark.parametrize("kind", ["even", "rare"])
def test_folds_by_group_are_seen(size: int, kind: str) -> None:
    groups = np.arange(200) // size
    seen = 0
    for run in range(8):
        y = outcomes(kind, 200, np.random.default_rng(run))
        seen += is_seen(y, folds_of(GroupKFold(5), y, groups))
        stratified = StratifiedGroupKFold(5, shuffle=True, random_state=run)
        seen += is_seen(y, folds_of(stratified, y, groups))
    assert seen >= 14


def test_one_fold_a_group_is_seen_by_its_unequal_size() -> None:
    y = np.tile([0, 1], 40)
    folds = np.repeat(np.arange(8), [4, 16, 7, 13, 10, 10, 12, 8])
    assert is_seen(y, folds)


def test_who_gave_groups_is_not_asked_for_them() -> None:
    y, groups = np.tile([0, 1], 50), np.arange(100) // 5
    folds = folds_of(GroupKFold(5), y, groups)
    assert is_seen(y, folds)
    assert not is_seen(y, folds, groups=groups)


def test_with_repeats_groups_are_seen_in_any_order_of_rows() -> None:
    groups = np.arange(100) // 5
    for run in range(10):
        rng = np.random.default_rng(run)
        y, order = rng.permutation(np.arange(100) % 2), rng.permutation(100)
        for grouped in (True, False):
            kind = StratifiedGroupKFold if grouped else StratifiedKFold
            made = [kind(5, shuffle=True, random_state=10 * run + r) for r in range(4)]
            folds = np.stack([folds_of(cv, y, groups) for cv in made], axis=1)
            assert is_seen(y[order], folds[order]) == grouped
    same = np.repeat(folds_of(KFold(5, shuffle=True, random_state=0), y, groups)[:, None], 4, 1)
    assert not is_seen(y, same)  # one partition, four times


def test_intervals_without_the_groups_are_too_narrow() -> None:
    # 20 groups of 5, of which most are right or wrong as a whole; 40 samples, seed 3. The share
    # that held has a standard error of .035 to .07.
    held = np.zeros(2)
    groups = np.arange(100) // 5
    for run in range(40):
        rng = np.random.default_rng([3, run])
        y = rng.integers(0, 2, 100)
        own = rng.random(100) < 0.75
        right = np.where(rng.random(100) < 0.9, (rng.random(20) < 0.75)[groups], own)
        folds = np.repeat(rng.permutation(np.arange(20) % 5), 5)
        for given in (False, True):
            pi = en.Predictions.from_arrays(
                y, np.where(right, y, 1 - y), folds, response="label",
                groups=groups if given else None,
            )  # fmt: skip
            made = en.estimate(pi, metric="accuracy", rng=run, n_resamples=100)
            assert made.interval is not None
            held[int(given)] += 0.75 in made.interval
            assert ("EN156" in {caution.code for caution in made.cautions}) != given
    assert held[0] < 0.9 * 40
    assert held[1] >= 0.85 * 40
