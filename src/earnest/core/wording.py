"""Numbers as people read them."""

from __future__ import annotations

import math


def decimals(standard_error: float | None) -> int:
    """Return how many decimals a number with this standard error deserves.

    The first significant digit of the standard error, or two digits if it begins with 1; three
    decimals where there is none.

    Examples
    --------
    >>> from earnest.core.wording import decimals
    >>> decimals(0.0064), decimals(0.069), decimals(0.0014), decimals(None)
    (3, 2, 4, 3)
    """
    if standard_error is None or not math.isfinite(standard_error) or standard_error < 1e-9:
        return 3  # none at all, or the rounding of equal values
    exponent = math.floor(math.log10(standard_error))
    first = int(standard_error / 10.0**exponent)
    return min(max(-exponent + (1 if first == 1 else 0), 0), 8)


def number(value: float, places: int) -> str:
    """Return a number with that many decimals; a value just short of 0 or 1 is never rounded to it.

    Examples
    --------
    >>> from earnest.core.wording import number
    >>> number(0.8612, 3), number(0.99999, 3), number(1.0, 3)
    ('0.861', '> 0.999', '1.000')
    """
    if not math.isfinite(value):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan")
    text = f"{value:.{places}f}"
    if places and float(text) == 1.0 and value < 1.0:
        return f"> {1 - 10.0**-places:.{places}f}"
    if places and float(text) == 0.0 and value > 0.0:
        return f"< {10.0**-places:.{places}f}"
    return text.replace("-0." + "0" * places, "0." + "0" * places) if float(text) == 0 else text
