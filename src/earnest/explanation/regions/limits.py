"""The limits of a region: what they mean, and how they read.

A limit is put at the roundest number between the two points that it divides, so that what is
said is exactly what is meant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.provenance import JsonObject
from earnest.core.space.space import Parameter, ParameterKind
from earnest.core.text.numbers import NO_BREAK
from earnest.explanation.regions.splits import Split

Floats = NDArray[np.float64]
MOST_DIGITS = 12


@dataclass(frozen=True)
class Limit:
    """One requirement of a region on one parameter.

    Attributes
    ----------
    param : str
        The parameter.
    op : {'<=', '>', 'in'}
        At most a value, above it, or one of some levels.
    value : object
        The value in natural units, or the tuple of levels.
    code : float
        The value in codes; NaN for levels.
    levels : tuple of float
        The codes of the levels; empty for a number.
    """

    param: str
    op: str
    value: object
    code: float = math.nan
    levels: tuple[float, ...] = ()

    def holds(self, codes: Floats) -> NDArray[np.bool_]:
        """Tell which codes of the parameter meet it; what is inactive does not."""
        if self.op == "in":
            return np.isin(codes, self.levels)
        return np.asarray(codes <= self.code if self.op == "<=" else codes > self.code)

    def __str__(self) -> str:
        """Return the requirement in words."""
        if isinstance(self.value, tuple):
            return f"{self.param} is {' or '.join(text(level) for level in self.value)}"
        return f"{self.param} {self.op} {text(self.value)}"

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "param": self.param,
            "op": self.op,
            "value": value,
            "code": None if math.isnan(self.code) else self.code,
            "levels": list(self.levels),
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> Limit:
        """Make a limit from plain data."""
        value = tuple(data["value"]) if data["op"] == "in" else data["value"]
        code = math.nan if data["code"] is None else data["code"]
        return cls(data["param"], data["op"], value, code, tuple(data["levels"]))


def limits_of(
    split: Split, parameter: Parameter, present: Sequence[float], *, round_off: bool = True
) -> tuple[Limit, Limit]:
    """Return what a split requires of its left and of its right side.

    Parameters
    ----------
    split : Split
        The split.
    parameter : Parameter
        What it asks about.
    present : sequence of float
        The codes of the levels that the node has, for a category.
    round_off : bool
        Whether a limit may move to the roundest number in its gap; else it is the middle.
    """
    name = parameter.name
    if split.levels is not None:
        left = tuple(sorted(split.levels))
        right = tuple(level for level in sorted(present) if level not in set(left))
        sides = [
            Limit(name, "in", tuple(parameter.decode(np.array(side))), levels=side)
            for side in (left, right)
        ]
        return sides[0], sides[1]
    assert split.gap is not None
    code, value = _divide(parameter, split.gap, round_off)
    return Limit(name, "<=", value, code), Limit(name, ">", value, code)


def _divide(
    parameter: Parameter, gap: tuple[float, float], round_off: bool
) -> tuple[float, object]:
    """Return where to put a limit, as code and as value."""
    low, high = gap
    middle = low + 0.5 * (high - low)
    middle = middle if middle < high else low
    if parameter.kind != ParameterKind.FLOAT or parameter.step is not None:
        return middle, parameter.decode(np.array([low]))[0]  # "at most the last one on the left"
    ends = cast(list[float], parameter.decode(np.array([low, high, middle])))
    for value in (roundest(ends[0], ends[1]) if round_off else None, ends[2]):
        code = math.nan if value is None else float(parameter.encode([value])[0])
        if low <= code < high:
            return code, value
    return middle, ends[2]


def roundest(low: float, high: float) -> float | None:
    """Return the number with the fewest digits in [low, high), the one nearest to the middle.

    Examples
    --------
    >>> from earnest.explanation.regions.limits import roundest
    >>> roundest(0.00287, 0.00313), roundest(1.2345, 1.2399), roundest(-0.3, 0.2)
    (0.003, 1.237, 0.0)
    """
    if not (math.isfinite(low) and math.isfinite(high)) or low >= high:
        return None
    if low <= 0 < high:
        return 0.0
    middle = low + 0.5 * (high - low)
    size = max(abs(low), abs(high))
    first = math.floor(math.log10(size))
    for digits in range(MOST_DIGITS):
        step = 10.0 ** (first - digits)
        near = round(middle / step)
        for count in (near, near - 1, near + 1):
            value = float(f"{count * step:.{max(digits - first, 0)}f}")
            if low <= value < high:
                return value
    return None


def in_words(limits: Iterable[Limit]) -> str:
    """Return limits in words, those of one number together.

    Examples
    --------
    >>> from earnest.explanation.regions.limits import Limit, in_words
    >>> rate = Limit("rate", ">", 0.001, 0.3), Limit("rate", "<=", 0.003, 0.4)
    >>> in_words([*rate, Limit("depth", ">", 2, 0.5)])
    '0.001 < rate <= 0.003 and depth > 2'
    """
    return " and ".join(_put_in_words(group) for group in _group_by_param(limits).values())


def _group_by_param(limits: Iterable[Limit]) -> dict[str, list[Limit]]:
    groups: dict[str, list[Limit]] = {}
    for limit in limits:
        groups.setdefault(limit.param, []).append(limit)
    return groups


def _put_in_words(group: list[Limit]) -> str:
    levels = [limit for limit in group if limit.op == "in"]
    if levels:
        return str(levels[-1])  # each further split takes levels away
    above = [limit for limit in group if limit.op == ">"]
    below = [limit for limit in group if limit.op == "<="]
    low = max(above, key=lambda limit: limit.code, default=None)
    high = min(below, key=lambda limit: limit.code, default=None)
    if low is not None and high is not None:
        return f"{text(low.value)} < {low.param} <= {text(high.value)}"
    return str(low if low is not None else high)


def text(value: object) -> str:
    """Return a value as it is read: at most six digits of a number."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def band_words(narrower: float) -> str:
    """Return a change of the band in words.

    Examples
    --------
    >>> from earnest.explanation.regions.limits import band_words
    >>> [band_words(share).replace(chr(160), " ") for share in (0.52, -0.36, 0.001)]
    ['band 52 % narrower', 'band 36 % wider', 'band as wide']
    """
    percent = round(100 * narrower)
    if percent == 0:
        return "band as wide"
    return f"band {abs(percent)}{NO_BREAK}% {'narrower' if percent > 0 else 'wider'}"


def share_words(share: float) -> str:
    """Return a share of the space in words; what is not nothing is never 0 %."""
    percent = 100 * share
    if 0 < percent < 1:
        return f"under 1{NO_BREAK}% of the space"
    return f"{percent:.0f}{NO_BREAK}% of the space"
