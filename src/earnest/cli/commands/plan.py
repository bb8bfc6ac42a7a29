"""`earnest plan`: how many items a study needs, from a pilot."""

from __future__ import annotations

import sys

from earnest.cli.options import Output, Table
from earnest.cli.reading import find_metric, read_file_and_metrics
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.plan import PlanArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments
from earnest.core.base.errors import InputError

HELP = (
    "How many items, repeats and configurations do you need? Ask [bold]before[/bold] you pay for "
    "them.\n\n"
    "Reads a pilot (predictions or scores) and simulates studies like it: items as difficult, "
    "configurations that agree as much.\n\n"
    "  earnest plan pilot.csv --scores --detect 0.03\n"
    "  earnest plan pilot.csv --scores --detect 0.03 --n-configs 20 --n-repeats 4\n"
    "  earnest plan preds.parquet -m roc_auc --width 0.05"
)


def command(
    predictions: Table,
    *,
    question: PlanArguments,
    output: Output,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read a pilot, simulate studies, and say how many items are needed."""
    check_table(output)
    if question.detect is None and question.width is None:
        raise InputError("there is no goal", needs="--detect NUMBER or --width NUMBER")
    metrics = None if question.metric is None else [question.metric]
    pilot, _ = read_file_and_metrics(predictions, reading, scoring, metrics)
    from earnest.cli.show.progress import patiently
    from earnest.decision.plan import plan

    arguments = {**pass_arguments(question), "metric": question.metric or find_metric(predictions)}
    with patiently(sys.stderr, "Simulating studies"):
        result = plan(pilot, **arguments)
    if not write_results({result.metric: result}, output):
        from earnest.cli.show.decision import show_study_plan

        show_study_plan(result)
