"""The picture of the answer: what was drawn, the interval, and the naive score beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.core.results.estimate import Estimate
from earnest.core.results.specs import Side
from earnest.core.text.estimate import (
    PrintedEstimate,
    flatters,
    limits_words,
    print_numbers,
)
from earnest.core.text.numbers import PrintedNumber, percent
from earnest.plotting.svg.canvas import (
    DOTS,
    INSIDE,
    MINUS,
    OUTSIDE,
    SMALL,
    Axis,
    Canvas,
    Figure,
    draw_x_grid,
    find_finite_ends,
    label_tick,
    measure_text,
    round_out,
    space_labels,
)

# A smooth density of resampled scores, within the range of the metric.


def estimate_density(
    draws: Sequence[float] | np.ndarray, low: float, high: float, limits: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a Gaussian kernel density on an axis, or None where all draws are equal.

    The bandwidth is Silverman's. What the kernel carries beyond a limit of the metric is folded
    back. Draws are counted in fine cells first, so that a million cost no more than a thousand.
    """
    values = np.asarray(draws, dtype=np.float64)
    values = values[np.isfinite(values)]
    if len(values) < 2 or not np.ptp(values) > 1e-12 * max(abs(low), abs(high), 1e-300):
        return None
    spread = float(np.std(values, ddof=1))
    quarter = float(np.subtract(*np.percentile(values, [75, 25]))) / 1.34
    width = 0.9 * (min(spread, quarter) if quarter > 0 else spread) * len(values) ** -0.2
    folded = [values]
    folded += [2 * limit - values for limit in limits if math.isfinite(limit)]
    width = max(width, (high - low) / 400)
    cells = 800
    reach = 4 * width
    counts, edges = np.histogram(
        np.concatenate(folded), bins=cells, range=(low - reach, high + reach)
    )
    middles = 0.5 * (edges[1:] + edges[:-1])
    grid = np.linspace(low, high, 161)
    kernel = np.exp(-0.5 * ((grid[:, None] - middles) / width) ** 2)
    heights = kernel @ counts
    outside = (grid < limits[0]) | (grid > limits[1])
    heights[outside] = 0.0
    return grid, heights / heights.max() if heights.max() > 0 else heights


# The words and the numbers of the picture of the answer.


def find_known_draws(estimate: Estimate) -> np.ndarray | None:
    """Return the resampled scores that are known, None if there are none."""
    draws = estimate.draws
    if draws is None:
        return None
    valid = draws[np.isfinite(draws)]
    return valid if len(valid) else None


def find_naive(estimate: Estimate) -> float | None:
    """Return the naive score where it says something: several configurations, and a number."""
    naive = estimate.naive
    shown = naive is not None and math.isfinite(naive) and estimate.n_configs > 1
    return naive if shown else None


def write_signs(number: PrintedNumber | None) -> str:
    """Return a printed number in signs, nothing where there is none."""
    return "" if number is None else number.signs


def name_zero(estimate: Estimate, *, narrow: bool = False) -> str:
    """Name a model without information."""
    if estimate.chance_is_midway:
        return "chance"
    return "constant" if narrow else "constant prediction"


def answer_label(estimate: Estimate, words: PrintedEstimate) -> str:
    """Return the finding as a sentence."""
    kind = (
        "Estimate corrected for the search"
        if estimate.honest
        else "Score that is not corrected for the search"
    )
    sentence = f"{kind}: {estimate.metric} {words.value.signs}"
    sentence += f", {_write_interval(estimate, words)}"
    draws = find_known_draws(estimate)
    sentence += "" if draws is None else f", from {len(draws):,} resamples"
    if find_naive(estimate) is not None:
        sentence += f"; naive score {write_signs(words.naive)}"
        gap = write_signs(words.optimism)
        sentence += f", {gap} too optimistic" if flatters(estimate) else ""
    return sentence + "."


def _write_interval(estimate: Estimate, words: PrintedEstimate) -> str:
    interval = estimate.interval
    if interval is None:
        return "no interval"
    level = percent(interval.confidence_level)
    limits = limits_words(interval, words)
    two_sided = interval.side == Side.TWO_SIDED
    return f"{level} interval {limits}" if two_sided else f"{limits} with {level} confidence"


def answer_rows(estimate: Estimate, words: PrintedEstimate) -> list[tuple[str, str]]:
    """Return the numbers behind the picture."""
    rows = [("Quantity", estimate.metric), ("Estimate", words.value.signs)]
    interval = estimate.interval
    if interval is not None:
        level = percent(interval.confidence_level)
        if interval.side != Side.UPPER:
            rows.append((f"Low end, {level}", write_signs(words.low)))
        if interval.side != Side.LOWER:
            rows.append((f"High end, {level}", write_signs(words.high)))
    if find_naive(estimate) is not None:
        rows.append(("Naive score", write_signs(words.naive)))
    draws = find_known_draws(estimate)
    if draws is not None:
        rows.append(("Resamples", f"{len(draws):,}"))
        rows += [
            (f"{share}\u00a0% of the scores are below", f"{np.percentile(draws, share):.4g}")
            for share in (5, 25, 50, 75, 95)
        ]
    return rows


NARROW = 480  # pixels under which words are left out
WHOLE = 0.4  # share of the whole scale under which a strip shows where the axis lies
HEIGHT, GAP, ROW = (
    104.0,
    26.0,
    46.0,
)  # of the density; under it; from the interval to the naive score
FEW = 20  # draws under which each is drawn as a tick
NEAR = 0.015  # of the level: the share of draws in an interval that their quantiles made


@dataclass(frozen=True)
class _Picture:
    """What is drawn on: the estimate, its words, and the scale."""

    canvas: Canvas
    estimate: Estimate
    words: PrintedEstimate
    scale: Axis

    @property
    def colour(self) -> str:
        return "accent" if self.estimate.honest else "warn"

    @property
    def narrow(self) -> bool:
        return self.canvas.width < NARROW


def answer(estimate: Estimate, *, name: str, width: float = 812) -> Figure:
    """Draw an estimate: the density of its draws, its interval, and the naive score.

    If its choice is not corrected, the mark is hollow and dashed.

    Parameters
    ----------
    estimate : Estimate
        What to draw.
    name : str
        The prefix of every id in the figure.
    width : float
        In pixels; under 480 the words are shorter.
    """
    low, high = _find_ends(estimate)
    numbers = print_numbers(estimate)
    scale = _place_scale(estimate, numbers, (low, high), width)
    whole = _find_whole_scale(estimate, low, high)
    top = HEIGHT if find_known_draws(estimate) is not None else 0.0
    naive = find_naive(estimate) if estimate.honest else None
    axis = top + GAP + (ROW if naive is not None else 0.0) + 24
    words = _label_axis(estimate, scale)
    height = axis + 26 + (14 if words else 0) + (54 if whole else 0)
    picture = _Picture(Canvas(width, height, name), estimate, numbers, scale)
    canvas = picture.canvas
    ticks = space_labels(scale)
    draw_x_grid(canvas, scale, 4, axis, [value for value, _ in ticks])
    if top > 0:
        _draw_density(picture, top)
    _draw_interval(picture, top + GAP)
    if naive is not None:
        _draw_gap(picture, naive, top + GAP, top + GAP + ROW)
    _draw_axis(picture, axis, top, ticks, words)
    if whole is not None:
        _draw_locator(picture, whole, height - 38)
    return canvas.figure(answer_label(estimate, numbers), answer_rows(estimate, numbers))


def _find_ends(estimate: Estimate) -> tuple[float, float]:
    """Return an axis that holds the value, the interval, the naive score and nearly all draws."""
    values: list[float | None] = [estimate.value, find_naive(estimate)]
    interval, draws = estimate.interval, find_known_draws(estimate)
    if interval is not None:
        values += [interval.low] if interval.side != Side.UPPER else []
        values += [interval.high] if interval.side != Side.LOWER else []
    if draws is not None:
        values += [float(v) for v in np.percentile(draws, [0.3, 99.7])]
    return round_out(*find_finite_ends(values), estimate.scale.limits)


def _place_scale(
    estimate: Estimate, words: PrintedEstimate, ends: tuple[float, float], width: float
) -> Axis:
    """Return the scale with the least margins that leave room for the labels beside the marks."""
    margin = 22.0
    while margin < 0.3 * width:
        scale = Axis(*ends, margin, width - margin)
        if all(low >= 0 and high <= width for low, high in _yield_needed(estimate, words, scale)):
            return scale
        margin += 4
    return Axis(*ends, margin, width - margin)


def _yield_needed(
    estimate: Estimate, words: PrintedEstimate, scale: Axis
) -> Iterator[tuple[float, float]]:
    """Yield the pixels that the labels of ticks, interval and naive score stand on."""
    for value, word in space_labels(scale):
        half = 0.5 * measure_text(word)
        yield scale(value) - half, scale(value) + half
    interval, naive = estimate.interval, find_naive(estimate)
    if interval is not None and interval.side != Side.UPPER:
        low = scale(interval.low)
        yield low - 14 - measure_text(write_signs(words.low), bold=True), low
    if interval is not None and interval.side != Side.LOWER:
        high = scale(interval.high)
        yield high, high + 14 + measure_text(write_signs(words.high), bold=True)
    if naive is not None:
        x, room = scale(naive), 14 + measure_text(write_signs(words.naive), bold=True)
        left = not estimate.scale.greater_is_better and flatters(estimate)
        yield (x - room, x) if left else (x, x + room)


def _find_whole_scale(estimate: Estimate, low: float, high: float) -> tuple[float, float] | None:
    """Return the scale from no information to perfection, where the axis is a small part of it."""
    best = estimate.scale.limits[1 if estimate.scale.greater_is_better else 0]
    zero = estimate.no_information
    if zero is None or not math.isfinite(best) or not math.isfinite(zero) or zero == best:
        return None
    ends = min(zero, best), max(zero, best)
    within = ends[0] - 1e-9 <= low and high <= ends[1] + 1e-9
    return ends if within and high - low < WHOLE * (ends[1] - ends[0]) else None


def _draw_density(picture: _Picture, bottom: float) -> None:
    canvas, scale, estimate = picture.canvas, picture.scale, picture.estimate
    draws = find_known_draws(estimate)
    assert draws is not None
    count = f"{len(draws):,} resamples"
    canvas.text((scale.start + 4, 14), count if picture.narrow else f"scores of {count}")
    density = estimate_density(draws, scale.low, scale.high, estimate.scale.limits)
    if density is None:
        x = scale(float(draws[0]))
        canvas.line((x, 26), (x, bottom), picture.colour, 2)
        return
    grid, heights = density
    tops = bottom - (bottom - 24) * heights
    points = [(scale(float(x)), float(y)) for x, y in zip(grid, tops, strict=True)]
    inside = find_shaded(estimate, draws)
    for low, high, opacity in (
        (scale.low, inside[0], OUTSIDE),
        (*inside, INSIDE),
        (inside[1], scale.high, OUTSIDE),
    ):
        _fill_slice(canvas, points, (scale(low), scale(high)), bottom, picture.colour, opacity)
    canvas.curve(points, picture.colour, 1.2)
    if len(draws) < FEW:
        for value in draws:
            canvas.line((scale(value), bottom - 9), (scale(value), bottom), picture.colour, 1.2)


def find_shaded(estimate: Estimate, draws: np.ndarray) -> tuple[float, float]:
    """Return the ends between which resampled scores are shaded.

    Those of the interval where it holds its share of them; all there is where it has other limits,
    as a cut through the scores would not show where they come from.
    """
    interval = estimate.interval
    if interval is None:
        return -math.inf, math.inf
    held = np.mean((interval.low <= draws) & (draws <= interval.high))
    theirs = abs(held - interval.confidence_level) < NEAR
    return (interval.low, interval.high) if theirs else (-math.inf, math.inf)


def _fill_slice(
    canvas: Canvas,
    points: list[tuple[float, float]],
    ends: tuple[float, float],
    bottom: float,
    colour: str,
    opacity: float,
) -> None:
    """Fill the part of a curve between two pixels, exactly to them."""
    low, high = ends
    if high - low < 0.05:
        return
    xs, ys = (np.array(coordinate) for coordinate in zip(*points, strict=True))
    inner = [(x, y) for x, y in points if low < x < high]
    edges = [(x, float(np.interp(x, xs, ys))) for x in ends]
    canvas.area([(low, bottom), edges[0], *inner, edges[1], (high, bottom)], colour, opacity)


def _draw_interval(picture: _Picture, y: float) -> None:
    """Draw the interval as a bar with end ticks, an open end as an arrow, and the value on it."""
    canvas, scale, words = picture.canvas, picture.scale, picture.words
    colour, interval = picture.colour, picture.estimate.interval
    x = scale(picture.estimate.value)
    if interval is None:
        label = f"{words.value.signs}, no interval"
        left = x + 14 + measure_text(label, bold=True) > canvas.width
        _write(picture, (x, y + 4.5), label, colour, 14, left=left)
    else:
        low = scale.start if interval.side == Side.UPPER else scale(interval.low)
        high = scale.end if interval.side == Side.LOWER else scale(interval.high)
        dash = "" if picture.estimate.honest else "7 4"
        canvas.line((low, y), (high, y), colour, 5 if picture.estimate.honest else 2.4, dash=dash)
        ends = write_signs(words.low), write_signs(words.high)
        _end(picture, low, y, ends[0], is_open=interval.side == Side.UPPER, left=True)
        _end(picture, high, y, ends[1], is_open=interval.side == Side.LOWER, left=False)
    if picture.estimate.honest:
        canvas.dot((x, y), 7.5, colour)
    else:
        canvas.diamond((x, y), 8)


def _end(picture: _Picture, x: float, y: float, words: str, *, is_open: bool, left: bool) -> None:
    canvas, colour = picture.canvas, picture.colour
    if is_open:
        canvas.arrow_head((x + (-8 if left else 8), y), colour, left=left, size=6)
        return
    canvas.line((x, y - 7), (x, y + 7), colour, 2)
    on_mark = abs(x - picture.scale(picture.estimate.value)) < 12
    _write(picture, (x, y + 4.5), words, colour, 14 if on_mark else 8, left=left)


def _write(
    picture: _Picture, at: tuple[float, float], words: str, colour: str, away: float, *, left: bool
) -> None:
    """Write beside a mark, or over it where the paper ends."""
    canvas, room = picture.canvas, measure_text(words, bold=True)
    x, y = at
    if left and x - away - room < 0:
        canvas.text((max(x - away, 0), y - 14), words, colour, bold=True)
    elif not left and x + away + room > canvas.width:
        right = min(x + away, canvas.width)
        canvas.text((right, y - 14), words, colour, bold=True, anchor="end")
    else:
        canvas.text(
            (x - away if left else x + away, y),
            words,
            colour,
            bold=True,
            anchor="end" if left else "start",
        )


def _draw_gap(picture: _Picture, naive: float, above: float, y: float) -> None:
    """Draw the naive score, and an arrow from it to the honest one, labelled with the gap."""
    canvas, scale, words = picture.canvas, picture.scale, picture.words
    value = picture.estimate.value
    x, honest = scale(naive), scale(value)
    leads = picture.estimate.honest and flatters(picture.estimate)
    back = honest < x  # the way from the naive score to the honest one
    label = f"naive {write_signs(words.naive)}"
    if leads:
        canvas.line((honest, above + 10), (honest, y + 8), picture.colour, dash=DOTS)
        tip = honest + (3 if back else -3)
        if abs(x - tip) > 16:
            canvas.line((x, y), (tip, y), "warn", 1.5)
            canvas.arrow_head((tip, y), "warn", left=back)
        _write_gap(picture, (honest, y + 4.5), left=back)
    left = leads and not back
    room = (x if left else canvas.width - x) - 14
    label = label if measure_text(label, bold=True) < room else write_signs(words.naive)
    canvas.diamond((x, y), 7.5)
    _write(picture, (x, y + 4.5), label, "warn", 12, left=left)


def _write_gap(picture: _Picture, at: tuple[float, float], *, left: bool) -> None:
    """Write the gap beyond the tip of the arrow, in the longest words that fit."""
    gap = write_signs(picture.words.optimism)
    room = at[0] if left else picture.canvas.width - at[0]
    full = f"{gap} too optimistic"
    sign = MINUS if picture.estimate.scale.greater_is_better else "+"
    words = full if measure_text(full, bold=True) + 12 < room else f"{sign}{gap}"
    _write(picture, at, words, "warn", 9, left=left)


def _label_axis(estimate: Estimate, scale: Axis) -> tuple[tuple[float, str, str], ...]:
    """Return the words for the ends of the axis: pixel, words, anchor."""
    labels = []
    zero, limits = estimate.no_information, estimate.scale.limits
    for at, value, anchor in ((scale.start, scale.low, "start"), (scale.end, scale.high, "end")):
        good = (anchor == "end") == estimate.scale.greater_is_better
        if good and value == limits[1 if anchor == "end" else 0]:
            labels.append((at, "perfect", anchor))
        elif good and not estimate.scale.greater_is_better:
            labels.append((at, "← better", anchor))
        elif not good and zero is not None and math.isclose(value, zero, abs_tol=1e-9):
            labels.append((at, name_zero(estimate), anchor))
    if zero is not None and scale.low < zero < scale.high:
        words, x = name_zero(estimate), scale(zero)
        half = 0.5 * measure_text(words, SMALL) + 8
        free = all(abs(x - at) > half + measure_text(word, SMALL) for at, word, _ in labels)
        free = free and half <= x <= scale.start + scale.end - half
        labels += [(x, words, "middle")] if free else []
    whole = _find_whole_scale(estimate, scale.low, scale.high) is not None
    return tuple(label for label in labels if not (whole and label[1] == "perfect"))


def _draw_axis(
    picture: _Picture,
    y: float,
    top: float,
    ticks: list[tuple[float, str]],
    words: tuple[tuple[float, str, str], ...],
) -> None:
    canvas, scale = picture.canvas, picture.scale
    canvas.line((scale.start, y), (scale.end, y), "ink3")
    for value, word in ticks:
        canvas.line((scale(value), y), (scale(value), y + 4), "ink3")
        canvas.text((scale(value), y + 18), word, "ink2", anchor="middle")
    for x, ending, anchor in words:
        canvas.text((x, y + 34), ending, anchor=anchor, size=SMALL)
        if anchor == "middle":
            canvas.line((x, 24), (x, max(top, 24)), "ink3", dash=DOTS)
            canvas.line((x, y - 8), (x, y + 22), "ink3", dash=DOTS)


def _draw_locator(picture: _Picture, whole: tuple[float, float], y: float) -> None:
    """Draw the same interval on the scale from no information to perfection."""
    canvas, estimate = picture.canvas, picture.estimate
    scale = Axis(*whole, picture.scale.start, picture.scale.end)
    canvas.box((scale.start, y), (scale.end - scale.start, 6), "rule")
    if estimate.interval is not None:
        low, high = scale(estimate.interval.low), scale(estimate.interval.high)
        canvas.box((low, y), (high - low, 6), picture.colour)
    canvas.dot((scale(estimate.value), y + 3), 4.5, picture.colour)
    plain = 0.1 <= max(abs(end) for end in whole) < 100
    ends = [f"{end:.2f}" if plain else label_tick(end) for end in whole]
    zero, best = name_zero(estimate, narrow=picture.narrow), "perfect"
    names = [zero, best] if estimate.scale.greater_is_better else [best, zero]
    sides = [f"{end} {word}" for end, word in zip(ends, names, strict=True)]
    if sum(measure_text(side, SMALL) for side in sides) + 12 > scale.end - scale.start:
        sides = ends
    canvas.text((scale.start, y + 23), sides[0], size=SMALL)
    canvas.text((scale.end, y + 23), sides[1], anchor="end", size=SMALL)
    room = scale.end - scale.start - 2 * max(measure_text(side, SMALL) for side in sides) - 16
    fits = (
        w
        for w in ("the same interval on the whole scale", "whole scale", "")
        if measure_text(w, SMALL) < room or not w
    )
    middle = 0.5 * (scale.start + scale.end)
    canvas.text((middle, y + 23), next(fits), anchor="middle", size=SMALL)
