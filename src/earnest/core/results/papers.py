"""The papers that methods, tests and reports stand on, by the word that a spec cites them with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


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
    "Zrnic and Fithian 2024": Paper(
        "zrnic2024",
        "Zrnic, T. and Fithian, W.",
        "Locally simultaneous inference",
        "arXiv:2212.09009",
        2024,
    ),
    "Petrou-Zeniou and Shaikh 2024": Paper(
        "petrouzeniou2024",
        "Petrou-Zeniou, A. and Shaikh, A. M.",
        "Inference on multiple winners with applications to economic mobility",
        "arXiv:2410.19212",
        2024,
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
    "Yousef 2022": Paper(
        "yousef2022",
        "Yousef, W. A.",
        "Machine learning assessment: implications to cybersecurity",
        "arXiv:1907.12851",
        2022,
    ),
    "Efron, Tibshirani 1997": Paper(
        "efron1997",
        "Efron, B. and Tibshirani, R.",
        "Improvements on cross-validation: the .632+ bootstrap method",
        "Journal of the American Statistical Association",
        1997,
        "92",
        "438",
        "548--560",
    ),
    "Bates, Hastie, Tibshirani 2024": Paper(
        "bates2024",
        "Bates, S. and Hastie, T. and Tibshirani, R.",
        "Cross-validation: what does it estimate and how well does it do it?",
        "Journal of the American Statistical Association",
        2024,
        "119",
        "546",
        "1434--1445",
    ),
    "Nadeau, Bengio 2003": Paper(
        "nadeau2003",
        "Nadeau, C. and Bengio, Y.",
        "Inference for the generalization error",
        "Machine Learning",
        2003,
        "52",
        "3",
        "239--281",
    ),
    "Dietterich 1998": Paper(
        "dietterich1998",
        "Dietterich, T. G.",
        "Approximate statistical tests for comparing supervised classification learning algorithms",
        "Neural Computation",
        1998,
        "10",
        "7",
        "1895--1923",
    ),
    "Alpaydin 1999": Paper(
        "alpaydin1999",
        "Alpaydin, E.",
        "Combined 5 x 2 cv F test for comparing supervised classification learning algorithms",
        "Neural Computation",
        1999,
        "11",
        "8",
        "1885--1892",
    ),
    "Corani, Benavoli 2015": Paper(
        "corani2015",
        "Corani, G. and Benavoli, A.",
        "A Bayesian approach for comparing cross-validated algorithms on multiple data sets",
        "Machine Learning",
        2015,
        "100",
        "2",
        "285--304",
    ),
    "Stone 1974": Paper(
        "stone1974",
        "Stone, M.",
        "Cross-validatory choice and assessment of statistical predictions",
        "Journal of the Royal Statistical Society, Series B",
        1974,
        "36",
        "2",
        "111--147",
    ),
    "Lachenbruch, Mickey 1968": Paper(
        "lachenbruch1968",
        "Lachenbruch, P. A. and Mickey, M. R.",
        "Estimation of error rates in discriminant analysis",
        "Technometrics",
        1968,
        "10",
        "1",
        "1--11",
    ),
    "McNemar 1947": Paper(
        "mcnemar1947",
        "McNemar, Q.",
        "Note on the sampling error of the difference between correlated proportions or "
        "percentages",
        "Psychometrika",
        1947,
        "12",
        "2",
        "153--157",
    ),
    "Fisher 1935": Paper(
        "fisher1935",
        "Fisher, R. A.",
        "The design of experiments",
        "Oliver and Boyd",
        1935,
        kind="book",
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
    "Fawcett 2006": Paper(
        "fawcett2006",
        "Fawcett, T.",
        "An introduction to ROC analysis",
        "Pattern Recognition Letters",
        2006,
        "27",
        "8",
        "861--874",
    ),
    "Kalbfleisch and Prentice 2002": Paper(
        "kalbfleisch2002",
        "Kalbfleisch, J. D. and Prentice, R. L.",
        "The statistical analysis of failure time data",
        "Wiley",
        2002,
        kind="book",
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
    return [paper for word, paper in PAPERS.items() if word in cites]


def collect_papers(specs: Sequence[CitableSpec], also: Iterable[str] = ()) -> list[Paper]:
    """Return what to cite for methods and tests, each paper once: the table's first.

    `also` are words of the table for what else is shown.
    """
    known = find_papers(" | ".join([*(spec.cites for spec in specs), *also]))
    own = [paper for spec in specs for paper in spec.papers]
    return list({paper.key: paper for paper in (*known, *own)}.values())
