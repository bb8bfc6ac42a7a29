"""The papers that a report stands on, by the word that a method or test cites them with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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
        where = ", ".join(part for part in (self.venue, f"{self.volume}{number}", pages) if part)
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


_NEURIPS = "Advances in Neural Information Processing Systems"

# The words are those that specs cite by.
PAPERS: dict[str, Paper] = {
    "Tsamardinos et al. 2018": Paper(
        "tsamardinos2018",
        "Tsamardinos, I. and Greasidou, E. and Borboudakis, G.",
        "Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation",
        "Machine Learning",
        2018,
        "107",
        "12",
        "1895--1922",
    ),
    "Paraschakis et al. 2024": Paper(
        "paraschakis2024",
        "Paraschakis, K. and Castellani, A. and Borboudakis, G. and Tsamardinos, I.",
        "Confidence interval estimation of predictive performance in the context of AutoML",
        "International Conference on Automated Machine Learning",
        2024,
        kind="inproceedings",
    ),
    "Bayle et al. 2020": Paper(
        "bayle2020",
        "Bayle, P. and Bayle, A. and Janson, L. and Mackey, L.",
        "Cross-validation confidence intervals for test error",
        _NEURIPS,
        2020,
        "33",
        kind="inproceedings",
    ),
    "DeLong et al. 1988": Paper(
        "delong1988",
        "DeLong, E. R. and DeLong, D. M. and Clarke-Pearson, D. L.",
        "Comparing the areas under two or more correlated receiver operating characteristic "
        "curves: a nonparametric approach",
        "Biometrics",
        1988,
        "44",
        "3",
        "837--845",
    ),
    "Hanley and McNeil 1982": Paper(
        "hanley1982",
        "Hanley, J. A. and McNeil, B. J.",
        "The meaning and use of the area under a receiver operating characteristic (ROC) curve",
        "Radiology",
        1982,
        "143",
        "1",
        "29--36",
    ),
    "Rink and Brannath 2022": Paper(
        "rink2022",
        "Rink, P. and Brannath, W.",
        "Post-selection confidence bounds for prediction performance",
        "arXiv:2210.13206",
        2022,
    ),
    "Efron 1981": Paper(
        "efron1981",
        "Efron, B.",
        "Nonparametric standard errors and confidence intervals",
        "Canadian Journal of Statistics",
        1981,
        "9",
        "2",
        "139--158",
    ),
    "Efron, Tibshirani 1993": Paper(
        "efron1993",
        "Efron, B. and Tibshirani, R. J.",
        "An introduction to the bootstrap",
        "Chapman and Hall",
        1993,
        kind="book",
    ),
    "Moosbauer et al. 2021": Paper(
        "moosbauer2021",
        "Moosbauer, J. and Herbinger, J. and Casalicchio, G. and Lindauer, M. and Bischl, B.",
        "Explaining hyperparameter optimization via partial dependence plots",
        _NEURIPS,
        2021,
        "34",
        kind="inproceedings",
    ),
    "Wilson 1927": Paper(
        "wilson1927",
        "Wilson, E. B.",
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association",
        1927,
        "22",
        "158",
        "209--212",
    ),
    "Kaplan and Meier 1958": Paper(
        "kaplan1958",
        "Kaplan, E. L. and Meier, P.",
        "Nonparametric estimation from incomplete observations",
        "Journal of the American Statistical Association",
        1958,
        "53",
        "282",
        "457--481",
    ),
}


def cited(words: Iterable[str]) -> list[Paper]:
    """Return the papers that these citations name, each once, in the order of the list above."""
    said = " | ".join(words)
    return [paper for name, paper in PAPERS.items() if name in said]
