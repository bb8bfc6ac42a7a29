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
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Column of groups, such as the patient of each visit; a group stays in one fold.",
        rich_help_panel=_READ,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="Survival time; use it with --event instead of --target.",
        rich_help_panel=_READ,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        "--event", metavar="COLUMN", help="Survival event, 0 or 1.", rich_help_panel=_READ
    ),
]
TaskName = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="[dim]default: from the outcome[/dim]  binary, multiclass, regression.",
        rich_help_panel=_READ,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        metavar="LABEL",
        help="[dim]default: yes of yes and no, case of case and control, otherwise the "
        "last[/dim]  The positive class.",
        rich_help_panel=_READ,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COLUMN",
        help="Column to leave out; repeat for several.",
        rich_help_panel=_READ,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMN",
        help="Column to use although it would be left out; repeat for several.",
        rich_help_panel=_READ,
    ),
]
Folds = Annotated[
    int, typer.Option("--folds", metavar="K", help="Number of folds.", rich_help_panel=_SEARCH)
]
Repeats = Annotated[
    int,
    typer.Option(
        "--repeats",
        metavar="R",
        help="Number of times to repeat the folds.",
        rich_help_panel=_SEARCH,
    ),
]
Drop = Annotated[
    str | None,
    typer.Option(
        "--drop",
        metavar="RULE",
        help="Drop configurations early if they can no longer win: bced or bced_adjusted.",
        rich_help_panel=_SEARCH,
    ),
]
Ensemble = Annotated[
    str,
    typer.Option(
        "--ensemble",
        metavar="RULE",
        help="greedy averages several configurations, where that promises more than the best "
        "one; none takes the best one.",
        rich_help_panel=_SEARCH,
    ),
]
Portfolio = Annotated[
    str,
    typer.Option(
        "--portfolio",
        metavar="NAME",
        help="What to try: default, tsamardinos2018, or the path of a .toml file.",
        rich_help_panel=_SEARCH,
    ),
]
Configs = Annotated[
    int | None,
    typer.Option(
        "--configs",
        metavar="N",
        help="Try the first N configurations, however long it takes.",
        rich_help_panel=_SEARCH,
    ),
]
Level = Annotated[float, make_level_option(_SEARCH)]
Seed = Annotated[int | None, make_seed_option(_SEARCH)]
Jobs = Annotated[int, make_jobs_option(_SEARCH, "Parallel fits; -1 uses all cores.")]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        metavar="NAME",
        help="Where fits run: loky (processes), threading, dask, ray.",
        rich_help_panel=_SEARCH,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a cluster, for --backend dask or ray: tcp://127.0.0.1:8786.",
        rich_help_panel=_SEARCH,
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
