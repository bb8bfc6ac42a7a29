"""The program: its commands, its exit codes, and what happens when something goes wrong.

Nothing here or in the command modules imports NumPy: help must come at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from earnest.cli import INTERRUPTED
from earnest.cli.commands import (
    assess,
    compare,
    compare_learners,
    demo,
    estimate,
    explain,
    gather,
    methods,
    metrics,
    predict,
    report,
    tests,
    tune,
)
from earnest.cli.failures import internal_error, options_for, say, show_warning, usage_line
from earnest.cli.show.terminal import guarded_output, write
from earnest.core.base.errors import EarnestError

BAD_INPUT = 2

# The base of every complaint about arguments; typer exports its subclass only.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

# In a paragraph of help every line break counts, so a paragraph is one line.
HELP = (
    "How good is a tuned model [bold]really[/bold]?\n\n"
    "The score that a search reports for its winner is too good, because the winner was chosen for "
    "it. earnest takes the out-of-fold predictions of all configurations and says what to expect "
    "on new data. [bold]earnest tune[/bold] makes these predictions from a table, [bold]earnest "
    "gather[/bold] reads those that another tool kept."
)
EPILOG = (
    "[bold]earnest COMMAND --help[/bold] explains a command. "
    "Exit codes: 0 done, 2 bad input, 1 a fault of earnest, 130 interrupted, 141 closed pipe."
)

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("tune", help=tune.HELP, rich_help_panel="Tune")(tune.command)
app.command("predict", help=predict.HELP, rich_help_panel="Tune")(predict.command)
app.command("demo", help=demo.HELP, rich_help_panel="Tune")(demo.command)
app.command("gather", help=gather.HELP, rich_help_panel="Bring")(gather.command)
app.command("estimate", help=estimate.HELP, rich_help_panel="Ask")(estimate.command)
app.command("assess", help=assess.HELP, rich_help_panel="Ask")(assess.command)
app.command("compare", help=compare.HELP, rich_help_panel="Ask")(compare.command)
app.command("compare-learners", help=compare_learners.HELP, rich_help_panel="Ask")(
    compare_learners.command
)
app.command("explain", help=explain.HELP, rich_help_panel="Ask")(explain.command)
app.command("report", help=report.HELP, rich_help_panel="Ask")(report.command)
app.command("methods", help=methods.HELP, rich_help_panel="Look up")(methods.command)
app.command("tests", help=tests.HELP, rich_help_panel="Look up")(tests.command)
app.command("metrics", help=metrics.HELP, rich_help_panel="Look up")(metrics.command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        write(f"earnest {version('earnest')}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True, help=HELP, epilog=EPILOG)
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Show the version.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Show the table of contents where no command is named."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments; those of the process by default.
    """
    sys.excepthook = internal_error
    warnings.showwarning = show_warning
    command = typer.main.get_command(app)
    try:
        with guarded_output():
            code = command.main(args, prog_name="earnest", standalone_mode=False)
    except UsageError as error:
        say(usage_line(error))
        return BAD_INPUT
    except EarnestError as error:
        say(options_for(error))
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        say("", label="interrupted")
    return code if isinstance(code, int) else 0
