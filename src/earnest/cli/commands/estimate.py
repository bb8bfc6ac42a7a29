"""`earnest estimate`: how good the winner really is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

from earnest.cli import options
from earnest.cli.reading import is_large, label_evidence, read_evidence
from earnest.cli.writing import check_table, share_seed, write_results
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

    names, seed = label_evidence(pi), share_seed(metrics, seed)

    def ask_one(name: str) -> Estimate:
        chosen = methods[0] if methods else None
        text = f"Estimating by {chosen}" if chosen else "Estimating"
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate(pi, method=chosen, metric=name, rng=seed, **ask)

    def ask_all(name: str) -> Estimates:
        chosen = None if everything else methods
        text = f"Estimating by {', '.join(chosen) if chosen else 'all methods'}"
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate_all(pi, methods=chosen, metric=name, rng=seed, **ask)

    if everything or len(methods) > 1:
        several = {name: ask_all(name) for name in metrics}
        if not write_results(several, json, table):
            for all_methods in several.values():
                show_estimates(all_methods, names=names)
    else:
        made = {name: ask_one(name) for name in metrics}
        if not write_results(made, json, table):
            for one in made.values():
                show_estimate(one, names=names)
