"""Results in place of the text: as JSON, or as a table for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from earnest.cli.show.terminal import write, write_json
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError

R = TypeVar("R", bound="WritableResult")
N = TypeVar("N", str, str | None)  # a test that has a metric of its own is asked for none
FORMS = ("markdown", "latex")


class WritableResult(Protocol):
    """What a command shows, or writes in place of that."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""

    def to_markdown(self) -> str:
        """Return a table for a paper as Markdown."""

    def to_latex(self) -> str:
        """Return a table for a paper as LaTeX."""


def check_table(table: str | None, json: bool) -> None:
    """Refuse a form that there is not, before any work."""
    if table is None:
        return
    check.one_of("table", table, FORMS)
    if json:
        raise InputError("--json and --table cannot be combined", cure="Leave one of them out.")


BY_METRIC = "earnest/by-metric/1"


def share_seed(metrics: Sequence[str | None], seed: int | None) -> int | None:
    """Return the seed that metrics are asked with: as given; several share one that is drawn."""
    if seed is not None or len(set(metrics)) == 1:
        return seed
    from secrets import randbits  # late, as it loads hashes that help does without

    return randbits(32)


def write_each(
    results: Mapping[N, R], *, json: bool = False, table: str | None = None
) -> Iterator[R]:
    """Write the results of metrics as it was asked for, and yield those to show as text.

    Of one metric the JSON is that of its result. Of several it is `{"schema": ..., "metrics":
    {NAME: RESULT}}`, where each result is what that metric alone would have written.
    """
    if json and len(results) > 1:
        said = {str(name): result.to_dict() for name, result in results.items()}
        write_json({"schema": BY_METRIC, "metrics": said})
        return
    for place, result in enumerate(results.values()):
        if table is not None and place:
            write("\n")
        if not write_result(result, json, table):
            yield result


def write_result(result: WritableResult, json: bool, table: str | None) -> bool:
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
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Create it first.")
    if out.is_dir():
        raise FormatError(f"{str(out)!r} is a folder", needs="the name of a file for --out")
    if out.exists() and not overwrite:
        raise FormatError(
            f"{str(out)!r} already exists",
            needs="a new name",
            cure="Use another --out, or pass --overwrite.",
        )
