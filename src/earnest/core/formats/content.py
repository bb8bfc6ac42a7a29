"""What a file holds by its first bytes, and the door through which other libraries read it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from earnest.core import check
from earnest.core.errors import EarnestError, FormatError

WHOLE = "a whole file of the format that its suffix names"

# The first bytes, the word for what follows, and the suffixes under which it is read.
_SIGNS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"PAR1", "a Parquet file", (".parquet",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather")),
    (b"\x1f\x8b", "text compressed with gzip", (".csv.gz",)),
    (b"PK\x03\x04", "a ZIP archive", (".npz",)),
)


@contextmanager
def foreign_content(path: str | Path, *, needs: str = WHOLE, cure: str = "") -> Iterator[None]:
    """Turn whatever a library says of a file that it cannot read into one form of message.

    A damaged file makes libraries raise nearly anything (a TypeError of Optuna, a KeyError of
    skops, a RecursionError of JSON), so this is the one place that catches every exception. Only
    the reading by a library belongs inside. What earnest then does with the content stays outside,
    for a fault there is a fault of earnest, and must be seen as one.
    """
    try:
        yield
    except EarnestError:
        raise
    except Exception as error:  # see above
        kind = type(error).__name__
        first = next(iter(str(error).strip().splitlines()), "")
        plain = first and not isinstance(error, (LookupError, TypeError, AttributeError))
        raise FormatError(
            f"{Path(path).name!r} cannot be read",
            needs=needs,
            got=check.show_text(first if plain else f"{kind}: {first}" if first else kind),
            cure="There is not enough memory for it." if isinstance(error, MemoryError) else cure,
        ) from error


def refuse_other_content(path: Path, suffix: str) -> None:
    """Refuse a file whose first bytes are those of another format than its suffix names."""
    with path.open("rb") as file:
        start = file.read(6)
    for sign, word, suffixes in _SIGNS:
        if start.startswith(sign) and suffix not in suffixes:
            raise FormatError(
                f"{path.name!r} is {word}, not what its suffix says",
                needs=f"a file of the format that {suffix!r} names",
                got=word,
                cure=_cure(path, suffixes[0]),
            )


def _cure(path: Path, suffix: str) -> str:
    if suffix == ".npz" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        if "[Content_Types].xml" in names:
            return "It is a spreadsheet: export it as CSV."
        if not all(name.endswith(".npy") for name in names):
            return "Unpack it first."
    return f"Rename it so that its name ends in {suffix!r}."
