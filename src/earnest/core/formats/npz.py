"""NPZ and NPY files: arrays as they are, mapped in place where they are large."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from earnest.core import check
from earnest.core.errors import FormatError, InputError
from earnest.core.formats.header import changed, read_header, rebuild, refuse_options
from earnest.core.predictions import Predictions

LARGE = 1 << 26  # bytes from which a matrix is mapped unless the user says otherwise
HEADER = "header"
_ARRAYS = ("y", "scores", "fold", "groups", "strata", "ids", "configs", "classes")
_ALIGN = 64  # where a mapped matrix begins, so that no number straddles a cache line
_PADDING = 0xD935  # the field of a ZIP header that others use for alignment too


def save_npz(pi: Predictions, header: str, path: Path) -> None:
    """Write the arrays of Π uncompressed, each at an aligned place."""
    target = pi.target
    arrays: dict[str, NDArray[Any] | None] = {
        HEADER: np.frombuffer(header.encode(), dtype=np.uint8),
        "y": target.y,
        "event": target.event,
        "groups": target.groups,
        "strata": target.strata,
        "ids": target.ids,
        "folds": pi.folds,
        "responses": pi.responses,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            if array is not None:
                _write(archive, f"{name}.npy", array)


def load_npz(
    path: Path, *, mmap: bool | None, verify: bool, options: Mapping[str, Any]
) -> tuple[Predictions, bool]:
    """Return Π of an NPZ file, and whether earnest wrote it."""
    with readable(path), zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        own = {HEADER, "responses"} <= set(names)
        said = options.get("scores")  # an array, or the name of one
        matrix = "responses" if own else said if isinstance(said, str) else "scores"
        arrays = {
            name: _read(path, archive, f"{name}.npy", mmap if name == matrix else False)
            for name in names
        }
    if not own:
        return _from_arrays(path, arrays, options), False
    refuse_options(options, path)
    facts = read_header(arrays.pop(HEADER).tobytes(), path)
    lacking = {"y", "folds", "responses"} - set(arrays)
    if lacking or list(arrays["responses"].shape) != facts["shape"]:
        raise changed(path, "all arrays as they were written", f"arrays {check.some(arrays)}")
    return rebuild(facts, arrays, path, verify=verify), True


def load_npy(path: Path, *, mmap: bool | None, options: Mapping[str, Any]) -> Predictions:
    """Return Π whose scores are a NPY file; the outcome comes with the options."""
    if "y" not in options:
        raise FormatError(
            f"{path.name!r} holds scores alone",
            needs="the outcome as an option",
            got="no `y`",
            cure="Say load(path, y=..., fold=...), or keep all arrays in one .npz.",
        )
    large = path.stat().st_size >= LARGE if mmap is None else mmap
    with readable(path):
        scores = np.load(path, mmap_mode="r" if large else None, allow_pickle=False)
    return Predictions.from_arrays(scores=scores, **options)


def _from_arrays(
    path: Path, arrays: dict[str, NDArray[Any]], options: Mapping[str, Any]
) -> Predictions:
    """Make Π of the arrays of somebody else's file, by their names."""
    given = dict(options)
    named = {n: v for n, v in given.items() if n in _ARRAYS and isinstance(v, str)}
    for name, member in named.items():
        given[name] = _member(path, arrays, member)
    found: dict[str, Any] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if "y" not in found | given and {"time", "event"} <= set(arrays):
        found["y"] = (arrays["time"], arrays["event"].astype(bool))
    for name in ("y", "scores"):
        if name not in found | given:
            _member(path, arrays, name)
    used = {*_ARRAYS, "time", "event", *named.values()}
    strange = [name for name in arrays if name not in used]
    if strange:
        raise FormatError(
            f"{path.name!r} has arrays of unknown names",
            needs=", ".join((*_ARRAYS, "time", "event")),
            got=check.some(strange),
            cure=check.nearest(strange[0], _ARRAYS) or "Leave them out of the file.",
        )
    return Predictions.from_arrays(**(found | given))


def _member(path: Path, arrays: Mapping[str, Any], name: str) -> Any:
    if name not in arrays:
        raise FormatError(
            f"{path.name!r} has no array {name!r}",
            needs="'y' and 'scores' at least",
            got=f"arrays {check.some(arrays)}",
            cure=check.nearest(name, arrays) or f"Say `{name}` as an option.",
        )
    return arrays[name]


def _write(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    info = zipfile.ZipInfo(name)  # its date is fixed, so that equal content is equal bytes
    offset = archive.start_dir or 0
    begins = offset + 30 + len(name) + 20 + 4  # local header, name, ZIP64 field, our field
    padding = -begins % _ALIGN
    info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as member:
        npy.write_array(member, array, allow_pickle=False)


def _read(path: Path, archive: zipfile.ZipFile, name: str, mmap: bool | None) -> NDArray[Any]:
    info = archive.getinfo(name)
    stored = info.compress_type == zipfile.ZIP_STORED
    if mmap and not stored:
        raise InputError(
            f"array {name.removesuffix('.npy')!r} of {path.name!r} is compressed",
            needs="an uncompressed array to map",
            got="a compressed one",
            cure="Write it with np.savez, or leave `mmap` out.",
        )
    if stored and (mmap or (mmap is None and info.file_size >= LARGE)):
        return _mapped(path, info)
    with archive.open(info) as member:
        return np.asarray(npy.read_array(member, allow_pickle=False))


def _mapped(path: Path, info: zipfile.ZipInfo) -> NDArray[Any]:
    """Map a member where it lies in the archive, after the ZIP's and the array's own header."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        local = file.read(30)
        file.seek(info.header_offset + 30 + sum(struct.unpack("<HH", local[26:30])))
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read(file)
        offset = file.tell()
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what NumPy and the ZIP library say of a damaged file into one form of message."""
    try:
        yield
    except (FormatError, InputError):
        raise
    except (OSError, EOFError, KeyError, ValueError, zlib.error, zipfile.BadZipFile) as error:
        pickled = "allow_pickle" in str(error)
        raise FormatError(
            f"{path.name!r} cannot be read",
            needs="a whole file of plain arrays",
            got="pickled objects, which are never loaded" if pickled else str(error) or "its end",
        ) from error
