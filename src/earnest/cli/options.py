"""Arguments of verbs as options of commands, and the options that only the command line has."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from earnest.core.arguments.base import Argument, find_argument, name_option

WHOLE_HELP = "earnest.whole_help"  # in what a command knows of its call


def make_argument(metavar: str, help_: str) -> typer.models.ArgumentInfo:
    """Return an argument without an option's name."""
    return typer.Argument(metavar=metavar, help=help_, show_default=False)


Table = Annotated[
    Path,
    make_argument("PREDICTIONS", "Out-of-fold predictions: CSV, Parquet, Arrow or NPZ."),
]
MaybeTable = Annotated[
    Path | None,
    make_argument("[PREDICTIONS]", "A pilot, if there is one: CSV, Parquet, Arrow or NPZ."),
]
Data = Annotated[
    Path,
    make_argument("TABLE", "The data, one row per case: CSV, Parquet or Arrow."),
]


@dataclass(frozen=True, kw_only=True)
class JsonOutput:
    """Whether the result is for a program."""

    json: Annotated[bool, Argument("Write only one JSON object.", usual=True)] = False


@dataclass(frozen=True, kw_only=True)
class Output(JsonOutput):
    """What is written in place of the text."""

    table: Annotated[
        str | None, Argument("Write a table for a paper: markdown or latex.", "FORM", usual=True)
    ] = None


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """Which column a learner predicts, and which learner."""

    target: Annotated[
        str | None, Argument("Column to predict.", "COLUMN", usual=True, short="-t")
    ] = None
    model: Annotated[
        str,
        Argument(
            "The learner: rf, extra_trees, gradient_boosting, logistic, ridge, linear, svm, knn, "
            "tree, lda, qda, naive_bayes or dummy.",
            "NAME",
            usual=True,
        ),
    ] = "rf"
    quiet: Annotated[bool, Argument("Show only the result, no progress.", short="-q")] = False


Overwrite = Annotated[bool, Argument("Overwrite an existing file.", usual=True)]


def take_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take every field of a dataclass among its arguments as an option of its own.

    An option has the name of the field with dashes, and the help that `Argument` declares. Values
    beyond the limits that it declares are refused before the command begins.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {
        name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)
    }
    parameters = []
    declared: dict[str, Argument] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        options = {name: (hints[name], parameter.default)}
        if name in groups:
            group_hints = _read_hints(groups[name])
            options = {
                each.name: (group_hints[each.name], each.default) for each in fields(groups[name])
            }
        for word, (hint, default) in options.items():
            argument = find_argument(hint)
            if argument is not None:
                declared[word] = argument
                hint = Annotated[get_args(hint)[0], _make_option(word, argument)]
            parameters.append(
                inspect.Parameter(word, parameter.KEYWORD_ONLY, default=default, annotation=hint)
            )

    @wraps(command)
    def call(**values: object) -> None:
        values.pop("help_all", None)
        for name, argument in declared.items():
            value = values[name]
            for each in value if isinstance(value, list) else [value]:
                if each is not None:
                    argument.check(name, each)
        for name, kind in groups.items():
            values[name] = kind(**{each.name: values.pop(each.name) for each in fields(kind)})
        command(**values)

    rare = frozenset(name for name, each in declared.items() if not each.usual)
    hint = Annotated[bool, _make_help_option(len(rare))]
    parameters.append(
        inspect.Parameter(
            "help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=hint
        )
    )
    vars(call)["__signature__"] = inspect.Signature(parameters)
    vars(call)["rare"] = rare
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


@cache
def _read_hints(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a dataclass that several commands share."""
    return get_type_hints(kind, include_extras=True)


def _make_help_option(rare: int) -> typer.models.OptionInfo:
    """Return the option of the whole help, which a command without rare options takes silently."""
    return typer.Option(
        "--help-all",
        metavar="",
        help=f"Show {rare} more options and exit.",
        hidden=not rare,
        is_eager=True,
        callback=_show_whole_help,
    )


def _show_whole_help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[WHOLE_HELP] = True
        typer.echo(context.get_help())
        raise typer.Exit


def _make_option(name: str, argument: Argument) -> typer.models.OptionInfo:
    """Return the option of an argument; a switch may have an opposite."""
    option = name_option(name)
    if argument.opposite:
        option = f"{option}/{argument.opposite}"
    names = [option, argument.short] if argument.short else [option]
    return typer.Option(
        *names, metavar=argument.metavar, help=argument.help, rich_help_panel=argument.panel
    )
