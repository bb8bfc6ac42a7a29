"""The effect of a parameter in one region of the space, beside that in the whole."""

from __future__ import annotations

import math

import numpy as np

from earnest.explanation.curves import EffectCurve
from earnest.explanation.regions import Region, RegionTree
from earnest.plotting.report_axes import rounded_out
from earnest.plotting.report_effects import (
    HALF,
    Panel,
    draw_band,
    draw_values,
    draw_winner,
    effect_rows,
    effect_words,
    make_panel,
    places_of_grid,
)
from earnest.plotting.report_svg import Figure


def tree_limits(tree: RegionTree, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the y axis of a tree: the band of the whole, and the line in every region."""
    edges = [*tree.root.curve.bands(confidence_level), *(r.curve.mean for r in tree.regions)]
    known = np.concatenate(edges)
    known = known[np.isfinite(known)]
    return (
        rounded_out(float(known.min()), float(known.max()), most=4, halves=True)
        if len(known)
        else (0.0, 1.0)
    )


def region_node(
    region: Region,
    root: EffectCurve,
    *,
    name: str,
    limits: tuple[float, float],
    confidence_level: float = 0.95,
    width: float = 236,
) -> Figure:
    """Draw the effect in a region on the scale of the whole, whose band is dashed.

    Parameters
    ----------
    region : Region
        The node.
    root : EffectCurve
        The effect in the whole space.
    limits : pair of float
        The y axis of the whole tree; see `tree_limits`.
    """
    curve = region.curve
    low, high = curve.bands(confidence_level)
    panel = make_panel(curve, name, limits, width, top=8.0, plot=76.0, under=22.0, most=4)
    canvas, bottom = panel.canvas, panel.y.start
    with panel.plot():
        draw_band(panel, low, high)
        if region.limits:
            for edge in root.bands(confidence_level):
                _dashed(panel, root, edge)
    if region.holds_best:
        draw_winner(panel, down=False)
    canvas.line((panel.x.start, bottom), (panel.x.end, bottom), "ink3")
    draw_values(panel, bottom + 16)
    share = f"{100 * region.share:.0f}\u00a0% of the space"
    said = f"{region.words}: {share}, {region.n_trials} trials. "
    words = said + effect_words(curve, confidence_level)
    return canvas.figure(words, effect_rows(curve, low, high))


def _dashed(panel: Panel, root: EffectCurve, edge: np.ndarray) -> None:
    """Draw an edge of the band of the whole space."""
    if panel.levels:
        for level, value in zip(root.grid, edge, strict=True):
            if level in panel.curve.grid and not math.isnan(value):
                place = list(panel.curve.grid).index(level)
                ends = [(panel.x(place + s * HALF), panel.y.free(float(value))) for s in (-1, 1)]
                panel.canvas.line(ends[0], ends[1], "ink2", 1, dash="3 2.5")
        return
    places = [panel.x(float(v)) for v in places_of_grid(root)]
    points = [(a, panel.y.free(float(b))) for a, b in zip(places, edge, strict=True)]
    panel.canvas.curve(points, "ink2", 1, dash="3 2.5")
