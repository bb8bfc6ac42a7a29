"""What a file holds by its first bytes, whatever its suffix says."""

from __future__ import annotations

import zipfile
from pathlib import Path

from earnest.core.errors import FormatError

# The first bytes, the word for what follows, and the suffixes under which it is read.
_SIGNS: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"PAR1", "a Parquet file", (".parquet",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather")),
    (b"\x1f\x8b", "text compressed with gzip", (".csv.gz",)),
    (b"PK\x03\x04", "a ZIP archive", (".npz",)),
)


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
