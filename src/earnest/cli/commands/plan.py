"""`earnest plan`: how many items a study needs, from a pilot."""

from __future__ import annotations

import sys
from dataclasses import fields

from earnest.cli.options import MaybeTable, Output
from earnest.cli.reading import find_metric, read_file_and_metrics
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import name_option, pass_arguments
from earnest.core.arguments.plan import ModelStudy, PlanArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments
from earnest.core.base.errors import InputError

HELP = (
    "How many items, repeats and configurations do you need? Ask [bold]before[/bold] you pay for "
    "them.\n\n"
    "Reads a pilot (predictions or scores) and simulates studies like it: items as difficult, "
    "configurations that agree as much.\n\n"
    "  earnest plan pilot.csv --scores --detect 0.03\n"
    "  earnest plan pilot.csv --scores --detect 0.03 --n-configs 20 --n-repeats 4\n"
    "  earnest plan preds.parquet -m roc_auc --width 0.05\n"
    "  earnest plan --prevalence 0.17 --r2 0.29 --n-parameters 24  [dim](Riley's criteria)[/dim]"
)


def command(
    predictions: MaybeTable = None,
    *,
    question: PlanArguments,
    study: ModelStudy,
    output: Output,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read a pilot, simulate studies, and say how many items are needed; or plan a model."""
    check_table(output)
    named = [each.name for each in fields(study) if getattr(study, each.name) != each.default]
    if predictions is None:
        _plan_model(study, output, named)
        return
    if named:
        raise InputError(
            f"{name_option(named[0])} plans a model without a pilot",
            needs="a pilot, or options of a model",
            got=f"{predictions} and {', '.join(map(name_option, named))}",
        )
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


def _plan_model(study: ModelStudy, output: Output, named: list[str]) -> None:
    """Say how many cases a model needs."""
    if not named:
        raise InputError(
            "there is nothing to plan from",
            needs="a pilot, or what is known of a model, such as --prevalence",
        )
    from earnest.decision.plan import plan

    result = plan(study)
    if not write_results({result.study: result}, output):
        from earnest.cli.show.decision import show_model_plan

        show_model_plan(result)
