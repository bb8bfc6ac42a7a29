"""`earnest estimate`: how good the winner really is."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from earnest.cli.options import Output, Table
from earnest.cli.reading import (
    find_metric,
    label_evidence,
    read_file_and_metrics,
    takes_long,
)
from earnest.cli.writing import check_table, share_seed, write_results
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.estimate import EstimateArguments
from earnest.core.arguments.shared import HOW, PredictionsArguments, ScoresArguments
from earnest.core.base.errors import InputError

if TYPE_CHECKING:
    from earnest.core.results.estimate import Estimate, Estimates
    from earnest.inference.general.result import StatisticResult

HELP = (
    "How good is the winner [bold]really[/bold]? An honest estimate with its interval.\n\n"
    "Reads the out-of-fold predictions of every configuration that a search tried: a column "
    "[bold]y[/bold] with the outcome, a column [bold]fold[/bold], and a column for each "
    "configuration. With [bold]--scores[/bold]: the scores of prompts, models or settings on "
    "the same items, a column each. A table of fold scores, as below, does too.\n\n"
    "  earnest estimate preds.csv --metric roc_auc --rng 7\n"
    "  earnest estimate cv_results.csv --metric roc_auc\n"
    "  earnest estimate preds.parquet -m accuracy -m brier --side lower --all\n"
    "  earnest estimate scores.csv --scores --id item --group passage\n"
    "  earnest estimate preds.csv -m roc_auc --json > estimate.json\n"
    "  earnest estimate preds.csv -m roc_auc --table latex > table.tex"
)


@dataclass(frozen=True, kw_only=True)
class EveryMethod:
    """Whether all methods are asked."""

    all: Annotated[
        bool, Argument("Run every method that fits your data.", panel=HOW, usual=True)
    ] = False


ERRORS = ("jackknife", "influence")


@dataclass(frozen=True, kw_only=True)
class ErrorOptions:
    """Whether a general tool measures the error of one configuration's score."""

    error: Annotated[
        str | None,
        Argument(
            "Of one configuration, fixed in advance: its score with the standard error and bias "
            "of the jackknife, or the error by influence. Use it with --configs NAME.",
            "TOOL",
            HOW,
            choices=ERRORS,
        ),
    ] = None


def command(
    predictions: Table,
    *,
    question: EstimateArguments,
    every: EveryMethod,
    general: ErrorOptions,
    output: Output,
    reading: PredictionsArguments,
    scoring: ScoresArguments,
) -> None:
    """Read predictions, ask one or several methods, and show or write what they say."""
    if every.all and question.method:
        raise InputError("--all and --method cannot be combined", cure="Leave one of them out.")
    check_table(output)
    methods = list(dict.fromkeys(question.method or ()))
    if question.by and (every.all or len(methods) > 1 or general.error is not None):
        raise InputError(
            "--by asks one method", cure="Leave it out, or --all, --error and the second --method."
        )
    pi, metrics = read_file_and_metrics(predictions, reading, scoring, question.metric, question.by)
    ask = pass_arguments(question, without=("metric", "method", "by", "rng"))
    if general.error is not None:
        if methods or every.all:
            option = "--all" if every.all else "--method"
            raise InputError(
                f"--error and {option} cannot be combined", cure="Leave one of them out."
            )
        show_errors(general.error, pi, metrics, question, output)
        return
    from earnest.cli.show.estimate import show_estimate, show_estimates
    from earnest.cli.show.progress import patiently
    from earnest.methods.run import estimate, estimate_all

    names, seed = label_evidence(pi), share_seed(metrics, question.rng)
    of_run = not question.metric and find_metric(predictions) is not None

    def ask_one(name: str) -> Estimate:
        chosen = methods[0] if methods else None
        text = f"Estimating by {chosen}" if chosen else "Estimating"
        with patiently(sys.stderr, text, now=takes_long(pi)):
            if of_run:  # its own estimate, or by its own metric and seed
                return estimate(predictions, method=chosen, by=question.by, rng=question.rng, **ask)
            return estimate(pi, method=chosen, metric=name, by=question.by, rng=seed, **ask)

    def ask_all(name: str) -> Estimates:
        chosen = None if every.all else methods
        text = f"Estimating by {', '.join(chosen) if chosen else 'all methods'}"
        with patiently(sys.stderr, text, now=takes_long(pi)):
            return estimate_all(pi, methods=chosen, metric=name, rng=seed, **ask)

    if every.all or len(methods) > 1:
        several = {name: ask_all(name) for name in metrics}
        if not write_results(several, output):
            for all_methods in several.values():
                show_estimates(all_methods, names=names)
    else:
        answers = {name: ask_one(name) for name in metrics}
        if not write_results(answers, output):
            for answer in answers.values():
                show_estimate(answer, names=names)


def show_errors(
    tool: str, pi: Any, metrics: list[str], question: EstimateArguments, output: Output
) -> None:
    """Measure the error of one configuration's score by a general tool, and show or write it."""
    from earnest.cli.show.statistic import show_statistic
    from earnest.core.data.predictions import Predictions
    from earnest.inference.general.tools import influence, jackknife
    from earnest.kernels.score import score_table

    if not isinstance(pi, Predictions) or pi.n_configs > 1:
        raise InputError(
            "--error is for one configuration that was fixed in advance",
            needs="predictions of one configuration",
            got=f"{pi.n_configs} configurations",
            cure="Name it with --configs NAME. For the winner of a search use --method.",
        )
    usable = pi.usable()
    measure = {"jackknife": jackknife, "influence": influence}[tool]

    def ask_tool(metric: str) -> StatisticResult:
        return measure(
            lambda weights: score_table(usable, metric, weights)[:, 0],
            usable.n_cases,
            confidence_level=question.confidence_level,
            side=question.side,
            groups=usable.target.groups,
            vectorized=True,
        )

    results = {metric: ask_tool(metric) for metric in metrics}
    if not write_results(results, output):
        for metric, result in results.items():
            show_statistic(result, metric, usable.configs.ids[0])
