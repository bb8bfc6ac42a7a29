"""Figures on the predictions themselves: curves, calibration, folds, decisions, residuals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from earnest.core.base.errors import EarnestError
from earnest.core.data.predictions import Predictions
from earnest.core.data.responses import ResponseKind
from earnest.core.data.target import Task
from earnest.core.results.calibration import CaseShare
from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import AgainstChance, Side
from earnest.core.text.calibration import tell, tell_scope, write_finding
from earnest.core.text.estimate import places_of
from earnest.core.text.numbers import percent, write_count
from earnest.inference.curves import winner as own
from earnest.inference.curves.at_times import calibrate_at_times, choose_panels
from earnest.inference.curves.calibration import no_calibration
from earnest.inference.curves.corrected import (
    ClassCurves,
    MeanCurve,
    class_curves,
    mean_curves,
    no_class_curves,
)
from earnest.metrics.families import Metric, RankMetric
from earnest.plotting.svg import curves as svg_curves
from earnest.plotting.svg import outcomes as svg_outcomes
from earnest.plotting.svg.canvas import Figure, label_tick
from earnest.reporting.model import ConfusionMatrix, ConfusionRow, CurvesPart, Panel
from earnest.reporting.parts.headings import (
    ALONE_TAG,
    BY_CLASS,
    CORRECTED_TAG,
    DECISIONS,
    RESIDUALS,
    SURVIVAL,
    UNCORRECTED_TAG,
    curves_heading,
    join_findings,
)
from earnest.reporting.sources.asking import Results
from earnest.reporting.sources.subject import FigureSubject

# ROC curves of several classes: their mean, the lowest and the highest, and all areas.


def class_panels(class_curves: ClassCurves, estimate: Estimate, metric: Metric) -> Iterator[Panel]:
    """Yield the mean curve, and those of the classes that are told apart least and best."""
    order, places = class_curves.by_area, _count_places(estimate, metric)
    count = len(class_curves.names)
    heading = f"ROC, mean of {count} classes"
    yield _class_square(
        class_curves.mean, estimate, heading, "Each class has the same weight.", 0, places
    )
    picked = [(order[0], "smallest"), (order[-1], "largest")]
    for number, (k, which) in enumerate(picked, start=1):
        words = f"The {which} area of the {count}."
        heading = f"ROC, {class_curves.names[k]} against the rest"
        yield _class_square(class_curves.classes[k], estimate, heading, words, number, places)


def areas_panel(class_curves: ClassCurves, estimate: Estimate, metric: Metric) -> Panel:
    """Return the areas of all classes, the smallest first."""
    places = _count_places(estimate, metric)
    return Panel(
        heading="Each class against the rest",
        text="Area under the ROC curve; the number of cases of a class in brackets.",
        tag=_tag(estimate),
        figure=svg_curves.class_areas(class_curves, name="classes", width=WIDE, places=places),
        phone=svg_curves.class_areas(
            class_curves, name="classes-phone", width=PHONE, places=places
        ),
        note="Dot and line: corrected, with its interval. Diamond: the winner, not corrected."
        if estimate.n_configs > 1
        else "",
        data={
            "names": class_curves.names,
            "cases": class_curves.cases,
            "classes": class_curves.classes,
        },
    )


def _class_square(
    curve: MeanCurve, estimate: Estimate, heading: str, words: str, number: int, places: int
) -> Panel:
    figure = svg_curves.roc(curve, name=f"roc-{number}", width=SQUARE, places=places)
    return Panel(
        heading=heading, text=words, tag=_tag(estimate), figure=figure, data={"curve": curve}
    )


def _tag(estimate: Estimate) -> str:
    return ALONE_TAG if estimate.n_configs == 1 else CORRECTED_TAG


def _count_places(estimate: Estimate, metric: Metric) -> int:
    """Return the decimals of areas under curves: those of the estimate where it is such an area."""
    return max(places_of([estimate]), 0) if _is_area(metric) else 3


def _is_area(metric: Metric) -> bool:
    """Tell whether a metric is an area under a ROC or a precision-recall curve, by its kernel."""
    return isinstance(metric, RankMetric) and (metric.area or metric.kernel == PRECISION_RECALL)


SQUARE, WIDE, PHONE = 350, 500, 350  # pixels
MOST_CLASSES = 12
PRECISION_RECALL = "average_precision"  # the kernel of the area under that curve
LEDE = {
    Task.BINARY: "Curves of the corrected estimate: in each resample, the configuration chosen "
    "on it is scored on the cases left out. The winner's uncorrected curves are "
    "shown for comparison.",
    Task.MULTICLASS: "ROC curves of each class against the rest, for the corrected estimate: in "
    "each resample, the configuration chosen on it is scored on the cases left "
    "out. The decisions are those of the winner in the search.",
    Task.REGRESSION: "The predictions of the winner in the search.",
    Task.SURVIVAL: "What the winner in the search predicted.",
    Task.SCORES: "The scores of the winner, fold by fold.",
}
OF_ENSEMBLE = (
    "The ensemble on cases that did not choose it: each small part of the cases is predicted by an "
    "ensemble chosen on all others. Uncorrected curves are those of the ensemble on all cases."
)
NO_CURVES = "The decisions of the winner in the search."
NOTE = "Bands and bars are {level}, pointwise: {share} of the points may lie outside by chance."
BANDS = (
    "Bands: {level}, at each time by itself (Greenwood’s variance, log-log); they end where nobody "
    "is left."
)
KAPLAN_MEIER = "Kaplan-Meier by predicted risk"
COUNTS_NOTE = "The intervals of the shares found are {level}, each on its own."


def curves_of(results: Results) -> CurvesPart | None:
    """Return the figures that the task allows, None without predictions of a winner."""
    shown = results.subject
    if shown is None:
        return None
    pi, estimate, metric = shown.pi, shown.estimate, results.material.metric
    assert metric is not None
    level = 0.95 if estimate.interval is None else estimate.interval.confidence_level
    left_out: list[str] = []
    classes = _classes(results, shown, level, left_out)
    square = list(_square(results, shown, level, left_out))
    wide = list(_wide(results, shown, level))
    if classes is not None:
        square = list(class_panels(classes, estimate, metric))
        wide = [areas_panel(classes, estimate, metric), *wide]
    square += _calibration(results, shown, left_out)
    square += _calibration_at_times(results, shown, level)
    confusion = _confusion(pi, estimate, level)
    if len(pi.target.classes) > MOST_CLASSES:
        left_out.append(f"A table of decisions is shown for up to {MOST_CLASSES} classes.")
    if not square and not wide and confusion is None:
        return None
    return CurvesPart(
        heading=_heading(results, shown),
        lede=_lede(pi, estimate, square),
        note=_note(square, confusion, level),
        square=tuple(square),
        wide=tuple(wide),
        confusion=confusion,
        left_out=tuple(left_out),
    )


def _lede(pi: Predictions, estimate: Estimate, square: list[Panel]) -> str:
    if estimate.n_configs == 1:
        return "Each figure shows the one configuration."
    if estimate.ensemble is not None:
        return OF_ENSEMBLE
    if pi.target.task is Task.MULTICLASS and not square:
        return NO_CURVES
    return LEDE[pi.target.task]


def _note(square: list[Panel], confusion: ConfusionMatrix | None, level: float) -> str:
    """Return how to read the bands that are drawn, nothing where there are none."""
    if square:
        return NOTE.format(level=percent(level), share=percent(round(1.0 - level, 10)))
    return "" if confusion is None else COUNTS_NOTE.format(level=percent(level))


def _heading(results: Results, shown: FigureSubject) -> str:
    pi, estimate, metric = shown.pi, shown.estimate, results.material.metric
    finding = None if results.calibration is None else write_finding(results.calibration)
    if pi.target.task is Task.REGRESSION:
        return RESIDUALS
    if pi.target.task is Task.SURVIVAL:
        return SURVIVAL
    if pi.target.task is Task.MULTICLASS:
        title = BY_CLASS if no_class_curves(pi) is None else DECISIONS
        return join_findings(title, finding)
    ranks = None
    interval = estimate.interval
    ordered = isinstance(metric, RankMetric) and metric.area
    if ordered and interval is not None and interval.side != Side.UPPER and estimate.honest:
        ranks = estimate.against_chance is AgainstChance.BETTER
    return curves_heading(ranks, finding)


def _classes(
    results: Results, shown: FigureSubject, level: float, left_out: list[str]
) -> ClassCurves | None:
    """Return the ROC curves by class, None for other tasks and where there are none."""
    pi, estimate = shown.pi, shown.estimate
    if pi.target.task is not Task.MULTICLASS:
        return None
    why = no_class_curves(pi)
    if why is not None:
        left_out.append(why)
        return None
    assert results.material.metric is not None
    try:
        return class_curves(
            pi,
            results.material.metric,
            estimate.winner or 0,
            shown.selection,
            beside=shown.beside,
            confidence_level=level,
        )
    except EarnestError as error:
        left_out.append(f"The curves are not shown: {error}")
        return None


def _square(
    results: Results, shown: FigureSubject, level: float, left_out: list[str]
) -> Iterator[Panel]:
    pi, estimate, metric = shown.pi, shown.estimate, results.material.metric
    assert metric is not None
    assert estimate.winner is not None
    if pi.target.task is Task.BINARY:
        try:
            both = mean_curves(
                pi,
                metric,
                estimate.winner,
                shown.selection,
                beside=shown.beside,
                confidence_level=level,
            )
        except EarnestError as error:
            left_out.append(f"The curves are not shown: {error}")
        else:
            places = _count_places(estimate, metric)
            tag = ALONE_TAG if estimate.n_configs == 1 else CORRECTED_TAG
            yield Panel(
                heading="ROC",
                tag=tag,
                figure=svg_curves.roc(both.roc, name="roc", width=SQUARE, places=places),
                data={"curve": both.roc},
            )
            yield Panel(
                heading="Precision and recall",
                tag=tag,
                figure=svg_curves.precision_recall(
                    both.precision_recall, name="pr", width=SQUARE, places=places
                ),
                data={"curve": both.precision_recall},
            )


def _calibration(results: Results, shown: FigureSubject, left_out: list[str]) -> Iterator[Panel]:
    """Yield what became of the probabilities, of several classes the one that is off most."""
    pi, estimate, judged = shown.pi, shown.estimate, results.calibration
    if judged is None:
        why = no_calibration(pi)
        if why is not None and pi.target.has_classes:
            left_out.append(why)
        return
    each, alone = judged.shown, estimate.n_configs == 1
    figure = svg_curves.calibration(each, name="calibration", width=SQUARE, alone=alone)
    several = len(judged.classes) > 1
    yield _raw(
        estimate,
        f"Calibration, {each.label} against the rest" if several else "Calibration",
        figure,
        note=f"{tell(judged)} {tell_scope(judged)}",
        data={"calibration": each.curve},
    )


def _calibration_at_times(results: Results, shown: FigureSubject, level: float) -> Iterator[Panel]:
    """Yield predicted and observed risks at times, where survival was predicted."""
    pi, estimate, metric = shown.once, shown.estimate, results.material.metric
    if pi.kind is not ResponseKind.SURVIVAL or estimate.winner is None:
        return
    if pi.target.weights is not None:
        return
    times = choose_panels(pi, metric)
    alone = estimate.n_configs == 1
    judged = calibrate_at_times(pi, estimate.winner, times, confidence_level=level)
    for number, at in enumerate(judged):
        name = f"calibration-at-{number}"
        share = "" if math.isnan(at.ratio) else f" Expected / observed: {at.ratio:.2f}."
        yield _raw(
            estimate,
            f"Calibration at time {label_tick(at.time)}",
            svg_outcomes.calibration_at(at, name=name, width=SQUARE, alone=alone),
            note=f"Groups of equally many cases by predicted risk.{share}",
            data={"calibration": at},
        )


def _raw(
    estimate: Estimate,
    heading: str,
    figure: Figure,
    phone: Figure | None = None,
    note: str = "",
    data: Mapping[str, Any] | None = None,
) -> Panel:
    return Panel(
        heading=heading,
        tag=_tag_raw(estimate),
        corrected=_tag_raw(estimate) != UNCORRECTED_TAG,
        figure=figure,
        phone=phone,
        note=note,
        data=data or {},
    )


def _tag_raw(estimate: Estimate) -> str:
    """Return whose predictions a figure shows: those of an ensemble are of cases left out."""
    if estimate.n_configs == 1:
        return ALONE_TAG
    return UNCORRECTED_TAG if estimate.ensemble is None else CORRECTED_TAG


def _wide(results: Results, shown: FigureSubject, level: float) -> Iterator[Panel]:
    pi, estimate, metric = shown.once, shown.estimate, results.material.metric
    winner = estimate.winner
    assert metric is not None
    assert winner is not None
    if pi.target.task is Task.REGRESSION and pi.target.weights is None:
        left, alone = own.residuals(pi, winner), estimate.n_configs == 1
        yield _raw(
            estimate,
            "Residuals on predicted values",
            svg_outcomes.residuals(left, name="residuals", width=WIDE, alone=alone),
            svg_outcomes.residuals(left, name="residuals-phone", width=PHONE, alone=alone),
            "Line: running mean. Band: nine of ten residuals.",
            {"residuals": left},
        )
    if pi.target.task is Task.SURVIVAL and pi.target.weights is None:
        groups = own.risk_groups(pi, winner, confidence_level=level)
        yield _raw(
            estimate,
            KAPLAN_MEIER,
            svg_outcomes.kaplan_meier(groups, name="km", width=WIDE),
            svg_outcomes.kaplan_meier(groups, name="km-phone", width=PHONE),
            BANDS.format(level=percent(level)),
            {"groups": groups},
        )
    if estimate.provenance.n_folds > 1:
        scores = own.winner_folds(pi, metric, winner)
        yield _raw(
            estimate,
            "Score in each fold",
            svg_outcomes.folds(scores, name="folds", estimate=estimate, width=WIDE),
            svg_outcomes.folds(scores, name="folds-phone", estimate=estimate, width=PHONE),
            "The spread of folds is not the interval: folds share training cases.",
            {"folds": scores},
        )


def _confusion(pi: Predictions, estimate: Estimate, level: float) -> ConfusionMatrix | None:
    if not pi.target.has_classes or len(pi.target.classes) > MOST_CLASSES:
        return None
    if pi.target.weights is not None:
        return None
    matrix = own.confusion(pi, estimate.winner or 0, confidence_level=level)
    heading = "Decisions"
    if matrix.threshold is not None:
        heading = f"Decisions at a threshold of {matrix.threshold:.2f}"
    return ConfusionMatrix(
        heading=heading,
        predicted=matrix.labels,
        rows=tuple(
            ConfusionRow(
                label=f"{label} ({write_count(round(matrix.counts[i].sum()), 'case')})",
                counts=tuple(round(count) for count in matrix.counts[i]),
                right=i,
                share="–" if share is None else f"{percent(round(share.value, 2))} found",
                interval="" if share is None else _span(share),
                found=share,
            )
            for i, (label, share) in enumerate(zip(matrix.labels, matrix.recall, strict=True))
        ),
        note=_threshold_note(matrix, pi.n_repeats),
        tag=_tag_raw(estimate),
        corrected=_tag_raw(estimate) != UNCORRECTED_TAG,
    )


def _span(share: CaseShare) -> str:
    low, high = (f"{100 * end:.0f}" for end in (share.low, share.high))
    return f"{low} to {high}\u00a0%"


def _threshold_note(matrix: own.Confusion, repeats: int) -> str:
    words = "Counts are means over repeats. " if repeats > 1 else ""
    if matrix.threshold is None:
        return words + "The class with the highest score is predicted."
    if matrix.given_threshold:
        return words + (
            "The threshold was given with the predictions. If it was tuned on them, that is one "
            "more choice to correct for."
        )
    return words + "The usual threshold, not tuned. Tuning it is one more choice to correct for."
