"""What each code of a caution means, at any length: the sections of the page on cautions.

The page in the documentation is the only place where these texts are written. `docs/_generate.py`
copies them into `data/cautions.json`, so that a report can explain a code without a network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent.parent / "data" / "cautions.json"


@dataclass(frozen=True)
class Explained:
    """The meaning of a code.

    Attributes
    ----------
    code, title : str
        The code, and what it is in short.
    about : str
        When it is given; empty where the title says it all.
    follows, to_do : str
        What follows from it, and what to do. Words of code stand between backticks; a blank line
        parts paragraphs.
    """

    code: str
    title: str
    about: str
    follows: str
    to_do: str


@cache
def explanations() -> Mapping[str, Explained]:
    """Return what every code means, by code."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {code: Explained(code, **parts) for code, parts in told.items()}


def explained(code: str) -> Explained | None:
    """Return what a code means, None for one that the page does not have.

    Examples
    --------
    >>> from earnest.core.caution_texts import explained
    >>> explained("EN016").follows
    'The limits are rough: another seed would move them.'
    """
    return explanations().get(code)
