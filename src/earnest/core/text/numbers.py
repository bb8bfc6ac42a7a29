"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

SMALLEST, LARGEST = 1e-5, 1e9  # beyond these a number is written with its power of ten
NEGLIGIBLE = 1e-9  # a standard error of this share of the value is the rounding of equal values
MOST_PLACES = 8
MOST_DIGITS = 6  # after the point of a number with its power of ten
NO_BREAK = "\u00a0"
MINUS = "\u2212"
_THOUSANDS = re.compile(r"(?<![\d.])\d{4,}(?![\de])")  # the digits before the point


def decimals(standard_error: float | None, value: float | None = None) -> int:
    """Return how many decimals a number with this standard error deserves.

    The first significant digit of the standard error, or two digits if it begins with 1. Where
    there is none: three decimals, or three significant digits of a value below 0.001.

    Parameters
    ----------
    standard_error : float or None
        None, zero and what is negligible beside the value all mean that there is none.
    value : float, optional
        The number itself; without it a standard error below 1e-9 is none.

    Examples
    --------
    >>> from earnest.core.text.numbers import decimals
    >>> decimals(0.0064), decimals(0.069), decimals(0.0014), decimals(None)
    (3, 2, 4, 3)
    >>> decimals(2e-12, 1.5e-11), decimals(None, 0.000456)
    (12, 6)
    """
    size = abs(value) if value is not None and math.isfinite(value) else 0.0
    if standard_error is None or not _counts(standard_error, size):
        return 2 - _exponent(size) if 0.0 < size < 1e-3 else 3
    places = max(_first_digit(standard_error), 0)
    return places if 0.0 < size < SMALLEST else min(places, MOST_PLACES)


def find_shared_places(
    values: Iterable[float | None], errors: Iterable[float | None]
) -> int | None:
    """Return negative decimals for numbers of which one needs its power of ten, else None.

    They round all the numbers at the same digit before the point, and `number` then writes each
    of them with its power of ten, for digits and powers in one row are hard to compare.

    Examples
    --------
    >>> from earnest.core.text.numbers import number, find_shared_places
    >>> places = find_shared_places([6.8e8, 1.34e9], [2.2e7])
    >>> places, number(683_662_878.0, places), number(1.34e9, places)
    (-7, '6.8e+08', '1.34e+09')
    """
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(sizes, default=0.0)
    if largest < LARGEST:
        return None
    digits = [_first_digit(e) for e in errors if e is not None and _counts(e, largest)]
    most = MOST_DIGITS - _exponent(largest)
    return min(max(digits, default=3 - _exponent(largest)), most)


def _first_digit(error: float) -> int:
    """Return at which decimal the first digit of a number stands, the second if that is 1."""
    return -_exponent(error) + (1 if f"{error:.12e}"[0] == "1" else 0)


def _counts(standard_error: float, size: float) -> bool:
    return math.isfinite(standard_error) and standard_error >= NEGLIGIBLE * (size or 1.0)


def _exponent(value: float) -> int:
    """Return the power of ten of a number, as it is written."""
    return int(f"{value:.12e}".split("e")[1])


def write_count(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> from earnest.core.text.numbers import write_count
    >>> write_count(1, "case"), write_count(2780, "fit")
    ('1 case', '2,780 fits')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def number(value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a number with that many decimals; what is short of a limit is never rounded to it.

    Parameters
    ----------
    places : int
        The decimals, see `decimals`; negative ones, see `find_shared_places`.
    limits : tuple of float
        The range of the metric.

    Examples
    --------
    >>> from earnest.core.text.numbers import number
    >>> number(0.8612, 3), number(0.99999, 3), number(1.0, 3)
    ('0.861', '> 0.999', '1.000')
    >>> number(0.99999, 3, (0.0, float("inf"))), number(-0.00001, 3, (-1.0, 1.0))
    ('1.000', '0.000')
    >>> number(0.998, 0, (float("-inf"), 1.0)), number(-12.3, 0, (float("-inf"), 1.0))
    ('0.998', '-12')
    """
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    low, high = limits
    if places <= 0:
        text = _write_digits(value, 0) if places == 0 else _power(value, places) if value else "0"
        if low < value < high and float(text) in limits:
            return number(value, _places_to(min(value - low, high - value)), limits)
        return text
    rounded, step = float(f"{value:.{places}f}"), 10.0**-places
    if rounded == high and value < high:
        return f"> {_write_digits(high - step, places)}"
    if rounded == low and value > low:
        return f"< {_write_digits(low + step, places)}"
    return _write_digits(value, places)


def _places_to(distance: float) -> int:
    """Return the decimals that show a distance below 1, at most three."""
    return min(max(-_exponent(distance), 1), 3)


def _write_digits(value: float, places: int) -> str:
    """Return a number as digits, or with its power of ten where digits would be many."""
    rounded = float(f"{value:.{places}f}")
    if rounded == 0.0:
        return f"{0.0:.{min(places, MOST_PLACES)}f}"  # no sign: -0.000 is no number
    if SMALLEST <= abs(value) < LARGEST:
        return f"{value:.{places}f}"
    return _power(value, places)


def _power(value: float, places: int) -> str:
    digits = min(max(places + _exponent(value), 0), MOST_DIGITS)
    return f"{value:.{digits}e}"


def prose(value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a number for a sentence: a true minus, 'over 0.999' for what is not quite 1.

    Examples
    --------
    >>> from earnest.core.text.numbers import prose
    >>> prose(2780.4, 0), prose(0.99999, 3)
    ('2,780', 'over 0.999')
    """
    text = _THOUSANDS.sub(lambda digits: f"{int(digits[0]):,}", number(value, places, limits))
    return text.replace("-", MINUS).replace("> ", "over ").replace("< ", "under ")


def percent(share: float) -> str:
    """Return a level as a percentage, with a no-break space.

    Examples
    --------
    >>> from earnest.core.text.numbers import percent
    >>> percent(0.95).replace(chr(160), " ")
    '95 %'
    """
    return f"{100 * share:.10g}{NO_BREAK}%"


def show_number(value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a number as a figure prints it: as a sentence does, but '> 0.999'."""
    return write_in_figure(prose(value, places, limits))


def write_in_figure(words: str) -> str:
    """Return the words of a printed number in signs."""
    return words.replace("over ", "> ").replace("under ", "< ")
