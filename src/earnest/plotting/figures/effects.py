"""Figures of an explanation: effects with their bands, regions, and which parameters matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict, cast

import numpy as np

from earnest.core.text.numbers import percent
from earnest.explanation.curves import AVERAGE, BANDS, EffectCurve, EffectSurface, Floats
from earnest.explanation.importance import Importance
from earnest.explanation.regions.regions import (
    Region,
    RegionTree,
    change_words,
    in_words,
    share_words,
)
from earnest.explanation.sampling_bias import Gap
from earnest.explanation.surrogate.quality import NOT_SHOWN, Trust
from earnest.plotting.figures.style import (
    GRID,
    HONEST,
    INK,
    LABEL,
    NAIVE,
    OTHER,
    SMALL,
    TINY,
    get_axes,
    literal,
    new_figure,
    quiet,
    shorten,
)
from earnest.plotting.svg.effects import find_gap_ends, find_winner, place_trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # for results, which must not import matplotlib
    from matplotlib.figure import Figure as Figure

    from earnest.explanation.result import Explanation


MOST_TICKS, MOST_LINES = 500, 200  # of a rug; of ICE curves
RUG = 8  # points under the axis at which it stands
HALF = 0.32  # of the width of a level's box
ROOM = {1: 30, 2: 18, 3: 12, 4: 9}  # characters of a level, by how many stand side by side
TURNED = 14  # and of one that is turned upright
COLOURS = "cividis"  # even in lightness, and the same to every sight


class EffectOptions(TypedDict, total=False):
    """What a user may say of the figure of an effect; see `plot_effect`."""

    confidence_level: float
    of: str
    ice: int
    gaps: Sequence[Gap]
    title: bool


def plot_effect(
    curve: EffectCurve,
    ax: Axes | None = None,
    *,
    confidence_level: float = 0.95,
    of: str = AVERAGE,
    ice: int = 0,
    gaps: Sequence[Gap] = (),
    title: bool = True,
) -> Axes:
    """Draw an effect with its band, a tick for each trial under it, and a dot at the best value.

    Parameters
    ----------
    curve : EffectCurve
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    confidence_level : float
        The level of the band.
    of : {'average', 'mean'}
        Which uncertainty the band shows (eq. 5 or eq. 4).
    ice : int
        How many ICE curves to draw behind it.
    gaps : sequence of Gap
        Parts that were hardly tried, to be hatched.
    title : bool
        Whether the axes say what is drawn.

    Returns
    -------
    matplotlib Axes
    """
    ax = get_axes(ax, (4.4, 3.2))
    low, high = curve.bands(confidence_level, of)
    places = curve.places
    draw = _draw_boxes if curve.scale == "levels" else _draw_line
    if ice and curve.ice is not None:
        _draw_ice(ax, curve, places, min(ice, MOST_LINES))
    draw(ax, places, curve.mean, low, high)
    if curve.scale == "log":
        ax.set_xscale("log")
    _draw_hatch(ax, curve, gaps)
    _draw_rug(ax, curve)
    if curve.best is not None:
        at, height = find_winner(curve)
        ax.plot(at, height, "o", color=HONEST, markersize=7, markeredgecolor="white", zorder=5)
    _draw_frame(ax, curve)
    if title:
        better = "higher is better" if curve.objective.greater_is_better else "lower is better"
        heading = f"{curve.objective.name} ({better})"
        ax.set_title(literal(heading), loc="left", fontsize=SMALL, color=INK)
        band = f"band: {percent(confidence_level)}, {BANDS[of]}"
        ax.set_xlabel(literal(f"{curve.param}\n{band}"), fontsize=TINY, color=LABEL)
        ax.xaxis.labelpad = 4
    return ax


def plot_effects(explanation: Explanation, figure: Figure | None = None, *, most: int = 8) -> Axes:
    """Draw the effects of the most important parameters side by side, on one scale.

    Parameters
    ----------
    explanation : Explanation
        What to draw.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.
    most : int
        How many parameters.

    Returns
    -------
    matplotlib Axes
        The first panel; its `figure` has them all.
    """
    curves = list(explanation.effects.values())[: max(1, most)]
    columns = min(4, len(curves))
    rows = math.ceil(len(curves) / columns)
    figure = new_figure((2.9 * columns, 2.9 * rows + 0.3)) if figure is None else figure
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for ax, curve in zip(panels.flat, curves, strict=False):
        gaps = explanation.sampling_bias.gaps.get(curve.param, ())
        plot_effect(
            curve, ax, confidence_level=explanation.confidence_level, gaps=gaps, title=False
        )
        ax.set_title(literal(f"{curve.param}\n"), loc="left", fontsize=SMALL, color=INK)
        scale = "log scale · " if curve.scale == "log" else ""
        _write_above(ax, 1.03, f"{scale}{curve.trial_words}", TINY)
    for ax in panels.flat[len(curves) :]:
        ax.set_visible(False)
    if explanation.trust is Trust.NOT_SHOWN:
        figure.suptitle(f"{NOT_SHOWN.capitalize()}.", fontsize=SMALL, color=NAIVE)
    objective = explanation.objective
    better = "higher" if objective.greater_is_better else "lower"
    panels[0, 0].set_ylabel(
        literal(f"{objective.name} ({better} is better)"), fontsize=TINY, color=LABEL
    )
    first: Axes = panels[0, 0]
    return first


def plot_surface(surface: EffectSurface, figure: Figure | None = None) -> Axes:
    """Draw the joint effect of two parameters beside its average surrogate uncertainty.

    Parameters
    ----------
    surface : EffectSurface
        What to draw.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    matplotlib Axes
        That of the effect; its `figure` has both.
    """
    figure = new_figure((8.4, 3.4)) if figure is None else figure
    first: Axes
    first, second = figure.subplots(1, 2)
    names = (literal(surface.objective.name), "average surrogate uncertainty (sd)")
    for ax, values, name in zip((first, second), (surface.mean, surface.sd), names, strict=True):
        _draw_sheet(ax, surface, values, name)
    _draw_marks(first, surface)
    return first


def _write_above(
    ax: Axes, height: float, words: str, size: float, colour: str = LABEL, *, bold: bool = False
) -> None:
    """Write a line above a panel; 1 is its upper edge."""
    weight = "bold" if bold else "normal"
    shown, where = literal(words), ax.transAxes
    ax.text(0, height, shown, transform=where, fontsize=size, color=colour, fontweight=weight)


def _draw_line(ax: Axes, places: Floats, mean: Floats, low: Floats, high: Floats) -> None:
    ax.fill_between(places, low, high, color=HONEST, alpha=0.20, linewidth=0)
    ax.plot(places, mean, color=HONEST, linewidth=1.8)


def _draw_boxes(ax: Axes, places: Floats, mean: Floats, low: Floats, high: Floats) -> None:
    for centre, middle, bottom, top in zip(places, mean, low, high, strict=True):
        ax.fill_between([centre - HALF, centre + HALF], bottom, top, color=HONEST, alpha=0.20, lw=0)
        ax.plot([centre - HALF, centre + HALF], [middle, middle], color=HONEST, linewidth=1.8)


def _draw_ice(ax: Axes, curve: EffectCurve, places: Floats, count: int) -> None:
    assert curve.ice is not None
    every = max(1, len(curve.ice.mean) // count)
    for row in curve.ice.mean[::every][:count]:
        ax.plot(places, row, color=OTHER, linewidth=0.5, alpha=0.25, zorder=1)


def _draw_hatch(ax: Axes, curve: EffectCurve, gaps: Iterable[Gap]) -> None:
    """Hatch parts that were hardly tried, with the count of their trials."""
    for gap in gaps:
        ends = find_gap_ends(curve, gap)
        ax.axvspan(*ends, facecolor="none", edgecolor=GRID, hatch="////", linewidth=0, zorder=0)
        word = "trial" if gap.n_trials == 1 else "trials"
        middle = math.sqrt(ends[0] * ends[1]) if curve.scale == "log" else sum(ends) / 2
        ax.text(
            middle,
            0.98,
            f"{gap.n_trials}\n{word}",
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="top",
            fontsize=TINY - 1.5,
            color=LABEL,
        )


def _draw_rug(ax: Axes, curve: EffectCurve) -> None:
    """Draw one tick a trial under the axis, short if it was pruned; levels spread theirs."""
    from matplotlib.transforms import ScaledTranslation

    for tried, size in ((curve.trials, RUG - 1), ((*curve.pruned, *curve.unused), RUG / 2 - 1)):
        values = place_trials(curve, tried, HALF)
        if not values and tried is not curve.trials:
            continue
        down = ScaledTranslation(0, -(1.5 * RUG - 0.5 - size / 2) / 72, ax.figure.dpi_scale_trans)
        ax.plot(
            values,
            [0.0] * len(values),
            "|",
            transform=ax.get_xaxis_transform() + down,
            color=OTHER,
            markersize=size,
            markeredgewidth=0.6,
            clip_on=False,
        )


def _draw_frame(ax: Axes, curve: EffectCurve) -> None:
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(LABEL)
    ax.grid(axis="y", color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0, labelsize=TINY, colors=LABEL)
    ax.tick_params(axis="x", labelsize=TINY, colors=LABEL, length=0, pad=RUG + 7)
    ax.tick_params(axis="x", which="minor", length=0, labelsize=0, labelbottom=False)
    if curve.scale == "levels":
        turned = len(curve.grid) > max(ROOM)
        words = [literal(word) for word in _shorten([str(level) for level in curve.grid])]
        ax.set_xticks(
            range(len(words)),
            words,
            rotation=90 if turned else 0,
            fontsize=TINY - (1.5 if turned else 0),
        )
        ax.set_xlim(-0.6, len(words) - 0.4)
    elif curve.scale == "log":
        from matplotlib.ticker import FuncFormatter, LogLocator

        ax.xaxis.set_major_locator(LogLocator(numticks=6))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        whole = all(isinstance(value, int) for value in curve.grid)
        ax.locator_params(axis="x", nbins=5, integer=whole)


def _shorten(words: Sequence[str]) -> list[str]:
    """Return the names of levels as short as their number asks for, and still different."""
    most = ROOM.get(len(words), TURNED)
    starts = [word if len(word) <= most else word[: most - 1] + "…" for word in words]
    if len(set(starts)) == len(set(words)):
        return starts
    return [word if len(word) <= most else "…" + word[1 - most :] for word in words]


def _draw_sheet(ax: Axes, surface: EffectSurface, values: Floats, name: str) -> None:
    edges = [_find_edges(surface, axis) for axis in (0, 1)]
    mesh = ax.pcolormesh(edges[0], edges[1], values.T, cmap=COLOURS, rasterized=False)
    for axis, scale, set_scale, ticks in (
        (0, surface.scales[0], ax.set_xscale, ax.set_xticks),
        (1, surface.scales[1], ax.set_yscale, ax.set_yticks),
    ):
        if scale == "log":
            set_scale("log")
        elif scale == "levels":
            words = [literal(w) for w in _shorten([str(level) for level in surface.grids[axis]])]
            turned = axis == 0 and len(words) > max(ROOM)
            ticks(range(len(words)), words, rotation=90 if turned else 0)
    ax.tick_params(labelsize=TINY, colors=LABEL)
    ax.set_xlabel(literal(surface.params[0]), fontsize=SMALL, color=INK)
    ax.set_ylabel(literal(surface.params[1]), fontsize=SMALL, color=INK)
    ax.set_title(name, loc="left", fontsize=SMALL, color=INK)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.ax.tick_params(labelsize=TINY, colors=LABEL)
    bar.outline.set_visible(False)


def _find_edges(surface: EffectSurface, axis: int) -> Floats:
    """Return the edges of the cells around the grid values."""
    grid, scale = surface.grids[axis], surface.scales[axis]
    if scale == "levels":
        return np.arange(len(grid) + 1, dtype=np.float64) - 0.5
    values = np.array(grid, dtype=np.float64)
    values = np.log(values) if scale == "log" else values
    middles = 0.5 * (values[1:] + values[:-1])
    edges = np.concatenate([values[:1], middles, values[-1:]])
    return np.asarray(np.exp(edges) if scale == "log" else edges, dtype=np.float64)


def _draw_marks(ax: Axes, surface: EffectSurface) -> None:
    """Draw a small ring for each trial and a diamond at the best."""
    every = max(1, math.ceil(len(surface.trials) / MOST_TICKS))
    spots = [_find_spot(surface, pair) for pair in surface.trials[::every]]
    if spots:
        xs, ys = zip(*spots, strict=True)
        ax.plot(
            xs, ys, "o", markersize=2.6, color="white", markeredgecolor=INK, markeredgewidth=0.4
        )
    if surface.best is not None:
        x, y = _find_spot(surface, surface.best)
        ax.plot(x, y, "D", markersize=7, color="white", markeredgecolor=NAIVE, markeredgewidth=1.6)


def _find_spot(surface: EffectSurface, pair: tuple[object, object]) -> tuple[float, float]:
    places = [
        float(list(surface.grids[axis]).index(value))
        if surface.scales[axis] == "levels"
        else float(cast(float, value))
        for axis, value in enumerate(pair)
    ]
    return places[0], places[1]


MOST = 20


def plot_importance(importance: Importance, ax: Axes | None = None) -> Axes:
    """Draw the share of each parameter as a dot with its interval, from 0 on.

    A filled dot is the parameter alone, a hollow one together with all others.

    Parameters
    ----------
    importance : Importance
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    names = importance.ranking[:MOST]
    ax = get_axes(ax, (6.0, 0.9 + 0.36 * len(names)))
    strong = HONEST if importance.trust is Trust.SHOWN else OTHER
    for row, name in enumerate(names):
        ax.axhline(row, color=GRID, linewidth=0.8, zorder=0)
        for share, shift, colour, fill in (
            (importance.main[name], -0.1, strong, strong),
            (importance.total[name], 0.16, OTHER, "white"),
        ):
            ends = [100 * share.low, 100 * share.high]
            ax.plot(ends, [row + shift] * 2, color=colour, linewidth=1.8)
            ax.plot(
                100 * share.value,
                row + shift,
                "o",
                color=colour,
                markerfacecolor=fill,
                markersize=6,
                clip_on=False,
                zorder=4,
            )
    ax.set_yticks(range(len(names)), [literal(shorten(name)) for name in names], fontsize=SMALL)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(left=0)
    level = percent(importance.confidence_level)
    quiet(ax, f"Share of the objective's variation, in % ({level} interval)")
    legend = "filled: alone; hollow: with all others"
    if importance.trust is Trust.NOT_SHOWN:
        legend = f"{NOT_SHOWN.capitalize()}.\n{legend}"
    ax.set_title(legend, loc="left", fontsize=TINY, color=LABEL)
    return ax


WIDTH, HEIGHT = 2.9, 2.1  # inches of a region
MARGIN = 0.42  # of the width between two columns
WORDS = 38  # characters of a line over a panel


def plot_regions(tree: RegionTree, figure: Figure | None = None) -> Axes:
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
    matplotlib Axes
        That of the whole space; its `figure` has all regions.
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
    return panels[tree.root.number]


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
    _write_above(ax, 1.42, _cut(condition), TINY, HONEST if framed else INK, bold=True)
    facts = f"{share_words(region.share)} · {region.n_trials} trials"
    _write_above(ax, 1.24, facts + (" · best here" if framed else ""), TINY - 1)
    half = f"band ± {region.curve.half_width():.2g}"
    change = f", {change_words(region.narrower)}" if region.limits else ""
    colour = NAIVE if region.narrower < -0.005 else HONEST if region.limits else LABEL
    _write_above(ax, 1.07, half + change, TINY - 1, colour)
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
