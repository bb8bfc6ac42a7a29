"""From a path on the command line to predictions, or to a table of cases."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.core.base.errors import FormatError, InputError

if TYPE_CHECKING:
    from earnest.cli.options.common import PredictionsReading
    from earnest.cli.options.tune import CasesReading
    from earnest.core.data.predictions import Predictions
    from earnest.training.tables.table import Tabular

LARGE = 100_000_000  # bytes of a file that is read so long that it is said
_LOADED_AS = {"form": "format", "case": "id", "config": "configs"}  # options with other names
_STARTS = {  # of the files that a table may come in
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"PK\x03\x04": ".npz",
    b"\x93NUMPY": ".npy",
    b"\x1f\x8b": ".csv.gz",
}
_SIGNS = {"tab": "\t", "\\t": "\t", "space": " "}  # hard to type, or to see


def read_sign(delimiter: str | None) -> str | None:
    r"""Return the sign that a user means who writes it, or its name.

    Examples
    --------
    >>> from earnest.cli.reading import read_sign
    >>> read_sign("tab"), read_sign(";"), read_sign(None)
    ('\t', ';', None)
    """
    return None if not delimiter else _SIGNS.get(delimiter, delimiter)


@contextmanager
def keep_standard_input() -> Iterator[Path]:
    """Give what stands on standard input as a file, as long as the command runs.

    Its first bytes tell the format; what is none of the others is CSV.
    """
    stream = sys.stdin
    if stream is None or stream.isatty():
        raise InputError(
            "there is nothing on standard input",
            needs="a table that is piped in, for '-'",
            got="a terminal" if stream is not None else "a closed stream",
            cure="Pipe it in, as in: earnest estimate - -m roc_auc < preds.csv.",
        )
    with tempfile.TemporaryDirectory(prefix="earnest-") as folder:
        content = stream.buffer.read()
        if not content:
            raise InputError(
                "there is nothing on standard input",
                needs="a table that is piped in, for '-'",
                got="no bytes",
            )
        ending = next((end for sign, end in _STARTS.items() if content.startswith(sign)), ".csv")
        path = Path(folder) / f"standard-input{ending}"
        path.write_bytes(content)
        yield path


def read_predictions(path: Path, how: PredictionsReading) -> Predictions:
    """Read a table of predictions: a file, or the folder of a run with such a file."""
    from earnest.adapters.predictions.paths import refuse_foreign, table_of
    from earnest.cli.show.progress import patiently
    from earnest.core.data.predictions import Predictions

    refuse_foreign(path)
    table = table_of(path)
    size = table.stat().st_size if table.is_file() else 0
    try:
        with patiently(sys.stderr, f"Reading {table.name}, {size / 1e6:,.0f} MB", now=size > LARGE):
            return Predictions.load(table, **list_load_options(how))
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error


def is_large(pi: Predictions) -> bool:
    """Tell whether predictions are so many that what is asked of them takes long."""
    return int(pi.responses.nbytes) > LARGE


def list_load_options(how: PredictionsReading) -> dict[str, Any]:
    """Return the options of `Predictions.load` that were given.

    Those that are None were not; an empty name stands for None, and leaves a column out. The
    delimiter 'tab', or a backslash with a t, is a tab.
    """
    said = {_LOADED_AS.get(name, name): value for name, value in vars(how).items()}
    given = {name: value for name, value in said.items() if value is not None}
    named = {name: None if value == "" else value for name, value in given.items()}
    for name in ("delimiter", "thousands"):
        if name in named:
            named[name] = read_sign(named[name])
    return named


def read_cases(path: Path, target: str, how: CasesReading, task: str | None = None) -> Tabular:
    """Read a table with a row a case; `task` overrides what was said of it."""
    from earnest.training.tables.table import read_table

    return read_table(
        path,
        target=target,
        group=how.group,
        task=how.task if task is None else task,
        positive=how.positive,
        ignore=tuple(how.ignore or ()),
        delimiter=read_sign(how.delimiter),
        decimal=how.decimal,
        thousands=read_sign(how.thousands),
    )
