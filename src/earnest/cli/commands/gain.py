"""`earnest gain`: what the search gained, and what it only seemed to gain."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from earnest.cli import options
from earnest.cli.reading import is_large, label_evidence, read_evidence
from earnest.cli.writing import check_table, share_seed, write_results

if TYPE_CHECKING:
    from earnest.core.results.gain import Gain

HELP = (
    "Was the tuning [bold]worth it[/bold]? What the search gained, and what it only seemed to.\n\n"
    "Reads the out-of-fold predictions of every configuration, with the columns in the order in "
    "which they were tried. Shows what the search would have reported if you had stopped earlier, "
    "and what to expect of that winner.\n\n"
    "  earnest gain preds.csv --metric roc_auc --seed 7\n"
    "  earnest gain preds.csv -m accuracy --order mean\n"
    "  earnest gain scores.csv --scores --id item\n"
    "  earnest gain preds.csv -m roc_auc --json > gain.json"
)


def command(
    predictions: options.Table,
    metric: options.MetricNames = None,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    order: options.OrderName = "tried",
    level: options.Level = 0.95,
    n_resamples: options.BandResamples = 1000,
    seed: options.Seed = None,
    n_jobs: options.Jobs = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read predictions, ask what the search gained, and show or write it."""
    check_table(table, json)
    pi, metrics = read_evidence(predictions, reading, scoring, metric)
    from earnest.cli.show.gain import show_gain
    from earnest.cli.show.progress import patiently
    from earnest.inference.curves.gain import gain

    names, seed = label_evidence(pi), share_seed(metrics, seed)

    def answer(name: str) -> Gain:
        with patiently(sys.stderr, "Scoring every prefix", now=is_large(pi)):
            return gain(
                pi,
                metric=name,
                order=order,
                confidence_level=level,
                n_resamples=n_resamples,
                rng=seed,
                n_jobs=n_jobs,
            )

    gains = {name: answer(name) for name in metrics}
    if not write_results(gains, json, table):
        for one in gains.values():
            show_gain(one, names=names)
