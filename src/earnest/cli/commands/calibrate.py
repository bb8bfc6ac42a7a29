"""`earnest calibrate`: whether an interval holds for data like yours."""

from __future__ import annotations

from earnest.cli.commands.assess import make_progress_line
from earnest.cli.options import Output, Table
from earnest.cli.reading import read_file_and_metrics
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.calibrate import CalibrateArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments

HELP = (
    "Does this interval hold for [bold]data like mine[/bold]? Methods against a known truth.\n\n"
    "Reads the out-of-fold predictions of every configuration, simulates studies like yours from "
    "them, and counts how often the limits of each method held the true score.\n\n"
    "  earnest calibrate preds.csv --metric roc_auc --rng 7\n"
    "  earnest calibrate preds.csv -m roc_auc --methods bbc --methods near_winner\n"
    "  earnest calibrate scores.csv --scores --side lower"
)


def command(
    predictions: Table,
    *,
    question: CalibrateArguments,
    output: Output,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read predictions, simulate studies like them, and say how often limits held."""
    check_table(output)
    metrics = None if question.metric is None else [question.metric]
    evidence, named = read_file_and_metrics(predictions, reading, scoring, metrics)
    ask = pass_arguments(question, without=("metric",))
    from earnest.decision.calibrate import calibrate

    result = calibrate(evidence, metric=named[0], progress=make_progress_line("Simulating"), **ask)
    if not write_results({result.metric: result}, output):
        from earnest.cli.show.decision import show_inclusions

        show_inclusions(result)
