"""Outcomes as rows of plain text and bytes, and back, without pickle.

The columns are those of the table `outcome`: the key as comma-separated integers, the numbers and
the description of the arrays as JSON, and the bytes of the arrays one after another.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.check import show
from earnest.core.base.errors import InputError, StoreError
from earnest.core.base.protocols import Key, TaskOutcome
from earnest.core.results.base import parse_json
from earnest.core.text.doors import arg

COLUMNS = ("key", "numbers", "error", "note", "arrays", "data", "checksum")
Row: TypeAlias = "tuple[str, str, str | None, str | None, str, bytes, int]"
FieldType: TypeAlias = "str | list[tuple[str, FieldType]]"  # as NumPy writes it, or fields

_INFINITE = {"inf": math.inf, "-inf": -math.inf}  # JSON has no word for them, nor for NaN (null)


class DamagedRow(ValueError):
    """A row is not as it was written."""


def encode(outcome: TaskOutcome) -> Row:
    """Return the row of an outcome."""
    arrays = [(name, np.asarray(array)) for name, array in outcome.arrays.items()]
    kinds = [_describe_type(name, array.dtype) for name, array in arrays]
    content = (
        write_key(outcome.key),
        json.dumps({name: _write_number(value) for name, value in outcome.numbers.items()}),
        outcome.error and drop_surrogates(outcome.error),
        outcome.note and drop_surrogates(outcome.note),
        json.dumps([[n, kind, a.shape] for (n, a), kind in zip(arrays, kinds, strict=True)]),
        b"".join(_write_bytes(a, kind) for (_, a), kind in zip(arrays, kinds, strict=True)),
    )
    return (*content, checksum(*content))


def decode(row: Row) -> TaskOutcome:
    """Return the outcome of a row, or raise DamagedRow."""
    key, numbers, error, note, arrays, data, sum_ = row
    try:
        if checksum(key, numbers, error, note, arrays, data) != sum_:
            raise DamagedRow("its checksum is wrong")
        return TaskOutcome(
            read_key(key),
            _cut_arrays(parse_json(arrays), data),
            {name: _read_float(value) for name, value in parse_json(numbers).items()},
            error,
            note,
        )
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as fault:
        raise DamagedRow(f"row {show(row[0])}: {fault}") from fault


def checksum(*content: str | bytes | None) -> int:
    """Return the CRC-32 of texts and bytes, as written in UTF-8 with a 0 byte after each."""
    total = 0
    for text in content:
        raw = text.encode() if isinstance(text, str) else text or b""
        total = zlib.crc32(b"\0", zlib.crc32(raw, total))
    return total


def drop_surrogates(text: str) -> str:
    """Return a text without lone surrogates, which odd file names contain and SQLite refuses."""
    return text.encode("utf-8", "backslashreplace").decode()


def write_key(key: Key) -> str:
    """Return a key as it is written.

    Examples
    --------
    >>> from earnest.store.rows import read_key, write_key
    >>> write_key((3, 0, 7)), read_key("3,0,7")
    ('3,0,7', (3, 0, 7))
    """
    return ",".join(str(int(index)) for index in key)


def read_key(text: str) -> Key:
    """Return a key from how it is written."""
    return tuple(int(index) for index in text.split(",")) if text else ()


def _cut_arrays(
    described: list[tuple[str, FieldType, list[int]]], data: bytes
) -> dict[str, NDArray[np.generic]]:
    """Cut the bytes into arrays; they are copies, so that they can be written to."""
    types = [_read_type(kind) for _, kind, _ in described]
    sizes = [
        t.itemsize * math.prod(shape) for t, (_, _, shape) in zip(types, described, strict=True)
    ]
    ends = list(accumulate([0, *sizes]))
    if ends[-1] != len(data):
        raise DamagedRow("its arrays have the wrong size")
    pieces = (data[start:stop] for start, stop in pairwise(ends))
    return {
        name: np.frombuffer(bytearray(piece), dtype=t).reshape(shape)
        for (name, _, shape), t, piece in zip(described, types, pieces, strict=True)
    }


def _write_bytes(array: NDArray[np.generic], kind: FieldType) -> bytes:
    return array.tobytes() if isinstance(kind, str) else array.astype(_read_type(kind)).tobytes()


def _describe_type(name: str, dtype: np.dtype[np.generic]) -> FieldType:
    """Return the type as NumPy writes it, with its byte order; a list of fields if it has any."""
    if dtype.hasobject or dtype.kind not in "biufcSUmMV" or dtype.subdtype is not None:
        raise InputError(
            f"the array {name!r} cannot be stored",
            needs="numbers, logical values, text of fixed width, dates or a record of these",
            got=f"type {dtype}",
        )
    if dtype.fields is None:
        return dtype.str
    return [(field, _describe_type(name, dtype.fields[field][0])) for field in dtype.names or ()]


def _read_type(kind: FieldType) -> np.dtype[np.generic]:
    if isinstance(kind, str):
        return np.dtype(kind)
    return np.dtype([(field, _read_type(inner)) for field, inner in kind])


def _write_number(value: float) -> float | str | None:
    number = float(value)
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else str(number)


def _read_float(value: float | str | None) -> float:
    if value is None:
        return math.nan
    return _INFINITE[value] if isinstance(value, str) else float(value)


# Whether a run that is stored is the run that is asked for.

NOTHING = "nothing"
INSIDE = ": "  # a fact "estimator: C" tells of a part of the fact "estimator"
SEVERAL = ("data", "splits", "candidates", "arguments of fit")  # words that "another" does not fit


def refuse_another(stored: Mapping[str, str], current: Mapping[str, str], where: str) -> None:
    """Raise unless both identities are the same, and say how they differ."""
    names = [name for name in {**stored, **current} if stored.get(name) != current.get(name)]
    wholes = dict.fromkeys(name.partition(INSIDE)[0] for name in names)
    if names:
        raise StoreError(
            f"{where} holds another run",
            needs="the run that started it, to resume it",
            got="; ".join(_describe_difference(whole, names, stored, current) for whole in wholes),
            cure=f"Repeat the call that started it, or use another {arg('store')} for this one.",
        )


def _describe_difference(
    whole: str, names: list[str], stored: Mapping[str, str], current: Mapping[str, str]
) -> str:
    """Say what differs: the parts of a fact where they are known, else the fact itself."""
    parts = [name for name in names if name.startswith(whole + INSIDE)]
    another = f"{'other' if whole in SEVERAL else 'another'} {whole}"
    if not parts:
        return f"{another} ({_show_both(whole, stored, current)})"
    facts = (f"{name.partition(INSIDE)[2]} ({_show_both(name, stored, current)})" for name in parts)
    return f"{another}: {', '.join(facts)}"


def _show_both(name: str, stored: Mapping[str, str], current: Mapping[str, str]) -> str:
    there, now = (_show_fact(identity.get(name)) for identity in (stored, current))
    return f"{there} there, {now} now"


def _show_fact(text: str | None) -> str:
    return NOTHING if text is None else show(text, 80)
