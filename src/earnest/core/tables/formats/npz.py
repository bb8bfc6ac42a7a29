"""NPZ and NPY files: arrays as they are, mapped in place where they are large."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import numpy as np
from numpy.lib import format as npy

from earnest.core.base import check
from earnest.core.base.arrays import RawArray
from earnest.core.base.errors import FormatError, InputError
from earnest.core.data.predictions import Predictions
from earnest.core.tables.columns import LARGE
from earnest.core.tables.formats.expanding import check_array, foreign_content, refuse_expanding
from earnest.core.tables.formats.header import (
    list_target_arrays,
    make_changed_error,
    name_responses,
    read_header,
    rebuild,
)
from earnest.core.tables.options import ArrayOptions, check_array_options, refuse_other_options
from earnest.core.text.doors import arg

HEADER = "header"
_ARRAYS = (
    *("y", "scores", "fold", "groups", "strata", "ids", "when", "sample_weight", "configs"),
    "classes",
)
_ALIGN = 64  # where a mapped matrix begins, so that no number straddles a cache line
_PADDING = 0xD935  # the field of a ZIP header that others use for alignment too


def save_npz(pi: Predictions, header: str, path: Path) -> None:
    """Write the arrays of Π."""
    arrays = {**list_target_arrays(pi.target), "folds": pi.folds, "responses": pi.responses}
    arrays |= {name_responses(other.kind): other.responses for other in pi.others}
    write_npz(path, header, arrays)


def write_npz(path: Path, header: str, arrays: Mapping[str, RawArray | None]) -> None:
    """Write a header and arrays uncompressed, each at an aligned place; None is left out."""
    with zipfile.ZipFile(path, "w") as archive:
        write_member(archive, f"{HEADER}.npy", np.frombuffer(header.encode(), dtype=np.uint8))
        for name, array in arrays.items():
            if array is not None:
                write_member(archive, f"{name}.npy", array)


def read_npz(path: Path, *, mmap: bool | None, mapped: Container[str]) -> dict[str, RawArray]:
    """Return all arrays of a file; those of these names are mapped where they are large."""
    with reword_npz_errors(path), zipfile.ZipFile(path) as archive:
        refuse_expanding(archive, path)
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        return {
            name: read_member(path, archive, f"{name}.npy", mmap if name in mapped else False)
            for name in names
        }


def read_npz_header(path: Path) -> bytes | None:
    """Return the header of a file, None where it has none."""
    with reword_npz_errors(path), zipfile.ZipFile(path) as archive:
        name = f"{HEADER}.npy"
        is_there = name in archive.namelist()
        return read_member(path, archive, name, False).tobytes() if is_there else None


def read_npy(path: Path, mmap: bool | None) -> RawArray:
    """Return the array of a NPY file, mapped where it is large, unless `mmap` says else."""
    large = path.stat().st_size >= LARGE if mmap is None else mmap
    with reword_npz_errors(path):
        return np.asanyarray(np.load(path, mmap_mode="r" if large else None, allow_pickle=False))


def load_npz(
    path: Path, *, mmap: bool | None, verify: bool, options: Mapping[str, object]
) -> tuple[Predictions, bool]:
    """Return Π of an NPZ file, and whether earnest wrote it."""
    scores = options.get("scores")  # an array, or the name of one
    matrix = scores if isinstance(scores, str) else "scores"
    arrays = read_npz(path, mmap=mmap, mapped=(matrix, "responses"))
    if not {HEADER, "responses"} <= set(arrays):
        return _make_from_arrays(path, arrays, check_array_options(options, path)), False
    facts = read_header(arrays.pop(HEADER).tobytes(), path)
    refuse_other_options(options, facts, path)
    needed = ("y", "folds", "responses", *map(name_responses, facts.get("others", [])))
    lacking = set(needed) - set(arrays)
    if lacking or list(arrays["responses"].shape) != facts["shape"]:
        raise make_changed_error(
            path, "all arrays as they were written", f"arrays {check.some(arrays)}"
        )
    return rebuild(facts, arrays, path, verify=verify), True


def load_npy(path: Path, *, mmap: bool | None, options: Mapping[str, object]) -> Predictions:
    """Return Π whose scores are a NPY file; the outcome comes with the options."""
    options = check_array_options(options, path)
    if "y" not in options:
        raise FormatError(
            f"{path.name!r} holds only scores",
            needs="the outcome as an argument",
            got="no `y`",
            cure="Use load(path, y=..., fold=...), or keep all arrays in one .npz.",
        )
    return _make({**options, "scores": read_npy(path, mmap)})


def _make_from_arrays(
    path: Path, arrays: dict[str, RawArray], options: Mapping[str, object]
) -> Predictions:
    """Make Π of the arrays of somebody else's file, by their names."""
    arguments = dict(options)
    if isinstance(arguments.get("configs"), str) and arguments["configs"] not in arrays:
        arguments["configs"] = [arguments["configs"]]  # one configuration, not an array of names
    by = arguments.pop("by", ())
    divided = [by] if isinstance(by, str) else list(cast(Iterable[str], by))
    named = {n: v for n, v in arguments.items() if n in _ARRAYS and isinstance(v, str)}
    if divided:
        arguments["by"] = {
            name: _get_member(path, arrays, name, check.nearest(name, arrays)) for name in divided
        }
    for name, member in named.items():
        arguments[name] = _get_member(path, arrays, member, check.nearest(member, arrays))
    members: dict[str, object] = {name: arrays[name] for name in _ARRAYS if name in arrays}
    if "y" not in members | arguments and {"time", "event"} <= set(arrays):
        members["y"] = (arrays["time"], arrays["event"].astype(bool))
    for name in ("y", "scores"):
        if name not in members | arguments:
            _get_member(path, arrays, name, _suggest_array(name, arrays))
    used = {*_ARRAYS, "time", "event", *named.values(), *divided}
    strange = [name for name in arrays if name not in used]
    if strange:
        raise FormatError(
            f"{path.name!r} has arrays with unknown names",
            needs=", ".join((*_ARRAYS, "time", "event")),
            got=check.some(map(repr, strange)),
            cure=_suggest_name(strange[0]) or "Leave them out of the file.",
        )
    return _make_selected(members, arguments)


def _make_selected(members: dict[str, object], arguments: dict[str, object]) -> Predictions:
    """Make Π; a list of names picks configurations where the file, or their place, names them."""
    wanted = arguments.get("configs")
    if not isinstance(wanted, (list, tuple)) or not all(isinstance(w, str) for w in wanted):
        return _make(members | arguments)
    whole = _make(members | arguments | {"configs": members.get("configs")})
    if "configs" in members or set(wanted) <= set(whole.configs.ids):
        return whole.select(wanted)
    return _make(members | arguments)


def _make(arguments: Mapping[str, object]) -> Predictions:
    """Make Π of arguments whose names were checked; their values are checked there."""
    return Predictions.from_arrays(**cast(ArrayOptions, arguments))


def _get_member(path: Path, arrays: Mapping[str, object], name: str, cure: str) -> object:
    if name not in arrays:
        raise FormatError(
            f"{path.name!r} has no array {name!r}",
            needs="'y' and 'scores' at least",
            got=f"arrays {check.some(map(repr, arrays))}",
            cure=cure,
        )
    return arrays[name]


def _suggest_array(name: str, arrays: Iterable[str]) -> str:
    """Say which array to give a name that is needed."""
    match = check.find_nearest(name, [n for n in arrays if n not in _ARRAYS])
    cure = f"Rename the array {match!r} to" if match else "Rename the array that holds it to"
    return f"{cure} {name!r}" + (f", or pass its name as {arg('target')}." if name == "y" else ".")


def _suggest_name(name: str) -> str:
    """Say how an array would have to be called to be used, or nothing."""
    match = check.find_nearest(name, _ARRAYS)
    return f"Rename the array {name!r} to {match!r}." if match else ""


def write_member(archive: zipfile.ZipFile, name: str, array: RawArray) -> None:
    """Write an array as a member of an archive, at an aligned place."""
    info = zipfile.ZipInfo(name)  # its date is fixed, so that equal content is equal bytes
    offset = archive.start_dir or 0
    begins = offset + 30 + len(name) + 20 + 4  # local header, name, ZIP64 field, our field
    padding = -begins % _ALIGN
    info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as member:
        npy.write_array(member, array, allow_pickle=False)


def read_member(path: Path, archive: zipfile.ZipFile, name: str, mmap: bool | None) -> RawArray:
    """Read an array of an archive, or map it where it lies, if it is large."""
    info = archive.getinfo(name)
    stored = info.compress_type == zipfile.ZIP_STORED
    if mmap and not stored:
        raise InputError(
            f"array {name.removesuffix('.npy')!r} of {path.name!r} is compressed, so it cannot be "
            "mapped",
            cure=f"Write it with np.savez, or leave {arg('mmap')} out.",
        )
    if stored and (mmap or (mmap is None and info.file_size >= LARGE)):
        return _map_member(path, info)
    with archive.open(info) as member:
        check_array(member, info, path)
    with archive.open(info) as member:
        return np.asarray(npy.read_array(member, allow_pickle=False))


def _map_member(path: Path, info: zipfile.ZipInfo) -> RawArray:
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
def reword_npz_errors(path: Path) -> Iterator[None]:
    """Turn what NumPy and the ZIP library say of a damaged file into one form of message."""
    needs = "a complete file of plain arrays"
    with foreign_content(path, needs=needs):
        try:
            yield
        except ValueError as error:
            if "allow_pickle" not in str(error):
                raise
            raise FormatError(
                f"{path.name!r} cannot be read",
                needs=needs,
                got="pickled objects, which are never loaded",
            ) from error
