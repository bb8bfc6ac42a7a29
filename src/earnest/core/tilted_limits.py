"""Limits from tilts: how far the cases must be reweighted until the estimate is a surprise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest.core.cautions import Caution
from earnest.core.errors import EvidenceError
from earnest.core.intervals import LimitSource, opened, source_from_dict, tail_of
from earnest.core.specs import Side

FEW_EFFECTIVE = 20.0  # weighted resamples under which a tilted limit is mostly chance
LEAST = 1e-300  # what a tail of 0 counts as on the scale of logarithms


@dataclass(frozen=True, eq=False)
class TailCurve:
    """One end of an interval as a function of the tail beyond it, from the estimate outwards.

    Parameters
    ----------
    tails : ndarray, shape (K,)
        How likely a value as good (or as bad) as the estimate is under each tilt; never rising.
    ends : ndarray, shape (K,)
        The metric under each tilt; `ends[0]` is the estimate.
    effective : ndarray, shape (K,)
        How many resamples the weights of each tilt are worth.
    """

    tails: NDArray[np.float64]
    ends: NDArray[np.float64]
    effective: NDArray[np.float64]

    def reaches(self, tail: float) -> bool:
        """Whether tilts go far enough for a limit: to less than half the tail, as published."""
        return bool(self.tails[-1] < tail / 2)

    def place(self, tail: float) -> int:
        """Return the first tilt under which the tail is small enough."""
        small = self.tails <= tail
        return int(np.argmax(small)) if small.any() else len(self.tails) - 1

    def at(self, tail: float) -> float:
        """Return the end, between the last tilt that is too weak and the first that is not."""
        k = self.place(tail)
        if k == 0 or self.tails[k] > tail:
            return float(self.ends[k])
        before, after = (math.log(max(float(t), LEAST)) for t in self.tails[k - 1 : k + 1])
        share = (before - math.log(tail)) / (before - after)
        return float(self.ends[k - 1] + share * (self.ends[k] - self.ends[k - 1]))

    def to_dict(self) -> dict[str, list[float]]:
        """Return plain data."""
        return {
            "tails": self.tails.tolist(),
            "ends": self.ends.tolist(),
            "effective": self.effective.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, list[float]]) -> TailCurve:
        """Make a curve from plain data."""
        return cls(*(np.array(data[name]) for name in ("tails", "ends", "effective")))


@dataclass(frozen=True, eq=False)
class TiltedLimits:
    """Limits as the values under which the estimate would be just too good, or just too bad.

    Where no tilt goes as far as a level asks, the `fallback` is asked, which `words` names.
    """

    low: TailCurve | None
    high: TailCurve | None
    fallback: LimitSource
    words: str
    draws: NDArray[np.float64] | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end."""
        tail = tail_of(confidence_level, side)
        low, high = self._curves()
        return opened(self._end(low, tail, 0, min), self._end(high, tail, 1, max), side)

    def _end(self, curve: TailCurve, tail: float, place: int, worse: Callable[..., float]) -> float:
        """Return one end; the rules make the end of a smaller tail lie further out always."""

        def plain(tail: float) -> float:
            side = (Side.LOWER, Side.UPPER)[place]
            return self.fallback.limits(max(1.0 - tail, 1e-9), side)[place]

        most = float(curve.tails[0])
        if tail >= most:
            return plain(tail)
        if curve.reaches(tail):
            return worse(curve.at(tail), plain(most))
        return worse(plain(tail), curve.at(2.0 * float(curve.tails[-1])), plain(most))

    def _curves(self) -> tuple[TailCurve, TailCurve]:
        if self.low is None or self.high is None:
            raise EvidenceError(
                "the tilts of this estimate were not kept",
                needs="the tilts that an interval is read from",
                cure="Compute it again, or keep them with to_dict(draws=True).",
            )
        return self.low, self.high

    def remarks(self, confidence_level: float, side: Side) -> Iterator[Caution]:
        """Yield a caution for an end that is the fallback's, or that rests on few resamples."""
        tail, (low, high) = tail_of(confidence_level, side), self._curves()
        asked = [low] * (side is not Side.UPPER) + [high] * (side is not Side.LOWER)
        missed = [curve for curve in asked if tail >= curve.tails[0] or not curve.reaches(tail)]
        if missed:
            yield infeasible(self.words)
        worth = [float(c.effective[c.place(tail)]) for c in asked if c not in missed]
        if worth and min(worth) < FEW_EFFECTIVE:
            yield Caution(
                "EN029",
                f"After weighting, a limit rests on about {max(min(worth), 1.0):.0f} resamples.",
                "Another seed may give quite another limit.",
                "Use more resamples, or a method without tilts such as 'delong'.",
            )

    def to_dict(self, *, draws: bool) -> dict[str, Any]:
        """Return plain data, with or without tilts and draws."""
        data: dict[str, Any] = {
            "kind": "tilted",
            "words": self.words,
            "fallback": self.fallback.to_dict(draws=draws),
        }
        if draws and self.low is not None and self.high is not None and self.draws is not None:
            data |= {"low": self.low.to_dict(), "high": self.high.to_dict()}
            data["draws"] = [None if math.isnan(d) else d for d in self.draws.tolist()]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TiltedLimits:
        """Make limits from plain data; without tilts they refuse to answer."""
        low, high = (
            TailCurve.from_dict(data[end]) if end in data else None for end in ("low", "high")
        )
        fallback, draws = source_from_dict(data["fallback"]), data.get("draws")
        assert fallback is not None
        kept = None if draws is None else np.array([math.nan if d is None else d for d in draws])
        return cls(low, high, fallback, data["words"], kept)


def infeasible(words: str) -> Caution:
    """Return the caution that no tilt was found, which names what was used instead."""
    return Caution(
        "EN026",
        "No tilt of the cases makes the estimate as unlikely as the level asks.",
        f"The limit is {words} instead.",
        "There are few cases, or they are separated perfectly: add cases.",
    )
