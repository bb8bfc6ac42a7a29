"""Hyper-parameters: their kind, range and scale, and when they are active."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.arrays import is_missing
from earnest.core.base.errors import InputError
from earnest.core.space.levels import show_level

MOST_STEPS = 2**52  # beyond them a float cannot tell one step from the next
LARGEST = sys.float_info.max
SLACK = 1e-9  # of a range: what rounding may put a value beside its limit


class ParameterKind(StrEnum):
    """What values a parameter takes."""

    FLOAT = "float"
    INT = "int"
    CATEGORICAL = "categorical"
    ORDINAL = "ordinal"
    FIXED = "fixed"


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One requirement on a parent: a value out of some, or one within limits (both included)."""

    parent: str
    values: tuple[object, ...] | None = None
    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        """Return the requirement in words."""
        if self.values is not None:
            words = [show_level(value) for value in self.values]
            return f"{self.parent} is {' or '.join(words)}"
        if self.low == -math.inf:
            return f"{self.parent} <= {self.high:g}"
        if self.high == math.inf:
            return f"{self.parent} >= {self.low:g}"
        return f"{self.low:g} <= {self.parent} <= {self.high:g}"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """When a parameter is active: where all clauses of any of the conjunctions hold.

    A clause on a parent that is itself inactive does not hold. `share` is for parameters that are
    present or absent for no reason that the trials show: the share of trials that have it.
    """

    any_of: tuple[tuple[Clause, ...], ...] = ()
    share: float | None = None

    @classmethod
    def when(cls, parent: str, *values: object) -> Condition:
        """Make the usual condition: the parent has one of these values."""
        return cls(any_of=((Clause(parent=parent, values=values),),))

    @property
    def parents(self) -> tuple[str, ...]:
        """The names of the parents, each once."""
        return tuple(dict.fromkeys(c.parent for clauses in self.any_of for c in clauses))

    def __str__(self) -> str:
        """Return the condition in words."""
        if self.share is not None:
            return f"in {100 * self.share:.0f} % of the trials, for no visible reason"
        return " or ".join(" and ".join(map(str, clauses)) for clauses in self.any_of)


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A hyper-parameter: its name, kind, range and scale, and when it is active.

    Parameters
    ----------
    name : str
        As in the configurations.
    kind : ParameterKind or str
        'float', 'int', 'categorical', 'ordinal' or 'fixed'.
    low, high : float
        The range of a number, both included.
    log : bool
        Whether a number is spread evenly on the log scale.
    step : float, optional
        The distance of the values of a number, counted from `low`; 1 for an int if None.
    choices : tuple
        The levels of a category, in their order for an ordinal; the one value if fixed.
    condition : Condition, optional
        When the parameter is active; always if None.

    Examples
    --------
    >>> from earnest.core.space.parameters import Parameter
    >>> rate = Parameter(name="rate", kind="float", low=1e-4, high=1.0, log=True)
    >>> rate.encode([1e-4, 0.01, 1.0]).tolist()
    [0.0, 0.5, 1.0]
    """

    name: str
    kind: ParameterKind | str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    step: float | None = None
    choices: tuple[object, ...] = ()
    condition: Condition | None = None

    def __post_init__(self) -> None:
        """Check the parts against the kind."""
        object.__setattr__(
            self,
            "kind",
            ParameterKind(check.one_of("kind", str(self.kind), tuple(map(str, ParameterKind)))),
        )
        if not self.name:
            raise InputError(
                "a hyperparameter has no name", needs="text", got=check.show(self.name)
            )
        if self.numeric:
            self._check_range()
        else:
            object.__setattr__(self, "choices", tuple(simplify_value(v) for v in self.choices))
            self._check_choices()

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers with a distance."""
        return self.kind in (ParameterKind.FLOAT, ParameterKind.INT)

    @property
    def varies(self) -> bool:
        """Whether there is more than one value."""
        return self.low < self.high if self.numeric else len(self.choices) > 1

    @property
    def top(self) -> float:
        """The largest code: 1 for numbers, that of the last level for categories."""
        return 1.0 if self.numeric else max(1.0, len(self.choices) - 1.0)

    def encode(self, values: Sequence[object]) -> NDArray[np.float64]:
        """Return natural values as codes: numbers on [0, 1], levels by their position; NaN stays.

        Raises
        ------
        InputError
            For a value that the parameter cannot take.
        """
        return np.array(
            [self._encode_value(simplify_value(value)) for value in values], dtype=np.float64
        )

    def decode(self, codes: NDArray[np.float64]) -> list[object]:
        """Return codes as natural values, of the parameter's own type; None where NaN."""
        return [None if math.isnan(code) else self._decode_value(code) for code in codes.tolist()]

    def sample(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw codes evenly on the parameter's own scale, only of values that it can take."""
        if not self.numeric:
            return rng.integers(0, len(self.choices), count).astype(np.float64)
        if not self.varies:
            return np.zeros(count)
        if self._pace is None or self._steps > MOST_STEPS:
            return rng.random(count)
        if not self.log:
            return rng.integers(0, self._steps + 1, count) / self._steps
        return self._draw_log_steps(count, rng)

    def grid(self, size: int) -> tuple[list[object], NDArray[np.float64]]:
        """Return values that are equidistant on the parameter's scale, with their codes."""
        if not self.numeric:
            return list(self.choices), np.arange(len(self.choices), dtype=np.float64)
        count = size if self.varies else 1
        values = list(dict.fromkeys(self.decode(np.linspace(0.0, 1.0, count))))
        return values, self.encode(values)

    def meets(self, clause: Clause, codes: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which codes of this parameter meet a requirement; NaN does not."""
        if clause.values is not None:
            return np.isin(np.round(codes, 9), np.round(self.encode(clause.values), 9))
        if not self.numeric:
            inside = [
                clause.low <= check.read_number(choice) <= clause.high for choice in self.choices
            ]
            return np.isin(np.round(codes), np.flatnonzero(inside))
        low = -math.inf if clause.low <= self.low else self._scale(clause.low)
        high = math.inf if clause.high >= self.high else self._scale(clause.high)
        with np.errstate(invalid="ignore"):
            return np.asarray((codes >= low - SLACK) & (codes <= high + SLACK))

    @property
    def _pace(self) -> float | None:
        return (
            self.step
            if self.step is not None
            else (1.0 if self.kind == ParameterKind.INT else None)
        )

    @property
    def _steps(self) -> int:
        return max(1, math.floor((self.high - self.low) / (self._pace or 1.0) * (1 + SLACK)))

    def _encode_value(self, value: object) -> float:
        if is_missing(value) and (self.numeric or None not in self.choices):
            return math.nan
        if not self.numeric:
            return self._find_level(value)
        if isinstance(value, (str, bool)) or not isinstance(value, (int, float)):
            raise self._make_error(value, "a number")
        number = float(min(max(value, -LARGEST), LARGEST))
        if not self.varies and number == self.low:
            return 0.0
        scaled = self._scale(number)
        if not -SLACK <= scaled <= 1 + SLACK:
            raise self._make_error(value, f"a number from {self.low:g} to {self.high:g}")
        return min(max(scaled, 0.0), 1.0)

    def _find_level(self, value: object) -> float:
        for position, choice in enumerate(self.choices):
            if choice == value and isinstance(choice, bool) == isinstance(value, bool):
                return float(position)
        raise self._make_error(value, check.some(map(repr, self.choices), limit=12))

    def _scale(self, number: float) -> float:
        if not self.varies or (self.log and number <= 0):
            return math.inf
        low, high = self._ends
        return ((math.log(number) if self.log else number) - low) / (high - low)

    @property
    def _ends(self) -> tuple[float, float]:
        return (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)

    def _decode_value(self, code: float) -> object:
        if not self.numeric:
            return self.choices[min(max(round(code), 0), len(self.choices) - 1)]
        low, high = self._ends
        number = low + min(max(code, 0.0), 1.0) * (high - low)
        number = math.exp(number) if self.log else number
        if self._pace is not None:
            steps = round((number - self.low) / self._pace)
            number = self.low + steps * self._pace
        number = min(max(number, self.low), self.high)
        return round(number) if self.kind == ParameterKind.INT else float(number)

    def _draw_log_steps(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw whole steps whose share is the width of their cell on the log scale."""
        half = 0.5 * (self._pace or 1.0)
        low, high = max(self.low - half, 0.5 * self.low), self.high + half
        drawn = np.exp(rng.uniform(math.log(low), math.log(high), count))
        pace = self._pace or 1.0
        steps = np.clip(np.rint((drawn - self.low) / pace), 0, self._steps)
        low, high = self._ends
        return np.asarray((np.log(self.low + steps * pace) - low) / (high - low))

    def _check_range(self) -> None:
        low, high = self.low, self.high
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise InputError(
                f"the range of {self.name!r} is not valid",
                needs="finite numbers, low <= high",
                got=f"[{low}, {high}]",
            )
        if not self.log and not math.isfinite(high - low):
            raise InputError(
                f"the range of {self.name!r} is too wide",
                needs="a finite distance from low to high",
                got=f"[{low:g}, {high:g}]",
                cure="Use another unit.",
            )
        if self.log and low <= 0:
            raise InputError(
                f"{self.name!r} cannot be on a log scale",
                needs="low > 0",
                got=f"low = {low:g}",
                cure="Use log=False.",
            )
        if self.step is not None and not self.step > 0:
            raise InputError(
                f"the step of {self.name!r} is not valid", needs="a number > 0", got=str(self.step)
            )

    def _check_choices(self) -> None:
        if not self.choices or (self.kind == ParameterKind.FIXED and len(self.choices) > 1):
            raise InputError(
                f"the choices of {self.name!r} do not fit its kind",
                needs="one value" if self.kind == ParameterKind.FIXED else "at least one level",
                got=check.show(self.choices),
            )

    def _make_error(self, value: object, needs: str) -> InputError:
        options = [c for c in self.choices if isinstance(c, str)]
        return InputError(
            f"{self.name!r} cannot be {check.show(value)}",
            needs=needs,
            cure=check.nearest(value, options) if isinstance(value, str) else "",
        )


def simplify_value(value: object) -> object:
    """Return a value as a Python number, text, bool or None; other objects by what they print.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.space.parameters import simplify_value
    >>> simplify_value(np.int64(3)), simplify_value((10, 5)), simplify_value(None)
    (3, '(10, 5)', None)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if is_missing(value):
        return math.nan
    if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        return str(value.__name__)
    return " ".join(check.spell(value).split())
