"""Results in place of the text: as JSON, or as a table for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from earnest.cli.errors import write_line
from earnest.cli.options import JsonOutput, Output
from earnest.cli.show.terminal import write, write_json
from earnest.core.base import check
from earnest.core.base.errors import FormatError, InputError

FORMS = ("markdown", "latex")


class WritableResult(Protocol):
    """What a command shows, or writes in place of that."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""

    def to_markdown(self) -> str:
        """Return a table for a paper as Markdown."""

    def to_latex(self) -> str:
        """Return a table for a paper as LaTeX."""


def check_table(output: Output) -> None:
    """Refuse an unknown format, before any work."""
    if output.table is None:
        return
    check.one_of("table", output.table, FORMS)
    if output.json:
        raise InputError("--json and --table cannot be combined", cure="Leave one of them out.")


BY_METRIC = "earnest/by-metric/1"


def share_seed(metrics: Sequence[str | None], seed: int | None) -> int | None:
    """Return the seed as given; several metrics without one share a drawn one."""
    if seed is not None or len(set(metrics)) == 1:
        return seed
    from secrets import randbits  # late, as it loads hashes that help does without

    return randbits(32)


def write_results(
    results: Mapping[str, WritableResult] | Mapping[str | None, WritableResult],
    output: JsonOutput,
) -> bool:
    """Write the results of metrics as they were asked for, and tell whether they were.

    For one metric, the JSON is that of its result. For several, it is `{"schema": ...,
    "metrics": {NAME: RESULT}}`, with each result as it is written for that metric alone.
    """
    table = output.table if isinstance(output, Output) else None
    if output.json and len(results) == 1:
        write_json(next(iter(results.values())).to_dict())
    elif output.json:
        metrics = {str(name): result.to_dict() for name, result in results.items()}
        write_json({"schema": BY_METRIC, "metrics": metrics})
    elif table is not None:
        latex = table == "latex"
        write(
            "\n".join(
                result.to_latex() if latex else result.to_markdown() for result in results.values()
            )
        )
    return output.json or table is not None


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet may run
CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
NAMES = "the column names"


def count_formulas(columns: Mapping[str, Iterable[object]]) -> dict[str, int]:
    """Return by column how many texts a spreadsheet would run as formulas; numbers are none.

    Examples
    --------
    >>> from earnest.cli.writing import count_formulas
    >>> count_formulas({"id": ["=1+1", "a", "-2.5"], "score": [0.5, -0.5]})
    {'id': 1}
    """
    counts = {name: sum(map(_is_formula, cells)) for name, cells in columns.items()}
    return {name: count for name, count in counts.items() if count}


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return False
    return not math.isfinite(check.read_number(cell))


def note_formulas(out: Path | None, columns: Mapping[str, Iterable[object]]) -> None:
    """Say which cells of a CSV a spreadsheet would run: data are written as they are."""
    if out is not None and not out.name.casefold().endswith(CSV):
        return
    counts = count_formulas(columns)
    if counts:
        cells = " and ".join(
            f"{count:,} in {name if name == NAMES else f'column {name!r}'}"
            for name, count in counts.items()
        )
        write_line(
            f"The CSV holds text that a spreadsheet may run as a formula: {cells}. Import it as "
            "text, or write .parquet.",
            label="note",
        )


def check_ending(out: Path, endings: Sequence[str], option: str = "--out") -> None:
    """Refuse an output file whose name does not end in one of `endings`."""
    if not out.name.casefold().endswith(tuple(endings)):
        parts = (", ".join(endings[:-1]), endings[-1])
        raise InputError(
            f"{option} has an unsupported file extension",
            needs=f"a name that ends in {' or '.join(filter(None, parts))}",
            got=str(out),
        )


def check_folder(out: Path) -> None:
    """Refuse an output file in a folder that does not exist, before any work is done."""
    if not out.parent.is_dir():
        raise FormatError(f"there is no folder {str(out.parent)!r}", cure="Create it first.")


def refuse_linked_folders(*folders: Path) -> None:
    """Refuse links in place of folders whose names the user did not choose."""
    for folder in folders:
        if folder.is_symlink():
            raise FormatError(
                f"the folder {str(folder)!r} is a link",
                needs="a folder or none, because earnest chose this name and not you",
                cure="Remove it, or name the folder that you want with --out.",
            )


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
