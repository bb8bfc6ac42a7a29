"""How a result came about, as plain data: the settings of a method or test, and the versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np


def knobs(made: Any) -> dict[str, Any]:
    """Return the settings of a configured method or test as plain data.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.base.provenance import knobs
    >>> knobs(en.McNemarTest(p="mid"))
    {'p': 'mid'}
    """
    return {f.name: plain(getattr(made, f.name)) for f in fields(made)}


def plain(value: Any) -> Any:
    """Return a setting as data that JSON can hold: itself, its name, or its repr."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else repr(value)


@cache
def versions() -> Mapping[str, str]:
    """Return the versions that a result depends on."""
    return {"earnest": version("earnest"), "numpy": np.__version__}
