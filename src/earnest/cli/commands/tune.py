"""`earnest tune`: from a table to a tuned model and what to expect of it."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from earnest.cli import ending_code, find_command_start
from earnest.cli.failures import say
from earnest.cli.options import (
    AsJson,
    Decimal,
    Delimiter,
    EventColumn,
    Missing,
    Thousands,
    make_argument,
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import read_table_marks
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import refuse_linked_folders

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions
    from earnest.training.search.live import LivePage
    from earnest.training.tune.job import Job
    from earnest.training.tune.options import TuneOptions
    from earnest.training.tune.tuned import Tuned


_SEARCH = "How to search"
_READ = "How to read the table"
OUT = Path("run")
TICK = 0.5  # seconds after which the line of a run counts down, though no fit is finished

Data = Annotated[
    Path,
    make_argument("TABLE", "The data, one row per case: CSV, Parquet or Arrow."),
]
Target = Annotated[str | None, make_option(None, "COLUMN", "Column to predict.", "--target", "-t")]


@dataclass(frozen=True, kw_only=True)
class CasesReading:
    """How a table of cases is read, beside its outcome; None where nothing was said."""

    group: Annotated[
        str | None,
        make_option(
            _READ,
            "COLUMN",
            "Column of groups, such as the patient of each visit; a group stays in one fold.",
        ),
    ] = None
    task: Annotated[
        str | None,
        make_option(
            _READ, "TASK", "[dim]default: from the outcome[/dim]  binary, multiclass, regression."
        ),
    ] = None
    positive: Annotated[
        str | None,
        make_option(
            _READ,
            "LABEL",
            "[dim]default: 1 of 0 and 1, yes of yes and no, otherwise the rarer one[/dim]  "
            "The positive class.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, make_option(_READ, "COLUMN", "Column to leave out; repeat for several.")
    ] = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
    missing: Missing = None


HELP = (
    "Tune a model for a table and see what to [bold]expect[/bold] of it on new data.\n\nTries a "
    "portfolio of learners with their preprocessing by cross-validation, as much of it as the "
    "budget allows, fits the winner on all rows, and writes a folder: a report to look at, the "
    "model, the estimate, all predictions, and a run file to resume the run from.\n\n  earnest "
    "tune patients.csv --target relapse --budget 5m\n  earnest tune patients.csv -t relapse "
    "--group hospital --drop bced --out run/\n  earnest tune trial.parquet --time days --event "
    "died"
)


def command(
    data: Data,
    target: Target = None,
    metric: Annotated[
        str | None,
        make_option(
            None,
            "NAME",
            "[dim]default: roc_auc, roc_auc_ovr, r2 or concordance, by the task[/dim]  See "
            "[bold]earnest metrics[/bold].",
            "--metric",
            "-m",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        make_option(
            None,
            "TIME",
            "[dim]default: 5m, or no limit with --configs[/dim]  Time budget, such as 90s, "
            "5m or 1h.",
        ),
    ] = None,
    out: Annotated[
        Path, make_option(None, "FOLDER", "Folder for the files of the run.", "--out", "-o")
    ] = OUT,
    resume: Annotated[
        bool, make_option(None, "", "Resume the run in the folder.", "--resume")
    ] = False,
    plan: Annotated[
        Path | None,
        make_option(None, "FILE", "Repeat what an earlier run tried: the path of its plan.json."),
    ] = None,
    json: AsJson = False,
    quiet: Annotated[bool, make_option(None, "", "Show only errors.", "--quiet", "-q")] = False,
    no_report: Annotated[
        bool, make_option(None, "", "Do not write the report.", "--no-report")
    ] = False,
    live: Annotated[
        bool,
        make_option(
            None,
            "",
            "Show the run while it goes on, on a page in its folder that becomes the report.",
            "--live",
        ),
    ] = False,
    learning_curve: Annotated[
        bool,
        make_option(
            None,
            "",
            "Also train the winner on parts of its cases, to show what more cases add. Takes time "
            "beyond the budget.",
            "--learning-curve",
        ),
    ] = False,
    folds: Annotated[int, make_option(_SEARCH, "K", "Number of folds.")] = 10,
    repeats: Annotated[int, make_option(_SEARCH, "R", "Number of times to repeat the folds.")] = 1,
    drop: Annotated[
        str | None,
        make_option(
            _SEARCH,
            "RULE",
            "Drop configurations early if they can no longer win: bced or bced_adjusted.",
        ),
    ] = None,
    ensemble: Annotated[
        str,
        make_option(
            _SEARCH,
            "RULE",
            "greedy: average several configurations if that promises more than the best one. "
            "none: use the best one.",
        ),
    ] = "none",
    portfolio: Annotated[
        str,
        make_option(
            _SEARCH, "NAME", "What to try: default, tsamardinos2018, or the path of a .toml file."
        ),
    ] = "default",
    configs: Annotated[
        int | None,
        make_option(_SEARCH, "N", "Try the first N configurations, however long it takes."),
    ] = None,
    level: Annotated[float, make_level_option(_SEARCH)] = 0.95,
    seed: Annotated[int | None, make_seed_option(_SEARCH)] = None,
    n_jobs: Annotated[int, make_jobs_option(_SEARCH, "Parallel fits; -1 uses all cores.")] = -1,
    backend: Annotated[
        str, make_option(_SEARCH, "NAME", "Where fits run: loky (processes), threading, dask, ray.")
    ] = "loky",
    scheduler: Annotated[
        str | None,
        make_option(
            _SEARCH,
            "ADDRESS",
            "Address of a cluster, for --backend dask or ray: tcp://127.0.0.1:8786.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        make_option(_READ, "COLUMN", "Survival time; use it with --event instead of --target."),
    ] = None,
    event: EventColumn = None,
    keep: Annotated[
        list[str] | None,
        make_option(
            _READ, "COLUMN", "Column to use that would be left out otherwise; repeat for several."
        ),
    ] = None,
    *,
    reading: CasesReading,
) -> None:
    """Read, plan, search, and show or write what was found."""
    from earnest.engine.backends import on_backend
    from earnest.training.tune.options import TuneOptions, read_budget

    asked = TuneOptions(
        target=target,
        metric=metric,
        budget=read_budget(budget),
        folds=folds,
        repeats=repeats,
        drop=drop,
        ensemble=ensemble,
        portfolio=portfolio,
        n_configs=configs,
        confidence_level=level,
        seed=seed,
        n_jobs=n_jobs,
        group=reading.group,
        time=time,
        event=event,
        task=reading.task,
        positive=reading.positive,
        ignore=tuple(reading.ignore or ()),
        keep=tuple(keep or ()),
        learning_curve=learning_curve,
        **read_table_marks(reading),
    )
    if out == OUT:
        refuse_linked_folders(out)
    with on_backend(backend, scheduler):
        run_job(
            data,
            asked,
            out=out,
            resume=resume,
            plan=plan,
            json=json,
            quiet=quiet,
            report=not no_report,
            live=live,
        )


def run_job(
    data: Path,
    asked: TuneOptions,
    *,
    out: Path,
    resume: bool,
    plan: Path | None = None,
    json: bool = False,
    quiet: bool = False,
    report: bool = True,
    live: bool = False,
) -> Tuned:
    """Run a tuning with its lines on the terminal, and return what it found."""
    from earnest.cli.show.progress import FoldLine, waiting
    from earnest.cli.show.tune import show_live, show_plan, show_read, show_tuned
    from earnest.training.tune.job import PILOT, begin

    started = find_command_start()
    job = begin(data, asked, out=out, resume=resume, plan=plan, started=started)
    shown, stream = not json and not quiet, None if quiet else sys.stderr
    if shown:
        show_read(job)
    line = FoldLine(stream, by_fold=asked.drop is not None)
    meter = job.make_meter(line, every=TICK)
    trouble = None
    try:
        with _live_page(job, out) if live else nullcontext() as page:
            if page is not None:
                page.meter = meter
                page.say(PILOT)
                if shown:
                    show_live(page.path)
            with waiting(stream, PILOT):
                settled = job.plan(_rehearse_report if report else None)
            if shown:
                show_plan(job, settled)
            with meter:
                tuned = job.run(settled, meter, page)
                if report:
                    meter.say("Writing the report")
                    trouble = write_report(tuned, page)
                tuned = replace(tuned, seconds=meter.read().elapsed)
    except KeyboardInterrupt:
        if (out / "run.db").exists():
            say(f"Finished work is kept in {out}/. Run the same command with --resume to continue.",
                label="stopped")  # fmt: skip
        raise typer.Exit(ending_code()) from None
    if page is not None and page.trouble is not None:
        say(page.trouble, label="warning")
    if json:
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
        made = report(tuned)
        if page is not None:
            page.hand_over()
        refuse_links(tuned.folder / REPORT)
        made.save(tuned.folder / REPORT)
    except EarnestError as error:
        return str(error)
    return None
