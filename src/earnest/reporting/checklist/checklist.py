"""TRIPOD+AI filled from a run: what was done, where the report has it, what the author writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.writing import write_file
from earnest.core.results.calibration import ClassCalibration, Coefficient
from earnest.core.results.subgroups import Subgroups
from earnest.core.text.estimate import limits_words, print_numbers
from earnest.core.text.numbers import MINUS, percent
from earnest.core.text.subgroups import show_score, show_value
from earnest.core.text.validation import show_row
from earnest.reporting.checklist.items import ITEMS, Applies, ChecklistItem
from earnest.reporting.checklist.study import Study
from earnest.reporting.checklist.words import tell_item

GUIDELINE = "TRIPOD+AI"
SOURCE = "Collins et al. 2024, BMJ 385, e078378"
NONE = "–"


class Filling(StrEnum):
    """How much of an item the run tells."""

    RUN = "from the run"
    SHARED = "from the run, and the author"
    AUTHOR = "the author"
    ELSEWHERE = "not part of this run"


@dataclass(frozen=True)
class ChecklistRow:
    """One item of the checklist, filled.

    Attributes
    ----------
    item : ChecklistItem
        What is asked.
    facts : tuple of str
        What the run says, in sentences.
    sections : tuple of str
        The sections of the report that have it.
    evaluated : bool
        Whether the study has an evaluation on new cases.
    """

    item: ChecklistItem
    facts: tuple[str, ...]
    sections: tuple[str, ...]
    evaluated: bool = False

    @property
    def standing(self) -> Filling:
        """How much of it the run tells."""
        if self.item.applies is Applies.EVALUATION and not self.evaluated:
            return Filling.ELSEWHERE
        if not self.facts:
            return Filling.AUTHOR
        return Filling.SHARED if self.item.author else Filling.RUN


@dataclass(frozen=True)
class FactTable:
    """A table beside the checklist: its title, heads and rows of text."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """The TRIPOD+AI table of a run, and the tables that it refers to.

    Attributes
    ----------
    title : str
        What it is of.
    rows : tuple of ChecklistRow
        All 52 parts of the 27 items, in their order.
    tables : tuple of FactTable
        The flow of participants, the predictors, and the performance.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> found = en.tune(iris, target="target", n_configs=1, folds=3, rng=7, n_jobs=1)
    >>> checklist = en.report(found).to_checklist()
    >>> len(checklist.rows), checklist["20a"].facts[0]
    (52, 'The table has 150 rows; 150 cases took part in the search.')
    """

    title: str
    rows: tuple[ChecklistRow, ...]
    tables: tuple[FactTable, ...]

    def __getitem__(self, number: str) -> ChecklistRow:
        """Return the row of an item by its number, such as '12a'."""
        return next(row for row in self.rows if row.item.number == number)

    def count(self) -> dict[Filling, int]:
        """Return how many items stand how."""
        return dict(Counter(row.standing for row in self.rows))

    def to_markdown(self, page: str = "") -> str:
        """Return it as Markdown; `page` is where the report is, for links."""
        from earnest.reporting.checklist.writing import write_markdown

        return write_markdown(self, page)

    def to_html(self, page: str = "") -> str:
        """Return it as one HTML page of plain tables, which word processors open."""
        from earnest.reporting.checklist.writing import write_html

        return write_html(self, page)

    def to_latex(self, page: str = "") -> str:
        """Return it as LaTeX, for the packages booktabs and longtable."""
        from earnest.reporting.checklist.writing import write_latex

        return write_latex(self)

    def save(self, path: str | Path, page: str = "") -> Path:
        """Write it as .md, .html or .tex, by the file extension."""
        target = check.read_path(path)
        form = FORMS.get(target.suffix.lower())
        if form is None:
            raise InputError(
                "the file extension of the checklist is not supported",
                needs=", ".join(FORMS),
                got=target.name,
            )
        text: str = getattr(self, form)(page)
        return write_file(target, text)

    def __repr__(self) -> str:
        """Return how much of it is filled."""
        return f"{GUIDELINE}: {word_count(self)}"


FORMS = {".md": "to_markdown", ".html": "to_html", ".htm": "to_html", ".tex": "to_latex"}


def fill_checklist(study: Study, sections: Collection[str]) -> Checklist:
    """Return the checklist of a study whose report has these sections."""
    return Checklist(
        title=f"{GUIDELINE} checklist of {study.folder or study.source}",
        rows=tuple(
            ChecklistRow(
                item,
                tell_item(item.number, study),
                tuple(name for name in item.sections if name in sections),
                study.validation is not None,
            )
            for item in ITEMS
        ),
        tables=(list_flow(study), list_predictors(study), list_performance(study)),
    )


def word_count(checklist: Checklist) -> str:
    """Return how many items the run fills, and how many are left to the author."""
    run, shared, author, elsewhere = map(checklist.count().get, Filling)
    words = f"of {len(checklist.rows)} items the run fills {run or 0}, and {shared or 0} in part; "
    words += f"{author or 0} are for the author"
    return f"{words}, {elsewhere} for an evaluation on new cases" if elsewhere else words


# The tables beside it.


def list_flow(study: Study) -> FactTable:
    """Return the flow of participants as a table."""
    flow = study.participants
    rows = [("Rows of the table", f"{flow.n_rows:,}")]
    rows.append(("Left out: no outcome", f"{flow.n_without_outcome:,}"))
    if flow.n_not_searched:
        rows.append(("Not searched: no time in the budget", f"{flow.n_not_searched:,}"))
    rows.append(("Cases in search and validation", f"{flow.n_cases:,}"))
    rows += [(f"  with outcome {each.label}", f"{each.n_cases:,}") for each in study.outcomes]
    if study.n_groups is not None:
        rows.append((f"  groups by {study.group}", f"{study.n_groups:,}"))
    if study.has_model:
        rows.append(("Cases of the delivered model", f"{flow.n_delivered:,}"))
    return FactTable("Participants", ("Step", "Number"), tuple(rows))


def list_predictors(study: Study) -> FactTable:
    """Return the columns of the table: what they are, and how much of them is missing."""
    n = max(study.participants.n_cases, 1)
    rows = [
        (each.name, each.kind, f"{each.n_missing:,} ({percent(round(each.n_missing / n, 3))})")
        for each in study.predictors
    ]
    rows += [(name, f"left out: {kind}", NONE) for name, kind in study.left_out.items()]
    return FactTable("Predictors", ("Column", "Kind", "Missing"), tuple(rows))


def list_performance(study: Study) -> FactTable:
    """Return performance with intervals: of the metric, of the probabilities, of subgroups."""
    estimate, shown = study.estimate, print_numbers(study.estimate)
    interval = NONE if estimate.interval is None else limits_words(estimate.interval, shown)
    corrected = "" if not estimate.honest or estimate.n_configs < 2 else ", corrected"
    rows = [(f"{study.title}{corrected}", str(shown.value), interval)]
    if estimate.honest and estimate.n_configs > 1 and shown.naive is not None:
        rows.append((f"{study.title}, not corrected", str(shown.naive), NONE))
    if study.calibration is not None:
        several = len(study.calibration.classes) > 1
        for each in study.calibration.classes:
            rows += _list_calibration(each, f", {each.label}" if several else "")
    if study.subgroups is not None:
        rows += _list_subgroups(study.subgroups, study.title)
    if study.validation is not None:
        for measured in study.validation.performance:
            name, value, ends = show_row(measured)
            rows.append((f"New cases: {name}", value, ends or NONE))
    level = 0.95 if estimate.interval is None else estimate.interval.confidence_level
    return FactTable("Performance", ("Measure", "Value", f"{percent(level)} interval"), tuple(rows))


def _list_calibration(each: ClassCalibration, end: str) -> Iterator[tuple[str, str, str]]:
    numbers = (
        ("Calibration in the large (right at 0)", each.intercept),
        ("Calibration slope (right at 1)", each.slope),
        ("Expected / observed (right at 1)", each.ratio),
    )
    for words, coefficient in numbers:
        if coefficient is not None:
            yield f"{words}{end}", _show(coefficient.value), _show_limits(coefficient)


def _list_subgroups(groups: Subgroups, title: str) -> Iterator[tuple[str, str, str]]:
    for each in groups.subgroups:
        name = f"{title}, {each.name}, n={each.n_cases:,}"
        ends = f"{show_score(groups, each.low)} to {show_score(groups, each.high)}"
        yield name, show_value(groups, each), ends if each.judged else str(each.standing)


def _show(value: float) -> str:
    return f"{value:.2f}".replace("-", MINUS)


def _show_limits(coefficient: Coefficient) -> str:
    return f"{_show(coefficient.interval.low)} to {_show(coefficient.interval.high)}"
