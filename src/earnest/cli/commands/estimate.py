"""`earnest estimate`: how good the winner really is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from earnest.cli.options import common as options
from earnest.cli.reading import is_large, read_predictions
from earnest.cli.writing import answer_each, check_table
from earnest.core.base import check
from earnest.core.base.errors import InputError

HELP = (
    "How good is the winner [bold]really[/bold]? An honest estimate with its interval.\n\n"
    "Reads the out-of-fold predictions of every configuration that a search tried: a column "
    "[bold]y[/bold] with the outcome, a column [bold]fold[/bold], and a column for each "
    "configuration.\n\n"
    "  earnest estimate preds.csv --metric roc_auc --seed 7\n"
    "  earnest estimate preds.parquet -m accuracy -m brier --side lower --all\n"
    "  earnest estimate preds.csv -m roc_auc --json > estimate.json\n"
    "  earnest estimate preds.csv -m roc_auc --table latex > table.tex"
)


def command(
    predictions: options.Table,
    metric: options.MetricNames,
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
    form: options.Format = None,
    target: options.TargetColumn = None,
    fold: options.FoldColumn = None,
    group: options.GroupColumn = None,
    repeat: options.RepeatColumn = None,
    case: options.CaseColumn = None,
    time: options.TimeColumn = None,
    event: options.EventColumn = None,
    positive: options.Positive = None,
    task: options.TaskName = None,
    response: options.Response = None,
    threshold: options.Threshold = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    config: options.OnlyConfigs = None,
    model: options.ModelColumns = None,
    prediction: options.PredictionColumn = None,
) -> None:
    """Read predictions, ask one or several methods, and show or write what they say."""
    if everything and method:
        raise InputError("--all and --method exclude each other", cure="Leave one of them out.")
    check_table(table, json)
    if seed is not None:
        check.whole_number("seed", seed, low=0)
    pi = read_predictions(
        predictions,
        format=form,
        target=target,
        fold=fold,
        group=group,
        repeat=repeat,
        id=case,
        time=time,
        event=event,
        positive=positive,
        task=task,
        response=response,
        threshold=threshold,
        delimiter=delimiter,
        decimal=decimal,
        thousands=thousands,
        configs=config,
        model=model,
        prediction=prediction,
    )
    ask = {
        "confidence_level": level,
        "side": side,
        "n_resamples": n_resamples,
        "selector": selector,
        "undefined": undefined,
        "n_jobs": n_jobs,
    }
    names = list(dict.fromkeys(method or ()))
    if everything or len(names) > 1:
        answer, show = _several(pi, None if everything else names, ask)
    else:
        answer, show = _one(pi, names[0] if names else None, ask)
    answer_each(metric, answer, show, seed=seed, json=json, table=table)


Answer = Callable[[str, int | None], Any]
Show = Callable[[Any], None]


def _one(pi: Any, method: str | None, ask: dict[str, Any]) -> tuple[Answer, Show]:
    from earnest.cli.show.estimate import show_estimate
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate

    text = f"Estimating by {method}" if method else "Estimating"

    def answer(metric: str, seed: int | None) -> Any:
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate(pi, method=method, metric=metric, rng=seed, **ask)

    return answer, show_estimate


def _several(pi: Any, methods: list[str] | None, ask: dict[str, Any]) -> tuple[Answer, Show]:
    from earnest.cli.show.estimate_table import show_estimates
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate_all

    text = f"Estimating by {', '.join(methods) if methods else 'all methods'}"

    def answer(metric: str, seed: int | None) -> Any:
        with patiently(sys.stderr, text, now=is_large(pi)):
            return estimate_all(pi, methods=methods, metric=metric, rng=seed, **ask)

    return answer, show_estimates
