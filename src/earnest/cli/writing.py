"""Results in place of the text: as JSON, or as a table for a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def _share_seed(metrics: Sequence[str | None], seed: int | None) -> int | None:
    """Return the seed as given; several metrics without one share a drawn one."""
    if seed is not None or len(set(metrics)) == 1:
        return seed
    from secrets import randbits  # late, as it loads hashes that help does without

    return randbits(32)


def answer_metrics(
    ask: Callable[[N, int | None], R],
    show: Callable[[R], None],
    metrics: Sequence[N],
    seed: int | None,
    *,
    json: bool = False,
    table: str | None = None,
) -> None:
    """Ask for each metric, with one seed for all, and show or write the results.

    For one metric, the JSON is that of its result. For several, it is `{"schema": ...,
    "metrics": {NAME: RESULT}}`, with each result as it is written for that metric alone.
    """
    seed = _share_seed(metrics, seed)
    results = {name: ask(name, seed) for name in metrics}
    if json and len(results) > 1:
        said = {str(name): result.to_dict() for name, result in results.items()}
        write_json({"schema": BY_METRIC, "metrics": said})
        return
    for place, result in enumerate(results.values()):
        if table is not None and place:
            write("\n")
        if not write_result(result, json, table):
            show(result)


def write_result(result: WritableResult, json: bool, table: str | None) -> bool:
    """Write a result as it was asked for, and tell whether that was anything but the text."""
    if json:
        write_json(result.to_dict())
    elif table is not None:
        write(result.to_latex() if table == "latex" else result.to_markdown())
    return json or table is not None


def check_ending(out: Path, endings: Sequence[str]) -> None:
    """Refuse an output file whose name does not end in one of `endings`."""
    if not out.name.casefold().endswith(tuple(endings)):
        raise InputError(
            "--out has an unsupported file extension",
            needs=f"a name that ends in {', '.join(endings[:-1])} or {endings[-1]}",
            got=str(out),
        )


def check_folder(out: Path) -> None:
    """Refuse an output file in a folder that does not exist, before any work is done."""
    if not out.parent.is_dir():
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Create it first.")


def check_place(out: Path, overwrite: bool) -> None:
    """Refuse an output file that could not be written, before any work is done.

    An existing file stays unless the user asks to overwrite it.
    """
    check_folder(out)
    if out.is_dir():
        raise FormatError(f"{str(out)!r} is a folder", needs="the name of a file for --out")
    if out.exists() and not overwrite:
        raise FormatError(
            f"{str(out)!r} already exists",
            needs="a new name",
            cure="Use another --out, or pass --overwrite.",
        )
