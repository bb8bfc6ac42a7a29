"""Text in a report's figures: made safe, measured without a font, and cut to its room."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
    >>> from earnest.plotting.svg.text import brief
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
