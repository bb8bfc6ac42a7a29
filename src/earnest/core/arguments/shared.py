"""The arguments that several verbs have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from earnest.core.arguments.base import Argument
from earnest.core.text.doors import word

HOW, READ, SCORES = "How it is done", "How to read the table", "Scores of items"
# Arrays of Python that the command line takes from the column of a table.
GROUPS = word("`groups`", "--group")
TASKS = word("`tasks`", "--task")
CONFIG = word("`config`", "--model")
MOST_RESAMPLES = 10_000_000  # each is kept, so that another level can be read from it
SIDES = ("two-sided", "lower", "upper", "pessimistic")
ALTERNATIVES = ("two-sided", "less", "greater")

Metrics = Annotated[
    list[str] | None,
    Argument(
        "See [bold]earnest metrics[/bold]. Repeat for several.",
        "NAME",
        usual=True,
        short="-m",
    ),
]
Metric = Annotated[
    str | None,
    Argument(
        "What to measure; see [bold]earnest metrics[/bold].",
        "NAME",
        usual=True,
        short="-m",
    ),
]
Level = Annotated[float, Argument("Confidence level.", "SHARE", HOW, usual=True, is_share=True)]
SideName = Annotated[str, Argument(f"{', '.join(SIDES)}.", "SIDE", HOW, choices=SIDES)]
Resamples = Annotated[
    int | None, Argument("[dim]default: 1000, and 2000 for tilts[/dim]", "N", HOW)
]
Seed = Annotated[
    int | None, Argument("Seed, for a reproducible result.", "SEED", HOW, usual=True, low=0)
]
SelectorName = Annotated[
    str | None,
    Argument(
        "Selection rule: pooled, mean_of_folds or one_standard_error; for "
        "ensembles greedy_ensemble, top_average or stacked_ensemble.",
        "RULE",
        HOW,
    ),
]
ByColumns = Annotated[
    list[str] | None,
    Argument(
        "Judge its subgroups, too. Repeat for several.",
        "COLUMN",
        usual=True,
    ),
]
Jobs = Annotated[
    int | None, Argument("Threads; -1 uses all cores. Results do not depend on it.", "N", HOW)
]
Alternative = Annotated[
    str,
    Argument(
        "Alternative for A - B: two-sided, less (below 0) or greater.",
        "SIGN",
        HOW,
        choices=ALTERNATIVES,
    ),
]


@dataclass(frozen=True, kw_only=True)
class CsvArguments:
    """How a CSV file is read; None where nothing was said."""

    delimiter: Annotated[
        str | None, Argument("Column separator of a CSV file, such as ';' or tab.", "SIGN", READ)
    ] = None
    decimal: Annotated[
        str | None, Argument("Decimal separator of a CSV file, such as ','.", "SIGN", READ)
    ] = None
    thousands: Annotated[
        str | None,
        Argument("Thousands separator of a CSV file, such as ',' or space.", "SIGN", READ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TableArguments(CsvArguments):
    """How a table of cases is read; None where nothing was said."""

    missing: Annotated[
        list[str] | None,
        Argument(
            "Another mark of a missing value, such as -9 or k.A.; repeat for several. Empty cells, "
            "NA and, among numbers, ? - . * none missing unknown are known.",
            "MARK",
            READ,
        ),
    ] = None


WhenColumn = Annotated[
    str | None,
    Argument("Column of dates or times, where cases depend on those before.", "COLUMN", READ),
]
EventColumn = Annotated[str | None, Argument("Survival event, 0 or 1.", "COLUMN", READ)]
WeightColumn = Annotated[str | None, Argument("Column of case weights.", "COLUMN", READ)]
WeightKind = Annotated[
    str | None,
    Argument(
        "[dim]default: importance[/dim]  What weights mean: importance, survey (one over the "
        "chance to be drawn) or frequency (how many cases a row is).",
        "KIND",
        READ,
        choices=("importance", "survey", "frequency"),
    ),
]
Positive = Annotated[
    str | None, Argument("The positive class, which high scores stand for.", "LABEL", READ)
]
TaskName = Annotated[
    str | None,
    Argument(
        "binary, multiclass, regression or survival. With --scores: the column of tasks, "
        "which count alike.",
        "TASK",
        READ,
    ),
]
Response = Annotated[
    str | None, Argument("Kind of scores: probability, decision or label.", "KIND", READ)
]
ScoreName = Annotated[
    str | None,
    Argument("Which score of a log, such as acc; of a long table, which column.", "NAME", SCORES),
]
ConfigIs = Annotated[
    str | None,
    Argument(
        "[dim]default: model[/dim]  Logs: whether model, task or file is the configuration.",
        "WHAT",
        SCORES,
    ),
]


@dataclass(frozen=True, kw_only=True)
class PredictionsArguments(TableArguments):
    """How a table of predictions is read; None where nothing was said, "" for no such column."""

    target: Annotated[
        str | None, Argument("[dim]default: y[/dim]  The outcome.", "COLUMN", READ)
    ] = None
    fold: Annotated[
        str | None,
        Argument('[dim]default: fold[/dim]  "" for none.', "COLUMN", READ),
    ] = None
    group: Annotated[
        str | None,
        Argument(
            "Column of groups, such as the patient of each visit.", "COLUMN", READ, usual=True
        ),
    ] = None
    repeat: Annotated[str | None, Argument("[dim]default: repeat[/dim]", "COLUMN", READ)] = None
    weight: WeightColumn = None
    weights: WeightKind = None
    strata: Annotated[
        str | None,
        Argument(
            "[dim]default: strata[/dim]  Strata that are resampled apart; of a survey, those in "
            "which groups were drawn.",
            "COLUMN",
            READ,
        ),
    ] = None
    id: Annotated[
        str | None,
        Argument("[dim]default: row_id[/dim]  Column that identifies the case.", "COLUMN", READ),
    ] = None
    when: WhenColumn = None
    time: Annotated[str | None, Argument("Survival time.", "COLUMN", READ)] = None
    event: EventColumn = None
    positive: Positive = None
    task: TaskName = None
    response: Response = None
    threshold: Annotated[
        float | None, Argument("Scores above it mean the positive class.", "SCORE", READ)
    ] = None
    configs: Annotated[
        list[str] | None,
        Argument("Use only this configuration; repeat for several.", "NAME", READ),
    ] = None
    format: Annotated[
        str | None,
        Argument(
            "wide (one column per configuration) or long (one row per prediction).", "FORM", READ
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        Argument(
            "[dim]default: config_id[/dim]  Long tables: column of the configuration; repeat "
            "for several.",
            "COLUMN",
            READ,
        ),
    ] = None
    prediction: Annotated[
        str | None,
        Argument(
            "[dim]default: y_pred, or score[/dim]  Long tables: the predictions, or scores.",
            "COLUMN",
            READ,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ScoresArguments:
    """How a table of scores is read, beside what a table of predictions has too."""

    scores: Annotated[
        bool,
        Argument(
            "The table holds scores, not predictions.",
            panel=READ,
            usual=True,
        ),
    ] = False
    lower_is_better: Annotated[bool, Argument("Scores are losses or costs.", panel=SCORES)] = False
    limits: Annotated[
        str | None,
        Argument("The smallest and the largest score that is possible.", "LOW,HIGH", SCORES),
    ] = None
    incomplete: Annotated[
        str | None,
        Argument(
            "If scores are missing: items (leave out items), configs (leave out configurations) or "
            "worst (count the worst score).",
            "RULE",
            SCORES,
        ),
    ] = None
    per: Annotated[
        str | None,
        Argument(
            "Long tables: what the score is counted per, such as successes for costs.",
            "COLUMN",
            SCORES,
        ),
    ] = None
    human: Annotated[
        str | None,
        Argument(
            "Long tables: labels of people, empty where none, beside the scores of a judge. "
            "[dim]default: human, beside judge[/dim]",
            "COLUMN",
            SCORES,
        ),
    ] = None
    probability: Annotated[
        str | None,
        Argument(
            "Long tables: the chance with which an answer was chosen to be labelled. "
            "[dim]default: probability, else the share that was[/dim]",
            "COLUMN",
            SCORES,
        ),
    ] = None
    score: ScoreName = None
    config_is: ConfigIs = None


@dataclass(frozen=True, kw_only=True)
class CasesArguments(TableArguments):
    """How a table of cases is read, beside its outcome; None where nothing was said."""

    group: Annotated[
        str | None,
        Argument(
            "Column of groups, such as patients; each stays in one fold.",
            "COLUMN",
            READ,
            usual=True,
        ),
    ] = None
    task: Annotated[
        str | None,
        Argument(
            "[dim]default: from the outcome[/dim]  binary, multiclass, regression.", "TASK", READ
        ),
    ] = None
    positive: Annotated[
        str | None,
        Argument(
            "[dim]default: 1 of 0 and 1, yes of yes and no, otherwise the rarer one[/dim]  "
            "The positive class.",
            "LABEL",
            READ,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, Argument("Column to leave out; repeat for several.", "COLUMN", READ)
    ] = None
