"""How a result came about: the settings of its method or test, the versions, when its run began.

A report shows the moment that its run has recorded, not that of its rendering, so that the same
run gives the same bytes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np

# An object of JSON as it is read: its values are looked at where they are used.
JsonObject: TypeAlias = Mapping[str, Any]


def knobs(spec: object) -> dict[str, object]:
    """Return the settings of a configured method or test as plain data.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.core.base.provenance import knobs
    >>> knobs(en.comparison.McNemarTest(p="mid"))
    {'p': 'mid'}
    """
    return {f.name: simplify_setting(getattr(spec, f.name)) for f in fields(spec)}  # type: ignore[arg-type]  # a protocol does not say that it is one


def simplify_setting(value: object) -> object:
    """Return a setting as data that JSON can hold: itself, its name, or its repr."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else repr(value)


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, None for NaN and infinities."""
    return None if value is None or not math.isfinite(value) else float(value)


@cache
def list_versions() -> Mapping[str, str]:
    """Return the versions that a result depends on."""
    return {"earnest": version("earnest"), "numpy": np.__version__}


FORM = "%Y-%m-%dT%H:%M:%SZ"
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def moment() -> str:
    """Return this moment, to the second and in universal time, such as '2026-11-15T17:05:12Z'.

    Where `SOURCE_DATE_EPOCH` is set to seconds since 1970, as those set it who build things twice
    and compare the bytes, it is that moment.
    """
    pinned = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(pinned), UTC) if pinned.isdecimal() else datetime.now(UTC)
    return now.strftime(FORM)


def moment_words(text: str | None) -> str | None:
    """Return a recorded moment in words, None if it is not one.

    Examples
    --------
    >>> from earnest.core.base.provenance import moment_words
    >>> moment_words("2026-11-15T17:05:12Z"), moment_words("soon")
    ('15 November 2026, 17:05 UTC', None)
    """
    moment = _read(text)
    return None if moment is None else f"{_format_day(moment)}, {moment:%H:%M} UTC"


def day_words(text: str | None) -> str | None:
    """Return the day of a recorded moment in words, None if it is not one."""
    moment = _read(text)
    return None if moment is None else _format_day(moment)


def _format_day(when: datetime) -> str:
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def _read(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", FORM)
    except ValueError:
        return None
