"""`earnest thresholds`: what to expect at every decision threshold, and where to put it."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from earnest.cli import options
from earnest.cli.options import make_option
from earnest.cli.reading import is_large, read_predictions, refuse_no_metric
from earnest.cli.writing import check_table, share_seed, write_results

if TYPE_CHECKING:
    from earnest.core.results.thresholds import ThresholdChoice, Thresholds


_WHICH = "Which thresholds"


HELP = (
    "[bold]Where to put the threshold[/bold]? What to expect at each, corrected for the "
    "selection.\n\n"
    "Reads the out-of-fold scores of every configuration for two classes. Shows sensitivity, "
    "specificity, predictive values and net benefit of the winner at every threshold, with bands "
    "that hold for all of them at once, and what to expect of a threshold chosen by a rule.\n\n"
    "  earnest thresholds preds.csv --metric roc_auc --seed 7\n"
    "  earnest thresholds preds.csv -m roc_auc --at 0.3 --at 0.5\n"
    "  earnest thresholds preds.csv -m roc_auc --sensitivity 0.9\n"
    "  earnest thresholds preds.csv -m roc_auc --json > thresholds.json"
)


@dataclass(frozen=True)
class ThresholdAnswer:
    """A table of thresholds, and what the rules of the command line chose."""

    made: Thresholds
    choices: tuple[ThresholdChoice, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the plain data of the table, with the choices beside it."""
        return {**self.made.to_dict(), "choices": [asdict(each) for each in self.choices]}

    def to_markdown(self) -> str:
        """Return the table for a paper as Markdown."""
        return self.made.to_markdown()

    def to_latex(self) -> str:
        """Return the table for a paper as LaTeX."""
        return self.made.to_latex()


def command(
    predictions: options.Table,
    metric: options.MetricNames = None,
    json: options.AsJson = False,
    table: options.PaperTable = None,
    at: Annotated[
        list[float] | None,
        make_option(
            _WHICH, "T", "Show this threshold instead of nine round ones. Repeat for several."
        ),
    ] = None,
    sensitivity: Annotated[
        float | None,
        make_option(
            _WHICH, "SHARE", "Choose the highest threshold with at least this sensitivity."
        ),
    ] = None,
    specificity: Annotated[
        float | None,
        make_option(_WHICH, "SHARE", "Choose the lowest threshold with at least this specificity."),
    ] = None,
    net_benefit: Annotated[
        float | None,
        make_option(
            _WHICH,
            "P",
            "Choose the threshold with the largest net benefit, where acting and not acting are "
            "worth the same at a probability of P.",
        ),
    ] = None,
    level: options.Level = 0.95,
    side: options.SideName = "two-sided",
    selector: options.SelectorName = None,
    n_resamples: options.BandResamples = 1000,
    seed: options.Seed = None,
    n_jobs: options.Jobs = None,
    *,
    reading: options.PredictionsReading,
) -> None:
    """Read predictions, ask what to expect at every threshold, and show or write it."""
    check_table(table, json)
    if not metric and predictions.exists():  # what is not there is refused when it is read
        refuse_no_metric()
    pi = read_predictions(predictions, reading)
    from earnest.cli.show.progress import patiently
    from earnest.cli.show.thresholds import show_thresholds
    from earnest.inference.curves.thresholds import thresholds

    metrics = metric or []
    seed = share_seed(metrics, seed)

    def answer(name: str) -> ThresholdAnswer:
        with patiently(sys.stderr, "Counting decisions", now=is_large(pi)):
            made = thresholds(
                pi,
                metric=name,
                thresholds=at,
                confidence_level=level,
                side=side,
                selector=selector,
                n_resamples=n_resamples,
                rng=seed,
                n_jobs=n_jobs,
            )
        return ThresholdAnswer(made, tuple(choose(made)))

    def choose(made: Thresholds) -> list[ThresholdChoice]:
        found = []
        if sensitivity is not None:
            found.append(made.choose(sensitivity=sensitivity))
        if specificity is not None:
            found.append(made.choose(specificity=specificity))
        if net_benefit is not None:
            found.append(made.choose("net_benefit", act_from=net_benefit))
        return found or [made.choose("youden")]

    answers = {name: answer(name) for name in metrics}
    if not write_results(answers, json, table):
        for one in answers.values():
            show_thresholds(one.made, one.choices, at)
