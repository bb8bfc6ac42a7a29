"""Cautions: coded remarks that travel with a result, and what each code means.

The page on cautions in the documentation is the only place that lists the codes and says what they
mean. `docs/_generate.py` copies it into `data/cautions.json`, so that a report can explain a code
without a network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from earnest.core.results.base import Plain
from earnest.core.text.cleaning import clean_line

FILE = Path(__file__).parents[2] / "data" / "cautions.json"


class Severity(StrEnum):
    """How much a remark matters: a caution bears on the number, a note explains it."""

    CAUTION = "caution"
    NOTE = "note"


@dataclass(frozen=True)
class Caution(Plain):
    """A coded remark on a result.

    Parameters
    ----------
    code : str
        Stable code, `EN001` and so on; see `explanations`.
    what, consequence, cure : str
        What was seen, what follows from it, and what to do; each a sentence.
    severity : Severity
        Caution or note.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 100)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((200, 50))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) // 2 % 10)
    >>> caution = en.estimate(pi, metric="roc_auc", rng=7).cautions[0]
    >>> caution.code
    'EN001'
    >>> caution.cure
    'Report the corrected value with its interval.'
    """

    code: str
    what: str
    consequence: str
    cure: str = ""
    severity: Severity = Severity.CAUTION

    def __post_init__(self) -> None:
        """Refuse a code that the page on cautions does not have."""
        if self.code not in explanations():
            raise ValueError(f"caution {self.code!r} has no meaning in {FILE.name}")

    def __str__(self) -> str:
        """Return the remark as one line."""
        parts = (self.code, self.what, self.consequence, self.cure)
        return clean_line(" ".join(part for part in parts if part))


@dataclass(frozen=True)
class CautionMeaning:
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
def explanations() -> Mapping[str, CautionMeaning]:
    """Return what every code means, by code."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return {code: CautionMeaning(code, **parts) for code, parts in told.items()}


def explain_code(code: str) -> CautionMeaning | None:
    """Return what a code means, None for one that the page does not have.

    Examples
    --------
    >>> from earnest.core.results.cautions import explain_code
    >>> explain_code("EN016").follows
    'The limits are rough: another seed would move them.'
    """
    return explanations().get(code)
