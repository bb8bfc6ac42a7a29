"""How a result came about, as plain data: the settings of a method or test, and the versions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np

# An object of JSON as it is read: its values are looked at where they are used.
JsonObject: TypeAlias = Mapping[str, Any]


def knobs(made: object) -> dict[str, object]:
    """Return the settings of a configured method or test as plain data.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.base.provenance import knobs
    >>> knobs(en.McNemarTest(p="mid"))
    {'p': 'mid'}
    """
    return {f.name: plain(getattr(made, f.name)) for f in fields(made)}  # type: ignore[arg-type]  # a protocol does not say that it is one


def plain(value: object) -> object:
    """Return a setting as data that JSON can hold: itself, its name, or its repr."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else repr(value)


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, None for NaN and infinities."""
    return None if value is None or not math.isfinite(value) else float(value)


@cache
def versions() -> Mapping[str, str]:
    """Return the versions that a result depends on."""
    return {"earnest": version("earnest"), "numpy": np.__version__}
