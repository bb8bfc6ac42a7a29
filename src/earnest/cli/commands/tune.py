"""`earnest tune`: from a table to a tuned model and what to expect of it."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli import ending_code, find_command_start
from earnest.cli.errors import write_line
from earnest.cli.options import Data
from earnest.cli.reading import read_sign
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import refuse_linked_folders
from earnest.core.arguments.base import Argument
from earnest.core.arguments.shared import HOW
from earnest.core.arguments.tune import TuneArguments

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions
    from earnest.training.search.live import LivePage
    from earnest.training.tune.job import Job
    from earnest.training.tune.options import TuneOptions
    from earnest.training.tune.tuned import Tuned


OUT = Path("run")
TICK = 0.5  # seconds after which the line of a run counts down, though no fit is finished

HELP = (
    "Tune a model for a table and see what to [bold]expect[/bold] of it on new data.\n\nTries a "
    "portfolio of learners with their preprocessing by cross-validation, as much of it as the "
    "budget allows, fits the winner on all rows, and writes a folder: a report to look at, the "
    "model, the estimate, all predictions, and a run file to resume the run from.\n\n  earnest "
    "tune patients.csv --target relapse --budget 5m\n  earnest tune patients.csv -t relapse "
    "--group hospital --drop bced --out run/\n  earnest tune trial.parquet --time days --event "
    "died"
)


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """Where a run stands, and what is shown and written of it."""

    out: Annotated[
        Path, Argument("Folder for the files of the run.", "FOLDER", usual=True, short="-o")
    ] = OUT
    resume: Annotated[bool, Argument("Resume the run in the folder.", usual=True)] = False
    plan: Annotated[
        Path | None,
        Argument("Repeat what an earlier run tried: the path of its plan.json.", "FILE"),
    ] = None
    json: Annotated[bool, Argument("Write only one JSON object.", usual=True)] = False
    quiet: Annotated[bool, Argument("Show only errors.", short="-q")] = False
    report: Annotated[bool, Argument("Write the report.", opposite="--no-report")] = True
    live: Annotated[
        bool,
        Argument(
            "Show the run on a page, later its report.",
            usual=True,
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class BackendOptions:
    """Where fits run."""

    backend: Annotated[
        str, Argument("Where fits run: loky (processes), threading, dask, ray.", "NAME", HOW)
    ] = "loky"
    scheduler: Annotated[
        str | None,
        Argument(
            "Address of a cluster, for --backend dask or ray: tcp://127.0.0.1:8786.",
            "ADDRESS",
            HOW,
        ),
    ] = None


def command(
    data: Data, *, question: TuneArguments, options: RunFiles, where: BackendOptions
) -> None:
    """Read, plan, search, and show or write what was found."""
    from earnest.engine.backends import on_backend
    from earnest.training.tune.options import TuneOptions

    tune_options = TuneOptions.of(
        replace(
            question,
            delimiter=read_sign(question.delimiter),
            thousands=read_sign(question.thousands),
        )
    )
    if options.out == OUT:
        refuse_linked_folders(options.out)
    with on_backend(where.backend, where.scheduler):
        run_job(data, tune_options, options)


def run_job(data: Path, tune_options: TuneOptions, options: RunFiles) -> Tuned:
    """Run a tuning with its lines on the terminal, and return what it found."""
    from earnest.cli.show.progress import FoldLine, waiting
    from earnest.cli.show.tune import show_live, show_read, show_search_plan, show_tuned
    from earnest.training.tune.job import PILOT, begin

    started, out = find_command_start(), options.out
    job = begin(
        data, tune_options, out=out, resume=options.resume, plan=options.plan, started=started
    )
    shown = not options.json and not options.quiet
    stream = None if options.quiet else sys.stderr
    if shown:
        show_read(job)
    line = FoldLine(stream, by_fold=tune_options.drop is not None)
    meter = job.make_meter(line, every=TICK)
    trouble = None
    try:
        with _live_page(job, out) if options.live else nullcontext() as page:
            if page is not None:
                page.meter = meter
                page.say(PILOT)
                if shown:
                    show_live(page.path)
            with waiting(stream, PILOT):
                settled = job.plan(_rehearse_report if options.report else None)
            if shown:
                show_search_plan(job, settled)
            with meter:
                tuned = job.run(settled, meter, page)
                if options.report:
                    meter.say("Writing the report")
                    trouble = write_report(tuned, page)
                tuned = replace(tuned, seconds=meter.read().elapsed)
    except KeyboardInterrupt:
        if (out / "run.db").exists():
            write_line(
                f"Finished work is kept in {out}/. Run the same command with --resume to continue.",
                label="stopped",
            )
        raise typer.Exit(ending_code()) from None
    if page is not None and page.trouble is not None:
        write_line(page.trouble, label="warning")
    if options.json:
        times = {"seconds": tuned.seconds, "fit_seconds": tuned.fit_seconds}
        times |= {} if tuned.budget_used is None else {"budget_used": tuned.budget_used}
        write_json({**tuned.to_dict(), "folder": str(out), **times})
    elif shown:
        show_tuned(tuned, trouble)
    return tuned


def _rehearse_report(predictions: Predictions, metric: str) -> None:
    """Make a report of made-up predictions, to know how long that takes."""
    from earnest.reporting.report import report

    report(predictions, metric=metric).to_html()


def _live_page(job: Job, out: Path) -> LivePage:
    """Return the page of a run, where its report will be."""
    from earnest.core.base.errors import FormatError
    from earnest.training.search.live import LivePage
    from earnest.training.tune.folder import REPORT

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"the folder {str(out)!r} cannot be created", got=str(error.strerror)
        ) from error
    again = "Run the same command with --resume to continue."
    return LivePage(out / REPORT, title=job.name, again=again, follow=False)


def write_report(tuned: Tuned, page: LivePage | None = None) -> str | None:
    """Write the page beside the other files; return why there is none where it cannot be made.

    What was tuned is kept in any case: the page can be made later by `earnest report`. A live
    page stands under the same name, and is left for it.
    """
    from earnest.core.base.errors import EarnestError
    from earnest.core.base.writing import refuse_links
    from earnest.reporting.report import report
    from earnest.training.tune.folder import REPORT

    assert tuned.folder is not None
    try:
        document = report(tuned)
        if page is not None:
            page.hand_over()
        refuse_links(tuned.folder / REPORT)
        document.save(tuned.folder / REPORT)
    except EarnestError as error:
        return str(error)
    return None
