"""`earnest plan`: how many items a study needs, from a pilot."""

from __future__ import annotations

from typing import Annotated

from earnest.cli import options
from earnest.cli.commands import gate as gated
from earnest.cli.options import (
    make_jobs_option,
    make_level_option,
    make_option,
    make_seed_option,
)
from earnest.cli.reading import read_evidence
from earnest.cli.writing import check_table, write_results
from earnest.core.base.errors import InputError

_GOAL = "What the study is for"
_HOW = "How to plan"


HELP = (
    "How many items, repeats and configurations do you need? Ask [bold]before[/bold] you pay for "
    "them.\n\n"
    "Reads a pilot (predictions or scores) and simulates studies like it: items as difficult, "
    "configurations that agree as much.\n\n"
    "  earnest plan pilot.csv --scores --detect 0.03\n"
    "  earnest plan pilot.csv --scores --detect 0.03 --configs 2 --configs 20 --repeats 4\n"
    "  earnest plan preds.parquet -m roc_auc --width 0.05"
)


def command(
    predictions: options.Table,
    metric: gated.MetricName = None,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    detect: Annotated[
        float | None,
        make_option(
            _GOAL,
            "NUMBER",
            "The difference to show: between two configurations or, with --configs above 2, "
            "between the best and all others.",
        ),
    ] = None,
    width: Annotated[
        float | None,
        make_option(_GOAL, "NUMBER", "The width of the interval of the best configuration."),
    ] = None,
    configs: Annotated[
        list[int] | None,
        make_option(
            _GOAL,
            "N",
            "[dim]default: 2, or those of the pilot for --width[/dim]  How many configurations "
            "the study will have; repeat for several.",
        ),
    ] = None,
    repeats: Annotated[
        list[int] | None,
        make_option(
            _GOAL,
            "N",
            "[dim]default: those of the pilot[/dim]  How many samples of each item; repeat for "
            "several.",
        ),
    ] = None,
    power: Annotated[
        float, make_option(_HOW, "SHARE", "The chance of showing the difference.")
    ] = 0.8,
    level: Annotated[float, make_level_option(_HOW)] = 0.95,
    seed: Annotated[int | None, make_seed_option(_HOW)] = None,
    n_jobs: Annotated[int | None, make_jobs_option(_HOW)] = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read a pilot, simulate studies, and say how many items are needed."""
    check_table(table, json)
    if detect is None and width is None:
        raise InputError("there is no goal", needs="--detect NUMBER or --width NUMBER")
    pilot, _ = read_evidence(predictions, reading, scoring, None if metric is None else [metric])
    from earnest.decision.plan import plan

    made = plan(
        pilot,
        metric=metric,
        detect=detect,
        width=width,
        n_configs=configs or None,
        n_repeats=repeats or None,
        power=power,
        confidence_level=level,
        rng=seed,
        n_jobs=n_jobs,
    )
    if not write_results({made.metric: made}, json, table):
        from earnest.cli.show.decision import show_plan

        show_plan(made)
