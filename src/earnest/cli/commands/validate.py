"""`earnest validate`: what a model is worth on cases from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from earnest.cli.options import Output, make_argument
from earnest.cli.writing import check_table, write_results
from earnest.core.arguments.base import pass_arguments
from earnest.core.arguments.validate import ValidateArguments

HELP = (
    "What is the model worth [bold]elsewhere[/bold]? External validation, and what an update "
    "gains.\n\n"
    "Reads new cases with their outcome, and judges the model of a run on them: discrimination, "
    "calibration, net benefit, and how the cases differ from those of the development. Updates "
    "(recalibration, refitting) are judged by cross-validation on the new cases.\n\n"
    "  earnest validate run/ new.csv\n"
    "  earnest validate run/ new.csv --target died --group hospital --rng 7\n"
    "  earnest validate run/ new.csv --json > validation.json"
)


def command(
    run: Annotated[
        Path, make_argument("RUN", "A folder that earnest tune wrote, or its model.skops.")
    ],
    data: Annotated[
        Path, make_argument("TABLE", "New cases with their outcome: CSV, Parquet or Arrow.")
    ],
    *,
    question: ValidateArguments,
    output: Output,
) -> None:
    """Load the model, predict the new cases, judge it, and show or write what it says."""
    check_table(output)
    from earnest.cli.show.progress import patiently
    from earnest.cli.show.validation import show_validation
    from earnest.training.validation.validate import validate

    with patiently(sys.stderr, "Validating", now=True):
        result = validate(run, data, **pass_arguments(question))
    if not write_results({result.model: result}, output):
        show_validation(result)
