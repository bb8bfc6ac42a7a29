"""Dataclasses as plain data for JSON, and back: a dict of their fields."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from functools import cache
from typing import Any, ClassVar, Self, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from earnest.core.base.provenance import JsonObject, finite

# How a field is written, as the `metadata` of a dataclass field.
FLAT = {"flat": True}  # the parts of its value stand among the others
HIDDEN = {"hidden": True}  # not at all
OPTIONAL = {"optional": True}  # not where it is None
LOW_END, HIGH_END = {"none": -math.inf}, {"none": math.inf}  # None stands for an open end

_SCALARS = (float, int, str, bool)
# How to read the types that are not `Plain` themselves.
READERS: dict[object, Callable[[Any], Any]] = {}


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
            if "hidden" in part.metadata:
                continue
            written = write_plain(getattr(self, part.name), draws=draws)
            if written is None and "optional" in part.metadata:
                continue
            data |= written if "flat" in part.metadata else {_key(part): written}
        return data

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make it from the plain data of `to_dict`; a missing part is a KeyError."""
        hints = _find_types(cast(Any, cls))
        parts = {}
        for part in fields(cls):
            key = _key(part)
            if "hidden" in part.metadata:
                continue
            if "flat" in part.metadata:
                parts[part.name] = _read(hints[part.name], data)
            elif key in data or (part.default is MISSING and part.default_factory is MISSING):
                value, none = data[key], part.metadata.get("none")
                known = value is not None or none is None
                parts[part.name] = _read(hints[part.name], value) if known else none
        return cls(**parts)


@cache
def _find_types(kind: Any) -> dict[str, Any]:
    """Return the types of the fields of a class, kept: a table has thousands of the same."""
    return get_type_hints(kind)


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


def _read(kind: Any, value: Any) -> Any:
    """Return a value of plain data as its type says."""
    if kind in _SCALARS:
        return math.nan if kind is float and value is None else value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (kind,) = (one for one in inner if one is not type(None))
        return None if value is None else _read(kind, value)
    if kind in READERS:
        return READERS[kind](value)
    if origin is np.ndarray:
        return np.array([math.nan if one is None else one for one in value], dtype=np.float64)
    if origin is tuple:
        each = inner[0] if inner[-1] is Ellipsis else None
        return tuple(_read(each or inner[place], one) for place, one in enumerate(value))
    if origin is Mapping:
        return {str(key): _read(inner[1], one) for key, one in value.items()}
    if isinstance(kind, type) and issubclass(kind, Plain):
        return kind.from_dict(value)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value
