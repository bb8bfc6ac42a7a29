"""`earnest report`: everything that can be said of a run, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from earnest.cli import options
from earnest.cli.reading import list_load_options, list_log_options, list_score_options
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError

if TYPE_CHECKING:
    from earnest.reporting.report import Report

HELP = (
    "Everything that can be said of a run, as [bold]one page[/bold] that needs nothing else.\n\n"
    "Reads the folder of a run, finished or not, a run file, or a table of out-of-fold "
    "predictions. Nothing is trained.\n\n"
    "  earnest report run/ --open\n"
    "  earnest report preds.csv --metric roc_auc -o report.html\n"
    "  earnest report scores.csv --scores -o report.html\n"
    "  earnest report run.db -o report.md"
)
_WRITE, _HOW = "What to write", "How to estimate"
ENDINGS = (".html", ".htm", ".json", ".md")

Source = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="The folder of a run, a run file (run.db), or a table of predictions: CSV, Parquet, "
        "Arrow or NPZ.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Output file that ends in .html, .json or .md. [dim]default: report.html, in the "
        "folder of the run[/dim]",
        rich_help_panel=_WRITE,
    ),
]
Show = Annotated[
    bool,
    typer.Option("--open", metavar="", help="Open it in a browser.", rich_help_panel=_WRITE),
]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="What to measure: that of the run, or see [bold]earnest metrics[/bold]. Given "
        "several times: a page each, named after it.",
        rich_help_panel=_HOW,
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="[dim]default: that of the run, or as for [bold]estimate[/bold][/dim]",
        rich_help_panel=_HOW,
    ),
]
Level = Annotated[
    float | None,
    typer.Option(
        "--level",
        metavar="SHARE",
        help="[dim]default: that of the run, or 0.95[/dim]",
        rich_help_panel=_HOW,
    ),
]
SideName = Annotated[
    str | None,
    typer.Option(
        "--side",
        metavar="SIDE",
        help="two-sided, lower, upper, or pessimistic.",
        rich_help_panel=_HOW,
    ),
]
NoExplanation = Annotated[
    bool,
    typer.Option(
        "--no-explain", metavar="", help="Leave the explanation out.", rich_help_panel=_HOW
    ),
]


def command(
    run: Source,
    out: Out = None,
    show: Show = False,
    metric: MetricNames = None,
    method: MethodName = None,
    level: Level = None,
    side: SideName = None,
    n_resamples: options.Resamples = None,
    seed: options.Seed = None,
    no_explain: NoExplanation = False,
    n_jobs: options.Jobs = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read a run, make its report, and write it."""
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    path = _choose_path(run, out)
    from earnest.reporting.report import report

    names: list[str | None] = [*dict.fromkeys(metric or [])]
    for name in names or [None]:
        made = report(
            run,
            metric=name,
            method=method,
            confidence_level=level,
            side=side,
            n_resamples=n_resamples,
            explain=not no_explain,
            rng=seed,
            n_jobs=n_jobs,
            **_list_options(run, reading, scoring),
        )
        page = path.with_name(f"{path.stem}-{name}{path.suffix}") if len(names) > 1 else path
        made.save(page)
        _say(made, page)
        if show:
            _open(page)


def _list_options(
    run: Path, reading: options.PredictionsReading, scoring: options.ScoresReading
) -> dict[str, Any]:
    """Return how to read a table, of predictions or of scores."""
    from earnest.adapters.scores.door import is_evaluation
    from earnest.core.tables.score_files import holds_scores

    if is_evaluation(run):
        return list_log_options(reading, scoring)
    if scoring.scores or holds_scores(run):
        return {"scores": True, **list_score_options(reading, scoring)}
    return list_load_options(reading)


def _choose_path(run: Path, out: Path | None) -> Path:
    """Return where to write, and refuse before any work what could not be written after it."""
    if out is None:
        out = run / "report.html" if run.is_dir() else Path("report.html")
    if out.suffix.lower() not in ENDINGS:
        raise InputError(
            "--out has an unsupported file extension", needs=", ".join(ENDINGS), got=str(out)
        )
    if not out.parent.is_dir():
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Create it first.")
    return out


def _say(made: Report, path: Path) -> None:
    from rich.text import Text

    from earnest.cli.show.estimate import indented, remarks
    from earnest.cli.show.terminal import clean, emit

    answer = made.content.answer
    assert answer is not None  # a run without one is refused before
    emit(
        Text(),
        indented(Text(clean(made.content.sentence), style="bold")),
        indented(Text(clean(answer.lede))),
        Text(),
        *(remarks(answer.cautions, answer.checked) if answer.checked else ()),
        indented(Text(f"Wrote {clean(str(path))}")),
    )


def _open(path: Path) -> None:
    import webbrowser

    webbrowser.open(path.resolve().as_uri())
