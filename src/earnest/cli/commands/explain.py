"""`earnest explain`: what the tuning learned, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from earnest.cli.options import JsonOutput, make_argument
from earnest.cli.reading import parse_limits, read_marks
from earnest.cli.show.terminal import write_json
from earnest.cli.writing import check_ending, check_folder
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.explain import ExplainArguments
from earnest.core.arguments.shared import HOW, CsvArguments

if TYPE_CHECKING:
    from earnest.explanation.result import Explanation
    from earnest.explanation.suggest import Suggestion


HELP = (
    "What did the search learn, and how [bold]certain[/bold] is it? Effects with bands, and "
    "regions.\n\nReads the trials of a search: the folder of a run, a run file, an Optuna storage "
    "or journal file, or a table with one row per trial, one column per hyperparameter and one "
    "column for the objective.\n\n  earnest explain run/\n  earnest explain study.db --study "
    "tuning --regions 4\n  earnest explain trials.csv --objective auc --direction maximize\n  "
    "earnest explain trials.csv --objective auc --direction maximize --out explanation.html"
)


@dataclass(frozen=True, kw_only=True)
class ExplainOutput(JsonOutput):
    """What is written of an explanation, and what it proposes."""

    out: Annotated[
        Path | None,
        Argument("Write a page with figures to FILE.html.", "FILE", usual=True, short="-o"),
    ] = None
    suggest: Annotated[
        int,
        Argument(
            "Propose N configurations that would sharpen the curves most.",
            "N",
            HOW,
            usual=True,
            low=0,
        ),
    ] = 3


def command(
    trials: Annotated[
        str,
        make_argument(
            "TRIALS",
            "The folder of a run, a run file, an Optuna storage (file or URL) or journal, or a "
            "table of trials: CSV, Parquet, Arrow.",
        ),
    ],
    *,
    output: ExplainOutput,
    question: ExplainArguments,
    csv: CsvArguments,
) -> None:
    """Read trials, explain them, and show or write what was found."""
    out, suggest = output.out, output.suggest
    if out is not None:
        check_ending(out, (".html", ".htm"))
        check_folder(out)
    from earnest.explanation.explain import explain

    ask = pass_arguments(question, without=("params", "objective", "limits"))
    explanation = explain(
        trials,
        _split_names(question.params),
        objective=_read_objective(question.objective),
        limits=None if question.limits is None else parse_limits(question.limits),
        **ask,
        **read_marks(csv),
    )
    advice = explanation.suggest(suggest) if suggest else ()
    if out is not None:
        _write_page(out, explanation, advice, trials)
    if output.json:
        write_json({**explanation.to_dict(), "suggestions": [each.to_dict() for each in advice]})
        return
    from earnest.cli.show.explanation import show_explanation

    show_explanation(explanation, advice, out)


def _split_names(params: str | None) -> list[str] | None:
    if params is None:
        return None
    return [name.strip() for name in params.split(",") if name.strip()]


def _read_objective(objective: str | None) -> str | int | None:
    """Return the objective of a study by its number, where it is one."""
    return int(objective) if objective is not None and objective.isdecimal() else objective


def _write_page(
    out: Path, explanation: Explanation, advice: Sequence[Suggestion], source: str
) -> None:
    from earnest.reporting.report import Report, content_of_explanation

    Report(content_of_explanation(explanation, advice, source=Path(source).name)).save(out)
