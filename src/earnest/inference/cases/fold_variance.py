"""Variances of cross-validated means, for tests and intervals."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.text.doors import arg
from earnest.metrics.families import Array

# Of the largest term: terms that differ by less are equal. They come from numbers that were rounded
# before, such as y + 0.1 less y, so that machine precision of the terms would be too fine.
ROUNDING = 1e-10


class Variance(StrEnum):
    """What the spread of the terms is measured about."""

    WITHIN_FOLD = "within_fold"  # the mean of the case's fold
    ALL_PAIRS = "all_pairs"  # the mean of all cases


def variance_of_mean(
    terms: Array,
    folds: Numbers,
    groups: Numbers | None,
    kind: Variance | str,
) -> Any:
    """Return the variance of the mean of terms over all cases of a cross-validation.

    Without repeats and groups it is sigma² / n with Bayle et al. 2020, eq. 8 and 9: sigma_in² is
    the mean over cases of the unbiased variances in folds, sum_j (n_j / n) s_j²; sigma_out² the
    mean squared distance from the overall mean.

    With repeats, all pairs take the mean of a case's terms over repeats, so that the variance is
    divided by n, never by nR; within folds it is the mean of the repeats' variances. With groups
    the distances are summed in each group before they are squared (cluster-robust), times
    G / (G - 1); within folds, times G_j / (G_j - 1) of the G_j groups of a fold.

    Parameters
    ----------
    terms : ndarray, shape (n, R) or (n, C, R)
        What each case adds in each repeat; not read where it was not tested.
    folds : ndarray of int, shape (n, R)
        The fold of a case, -1 where it was not tested.
    groups : ndarray of int, shape (n,), optional
        The unit that a case belongs to.
    kind : {'within_fold', 'all_pairs'}
        What the spread is measured about.

    Returns
    -------
    float or ndarray, shape (C,)
        The variance of the mean over cases (and repeats); 0 where terms are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.fold_variance import variance_of_mean
    >>> losses, folds = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([[0], [0], [1], [1]])
    >>> round(variance_of_mean(losses, folds, None, "within_fold"), 6)  # (0.5 + 0) / 2 / 4
    0.0625
    >>> round(variance_of_mean(losses, folds, None, "all_pairs"), 6)  # 0.75 * 0.25 / 4
    0.046875
    """
    kind = Variance(check.one_of("kind", str(kind), list(Variance)))
    table = terms[:, None, :] if terms.ndim == 2 else terms
    table = np.where((folds >= 0)[:, None, :], table, 0.0)
    spread = _find_within_variance if kind is Variance.WITHIN_FOLD else _find_all_pairs_variance
    variance = spread(table, folds, groups)
    return float(variance[0]) if terms.ndim == 2 else variance


def check_fold_units(folds: Numbers, groups: Numbers | None, kind: Variance) -> None:
    """Refuse folds or groups that leave a variance undefined, before any work."""
    for r in _list_repeats(folds):
        used = np.flatnonzero(folds[:, r] >= 0)
        codes = np.unique(folds[used, r], return_inverse=True)[1].reshape(-1)
        if kind is Variance.WITHIN_FOLD:
            _count_units_of_folds(codes, None if groups is None else groups[used])
    if groups is not None:
        count_groups(groups)


def _find_all_pairs_variance(terms: Array, folds: Numbers, groups: Numbers | None) -> Array:
    away = np.zeros(terms.shape[:2])
    repeats = _list_repeats(folds)
    for r in repeats:
        used = np.flatnonzero(folds[:, r] >= 0)
        everything = np.zeros(len(used), dtype=np.intp)
        away[used] += _centre(terms[used, :, r], everything) / (len(used) * len(repeats))
    least = rounding(terms) / len(terms)
    if groups is None:
        return _sum_squares(away, least)
    count = count_groups(groups)
    return count / (count - 1) * _sum_squares(away, least, groups)


def count_groups(groups: Numbers) -> int:
    """Return how many groups there are, and refuse one, which has no variance."""
    count = len(np.unique(groups))
    if count < 2:
        raise EvidenceError(
            "a variance over groups needs two groups", needs="at least 2 groups", got="1 group"
        )
    return count


def _find_within_variance(terms: Array, folds: Numbers, groups: Numbers | None) -> Array:
    repeats = _list_repeats(folds)
    parts = [_find_variance_in_repeat(terms[:, :, r], folds[:, r], groups) for r in repeats]
    return np.asarray(np.mean(parts, axis=0))


def _find_variance_in_repeat(terms: Array, folds: Numbers, groups: Numbers | None) -> Array:
    """Return the variance (C,) of the mean of one repeat, from its spread within folds."""
    used = np.flatnonzero(folds >= 0)
    codes = np.unique(folds[used], return_inverse=True)[1].reshape(-1)
    units = None if groups is None else groups[used]
    counts = _count_units_of_folds(codes, units)
    factor = np.sqrt(counts / (counts - 1))[codes][:, None]  # before groups that span folds are met
    away = factor * _centre(terms[used], codes)
    return _sum_squares(away, rounding(terms[used]), units) / len(used) ** 2


def _count_units_of_folds(codes: NDArray[np.intp], groups: Numbers | None) -> NDArray[np.intp]:
    """Return how many cases, or groups, each fold has, and refuse one that has a single one."""
    if groups is None:
        counts = np.bincount(codes)
    else:
        counts = np.bincount(np.unique(np.stack([codes, groups], axis=1), axis=0)[:, 0])
    if counts.min() < 2:
        unit = "case" if groups is None else "group"
        raise EvidenceError(
            f"the variance within folds needs two {unit}s in every fold",
            needs=f"at least 2 {unit}s in each fold",
            got=f"a fold with 1 {unit}",
            cure="Use the variance over all pairs ('bayle_all_pairs'), or fewer folds.",
        )
    return counts


def _centre(terms: Array, codes: NDArray[np.intp]) -> Array:
    """Return terms (n, C) less the mean of their code, as exactly as can be."""
    sizes = np.bincount(codes)[:, None]
    away = terms - (_sum_by_code(terms, codes) / sizes)[codes]
    away -= (_sum_by_code(away, codes) / sizes)[codes]  # what rounding left of the mean
    return away


def rounding(terms: Array) -> Array:
    """Return below what distance (C,) terms count as equal to their mean."""
    largest = np.abs(terms).max(axis=0)  # (C,) or (C, R)
    return np.asarray(ROUNDING * (largest if largest.ndim == 1 else largest.max(axis=1)))


def _sum_by_code(values: Array, codes: NDArray[np.intp]) -> Array:
    """Return the sums (G, C) of the rows of each code."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def _sum_squares(away: Array, least: Array, units: Numbers | None = None) -> Array:
    """Return the sum over units of their squared sums (C,), except those that are only rounding."""
    if units is not None:
        codes = np.unique(units, return_inverse=True)[1].reshape(-1)
        away, least = _sum_by_code(away, codes), least * np.bincount(codes)[:, None]
    return np.asarray(np.square(np.where(np.abs(away) > least, away, 0.0)).sum(axis=0))


def _list_repeats(folds: Numbers) -> list[int]:
    return [r for r in range(folds.shape[1]) if (folds[:, r] >= 0).any()]


def overlap_of(pi: Predictions) -> float:
    """Return the ratio of test to training cases of a split, each trained on all that it leaves.

    For K folds it is 1 / (K - 1), for a repeat with one test set n_test / (n - n_test). Folds that
    were not evaluated count: the others were trained on their cases.
    """
    shares = []
    for repeat in range(pi.n_repeats):
        codes = pi.folds[:, repeat]
        count = len(pi.fold_names[repeat])
        shares.append(1.0 / count if count > 1 else float((codes >= 0).mean()))
    share = float(np.mean(shares))
    if share >= 1.0:
        raise EvidenceError(
            "nothing is left to train on where a repeat tests every case",
            needs="repeats that leave cases out, or folds within each repeat",
            got=f"{pi.n_repeats} repeats, each with one test set of all cases",
            cure=f"Pass {arg('fold')} with the folds of each repeat.",
        )
    return share / (1.0 - share)


def check_ratio(ratio: float | None) -> None:
    """Refuse a ratio of test to training cases that is not positive; None is that of the folds."""
    number = isinstance(ratio, int | float) and not isinstance(ratio, bool)
    if ratio is not None and not (number and 0.0 < ratio < math.inf):
        raise InputError("`ratio` is out of range", needs="a number above 0", got=check.show(ratio))


def corrected_variance(scores: Array, overlap: float) -> Array:
    """Return the variance of the mean of J fold scores (J,) or (J, C) by Nadeau and Bengio.

    s² (1 / J + n_test / n_train): the second part stands for training sets that overlap, which 1/J
    alone would take as independent.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.cases.fold_variance import corrected_variance
    >>> float(corrected_variance(np.array([0.7, 0.8, 0.9]), overlap=0.5)).__round__(6)
    0.008333
    """
    return np.asarray(np.var(scores, axis=0, ddof=1) * (1.0 / len(scores) + overlap))
