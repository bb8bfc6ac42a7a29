"""The options of `earnest tune`, in the order of its help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import (
    Decimal,
    Delimiter,
    Thousands,
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)

_SEARCH = "How to search"
_READ = "How to read the table"

Data = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="The data, one row per case: CSV, Parquet or Arrow.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.", show_default=False),
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="[dim]default: roc_auc, roc_auc_ovr, r2 or concordance, by the task[/dim]  See "
        "[bold]earnest metrics[/bold].",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="[dim]default: 5m, or no limit with --configs[/dim]  Time budget, such as 90s, "
        "5m or 1h.",
    ),
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the files of the run.")
]
Resume = Annotated[
    bool,
    typer.Option("--resume", metavar="", help="Resume the run in the folder."),
]
Plan = Annotated[
    Path | None,
    typer.Option(
        "--plan",
        metavar="FILE",
        help="Repeat what an earlier run tried: its plan.json.",
        show_default=False,
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", metavar="", help="Do not write the report.")]
Live = Annotated[
    bool,
    typer.Option(
        "--live",
        metavar="",
        help="Show the run while it goes on: a page in its folder that becomes the report.",
    ),
]
LearningCurve = Annotated[
    bool,
    typer.Option(
        "--learning-curve",
        metavar="",
        help="Train the winner on parts of its cases too, and say what more cases gave; beyond "
        "the budget.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show only errors.")]

Group = Annotated[
    str | None,
    make_option(
        _READ,
        "--group",
        "COLUMN",
        "Column of groups, such as the patient of each visit; a group stays in one fold.",
    ),
]
Time = Annotated[
    str | None,
    make_option(
        _READ, "--time", "COLUMN", "Survival time; use it with --event instead of --target."
    ),
]
TaskName = Annotated[
    str | None,
    make_option(
        _READ,
        "--task",
        "TASK",
        "[dim]default: from the outcome[/dim]  binary, multiclass, regression.",
    ),
]
Positive = Annotated[
    str | None,
    make_option(
        _READ,
        "--positive",
        "LABEL",
        "[dim]default: yes of yes and no, case of case and control, otherwise the "
        "last[/dim]  The positive class.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    make_option(_READ, "--ignore", "COLUMN", "Column to leave out; repeat for several."),
]
Keep = Annotated[
    list[str] | None,
    make_option(
        _READ,
        "--keep",
        "COLUMN",
        "Column to use although it would be left out; repeat for several.",
    ),
]
Folds = Annotated[int, make_option(_SEARCH, "--folds", "K", "Number of folds.")]
Repeats = Annotated[
    int,
    make_option(_SEARCH, "--repeats", "R", "Number of times to repeat the folds."),
]
Drop = Annotated[
    str | None,
    make_option(
        _SEARCH,
        "--drop",
        "RULE",
        "Drop configurations early if they can no longer win: bced or bced_adjusted.",
    ),
]
Ensemble = Annotated[
    str,
    make_option(
        _SEARCH,
        "--ensemble",
        "RULE",
        "greedy averages several configurations, where that promises more than the best "
        "one; none takes the best one.",
    ),
]
Portfolio = Annotated[
    str,
    make_option(
        _SEARCH,
        "--portfolio",
        "NAME",
        "What to try: default, tsamardinos2018, or the path of a .toml file.",
    ),
]
Configs = Annotated[
    int | None,
    make_option(
        _SEARCH, "--configs", "N", "Try the first N configurations, however long it takes."
    ),
]
Level = Annotated[float, make_level_option(_SEARCH)]
Seed = Annotated[int | None, make_seed_option(_SEARCH)]
Jobs = Annotated[int, make_jobs_option(_SEARCH, "Parallel fits; -1 uses all cores.")]
Backend = Annotated[
    str,
    make_option(
        _SEARCH, "--backend", "NAME", "Where fits run: loky (processes), threading, dask, ray."
    ),
]
Scheduler = Annotated[
    str | None,
    make_option(
        _SEARCH,
        "--scheduler",
        "ADDRESS",
        "Address of a cluster, for --backend dask or ray: tcp://127.0.0.1:8786.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CasesReading:
    """How a table of cases is read, beside its outcome; None where nothing was said."""

    group: Group = None
    task: TaskName = None
    positive: Positive = None
    ignore: Ignore = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
