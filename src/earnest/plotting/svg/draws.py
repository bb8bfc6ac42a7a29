"""Where the estimate comes from: the scores of the resamples, and who won them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from earnest.core.base.errors import EvidenceError
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side
from earnest.core.text.estimate import print_numbers
from earnest.core.text.numbers import percent
from earnest.plotting.svg.answer import find_naive, find_shaded
from earnest.plotting.svg.canvas import (
    DASH,
    Axis,
    Canvas,
    Figure,
    RowKind,
    cut_apart,
    draw_interval,
    draw_x_axis,
    draw_y_grid,
    find_finite_ends,
    find_ticks,
    label_room,
    label_tick,
    label_ticks,
    measure_text,
    round_out,
)

BINS = 30
IN, OUT = 0.55, 0.22  # opacity of bars within the interval, and beyond it
MOST_NAMED = 6  # configurations that are shown by name
NAMES = 0.47  # share of the width that the names of configurations may take


def bootstrap(estimate: Estimate, *, name: str, width: float = 420) -> Figure:
    """Draw a histogram of the resampled scores, their mean, the naive score and the interval.

    Parameters
    ----------
    estimate : Estimate
        One with draws.
    """
    draws = estimate.draws
    valid = np.empty(0) if draws is None else draws[np.isfinite(draws)]
    if not len(valid):
        raise EvidenceError(f"method {estimate.method!r} has no resampled scores to plot")
    naive = find_naive(estimate)
    ends = find_finite_ends([float(valid.min()), float(valid.max()), naive, estimate.value])
    low, high = round_out(*ends, estimate.scale.limits)
    counts, edges = np.histogram(valid, bins=_find_bins(valid, low, high))
    top, bottom = 42.0, 190.0
    y = Axis(0, _round_up(int(counts.max())), bottom, top)
    levels = [v for v in find_ticks(y, 4) if v == int(v)]
    left = label_room(label_ticks(levels))
    last = label_ticks(find_ticks(Axis(low, high, 0, 1)))[-1:]
    x = Axis(low, high, left, width - max(18.0, 0.5 * label_room(last)))
    canvas = Canvas(width, bottom + (56 if estimate.interval is not None else 28), name)
    draw_y_grid(canvas, y, left, x.end, ticks=levels)
    inside = find_shaded(estimate, valid)
    for count, a, b in zip(counts, edges, edges[1:], strict=False):
        opacity = IN if a <= inside[1] and b >= inside[0] else OUT
        start, end = x(float(a)) + 0.5, x(float(b)) - 0.5
        if count:
            bar = (max(end - start, 1.0), bottom - y(float(count)))
            canvas.box((start, y(float(count))), bar, "accent", opacity)
    draw_x_axis(canvas, x, bottom)
    _draw_marks(canvas, estimate, x, (top, bottom), naive)
    return canvas.figure(_label(estimate, valid), _list_rows(counts, edges), RowKind.BINS)


def _find_bins(valid: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return cells that divide the axis evenly; those without draws at the ends are left out."""
    fine = np.linspace(low, high, BINS + 1) if np.ptp(valid) > 0.12 * (high - low) else None
    if fine is None:
        room = max(float(np.ptp(valid)), 1e-3 * (high - low)) / BINS
        fine = np.linspace(valid.min() - room, valid.max() + room, BINS // 2 + 1)
    return fine


def _round_up(count: int) -> float:
    return round_out(0.0, float(max(count, 1)), most=4)[1]


def _draw_marks(
    canvas: Canvas,
    estimate: Estimate,
    x: Axis,
    rows: tuple[float, float],
    naive: float | None,
) -> None:
    """Draw the estimate solid, the naive score dashed, and the interval under the axis."""
    words, (top, bottom) = print_numbers(estimate), rows
    at, first = x(estimate.value), naive is not None and estimate.value > naive
    canvas.line((at, top - 6), (at, bottom), "accent", 2)
    word = "mean" if estimate.n_configs > 1 else "score"  # of one the value is its own
    label = f"{word} {words.value.signs}"
    taken = _write_over(canvas, at, top - 9, label, "accent", left=not first)
    if naive is not None and words.naive is not None:
        label = f"naive {words.naive.signs}"
        span = _find_beside(canvas, x(naive), label, left=first)
        meets = span[0] < taken[1] + 4 and taken[0] < span[1] + 4
        _write_over(canvas, x(naive), top - (24 if meets else 9), label, "warn", left=first)
        canvas.line(
            (x(naive), top - (21 if meets else 6)), (x(naive), bottom), "warn", 2, dash=DASH
        )
    if estimate.interval is not None:
        _draw_under(canvas, estimate.interval, x, bottom + 34)


def _draw_under(canvas: Canvas, interval: Interval, x: Axis, y: float) -> None:
    """Draw the interval under the axis, named at its left or under it."""
    low, high = draw_interval(canvas, x, interval, y, "accent", 3.4)
    kind = "interval" if interval.side == Side.TWO_SIDED else "bound"
    label = f"{percent(interval.confidence_level)} {kind}"
    if low - 8 - measure_text(label, bold=True) >= 0:
        canvas.text((low - 6, y + 4), label, "accent", anchor="end", bold=True)
    else:
        half = 0.5 * measure_text(label, bold=True)
        middle = min(max(0.5 * (low + high), half), canvas.width - half)
        canvas.text((middle, y + 18), label, "accent", anchor="middle", bold=True)


def _write_over(
    canvas: Canvas, x: float, y: float, words: str, colour: str, *, left: bool
) -> tuple[float, float]:
    """Write over a line at its left or right, and return the pixels from where to where."""
    low, high = _find_beside(canvas, x, words, left=left)
    turned = low < x - 4
    canvas.text(
        (high if turned else low, y), words, colour, anchor="end" if turned else "start", bold=True
    )
    return low, high


def _find_beside(canvas: Canvas, x: float, words: str, *, left: bool) -> tuple[float, float]:
    """Return where words stand beside a line: at the other side where the paper ends."""
    room = measure_text(words, bold=True)
    if (left and x - 4 - room < 0) or (not left and x + 4 + room > canvas.width):
        left = not left
    return (x - 4 - room, x - 4) if left else (x + 4, x + 4 + room)


def _label(estimate: Estimate, valid: np.ndarray) -> str:
    words = print_numbers(estimate)
    sentence = f"{len(valid):,} resampled scores, estimate {words.value.signs}"
    if estimate.interval is not None and words.low is not None and words.high is not None:
        level = percent(estimate.interval.confidence_level)
        sentence += f"; {level} interval {words.low.signs} to {words.high.signs}"
    if words.naive is not None and estimate.n_configs > 1:
        sentence += f"; naive score {words.naive.signs}"
    return sentence + "."


def _list_rows(counts: np.ndarray, edges: np.ndarray) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("From", "To", "Resamples")]
    for count, low, high in zip(counts, edges, edges[1:], strict=False):
        if count:
            rows.append((f"{low:.4g}", f"{high:.4g}", f"{int(count):,}"))
    return rows


def won_in_bag(
    shares: Mapping[str, float],
    *,
    winner: str | None,
    name: str,
    width: float = 420,
) -> Figure:
    """Draw in how many resamples each configuration was chosen, the rest pooled.

    Parameters
    ----------
    shares : mapping of str to float
        The share of resamples that each configuration won.
    winner : str or None
        The configuration chosen on all cases, in blue; always among those shown.
    """
    ranked = sorted(shares.items(), key=lambda item: (item[0] != winner, -item[1]))
    named = [item for i, item in enumerate(ranked) if i < MOST_NAMED and (item[1] > 0 or i == 0)]
    named.sort(key=lambda item: -item[1])
    others = [share for _, share in ranked[len(named) :]]
    won = [share for share in others if share > 0]
    bars = [_Bar(word, share, word == winner) for word, share in named]
    bars += [_Bar(_describe_others(won), sum(won), mine=False, pooled=True)] if won else []
    canvas = _draw_bars(bars, name, width)
    leader = f"The winner won {_format_share(shares.get(winner or '', 0.0))} of the resamples"
    second = next((item for item in named if item[0] != winner), None)
    second_best = f"; next is {second[0]} with {_format_share(second[1])}" if second else ""
    table = [("Configuration", "Won"), *((word, _format_share(share)) for word, share in named)]
    pooled = [(_describe_others(won), _format_share(sum(won)))] if won else []
    return canvas.figure(f"{leader}{second_best}.", [*table, *pooled], RowKind.ITEMS)


@dataclass(frozen=True)
class _Bar:
    words: str
    share: float
    mine: bool
    pooled: bool = False


def _draw_bars(bars: list[_Bar], name: str, width: float) -> Canvas:
    """Draw bars from 0, their names beside them, or over them where names are long."""
    longest = max(measure_text(bar.words, bold=bar.mine) for bar in bars)
    over = longest > NAMES * width
    left, row = (0.0, 40.0) if over else (longest + 14, 22.0)
    canvas = Canvas(width, row * len(bars) + 6, name)
    x = Axis(0.0, max(bar.share for bar in bars) or 1.0, left, width - 66)
    words = [bar.words for bar in bars]
    names = cut_apart(words, width / 1.12) if over else words  # beside the bars all of them fit
    for i, bar in enumerate(bars):
        top = i * row + (22.0 if over else 4.0)
        colour = "ink" if bar.mine else "ink3" if bar.pooled else "ink2"
        canvas.text((0, i * row + 14), names[i], colour, bold=bar.mine)
        size = (max(x(bar.share) - left, 1.0), 12.0)
        if bar.pooled:
            canvas.box((left, top), size, "", edge="ink3")
        else:
            canvas.box((left, top), size, "accent" if bar.mine else "ink3", 1 if bar.mine else 0.55)
        at = (x(bar.share) + 6, top + 10.5)
        canvas.text(at, _format_share(bar.share), "accent" if bar.mine else colour, bold=bar.mine)
    return canvas


def _describe_others(won: list[float]) -> str:
    above = math.ceil(100 * max(won, default=0.0))
    return f"{len(won)} other{'s' if len(won) > 1 else ''}, none above {label_tick(above)}\u00a0%"


def _format_share(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"
