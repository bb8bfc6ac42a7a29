"""What the winner predicted: decisions, scores of folds, residuals and survival.

All of it describes the winner on the cases that chose it, and is not corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.data.case_weights import refuse_case_weights
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.calibration import CaseShare
from earnest.inference.curves.calibration import number_units, share_of
from earnest.kernels.score import fold_repeats, fold_scores
from earnest.metrics.families import Metric, Need
from earnest.metrics.responding import cut, find_answer, respond

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Confusion:
    """The decisions of the winner.

    Attributes
    ----------
    labels : tuple of str
        The classes; for two the positive one first.
    counts : ndarray of shape (K, K)
        Cases of a class (row) predicted as a class (column); the mean over repeats.
    recall : tuple of CaseShare or None
        Of each class, the share that was found; None where no case was tested.
    precision : tuple of CaseShare or None
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


def confusion(pi: Predictions, winner: int | str, *, confidence_level: float = 0.95) -> Confusion:
    """Return the decisions of the winner at the threshold of the predictions, with their rates."""
    refuse_case_weights(pi.target.weights, "a table of decisions")
    pi = find_answer(pi, Need.LABEL)
    target = pi.target
    if not target.has_classes:
        raise EvidenceError("there are no decisions", needs="classes", got=f"task {target.task}")
    level = check.check_share("confidence_level", confidence_level)
    column = pi.configs.index(winner)
    truth, predicted, rows = [], [], []
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        answers = respond(pi, Need.LABEL, pi.responses[used, column : column + 1, repeat])
        truth.append(target.y[used])
        predicted.append(answers[:, 0].astype(np.int64))
        rows.append(used)
    y, decided, units = np.concatenate(truth), np.concatenate(predicted), number_units(pi)
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


WINDOWS = 40  # places at which a running band is computed
LEAST = 20  # cases of a window at least
BAND = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class WinnerFolds:
    """The score of the winner in each fold; NaN where the metric is undefined there.

    Attributes
    ----------
    scores : ndarray of shape (F,)
        One per fold, the folds of a repeat together.
    names : tuple of str
        Their names.
    repeats : ndarray of shape (F,)
        The repeat of each.
    cases, positives : ndarray of shape (F,)
        Cases of each fold, and those of the positive class or with an event; None without classes.
    marked : str
        What those cases are: 'positive', or 'with an event'.
    """

    scores: Floats
    names: tuple[str, ...]
    repeats: NDArray[np.intp]
    cases: NDArray[np.int64]
    positives: NDArray[np.int64] | None
    marked: str = "positive"


@dataclass(frozen=True, eq=False)
class Residuals:
    """The residuals against the predictions; the mean over repeats.

    Attributes
    ----------
    fitted, residuals : ndarray of shape (n,)
        In the order of the fitted value.
    at, mean, low, high : ndarray of shape (W,)
        The running mean and the ends between which nine of ten residuals lie; empty with few cases.
    """

    fitted: Floats
    residuals: Floats
    at: Floats
    mean: Floats
    low: Floats
    high: Floats


def winner_folds(pi: Predictions, metric: Metric, winner: int | str) -> WinnerFolds:
    """Return the score of the winner in every fold, with the size of the fold."""
    pi = pi.usable()
    mine = pi.select(winner)
    scores = fold_scores(mine, metric)[:, 0, 0]
    repeats = fold_repeats(mine)
    target = pi.target
    marked = target.y == 1 if target.task is Task.BINARY else target.event
    names, cases, positives = [], [], []
    for repeat in range(mine.n_repeats):
        for fold in np.flatnonzero(mine.cells[repeat].any(axis=1)):
            held = mine.folds[:, repeat] == fold
            names.append(mine.fold_names[repeat][fold])
            cases.append(int(held.sum()))
            positives.append(0 if marked is None else int(marked[held].sum()))
    return WinnerFolds(
        scores=scores,
        names=tuple(names),
        repeats=repeats,
        cases=np.array(cases),
        positives=None if marked is None else np.array(positives),
        marked="positive" if target.event is None else "with an event",
    )


def residuals(pi: Predictions, winner: int | str) -> Residuals:
    """Return the residuals of the winner in the order of what was predicted, with a running band.

    Around each place the band looks at a tenth of the cases, at least 20.
    """
    if pi.target.task is not Task.REGRESSION:
        raise EvidenceError("there are no residuals", got=f"task {pi.target.task}")
    pi = pi.usable()
    column = pi.configs.index(winner)
    fitted = np.nanmean(pi.responses[:, column, :].astype(np.float64), axis=1)
    order = np.argsort(fitted, kind="stable")
    left = (pi.target.y - fitted)[order]
    return Residuals(fitted[order], left, *running(fitted[order], left))


def running(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return place, mean and the 5 % and 95 % quantiles of windows along a sorted x."""
    n = len(x)
    size = max(LEAST, n // 10)
    if n < 2 * LEAST:
        return (np.empty(0),) * 4
    starts = np.unique(np.linspace(0, n - size, min(WINDOWS, n - size + 1)).round().astype(int))
    windows = [slice(a, a + size) for a in starts]
    ends = np.array([np.quantile(y[w], BAND) for w in windows])
    at, mean = (np.array([v[w].mean() for w in windows]) for v in (x, y))
    return at, mean, ends[:, 0], ends[:, 1]


NAMES = {1: ("all",), 2: ("lower half", "higher half")}
THIRDS = ("lowest third", "middle third", "highest third")


@dataclass(frozen=True, eq=False)
class SurvivalCurve:
    """The share of cases without an event, as a step function.

    Attributes
    ----------
    times : ndarray of shape (m,)
        When events were seen, rising.
    survival, low, high : ndarray of shape (m,)
        The share from each of them on, and the ends of its pointwise interval (Greenwood's
        variance on the scale of log(-log S)); NaN once nobody is left, where it has none.
    observed : ndarray of shape (n,)
        The times of all cases, rising, for the numbers at risk.
    events : int
        How many were seen.
    """

    times: Floats
    survival: Floats
    low: Floats
    high: Floats
    observed: Floats
    events: int

    def at_risk(self, time: float) -> int:
        """Return how many cases are without event and still followed just before a time."""
        return int(len(self.observed) - np.searchsorted(self.observed, time, side="left"))


@dataclass(frozen=True, eq=False)
class RiskGroups:
    """Survival by predicted risk, the lowest risk first; of the winner as searched."""

    names: tuple[str, ...]
    curves: tuple[SurvivalCurve, ...]
    confidence_level: float


def kaplan_meier(
    times: Floats, events: NDArray[np.bool_], *, confidence_level: float = 0.95
) -> SurvivalCurve:
    """Return Kaplan and Meier's estimate of the share without an event.

    At every time of an event the share is multiplied by 1 - events / at risk; a case censored at
    that time is still at risk. The interval of a point S is S to the power of exp(± z s), with s²
    Greenwood's sum of events / (at risk (at risk - events)) divided by (log S)²: it stays between
    0 and 1, and holds for each time by itself, not for the curve as a whole.

    References
    ----------
    Kaplan and Meier (1958), *Nonparametric estimation from incomplete observations*, JASA 53.
    Kalbfleisch and Prentice (2002), *The statistical analysis of failure time data*, section 1.4.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.winner import kaplan_meier
    >>> curve = kaplan_meier(np.array([1.0, 2.0, 2.0, 3.0]), np.array([True, True, False, True]))
    >>> curve.times, curve.survival
    (array([1., 2., 3.]), array([0.75, 0.5 , 0.  ]))
    """
    level = check.check_share("confidence_level", confidence_level)
    when, counts = np.unique(times[events], return_counts=True)
    observed = np.sort(times)
    risk = len(times) - np.searchsorted(observed, when, side="left")
    survival: Floats = np.cumprod(1.0 - counts / risk, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(counts / (risk * (risk - counts)))  # inf where all of them die
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(greenwood) / -np.log(survival)
        ends = [survival ** np.exp(r) for r in (reach, -reach)]
    left = survival > 0.0
    low, high = (np.where(left, end, np.nan) for end in ends)
    return SurvivalCurve(when, survival, low, high, observed, int(events.sum()))


def risk_groups(
    pi: Predictions, winner: int | str, *, confidence_level: float = 0.95
) -> RiskGroups:
    """Return the survival of the cases by thirds of the risk that the winner predicted.

    Risks of different repeats may differ in scale, so the rank of a case is averaged over them.
    Cases of equal risk stay together; where the risks take two values, or one, so many groups are
    left.
    """
    target = pi.target
    if target.task is not Task.SURVIVAL or target.event is None:
        raise EvidenceError("there is no survival to draw", got=f"task {target.task}")
    pi = pi.usable()
    target = pi.target
    assert target.event is not None
    parts = thirds(_rank_risks(pi, pi.configs.index(winner)))
    curves = [
        kaplan_meier(target.y[group], target.event[group], confidence_level=confidence_level)
        for group in parts
    ]
    names = NAMES.get(len(parts), THIRDS)
    return RiskGroups(names, tuple(curves), confidence_level)


def thirds(values: Floats) -> list[NDArray[np.intp]]:
    """Return the positions of the lowest, middle and highest third; equal values stay together."""
    order = np.sort(values)
    cuts = [order[min(round(k * len(values) / 3), len(values) - 1)] for k in (1, 2)]
    codes = np.searchsorted(np.array(cuts), values, side="right")
    return [np.flatnonzero(codes == k) for k in np.unique(codes)]


def _rank_risks(pi: Predictions, column: int) -> Floats:
    """Return the rank of each case's risk, ties at their mean, averaged over repeats."""
    total, seen = np.zeros(pi.n_cases), np.zeros(pi.n_cases)
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        answers = pi.responses[used, column : column + 1, repeat]
        risks = respond(pi, Need.RISK, answers)[:, 0].astype(np.float64)
        _, codes, counts = np.unique(risks, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        total[used] += (last - 0.5 * (counts - 1))[codes] / len(used)
        seen[used] += 1
    return np.asarray(total / np.maximum(seen, 1))
