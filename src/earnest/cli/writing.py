"""Results in place of the text: as JSON, or as a table for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from earnest.cli.terminal import write, write_json
from earnest.core import check
from earnest.core.errors import FormatError, InputError

FORMS = ("markdown", "latex")


def check_table(table: str | None, json: bool) -> None:
    """Refuse a form that there is not, before any work."""
    if table is None:
        return
    check.one_of("table", table, FORMS)
    if json:
        raise InputError("--json and --table exclude each other", cure="Leave one of them out.")


def wrote(result: Any, json: bool, table: str | None) -> bool:
    """Write a result as it was asked for, and tell whether that was anything but the text."""
    if json:
        write_json(result.to_dict())
    elif table is not None:
        write(result.to_latex() if table == "latex" else result.to_markdown())
    return json or table is not None


def check_place(out: Path, overwrite: bool) -> None:
    """Refuse before any work a table that could not be written after it.

    A file that is there stays unless the user says otherwise: what was in it may be all there is.
    """
    if not out.parent.is_dir():
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Make it first.")
    if out.is_dir():
        raise FormatError(f"{str(out)!r} is a folder", needs="the name of a file for --out")
    if out.exists() and not overwrite:
        raise FormatError(
            f"{str(out)!r} is there already",
            needs="a new name",
            cure="Name another --out, or say --overwrite.",
        )
