"""Populations whose truth is known, made of predictions, and studies that are drawn from them.

`calibrate` holds the limits of methods against their truth; `plan` measures how wide the intervals
of studies of another size are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.engine.patience import pass_scores_on
from earnest.inference.cases.case_values import case_values, check_terms
from earnest.kernels.score import score_table
from earnest.methods.run import estimate
from earnest.metrics.families import Metric

Array = NDArray[np.float64]
LEAST_OF_A_CLASS = 2  # cases of a simulated study, which its estimate needs
DRAWS = 1_000  # of a study with enough cases of each class, before it is given up
STEEPEST = 4.0  # tilt of the weights, in standard deviations of what units add
ROUNDS, NEWTON = 4, 8  # of tilts of all scores, and of steps to each
UNITS_OF_A_SCORE = 3  # the fewest per configuration with which all scores can be moved
COUNTING = 0.5  # share of the units that count in a population


@dataclass(frozen=True)
class Population:
    """What studies are drawn from, and the true score of every configuration in it.

    Attributes
    ----------
    pi : Predictions
        The configurations of a study, and its cases.
    units : list of ndarray
        The rows of each unit: a case, or a group.
    shares : ndarray, shape (units,)
        The probability of each unit.
    strata : list of ndarray
        Units of which every study has as large a share as the predictions.
    folds : ndarray of shape (units, R), optional
        The folds that are dealt to the units of a study; None where units keep their own.
    truth : ndarray, shape (C,)
        The true scores.
    luck : float
        How much better the configurations that win look in the predictions.
    """

    pi: Predictions
    units: list[NDArray[np.intp]]
    shares: Array
    strata: list[NDArray[np.intp]]
    folds: NDArray[np.integer] | None
    truth: Array
    luck: float


def make_population(
    pi: Predictions,
    measure: Metric,
    random: np.random.Generator,
    *,
    units_of_a_score: int = UNITS_OF_A_SCORE,
    n_jobs: int | None = None,
) -> Population:
    """Make the population of predictions, and score its configurations.

    The luck of the winners is taken away by weights, and with `units_of_a_score` units per
    configuration so is what chance adds to the differences of all configurations.
    """
    if pi.n_configs > 1:
        check_terms(pi, measure)
    units = find_units(pi)
    shares = tilt_to_corrected(pi, units, measure, random, n_jobs=n_jobs)
    if 1 < pi.n_configs <= len(units) / units_of_a_score:
        shares = _shrink_differences(pi, units, shares, measure)
    folds = _find_folds(pi, units)
    strata = _find_strata(pi, units, folds)
    of_strata = np.empty(len(units))
    for rows in strata:
        weight = shares[rows]
        of_strata[rows] = weight / weight.sum() * len(rows) / len(units)
    truth = _score(pi, units, of_strata, measure)
    if np.isnan(truth).all():
        raise EvidenceError(f"metric {measure.name!r} is undefined for every configuration")
    observed = score_table(pi, measure, Weights.ones(pi.n_cases))[0]
    best = int(np.nanargmax(observed) if measure.greater_is_better else np.nanargmin(observed))
    sign = 1.0 if measure.greater_is_better else -1.0
    luck = float(sign * (observed[best] - truth[best]))
    return Population(pi, units, of_strata, strata, folds, truth, luck)


def find_units(pi: Predictions) -> list[NDArray[np.intp]]:
    """Return the rows of each unit: a group, or a case."""
    groups = pi.target.groups
    if groups is None:
        return list(np.arange(pi.n_cases)[:, None])
    unit = np.unique(groups, return_inverse=True)[1].reshape(-1)
    return [np.flatnonzero(unit == code) for code in range(int(unit.max()) + 1)]


def tilt_to_corrected(
    pi: Predictions,
    units: list[NDArray[np.intp]],
    measure: Metric,
    random: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> Array:
    """Return shares of the units that take the luck of the winners away.

    The best of the predictions is better there than it is. Resamples of them as they are would take
    its score for the truth, and their intervals would be too narrow. So units on which the winners
    were lucky are drawn more rarely: by weights exp(-t d), where d is what a unit adds to the
    scores of the winners. The tilt t is such that the weighted mean of these scores is the
    corrected one.
    """
    even = np.full(len(units), 1.0 / len(units))
    if pi.n_configs == 1:
        return even
    seed = int(random.integers(2**31))
    with pass_scores_on(None):
        corrected = estimate(pi, method="bbc", metric=measure, rng=seed, n_jobs=n_jobs)
    wins = corrected.details.win_share
    terms = np.nanmean(case_values(pi, measure).terms, axis=2)
    lucky = (terms - terms.mean(axis=0)) @ wins
    added = np.array([lucky[rows].sum() for rows in units])
    spread = float(added.std())
    if not spread:
        return even
    sign = 1.0 if measure.greater_is_better else -1.0

    def tilt(strength: float) -> Array:
        shares = np.exp(-sign * strength * added / spread)
        return np.asarray(shares / shares.sum())

    def luck(strength: float) -> float:
        return sign * float(_score(pi, units, tilt(strength), measure) @ wins - corrected.value)

    low, high = 0.0, STEEPEST
    if luck(low) <= 0.0:
        return even
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if luck(middle) > 0.0 else (low, middle)
    return tilt(low)


def _score(pi: Predictions, units: list[NDArray[np.intp]], shares: Array, measure: Metric) -> Array:
    """Return the score of every configuration (C,) where units have these probabilities."""
    weights = np.empty(pi.n_cases)
    for rows, share in zip(units, shares, strict=True):
        weights[rows] = share * len(units)
    even = np.allclose(weights, 1.0, rtol=0.0, atol=1e-9)  # for functions without weights too
    drawn = Weights.ones(pi.n_cases) if even else Weights(weights[None])
    return np.asarray(score_table(pi, measure, drawn)[0])


def _shrink_differences(
    pi: Predictions, units: list[NDArray[np.intp]], shares: Array, measure: Metric
) -> Array:
    """Return shares that take the noise out of all scores, not of the best alone.

    Observed scores differ by what the configurations are and by chance. In the population they
    shall differ by what is left: about their mean, by the share of their variance that chance does
    not explain. The weights of the units are the exponential tilt with these scores that stays
    nearest to equal weights; it goes only as far as half of the units keep counting.
    """
    terms = np.nanmean(case_values(pi, measure).terms, axis=2)  # (n, C)
    terms = terms - terms.mean(axis=0)
    added = np.stack([terms[rows].sum(axis=0) for rows in units])
    added *= len(units) / pi.n_cases  # what a unit adds to a score, in units of equal weight
    observed = score_table(pi, measure, Weights.ones(pi.n_cases))[0]
    usable = ~(np.isnan(observed) | np.isnan(added).any(axis=0))
    if usable.sum() < 2:
        return shares
    apart = added[:, usable] - added[:, usable].mean(axis=1, keepdims=True)
    noise = float((apart**2).sum(axis=0).mean()) / len(units) ** 2
    spread = float(observed[usable].var())
    true_share = max(1.0 - noise / spread, 0.0) if spread else 0.0
    corrected = _score(pi, units, shares, measure)
    level = float(np.mean(corrected[usable]))
    target = level + true_share * (observed - observed[usable].mean())
    best = int(np.nanargmax(observed) if measure.greater_is_better else np.nanargmin(observed))
    target += corrected[best] - target[best]  # the winner keeps the score that its luck leaves it
    wanted = (target - observed)[usable]
    for _ in range(ROUNDS):
        shares = _tilt(added[:, usable], wanted)
        missing = target - _score(pi, units, shares, measure)  # as scores are no sums
        wanted = wanted + missing[usable]
    return shares


def _tilt(added: Array, wanted: Array) -> Array:
    """Return shares exp(added t) of units whose mean of `added` (units, C) is as wanted.

    A ridge keeps the tilt from what the units can hardly tell; it grows until the effective number
    of units is half of them.
    """
    count = len(added)
    covariance = added.T @ added / count
    scale = float(np.trace(covariance)) / len(covariance)
    ridge = 1e-3 * scale
    while True:
        slope = np.zeros(added.shape[1])
        for _ in range(NEWTON):
            shares = np.exp(added @ slope - (added @ slope).max())
            shares /= shares.sum()
            mean = shares @ added
            steep = (added * shares[:, None]).T @ added - np.outer(mean, mean)
            steep[np.diag_indices_from(steep)] += ridge
            slope = slope + np.linalg.solve(steep, wanted - mean - ridge * slope)
        exponent = added @ slope
        shares = np.exp(exponent - exponent.max())
        shares /= shares.sum()
        if np.isfinite(shares).all() and 1.0 / (shares**2).sum() >= count * COUNTING:
            return np.asarray(shares)
        ridge *= 4.0


def _find_folds(pi: Predictions, units: list[NDArray[np.intp]]) -> NDArray[np.integer] | None:
    """Return the folds of every unit (units, R); None where a unit has several, or lacks one."""
    if (pi.folds < 0).any():
        return None
    first = np.stack([pi.folds[rows[0]] for rows in units])
    alike = zip(units, first, strict=True)
    return first if all((pi.folds[rows] == of).all() for rows, of in alike) else None


def _find_strata(
    pi: Predictions, units: list[NDArray[np.intp]], folds: NDArray[np.integer] | None
) -> list[NDArray[np.intp]]:
    """Return the units of each class where folds have the classes alike, as stratified ones do.

    Otherwise all units are one stratum; where folds cannot be dealt anew, those of a fold are.
    """
    every = np.arange(len(units))
    target = pi.target
    if folds is None:
        first = np.array([pi.folds[rows[0], 0] for rows in units])
        return [every[first == fold] for fold in np.unique(first)]
    if not target.has_classes or target.groups is not None or pi.n_folds == 1:
        return [every]
    cells = [every[target.y == label] for label in range(len(target.classes))]
    for cell in cells:
        counts = np.bincount(folds[cell, 0], minlength=pi.n_folds)
        if counts.max() - counts.min() > 1:
            return [every]
    return [cell for cell in cells if len(cell)]


def draw_study(
    population: Population, random: np.random.Generator, n_units: int | None = None
) -> Predictions:
    """Return predictions of units drawn with replacement, groups under new names.

    A study has as many units as the predictions, or `n_units`. Folds are dealt anew. If a unit kept
    its own, the few cases of a fold would be the truth about its model, and folds would be more
    unlike than they are.
    """
    pi, units = population.pi, population.units
    target = pi.target
    sizes = _divide_units(population, n_units)
    for _ in range(DRAWS):
        drawn = np.concatenate(
            [
                random.choice(
                    stratum,
                    size=size,
                    p=population.shares[stratum] / population.shares[stratum].sum(),
                )
                for stratum, size in zip(population.strata, sizes, strict=True)
            ]
        )
        rows = np.concatenate([units[unit] for unit in drawn])
        if not target.has_classes:
            break
        counts = np.bincount(target.y[rows], minlength=len(target.classes))
        if counts.min() >= LEAST_OF_A_CLASS:
            break
    else:
        raise EvidenceError(
            "hardly any simulated study has enough cases of every class",
            needs=f"{LEAST_OF_A_CLASS} of each",
            cure="Use predictions of more cases.",
        )
    names = None
    if target.groups is not None:
        names = np.repeat(np.arange(len(drawn)), [len(units[unit]) for unit in drawn])
    study = pi.take(rows)
    study = replace(study, target=replace(study.target, ids=None, groups=names))
    if population.folds is None:
        return study
    dealt = [
        _deal_folds(population.folds[random.permutation(stratum)], size)
        for stratum, size in zip(population.strata, sizes, strict=True)
    ]
    folds = np.concatenate(dealt)
    return replace(study, folds=np.repeat(folds, [len(units[unit]) for unit in drawn], axis=0))


def _deal_folds(folds: NDArray[np.integer], size: int) -> NDArray[np.integer]:
    """Return the folds of so many units (size, R), as even as those of the units (m, R)."""
    whole, over = divmod(size, len(folds))
    # Those of a stratum that is used in part are its first of each fold, then its second, ...
    first = folds[:, 0]
    turn = np.empty(len(folds), dtype=np.intp)
    for fold in np.unique(first):
        rows = np.flatnonzero(first == fold)
        turn[rows] = np.arange(len(rows))
    return np.concatenate([*[folds] * whole, folds[np.argsort(turn, kind="stable")[:over]]])


def _divide_units(population: Population, n_units: int | None) -> list[int]:
    """Return how many units of each stratum a study has."""
    sizes = np.array([len(stratum) for stratum in population.strata])
    if n_units is None:
        return [int(size) for size in sizes]
    edges = np.round(np.concatenate([[0], np.cumsum(sizes)]) * (n_units / sizes.sum()))
    return [max(1, int(size)) for size in np.diff(edges)]
