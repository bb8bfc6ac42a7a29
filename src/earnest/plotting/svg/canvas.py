"""The paper that the figures of a report are drawn on, SVG text and nothing else, and its axes.

A figure of a report stands inside a page, so it takes its font and its colours from there: text
stays text, made safe, measured without a font and cut to its room, and a colour is the name of a
token that the page defines for a light and a dark theme. Nothing here depends on a font, a clock or
a machine, so the same data give the same bytes.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from itertools import pairwise

from earnest.core.base.errors import InputError
from earnest.core.results.interval import Interval
from earnest.core.results.specs import Side

TEXT, SMALL = 12.5, 12.0  # pixels
HEAD = 4.0  # pixels of the head of an arrow
LONGEST, KEPT = 120, 80  # signs without a space between them
_ENDLESS = re.compile(rf"\S{{{LONGEST},}}")


def spell_out_signs(words: str) -> str:
    """Return a user's text as XML can hold it: signs that cannot be seen are spelled out.

    Text that runs from right to left is set apart, so that it does not turn its neighbours round.
    """
    shown = "".join(c if c.isprintable() or c in "\u00a0\u2068\u2069" else _spell(c) for c in words)
    turns = any(unicodedata.bidirectional(c) in ("R", "AL") for c in shown)
    return f"\u2068{shown}\u2069" if turns and "\u2068" not in shown else shown


def brief(words: str) -> str:
    """Return a text in which no word is endless: a name of a thousand signs is cut.

    Examples
    --------
    >>> from earnest.plotting.svg.canvas import brief
    >>> brief("short"), len(brief("x" * 5000))
    ('short', 81)
    """
    return _ENDLESS.sub(lambda word: f"{word[0][:KEPT]}…", words)


def _spell(sign: str) -> str:
    return " " if sign in "\n\t\r" else sign.encode("unicode_escape").decode("ascii")


def measure_text(words: str, size: float = TEXT, *, bold: bool = False) -> float:
    """Return about how wide a text is in pixels; the page's font is not known, so rather more."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in words)
    narrow = sum(c in " .,:;'|!il·" for c in words)
    ems = 0.61 * (len(words) - wide - narrow) + 1.05 * wide + 0.35 * narrow
    return size * ems * (1.12 if bold else 1.0)


def fit_words(words: str, width: float, size: float = TEXT, *, keep_end: bool = False) -> str:
    """Return words cut to a width, with an ellipsis where something is missing."""
    if measure_text(words, size) <= width:
        return words
    most = len(words)
    while most > 1 and measure_text(_cut(words, most, keep_end), size) > width:
        most = most - 1 if most < 40 else most * 3 // 4
    return _cut(words, most, keep_end)


def cut_apart(
    words: Sequence[str], width: float, size: float = TEXT, *, keep_end: bool = False
) -> list[str]:
    """Return texts cut to a width at the side at which they differ, the end by default."""
    for side in (keep_end, not keep_end):
        shortened = [fit_words(word, width, size, keep_end=side) for word in words]
        if len(set(shortened)) == len(set(words)):
            return shortened
    return [fit_words(word, width, size, keep_end=keep_end) for word in words]


def _cut(words: str, most: int, keep_end: bool) -> str:
    if most <= 1:
        return "…"
    return "…" + words[len(words) - most + 1 :] if keep_end else words[: most - 1] + "…"


# What a colour is for, and what it looks like on light and on dark paper.
TOKENS: dict[str, tuple[str, str]] = {
    "bg": ("#FDFDFB", "#14171A"),
    "surface": ("#F5F5F1", "#1C2025"),
    "ink": ("#1A1E23", "#E9EBED"),
    "ink2": ("#454C54", "#BAC0C7"),
    "ink3": ("#666D76", "#949CA6"),
    "accent": ("#0B5CA0", "#74B6F2"),
    "warn": ("#A8420A", "#F0A267"),
    "accentbg": ("#E8F0F8", "#182736"),
    "warnbg": ("#FCF1E8", "#2C2118"),
    "rule": ("#DCDDD7", "#343A41"),
    "grid": ("#E9EAE5", "#272C32"),
}
BOLD = 640
DASH, DOTS = "5 3", "2 3"
INSIDE, BAND, OUTSIDE = 0.3, 0.2, 0.1  # opacity of what lies within an interval, a band, beyond

Point = tuple[float, float]
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class RowKind(StrEnum):
    """What the rows behind a figure are, and so how a short table says the same."""

    POINTS = "points"  # of a curve: any of them tell its shape
    BINS = "bins"  # from, to, count: neighbours are joined
    ITEMS = "items"  # with a name each: the first stand first


@dataclass(frozen=True)
class Figure:
    """A figure to stand in a page.

    Attributes
    ----------
    svg : str
        One `<svg>` element: `role="img"`, labelled, every id prefixed by the figure's name,
        every colour the `var(--token)` of `TOKENS`.
    label : str
        The finding in numbers, as a sentence; it is also the element's `aria-label`.
    table : tuple of tuple of str
        The data behind it, the heads first. Not escaped: a template escapes them.
    rows : RowKind
        What the rows of the table are.
    """

    svg: str
    label: str
    table: tuple[tuple[str, ...], ...]
    rows: RowKind = RowKind.POINTS

    def list_rows(self, most: int) -> list[tuple[str, ...]]:
        """Return at most so many rows, without the heads, that tell what all tell."""
        rows = list(self.table[1:])
        if len(rows) <= most:
            return rows
        if self.rows is RowKind.ITEMS:
            more = f"and {len(rows) - most + 1:,} more"
            return [*rows[: most - 1], (more, *[""] * (len(rows[0]) - 1))]
        step = -(-len(rows) // most)
        if self.rows is RowKind.POINTS:
            return rows[::step]
        blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
        counts = [sum(int(count.replace(",", "")) for _, _, count in block) for block in blocks]
        return [
            (block[0][0], block[-1][1], f"{count:,}")
            for block, count in zip(blocks, counts, strict=True)
        ]


class Canvas:
    """Collects the shapes of one figure.

    Parameters
    ----------
    width, height : float
        In pixels.
    name : str
        Prefixes every id, so that figures can stand in one page; letters, digits, `-` and `_`.
    """

    def __init__(self, width: float, height: float, name: str) -> None:
        if not _NAME.fullmatch(name):
            raise InputError(
                "the name of a figure cannot be an id",
                needs="a letter, then letters, digits, '-' or '_'",
                got=repr(name),
            )
        self.width, self.height, self.name = width, height, name
        self._parts: list[str] = []
        self._defs: list[str] = []

    def line(
        self, start: Point, end: Point, colour: str, width: float = 1.0, *, dash: str = ""
    ) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, end
        self._add(
            "line",
            x1=x1,
            y1=y1,
            x2=x2,
            y2=y2,
            stroke=_find_ink(colour),
            stroke_width=width,
            stroke_dasharray=dash,
        )

    def curve(
        self, points: Iterable[Point], colour: str, width: float = 1.6, *, dash: str = ""
    ) -> None:
        """Draw a line through points; a NaN breaks it."""
        self._add(
            "path",
            d=_write_path(points),
            fill="none",
            stroke=_find_ink(colour),
            stroke_width=width,
            stroke_dasharray=dash,
            stroke_linejoin="round",
        )

    def area(self, points: Iterable[Point], colour: str, opacity: float = BAND) -> None:
        """Fill what a line through points encloses."""
        self._add("path", d=_write_path(points) + "z", fill=_find_ink(colour), fill_opacity=opacity)

    def band(
        self,
        places: Sequence[float],
        low: Sequence[float],
        high: Sequence[float],
        colour: str = "accent",
        opacity: float = BAND,
    ) -> None:
        """Fill between two lines, in every run of places at which both are known."""
        for run in _cut_runs(places, low, high):
            there = [(x, a) for x, a, _ in run]
            back = [(x, b) for x, _, b in reversed(run)]
            self.area([*there, *back], colour, opacity)

    def box(
        self,
        corner: Point,
        size: Point,
        colour: str,
        opacity: float = 1.0,
        *,
        edge: str = "",
    ) -> None:
        """Fill a rectangle given by its upper left corner and its size, or only draw its edge."""
        (x, y), (width, height) = corner, size
        self._add(
            "rect",
            x=x,
            y=y,
            width=max(width, 0.0),
            height=max(height, 0.0),
            fill=_find_ink(colour) if colour else "none",
            fill_opacity="" if opacity == 1.0 or not colour else opacity,
            stroke=_find_ink(edge) if edge else "",
        )

    def dot(self, at: Point, radius: float, colour: str, *, hollow: bool = False) -> None:
        """Draw a dot with a halo, or a ring."""
        if not hollow:
            self._add("circle", cx=at[0], cy=at[1], r=radius + 2.0, fill=_find_ink("bg"))
        self._add(
            "circle",
            cx=at[0],
            cy=at[1],
            r=radius,
            fill=_find_ink("bg" if hollow else colour),
            stroke=_find_ink(colour) if hollow else "",
            stroke_width=1.8 if hollow else "",
        )

    def specks(self, points: Iterable[Point], radius: float, colour: str, opacity: float) -> None:
        """Draw many small dots as one shape: each is a stroke of no length with round ends."""
        path = "".join(f"M{_format_tenth(x)} {_format_tenth(y)}h.01" for x, y in points)
        self._add(
            "path",
            d=path,
            fill="none",
            stroke=_find_ink(colour),
            stroke_width=2 * radius,
            stroke_linecap="round",
            stroke_opacity=opacity,
        )

    @contextmanager
    def within(self, corner: Point, size: Point) -> Iterator[None]:
        """Cut what is drawn meanwhile at a rectangle; for lines that may leave their plot."""
        mark = f"{self.name}-plot"
        x, y, width, height = (_format_number(v) for v in (*corner, *size))
        self._defs.append(
            f'<clipPath id="{mark}"><rect x="{x}" y="{y}" width="{width}" height="{height}"/>'
            "</clipPath>"
        )
        self._parts.append(f'<g clip-path="url(#{mark})">')
        yield
        self._parts.append("</g>")

    def own_score(self, at: Point, *, alone: bool) -> None:
        """Draw an own score: a hollow diamond of a winner, a blue dot where nothing was chosen."""
        if alone:
            self.dot(at, 4, "accent")
        else:
            self.diamond(at, 5)

    def diamond(self, at: Point, radius: float, colour: str = "warn") -> None:
        """Draw a hollow diamond: a number that is not corrected for the search."""
        x, y = at
        corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        self._add(
            "path",
            d=_write_path(corners) + "z",
            fill=_find_ink("bg"),
            stroke=_find_ink(colour),
            stroke_width=1.8,
        )

    def arrow_head(self, tip: Point, colour: str, *, left: bool, size: float = HEAD) -> None:
        """Draw a filled head whose tip points to the left or to the right."""
        back = tip[0] + (1.6 if left else -1.6) * size
        corners = [tip, (back, tip[1] - size), (back, tip[1] + size)]
        self.area(corners, colour, 1.0)

    def text(
        self,
        at: Point,
        words: str,
        colour: str = "ink3",
        *,
        anchor: str = "start",
        size: float = TEXT,
        bold: bool = False,
    ) -> None:
        """Write words with their baseline at a point; they are escaped here."""
        x, y = at
        self._add(
            "text",
            spell_out_signs(words),
            x=x,
            y=y,
            fill=_find_ink(colour),
            text_anchor="" if anchor == "start" else anchor,
            font_size="" if size == TEXT else size,
            font_weight=BOLD if bold else "",
        )

    def hatch(self, corner: Point, size: Point) -> None:
        """Hatch a rectangle: little was tried there."""
        mark = f"{self.name}-hatch"
        if not any(mark in definition for definition in self._defs):
            self._defs.append(
                f'<pattern id="{mark}" width="6" height="6" patternUnits="userSpaceOnUse">'
                f'<path d="M0 6L6 0" stroke="{_find_ink("ink3")}" stroke-width="0.7" '
                'stroke-opacity="0.45"/></pattern>'
            )
        (x, y), (width, height) = corner, size
        self._add("rect", x=x, y=y, width=width, height=height, fill=f"url(#{mark})")

    def figure(
        self, label: str, table: Iterable[Sequence[str]], kind: RowKind = RowKind.POINTS
    ) -> Figure:
        """Return what was drawn."""
        words = brief(" ".join(spell_out_signs(label).split("\n")))
        width, height = _format_number(self.width), _format_number(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(words)}" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-size="{TEXT}" overflow="visible">'
        )
        defs = f"<defs>{''.join(self._defs)}</defs>" if self._defs else ""
        rows = tuple(tuple(str(cell) for cell in row) for row in table)
        return Figure(head + defs + "".join(self._parts) + "</svg>", words, rows, kind)

    def _add(self, tag: str, words: str | None = None, **attributes: str | float) -> None:
        written = "".join(
            f' {name.replace("_", "-")}="{_format_number(value)}"'
            for name, value in attributes.items()
            if value != ""
        )
        self._parts.append(
            f"<{tag}{written}/>" if words is None else f"<{tag}{written}>{escape(words)}</{tag}>"
        )


def _find_ink(token: str) -> str:
    if token not in TOKENS:
        raise KeyError(token)
    return f"var(--{token})"


def _format_number(value: str | float) -> str:
    """Return a coordinate to a hundredth of a pixel; words stay as they are."""
    if isinstance(value, str):
        return value
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _write_path(points: Iterable[Point]) -> str:
    """Return points as a path to a tenth of a pixel; a NaN lifts the pen."""
    parts, pen = [], "M"
    for x, y in points:
        if math.isnan(x) or math.isnan(y):
            pen = "M"
            continue
        parts.append(f"{pen}{_format_tenth(x)} {_format_tenth(y)}")
        pen = "L"
    return "".join(parts)


def _format_tenth(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _cut_runs(
    places: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> Iterable[list[tuple[float, float, float]]]:
    run: list[tuple[float, float, float]] = []
    for x, a, b in zip(places, low, high, strict=True):
        if math.isnan(a) or math.isnan(b):
            if len(run) > 1:
                yield run
            run = []
        else:
            run.append((float(x), float(a), float(b)))
    if len(run) > 1:
        yield run


MOST_TICKS = 6
APART = 8.0  # pixels between two labels
MINUS = "\u2212"
_STEPS = (1.0, 2.0, 5.0)
_POWER = re.compile(r"e([+-])0*(\d+)")


@dataclass(frozen=True)
class Axis:
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


def find_ticks(scale: Axis, most: int = MOST_TICKS) -> list[float]:
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
    >>> from earnest.plotting.svg.canvas import round_out
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
    >>> from earnest.plotting.svg.canvas import label_ticks
    >>> label_ticks([0.96, 0.98, 1.0]), label_ticks([-2000.0, 0.0, 2000.0])
    (['0.96', '0.98', '1.00'], ['−2,000', '0', '2,000'])
    """
    if percent:
        return [f"{sign_text(f'{100 * v:.10g}')}\u00a0%" for v in values]
    large = max((abs(v) for v in values), default=0.0)
    steps = [b - a for a, b in pairwise(values) if b > a]
    if not large or not steps:
        return [label_tick(v) for v in values]
    places = max(0, -math.floor(math.log10(min(steps)) + 1e-9))
    if large >= 1e7 or places > 5:
        return [label_tick(v) for v in values]
    if not all(math.isclose(v, round(v, places), abs_tol=1e-12) for v in values):
        places += 1  # steps of 0.25
    return [sign_text(f"{v + 0.0:,.{places}f}") for v in values]


def space_labels(
    scale: Axis, most: int = MOST_TICKS, size: float = TEXT, *, whole: bool = False
) -> list[tuple[float, str]]:
    """Return round values with their labels, so few that the labels do not touch.

    With `whole` only whole numbers count.
    """
    labels: list[tuple[float, str]] = []
    for count in range(most, 1, -1):
        ticks = [v for v in find_ticks(scale, count) if not whole or v == int(v)]
        words = [label_tick(v) for v in ticks] if scale.log else label_ticks(ticks)
        labels = list(zip(ticks, words, strict=True))
        gaps = (
            abs(scale(b) - scale(a)) - 0.5 * (measure_text(v, size) + measure_text(w, size))
            for (a, v), (b, w) in pairwise(labels)
        )
        if all(gap >= APART for gap in gaps):
            return labels
    return labels[:1]


def label_tick(value: float) -> str:
    """Return a number in few signs, as beside a tick: 0.001, 31.6, 1e−5."""
    return sign_text(_POWER.sub(lambda m: f"e{m[1].replace('+', '')}{m[2]}", f"{value:.4g}"))


def sign_text(text: str) -> str:
    """Return a number's text with a true minus."""
    return text.replace("-", MINUS)


def center_words(canvas: Canvas, x: float, words: str, size: float = TEXT) -> float:
    """Return where words are centred under a place, moved in where the paper ends."""
    half = 0.5 * measure_text(words, size)
    return min(max(x, half), max(canvas.width - half, half))


def draw_x_axis(
    canvas: Canvas,
    scale: Axis,
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
    scale: Axis,
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
    canvas: Canvas, scale: Axis, top: float, bottom: float, ticks: Iterable[float]
) -> None:
    """Draw upright lines, as one shape."""
    gap = (math.nan, math.nan)
    ends = ([(scale(v), top), (scale(v), bottom), gap] for v in ticks)
    points = [point for line in ends for point in line]
    if points:
        canvas.curve(points, "grid", 1)


def draw_interval(
    canvas: Canvas,
    scale: Axis,
    interval: Interval,
    y: float,
    colour: str,
    thick: float,
    *,
    dash: str = "",
) -> tuple[float, float]:
    """Draw an interval with end ticks; an open end, or one beyond the scale, is an arrow.

    Returns
    -------
    tuple of float
        The pixels of its ends.
    """
    left = interval.side == Side.UPPER or interval.low < scale.low
    right = interval.side == Side.LOWER or interval.high > scale.high
    low = scale.start - HEAD if left else scale(interval.low)
    high = scale.end + HEAD if right else scale(interval.high)
    canvas.line((low, y), (high, y), colour, thick, dash=dash)
    for x, is_open, at_left in ((low, left, True), (high, right, False)):
        if is_open:
            canvas.arrow_head((x + (-HEAD if at_left else HEAD), y), colour, left=at_left)
        else:
            canvas.line((x, y - 5), (x, y + 5), colour, 1.8)
    return low, high


def find_finite_ends(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least and the greatest of what is known; (0, 1) where nothing is."""
    finite = [float(v) for v in values if v is not None and math.isfinite(v)]
    return (min(finite), max(finite)) if finite else (0.0, 1.0)


def label_room(words: Iterable[str]) -> float:
    """Return the room that y labels need at the left of an axis."""
    return max((measure_text(word) for word in words), default=0.0) + 10.0
