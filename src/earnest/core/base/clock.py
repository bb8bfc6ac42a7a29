"""The moment at which a run is begun, as text: recorded once, and never asked for again.

A report shows the moment that its run has recorded, not that of its rendering, so that the same
run gives the same bytes.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

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
    """Return a recorded moment in words, None for what is none.

    Examples
    --------
    >>> from earnest.core.base.clock import moment_words
    >>> moment_words("2026-11-15T17:05:12Z"), moment_words("soon")
    ('15 November 2026, 17:05 UTC', None)
    """
    found = _read(text)
    return None if found is None else f"{_format_day(found)}, {found:%H:%M} UTC"


def day_words(text: str | None) -> str | None:
    """Return the day of a recorded moment in words, None for what is none."""
    found = _read(text)
    return None if found is None else _format_day(found)


def _format_day(when: datetime) -> str:
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def _read(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", FORM)
    except ValueError:
        return None
