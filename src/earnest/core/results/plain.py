"""Dataclasses as plain data for JSON, and back: a dict of their fields."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from functools import cache, partial
from numbers import Integral, Real
from typing import (
    Any,
    ClassVar,
    Self,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.provenance import JsonObject, finite

# How a field is written, as the `metadata` of a dataclass field.
FLAT = {"flat": True}  # the parts of its value stand among the others
HIDDEN = {"hidden": True}  # not at all
OPTIONAL = {"optional": True}  # not where it is None
DRAWN = {"drawn": True, **OPTIONAL}  # nor without the resampled values, which it holds
LOW_END, HIGH_END = {"none": -math.inf}, {"none": math.inf}  # None stands for an open end

Reader: TypeAlias = Callable[[Any], Any]
# How to read the types that are not `Plain` themselves.
READERS: dict[object, Reader] = {}


class Plain:
    """The base of dataclasses that are written and read as a dict of their fields.

    Numbers that JSON cannot hold are written as None. Arrays are resampled values: without `draws`
    they are None.

    Examples
    --------
    >>> from earnest.core.results.interval import Interval
    >>> Interval(0.8, float("inf"), 0.95, "lower").to_dict()
    {'low': 0.8, 'high': None, 'confidence_level': 0.95, 'side': 'lower'}
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data, with or without the resampled values."""
        data: dict[str, Any] = {}
        for part in fields(self):
            if "hidden" in part.metadata or ("drawn" in part.metadata and not draws):
                continue
            written = write_plain(getattr(self, part.name), draws=draws)
            if written is None and "optional" in part.metadata:
                continue
            data |= written if "flat" in part.metadata else {_key(part): written}
        return data

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`.

        A missing part is a KeyError, and one of another type is a TypeError.
        """
        parts = {}
        for part in _find_parts(cast(Any, cls)):
            if part.flat:
                parts[part.name] = part.read(data)
            elif part.required or part.key in data:
                value = data[part.key]
                if value is None and part.none is not None:
                    parts[part.name] = part.none
                    continue
                try:
                    parts[part.name] = part.read(value)
                except OtherTypeError as error:
                    raise TypeError(
                        f"{part.name} is {check.show(value)}, which is not {part.kind}"
                    ) from error
        return cls(**parts)


class OtherTypeError(TypeError):
    """A value of plain data is of another type than that of its field."""


@dataclass(frozen=True)
class _Part:
    """How a field is read: its key, its type in words, and what reads it."""

    name: str
    key: str
    kind: str
    read: Reader
    required: bool
    flat: bool
    none: float | None


@cache
def _find_parts(kind: Any) -> tuple[_Part, ...]:
    """Return how the fields of a class are read, kept: a table has thousands of the same."""
    hints = get_type_hints(kind)
    return tuple(
        _Part(
            name=part.name,
            key=_key(part),
            kind=str(part.type),
            read=_make_reader(hints[part.name]),
            required=part.default is MISSING and part.default_factory is MISSING,
            flat="flat" in part.metadata,
            none=part.metadata.get("none"),
        )
        for part in fields(kind)
        if "hidden" not in part.metadata
    )


def _key(part: Field[Any]) -> str:
    key: str = part.metadata.get("key", part.name)
    return key


def write_plain(value: Any, *, draws: bool = True) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, Enum):
        return str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Plain):
        return value.to_dict(draws=draws)
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, np.ndarray):
        return [finite(one) for one in value.tolist()] if draws else None
    if isinstance(value, Mapping):
        return {key: write_plain(part, draws=draws) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [write_plain(part, draws=draws) for part in value]
    return value.to_dict(draws=draws) if hasattr(value, "to_dict") else value


@cache
def _make_reader(kind: Any) -> Reader:
    """Return what reads a value of plain data as a type says, and refuses one of another type."""
    if kind in READERS:
        return READERS[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (known,) = (one for one in inner if one is not type(None))
        if known is float:
            return _read_optional_float
        read = _make_reader(known)
        return lambda value: None if value is None else read(value)
    if origin is np.ndarray:
        return read_array
    if origin is tuple:
        readers = tuple(_make_reader(one) for one in inner if one is not Ellipsis)
        return partial(_read_tuple, readers=readers, any_length=inner[-1] is Ellipsis)
    if origin is Mapping:
        return partial(_read_mapping, read=_make_reader(inner[1]))
    if isinstance(kind, type) and issubclass(kind, Plain):
        return kind.from_dict
    return kind if isinstance(kind, type) and issubclass(kind, Enum) else _keep


def _keep(value: Any) -> Any:
    return value


def _read_float(value: Any) -> Any:
    if type(value) is float and math.isfinite(value):  # nearly all
        return value
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise OtherTypeError  # what is not finite is written as None
    return value


def _read_optional_float(value: Any) -> Any:
    if type(value) is float and math.isfinite(value):  # nearly all
        return value
    return None if value is None else _read_float(value)


def _read_int(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OtherTypeError
    float(value)  # an OverflowError beyond the range of floats, in which sizes are compared
    return value


def _read_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise OtherTypeError
    return value


def _read_str(value: Any) -> str:
    if not isinstance(value, str):
        raise OtherTypeError
    return value


def read_array(value: Any) -> NDArray[np.float64]:
    """Return a list of numbers as an array, with NaN for None."""
    if not isinstance(value, list | tuple):
        raise OtherTypeError
    made = np.array(value, dtype=np.float64)  # None is NaN
    if made.ndim != 1 or np.isinf(made).any():
        raise OtherTypeError
    return made


def _read_tuple(value: Any, *, readers: tuple[Reader, ...], any_length: bool) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not (any_length or len(value) == len(readers)):
        raise OtherTypeError
    if any_length:
        return tuple(map(readers[0], value))
    return tuple(read(one) for read, one in zip(readers, value, strict=True))


def _read_mapping(value: Any, *, read: Reader) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise OtherTypeError
    return {str(key): read(one) for key, one in value.items()}


READERS.update({float: _read_float, int: _read_int, bool: _read_bool, str: _read_str})
