"""The options of `earnest gather`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import make_option

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
    make_option(_READ, "--study", "NAME", "Name of the study in an Optuna storage."),
]
Store = Annotated[
    Path | None,
    make_option(
        _READ, "--store", "FOLDER", "Optuna: the folder that you passed to keep_predictions."
    ),
]
Ensembles = Annotated[
    bool,
    make_option(
        _READ,
        "--ensembles",
        "",
        "Include models that were fitted to the predictions of others. They look too good.",
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
    make_option(
        _READ,
        "--trust-pickle",
        "",
        "Read pickles, which AutoGluon writes. They can run any code: use it only for your own.",
    ),
]
Data = Annotated[
    Path | None,
    make_option(
        _DATA,
        "--data",
        "TABLE",
        "The training table, with its rows in the order that the tool used: CSV, Parquet or Arrow.",
    ),
]
Target = Annotated[
    str | None,
    make_option(_DATA, "--target", "COLUMN", "Column of the outcome in that table."),
]
Group = Annotated[
    str | None,
    make_option(
        _DATA,
        "--group",
        "COLUMN",
        "Column of groups in that table, such as the patient of each visit.",
    ),
]
Fold = Annotated[
    str | None,
    make_option(
        _DATA,
        "--fold",
        "COLUMN",
        "Column of the fold that tested a case in that table (AutoGluon).",
    ),
]
Time = Annotated[
    str | None,
    make_option(_DATA, "--time", "COLUMN", "Column of the survival time in that table."),
]
Event = Annotated[
    str | None,
    make_option(_DATA, "--event", "COLUMN", "Column of the survival event, 0 or 1, in that table."),
]
