"""`earnest plan`: how many items a study needs, from a pilot."""

from __future__ import annotations

from earnest.cli.options import common as options
from earnest.cli.options import gate as gated
from earnest.cli.options import plan as how
from earnest.cli.reading import read_evidence
from earnest.cli.writing import check_table, write_result
from earnest.core.base import check
from earnest.core.base.errors import InputError

HELP = (
    "How many items, repeats and configurations, [bold]before[/bold] the money is spent.\n\n"
    "Reads a pilot, predictions or scores, and simulates studies from it: as difficult items, as "
    "much agreement between configurations.\n\n"
    "  earnest plan pilot.csv --scores --detect 0.03\n"
    "  earnest plan pilot.csv --scores --detect 0.03 --configs 2 --configs 20 --repeats 4\n"
    "  earnest plan preds.parquet -m roc_auc --width 0.05"
)


@options.take_options
def command(
    predictions: options.Table,
    metric: gated.MetricName = None,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    detect: how.Detect = None,
    width: how.Width = None,
    configs: how.Configs = None,
    repeats: how.Repeats = None,
    power: how.Power = 0.8,
    level: how.Level = 0.95,
    seed: how.Seed = None,
    n_jobs: how.Jobs = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read a pilot, simulate studies, and say how many items are needed."""
    check_table(table, json)
    if detect is None and width is None:
        raise InputError("there is no goal", needs="--detect NUMBER or --width NUMBER")
    if seed is not None:
        check.whole_number("seed", seed, low=0)
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
    if not write_result(made, json, table):
        from earnest.cli.show.plan import show_plan

        show_plan(made)
