"""Dates and times as numbers: the year, the month, the weekday, and the days since a fixed day.

Nothing is learned from the rows but how dates are written, and which of their numbers vary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.tables.formats.numbers import DATE

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
PARTS = ("year", "month", "day", "weekday", "hour", "days since 1970")
DAY, HOUR = 86400.0, 3600.0
# What a date may begin with, once its signs are points; which one it is, the cells tell.
FORMS = ("%Y.%m.%d", "%d.%m.%Y", "%m.%d.%Y", "%d.%b.%Y", "%d.%B.%Y")
LOOKED_AT = 10_000  # cells by which a form is chosen
_TIME = r"^(\S+)[ T]+([0-9]{1,2}):([0-9]{2})(:([0-9]{2}))?.*$"


def is_moment(kind: pa.DataType) -> bool:
    """Tell whether an Arrow type is one of dates or times."""
    import pyarrow as pa

    tests = (pa.types.is_date, pa.types.is_timestamp, pa.types.is_time)
    return any(test(kind) for test in tests)


def find_form(column: pa.ChunkedArray) -> str:
    """Return how the dates of a column of text are written, '' for other types.

    `03/04/2020` can be read in two ways: the one that reads most cells is taken, the day first
    where both do.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from earnest.training.tables.moments import find_form
    >>> find_form(pa.chunked_array([["3/4/2020", "3/14/2020"]]))
    '%m.%d.%Y'
    """
    if is_moment(column.type):
        return ""
    cells = column.drop_null()[:LOOKED_AT]
    counts = [int(np.isfinite(_read_text(cells, form)).sum()) for form in FORMS]
    return FORMS[int(np.argmax(counts))]


def read_moments(column: pa.ChunkedArray, form: str) -> Floats:
    """Return the seconds since 1970 of a column of dates, or of its text; NaN where there are none.

    Times without a date count from midnight.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_time(kind):
        unit = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[kind.unit]
        whole = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return _to_floats(column.cast(whole)) / unit
    if is_moment(kind):
        plain = column.cast(pa.timestamp("ms", getattr(kind, "tz", None)), safe=False)
        return _to_floats(plain.cast(pa.int64())) / 1e3
    return _read_text(column.cast(pa.string()), form)


def _to_floats(column: pa.ChunkedArray) -> Floats:
    import pyarrow as pa

    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _read_text(cells: pa.ChunkedArray, form: str) -> Floats:
    """Return the seconds of dates that are written in a form, NaN for all others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(cells)
    is_date = pc.match_substring_regex(trimmed, DATE)
    trimmed = pc.if_else(is_date, trimmed, None)
    spaced = pc.replace_substring_regex(trimmed, r"^([^:]*[0-9]{4}|[0-9]{4}[^: T]*)[ T]+", r"\1T")
    time = pc.extract_regex(spaced, r"T(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})")
    days = pc.replace_substring_regex(spaced, r"T[0-9]{1,2}:.*$", "")
    days = pc.replace_substring_regex(days, r"[-./ ]+", ".")
    moments = pc.strptime(days, format=form, unit="s", error_is_null=True)
    seconds = _to_floats(moments.cast(pa.int64()))
    hours, minutes = (
        np.nan_to_num(_to_floats(pc.struct_field(time, [k]).cast(pa.float64()))) for k in (0, 1)
    )
    return seconds + HOUR * hours + 60.0 * minutes


def compute_part(seconds: Floats, part: str) -> Floats:
    """Return a number of each moment, NaN where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.training.tables.moments import PARTS, compute_part
    >>> [compute_part(np.array([86400.0 * 366.5]), part).item() for part in PARTS]
    [1971.0, 1.0, 2.0, 6.0, 12.0, 366.5]
    """
    present = np.isfinite(seconds)
    moments = np.where(present, seconds, 0.0).astype("int64").astype("datetime64[s]")
    days = moments.astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    years = days.astype("datetime64[Y]")
    values: NDArray[np.generic]
    match part:
        case "year":
            values = years.astype(np.int64) + 1970
        case "month":
            values = (months - years).astype(np.int64) + 1
        case "day":
            values = (days - months).astype(np.int64) + 1
        case "weekday":  # Monday is 1
            values = (days.astype(np.int64) + 3) % 7 + 1
        case "hour":
            values = (seconds % DAY) / HOUR
        case _:
            values = seconds / DAY
    return np.where(present, np.asarray(values, dtype=np.float64), np.nan)
