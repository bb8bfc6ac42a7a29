"""ROC curves of several classes: their mean, the lowest and the highest, and all areas."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.predictions import Predictions
from earnest.core.results import Estimate
from earnest.core.sentences import places_of
from earnest.inference.curves import Choosing, MeanCurve
from earnest.inference.curves_classes import ClassCurves, class_curves
from earnest.metrics.families import Metric
from earnest.plotting import report_figures as draw
from earnest.reporting.findings_words import ALONE_TAG, CORRECTED_TAG
from earnest.reporting.model import Panel

SQUARE, WIDE, PHONE = 350, 500, 350  # pixels


def of_classes(pi: Predictions, metric: Metric, made: Estimate, level: float) -> ClassCurves:
    """Return the curves of the classes, on the resamples of the estimate."""
    assert made.winner is not None
    return class_curves(pi, metric, made.winner, Choosing.of(made), confidence_level=level)


def class_panels(found: ClassCurves, made: Estimate) -> Iterator[Panel]:
    """Yield the mean curve, and those of the classes that are told apart least and best."""
    order = found.by_area
    count = len(found.names)
    yield _square(found.mean, made, f"ROC, mean of {count} classes", "Each class counts alike.", 0)
    picked = [(order[0], "smallest"), (order[-1], "largest")]
    for number, (k, which) in enumerate(picked, start=1):
        words = f"The {which} area of the {count}."
        heading = f"ROC, {found.names[k]} against the rest"
        yield _square(found.classes[k], made, heading, words, number)


def areas_panel(found: ClassCurves, made: Estimate) -> Panel:
    """Return the areas of all classes, the smallest first."""
    places = _places(made)
    return Panel(
        heading="Each class against the rest",
        text="Area under the ROC curve; in brackets the cases of a class.",
        tag=_tag(made),
        figure=draw.class_areas(found, name="classes", width=WIDE, places=places),
        phone=draw.class_areas(found, name="classes-phone", width=PHONE, places=places),
        note="Dot and line: corrected, with its interval. Diamond: the winner as searched."
        if made.n_configs > 1
        else "",
        data={"names": found.names, "cases": found.cases, "classes": found.classes},
    )


def _square(curve: MeanCurve, made: Estimate, heading: str, words: str, number: int) -> Panel:
    figure = draw.roc(curve, name=f"roc-{number}", width=SQUARE, places=_places(made))
    return Panel(heading=heading, text=words, tag=_tag(made), figure=figure, data={"curve": curve})


def _tag(made: Estimate) -> str:
    return ALONE_TAG if made.n_configs == 1 else CORRECTED_TAG


def _places(made: Estimate) -> int:
    """Return the decimals of areas: those of the estimate where it is such an area."""
    return max(places_of([made]), 0) if made.metric == "roc_auc_ovr" else 3
