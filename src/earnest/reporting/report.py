"""The verb `report`: everything that can be said of a search, as one page."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import RngLike
from earnest.core.base.writing import write_file
from earnest.core.cautions.meanings import MEANINGS, Meaning
from earnest.core.data.subgroups import ByLike, list_names
from earnest.core.results.specs import Side
from earnest.core.results.validation import Validation
from earnest.core.text.cleaning import clean_line
from earnest.explanation.result import Explanation
from earnest.explanation.suggest import Suggestion
from earnest.reporting.checklist.card import write_card
from earnest.reporting.checklist.checklist import Checklist, fill_checklist
from earnest.reporting.checklist.study import (
    Study,
    check_validation,
    find_study,
    refuse_study,
)
from earnest.reporting.model import (
    SCHEMA,
    Answer,
    Content,
    Facts,
    GainPart,
    LearnedPart,
    RivalsPart,
    ThresholdsPart,
    make_plain,
)
from earnest.reporting.page import SECTIONS, markdown_of, page_of
from earnest.reporting.parts.answer import answer_of
from earnest.reporting.parts.audit import audit_of, resamples_of
from earnest.reporting.parts.columns import columns_part
from earnest.reporting.parts.computed import make_computed, make_computed_of_explanation
from earnest.reporting.parts.curves import curves_of
from earnest.reporting.parts.forest import methods_of
from earnest.reporting.parts.gain import gain_part
from earnest.reporting.parts.learned import make_learned_part
from earnest.reporting.parts.rivals import rivals_of
from earnest.reporting.parts.subgroups import subgroups_part
from earnest.reporting.parts.thresholds import thresholds_part
from earnest.reporting.sources.asking import Results, ask_all
from earnest.reporting.sources.source import material_from

# From results to the content of a report.


def content_of(results: Results, *, title: str = "") -> Content:
    """Return all parts of a report; those without data are told in `absent`."""
    rivals, explained = rivals_of(results), results.explanation
    learned = None if explained is None else make_learned_part(explained)
    answer = answer_of(results, rivals)
    gain, thresholds = gain_part(results), thresholds_part(results)
    return Content(
        title=title or answer.sentence,
        source=results.material.source,
        begun=results.material.begun,
        answer=answer,
        columns=columns_part(results.material.explained),
        gain=gain,
        methods=methods_of(results),
        resamples=tuple(resamples_of(results)),
        rivals=rivals,
        curves=curves_of(results),
        thresholds=thresholds,
        subgroups=subgroups_part(results),
        audit=audit_of(results, rivals),
        learned=learned,
        computed=make_computed(results),
        files=results.material.files,
        absent=results.absent,
        codes=_codes(answer, gain, rivals, thresholds, learned),
        results=_results(results),
    )


def content_of_explanation(
    explanation: Explanation, suggestions: Sequence[Suggestion] | None = None, *, source: str = ""
) -> Content:
    """Return an explanation alone: the part of a report, and how it was computed.

    Parameters
    ----------
    explanation : Explanation
        What to show.
    suggestions : sequence of Suggestion, optional
        What to try next; the explanation is asked for some by default.
    source : str
        What was read, for the page; what the explanation says of it by default.
    """
    learned = make_learned_part(explanation, suggestions, most_effects=len(explanation.effects))
    return Content(
        title=learned.heading,
        source=source or str(explanation.provenance.get("source", "")),
        learned=learned,
        computed=make_computed_of_explanation(explanation),
        codes=_codes(learned),
        results={"explanation": explanation.to_dict()},
    )


def _codes(
    *parts: Answer | GainPart | RivalsPart | ThresholdsPart | LearnedPart | None,
) -> dict[str, Meaning]:
    """Return what the codes mean that these parts warn with."""
    codes = sorted(
        {each.code for section in parts if section is not None for each in section.cautions}
    )
    return {code: MEANINGS[code] for code in codes}


def _results(results: Results) -> dict[str, Any]:
    """Return the results in full precision."""
    parts = {
        "estimate": results.estimate,
        "counts": results.material.counts,
        "gain": results.gain,
        "learning_curve": results.material.learning,
        "model_explanation": results.material.explained,
        "methods": results.table,
        "comparison": results.many,
        "thresholds": results.thresholds,
        "subgroups": results.subgroups,
        "calibration": results.calibration,
        "readiness": results.readiness,
        "explanation": results.explanation,
    }
    return {name: result.to_dict() for name, result in parts.items() if result is not None}


SAVE = "`report.save('report.html')` writes the whole page."
FORMS = {".html": "to_html", ".htm": "to_html", ".json": "to_json", ".md": "to_markdown"}


@dataclass(frozen=True, eq=False)
class Report:
    """A report: its content as plain data, and three ways to write it.

    Attributes
    ----------
    content : Content
        All parts, as frozen dataclasses; nothing is computed after it.
    folder : Path or None
        The folder of the run; a page that is saved links to the files in it.
    study : Study or None
        What the run recorded of participants and predictors; None of other sources.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> report = en.report(pi, metric="roc_auc", n_resamples=200)
    >>> report.to_markdown().splitlines()[0]
    '# Expect a ROC AUC of 0.73 on new data, not the 0.80 that your predictions reported.'
    """

    content: Content
    folder: Path | None = None
    study: Study | None = None

    def to_checklist(self, validation: Validation | None = None) -> Checklist:
        """Return the TRIPOD+AI table: what was done, where it stands, what the author writes.

        Parameters
        ----------
        validation : Validation, optional
            What `earnest.validate` says of the delivered model on new cases, for the items on an
            evaluation.

        Raises
        ------
        EvidenceError
            For a source other than a finished run of `tune`.
        InputError
            For a validation of another model.
        """
        sections = [name for name, _ in SECTIONS if getattr(self.content, name) is not None]
        study = self._need_study()
        if validation is not None:
            study = replace(study, validation=check_validation(study, validation))
        return fill_checklist(study, sections)

    def to_card(self) -> str:
        """Return a model card as Markdown, from the same facts as the checklist."""
        return write_card(self._need_study())

    def _need_study(self) -> Study:
        if self.study is None:
            raise refuse_study(self.content.source)
        return self.study

    def to_html(self, *, beside: Path | None = None) -> str:
        """Return one self-contained page: no network, no folder, readable without script.

        Parameters
        ----------
        beside : Path, optional
            The folder in which the page will stand; it then links to the files of the run.
        """
        return page_of(self.content, _find_links(self.content, self.folder, beside))

    def to_json(self) -> str:
        """Return the same content as JSON, the results in full precision."""
        data = {"schema": SCHEMA, **make_plain(self.content)}
        text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return text.encode("utf-8", "backslashreplace").decode()  # a half of a pair as JSON has it

    def to_markdown(self) -> str:
        """Return the same content as Markdown, figures as tables."""
        return markdown_of(self.content)

    def save(self, path: str | Path) -> Path:
        """Write the report as .html, .json or .md, by the file extension."""
        target = check.read_path(path)
        form = FORMS.get(target.suffix.lower())
        if form is None:
            raise InputError(
                "the file extension of the report is not supported",
                needs=", ".join(FORMS),
                got=target.name,
            )
        text = self.to_html(beside=target.parent) if form == "to_html" else getattr(self, form)()
        return write_file(target, text)

    def _repr_html_(self) -> str:
        from earnest.reporting.fragments import fragment

        answer = self.content.answer
        if answer is None:
            return fragment(self.content.sentence, SAVE, [], ())
        facts = [(group.title, _in_a_line(group)) for group in answer.facts]
        words = f"{answer.lede} {SAVE}"
        pictures = [answer.phone] if answer.phone is not None else []
        return fragment(answer.sentence, words, facts, answer.cautions, pictures)

    def __repr__(self) -> str:
        """Return the headline."""
        return clean_line(f"Report: {self.content.sentence}")


def _find_links(content: Content, folder: Path | None, beside: Path | None) -> dict[str, str]:
    """Return where the files of a run are, seen from the folder of a page."""
    if folder is None or beside is None:
        return {}
    try:
        way = os.path.relpath(folder.resolve(), beside.resolve())
    except ValueError:  # another drive
        return {}
    return {name: quote((Path(way) / name).as_posix()) for name in content.files}


def _in_a_line(group: Facts) -> str:
    return ", ".join(f"{name} {value}" for name, value in group.rows)


def report(
    source: Any,
    *,
    metric: Any = None,
    method: Any = None,
    confidence_level: float | None = None,
    side: Side | str | None = None,
    n_resamples: int | None = None,
    by: ByLike | None = None,
    explain: bool = True,
    title: str = "",
    rng: RngLike = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Report:
    """Tell everything that can be said of a search, as one page.

    Nothing is trained. The report asks `estimate`, `gain`, `estimate_all`, `compare_many`,
    `thresholds` and `explain`, and shows what they answer: the honest number beside the naive one,
    what the search gained, all methods, the winner against the others, curves, what to expect at
    every threshold, every configuration that was tried, what the search learned, and how all of it
    was computed.

    **What is estimated.** What `estimate` says of the method; the page repeats it beside the
    number. **What it assumes.** What the methods assume. **When it fails.** A part without data
    is left out, and the page says why; a run file alone holds no outcome, and so no estimate.

    Parameters
    ----------
    source : SearchCV, Tuned, Predictions, str or Path
        A fitted search, what `tune` returned, predictions, scores of folds, a file of these, a run
        file (`run.db`), or the folder of a run, finished or not. What a search or a tuning has
        computed already is not computed again.
    metric : str, Metric or callable, optional
        What to measure; that of the search by default, needed for predictions.
    method : str or Method, optional
        What estimates; that of the search, or as `estimate` chooses.
    confidence_level : float, optional
        The level of intervals; that of the search, or 0.95.
    side : {'two-sided', 'lower', 'upper', 'pessimistic'}, optional
        Which ends the interval has.
    n_resamples : int, optional
        The number of resamples; the method's by default.
    by : str, list of str, array or dict of arrays, optional
        What divides the cases into subgroups, as for `estimate`; by default the columns that the
        predictions carry.
    explain : bool
        Whether to explain the search, where its parameters are known.
    title : str
        The title of the page; the headline by default.
    rng : None, int, SeedSequence, Generator or RandomState
        The seed; that of the search, or 0, so that the same input gives the same bytes.
    n_jobs : int, optional
        The number of threads; never changes the result.
    **options
        How to read a table of predictions; see `Predictions.load`.

    Returns
    -------
    Report
        The content, with `save`, `to_html`, `to_json` and `to_markdown`.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(7)
    >>> y = rng.integers(0, 2, 200)
    >>> scores = y[:, None] + 1.5 * rng.standard_normal((200, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) % 10)
    >>> en.report(pi, metric="roc_auc")
    Report: Expect a ROC AUC of 0.69 on new data, not the 0.76 that your predictions reported.
    """
    if list_names(by):
        options["by"] = list_names(by)
    material = material_from(source, metric, **options)
    results = ask_all(
        material,
        method=method,
        confidence_level=confidence_level,
        side=None if side is None else str(side),
        n_resamples=n_resamples,
        rng=rng,
        n_jobs=n_jobs,
        by=by,
        explanation=explain,
    )
    return Report(content_of(results, title=title), _find_folder(source), find_study(results))


def _find_folder(source: Any) -> Path | None:
    """Return the folder of a run, where the source is one or was written to one."""
    if isinstance(source, (str, Path)):
        return Path(source) if Path(source).is_dir() else None
    folder = getattr(source, "folder", None)
    return folder if isinstance(folder, Path) else None
