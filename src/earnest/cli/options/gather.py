"""The options of `earnest gather`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_READ = "How to read it"
_DATA = "What the tool did not keep"

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="[dim]default: predictions.parquet, or scores.parquet[/dim]  Where to: .parquet, "
        ".csv, .csv.gz, .tsv, .arrow, .feather or .npz.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", metavar="", help="Overwrite an existing file.")
]
Study = Annotated[
    str | None,
    typer.Option(
        "--study",
        metavar="NAME",
        help="Name of the study in an Optuna storage.",
        rich_help_panel=_READ,
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FOLDER",
        help="Optuna: the folder that you passed to keep_predictions.",
        rich_help_panel=_READ,
    ),
]
Ensembles = Annotated[
    bool,
    typer.Option(
        "--ensembles",
        metavar="",
        help="Include models that were fitted to the predictions of others. They look too good.",
        rich_help_panel=_READ,
    ),
]
Static = Annotated[
    bool | None,
    typer.Option(
        "--static/--dynamic",
        metavar="",
        help="Whether configurations were fixed before any was evaluated. [dim]default: what "
        "the tool reports[/dim]",
        show_default=False,
        rich_help_panel=_READ,
    ),
]
TrustPickle = Annotated[
    bool,
    typer.Option(
        "--trust-pickle",
        metavar="",
        help="Read pickles, which AutoGluon writes. They can run any code: use it only for your "
        "own.",
        rich_help_panel=_READ,
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="TABLE",
        help="The training table, with its rows in the order that the tool used: CSV, Parquet "
        "or Arrow.",
        rich_help_panel=_DATA,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COLUMN",
        help="Column of the outcome in that table.",
        rich_help_panel=_DATA,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Column of groups in that table, such as the patient of each visit.",
        rich_help_panel=_DATA,
    ),
]
Fold = Annotated[
    str | None,
    typer.Option(
        "--fold",
        metavar="COLUMN",
        help="Column of the fold that tested a case in that table (AutoGluon).",
        rich_help_panel=_DATA,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="Column of the survival time in that table.",
        rich_help_panel=_DATA,
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        "--event",
        metavar="COLUMN",
        help="Column of the survival event, 0 or 1, in that table.",
        rich_help_panel=_DATA,
    ),
]
