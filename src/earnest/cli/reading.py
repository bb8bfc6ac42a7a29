"""From a path on the command line to predictions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.core.base.errors import FormatError

if TYPE_CHECKING:
    from earnest.core.data.predictions import Predictions

LARGE = 100_000_000  # bytes of a file that is read so long that it is said
_SIGNS = {"tab": "\t", "\\t": "\t", "space": " "}  # hard to type, or to see


def sign_of(delimiter: str | None) -> str | None:
    r"""Return the sign that a user means who writes it, or its name.

    Examples
    --------
    >>> from earnest.cli.reading import sign_of
    >>> sign_of("tab"), sign_of(";"), sign_of(None)
    ('\t', ';', None)
    """
    return None if not delimiter else _SIGNS.get(delimiter, delimiter)


def read_predictions(path: Path, *, delimiter: str | None = None, **options: Any) -> Predictions:
    """Read a table of predictions.

    Parameters
    ----------
    path : Path
        The file, or the folder of a run with such a file.
    delimiter : str, optional
        What separates the columns of a CSV file; 'tab' and a backslash with a t are a tab.
    **options
        Options of `Predictions.load`. Those that are None were not given; an empty name stands
        for None there, and leaves a column out.
    """
    from earnest.adapters.predictions.paths import refuse_foreign, table_of
    from earnest.cli.show.progress import patiently
    from earnest.core.data.predictions import Predictions

    refuse_foreign(path)
    table = table_of(path)
    size = table.stat().st_size if table.is_file() else 0
    try:
        with patiently(sys.stderr, f"Reading {table.name}, {size / 1e6:,.0f} MB", now=size > LARGE):
            return Predictions.load(table, **named_options(delimiter=delimiter, **options))
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error


def is_large(pi: Predictions) -> bool:
    """Tell whether predictions are so many that what is asked of them takes long."""
    return int(pi.responses.nbytes) > LARGE


def named_options(*, delimiter: str | None = None, **options: Any) -> dict[str, Any]:
    """Return the options of `Predictions.load` that were given, as `read_predictions` has them."""
    given = {name: value for name, value in options.items() if value is not None}
    named = {name: None if value == "" else value for name, value in given.items()}
    if "thousands" in named:
        named["thousands"] = sign_of(named["thousands"])
    if delimiter is not None:
        named["delimiter"] = sign_of(delimiter)
    return named
