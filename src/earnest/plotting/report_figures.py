"""Every figure of a report, in one place: each takes a result and returns a `Figure`.

A `Figure` is an inline `<svg>`, a sentence that says its finding in numbers, and the table behind
it. Colours are `var(--token)`; a page defines the tokens of `TOKENS`. Blue, filled and solid is
corrected for the search; orange, hollow and dashed is not; grey and filled is corrected, but of
another quantity.
"""

from __future__ import annotations

from earnest.plotting.report_answer import answer
from earnest.plotting.report_audit import fold_dots, score_strip
from earnest.plotting.report_axes import Scale
from earnest.plotting.report_classes import class_areas
from earnest.plotting.report_curves import calibration, precision_recall, roc
from earnest.plotting.report_draws import bootstrap, won_in_bag
from earnest.plotting.report_effects import effect, shared_limits
from earnest.plotting.report_importance import importance
from earnest.plotting.report_outcomes import folds, residuals
from earnest.plotting.report_regions import region_node, tree_limits
from earnest.plotting.report_strips import (
    Difference,
    Trust,
    comparison_strip,
    difference_scale,
    forest_strip,
    scale_over,
    shared_scale,
    strip_axis,
    widened,
)
from earnest.plotting.report_survival import kaplan_meier
from earnest.plotting.report_svg import TOKENS, Figure

__all__ = [
    "TOKENS",
    "Difference",
    "Figure",
    "Scale",
    "Trust",
    "answer",
    "bootstrap",
    "calibration",
    "class_areas",
    "comparison_strip",
    "difference_scale",
    "effect",
    "fold_dots",
    "folds",
    "forest_strip",
    "importance",
    "kaplan_meier",
    "precision_recall",
    "region_node",
    "residuals",
    "roc",
    "scale_over",
    "score_strip",
    "shared_limits",
    "shared_scale",
    "strip_axis",
    "tree_limits",
    "widened",
    "won_in_bag",
]
