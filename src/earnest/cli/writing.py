"""Results in place of the text: as JSON, or as a table for a paper."""

from __future__ import annotations

from typing import Any

from earnest.cli.show.terminal import write, write_json
from earnest.core.base import check
from earnest.core.base.errors import InputError

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
