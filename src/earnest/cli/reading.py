"""From a path on the command line to predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from earnest.core.errors import FormatError

if TYPE_CHECKING:
    from earnest.core.predictions import Predictions


def read_predictions(path: Path, **options: Any) -> Predictions:
    """Read a table of predictions.

    Parameters
    ----------
    path : Path
        The file.
    **options
        Options of `Predictions.load`. Those that are None were not given; an empty name stands
        for None there, and leaves a column out.
    """
    from earnest.core.predictions import Predictions

    given = {name: value for name, value in options.items() if value is not None}
    named = {name: None if value == "" else value for name, value in given.items()}
    try:
        return Predictions.load(path, **named)
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(f"{str(path)!r} cannot be read", got=why) from error
