"""`earnest thresholds`: what to expect at every decision threshold, and where to put it."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from earnest.cli.options import Output, Table
from earnest.cli.reading import find_metric, read_predictions, refuse_no_metric, takes_long
from earnest.cli.writing import check_table, share_seed, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.shared import PredictionsArguments
from earnest.core.arguments.thresholds import ChoiceArguments, ThresholdsArguments

if TYPE_CHECKING:
    from earnest.core.results.thresholds import ThresholdChoice, Thresholds


HELP = (
    "[bold]Where to put the threshold[/bold]? What to expect at each, corrected for the "
    "selection.\n\n"
    "Reads the out-of-fold scores of every configuration for two classes. Shows sensitivity, "
    "specificity, predictive values and net benefit of the winner at every threshold, with bands "
    "that hold for all of them at once, and what to expect of a threshold chosen by a rule.\n\n"
    "  earnest thresholds preds.csv --metric roc_auc --rng 7\n"
    "  earnest thresholds preds.csv -m roc_auc --thresholds 0.3 --thresholds 0.5\n"
    "  earnest thresholds preds.csv -m roc_auc --sensitivity 0.9\n"
    "  earnest thresholds preds.csv -m roc_auc --json > thresholds.json"
)


@dataclass(frozen=True)
class ThresholdAnswer:
    """A table of thresholds, and what the rules of the command line chose."""

    table: Thresholds
    choices: tuple[ThresholdChoice, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the plain data of the table, with the choices beside it."""
        return {**self.table.to_dict(), "choices": [asdict(each) for each in self.choices]}

    def to_markdown(self) -> str:
        """Return the table for a paper as Markdown."""
        return self.table.to_markdown()

    def to_latex(self) -> str:
        """Return the table for a paper as LaTeX."""
        return self.table.to_latex()


def command(
    predictions: Table,
    *,
    question: ThresholdsArguments,
    choice: ChoiceArguments,
    output: Output,
    reading: PredictionsArguments,
) -> None:
    """Read predictions, ask what to expect at every threshold, and show or write it."""
    check_table(output)
    metrics = question.metric or list(filter(None, [find_metric(predictions)]))
    if not metrics and predictions.exists():  # what is not there is refused when it is read
        refuse_no_metric()
    pi = read_predictions(predictions, reading, question.by)
    ask = pass_arguments(question, without=("metric", "rng"))
    from earnest.cli.show.progress import patiently
    from earnest.cli.show.thresholds import show_thresholds
    from earnest.inference.curves.thresholds import thresholds

    seed = share_seed(metrics, question.rng)

    def answer(name: str) -> ThresholdAnswer:
        with patiently(sys.stderr, "Counting decisions", now=takes_long(pi)):
            table = thresholds(pi, metric=name, rng=seed, **ask)
        return ThresholdAnswer(table, tuple(choose(table)))

    def choose(table: Thresholds) -> list[ThresholdChoice]:
        choices = []
        if choice.sensitivity is not None:
            choices.append(table.choose(sensitivity=choice.sensitivity))
        if choice.specificity is not None:
            choices.append(table.choose(specificity=choice.specificity))
        if choice.act_from is not None:
            choices.append(table.choose("net_benefit", act_from=choice.act_from))
        return choices or [table.choose("youden")]

    answers = {name: answer(name) for name in metrics}
    if not write_results(answers, output):
        for shown in answers.values():
            show_thresholds(shown.table, shown.choices, question.thresholds)
