"""`earnest estimate`: how good the winner really is."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from earnest.cli import options
from earnest.cli.reading import is_large, label_evidence, read_evidence
from earnest.cli.writing import answer_metrics, check_table
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.results.estimate import Estimate, Estimates

HELP = (
    "How good is the winner [bold]really[/bold]? An honest estimate with its interval.\n\n"
    "Reads the out-of-fold predictions of every configuration that a search tried: a column "
    "[bold]y[/bold] with the outcome, a column [bold]fold[/bold], and a column for each "
    "configuration. With [bold]--scores[/bold]: the scores of prompts, models or settings on "
    "the same items, a column each.\n\n"
    "  earnest estimate preds.csv --metric roc_auc --seed 7\n"
    "  earnest estimate preds.parquet -m accuracy -m brier --side lower --all\n"
    "  earnest estimate scores.csv --scores --id item --group passage\n"
    "  earnest estimate preds.csv -m roc_auc --json > estimate.json\n"
    "  earnest estimate preds.csv -m roc_auc --table latex > table.tex"
)


class EstimateOptions(TypedDict):
    """What is asked of one method and of several alike."""

    confidence_level: float
    side: str
    n_resamples: int | None
    selector: str | None
    undefined: str | None
    n_jobs: int | None


def command(
    predictions: options.Table,
    metric: options.MetricNames = None,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    method: options.Methods = None,
    everything: options.All = False,
    level: options.Level = 0.95,
    side: options.SideName = "two-sided",
    n_resamples: options.Resamples = None,
    seed: options.Seed = None,
    selector: options.SelectorName = None,
    undefined: options.Undefined = None,
    n_jobs: options.Jobs = None,
    *,
    reading: options.PredictionsReading,
    scoring: options.ScoresReading,
) -> None:
    """Read predictions, ask one or several methods, and show or write what they say."""
    if everything and method:
        raise InputError("--all and --method cannot be combined", cure="Leave one of them out.")
    check_table(table, json)
    pi, metrics = read_evidence(predictions, reading, scoring, metric)
    ask: EstimateOptions = {
        "confidence_level": level,
        "side": side,
        "n_resamples": n_resamples,
        "selector": selector,
        "undefined": undefined,
        "n_jobs": n_jobs,
    }
    methods = list(dict.fromkeys(method or ()))
    from earnest.cli.show.estimate import show_estimate, show_estimates
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate, estimate_all

    def ask_one(name: str, rng: int | None) -> Estimate:
        chosen = methods[0] if methods else None
        text = f"Estimating by {chosen}" if chosen else "Estimating"
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate(pi, method=chosen, metric=name, rng=rng, **ask)

    def ask_all(name: str, rng: int | None) -> Estimates:
        chosen = None if everything else methods
        text = f"Estimating by {', '.join(chosen) if chosen else 'all methods'}"
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate_all(pi, methods=chosen, metric=name, rng=rng, **ask)

    names = label_evidence(pi)
    if everything or len(methods) > 1:
        show_all = partial(show_estimates, names=names)
        answer_metrics(ask_all, show_all, metrics, seed, json=json, table=table)
    else:
        show = partial(show_estimate, names=names)
        answer_metrics(ask_one, show, metrics, seed, json=json, table=table)
