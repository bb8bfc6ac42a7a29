"""The options of `earnest assess`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option

_HOW = "How to assess"

Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="The learner: rf, extra_trees, gradient_boosting, logistic, ridge, linear, svm, knn, "
        "tree, lda, qda, naive_bayes or dummy.",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="[dim]default: roc_auc, accuracy or r2, by the task[/dim]  See [bold]earnest "
        "metrics[/bold]. Given several times: trained for each of them.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress, only the result.")
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="[dim]default: .632+[/dim]  See [bold]earnest methods[/bold]. Given several times: "
        "they share their fits.",
        rich_help_panel=_HOW,
    ),
]
All = Annotated[
    bool,
    typer.Option(
        "--all",
        metavar="",
        help="Every method of one set of folds, and of bootstrap samples.",
        rich_help_panel=_HOW,
    ),
]
Replicates = Annotated[
    int,
    typer.Option(
        "--replicates",
        metavar="N",
        help="Bootstrap samples to train on; 1000 for an interval.",
        rich_help_panel=_HOW,
    ),
]
Folds = Annotated[
    int, typer.Option("--folds", metavar="K", help="Parts of the rows.", rich_help_panel=_HOW)
]
Repeats = Annotated[
    int | None,
    typer.Option(
        "--repeats",
        metavar="R",
        help="How often folds are drawn anew; 10 for repeated_cv and bates_ncv.",
        rich_help_panel=_HOW,
    ),
]
Test = Annotated[
    Path | None,
    typer.Option(
        "--test",
        metavar="TABLE",
        help="A table kept away from the design, with --method holdout; --out counts its uses.",
        rich_help_panel=_HOW,
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="A run file: the same command goes on after it was ended.",
        rich_help_panel=_HOW,
    ),
]
Jobs = Annotated[int | None, make_jobs_option(_HOW, "Models trained at once; -1 is all cores.")]
