"""The papers that methods, tests and reports stand on, by the word that a spec cites them with."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

FILE = Path(__file__).parents[2] / "data" / "papers.toml"


@dataclass(frozen=True)
class Paper:
    """One source, in words and in BibTeX.

    Attributes
    ----------
    key, authors, title, venue : str
        As BibTeX has them; authors are joined by 'and'.
    year : int
        Of publication.
    volume, number, pages : str
        Where in the venue; empty where there is none.
    kind : str
        The type of the entry.
    """

    key: str
    authors: str
    title: str
    venue: str
    year: int
    volume: str = ""
    number: str = ""
    pages: str = ""
    kind: str = "article"

    @property
    def words(self) -> str:
        """The source as it stands in a list of references."""
        number = f"({self.number})" if self.number else ""
        pages = self.pages.replace("--", "–")
        where = ", ".join(words for words in (self.venue, f"{self.volume}{number}", pages) if words)
        return f"{self.authors.replace(' and ', '; ')} ({self.year}). {self.title}. {where}."

    @property
    def bibtex(self) -> str:
        """The source as an entry of a bibliography."""
        venue = {"article": "journal", "book": "publisher"}.get(self.kind, "booktitle")
        fields = {
            "author": self.authors,
            "title": f"{{{self.title}}}",
            venue: self.venue,
            "year": str(self.year),
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages,
        }
        lines = [f"  {name} = {{{text}}}" for name, text in fields.items() if text]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


@cache
def read_papers() -> Mapping[str, Paper]:
    """Return the papers that the package knows, by the words that specs cite them with."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {words: Paper(**entry) for words, entry in entries.items()}


class CitableSpec(Protocol):
    """The spec of a method or of a test."""

    @property
    def cites(self) -> str:
        """The source in words."""
        ...

    @property
    def papers(self) -> tuple[Paper, ...]:
        """Papers that the table does not have."""
        ...


def find_papers(cites: str) -> list[Paper]:
    """Return the papers of the table that a citation names, in the order of the table.

    Examples
    --------
    >>> from earnest.core.results.papers import find_papers
    >>> [paper.key for paper in find_papers("Yousef 2022, eq. 37; Efron 1981")]
    ['efron1981', 'yousef2022']
    """
    return [paper for word, paper in read_papers().items() if word in cites]


def collect_papers(specs: Sequence[CitableSpec], also: Iterable[str] = ()) -> list[Paper]:
    """Return what to cite for methods and tests, each paper once: the table's first.

    `also` are words of the table for what else is shown.
    """
    from_table = find_papers(" | ".join([*(spec.cites for spec in specs), *also]))
    from_specs = [paper for spec in specs for paper in spec.papers]
    return list({paper.key: paper for paper in (*from_table, *from_specs)}.values())
