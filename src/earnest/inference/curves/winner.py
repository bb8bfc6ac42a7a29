"""What the predictions of the winner look like: calibration and decisions.

All of it is of the winner as it was searched, on the cases that chose it, and not corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.interval import Ask, ShareLimits
from earnest.core.results.specs import Side
from earnest.metrics.families import Need
from earnest.metrics.responding import cut, respond

Floats = NDArray[np.float64]
BINS = 10
HISTOGRAM = 10


@dataclass(frozen=True)
class CaseShare:
    """A share of cases with its interval.

    `trials` is how many independent cases it is worth: fewer than it has, where cases of a group,
    or repeats of a case, are alike.
    """

    value: float
    low: float
    high: float
    trials: int


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often the positive class came true where the winner promised it.

    Attributes
    ----------
    predicted : ndarray of shape (k,)
        The mean probability of each bin; bins hold equally many cases, up to ties.
    observed : tuple of Share
        The share of positives in each.
    counts : ndarray of shape (k,)
        Predictions in each bin.
    spread : ndarray of shape (10,)
        Predictions in each tenth of the scale from 0 to 1.
    positive : str
        The label of the positive class.
    confidence_level : float
        That of the shares.
    """

    predicted: Floats
    observed: tuple[CaseShare, ...]
    counts: NDArray[np.int64]
    spread: NDArray[np.int64]
    positive: str
    confidence_level: float


@dataclass(frozen=True, eq=False)
class Confusion:
    """The decisions of the winner.

    Attributes
    ----------
    labels : tuple of str
        The classes; for two the positive one first.
    counts : ndarray of shape (K, K)
        Cases of a class (row) predicted as a class (column); the mean over repeats.
    recall : tuple of Share or None
        Of each class, the share that was found; None where no case was tested.
    precision : tuple of Share or None
        Of the cases predicted as each class, the share that is of it; None where none was.
    threshold : float or None
        Where a score becomes the positive label; None for labels and for several classes.
    given_threshold : bool
        Whether it was given with the predictions, and is not the usual one.
    confidence_level : float
        That of the shares.
    grouped : bool
        Whether cases come in groups; the intervals count that.
    """

    labels: tuple[str, ...]
    counts: Floats
    recall: tuple[CaseShare | None, ...]
    precision: tuple[CaseShare | None, ...]
    threshold: float | None
    given_threshold: bool
    confidence_level: float
    grouped: bool


def no_calibration(pi: Predictions) -> str | None:
    """Return why predictions have no calibration, in words; None where they have."""
    if pi.target.task is not Task.BINARY:
        return "Calibration is shown for the probability of one of two classes."
    if pi.kind is ResponseKind.PROBABILITY:
        return None
    if pi.kind is ResponseKind.DECISION:
        return "The scores are decision values, not probabilities: there is nothing to calibrate."
    return "The predictions are labels, not probabilities: there is nothing to calibrate."


def calibration(
    pi: Predictions, winner: int | str, *, confidence_level: float = 0.95, bins: int = BINS
) -> Calibration:
    """Return the observed share of positives in bins of equally many predictions.

    Intervals are Wilson's, for as many trials as the cases of a bin are worth.
    """
    reason = no_calibration(pi)
    if reason is not None:
        raise EvidenceError("there is no calibration to draw", got=reason)
    level = Ask.of(confidence_level, "two-sided").confidence_level
    promised, rows = _stack(pi, winner)
    hits = (pi.target.y[rows] == 1).astype(np.float64)
    units = _units(pi)[rows]
    parts = equal_counts(promised, bins)
    return Calibration(
        predicted=np.array([promised[part].mean() for part in parts]),
        observed=tuple(share_of(hits[part], units[part], level) for part in parts),
        counts=np.array([len(part) for part in parts]),
        spread=np.histogram(promised, bins=HISTOGRAM, range=(0.0, 1.0))[0],
        positive=str(pi.target.classes[1]),
        confidence_level=level,
    )


def equal_counts(values: Floats, bins: int) -> list[NDArray[np.intp]]:
    """Return the positions of equally many values a bin, in rising order; ties stay together."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    edges = {0, len(values)}
    for k in range(1, bins):
        edge = round(k * len(values) / bins)
        if 0 < edge < len(values):
            edges.add(int(np.searchsorted(ranked, ranked[edge])))
    cuts = sorted(edges)
    return [order[a:b] for a, b in pairwise(cuts) if b > a]


def share_of(hits: Floats, units: NDArray[np.int64], level: float) -> CaseShare:
    """Return a share with Wilson's interval, for as many trials as its units are worth.

    Where several cases belong to one unit the number of trials is that of independent cases with
    the same variance (Rao and Scott 1992), and at a share of 0 or 1 the number of units.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.winner import share_of
    >>> made = share_of(np.array([1.0, 1, 1, 0]), np.arange(4), 0.95)
    >>> made.trials, round(made.low, 3), round(made.high, 3)
    (4, 0.301, 0.954)
    """
    value, size = float(hits.mean()), len(hits)
    _, codes = np.unique(units, return_inverse=True)
    n_units = int(codes.max()) + 1
    trials = size
    if n_units < size:
        variance = float(np.square(np.bincount(codes, weights=hits - value)).sum()) / size**2
        worth = value * (1 - value) / variance if variance > 1e-300 else n_units
        trials = max(1, min(size, round(worth))) if 0 < value < 1 else n_units
    low, high = ShareLimits(value, trials).limits(level, Side.TWO_SIDED)
    return CaseShare(value, low, high, trials)


def confusion(pi: Predictions, winner: int | str, *, confidence_level: float = 0.95) -> Confusion:
    """Return the decisions of the winner at the threshold of the predictions, with their rates."""
    target = pi.target
    if not target.has_classes:
        raise EvidenceError("there are no decisions", needs="classes", got=f"task {target.task}")
    level = Ask.of(confidence_level, "two-sided").confidence_level
    column = pi.configs.index(winner)
    truth, said, rows = [], [], []
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        answers = respond(pi, Need.LABEL, pi.responses[used, column : column + 1, repeat])
        truth.append(target.y[used])
        said.append(answers[:, 0].astype(np.int64))
        rows.append(used)
    y, decided, units = np.concatenate(truth), np.concatenate(said), _units(pi)
    units = units[np.concatenate(rows)]
    order = [1, 0] if target.task is Task.BINARY else list(range(len(target.classes)))
    counts = np.zeros((len(order), len(order)))
    np.add.at(counts, (y, decided), 1.0 / pi.n_repeats)

    def rate(of: NDArray[np.bool_], hit: NDArray[np.bool_]) -> CaseShare | None:
        return share_of(hit[of].astype(np.float64), units[of], level) if of.any() else None

    cuts = target.task is Task.BINARY and pi.kind is not ResponseKind.LABEL
    return Confusion(
        labels=tuple(str(target.classes[k]) for k in order),
        counts=counts[np.ix_(order, order)],
        recall=tuple(rate(y == k, decided == k) for k in order),
        precision=tuple(rate(decided == k, y == k) for k in order),
        threshold=cut(pi) if cuts else None,
        given_threshold=pi.threshold is not None,
        confidence_level=level,
        grouped=target.groups is not None,
    )


def _stack(pi: Predictions, winner: int | str) -> tuple[Floats, NDArray[np.intp]]:
    """Return the predictions of all repeats one after the other, and the case of each."""
    column = pi.configs.index(winner)
    rows = [np.flatnonzero(pi.tested(r)) for r in range(pi.n_repeats)]
    values = [pi.responses[used, column, r] for r, used in enumerate(rows)]
    return np.concatenate(values).astype(np.float64), np.concatenate(rows)


def _units(pi: Predictions) -> NDArray[np.int64]:
    """Return what is independent: the group of a case, or the case itself."""
    groups = pi.target.groups
    return np.arange(pi.n_cases) if groups is None else groups
