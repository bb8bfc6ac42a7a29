"""Options that several commands share."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from earnest.cli.options import take_options
from earnest.cli.reading import list_load_options
from earnest.core.arguments.shared import PredictionsArguments

Name = Annotated[str, typer.Argument()]
Sign = Annotated[str | None, typer.Option("--sign")]
Most = Annotated[int, typer.Option("--most")]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options of two commands."""

    sign: Sign = None
    most: Most = 3


@take_options
def command(name: Name, json: bool = False, *, reading: Reading) -> None:
    """Show what was said."""
    typer.echo(f"{name} {json} {reading.sign} {reading.most}")


def test_the_fields_of_a_dataclass_are_options_where_it_stands() -> None:
    assert list(inspect.signature(command).parameters) == [
        *("name", "json", "sign", "most", "help_all")
    ]
    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, ["x"]).output == "x False None 3\n"
    given = ["x", "--most", "5", "--sign", ";", "--json"]
    assert CliRunner().invoke(app, given).output == "x True ; 5\n"


def test_what_was_not_said_is_no_option_of_the_reader_and_an_empty_name_is_none() -> None:
    how = PredictionsArguments(format="long", id="", delimiter="tab", threshold=0.0, configs=["a"])
    assert list_load_options(how) == {
        "format": "long",
        "id": None,
        "delimiter": "\t",
        "threshold": 0.0,
        "configs": ["a"],
    }
    assert list_load_options(PredictionsArguments()) == {}
