"""`earnest explain-model`: which columns the model of a run needs, and what they move."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from earnest.cli.options import Output, make_argument
from earnest.cli.reading import read_table_marks
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import Argument, pass_arguments
from earnest.core.arguments.explain import ExplainModelArguments
from earnest.core.arguments.shared import TableArguments

HELP = (
    "Which [bold]columns[/bold] does the model need, and how does its prediction move with them?"
    "\n\nTrains the delivered model again on some folds of the run, gives each column values of "
    "other held-out cases, and shows how much the score worsens, with intervals. `earnest tune` "
    "does so by itself within a tenth of its budget.\n\n  earnest explain-model run/ patients.csv"
    "\n  earnest explain-model run/ patients.csv --effects age --save"
)


@dataclass(frozen=True, kw_only=True)
class ExplainModelOutput(Output):
    """What is written of an explanation, and where."""

    save: Annotated[
        bool,
        Argument("Keep it in the run, so that earnest report shows it.", usual=True),
    ] = False


def command(
    run: Annotated[Path, make_argument("RUN", "A folder that earnest tune wrote.")],
    data: Annotated[Path, make_argument("TABLE", "The table that the run was made with.")],
    *,
    question: ExplainModelArguments,
    output: ExplainModelOutput,
    csv: TableArguments,
) -> None:
    """Read the run and its table, train some folds again, and show or write what was found."""
    check_table(output)
    from earnest.cli.show.model.columns import show_model_explanation
    from earnest.cli.show.progress import patiently
    from earnest.training.tune.explaining import explain_model, save_in_run

    with patiently(sys.stderr, "Training folds again, and changing columns"):
        explanation = explain_model(run, data, **pass_arguments(question), **read_table_marks(csv))
    if output.save:
        save_in_run(explanation, run)
    if not write_results({explanation.metric: explanation}, output):
        show_model_explanation(explanation)
