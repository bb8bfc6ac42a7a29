"""The options that commands share, those of `earnest estimate` in the order of its help."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

_HOW = "How to estimate"
_READ = "How to read the table"


def make_option(panel: str, name: str, metavar: str, help_: str) -> typer.models.OptionInfo:
    """Return an option of a panel of the help: its name, what stands for its value, its text."""
    return typer.Option(name, metavar=metavar, help=help_, rich_help_panel=panel)


def make_level_option(panel: str) -> typer.models.OptionInfo:
    """Return the option of the confidence level, for a panel of the help."""
    return typer.Option("--level", metavar="SHARE", help="Confidence level.", rich_help_panel=panel)


def make_seed_option(panel: str) -> typer.models.OptionInfo:
    """Return the option of the seed, for a panel of the help."""
    return typer.Option(
        "--seed", metavar="N", help="Seed, for a reproducible result.", rich_help_panel=panel
    )


def make_jobs_option(
    panel: str, what: str = "Threads; -1 uses all cores."
) -> typer.models.OptionInfo:
    """Return the option of how many at once, and what of, for a panel of the help."""
    return typer.Option(
        "--n-jobs", metavar="N", help=f"{what} Results do not depend on it.", rich_help_panel=panel
    )


Table = Annotated[
    Path,
    typer.Argument(
        metavar="PREDICTIONS",
        help="A table of out-of-fold predictions: CSV, Parquet, Arrow or NPZ.",
        show_default=False,
    ),
]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="The metric; see [bold]earnest metrics[/bold]. Repeat for several. "
        "With --scores: mean, macro, median, quantile(0.9), pass@5 or pass^5.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", metavar="", help="Write only one JSON object.")]
PaperTable = Annotated[
    str | None,
    typer.Option("--table", metavar="FORM", help="Write a table for a paper: markdown or latex."),
]

Methods = Annotated[
    list[str] | None,
    make_option(
        _HOW,
        "--method",
        "NAME",
        "[dim]default: bbc; for mean scores near_winner; for one model on a test set delong or "
        "holdout[/dim]  See "
        "[bold]earnest methods[/bold]. With options: \"delong(variant='logit')\". Repeat "
        "for several on the same resamples.",
    ),
]
All = Annotated[
    bool,
    make_option(_HOW, "--all", "", "Run every method that fits your data."),
]
Level = Annotated[float, make_level_option(_HOW)]
SideName = Annotated[
    str,
    make_option(_HOW, "--side", "SIDE", "two-sided, lower, upper, or pessimistic."),
]
Resamples = Annotated[
    int | None,
    make_option(_HOW, "--n-resamples", "N", "[dim]default: 1000, and 2000 for tilts[/dim]"),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
SelectorName = Annotated[
    str | None,
    make_option(
        _HOW,
        "--selector",
        "RULE",
        "Selection rule: pooled, mean_of_folds or one_standard_error; for "
        "ensembles greedy_ensemble, top_average or stacked_ensemble.",
    ),
]
BandResamples = Annotated[int, make_option(_HOW, "--n-resamples", "N", "Bootstrap resamples.")]
OrderName = Annotated[
    str,
    make_option(
        _HOW,
        "--order",
        "ORDER",
        "tried: as the columns stand. mean: the mean over all orders.",
    ),
]
Undefined = Annotated[
    str | None,
    make_option(
        _HOW,
        "--undefined",
        "RULE",
        "What to do with resamples that lack a class: redraw, drop or stratify.",
    ),
]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]

Format = Annotated[
    str | None,
    make_option(
        _READ,
        "--format",
        "FORM",
        "wide (one column per configuration) or long (one row per prediction).",
    ),
]
TargetColumn = Annotated[
    str | None,
    make_option(_READ, "--target", "COLUMN", "[dim]default: y[/dim]"),
]
FoldColumn = Annotated[
    str | None,
    make_option(_READ, "--fold", "COLUMN", '[dim]default: fold[/dim]  "" for none.'),
]
GroupColumn = Annotated[
    str | None,
    make_option(_READ, "--group", "COLUMN", "Column of groups, such as the patient of each visit."),
]
RepeatColumn = Annotated[
    str | None,
    make_option(_READ, "--repeat", "COLUMN", "[dim]default: repeat[/dim]"),
]
CaseColumn = Annotated[
    str | None,
    make_option(
        _READ, "--id", "COLUMN", "[dim]default: row_id[/dim]  Column that identifies the case."
    ),
]
TimeColumn = Annotated[
    str | None,
    make_option(_READ, "--time", "COLUMN", "Survival time."),
]
EventColumn = Annotated[
    str | None,
    make_option(_READ, "--event", "COLUMN", "Survival event, 0 or 1."),
]
Positive = Annotated[
    str | None,
    make_option(_READ, "--positive", "LABEL", "The positive class, which high scores stand for."),
]
TaskName = Annotated[
    str | None,
    make_option(
        _READ,
        "--task",
        "TASK",
        "binary, multiclass, regression or survival. With --scores: the column of tasks, "
        "which count alike.",
    ),
]
Response = Annotated[
    str | None,
    make_option(_READ, "--response", "KIND", "Kind of scores: probability, decision or label."),
]
Threshold = Annotated[
    float | None,
    make_option(_READ, "--threshold", "SCORE", "Scores above it mean the positive class."),
]
Delimiter = Annotated[
    str | None,
    make_option(
        _READ, "--delimiter", "SIGN", "Column separator of a CSV file, such as ';' or tab."
    ),
]
Decimal = Annotated[
    str | None,
    make_option(_READ, "--decimal", "SIGN", "Decimal separator of a CSV file, such as ','."),
]
Thousands = Annotated[
    str | None,
    make_option(
        _READ, "--thousands", "SIGN", "Thousands separator of a CSV file, such as ',' or space."
    ),
]
ModelColumns = Annotated[
    list[str] | None,
    make_option(
        _READ,
        "--model",
        "COLUMN",
        "[dim]default: config_id[/dim]  Long tables: column of the configuration; repeat "
        "for several.",
    ),
]
PredictionColumn = Annotated[
    str | None,
    make_option(
        _READ,
        "--prediction",
        "COLUMN",
        "[dim]default: y_pred, or score[/dim]  Long tables: the predictions, or scores.",
    ),
]
OnlyConfigs = Annotated[
    list[str] | None,
    make_option(_READ, "--config", "NAME", "Use only this configuration; repeat for several."),
]


@dataclass(frozen=True, kw_only=True)
class PredictionsReading:
    """How a table of predictions is read; None where nothing was said, "" for no such column."""

    form: Format = None
    target: TargetColumn = None
    fold: FoldColumn = None
    group: GroupColumn = None
    repeat: RepeatColumn = None
    case: CaseColumn = None
    time: TimeColumn = None
    event: EventColumn = None
    positive: Positive = None
    task: TaskName = None
    response: Response = None
    threshold: Threshold = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    thousands: Thousands = None
    config: OnlyConfigs = None
    model: ModelColumns = None
    prediction: PredictionColumn = None


_SCORES = "Scores of items"
IsScores = Annotated[
    bool,
    make_option(
        _SCORES,
        "--scores",
        "",
        "The table holds scores, not predictions: a column a configuration, or a row a score.",
    ),
]
LowerIsBetter = Annotated[
    bool,
    make_option(_SCORES, "--lower-is-better", "", "Scores are losses or costs."),
]
Limits = Annotated[
    str | None,
    make_option(
        _SCORES, "--limits", "LOW,HIGH", "The smallest and the largest score that is possible."
    ),
]
MissingRule = Annotated[
    str | None,
    make_option(
        _SCORES,
        "--missing",
        "RULE",
        "Where scores are missing: leave out items, leave out configs, or count the worst.",
    ),
]
PerColumn = Annotated[
    str | None,
    make_option(
        _SCORES,
        "--per",
        "COLUMN",
        "Long tables: what the score is counted per, such as successes for costs.",
    ),
]


ScoreName = Annotated[
    str | None,
    make_option(
        _SCORES,
        "--score",
        "NAME",
        "Which score of a log, such as acc; of a long table, which column.",
    ),
]
ByWhat = Annotated[
    str | None,
    make_option(
        _SCORES,
        "--by",
        "WHAT",
        "[dim]default: model[/dim]  Logs: whether model, task or file is the configuration.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ScoresReading:
    """How a table of scores is read, beside what a table of predictions has too."""

    scores: IsScores = False
    lower_is_better: LowerIsBetter = False
    limits: Limits = None
    missing: MissingRule = None
    per: PerColumn = None
    score: ScoreName = None
    by: ByWhat = None
