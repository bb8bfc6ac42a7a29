"""`earnest estimate`: how good the winner really is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

from earnest.cli import options
from earnest.cli.reading import is_large, label_evidence, read_evidence
from earnest.cli.writing import check_table, share_seed, write_each
from earnest.core.base import check
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions
    from earnest.core.data.scores import Scores
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
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    pi, metrics = read_evidence(predictions, reading, scoring, metric)
    ask: EstimateOptions = {
        "confidence_level": level,
        "side": side,
        "n_resamples": n_resamples,
        "selector": selector,
        "undefined": undefined,
        "n_jobs": n_jobs,
    }
    names, seed = list(dict.fromkeys(method or ())), share_seed(metrics, seed)
    if everything or len(names) > 1:
        from earnest.cli.show.estimate import show_estimates

        ask_all = _ask_several(pi, None if everything else names, ask)
        tables = {name: ask_all(name, seed) for name in metrics}
        for several in write_each(tables, json=json, table=table):
            show_estimates(several, names=label_evidence(pi))
    else:
        from earnest.cli.show.estimate import show_estimate

        ask_one = _ask_one(pi, names[0] if names else None, ask)
        results = {name: ask_one(name, seed) for name in metrics}
        for made in write_each(results, json=json, table=table):
            show_estimate(made, names=label_evidence(pi))


def _ask_one(
    pi: Predictions | Scores, method: str | None, ask: EstimateOptions
) -> Callable[[str, int | None], Estimate]:
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate

    text = f"Estimating by {method}" if method else "Estimating"

    def answer(metric: str, seed: int | None) -> Estimate:
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate(pi, method=method, metric=metric, rng=seed, **ask)

    return answer


def _ask_several(
    pi: Predictions | Scores, methods: list[str] | None, ask: EstimateOptions
) -> Callable[[str, int | None], Estimates]:
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate_all

    text = f"Estimating by {', '.join(methods) if methods else 'all methods'}"

    def answer(metric: str, seed: int | None) -> Estimates:
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate_all(pi, methods=methods, metric=metric, rng=seed, **ask)

    return answer
