"""The effect of a parameter in a region beside that in the whole, and which parameters matter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from earnest.core.space.levels import show_level
from earnest.core.text.names import is_model_param, name_model
from earnest.core.text.numbers import percent
from earnest.explanation.curves import EffectCurve
from earnest.explanation.importance import Importance
from earnest.explanation.regions.regions import Region, RegionTree
from earnest.explanation.sampling_bias import Gap
from earnest.explanation.surrogate.quality import NOT_SHOWN, Trust
from earnest.plotting.svg.canvas import (
    DOTS,
    SMALL,
    Axis,
    Canvas,
    Figure,
    Point,
    RowKind,
    center_words,
    cut_apart,
    draw_x_grid,
    draw_y_grid,
    find_ticks,
    label_room,
    label_tick,
    label_ticks,
    measure_text,
    round_out,
    space_labels,
)

MOST_TICKS = 500  # of a rug
MOST_GRID = 200
HALF = 0.34  # of the width of a level's box
RUG = 9.0
ROW, MOST_ROWS, APART, BOLD = 15.0, 4, 6.0, 1.12  # of names of levels under the axis


@dataclass(frozen=True)
class EffectPaper:
    """Where a curve is drawn: its paper and both scales."""

    canvas: Canvas
    curve: EffectCurve
    x: Axis
    y: Axis

    @property
    def levels(self) -> bool:
        """Whether the parameter has levels and no values between them."""
        return self.curve.scale == "levels"

    def points(self, values: Iterable[float]) -> list[Point]:
        """Return where values along the grid stand, beyond the plot too."""
        places = (self.x(float(v)) for v in self.curve.places)
        return [(a, self.y.free(float(b))) for a, b in zip(places, values, strict=True)]

    def plot(self) -> AbstractContextManager[None]:
        """Cut what leaves the scale, and never draw it at its edge."""
        left, top = self.x.start - 3, self.y.end - 1
        return self.canvas.within((left, top), (self.x.end - left + 3, self.y.start - top))


def find_shared_limits(
    curves: Iterable[EffectCurve], confidence_level: float = 0.95
) -> tuple[float, float]:
    """Return the y axis that holds the bands of several curves, so that they can be compared."""
    edges = [edge for curve in curves for edge in curve.bands(confidence_level)]
    values = np.concatenate(edges) if edges else np.array([0.0, 1.0])
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    return round_out(float(finite.min()), float(finite.max()))


def effect(
    curve: EffectCurve,
    *,
    name: str,
    limits: tuple[float, float],
    gaps: Sequence[Gap] = (),
    confidence_level: float = 0.95,
    width: float = 270,
) -> Figure:
    """Draw an effect: mean line, band of the average surrogate uncertainty, a tick a trial.

    Parameters
    ----------
    curve : EffectCurve
        What to draw.
    limits : pair of float
        The y axis, shared by all panels; see `find_shared_limits`.
    gaps : sequence of Gap
        Parts that were hardly tried, to be hatched, with their number of trials.
    confidence_level : float
        That of the band.
    """
    low, high = curve.bands(confidence_level)
    panel = make_panel(curve, name, limits, width, top=14.0, plot=142.0, under=36.0)
    canvas, bottom = panel.canvas, panel.y.start
    _draw_hatch(panel, gaps)
    with panel.plot():
        draw_band(panel, low, high)
    draw_winner(panel, down=True)
    _write_hatch(panel, gaps)
    canvas.line((panel.x.start, bottom), (panel.x.end, bottom), "ink3")
    _draw_rug(panel, bottom + 6)
    draw_values(panel, bottom + RUG + 20)
    return canvas.figure(
        describe_effect(curve, confidence_level), list_effect_rows(curve, low, high)
    )


def make_panel(
    curve: EffectCurve,
    name: str,
    limits: tuple[float, float],
    width: float,
    *,
    top: float,
    plot: float,
    under: float,
    most: int = 6,
) -> EffectPaper:
    """Return an empty plot with its level lines, wide enough at the left for their labels."""
    ends = limits if limits[1] > limits[0] else round_out(*limits)
    y = Axis(*ends, top + plot, top)
    ticks = find_ticks(y, most)
    left = label_room(label_ticks(ticks))
    right = width - 14
    grid = curve.places
    if curve.scale == "levels":
        x = Axis(-0.5, len(grid) - 0.5, left, right)
        under += ROW * (_name_levels(curve, x, width).rows - 1)
    else:
        x = Axis(float(grid[0]), float(grid[-1]), left + 4, right, log=curve.scale == "log")
    panel = EffectPaper(Canvas(width, top + plot + under, name), curve, x, y)
    draw_y_grid(panel.canvas, y, left, right, ticks=ticks)
    return panel


def draw_band(panel: EffectPaper, low: np.ndarray, high: np.ndarray) -> None:
    """Draw a line within its band, or a short line in a box for each level."""
    canvas, curve = panel.canvas, panel.curve
    if panel.levels:
        for level, (middle, a, b) in enumerate(zip(curve.mean, low, high, strict=True)):
            if math.isnan(middle):
                continue
            left, right = (panel.x(level + side * HALF) for side in (-1, 1))
            top, bottom, at = (panel.y.free(float(v)) for v in (b, a, middle))
            canvas.box((left, top), (right - left, bottom - top), "accent", 0.2)
            canvas.line((left, at), (right, at), "accent", 1.8)
        return
    every = max(1, math.ceil(len(low) / MOST_GRID))
    xs, ends = zip(*panel.points(low)[::every], strict=True)
    canvas.band(xs, ends, [y for _, y in panel.points(high)[::every]])
    canvas.curve(panel.points(curve.mean)[::every], "accent", 1.8)


def _draw_hatch(panel: EffectPaper, gaps: Sequence[Gap]) -> None:
    """Hatch what was hardly tried."""
    top, bottom = panel.y.end, panel.y.start
    for gap in gaps:
        low, high = (panel.x(value) for value in find_gap_ends(panel.curve, gap))
        if high - low >= 1:
            panel.canvas.hatch((low, top), (high - low, bottom - top))


def _write_hatch(panel: EffectPaper, gaps: Sequence[Gap]) -> None:
    """Say how many trials lie in a hatched part, at the end that the line leaves free."""
    canvas, top, bottom = panel.canvas, panel.y.end, panel.y.start
    for gap in gaps:
        low, high = (panel.x(value) for value in find_gap_ends(panel.curve, gap))
        if high - low < 1:
            continue
        words = f"{gap.n_trials} trial{'' if gap.n_trials == 1 else 's'}"
        words = words if measure_text(words, SMALL) < high - low + 8 else str(gap.n_trials)
        half = measure_text(words, SMALL) / 2
        middle = min(max(0.5 * (low + high), panel.x.start + half), panel.x.end - half)
        y = top + 14 if _find_height(panel, middle) > 0.5 * (top + bottom) else bottom - 8
        canvas.box((middle - half, y - 11), (2 * half, 15), "bg", 0.85)
        canvas.text((middle, y), words, "ink2", anchor="middle", size=SMALL)


def _find_height(panel: EffectPaper, x: float) -> float:
    """Return how low the line is at a pixel."""
    points = [point for point in panel.points(panel.curve.mean) if not math.isnan(point[1])]
    if not points:
        return panel.y.start
    places, heights = zip(*points, strict=True)
    return float(np.interp(x, places, heights))


def find_gap_ends(curve: EffectCurve, gap: Gap) -> tuple[float, float]:
    """Return from where to where a gap goes, in the units of the x axis."""
    if curve.scale == "levels":
        return float(gap.low) - 0.5, float(gap.low) + 0.5
    values = np.array(curve.grid, dtype=float)
    inner = np.log(values) if curve.scale == "log" else values
    low, high = (float(np.interp(code, curve.codes, inner)) for code in (gap.low, gap.high))
    return (math.exp(low), math.exp(high)) if curve.scale == "log" else (low, high)


def draw_winner(panel: EffectPaper, *, down: bool) -> None:
    """Draw a dot at the winner's value, and a line from it to the axis."""
    at, height = find_winner(panel.curve)
    if math.isnan(height) or not panel.y.holds(height):
        return
    x = panel.x(at)
    if down and not panel.levels:
        panel.canvas.line((x, panel.y(height)), (x, panel.y.start), "accent", dash=DOTS)
    panel.canvas.dot((x, panel.y(height)), 5, "accent")


def find_winner(curve: EffectCurve) -> tuple[float, float]:
    """Return the place of the winner's value on the x axis and the height of the curve there.

    Both are NaN where the winner has no such value.
    """
    best = curve.best
    if best is None or (curve.scale == "levels" and best not in curve.grid):
        return math.nan, math.nan
    if curve.scale == "levels":
        level = list(curve.grid).index(best)
        return float(level), float(curve.mean[level])
    at, grid = float(cast(float, best)), curve.places
    here, grid = (math.log(at), np.log(grid)) if curve.scale == "log" else (at, grid)
    return at, float(np.interp(here, grid, curve.mean))


def _draw_rug(panel: EffectPaper, top: float) -> None:
    """Draw one tick a trial, short if it was pruned; levels spread theirs in order of the trials.

    Ticks within half a pixel look like one and are drawn as one.
    """
    curve = panel.curve
    for tried, length, colour in (
        (curve.trials, RUG, "ink2"),
        ((*curve.pruned, *curve.unused), 0.5 * RUG, "ink3"),
    ):
        points: list[Point] = []
        places = place_trials(curve, tried, HALF)
        for x in sorted({round(2 * panel.x(trial)) / 2 for trial in places}):
            points += [(x, top + RUG - length), (x, top + RUG), (math.nan, math.nan)]
        if points:
            panel.canvas.curve(points, colour, 0.7)


def place_trials(curve: EffectCurve, trials: Sequence[object], half: float) -> list[float]:
    """Return where the ticks of trials stand on the axis of a curve; of very many, of some."""
    some = list(trials)[:: max(1, math.ceil(len(trials) / MOST_TICKS))]
    if curve.scale == "levels":
        return spread_trials(some, list(curve.grid), half)
    return [float(cast(float, value)) for value in some]


def spread_trials(values: Sequence[object], levels: list[object], half: float) -> list[float]:
    """Return a place for each trial within the box of its level, in the order of the trials."""
    positions = [levels.index(value) for value in values if value in levels]
    counts, seen, places = Counter(positions), Counter[int](), []
    for position in positions:
        seen[position] += 1
        places.append(position - half + 2 * half * seen[position] / (counts[position] + 1))
    return places


def draw_values(panel: EffectPaper, y: float) -> None:
    """Write the values under the axis; names of levels stand in as many rows as they need."""
    canvas, curve = panel.canvas, panel.curve
    if panel.levels:
        labels = _name_levels(curve, panel.x, canvas.width)
        for level in range(len(labels.words)):
            x, row = panel.x(level), level % labels.rows
            if row:
                canvas.line((x, y - 12), (x, y + ROW * row - 12), "rule")
        for level, words in enumerate(labels.words):
            best, row = curve.grid[level] == curve.best, level % labels.rows
            at = (labels.places[level], y + ROW * row)
            half = measure_text(words, SMALL, bold=best) / 2
            if labels.rows > 1:
                canvas.box((at[0] - half, at[1] - 11), (2 * half, ROW), "bg", 1.0)
            canvas.text(
                at, words, "ink" if best else "ink3", anchor="middle", size=SMALL, bold=best
            )
        return
    whole = all(isinstance(value, int) for value in curve.grid)
    for value, words in space_labels(panel.x, size=SMALL, whole=whole):
        x = center_words(canvas, panel.x(value), words, SMALL)
        canvas.text((x, y), words, anchor="middle", size=SMALL)


class LevelNames(NamedTuple):
    """The names of levels as they are written, where, and in how many rows."""

    words: list[str]
    places: list[float]
    rows: int


def _name_levels(curve: EffectCurve, x: Axis, width: float) -> LevelNames:
    """Return names that stand level and apart: in few rows, cut only where four are not enough.

    Names take turns in the rows, so that one has the room of as many levels as there are rows.
    """
    names = [_name_level(curve, level) for level in curve.grid]
    room = (x.end - x.start) / max(len(names), 1)
    for rows in range(1, min(MOST_ROWS, len(names)) + 1):
        places = [_keep_inside(x(i), name, width) for i, name in enumerate(names)]
        if _have_room(names, places, rows):
            return LevelNames(names, places, rows)
    rows = min(MOST_ROWS, len(names))
    for share in (1.0, 0.85, 0.7, 0.5):
        words = cut_apart(names, share * (rows * room - APART) / BOLD, SMALL, keep_end=True)
        places = [_keep_inside(x(i), name, width) for i, name in enumerate(words)]
        if _have_room(words, places, rows):
            break
    return LevelNames(words, places, rows)


def _name_level(curve: EffectCurve, level: object) -> str:
    words = show_level(level)
    return name_model(words) if is_model_param(curve.param) else words


def _keep_inside(x: float, words: str, width: float) -> float:
    half = measure_text(words, SMALL, bold=True) / 2
    return min(max(x, half), max(width - half, half))


def _have_room(words: Sequence[str], places: Sequence[float], rows: int) -> bool:
    """Tell whether no two names of a row touch."""
    halves = [measure_text(each, SMALL, bold=True) / 2 for each in words]
    return all(
        places[i] - halves[i] - places[i - rows] - halves[i - rows] >= APART
        for i in range(rows, len(words))
    )


def describe_effect(curve: EffectCurve, level: float) -> str:
    """Return the finding as a sentence."""
    existing = curve.mean[~np.isnan(curve.mean)]
    if not len(existing):
        return f"The effect of {curve.param} is unknown."
    best = curve.objective.best(curve.mean)
    low, high = (label_tick(float(end)) for end in (existing.min(), existing.max()))
    return (
        f"Average {curve.objective.name} over {curve.param} lies between {low} and {high}, best "
        f"at {show_level(curve.grid[best])}; average surrogate uncertainty "
        f"± {curve.half_width(level):.2g}; {curve.trial_words}."
    )


def list_effect_rows(
    curve: EffectCurve, low: np.ndarray, high: np.ndarray
) -> list[tuple[str, ...]]:
    """Return the curve as a table."""
    rows: list[tuple[str, ...]] = [(curve.param, "Average", "Band, low end", "Band, high end")]
    for value, *numbers in zip(curve.grid, curve.mean, low, high, strict=True):
        cells = ("–" if math.isnan(v) else label_tick(float(v)) for v in numbers)
        rows.append((show_level(value), *cells))
    return rows


def tree_limits(tree: RegionTree, confidence_level: float = 0.95) -> tuple[float, float]:
    """Return the y axis of a tree: the band of the whole, and the line in every region."""
    edges = [*tree.root.curve.bands(confidence_level), *(r.curve.mean for r in tree.regions)]
    finite = np.concatenate(edges)
    finite = finite[np.isfinite(finite)]
    return (
        round_out(float(finite.min()), float(finite.max()), most=4, halves=True)
        if len(finite)
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
                _draw_dashed(panel, root, edge)
    if region.holds_best:
        draw_winner(panel, down=False)
    canvas.line((panel.x.start, bottom), (panel.x.end, bottom), "ink3")
    draw_values(panel, bottom + 16)
    share = f"{100 * region.share:.0f}\u00a0% of the space"
    summary = f"{region.words}: {share}, {region.n_trials} trials. "
    words = summary + describe_effect(curve, confidence_level)
    return canvas.figure(words, list_effect_rows(curve, low, high))


def _draw_dashed(panel: EffectPaper, root: EffectCurve, edge: np.ndarray) -> None:
    """Draw an edge of the band of the whole space."""
    if panel.levels:
        for level, value in zip(root.grid, edge, strict=True):
            if level in panel.curve.grid and not math.isnan(value):
                position = list(panel.curve.grid).index(level)
                ends = [(panel.x(position + s * HALF), panel.y.free(float(value))) for s in (-1, 1)]
                panel.canvas.line(ends[0], ends[1], "ink2", 1, dash="3 2.5")
        return
    places = [panel.x(float(v)) for v in root.places]
    points = [(a, panel.y.free(float(b))) for a, b in zip(places, edge, strict=True)]
    panel.canvas.curve(points, "ink2", 1, dash="3 2.5")


MOST_PARAMS = 12  # that are drawn; the table has all
LEADING = 2  # of them that the heading names, in blue


def importance(
    shares: Importance,
    *,
    name: str,
    width: float = 480,
    trials: Mapping[str, int] | None = None,
) -> Figure:
    """Draw the share of each parameter as a dot with its interval, from 0 on; a tick is it alone.

    The share is that alone and together with others, in whose order the parameters come.

    Parameters
    ----------
    shares : Importance
        What to draw.
    trials : mapping of str to int, optional
        In how many trials a parameter is active, where not in all.
    """
    names = list(shares.ranking[:MOST_PARAMS])
    row, top = 24.0, 6.0
    bottom = top + row * len(names)
    counts = dict(trials or {})
    aside = max(
        (measure_text(_count_trials(counts[n]), SMALL) for n in names if n in counts), default=0.0
    )
    room = min(0.42 * width, 14 + max(measure_text(n, bold=True) for n in names))
    left = room + (aside + 14 if aside else 0.0)
    longest = max(max(shares.total[n].high for n in names), 0.01)
    x = Axis(0.0, min(round_out(0.0, longest, (0.0, 1.0), 6)[1], 1.0), left, width - 24)
    canvas = Canvas(width, bottom + 44, name)
    ticks = find_ticks(x, 5 if width > 400 else 4)
    draw_x_grid(canvas, x, 0, bottom, ticks)
    words = cut_apart(names, (room - 14) / 1.12, keep_end=True)
    for i, param in enumerate(names):
        share, y = shares.total[param], top + (i + 0.5) * row
        leads = i < LEADING and shares.trust is Trust.SHOWN
        colour = "accent" if leads else "ink2"
        canvas.text((0, y + 4), words[i], "ink" if leads else "ink2", bold=leads)
        if param in counts:
            canvas.text((left - 12, y + 4), _count_trials(counts[param]), anchor="end", size=SMALL)
        canvas.line((x(share.low), y), (x(share.high), y), colour, 2)
        canvas.dot((x(share.value), y), 4.5, colour)
        alone = x(shares.main[param].value)
        canvas.line((alone, y - 7), (alone, y + 7), colour, 1.5)
    for value, label in zip(ticks, label_ticks(ticks, percent=True), strict=True):
        canvas.text((x(value), bottom + 16), label, anchor="middle", size=SMALL)
    level = percent(shares.confidence_level)
    title = f"Share of the score's variation ({level} interval)"
    if shares.trust is Trust.NOT_SHOWN:
        title = "Share of variation, not shown by these trials"
    middle = min(0.5 * (x.start + x.end), width - measure_text(title) / 2)
    canvas.text((max(middle, measure_text(title) / 2), bottom + 36), title, "ink2", anchor="middle")
    first = shares.total[names[0]]
    sentence = (
        f"{names[0]} accounts for {100 * first.value:.0f}\u00a0% of the score's variation "
        f"({100 * first.low:.0f} to {100 * first.high:.0f}\u00a0%)."
    )
    if shares.trust is Trust.NOT_SHOWN:
        sentence = f"{NOT_SHOWN.capitalize()}. {sentence}"
    return canvas.figure(sentence, _list_importance_rows(shares), RowKind.ITEMS)


def _count_trials(count: int) -> str:
    return f"{count:,} trial{'' if count == 1 else 's'}"


def _list_importance_rows(shares: Importance) -> list[tuple[str, ...]]:
    level = percent(shares.confidence_level)
    rows: list[tuple[str, ...]] = [("Parameter", "Alone", level, "With others", level)]
    for param, share in shares.main.items():
        total = shares.total[param]
        cells = []
        for each in (share, total):
            cells += [f"{100 * each.value:.1f}\u00a0%"]
            cells += [f"{100 * each.low:.1f} to {100 * each.high:.1f}\u00a0%"]
        rows.append((param, *cells))
    return rows
