"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(frozen=True)
class PrintedNumber:
    """A number as it is printed: its digits, and whether it stays short of an end of its range.

    Attributes
    ----------
    digits : str
        As Python writes them, such as '-0.25' or '6.8e+08'.
    short_of : float or None
        The end of the range that the number would be rounded to, and is not: it lies between its
        digits and that end.

    Examples
    --------
    >>> from earnest.core.text.numbers import print_number
    >>> shown = print_number(0.99999, 3)
    >>> shown.value, shown.short_of, shown.nearest
    (0.999, 1.0, 1.0)
    >>> shown.words, shown.signs, shown.bare
    ('over 0.999', '> 0.999', '0.999')
    """

    digits: str
    short_of: float | None = None

    @property
    def value(self) -> float:
        """What the digits say."""
        return float(self.digits)

    @property
    def nearest(self) -> float:
        """What a reader takes it for: what is short of 1 is all but 1."""
        return self.value if self.short_of is None else self.short_of

    @property
    def bare(self) -> str:
        """The digits for people: a true minus, and commas between thousands."""
        return _set_apart(self.digits)

    @property
    def words(self) -> str:
        """The number for a sentence: 'over 0.999' for what is not quite 1."""
        return self.write(over="over ", under="under ")

    @property
    def signs(self) -> str:
        """The number for a figure: '> 0.999' for what is not quite 1."""
        return self.write(over="> ", under="< ")

    @property
    def plain(self) -> str:
        """The number without typographic signs: '> -0.25'."""
        return f"{self._choose('> ', '< ')}{self.digits}"

    def write(self, *, over: str, under: str) -> str:
        """Return the digits for people behind the words for what lies beyond them."""
        return f"{self._choose(over, under)}{self.bare}"

    def _choose(self, over: str, under: str) -> str:
        if self.short_of is None:
            return ""
        return over if self.short_of > self.value else under

    def __str__(self) -> str:
        """Return the number for a sentence."""
        return self.words


def write_round(value: float) -> str:
    """Return a round number, such as an end of a range, without decimals.

    Examples
    --------
    >>> from earnest.core.text.numbers import write_round
    >>> write_round(1.0), write_round(-1.0), write_round(0.5)
    ('1', '−1', '0.5')
    """
    return _set_apart(f"{value:g}")


def _set_apart(digits: str) -> str:
    grouped = _THOUSANDS.sub(lambda thousands: f"{int(thousands[0]):,}", digits)
    return grouped.replace("-", MINUS)


def print_number(
    value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)
) -> PrintedNumber:
    """Return how a number is printed; what is short of a limit is never rounded to it.

    Parameters
    ----------
    places : int
        The decimals, see `decimals`; negative ones, see `find_shared_places`.
    limits : tuple of float
        The range of the metric.
    """
    if not math.isfinite(value):
        return PrintedNumber({math.inf: "inf", -math.inf: "-inf"}.get(value, "nan"))
    low, high = limits
    if places <= 0:
        text = _write_digits(value, 0) if places == 0 else _power(value, places) if value else "0"
        if low < value < high and float(text) in limits:
            return print_number(value, _places_to(min(value - low, high - value)), limits)
        return PrintedNumber(text)
    rounded, step = float(f"{value:.{places}f}"), 10.0**-places
    if rounded == high and value < high:
        return PrintedNumber(_write_digits(high - step, places), short_of=high)
    if rounded == low and value > low:
        return PrintedNumber(_write_digits(low + step, places), short_of=low)
    return PrintedNumber(_write_digits(value, places))


def number(value: float, places: int, limits: tuple[float, float] = (0.0, 1.0)) -> str:
    """Return a number for one line of plain signs, as `print_number` rounds it.

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
    return print_number(value, places, limits).plain


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
    return print_number(value, places, limits).words


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
    return print_number(value, places, limits).signs
