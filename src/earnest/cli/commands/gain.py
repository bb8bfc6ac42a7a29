"""`earnest gain`: what the search gained, and what it only seemed to gain."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from earnest.cli.options import Output, Table
from earnest.cli.reading import label_evidence, read_file_and_metrics, takes_long
from earnest.cli.writing import check_table, share_seed, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.gain import GainArguments
from earnest.core.arguments.shared import PredictionsArguments, ScoresArguments

if TYPE_CHECKING:
    from earnest.core.results.gain import Gain

HELP = (
    "Was the tuning [bold]worth it[/bold]? What the search gained, and what it only seemed to.\n\n"
    "Reads the out-of-fold predictions of every configuration, with the columns in the order in "
    "which they were tried. Shows what the search would have reported if you had stopped earlier, "
    "and what to expect of that winner.\n\n"
    "  earnest gain preds.csv --metric roc_auc --rng 7\n"
    "  earnest gain preds.csv -m accuracy --order mean\n"
    "  earnest gain scores.csv --scores --id item\n"
    "  earnest gain preds.csv -m roc_auc --json > gain.json"
)


def command(
    predictions: Table,
    *,
    question: GainArguments,
    output: Output,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read predictions, ask what the search gained, and show or write it."""
    check_table(output)
    pi, metrics = read_file_and_metrics(predictions, reading, scoring, question.metric)
    ask = pass_arguments(question, without=("metric", "rng"))
    from earnest.cli.show.gain import show_gain
    from earnest.cli.show.progress import patiently
    from earnest.inference.curves.gain import gain

    names, seed = label_evidence(pi), share_seed(metrics, question.rng)

    def answer(name: str) -> Gain:
        with patiently(sys.stderr, "Scoring every prefix", now=takes_long(pi)):
            return gain(pi, metric=name, rng=seed, **ask)

    gains = {name: answer(name) for name in metrics}
    if not write_results(gains, output):
        for result in gains.values():
            show_gain(result, names=names)
