"""The program: its commands, its exit codes, and what happens when something goes wrong.

Nothing here or in the command modules imports NumPy: help must come at once.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from earnest.cli import ENDINGS, INTERRUPTED, ending_code
from earnest.cli.commands import (
    assess,
    calibrate,
    compare,
    compare_learners,
    demo,
    estimate,
    explain,
    floor,
    gain,
    gate,
    gather,
    ledger,
    lookup,
    plan,
    report,
    thresholds,
    tune,
    validate,
)
from earnest.cli.commands.model import explain_model, predict
from earnest.cli.defaults import Defaults, read_defaults
from earnest.cli.errors import (
    Complaint,
    find_memory_error,
    internal_error,
    make_memory_error,
    refuse_little_space,
    say_error,
    show_warning,
    system_line,
    usage_line,
    write_line,
)
from earnest.cli.options import WHOLE_HELP, take_options
from earnest.cli.reading import keep_standard_input
from earnest.cli.show.terminal import guard_output, write
from earnest.core.base.errors import EarnestError
from earnest.core.text.doors import enter

BAD_INPUT = 2
COMPLETING = "_EARNEST_COMPLETE"  # what a shell sets that completes a command line

# The base of every complaint about arguments; typer exports its subclass only.
if TYPE_CHECKING:
    from typer._click.core import Context, Parameter
    from typer._click.formatting import HelpFormatter

UsageError: type[Exception] = typer.BadParameter.__mro__[1]

# In a paragraph of help every line break counts, so a paragraph is one line.
HELP = (
    "How good is a tuned model [bold]really[/bold]?\n\nA search reports a score for its winner "
    "that is too good, because the winner was chosen for that score. earnest uses the "
    "out-of-fold predictions of all configurations to tell you what to expect on new data. "
    "[bold]earnest tune[/bold] makes these predictions from a table, and [bold]earnest "
    "gather[/bold] reads those that another tool kept."
)
EPILOG = (
    "[bold]earnest COMMAND --help[/bold] explains a command. "
    "Exit codes: 0 done, 1 a bug in earnest, 2 bad input, 130 interrupted, 141 closed pipe; for "
    "[bold]gate[/bold] also 3 fail and 4 undecided."
)


class Command(TyperCommand):
    """A command with a short help, that refuses an option which takes one value and comes twice.

    Parsers of command lines keep the last one, and nobody learns that the first was dropped.
    """

    rare: ClassVar[frozenset[str]] = frozenset()  # what only the whole help shows

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help of what most people need, or of everything."""
        names: frozenset[str] = frozenset() if ctx.meta.get(WHOLE_HELP) else self.rare
        rare = [param for param in self.params if param.name in names]
        for param in rare:
            vars(param)["hidden"] = True
        try:
            super().format_help(ctx, formatter)
        finally:
            for param in rare:
                vars(param)["hidden"] = False

    def invoke(self, ctx: Context) -> object:
        """Run, with a table on standard input (`-`) as a file."""
        names = [name for name, value in ctx.params.items() if value == Path("-")]
        piped = [param.name for param in self.params if param.param_type_name == "argument"]
        if not set(names) & set(piped):
            return super().invoke(ctx)
        if len(names) > 1:
            ctx.fail("Standard input can be read only once, but '-' is given twice.")
        with keep_standard_input() as path:
            ctx.params[names[0]] = path
            return super().invoke(ctx)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the arguments as always, once every option is there but once."""
        order = self.make_parser(ctx).parse_args(args=list(args))[2]
        for option, times in Counter(each for each in order if _takes_one(each)).items():
            if times > 1:
                ctx.fail(f"Option '{option.opts[0]}' takes one value, but is given {times} times.")
        return super().parse_args(ctx, args)


def _takes_one(param: Parameter) -> bool:
    """Tell whether the last of several values would win; a switch may be turned on twice."""
    if not isinstance(param, TyperOption) or param.multiple or param.count:
        return False
    return not param.is_flag or bool(param.secondary_opts)


COMMANDS: tuple[tuple[str, str, str, Callable[..., None]], ...] = (  # name, panel, help, function
    ("tune", "Tune", tune.HELP, tune.command),
    ("predict", "Tune", predict.HELP, predict.command),
    ("explain-model", "Tune", explain_model.HELP, explain_model.command),
    ("demo", "Tune", demo.HELP, demo.command),
    ("gather", "Bring", gather.HELP, gather.command),
    ("estimate", "Ask", estimate.HELP, estimate.command),
    ("floor", "Ask", floor.HELP, floor.command),
    ("gain", "Ask", gain.HELP, gain.command),
    ("thresholds", "Ask", thresholds.HELP, thresholds.command),
    ("assess", "Ask", assess.HELP, assess.command),
    ("compare", "Ask", compare.HELP, compare.command),
    ("compare-learners", "Ask", compare_learners.HELP, compare_learners.command),
    ("gate", "Decide", gate.HELP, gate.command),
    ("ledger", "Decide", ledger.HELP, ledger.command),
    ("plan", "Decide", plan.HELP, plan.command),
    ("calibrate", "Decide", calibrate.HELP, calibrate.command),
    ("validate", "Ask", validate.HELP, validate.command),
    ("explain", "Ask", explain.HELP, explain.command),
    ("report", "Ask", report.HELP, report.command),
    ("methods", "Look up", lookup.METHODS_HELP, lookup.list_methods),
    ("tests", "Look up", lookup.TESTS_HELP, lookup.list_tests),
    ("metrics", "Look up", lookup.METRICS_HELP, lookup.list_metrics),
)


def make_app(*, options: bool = True) -> typer.Typer:
    """Return the program, for its own help without the options of its commands.

    Reading the types of all arguments of all commands takes longer than printing that help.
    """
    app = typer.Typer(
        add_completion=True,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=HELP, epilog=EPILOG)(root)
    for name, panel, help_, command in COMMANDS:
        call = take_options(command) if options else lambda: None
        kind = type("Command", (Command,), {"rare": vars(call).get("rare", frozenset())})
        app.command(name, help=help_, rich_help_panel=panel, cls=kind)(call)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        write(f"earnest {version('earnest')}\n")
        raise typer.Exit


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
    else:
        enter(options_of(context.invoked_subcommand))


@cache
def build_program() -> TyperGroup:
    """Return the program with the options of all its commands.

    Once a process: typer reads the types of all arguments of all commands for it.
    """
    return cast(TyperGroup, typer.main.get_command(make_app()))


def options_of(name: str) -> set[str]:
    """Return the options of a command, as they are typed."""
    params = build_program().commands[name].params
    return {option for param in params for option in (*param.opts, *param.secondary_opts)}


def _asks_for_contents(arguments: Sequence[str]) -> bool:
    """Tell whether only the list of commands is asked for."""
    return list(arguments) in ([], ["-h"], ["--help"]) and COMPLETING not in os.environ


def _asks_for_help(arguments: Sequence[str]) -> bool:
    """Tell whether only help is asked for; a broken file of defaults must not prevent it."""
    asking = {
        "--help",
        "-h",
        "--help-all",
        "--version",
        "--install-completion",
        "--show-completion",
    }
    return not arguments or bool(asking & set(arguments)) or COMPLETING in os.environ


def run_program(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    args : sequence of str, optional
        The arguments; those of the process by default.
    """
    sys.excepthook = internal_error
    warnings.showwarning = show_warning
    arguments = sys.argv[1:] if args is None else args
    contents = _asks_for_contents(arguments)
    command = typer.main.get_command(make_app(options=False)) if contents else build_program()
    defaults = Defaults(None, {})
    try:
        with guard_output():
            if not _asks_for_help(arguments):
                refuse_little_space()
                defaults = read_defaults(cast(TyperGroup, command).commands, Path.cwd())
            code = command.main(
                args, prog_name="earnest", standalone_mode=False, default_map=defaults.by_command
            )
    except UsageError as error:
        write_line(usage_line(cast(Complaint, error), defaults.path))
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort) as error:
        if isinstance(error.__cause__, EOFError):  # of a file: nobody is asked anything here
            raise error.__cause__ from None
        code = INTERRUPTED
    except (EarnestError, OSError, MemoryError, ImportError, RuntimeError, SystemError) as error:
        cause = find_memory_error(error)
        if cause is not None:
            say_error(make_memory_error(cause))
        elif isinstance(error, EarnestError):
            say_error(error)
        elif isinstance(error, OSError):
            write_line(system_line(error))
        else:
            raise
        return BAD_INPUT
    finally:
        enter(None)
    if code in ENDINGS:
        code = ending_code()
        write_line("", label=ENDINGS[code])
    return code if isinstance(code, int) else 0
