"""`earnest tune`: from a table to a tuned model and what to expect of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from earnest.cli import ending_code
from earnest.cli.failures import say
from earnest.cli.options import tune as options
from earnest.cli.options.common import AsJson, Decimal, Delimiter, Thousands
from earnest.cli.reading import read_sign
from earnest.cli.show.terminal import write_json

if TYPE_CHECKING:
    from earnest.training.tune.options import TuneOptions
    from earnest.training.tune.tuned import Tuned

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
    data: options.Data,
    target: options.Target = None,
    metric: options.Metric = None,
    budget: options.Budget = "5m",
    out: options.Out = Path("run"),
    resume: options.Resume = False,
    json: AsJson = False,
    quiet: options.Quiet = False,
    no_report: options.NoReport = False,
    folds: options.Folds = 10,
    repeats: options.Repeats = 1,
    drop: options.Drop = None,
    portfolio: options.Portfolio = "default",
    configs: options.Configs = None,
    level: options.Level = 0.95,
    seed: options.Seed = None,
    n_jobs: options.Jobs = -1,
    backend: options.Backend = "loky",
    scheduler: options.Scheduler = None,
    group: options.Group = None,
    time: options.Time = None,
    event: options.Event = None,
    task: options.TaskName = None,
    positive: options.Positive = None,
    ignore: options.Ignore = None,
    keep: options.Keep = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
) -> None:
    """Read, plan, search, and show or write what was found."""
    from earnest.engine.backends import on_backend
    from earnest.training.tune.options import TuneOptions, read_seconds

    asked = TuneOptions(
        target=target,
        metric=metric,
        budget=read_seconds(budget),
        folds=folds,
        repeats=repeats,
        drop=drop,
        portfolio=portfolio,
        n_configs=configs,
        confidence_level=level,
        seed=seed,
        n_jobs=n_jobs,
        group=group,
        time=time,
        event=event,
        task=task,
        positive=positive,
        ignore=tuple(ignore or ()),
        keep=tuple(keep or ()),
        delimiter=read_sign(delimiter),
        decimal=decimal,
        thousands=read_sign(thousands),
    )
    with on_backend(backend, scheduler):
        run_job(
            data,
            asked,
            out=out,
            resume=resume,
            json=json,
            quiet=quiet,
            report=not no_report,
        )


def run_job(
    data: Path,
    asked: TuneOptions,
    *,
    out: Path,
    resume: bool,
    json: bool = False,
    quiet: bool = False,
    report: bool = True,
) -> Tuned:
    """Run a tuning with its lines on the terminal, and return what it found."""
    from earnest.cli.show.progress import FoldLine, waiting
    from earnest.cli.show.tune import show_plan, show_read, show_tuned
    from earnest.training.tune.job import begin

    job = begin(data, asked, out=out, resume=resume)
    shown, told_on = not json and not quiet, None if quiet else sys.stderr
    if shown:
        show_read(job)
    try:
        with waiting(told_on, "Timing a fit of each kind of model"):
            plan = job.plan()
        if shown:
            show_plan(job, plan)
        line = FoldLine(told_on, asked.folds * asked.repeats, asked.drop) if told_on else None
        tuned = job.run(plan, line)
    except KeyboardInterrupt:
        if (out / "run.db").exists():
            say(f"Finished work is kept in {out}/. Run the same command with --resume to continue.",
                label="stopped")  # fmt: skip
        raise typer.Exit(ending_code()) from None
    with waiting(told_on, "Writing the report"):
        told = write_report(tuned) if report else None
    if json:
        times = {"seconds": tuned.seconds, "fit_seconds": tuned.fit_seconds}
        write_json({**tuned.to_dict(), "folder": str(out), **times})
    elif shown:
        show_tuned(tuned, told)
    return tuned


def write_report(tuned: Tuned) -> str | None:
    """Write the page beside the other files; return why there is none where it cannot be made.

    What was tuned is kept in any case: the page can be made later by `earnest report`.
    """
    from earnest.core.base.errors import EarnestError
    from earnest.reporting.report import report
    from earnest.training.tune.folder import REPORT

    assert tuned.folder is not None
    try:
        report(tuned).save(tuned.folder / REPORT)
    except EarnestError as error:
        return str(error)
    return None
