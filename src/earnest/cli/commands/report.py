"""`earnest report`: everything that can be said of a run, as one page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from earnest.cli.options import make_argument
from earnest.cli.reading import (
    advise_on_tuning,
    list_load_options,
    list_log_options,
    list_score_options,
)
from earnest.cli.writing import check_ending, check_folder
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.report import ReportArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.results.validation import Validation
    from earnest.reporting.report import Report

HELP = (
    "Everything about a run, on [bold]one self-contained page[/bold].\n\n"
    "Reads the folder of a run, finished or not, a run file, or a table of out-of-fold "
    "predictions. Nothing is trained.\n\n"
    "  earnest report run/ --open\n"
    "  earnest report preds.csv --metric roc_auc -o report.html\n"
    "  earnest report scores.csv --scores -o report.html\n"
    "  earnest report run.db -o report.md"
)
_WRITE = "What to write"
ENDINGS = (".html", ".htm", ".json", ".md")
CHECKLISTS, CARDS = (".md", ".html", ".htm", ".tex"), (".md",)


@dataclass(frozen=True, kw_only=True)
class ReportOutput:
    """Where the page is written."""

    out: Annotated[
        Path | None,
        Argument(
            "Output file that ends in .html, .json or .md. [dim]default: report.html, in the "
            "folder of the run[/dim]",
            "FILE",
            _WRITE,
            usual=True,
            short="-o",
        ),
    ] = None
    open: Annotated[bool, Argument("Open it in a browser.", panel=_WRITE, usual=True)] = False
    checklist: Annotated[
        Path | None,
        Argument("Also a TRIPOD+AI table: .md, .html or .tex.", "FILE", _WRITE, usual=True),
    ] = None
    validation: Annotated[
        Path | None,
        Argument("For it: what validate --json wrote.", "FILE", _WRITE, usual=True),
    ] = None
    card: Annotated[
        Path | None, Argument("Also a model card: .md.", "FILE", _WRITE, usual=True)
    ] = None


def command(
    run: Annotated[
        Path,
        make_argument(
            "RUN",
            "The folder of a run, a run file (run.db), or a table of predictions: CSV, Parquet, "
            "Arrow or NPZ.",
        ),
    ],
    *,
    output: ReportOutput,
    question: ReportArguments,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read a run, make its report, and write it, with what was asked for beside it."""
    out, metric = output.out, question.metric
    from earnest.core.base.writing import refuse_links

    names = [*dict.fromkeys(metric or [])]
    pages = _choose_paths(run, out, names)
    _check_beside(output, pages)
    validation = _read_validation(output)
    ours = out is None or len(names) > 1  # names that the user did not choose
    refuse_links(*(pages.values() if ours else ()))
    from earnest.reporting.report import report

    advise_on_tuning(run)
    for name, page in pages.items():
        document = report(
            run,
            metric=name,
            **pass_arguments(question, without=("metric",)),
            **_list_options(run, reading, scoring),
        )
        if ours:
            refuse_links(page)
        beside = _write_beside(document, page, output, validation)
        document.save(page)
        _say(document, page, *beside)
        if output.open:
            import webbrowser

            webbrowser.open(page.resolve().as_uri())


def _list_options(
    run: Path, reading: PredictionsArguments, scoring: ScoresArguments
) -> dict[str, Any]:
    """Return how to read a table, of predictions or of scores."""
    from earnest.adapters.scores.door import is_evaluation
    from earnest.core.tables.opening import holds_scores

    if is_evaluation(run):
        return list_log_options(reading, scoring)
    if scoring.scores or holds_scores(run):
        return {"scores": True, **list_score_options(reading, scoring)}
    return list_load_options(reading)


def _choose_paths(run: Path, out: Path | None, metrics: list[str]) -> dict[str | None, Path]:
    """Return where to write by metric; refuse before any work what could not be written after."""
    if out is None:
        out = run / "report.html" if run.is_dir() else Path("report.html")
    check_ending(out, ENDINGS)
    check_folder(out)
    if len(metrics) < 2:
        return {metrics[0] if metrics else None: out}
    return {name: out.with_name(f"{out.stem}-{name}{out.suffix}") for name in metrics}


def _check_beside(output: ReportOutput, pages: Mapping[str | None, Path]) -> None:
    """Refuse before any work a checklist or a card that could not be written after it."""
    asked = {"--checklist": (output.checklist, CHECKLISTS), "--card": (output.card, CARDS)}
    for option, (path, endings) in asked.items():
        if path is None:
            continue
        if len(pages) > 1:
            raise InputError(f"{option} is for one metric", cure="Pass one --metric.")
        check_ending(path, endings, option)
        check_folder(path)
        if path.resolve() in {page.resolve() for page in pages.values()}:
            raise InputError(
                f"{option} and the report have the same name", got=str(path), cure="Change one."
            )


def _read_validation(output: ReportOutput) -> Validation | None:
    """Return the validation for the checklist, None where none was given."""
    if output.validation is None:
        return None
    if output.checklist is None:
        raise InputError("--validation is for a checklist", cure="Add --checklist FILE.")
    from earnest.core.results.validation import Validation

    return Validation.load(output.validation)


def _write_beside(
    document: Report, page: Path, output: ReportOutput, validation: Validation | None
) -> tuple[Path, ...]:
    """Write the checklist and the card that were asked for; the checklist links to the page."""
    from earnest.core.base.writing import write_file

    paths = []
    if output.checklist is not None:
        linked = page.suffix.lower() in (".html", ".htm")
        link = find_link(page, output.checklist.parent) if linked else ""
        paths.append(document.to_checklist(validation).save(output.checklist, link))
    if output.card is not None:
        paths.append(write_file(output.card, document.to_card()))
    return tuple(paths)


def find_link(page: Path, folder: Path) -> str:
    """Return where a page is, seen from a folder; nothing on another drive."""
    try:
        return quote(Path(os.path.relpath(page.resolve(), folder.resolve())).as_posix())
    except ValueError:
        return ""


def _say(page: Report, *paths: Path) -> None:
    from earnest.cli.show.estimate import emit_blocks, remarks, show_paragraph

    answer = page.content.answer
    assert answer is not None  # a run without one is refused before
    cautions = remarks(answer.cautions, answer.checked) if answer.checked else ()
    emit_blocks(
        [show_paragraph(page.content.sentence, "bold"), show_paragraph(answer.lede)],
        [*cautions, *(show_paragraph(f"Wrote {path}") for path in paths)],
    )
