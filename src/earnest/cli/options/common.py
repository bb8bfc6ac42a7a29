"""The options that commands share, those of `earnest estimate` in the order of its help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, get_type_hints

import typer

_HOW = "How to estimate"
_READ = "How to read the table"


def take_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take every field of a dataclass among its arguments as an option of its own.

    Typer makes an option of each argument. Options that several commands have are the fields of
    one dataclass, which stands among the arguments where its options stand in the help.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    parameters = []
    for name, one in inspect.signature(command).parameters.items():
        options = {name: (hints[name], one.default)}
        if name in groups:
            own = _read_hints(groups[name])
            options = {each.name: (own[each.name], each.default) for each in fields(groups[name])}
        parameters += [
            inspect.Parameter(word, one.KEYWORD_ONLY, default=default, annotation=kind)
            for word, (kind, default) in options.items()
        ]

    @wraps(command)
    def call(**given: object) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
        command(**given)

    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


@cache
def _read_hints(kind: type) -> dict[str, object]:
    """Return the types of the fields of a dataclass that several commands share."""
    return get_type_hints(kind, include_extras=True)


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
    typer.Option(
        "--method",
        metavar="NAME",
        help="[dim]default: bbc; for one model on a test set delong or holdout[/dim]  See "
        "[bold]earnest methods[/bold]. With options: \"delong(variant='logit')\". Repeat "
        "for several on the same resamples.",
        rich_help_panel=_HOW,
    ),
]
All = Annotated[
    bool,
    typer.Option(
        "--all", metavar="", help="Run every method that fits your data.", rich_help_panel=_HOW
    ),
]
Level = Annotated[float, make_level_option(_HOW)]
SideName = Annotated[
    str,
    typer.Option(
        "--side",
        metavar="SIDE",
        help="two-sided, lower, upper, or pessimistic.",
        rich_help_panel=_HOW,
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        metavar="N",
        help="[dim]default: 1000, and 2000 for tilts[/dim]",
        rich_help_panel=_HOW,
    ),
]
Seed = Annotated[int | None, make_seed_option(_HOW)]
SelectorName = Annotated[
    str | None,
    typer.Option(
        "--selector",
        metavar="RULE",
        help="Selection rule: pooled, mean_of_folds or one_standard_error; for "
        "ensembles greedy_ensemble, top_average or stacked_ensemble.",
        rich_help_panel=_HOW,
    ),
]
Undefined = Annotated[
    str | None,
    typer.Option(
        "--undefined",
        metavar="RULE",
        help="What to do with resamples that lack a class: redraw, drop or stratify.",
        rich_help_panel=_HOW,
    ),
]
Jobs = Annotated[int | None, make_jobs_option(_HOW)]

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORM",
        help="wide (one column per configuration) or long (one row per prediction).",
        rich_help_panel=_READ,
    ),
]
TargetColumn = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="[dim]default: y[/dim]", rich_help_panel=_READ),
]
FoldColumn = Annotated[
    str | None,
    typer.Option(
        "--fold",
        metavar="COLUMN",
        help='[dim]default: fold[/dim]  "" for none.',
        rich_help_panel=_READ,
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="Column of groups, such as the patient of each visit.",
        rich_help_panel=_READ,
    ),
]
RepeatColumn = Annotated[
    str | None,
    typer.Option(
        "--repeat", metavar="COLUMN", help="[dim]default: repeat[/dim]", rich_help_panel=_READ
    ),
]
CaseColumn = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="[dim]default: row_id[/dim]  Column that identifies the case.",
        rich_help_panel=_READ,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option("--time", metavar="COLUMN", help="Survival time.", rich_help_panel=_READ),
]
EventColumn = Annotated[
    str | None,
    typer.Option(
        "--event", metavar="COLUMN", help="Survival event, 0 or 1.", rich_help_panel=_READ
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        metavar="LABEL",
        help="The positive class, which high scores stand for.",
        rich_help_panel=_READ,
    ),
]
TaskName = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="binary, multiclass, regression or survival. With --scores: the column of tasks, "
        "which count alike.",
        rich_help_panel=_READ,
    ),
]
Response = Annotated[
    str | None,
    typer.Option(
        "--response",
        metavar="KIND",
        help="Kind of scores: probability, decision or label.",
        rich_help_panel=_READ,
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="SCORE",
        help="Scores above it mean the positive class.",
        rich_help_panel=_READ,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="SIGN",
        help="Column separator of a CSV file, such as ';' or tab.",
        rich_help_panel=_READ,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="Decimal separator of a CSV file, such as ','.",
        rich_help_panel=_READ,
    ),
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="SIGN",
        help="Thousands separator of a CSV file, such as ',' or space.",
        rich_help_panel=_READ,
    ),
]
ModelColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="COLUMN",
        help="[dim]default: config_id[/dim]  Long tables: column of the configuration; repeat "
        "for several.",
        rich_help_panel=_READ,
    ),
]
PredictionColumn = Annotated[
    str | None,
    typer.Option(
        "--prediction",
        metavar="COLUMN",
        help="[dim]default: y_pred, or score[/dim]  Long tables: the predictions, or scores.",
        rich_help_panel=_READ,
    ),
]
OnlyConfigs = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="NAME",
        help="Use only this configuration; repeat for several.",
        rich_help_panel=_READ,
    ),
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
    typer.Option(
        "--scores",
        metavar="",
        help="The table holds scores, not predictions: a column a configuration, or a row a score.",
        rich_help_panel=_SCORES,
    ),
]
LowerIsBetter = Annotated[
    bool,
    typer.Option(
        "--lower-is-better",
        metavar="",
        help="Scores are losses or costs.",
        rich_help_panel=_SCORES,
    ),
]
Limits = Annotated[
    str | None,
    typer.Option(
        "--limits",
        metavar="LOW,HIGH",
        help="The smallest and the largest score that is possible.",
        rich_help_panel=_SCORES,
    ),
]
MissingRule = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="RULE",
        help="Where scores are missing: leave out items, leave out configs, or count the worst.",
        rich_help_panel=_SCORES,
    ),
]
PerColumn = Annotated[
    str | None,
    typer.Option(
        "--per",
        metavar="COLUMN",
        help="Long tables: what the score is counted per, such as successes for costs.",
        rich_help_panel=_SCORES,
    ),
]


ScoreName = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="NAME",
        help="Which score of a log, such as acc; of a long table, which column.",
        rich_help_panel=_SCORES,
    ),
]
ByWhat = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="WHAT",
        help="[dim]default: model[/dim]  Logs: whether model, task or file is the configuration.",
        rich_help_panel=_SCORES,
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
