"""What a search gained, as it went on, and what every improvement of a score has."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from earnest.core.base.provenance import finite
from earnest.core.results.base import MetricResult
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale
from earnest.core.results.interval import Interval

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable

MOST = 0.9  # of the gain, which is most of it
Scores = tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Improvement(MetricResult):
    """By how much a score got better on the way, with the scores on the way and their limits.

    An improvement is positive where the score got better, for losses too. More configurations give
    a `Gain`, more training cases a `LearningCurve`.
    """

    value: float
    interval: Interval | None
    standard_error: float | None
    scale: Scale
    low: Scores
    high: Scores
    n_cases: int
    confidence_level: float
    cautions: tuple[Caution, ...]
    provenance: Provenance

    @property
    def shown(self) -> bool:
        """Whether an improvement is shown at the level: the whole interval is above 0."""
        return self.interval is not None and self.interval.low > 0.0

    @property
    def lost(self) -> bool:
        """Whether a loss is shown at the level: the whole interval is below 0."""
        return self.interval is not None and self.interval.high < 0.0

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON; there are no draws in it."""
        return {
            "schema": self.schema,
            "value": finite(self.value),
            "interval": None if self.interval is None else self.interval.to_dict(),
            "standard_error": finite(self.standard_error),
            "shown": self.shown,
            **self.scale.to_dict(),
            "low": list(self.low),
            "high": list(self.high),
            "n_cases": self.n_cases,
            "confidence_level": self.confidence_level,
            "cautions": [caution.to_dict() for caution in self.cautions],
            **self.provenance.to_dict(),
        }

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the scores on the way as flat dicts, with their limits as `low` and `high`."""

    @classmethod
    def _from_parts(cls, data: Mapping[str, Any]) -> Self:
        """Make it from plain data; its own fields are read as they are, lists as tuples."""
        interval = data["interval"]
        made = {f.name: data[f.name] for f in fields(cls) if f.name not in ("scale", "provenance")}
        made = {name: tuple(one) if isinstance(one, list) else one for name, one in made.items()}
        return cls(
            **made
            | {
                "interval": None if interval is None else Interval.from_dict(interval),
                "scale": Scale.from_dict(data),
                "cautions": tuple(Caution.from_dict(one) for one in data["cautions"]),
                "provenance": Provenance.from_dict(data),
            }
        )


@dataclass(frozen=True, kw_only=True)
class Gain(Improvement):
    """What a search gained, and what it seemed to gain, had it stopped earlier or not.

    A gain is positive where the score got better, for losses too.

    Attributes
    ----------
    value : float
        By how much the winner of all configurations is expected to be better than the start: the
        first configuration tried, or in the mean over orders a configuration chosen blindly.
    interval : Interval or None
        The two-sided interval of the gain; None where there is one configuration.
    standard_error : float or None
        That of the gain.
    seeming : float
        By how much the naive score got better: what the search seemed to gain.
    scale : Scale
        The metric.
    order : str
        'tried', or 'mean' for the mean over all orders.
    naive, corrected : tuple of float or None
        For k = 1 to C, the naive and the corrected score of the winner of the first k
        configurations; None where the metric is undefined.
    marks : tuple of int
        The numbers of configurations at which the corrected score has limits.
    low, high : tuple of float or None
        Those limits, at each mark for itself.
    first, winner : str or None
        The configuration tried first, None in the mean over orders, and the winner of all.
    n_cases, n_configs, n_resamples : int
        What it stands on.
    confidence_level : float
        That of the interval and of the limits.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.
    units : {'cases', 'items'}
        What it is about: cases that models predicted, or items that were scored.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(1)
    >>> y = np.tile([0, 1], 100)
    >>> skill = np.linspace(0.4, 1.6, 30)
    >>> scores = skill * y[:, None] + 1.5 * rng.standard_normal((200, 30))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(200) // 2 % 10)
    >>> found = en.gain(pi, metric="roc_auc", rng=0)
    >>> found
    roc_auc gain 0.24, 95 % interval [0.13, 0.38], seemingly 0.27 (30 configs as tried, n=200)
    >>> found.configurations_for_most, found.plateau
    (23, False)
    """

    schema: ClassVar[str] = "earnest/gain/1"
    called: ClassVar[str] = "a gain"

    seeming: float
    order: str
    naive: Scores
    corrected: Scores
    marks: tuple[int, ...]
    first: str | None
    winner: str | None
    n_configs: int
    n_resamples: int
    units: str = "cases"

    @property
    def configurations_for_most(self) -> int | None:
        """After how many configurations nine tenths of the gain were there; None without a gain."""
        start = next((score for score in self.corrected if score is not None), None)
        if self.value <= 0.0 or start is None:
            return None
        sign = 1.0 if self.scale.greater_is_better else -1.0
        for k, score in enumerate(self.corrected, start=1):
            if score is not None and sign * (score - start) >= MOST * self.value:
                return k
        return self.n_configs

    @property
    def plateau(self) -> bool:
        """Whether most of the gain, if any is shown, came in the first half of the search."""
        most = self.configurations_for_most
        return not self.shown or most is None or 2 * most <= self.n_configs

    def width_with(self, times: float) -> float | None:
        """Return half the width of the last limits with so many times the cases.

        Widths shrink by the square root of the number of cases. That is all that predictions can
        tell of more cases: how much better models get by training on them, they cannot.
        """
        low, high = self.low[-1], self.high[-1]
        if low is None or high is None:
            return None
        return (high - low) / 2.0 / math.sqrt(times)

    def to_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return plain data with a schema version, ready for JSON; there are no draws in it."""
        return {
            **super().to_dict(draws=draws),
            "seeming": finite(self.seeming),
            "configurations_for_most": self.configurations_for_most,
            "plateau": self.plateau,
            "order": self.order,
            "naive": list(self.naive),
            "corrected": list(self.corrected),
            "marks": list(self.marks),
            "first": self.first,
            "winner": self.winner,
            "units": self.units,
            "n_configs": self.n_configs,
            "n_resamples": self.n_resamples,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the curves as flat dicts, one a mark."""
        return [
            {
                "configurations": k,
                "naive": self.naive[k - 1],
                "corrected": self.corrected[k - 1],
                "low": low,
                "high": high,
            }
            for k, low, high in zip(self.marks, self.low, self.high, strict=True)
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import gain_table

        return gain_table(self)

    def summary(self) -> str:
        """Return what the search gained, in a few sentences, and what to do next."""
        from earnest.core.text.gain import advice, confidence, headline

        return " ".join([headline(self), confidence(self), *advice(self)])

    def plot(self, ax: Any = None) -> Any:
        """Draw both curves, and return the matplotlib Axes."""
        from earnest.plotting.figures.gain import plot_gain

        return plot_gain(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.gain import line

        return line(self)
