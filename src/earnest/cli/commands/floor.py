"""`earnest floor`: how much of the best of many scores is luck."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from earnest.cli.options import Output, make_argument
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.floor import FloorArguments
from earnest.core.base import check
from earnest.core.base.errors import InputError

HELP = (
    "How much of the best of many scores is [bold]luck[/bold]? For a leaderboard or a sweep of "
    "which only the scores are left.\n\n"
    "Reads a table with one score per try, or the numbers themselves. With scores of folds, or "
    "predictions, ask [bold]earnest estimate[/bold], which says more.\n\n"
    "  earnest floor leaderboard.csv --n 200\n"
    "  earnest floor 0.62 0.64 0.61 0.69 --n 200\n"
    "  earnest floor sweep.csv -m roc_auc --n 500 --positives 80"
)


def command(
    scores: Annotated[
        list[str],
        make_argument("SCORES", "A table (CSV, Parquet, Arrow), or the scores themselves."),
    ],
    *,
    question: FloorArguments,
    output: Output,
) -> None:
    """Read scores, ask how much of the best is luck, and show or write it."""
    check_table(output)
    from earnest.cli.show.decision import show_floor
    from earnest.decision.floor import floor

    numbers = [check.read_number(word) for word in scores]
    are_numbers = all(number == number for number in numbers)
    source: object = numbers if are_numbers else Path(scores[0])
    if not are_numbers and len(scores) > 1:
        wrong = next(word for word, number in zip(scores, numbers, strict=True) if number != number)
        raise InputError(
            f"{check.show(wrong)} is not a number",
            needs="one table, or numbers alone",
            got=f"{len(scores)} words",
        )
    result = floor(source, **pass_arguments(question))
    if not write_results({result.metric: result}, output):
        show_floor(result)
