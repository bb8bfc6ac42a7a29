"""What the general tools say of a statistic: its bias, its standard error, its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.results.base import DRAWN, Result
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import SOURCE, by_severity, few_beyond
from earnest.core.results.interval import Interval, LimitSource, limit_remarks, make_not_kept_error
from earnest.core.results.specs import Side
from earnest.core.text.numbers import decimals, number
from earnest.inference.general import draws as _  # noqa: F401  # whose limits a file may name

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

SIDES = (Side.TWO_SIDED, Side.LOWER, Side.UPPER)


@dataclass(frozen=True, kw_only=True)
class StatisticResult(Result):
    """How surely a statistic is known.

    Attributes
    ----------
    value : float
        The statistic of the cases as they are.
    bias : float or None
        How much the statistic is too large on the average, as estimated.
    standard_error : float
        Its standard deviation over samples, as estimated.
    interval : Interval
        The confidence interval.
    tool, method : str
        'bootstrap', 'jackknife' or 'influence', and the kind of interval.
    n_cases, n_units : int
        The cases, and the cases or groups that are resampled.
    n_resamples, n_valid : int or None
        The resamples, and those with a defined value.
    draws : ndarray or None
        The statistic of every resample, or with each unit left out; NaN where undefined.
    influences : ndarray or None
        The influence of every unit, where it was computed.
    seed : int or None
        The seed of the resamples.
    cautions : tuple of Caution
        Coded remarks.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> x = np.random.default_rng(0).exponential(size=50)
    >>> result = en.inference.bootstrap(lambda w: np.average(x, weights=w), x, rng=1)
    >>> round(result.value, 2), round(result.standard_error, 2)
    (1.11, 0.16)
    >>> result.at(confidence_level=0.9).interval.confidence_level
    0.9
    """

    schema: ClassVar[str] = "earnest/statistic/1"
    called: ClassVar[str] = "a statistic"

    value: float
    bias: float | None
    standard_error: float
    interval: Interval
    tool: str
    method: str
    n_cases: int
    n_units: int
    cautions: tuple[Caution, ...] = ()
    n_resamples: int | None = None
    n_valid: int | None = None
    seed: int | None = None
    draws: NDArray[np.float64] | None = field(
        default=None, repr=False, compare=False, metadata=DRAWN
    )
    influences: NDArray[np.float64] | None = field(
        default=None, repr=False, compare=False, metadata=DRAWN
    )
    source: LimitSource | None = field(default=None, repr=False, compare=False, metadata=SOURCE)

    @property
    def corrected(self) -> float | None:
        """The value less its bias; its variance is larger, often by more than it gains."""
        return None if self.bias is None else self.value - self.bias

    def at(
        self, *, confidence_level: float | None = None, side: str | None = None
    ) -> StatisticResult:
        """Return the same result with another level or side, without new draws."""
        level = self.interval.confidence_level if confidence_level is None else confidence_level
        return ask_at(self, level, self.interval.side if side is None else side)

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as one flat dict."""
        return [
            {
                "tool": self.tool,
                "method": self.method,
                "value": self.value,
                "bias": self.bias,
                "standard_error": self.standard_error,
                "low": self.interval.low,
                "high": self.interval.high,
                "confidence_level": self.interval.confidence_level,
                "side": self.interval.side,
                "n_cases": self.n_cases,
                "n_units": self.n_units,
                "n_resamples": self.n_resamples,
                "n_valid": self.n_valid,
            }
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import statistic_table

        units = "" if self.n_units == self.n_cases else f" in {self.n_units} groups"
        drawn = "" if self.n_resamples is None else f", {self.n_resamples} resamples"
        codes = sorted({caution.code for caution in self.cautions})
        remarks = f"; cautions: {', '.join(codes)}" if codes else ""
        return statistic_table(
            self.tool if self.method == self.tool else f"{self.tool}, {self.method}",
            (self.value, self.standard_error, self.bias),
            self.interval,
            note=f"n = {self.n_cases}{units}{drawn}{remarks}.",
        )

    def __repr__(self) -> str:
        """Return one line with the value, its error and its interval."""
        places, open_ended = decimals(self.standard_error, self.value), (-math.inf, math.inf)
        value, error, low, high = (
            number(x, places, open_ended)
            for x in (self.value, self.standard_error, self.interval.low, self.interval.high)
        )
        level = f"{100 * self.interval.confidence_level:.10g} %"
        ends = {"lower": f"lower bound {low}", "upper": f"upper bound {high}"}
        shown = ends.get(self.interval.side, f"interval [{low}, {high}]")
        how = self.tool if self.method == self.tool else f"{self.tool}, {self.method}"
        return f"{value}, standard error {error}, {level} {shown} ({how}, n={self.n_cases})"


def ask_at(result: StatisticResult, confidence_level: float, side: str) -> StatisticResult:
    """Return a result with the interval of a level and a side, and what is to be said of it."""
    level, end = check.check_share("confidence_level", confidence_level), side_of(side)
    if result.source is None:
        raise make_not_kept_error("the source of the limits was", "the source of an interval")
    interval = Interval(*result.source.limits(level, end), level, str(end))
    lasting = [caution for caution in result.cautions if not caution.changes_with_level]
    corrected = list(limit_remarks(result.source, level, end))
    counted = result.n_valid if result.tool == "bootstrap" else None
    rough = corrected or few_beyond(interval, counted)
    return replace(result, interval=interval, cautions=by_severity([*lasting, *rough]))


def side_of(name: str) -> Side:
    """Return the side that was asked for; a statistic has no bad end of its own."""
    return Side(check.one_of("side", name, SIDES))
