"""The paper that the figures of a report are drawn on: SVG text, and nothing else.

A figure of a report stands inside a page, so it takes its font and its colours from there: text
stays text, made safe, measured without a font and cut to its room, and a colour is the name of a
token that the page defines for a light and a dark theme. Nothing here depends on a font, a clock or
a machine, so the same data give the same bytes.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

from earnest.core.base.errors import InputError

TEXT, SMALL = 12.5, 12.0  # pixels
LONGEST, KEPT = 120, 80  # signs without a space between them
_ENDLESS = re.compile(rf"\S{{{LONGEST},}}")


def plain(words: str) -> str:
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
        made = [fit_words(word, width, size, keep_end=side) for word in words]
        if len(set(made)) == len(set(words)):
            return made
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
    """

    svg: str
    label: str
    table: tuple[tuple[str, ...], ...]


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
        self,
        start: Point,
        end: Point,
        colour: str,
        width: float = 1.0,
        *,
        dash: str = "",
        cap: str = "",
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
            stroke_linecap=cap,
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

    def speck(self, at: Point, radius: float, colour: str, opacity: float = 1.0) -> None:
        """Draw a small dot without a halo: one of many."""
        self._add(
            "circle",
            cx=at[0],
            cy=at[1],
            r=radius,
            fill=_find_ink(colour),
            fill_opacity="" if opacity == 1.0 else opacity,
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

    def arrow_head(self, tip: Point, colour: str, *, left: bool, size: float = 4.0) -> None:
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
        turn: float = 0.0,
    ) -> None:
        """Write words with their baseline at a point; they are escaped here."""
        x, y = at
        self._add(
            "text",
            plain(words),
            x=x,
            y=y,
            fill=_find_ink(colour),
            text_anchor="" if anchor == "start" else anchor,
            font_size="" if size == TEXT else size,
            font_weight=BOLD if bold else "",
            transform=f"rotate({_format_number(turn)} {_format_number(x)} {_format_number(y)})"
            if turn
            else "",
        )

    def hatch(self, corner: Point, size: Point) -> None:
        """Hatch a rectangle: little was tried there."""
        mark = f"{self.name}-hatch"
        if not any(mark in made for made in self._defs):
            self._defs.append(
                f'<pattern id="{mark}" width="6" height="6" patternUnits="userSpaceOnUse">'
                f'<path d="M0 6L6 0" stroke="{_find_ink("ink3")}" stroke-width="0.7" '
                'stroke-opacity="0.45"/></pattern>'
            )
        (x, y), (width, height) = corner, size
        self._add("rect", x=x, y=y, width=width, height=height, fill=f"url(#{mark})")

    def figure(self, label: str, table: Iterable[Sequence[str]]) -> Figure:
        """Return what was drawn."""
        words = brief(" ".join(plain(label).split("\n")))
        width, height = _format_number(self.width), _format_number(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(words)}" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-size="{TEXT}" overflow="visible">'
        )
        defs = f"<defs>{''.join(self._defs)}</defs>" if self._defs else ""
        rows = tuple(tuple(str(cell) for cell in row) for row in table)
        return Figure(head + defs + "".join(self._parts) + "</svg>", words, rows)

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
