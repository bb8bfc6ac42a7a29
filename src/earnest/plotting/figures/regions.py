"""A tree of regions, from left to right, with a small curve in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from earnest.explanation.curves import EffectCurve, Floats
from earnest.explanation.regions.regions import (
    Region,
    RegionTree,
    band_words,
    in_words,
    share_words,
)
from earnest.plotting.figures.effects import HALF, plot_effect
from earnest.plotting.figures.style import (
    HONEST,
    INK,
    LABEL,
    NAIVE,
    OTHER,
    TINY,
    literal,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure  # for results, which must not import matplotlib

WIDTH, HEIGHT = 2.9, 2.1  # inches of a region
MARGIN = 0.42  # of the width between two columns
WORDS = 38  # characters of a line over a panel


def plot_regions(tree: RegionTree, figure: Figure | None = None) -> Figure:
    """Draw a tree of regions, the way to the best configuration in blue.

    Each region has its condition, its share of the space, its trials, its band, and its curve on
    the scale of the whole space, whose band is dashed.

    Parameters
    ----------
    tree : RegionTree
        What to draw.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    matplotlib Figure
    """
    rows = _place_rows(tree)
    columns = 1 + max(region.depth for region in tree.regions)
    count = len(tree)
    if figure is None:
        size = (WIDTH * columns + MARGIN * WIDTH * (columns - 1), HEIGHT * count + 0.2)
        figure = new_figure(size, layout=None)
    limits = _find_limits(tree)
    panels = {}
    for region in tree.regions:
        box = _find_box(region, rows[region.number], columns, count)
        ax = figure.add_axes(box)
        panels[region.number] = ax
        _draw_panel(ax, tree, region, limits)
    for region in tree.regions:
        if region.parent is not None:
            _draw_join(figure, panels[region.parent], panels[region.number], on=region.holds_best)
    return figure


def _place_rows(tree: RegionTree) -> dict[int, float]:
    """Return the row of each region: leaves in order, others between their children."""
    rows: dict[int, float] = {leaf.number: float(i) for i, leaf in enumerate(tree.leaves)}
    for region in reversed(tree.regions):
        if region.children:
            rows[region.number] = sum(rows[child] for child in region.children) / 2
    return rows


def _find_box(
    region: Region, row: float, columns: int, count: int
) -> tuple[float, float, float, float]:
    step = 1.0 / (columns + MARGIN * (columns - 1))
    left = region.depth * (1 + MARGIN) * step
    height = 1.0 / count
    top = 1.0 - row * height
    return (left + 0.14 * step, top - 0.80 * height, 0.83 * step, 0.42 * height)


def _find_limits(tree: RegionTree) -> tuple[float, float]:
    """Return the y axis that holds the band of the whole space and every curve."""
    low, high = tree.root.curve.bands()
    means = [value for region in tree.regions for value in region.curve.mean]
    bottom, top = min(*low, *means), max(*high, *means)
    room = 0.04 * (top - bottom) or 1.0
    return float(bottom - room), float(top + room)


def _draw_panel(ax: Axes, tree: RegionTree, region: Region, limits: tuple[float, float]) -> None:
    plot_effect(region.curve, ax, title=False)
    if region.limits:
        for edge in tree.root.curve.bands():
            _draw_dashed(ax, tree.root.curve, edge)
    ax.set_ylim(*limits)
    ax.locator_params(axis="y", nbins=4)
    framed = region.holds_best and not region.children
    condition = in_words(region.limits[-1:]) or region.curve.where or "everywhere"
    ax.text(
        0,
        1.42,
        literal(_cut(condition)),
        transform=ax.transAxes,
        fontsize=TINY,
        color=HONEST if framed else INK,
        fontweight="bold",
    )
    facts = f"{share_words(region.share)} · {region.n_trials} trials"
    ax.text(
        0,
        1.24,
        facts + (" · best here" if framed else ""),
        transform=ax.transAxes,
        fontsize=TINY - 1,
        color=LABEL,
    )
    half = f"band ± {1.96 * region.curve.mean_confidence:.2g}"
    change = f", {band_words(region.narrower).removeprefix('band ')}" if region.limits else ""
    colour = NAIVE if region.narrower < -0.005 else HONEST if region.limits else LABEL
    ax.text(0, 1.07, half + change, transform=ax.transAxes, fontsize=TINY - 1, color=colour)
    if framed:
        for side in ax.spines.values():
            side.set_visible(True)
            side.set_color(HONEST)
            side.set_linewidth(1.4)


def _draw_dashed(ax: Axes, curve: EffectCurve, edge: Floats) -> None:
    """Draw an edge of the band of the whole space; levels have no line between them."""
    places = curve.places
    if curve.scale == "levels":
        left, right = places - HALF, places + HALF
        ax.hlines(edge, left, right, color=OTHER, linewidth=0.8, linestyle="--")
    else:
        ax.plot(places, edge, color=OTHER, linewidth=0.8, linestyle="--")


def _draw_join(figure: Figure, above: Axes, below: Axes, *, on: bool) -> None:
    """Draw the line from a region to a part of it."""
    from matplotlib.lines import Line2D

    start, end = above.get_position(), below.get_position()
    x0, y0 = start.x1 + 0.008, start.y0 + start.height / 2
    x1, y1 = end.x0 - 0.22 * end.width, end.y0 + end.height / 2
    middle = 0.5 * (x0 + x1)
    line = Line2D(
        [x0, middle, middle, x1],
        [y0, y0, y1, y1],
        color=HONEST if on else LABEL,
        linewidth=1.6 if on else 0.9,
        zorder=3 if on else 2,
        transform=figure.transFigure,
    )
    figure.add_artist(line)


def _cut(words: str) -> str:
    return words if len(words) <= WORDS else words[: WORDS - 1] + "…"
