"""The options that commands share, those of `earnest estimate` in the order of its help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from earnest.core.base import check

_HOW = "How to estimate"
_READ = "How to read the table"


def make_option(
    panel: str | None, metavar: str, help_: str, *names: str
) -> typer.models.OptionInfo:
    """Return an option for a panel of the help; its name is that of the parameter by default.

    A flag has no metavar, and needs a name: typer would add its opposite.
    """
    return typer.Option(*names, metavar=metavar, help=help_, rich_help_panel=panel)


def make_argument(metavar: str, help_: str) -> typer.models.ArgumentInfo:
    """Return an argument without an option's name."""
    return typer.Argument(metavar=metavar, help=help_, show_default=False)


def make_level_option(panel: str) -> typer.models.OptionInfo:
    """Return the option of the confidence level, for a panel of the help."""
    return make_option(panel, "SHARE", "Confidence level.")


def make_seed_option(panel: str) -> typer.models.OptionInfo:
    """Return the option of the seed, for a panel of the help; a seed below 0 is refused."""
    made = make_option(panel, "N", "Seed, for a reproducible result.")
    made.callback = _check_seed
    return made


def _check_seed(seed: int | None) -> int | None:
    return None if seed is None else check.whole_number("seed", seed, low=0)


def make_jobs_option(
    panel: str | None, what: str = "Threads; -1 uses all cores."
) -> typer.models.OptionInfo:
    """Return the option of how many at once, and what of, for a panel of the help."""
    return make_option(panel, "N", f"{what} Results do not depend on it.")


Table = Annotated[
    Path,
    make_argument("PREDICTIONS", "A table of out-of-fold predictions: CSV, Parquet, Arrow or NPZ."),
]
MetricNames = Annotated[
    list[str] | None,
    make_option(
        None,
        "NAME",
        "The metric; see [bold]earnest metrics[/bold]. Repeat for several. "
        "With --scores: mean, macro, median, quantile(0.9), pass@5 or pass^5.",
        "--metric",
        "-m",
    ),
]
AsJson = Annotated[bool, make_option(None, "", "Write only one JSON object.", "--json")]
PaperTable = Annotated[
    str | None, make_option(None, "FORM", "Write a table for a paper: markdown or latex.")
]

Methods = Annotated[
    list[str] | None,
    make_option(
        _HOW,
        "NAME",
        "[dim]default: bbc; for mean scores near_winner; for one model on a test set delong or "
        "holdout[/dim]  See "
        "[bold]earnest methods[/bold]. With options: \"delong(variant='logit')\". Repeat "
        "for several on the same resamples.",
    ),
]
All = Annotated[bool, make_option(_HOW, "", "Run every method that fits your data.", "--all")]
Level = Annotated[float, make_level_option(_HOW)]
SideName = Annotated[str, make_option(_HOW, "SIDE", "two-sided, lower, upper, or pessimistic.")]
Resamples = Annotated[
    int | None, make_option(_HOW, "N", "[dim]default: 1000, and 2000 for tilts[/dim]")
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
SelectorName = Annotated[
    str | None,
    make_option(
        _HOW,
        "RULE",
        "Selection rule: pooled, mean_of_folds or one_standard_error; for "
        "ensembles greedy_ensemble, top_average or stacked_ensemble.",
    ),
]
BandResamples = Annotated[int, make_option(_HOW, "N", "Bootstrap resamples.")]
OrderName = Annotated[
    str, make_option(_HOW, "ORDER", "tried: as the columns stand. mean: the mean over all orders.")
]
Undefined = Annotated[
    str | None,
    make_option(
        _HOW, "RULE", "What to do with resamples that lack a class: redraw, drop or stratify."
    ),
]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]

EventColumn = Annotated[str | None, make_option(_READ, "COLUMN", "Survival event, 0 or 1.")]
Positive = Annotated[
    str | None, make_option(_READ, "LABEL", "The positive class, which high scores stand for.")
]
TaskName = Annotated[
    str | None,
    make_option(
        _READ,
        "TASK",
        "binary, multiclass, regression or survival. With --scores: the column of tasks, "
        "which count alike.",
    ),
]
Response = Annotated[
    str | None, make_option(_READ, "KIND", "Kind of scores: probability, decision or label.")
]
Delimiter = Annotated[
    str | None, make_option(_READ, "SIGN", "Column separator of a CSV file, such as ';' or tab.")
]
Decimal = Annotated[
    str | None, make_option(_READ, "SIGN", "Decimal separator of a CSV file, such as ','.")
]
Thousands = Annotated[
    str | None,
    make_option(_READ, "SIGN", "Thousands separator of a CSV file, such as ',' or space."),
]


Missing = Annotated[
    list[str] | None,
    make_option(
        _READ,
        "MARK",
        "Another mark of a missing value, such as -9 or k.A.; repeat for several. Empty cells, NA "
        "and, among numbers, ? - . * none missing unknown are known.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CsvReading:
    """How a CSV file is read; None where nothing was said."""

    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None


@dataclass(frozen=True, kw_only=True)
class TableReading(CsvReading):
    """How a table of cases is read; None where nothing was said."""

    missing: Missing = None


@dataclass(frozen=True, kw_only=True)
class PredictionsReading:
    """How a table of predictions is read; None where nothing was said, "" for no such column."""

    form: Annotated[
        str | None,
        make_option(
            _READ,
            "FORM",
            "wide (one column per configuration) or long (one row per prediction).",
            "--format",
        ),
    ] = None
    target: Annotated[str | None, make_option(_READ, "COLUMN", "[dim]default: y[/dim]")] = None
    fold: Annotated[
        str | None, make_option(_READ, "COLUMN", '[dim]default: fold[/dim]  "" for none.')
    ] = None
    group: Annotated[
        str | None,
        make_option(_READ, "COLUMN", "Column of groups, such as the patient of each visit."),
    ] = None
    repeat: Annotated[str | None, make_option(_READ, "COLUMN", "[dim]default: repeat[/dim]")] = None
    case: Annotated[
        str | None,
        make_option(
            _READ, "COLUMN", "[dim]default: row_id[/dim]  Column that identifies the case.", "--id"
        ),
    ] = None
    time: Annotated[str | None, make_option(_READ, "COLUMN", "Survival time.")] = None
    event: EventColumn = None
    positive: Positive = None
    task: TaskName = None
    response: Response = None
    threshold: Annotated[
        float | None, make_option(_READ, "SCORE", "Scores above it mean the positive class.")
    ] = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
    missing: Missing = None
    config: Annotated[
        list[str] | None,
        make_option(_READ, "NAME", "Use only this configuration; repeat for several."),
    ] = None
    model: Annotated[
        list[str] | None,
        make_option(
            _READ,
            "COLUMN",
            "[dim]default: config_id[/dim]  Long tables: column of the configuration; repeat "
            "for several.",
        ),
    ] = None
    prediction: Annotated[
        str | None,
        make_option(
            _READ,
            "COLUMN",
            "[dim]default: y_pred, or score[/dim]  Long tables: the predictions, or scores.",
        ),
    ] = None


_SCORES = "Scores of items"


ScoreName = Annotated[
    str | None,
    make_option(
        _SCORES, "NAME", "Which score of a log, such as acc; of a long table, which column."
    ),
]
ByWhat = Annotated[
    str | None,
    make_option(
        _SCORES,
        "WHAT",
        "[dim]default: model[/dim]  Logs: whether model, task or file is the configuration.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ScoresReading:
    """How a table of scores is read, beside what a table of predictions has too."""

    scores: Annotated[
        bool,
        make_option(
            _SCORES,
            "",
            "The table holds scores, not predictions: one column per configuration, or one row per "
            "score.",
            "--scores",
        ),
    ] = False
    lower_is_better: Annotated[
        bool, make_option(_SCORES, "", "Scores are losses or costs.", "--lower-is-better")
    ] = False
    limits: Annotated[
        str | None,
        make_option(_SCORES, "LOW,HIGH", "The smallest and the largest score that is possible."),
    ] = None
    incomplete: Annotated[
        str | None,
        make_option(
            _SCORES,
            "RULE",
            "If scores are missing: items (leave out items), configs (leave out configurations) or "
            "worst (count the worst score).",
        ),
    ] = None
    per: Annotated[
        str | None,
        make_option(
            _SCORES,
            "COLUMN",
            "Long tables: what the score is counted per, such as successes for costs.",
        ),
    ] = None
    score: ScoreName = None
    by: ByWhat = None
