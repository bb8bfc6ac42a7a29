"""What the lists of methods and tests share: names to look up, and what to cite for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from earnest.comparison.base import TestSpec
    from earnest.core.results.specs import MethodSpec

    Spec: TypeAlias = MethodSpec | TestSpec


Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="Show only these, with their references."),
]
AsBibTeX = Annotated[
    bool, typer.Option("--bibtex", metavar="", help="Write only the references, as BibTeX.")
]


def show_references(specs: Sequence[Spec]) -> None:
    """Write the references of what was looked up, if anything was."""
    if not specs:
        return
    from rich.text import Text

    from earnest.cli.show.estimate import grid, indented
    from earnest.cli.show.terminal import clean, emit

    table = grid(1)
    for words in _list_references(specs, "text"):
        table.add_row(Text(clean(words)))
    emit(Text("\nTo cite", style="bold"), indented(table))


def write_specs(
    kind: str, specs: Sequence[Spec], fields: Sequence[str], *, bibtex: bool, json: bool
) -> bool:
    """Write specs for programs, as entries of a bibliography or as JSON; tell whether it did."""
    from earnest.cli.show.terminal import write, write_json

    if bibtex:
        write("\n\n".join(_list_references(specs, "bibtex")) + "\n")
    elif json:
        listed = [{name: _to_plain(getattr(spec, name)) for name in fields} for spec in specs]
        write_json({"schema": f"earnest/{kind}/1", kind: listed})
    return bibtex or json


def _to_plain(value: object) -> object:
    """Return a field of a spec as JSON has it: words for an enumeration, a list for a tuple."""
    if isinstance(value, str):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _list_references(specs: Sequence[Spec], form: str) -> tuple[str, ...]:
    from earnest.reporting.references import references_of

    return references_of(specs, form)
