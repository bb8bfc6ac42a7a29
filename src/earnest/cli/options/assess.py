"""The options of `earnest assess`, in the order of its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from earnest.cli.options.common import make_jobs_option, make_option

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
        "metrics[/bold]. Repeat for several metrics; each trains its own models.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", metavar="", help="Show only the result, no progress.")
]
Methods = Annotated[
    list[str] | None,
    make_option(
        _HOW,
        "--method",
        "NAME",
        "[dim]default: .632+[/dim]  See [bold]earnest methods[/bold]. Repeat for several "
        "methods; they share their fits.",
    ),
]
All = Annotated[
    bool,
    make_option(_HOW, "--all", "", "Every method for one set of folds, and for bootstrap samples."),
]
Replicates = Annotated[
    int,
    make_option(
        _HOW, "--replicates", "N", "Number of bootstrap samples; use 1000 for an interval."
    ),
]
Folds = Annotated[int, make_option(_HOW, "--folds", "K", "Number of folds.")]
Repeats = Annotated[
    int | None,
    make_option(
        _HOW,
        "--repeats",
        "R",
        "Number of times to repeat the folds; use 10 for repeated_cv and bates_ncv.",
    ),
]
Test = Annotated[
    Path | None,
    make_option(
        _HOW,
        "--test",
        "TABLE",
        "A separate test table, with --method holdout; --out counts its uses.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Run file; run the same command again to continue.",
        rich_help_panel=_HOW,
    ),
]
Jobs = Annotated[
    int | None, make_jobs_option(_HOW, "Models trained in parallel; -1 uses all cores.")
]
