"""Every figure of a report, in one place: each takes a result and returns a `Figure`.

A `Figure` is an inline `<svg>`, a sentence that says its finding in numbers, and the table behind
it. Colours are `var(--token)`; a page defines the tokens of `TOKENS`. Blue, filled and solid is
corrected for the search; orange, hollow and dashed is not; grey and filled is corrected, but of
another quantity.
"""

from __future__ import annotations

from earnest.plotting.svg.answer import answer
from earnest.plotting.svg.canvas import TOKENS, Figure, Scale
from earnest.plotting.svg.curves import calibration, class_areas, precision_recall, roc
from earnest.plotting.svg.draws import bootstrap, won_in_bag
from earnest.plotting.svg.effects import (
    effect,
    find_shared_limits,
    importance,
    region_node,
    tree_limits,
)
from earnest.plotting.svg.gain import best_so_far, gain, learning
from earnest.plotting.svg.outcomes import folds, kaplan_meier, residuals
from earnest.plotting.svg.strips import (
    Difference,
    Trust,
    comparison_strip,
    difference_scale,
    find_shared_scale,
    fold_dots,
    forest_strip,
    scale_over,
    score_strip,
    strip_axis,
    widen,
)
from earnest.plotting.svg.thresholds import thresholds

__all__ = [
    "TOKENS",
    "Difference",
    "Figure",
    "Scale",
    "Trust",
    "answer",
    "best_so_far",
    "bootstrap",
    "calibration",
    "class_areas",
    "comparison_strip",
    "difference_scale",
    "effect",
    "find_shared_limits",
    "find_shared_scale",
    "fold_dots",
    "folds",
    "forest_strip",
    "gain",
    "importance",
    "kaplan_meier",
    "learning",
    "precision_recall",
    "region_node",
    "residuals",
    "roc",
    "scale_over",
    "score_strip",
    "strip_axis",
    "thresholds",
    "tree_limits",
    "widen",
    "won_in_bag",
]
