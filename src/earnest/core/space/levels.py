"""Values of hyper-parameters as they are read: few digits, and estimators by a short name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_SHORT: ContextVar[Mapping[str, str] | None] = ContextVar("short names of levels", default=None)


def show_level(value: object, digits: int = 6) -> str:
    """Return a value as it is read: at most so many digits of a number, a level by its short name.

    Examples
    --------
    >>> from earnest.core.space.levels import show_level, shorten_levels
    >>> show_level(0.123456789), show_level("SVC(C=1.0)")
    ('0.123457', 'SVC(C=1.0)')
    >>> with shorten_levels({"SVC(C=1.0)": "SVC"}):
    ...     show_level("SVC(C=1.0)")
    'SVC'
    """
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    text = str(value)
    return (_SHORT.get() or {}).get(text, text)


@contextmanager
def shorten_levels(names: Mapping[str, str]) -> Iterator[None]:
    """Write levels by short names, from their whole names, until the end of the block."""
    token = _SHORT.set(names)
    try:
        yield
    finally:
        _SHORT.reset(token)
