"""The ROC and the precision-recall curve of a chosen configuration, corrected for the choice.

In every resample a configuration is chosen in-bag and its curve is drawn by the cases left out, as
its score is for the estimate; the curve is their mean. It comes with the winner's own curve on the
cases that chose it, which has the naive area.

With several classes, the curves of each class are drawn by the cases left out. Their mean over the
classes has the area that the metric `roc_auc_ovr` measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.selection import SELECTORS, Pooled, Selector
from earnest.core.data.target import Task
from earnest.core.data.weights import Weights
from earnest.core.results.estimate import Estimate
from earnest.inference.resampling.ensembles import count_partitions, cross_fit, read_rule
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.inference.resampling.winners import choose_winners, keep_judges
from earnest.kernels.score import score_selected
from earnest.metrics.families import Metric, RankMetric, one_view
from earnest.resampling.bootstrap import RESAMPLERS

Floats = NDArray[np.float64]
Selected = Callable[[NDArray[np.intp], NDArray[np.uint8], NDArray[np.uint8]], Floats]
CELLS = 1 << 21  # weights of cases that curves are made from at a time
POOLED = Pooled()
MOST = 2000  # resamples that a curve is the mean of: the first of those of the estimate
WORK = 1 << 24  # cases times resamples, from which on fewer resamples are enough
LEAST = 200
SAME = 1e-9  # by which rounding may move a score


@dataclass(frozen=True, eq=False)
class MeanCurve:
    """The mean curve over resamples, with a pointwise band, and the winner's own curve.

    Attributes
    ----------
    x : ndarray of shape (G,)
        The common grid: false positive rates, or recalls.
    mean, low, high : ndarray of shape (G,)
        The vertical mean, and the ends of the band at each point for itself.
    area : float
        The BBC estimate of the ROC AUC or of the average precision where that was estimated, else
        the mean of the areas.
    area_limits : tuple of float
        The ends of its interval, of the same order statistics as the band.
    own : ndarray of shape (G,)
        The winner's own curve, not corrected; the mean over repeats.
    own_area : float
        Its area, the naive one.
    chance : float
        Where a model without information lies: .5 under the ROC curve, the prevalence.
    confidence_level : float
        That of the band.
    n_resamples : int
        Resamples with a defined curve.
    several : bool
        Whether there was anything to choose from; otherwise both curves are those of one
        configuration.
    """

    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    area: float
    area_limits: tuple[float, float]
    own: Floats
    own_area: float
    chance: float
    confidence_level: float
    n_resamples: int
    several: bool = True


@dataclass(frozen=True, eq=False)
class Curves:
    """Both curves of one choice."""

    roc: MeanCurve
    precision_recall: MeanCurve


@dataclass(frozen=True)
class ResampledSelection(ResamplingKnobs):
    """How an estimate drew its resamples and chose in them, so that it can be done again.

    Attributes
    ----------
    seeds, n_resamples, resampler, undefined
        What the resamples depend on; `resampler` None chooses as the method does.
    selector : Selector
        Who wins.
    draws : ndarray of shape (B,) or None
        The scores that come out if it is done just so; None where they were not kept.
    metric : str or None
        The metric of the estimate.
    value : float or None
        The estimate, which an area under a curve of its own metric is given as: the mean of
        out-of-bag areas still depends on the size of the part left out.
    """

    seeds: Seeds
    selector: Selector = POOLED
    draws: Floats | None = field(default=None, repr=False, compare=False)
    metric: str | None = None
    value: float | None = None

    @classmethod
    def of(cls, estimate: Estimate) -> ResampledSelection:
        """Read it from an estimate; of a method that does not choose in-bag, the seed alone.

        A selector of the user's own is not known by its name. Then the pooled one chooses, and
        where it chooses otherwise the draws tell.
        """
        seeds, knobs = Seeds(estimate.provenance.seed or 0), estimate.provenance.knobs
        if estimate.method != "bbc":
            return cls(seeds)
        if not isinstance(knobs.get("n_resamples"), int) or "undefined" not in knobs:
            raise EvidenceError(
                "the estimate does not say how its resamples were drawn",
                needs="the knobs 'n_resamples' and 'undefined' of method 'bbc'",
                got=check.some(knobs) or "none",
            )
        selector, resampler = (str(knobs.get(key)) for key in ("selector", "resampler"))
        registered = resampler in RESAMPLERS, selector in SELECTORS
        return cls(
            seeds=seeds,
            n_resamples=int(knobs["n_resamples"]),
            resampler=RESAMPLERS[resampler] if registered[0] else None,
            undefined=str(knobs["undefined"]),
            selector=SELECTORS[selector] if registered[1] else POOLED,
            draws=estimate.draws,
            metric=estimate.metric,
            value=estimate.value,
        )

    def area(self, kernel: str, metric: Metric, mean: float, resamples: int) -> float:
        """Return the area under a curve: the estimate's where it is one, else the mean of areas.

        Which area a metric is, its kernel tells, whatever the metric is called.
        """
        if self.value is None or metric.name != self.metric or resamples != self.n_resamples:
            return mean
        if isinstance(metric, RankMetric) and metric.combine is one_view:
            return self.value if metric.kernel == kernel else mean
        return mean

    def refuse_others(self, draws: Floats) -> None:
        """Refuse scores that are not those of the estimate: the curve would have another area."""
        if self.draws is None or np.allclose(
            draws, self.draws[: len(draws)], rtol=0.0, atol=SAME, equal_nan=True
        ):
            return
        raise EvidenceError(
            "the resamples of this estimate cannot be drawn again",
            needs="the predictions and the metric of the estimate, and a selector and a "
            "resampler known by name",
        )


def cross_fit_ensemble(estimate: Estimate, pi: Predictions, metric: Metric) -> Predictions | None:
    """Return what the ensemble of an estimate predicts for cases that did not choose it.

    None for a rule of the user's own, which is not known by its name, and where the cases outside
    of some part choose none.
    """
    selection = ResampledSelection.of(estimate)
    rule = read_rule(str(estimate.provenance.knobs.get("selector")))
    if rule is None:
        return None
    count = count_partitions(selection.n_resamples)
    return cross_fit(pi, metric, rule, selection.seeds, n_partitions=count)


def no_curves(pi: Predictions) -> str | None:
    """Return why predictions have no ROC curve, in words; None where they have."""
    if pi.target.weights is not None:
        return "ROC curves do not take case weights into account."
    if pi.target.task is Task.BINARY:
        return None
    if pi.target.task is Task.MULTICLASS:
        return "A ROC curve needs two classes; there are more."
    return "A ROC curve needs classes; the outcome has none."


def mean_curves(
    pi: Predictions,
    metric: Metric,
    winner: int | str,
    selection: ResampledSelection,
    *,
    beside: Predictions | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
) -> Curves:
    """Return the curves of the configuration chosen in-bag, on the cases left out.

    **What is estimated.** The mean curve of a configuration chosen by this rule, by models trained
    on the training part of the folds: the curve that belongs to the BBC estimate. On the same
    resamples its area is that estimate, if the metric is the ROC AUC. Curves are averaged
    vertically, at equal false positive rate or recall (Fawcett 2006, algorithm 3); with repeats
    the curve of each is drawn and averaged, and scores of different repeats are never pooled.

    **When it fails.** With few cases of a class the single curves are coarse stairs, and the mean
    is smoother than any of them. The band holds for each point by itself: one in twenty may lie
    outside by chance.

    Parameters
    ----------
    pi : Predictions
        Of a binary task.
    metric : Metric
        What the winners are chosen by.
    winner : int or str
        The configuration chosen on all cases, for its own curve.
    selection : ResampledSelection
        The resamples and the rule, see `ResampledSelection.of`.
    beside : Predictions, optional
        Whose first configuration has the curve that is not corrected, where that is not the
        winner's: an ensemble as it was chosen on all cases.
    confidence_level : float
        That of the pointwise band.

    References
    ----------
    Fawcett (2006), *An introduction to ROC analysis*, Pattern Recognition Letters 27.
    """
    reason = no_curves(pi)
    if reason is not None:
        raise EvidenceError("there is no curve to draw", got=reason)
    level, pi = check.check_share("confidence_level", confidence_level), pi.usable()
    table = draw_scores(
        pi,
        metric,
        replace(selection, n_resamples=enough(pi.n_cases, selection.n_resamples)),
        lambda best, _, outside: _score_selected(pi, best, outside),
        columns=max(pi.n_configs, 2 * len(GRID)),
        n_jobs=n_jobs,
    )
    source, column = (pi, pi.configs.index(winner)) if beside is None else (beside, 0)
    winner_points = _compute_curves(source, column, np.ones((1, pi.n_cases), dtype=np.uint8))
    parts = np.split(table[:, 2:], [1, 2, 2 + len(GRID)], axis=1)
    prevalence = float(np.mean(pi.target.y == 1))
    several = pi.n_configs > 1 or beside is not None

    def make(kernel: str, which: int, mine: tuple[Floats, float], chance: float) -> MeanCurve:
        areas, curves = parts[which][:, 0], parts[2 + which]
        curve = mean_curve(areas, curves, mine, chance, level, several=several)
        return replace(curve, area=selection.area(kernel, metric, curve.area, len(table)))

    return Curves(
        make("roc_auc", 0, (winner_points.roc[0], float(winner_points.auc[0])), 0.5),
        make(
            "average_precision",
            1,
            (winner_points.precision[0], float(winner_points.ap[0])),
            prevalence,
        ),
    )


def draw_scores(
    pi: Predictions,
    metric: Metric,
    how: ResampledSelection,
    selected: Selected,
    *,
    columns: int,
    n_jobs: int | None = None,
) -> Floats:
    """Return score, winner, and what is asked of that winner, of every resample: (B, 2 + k).

    Score and winner are those of the estimate, so what is undefined is drawn again just so, and
    scores that are not those of the estimate are refused.

    Parameters
    ----------
    selected : callable
        From winners (B,), in-bag and out-of-bag weights (B, n) to numbers (B, k).
    columns : int
        How many numbers are held for a resample at a time.
    """

    def statistic(inbag: Weights) -> Floats:
        best = choose_winners(pi, metric, inbag, how.selector, n_jobs=n_jobs)
        outside = keep_judges(pi, inbag.out_of_bag(), best)
        draws = score_selected(pi, metric, outside, best, n_jobs=n_jobs)
        return np.column_stack([draws, best, selected(best, inbag.values, outside.values)])

    table = how.resample(
        statistic,
        pi.target,
        metric,
        how.seeds,
        left_out=True,
        columns=columns,
        n_jobs=n_jobs,
    )
    how.refuse_others(table[:, 0])
    return table


def enough(n_cases: int, n_resamples: int) -> int:
    """Return how many resamples a curve is the mean of: fewer where there are many cases."""
    return min(n_resamples, MOST, max(LEAST, WORK // max(n_cases, 1)))


def _score_selected(pi: Predictions, best: NDArray[np.intp], outside: NDArray[np.uint8]) -> Floats:
    """Return areas and curves (B, 2 + 2 G) of one configuration per resample."""
    out = np.full((len(best), 2 + 2 * len(GRID)), np.nan)
    for config in np.unique(best[best >= 0]):
        for rows in chunks(np.flatnonzero(best == config), pi.n_cases):
            points = _compute_curves(pi, int(config), outside[rows])
            out[rows] = np.column_stack([points.auc, points.ap, points.roc, points.precision])
    return out


def chunks(rows: NDArray[np.intp], n_cases: int) -> Iterator[NDArray[np.intp]]:
    """Yield rows in parts of which the weights can be held."""
    step = max(1, CELLS // max(n_cases, 1))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def _compute_curves(pi: Predictions, config: int, weights: NDArray[np.uint8]) -> CurvePoints:
    """Return the curves of one configuration, each the mean over the repeats."""
    points = []
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        scores = pi.responses[used, config, repeat].astype(np.float64)
        positive = pi.target.y[used] == 1
        points.append(curve_points(positive, scores, weights[:, used]))
    return points[0] if len(points) == 1 else CurvePoints.mean(points)


def mean_curve(
    areas: Floats,
    curves: Floats,
    winner_curve: tuple[Floats, float],
    chance: float,
    level: float,
    *,
    several: bool,
) -> MeanCurve:
    """Return the mean of areas (B,) and curves (B, G), with the winner's own curve and area."""
    defined = ~np.isnan(areas)
    ordered = np.sort(curves[defined], axis=0)  # (B', G), each point for itself
    if len(ordered) == 0:
        raise EvidenceError(
            "no resample leaves out cases of both classes",
            needs="cases of both classes in at least one resample",
        )
    tail = min(int(0.5 * (1.0 - level) * len(ordered) + 1e-9), (len(ordered) - 1) // 2)
    sizes = np.sort(areas[defined])
    return MeanCurve(
        x=GRID,
        mean=ordered.mean(axis=0),
        low=ordered[tail],
        high=ordered[len(ordered) - 1 - tail],
        area=float(areas[defined].mean()),
        area_limits=(float(sizes[tail]), float(sizes[len(sizes) - 1 - tail])),
        own=winner_curve[0],
        own_area=winner_curve[1],
        chance=chance,
        confidence_level=level,
        n_resamples=len(ordered),
        several=several,
    )


GRID: Floats = np.linspace(0.0, 1.0, 201)
GRID.flags.writeable = False
NUDGE = 1e-12  # by which a recall may miss a point of the grid through rounding


@dataclass(frozen=True, eq=False)
class CurvePoints:
    """Curves (B, G) on `GRID` with their exact areas (B,); NaN where a class has no weight.

    Attributes
    ----------
    auc, ap : ndarray of shape (B,)
        The area under the ROC curve, and the average precision.
    roc : ndarray of shape (B, G)
        The true positive rate at each false positive rate, the highest where it jumps.
    precision : ndarray of shape (B, G)
        The precision at each recall: that of the first threshold that reaches it.
    """

    auc: Floats
    ap: Floats
    roc: Floats
    precision: Floats

    @classmethod
    def mean(cls, parts: Sequence[CurvePoints]) -> CurvePoints:
        """Return the mean of several, undefined where one of them is."""
        return cls(
            *(np.mean([getattr(p, field.name) for p in parts], axis=0) for field in fields(cls))
        )


def curve_points(
    positive: NDArray[np.bool_], scores: Floats, weights: NDArray[np.uint8]
) -> CurvePoints:
    """Return both curves of a score (n,) under weights (B, n).

    Cases of equal score pass a threshold together: a slanted step of the ROC curve. The average
    precision is the sum of the gains in recall times the precision reached, without interpolation.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.inference.curves.corrected import curve_points
    >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    >>> points = curve_points(positive, scores, np.ones((1, 4), dtype=np.uint8))
    >>> points.auc[0], round(points.ap[0], 4), points.roc[0, [0, 100]]
    (np.float64(0.75), np.float64(0.8333), array([0.5, 1. ]))
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # last of every tied group
    counts, mine = weights[:, order].astype(np.float64), positive[order]
    hits = np.cumsum(counts * mine, axis=1)[:, ends]
    alarms = np.cumsum(counts * ~mine, axis=1)[:, ends]
    shape = (len(weights), len(GRID))
    out = CurvePoints(*(np.full(s, np.nan) for s in (shape[0], shape[0], shape, shape)))
    for b in np.flatnonzero((hits[:, -1] > 0) & (alarms[:, -1] > 0)):
        _fill(out, int(b), hits[b], alarms[b])
    return out


def roc_points(
    positive: NDArray[np.bool_], scores: Floats, weights: NDArray[np.uint8]
) -> tuple[Floats, Floats]:
    """Return the areas (B,) and the ROC curves (B, G) of a score alone, as `curve_points` does.

    Where no two scores are equal, sums of whole numbers over all resamples at a time are enough: a
    small part of the time, which counts where there is a curve for every class.
    """
    if len(np.unique(scores)) < len(scores):
        points = curve_points(positive, scores, weights)
        return points.auc, points.roc
    order = np.argsort(-scores, kind="stable")
    mine = positive[order]
    counts = weights[:, order]
    positives = counts[:, mine]
    alarms = _accumulate(counts[:, ~mine])[:, np.cumsum(~mine)[mine]]  # before each positive
    hits = _accumulate(positives)
    n_mine, n_rest = hits[:, -1], counts.sum(axis=1, dtype=np.int64) - hits[:, -1]
    defined = (n_mine > 0) & (n_rest > 0)
    pairs = np.einsum("bp,bp->b", positives.astype(np.int64), n_rest[:, None] - alarms)
    area = np.where(defined, pairs / np.maximum(n_mine * n_rest, 1), np.nan)
    curve = np.full((len(weights), len(GRID)), np.nan)
    for b in np.flatnonzero(defined):
        passed = np.searchsorted(alarms[b], (GRID + NUDGE) * n_rest[b], side="right")
        curve[b] = hits[b, passed] / n_mine[b]
    return area, curve


def _accumulate(counts: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return running sums of rows, from nothing on."""
    out = np.zeros((len(counts), counts.shape[1] + 1), dtype=np.int64)
    np.cumsum(counts, axis=1, dtype=np.int64, out=out[:, 1:])
    return out


def _fill(out: CurvePoints, b: int, hits: Floats, alarms: Floats) -> None:
    recall, false = hits / hits[-1], alarms / alarms[-1]
    precision = hits / np.maximum(hits + alarms, 1e-300)
    gains = np.diff(recall, prepend=0.0)
    out.ap[b] = gains @ precision
    xs, ys = np.append(0.0, false), np.append(0.0, recall)
    out.auc[b] = np.diff(xs) @ (0.5 * (ys[1:] + ys[:-1]))
    out.roc[b] = _interpolate_highest(xs, ys)
    reached = np.searchsorted(recall, np.maximum(GRID, 2 * NUDGE) - NUDGE)
    out.precision[b] = precision[np.minimum(reached, len(recall) - 1)]


def _interpolate_highest(xs: Floats, ys: Floats) -> Floats:
    """Return the line through points of rising x and y on the grid, the highest at a jump."""
    left = np.searchsorted(xs, GRID + NUDGE, side="right") - 1
    right = np.minimum(left + 1, len(xs) - 1)
    width = xs[right] - xs[left]
    share = np.where(width > 0, (GRID - xs[left]) / np.where(width > 0, width, 1.0), 0.0)
    return np.asarray(ys[left] + np.clip(share, 0.0, 1.0) * (ys[right] - ys[left]))


MOST_CLASSES = 30  # classes; beyond, a page could not show them
WIDTH = 1 + len(GRID)  # numbers that are kept of a class


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """The ROC curve of each class against the rest, and their mean.

    Attributes
    ----------
    names : tuple of str
        The classes, in their order.
    cases : tuple of int
        How many cases each has.
    classes : tuple of MeanCurve
        One per class.
    mean : MeanCurve
        The mean of them all, each class counted alike; its area is that of `roc_auc_ovr`.
    """

    names: tuple[str, ...]
    cases: tuple[int, ...]
    classes: tuple[MeanCurve, ...]
    mean: MeanCurve

    @property
    def by_area(self) -> list[int]:
        """The classes from the smallest corrected area to the largest."""
        return sorted(range(len(self.names)), key=lambda k: self.classes[k].area)


def no_class_curves(pi: Predictions) -> str | None:
    """Return why predictions have no ROC curves by class, in words; None where they have."""
    if pi.target.task is not Task.MULTICLASS:
        return "ROC curves by class need several classes."
    if pi.target.weights is not None:
        return "ROC curves do not take case weights into account."
    if pi.kind is ResponseKind.LABEL:
        return "The predictions are labels, not scores, so there is no ROC curve."
    if len(pi.target.classes) > MOST_CLASSES:
        return f"ROC curves by class are shown for up to {MOST_CLASSES} classes."
    return None


def class_curves(
    pi: Predictions,
    metric: Metric,
    winner: int | str,
    selection: ResampledSelection,
    *,
    beside: Predictions | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
) -> ClassCurves:
    """Return the ROC curve of each class against the rest, of the configuration chosen in-bag.

    **What is estimated.** As by `mean_curves`, the mean curve of a configuration chosen by this
    rule; cases are ordered by their score for the class. On the same resamples the mean over the
    classes has the area of the estimate, if the metric is `roc_auc_ovr`.

    **When it fails.** A resample that leaves out no case of a class has no curve of it, and is left
    out of the mean over the classes too. The bands hold for each point and each class by itself.

    Parameters
    ----------
    pi : Predictions
        Of a task with several classes, with a score for each.
    metric : Metric
        What the winners are chosen by.
    winner : int or str
        The configuration chosen on all cases, for its own curves.
    selection : ResampledSelection
        The resamples and the rule, see `ResampledSelection.of`.
    beside : Predictions, optional
        Whose first configuration has the curves that are not corrected, as for `mean_curves`.
    confidence_level : float
        That of the pointwise bands.

    References
    ----------
    Fawcett (2006), *An introduction to ROC analysis*, Pattern Recognition Letters 27, section 9.
    """
    reason = no_class_curves(pi)
    if reason is not None:
        raise EvidenceError("there are no curves to draw", got=reason)
    level, pi = check.check_share("confidence_level", confidence_level), pi.usable()
    count = len(pi.target.classes)
    table = draw_scores(
        pi,
        metric,
        replace(selection, n_resamples=enough(count * pi.n_cases, selection.n_resamples)),
        lambda best, _, outside: _score_selected_classes(pi, best, outside),
        columns=max(pi.n_configs, count * WIDTH),
        n_jobs=n_jobs,
    )
    parts = table[:, 2:].reshape(len(table), count, WIDTH)  # (B, K, 1 + G)
    everyone = np.ones((1, pi.n_cases), dtype=np.uint8)
    source, column = (pi, pi.configs.index(winner)) if beside is None else (beside, 0)
    winner_points = _compute_class_curves(source, column, everyone)[0]  # (K, 1 + G)
    several = pi.n_configs > 1 or beside is not None

    def summarise(drawn: Floats, mine: Floats) -> MeanCurve:
        beside = (mine[1:], float(mine[0]))
        return mean_curve(drawn[:, 0], drawn[:, 1:], beside, 0.5, level, several=several)

    return ClassCurves(
        names=tuple(str(label) for label in pi.target.classes),
        cases=tuple(int((pi.target.y == k).sum()) for k in range(count)),
        classes=tuple(summarise(parts[:, k], winner_points[k]) for k in range(count)),
        mean=summarise(parts.mean(axis=1), winner_points.mean(axis=0)),
    )


def _score_selected_classes(
    pi: Predictions, best: NDArray[np.intp], outside: NDArray[np.uint8]
) -> Floats:
    """Return areas and curves (B, K (1 + G)) of one configuration per resample."""
    out = np.full((len(best), len(pi.target.classes), WIDTH), np.nan)
    for config in np.unique(best[best >= 0]):
        for rows in chunks(np.flatnonzero(best == config), pi.n_cases):
            out[rows] = _compute_class_curves(pi, int(config), outside[rows])
    return out.reshape(len(best), -1)


def _compute_class_curves(pi: Predictions, config: int, weights: NDArray[np.uint8]) -> Floats:
    """Return area and curve of every class of one configuration: (B, K, 1 + G)."""
    points = [_compute_class_curve(pi, config, k, weights) for k in range(len(pi.target.classes))]
    return np.stack(points, axis=1)


def _compute_class_curve(
    pi: Predictions, config: int, k: int, weights: NDArray[np.uint8]
) -> Floats:
    """Return area and curve of one class against the rest (B, 1 + G), the mean over the repeats."""
    points = []
    for repeat in range(pi.n_repeats):
        used = np.flatnonzero(pi.tested(repeat))
        scores = pi.responses[used, config, repeat, k].astype(np.float64)
        points.append(roc_points(pi.target.y[used] == k, scores, weights[:, used]))
    return np.asarray(np.mean([np.column_stack(each) for each in points], axis=0))
