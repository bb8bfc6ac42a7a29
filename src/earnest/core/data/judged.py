"""Marks of items: scores of a judge, mended by labels of people on a random part of the items.

The mark of item i is m_i + (R_i / p_i) (h_i - m_i), where m_i = c + lambda f_i is what the judge's
score f_i says, R_i tells whether a person labelled the item with h_i, and p_i was the chance of
that. c and lambda are fitted without the item and its group, so that the mark of an item has the
mean of the labels of people whatever the judge says (Angelopoulos et al. 2023; power tuning:
Angelopoulos, Duchi and Zrnic 2023; cross-fitting: Zrnic and Candes 2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.cautions import of_tables
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg

FEWEST = 10  # labelled items, or groups, of a configuration
FAR = 2.58  # standard errors between judge's scores with and without labels: 1 % by chance
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Labels:
    """What is known of the labels behind marks.

    Attributes
    ----------
    share : float
        For how many labelled units a unit counts, where the fewest are labelled: their share, less
        if their chances differ.
    low, high : float
        The smallest and the largest score of judge and people. Marks lie beyond.
    """

    share: float
    low: float
    high: float


def mark_items(
    judge: Numbers,
    human: Numbers,
    probability: Numbers | None,
    units: NDArray[np.intp],
    configs: tuple[str, ...],
) -> tuple[Array, Labels, tuple[Caution, ...]]:
    """Return the marks (n, C, R), what is known of their labels, and what to say of these.

    Parameters
    ----------
    judge : ndarray, shape (n, C, R)
        The judge's scores, NaN where an item was not run.
    human : ndarray, shape (n, C, R)
        The labels of people, NaN where there is none.
    probability : ndarray, shape (n, C, R), optional
        The chance with which an answer was chosen to be labelled; by default the share of answers
        of its configuration that were.
    units : ndarray of int, shape (n,)
        Which unit an item belongs to: its group, or itself.
    configs : tuple of str
        The names of the configurations.
    """
    f, h = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    run = np.isfinite(f)
    labelled = run & np.isfinite(h)
    _refuse_strays(np.isfinite(h) & ~run, configs)
    _refuse_few(labelled, units, configs)
    chance = _read_chances(probability, run, labelled)
    marks = _mend(f, h, labelled, chance, units)
    marks[~run] = np.nan
    weight: Array = np.where(labelled, 1.0 / chance, 0.0)
    low, high = float(np.min(f[run])), float(np.max(f[run]))
    labels = Labels(
        share=_measure_share(weight, run, units),
        low=min(low, float(np.min(h[labelled]))),
        high=max(high, float(np.max(h[labelled]))),
    )
    return marks, labels, tuple(_compare_parts(f, weight, run, labelled, units))


def _refuse_strays(stray: NDArray[np.bool_], configs: tuple[str, ...]) -> None:
    if stray.any():
        _, column, _ = (int(position[0]) for position in np.nonzero(stray))
        raise InputError(
            "answers have a label of a person and no score of the judge",
            needs="the judge's score of every answer that was run",
            got=f"none for {int(stray.sum()):,} labelled answers, the first of {configs[column]!r}",
            cure="Let the judge score them, or leave these labels out.",
        )


def _refuse_few(
    labelled: NDArray[np.bool_], units: NDArray[np.intp], configs: tuple[str, ...]
) -> None:
    has_label = np.zeros((int(units.max()) + 1, labelled.shape[1]), dtype=bool)
    np.logical_or.at(has_label, units, labelled.any(axis=2))
    counts = has_label.sum(axis=0)
    if counts.min() < FEWEST:
        few = check.some(
            f"{configs[c]} has {int(counts[c])}" for c in np.flatnonzero(counts < FEWEST)
        )
        raise EvidenceError(
            "too few answers were labelled by people",
            needs=f"labels of {FEWEST} items (or groups) of every configuration, chosen at random",
            got=few,
            cure="Label more, or leave these configurations out.",
        )


def _read_chances(
    probability: Numbers | None, run: NDArray[np.bool_], labelled: NDArray[np.bool_]
) -> Array:
    """Return the chance of every answer to be labelled (n, C, R)."""
    if probability is None:
        share = labelled.sum(axis=(0, 2)) / run.sum(axis=(0, 2))
        return np.broadcast_to(share[None, :, None], run.shape)
    chance = np.asarray(probability, dtype=np.float64)
    if not ((chance[labelled] > 0.0) & (chance[labelled] <= 1.0)).all():
        wrong = chance[labelled & ~((chance > 0.0) & (chance <= 1.0))]
        raise InputError(
            f"{arg('probability')} is not the chance with which an answer was chosen to be "
            "labelled",
            needs="a number above 0 and at most 1 for every labelled answer",
            got=f"{wrong[0]:g}",
            cure="Leave it out if all answers had the same chance.",
        )
    missed = run & ~labelled & (chance >= 1.0)
    if missed.any():
        raise InputError(
            f"{arg('probability')} is 1 for answers without a label",
            needs="a label of every answer that was sure to be labelled",
            got=f"{int(missed.sum()):,} without",
        )
    return chance


def _mend(
    f: Array,
    h: Array,
    labelled: NDArray[np.bool_],
    chance: Array,
    units: NDArray[np.intp],
) -> Array:
    """Return the marks, with c and lambda of each unit fitted to the labels of the others.

    The fit is a line by least squares with weights (1 - p) / p² of labelled answers, which makes
    the variance of the marks smallest. The slope is shrunk by 1 - 1 / F, to 0 where chance alone
    explains it, and lies between 0 and 1.
    """
    inverse: Array = np.where(labelled, 1.0 / chance, 0.0)
    weight: Array = inverse * np.where(labelled, 1.0 / chance - 1.0, 0.0)
    centre = _centre(f, weight)
    x = np.where(labelled, f - centre, 0.0)
    y = np.where(labelled, h - centre, 0.0)
    count = int(units.max()) + 1
    moments = [
        _sum_units(labelled.astype(np.float64), units, count),
        _sum_units(weight, units, count),
    ]
    moments += [
        _sum_units(weight * term, units, count) for term in (x, y, x * x, x * y, y * y)
    ]  # each (units, C)
    n, w, wx, wy, wxx, wxy, wyy = (total.sum(axis=0) - total for total in moments)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_y = (np.where(w > 0.0, total / w, 0.0) for total in (wx, wy))
        sxx = np.maximum(wxx - w * mean_x**2, 0.0)
        syy = np.maximum(wyy - w * mean_y**2, 0.0)
        sxy = wxy - w * mean_x * mean_y
        enough = (sxx > 1e-12 * (wxx + TINY)) & (syy > 1e-12 * (wyy + TINY)) & (n > 2)
        slope = np.where(enough, sxy / sxx, 0.0)
        explained = np.where(enough, slope * sxy, 0.0)
        left = np.maximum(syy - explained, 0.0) / np.maximum(n - 2.0, 1.0)
        shrunk = np.where(explained > 0.0, np.maximum(1.0 - left / explained, 0.0), 0.0)
    power = np.clip(slope * shrunk, 0.0, 1.0)
    constant = mean_y - power * mean_x
    expected = (constant[units][:, :, None] + power[units][:, :, None] * (f - centre)) + centre
    return np.asarray(expected + inverse * np.where(labelled, h - expected, 0.0))


TINY = 1e-300  # what keeps 0 from being larger than 0


def _centre(f: Array, weight: Array) -> Array:
    """Return a value near the judge's scores (1, C, 1), from which sums of squares are taken."""
    total = weight.sum(axis=(0, 2), keepdims=True)
    usual = np.nanmean(f, axis=(0, 2), keepdims=True)
    sums = np.where(weight > 0.0, weight * f, 0.0).sum(axis=(0, 2), keepdims=True)
    return np.asarray(np.where(total > 0.0, sums / np.where(total > 0.0, total, 1.0), usual))


def _sum_units(values: Array, units: NDArray[np.intp], count: int) -> Array:
    """Return the sums (units, C) of values (n, C, R)."""
    of_items: Array = np.asarray(values.sum(axis=2))
    if count == len(units) and (units == np.arange(count)).all():
        return of_items
    sums = np.zeros((count, values.shape[1]))
    np.add.at(sums, units, of_items)
    return sums


def _measure_share(weight: Array, run: NDArray[np.bool_], units: NDArray[np.intp]) -> float:
    """Return Kish's effective number of labelled units over all units, the smallest of columns."""
    count = int(units.max()) + 1
    sums = _sum_units(weight, units, count)
    present = _sum_units(run.astype(np.float64), units, count) > 0.0
    worth = sums.sum(axis=0) ** 2 / np.square(sums).sum(axis=0)
    return float(np.clip((worth / present.sum(axis=0)).min(), 0.0, 1.0))


def _compare_parts(
    f: Array,
    weight: Array,
    run: NDArray[np.bool_],
    labelled: NDArray[np.bool_],
    units: NDArray[np.intp],
) -> Iterator[Caution]:
    """Yield a caution where the judge scores labelled answers otherwise than the others.

    Were answers chosen with the chances that are said, w_i - 1 would have mean 0 whatever the
    score, w_i being 0 without a label and 1 / p_i with one. Its product with the score, about the
    mean of its configuration, is summed in each unit, and their sum compared with its spread.
    """
    if labelled.sum() == run.sum():
        return
    about = np.where(run, f - np.nanmean(f, axis=(0, 2), keepdims=True), 0.0)
    shift = _sum_units(about * (weight - 1.0), units, int(units.max()) + 1).sum(axis=1)
    spread = float(np.sqrt(np.square(shift - shift.mean()).sum()))
    if spread > 0.0 and abs(float(shift.sum())) > FAR * spread:
        others = run & ~labelled
        yield of_tables.labels_not_random(float(f[labelled].mean()), float(f[others].mean()))
