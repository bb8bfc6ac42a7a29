"""Axes of a report's figures: scales, round ticks, and numbers as they are printed there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from earnest.core.text.numbers import prose
from earnest.plotting.svg.canvas import TEXT, Canvas, measure_text

MOST_TICKS = 6
APART = 8.0  # pixels between two labels
MINUS = "\u2212"
_STEPS = (1.0, 2.0, 5.0)
_POWER = re.compile(r"e([+-])0*(\d+)")


@dataclass(frozen=True)
class Scale:
    """Where values stand in a figure.

    Attributes
    ----------
    low, high : float
        The values at the ends.
    start, end : float
        The pixels at the ends; for an axis that goes up `start` is below `end`.
    log : bool
        Whether equal ratios are equal distances.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; what lies beyond an end is drawn at it."""
        least, most = sorted((self.start, self.end))
        return min(max(self.free(value), least), most) if not math.isnan(value) else math.nan

    def free(self, value: float) -> float:
        """Return the pixel of a value, beyond the ends too."""
        low, high = self._inner(self.low), self._inner(self.high)
        share = (self._inner(value) - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Tell whether a value lies on the axis."""
        slack = 1e-9 * (self.high - self.low)
        return self.low - slack <= value <= self.high + slack

    def _inner(self, value: float) -> float:
        if not self.log:
            return value
        return math.log(value) if value > 0 else -math.inf


def find_ticks(scale: Scale, most: int = MOST_TICKS) -> list[float]:
    """Return at most that many round values on an axis."""
    if scale.log:
        return _list_log_ticks(scale.low, scale.high, most)
    return _list_multiples(_step(scale.low, scale.high, most), scale.low, scale.high)


def round_out(
    low: float,
    high: float,
    limits: tuple[float, float] = (-math.inf, math.inf),
    most: int = MOST_TICKS,
    *,
    halves: bool = False,
) -> tuple[float, float]:
    """Return an axis with round ends that holds all values and stays within limits.

    With `halves` an end may lie between two ticks, which wastes less of the paper.

    Examples
    --------
    >>> from earnest.plotting.svg.axes import round_out
    >>> round_out(0.9631, 0.9985, (0.0, 1.0))
    (0.96, 1.0)
    """
    low, high = _set_apart(low, high, limits)
    step = _step(low, high, most)
    while True:
        for unit in (step, step / 2) if halves else (step,):
            ends = _find_multiple(math.floor, low, unit), _find_multiple(math.ceil, high, unit)
            if len(_list_multiples(step, *ends)) <= most:
                return max(ends[0], limits[0]), min(ends[1], limits[1])
        step = _find_next_step(step)


def _find_multiple(rounding: Callable[[float], int], value: float, unit: float) -> float:
    """Return the multiple of a unit below or above a value, itself where it is one."""
    slack = 1e-9 if rounding is math.floor else -1e-9
    digits = max(0, 2 - math.floor(math.log10(unit) + 1e-9))
    return round(rounding(value / unit + slack) * unit, digits) + 0.0


def _set_apart(low: float, high: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return two ends that differ, around a single value where there is one only."""
    if high - low > 1e-9 * max(abs(low), abs(high), 1e-300):
        return low, high
    room = 0.05 * abs(low) or 0.05
    low, high = max(low - room, limits[0]), min(high + room, limits[1])
    return (low, high) if high > low else (low - room, high + room)


def _step(low: float, high: float, most: int) -> float:
    span = high - low
    if not span > 1e-300 or not math.isfinite(span):  # what is smaller has no exact powers of ten
        return 1.0
    step = 10.0 ** math.floor(math.log10(span / most))
    while len(_list_multiples(step, low, high)) > most:
        step = _find_next_step(step)
    return step


def _find_next_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step) + 1e-9)
    lead = round(step / power)
    return {1: 2.0, 2: 5.0, 5: 10.0}[lead] * power


def _list_multiples(step: float, low: float, high: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if last - first > 1000:
        return [0.0] * 1001  # too many: the caller takes a larger step
    digits = max(0, 1 - math.floor(math.log10(step) + 1e-9))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]


def _list_log_ticks(low: float, high: float, most: int) -> list[float]:
    powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    decades = [10.0**k for k in powers]
    if len(decades) >= 2:
        every = math.ceil(len(decades) / most)
        return decades[::every]
    fine = [m * 10.0**k for k in range(powers.start - 1, powers.stop + 1) for m in _STEPS]
    inside = [v for v in fine if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    return inside[:most] if len(inside) >= 2 else [low, high]


def label_ticks(values: Sequence[float], *, percent: bool = False) -> list[str]:
    """Return the labels of ticks, all with the decimals that tell them apart.

    Examples
    --------
    >>> from earnest.plotting.svg.axes import label_ticks
    >>> label_ticks([0.96, 0.98, 1.0]), label_ticks([-2000.0, 0.0, 2000.0])
    (['0.96', '0.98', '1.00'], ['−2,000', '0', '2,000'])
    """
    if percent:
        return [f"{sign_text(f'{100 * v:.10g}')}\u00a0%" for v in values]
    large = max((abs(v) for v in values), default=0.0)
    steps = [b - a for a, b in pairwise(values) if b > a]
    if not large or not steps:
        return [short(v) for v in values]
    places = max(0, -math.floor(math.log10(min(steps)) + 1e-9))
    if large >= 1e7 or places > 5:
        return [short(v) for v in values]
    if not all(math.isclose(v, round(v, places), abs_tol=1e-12) for v in values):
        places += 1  # steps of 0.25
    return [sign_text(f"{v + 0.0:,.{places}f}") for v in values]


def space_labels(
    scale: Scale, most: int = MOST_TICKS, size: float = TEXT, *, whole: bool = False
) -> list[tuple[float, str]]:
    """Return round values with their labels, so few that the labels do not touch.

    With `whole` only whole numbers count.
    """
    found: list[tuple[float, str]] = []
    for count in range(most, 1, -1):
        ticks = [v for v in find_ticks(scale, count) if not whole or v == int(v)]
        words = [short(v) for v in ticks] if scale.log else label_ticks(ticks)
        found = list(zip(ticks, words, strict=True))
        gaps = (
            abs(scale(b) - scale(a)) - 0.5 * (measure_text(v, size) + measure_text(w, size))
            for (a, v), (b, w) in pairwise(found)
        )
        if all(gap >= APART for gap in gaps):
            return found
    return found[:1]


def short(value: float) -> str:
    """Return a number in few signs, as beside a tick: 0.001, 31.6, 1e−5."""
    return sign_text(_POWER.sub(lambda m: f"e{m[1].replace('+', '')}{m[2]}", f"{value:.4g}"))


def sign_text(text: str) -> str:
    """Return a number's text with a true minus."""
    return text.replace("-", MINUS)


def show_number(value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a number as a figure prints it: as a sentence does, but '> 0.999'."""
    return write_in_figure(prose(value, places, limits))


def write_in_figure(words: str) -> str:
    """Return the words of a printed number in signs."""
    return words.replace("over ", "> ").replace("under ", "< ")


def center_words(canvas: Canvas, x: float, words: str, size: float = TEXT) -> float:
    """Return where words are centred under a place, moved in where the paper ends."""
    half = 0.5 * measure_text(words, size)
    return min(max(x, half), max(canvas.width - half, half))


def draw_x_axis(
    canvas: Canvas,
    scale: Scale,
    y: float,
    *,
    title: str = "",
    labels: Sequence[tuple[float, str]] | None = None,
    marks: bool = True,
) -> None:
    """Draw an axis at a height, with its labels under it and its title under them."""
    canvas.line((scale.start, y), (scale.end, y), "ink3")
    for value, word in space_labels(scale) if labels is None else labels:
        if marks:
            canvas.line((scale(value), y), (scale(value), y + 4), "ink3")
        canvas.text((center_words(canvas, scale(value), word), y + 18), word, anchor="middle")
    if title:
        middle = 0.5 * (scale.start + scale.end)
        canvas.text((middle, y + 37), title, "ink2", anchor="middle")


def draw_y_grid(
    canvas: Canvas,
    scale: Scale,
    left: float,
    right: float,
    *,
    title: str = "",
    ticks: Sequence[float] | None = None,
    words: Sequence[str] | None = None,
) -> None:
    """Draw level lines with their labels at the left, and a title over them."""
    values = find_ticks(scale) if ticks is None else ticks
    for value, word in zip(values, label_ticks(values) if words is None else words, strict=True):
        canvas.line((left, scale(value)), (right, scale(value)), "grid")
        canvas.text((left - 6, scale(value) + 4), word, anchor="end")
    if title:
        canvas.text((left, scale.end - 10), title, "ink2")


def draw_x_grid(
    canvas: Canvas, scale: Scale, top: float, bottom: float, ticks: Iterable[float]
) -> None:
    """Draw upright lines, as one shape."""
    gap = (math.nan, math.nan)
    ends = ([(scale(v), top), (scale(v), bottom), gap] for v in ticks)
    points = [point for line in ends for point in line]
    if points:
        canvas.curve(points, "grid", 1)


def find_finite_ends(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least and the greatest of what is known; (0, 1) where nothing is."""
    known = [float(v) for v in values if v is not None and math.isfinite(v)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def label_room(words: Iterable[str], size: float = TEXT) -> float:
    """Return the room that y labels need at the left of an axis."""
    return max((measure_text(word, size) for word in words), default=0.0) + 10.0
