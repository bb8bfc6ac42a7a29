"""What a search gained as it went on, and what more training cases gave a learner."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from earnest.core.results.base import FLAT, OPTIONAL, MetricResult, check_lengths
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale
from earnest.core.results.interval import Interval

if TYPE_CHECKING:
    from earnest.plotting.figures.gain import Axes

MOST = 0.9  # of the gain, which is most of it
Scores = tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Improvement(MetricResult):
    """By how much a score got better on the way, with the scores on the way and their limits.

    An improvement is positive where the score got better, for losses too. More configurations give
    a `Gain`, more training cases a `LearningCurve`.
    """

    derived: ClassVar[tuple[str, ...]] = ("shown",)

    value: float
    interval: Interval | None
    standard_error: float | None
    scale: Scale = field(metadata=FLAT)
    low: Scores
    high: Scores
    n_cases: int
    confidence_level: float
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)

    @property
    def shown(self) -> bool:
        """Whether an improvement is shown at the level: the whole interval is above 0."""
        return self.interval is not None and self.interval.low > 0.0

    @property
    def lost(self) -> bool:
        """Whether a loss is shown at the level: the whole interval is below 0."""
        return self.interval is not None and self.interval.high < 0.0

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """Return the scores on the way as flat dicts, with their limits as `low` and `high`."""


@dataclass(frozen=True, kw_only=True)
class Gain(Improvement):
    """What a search gained, and what it seemed to gain, had it stopped earlier or not.

    A gain is positive where the score got better, for losses too.

    Attributes
    ----------
    value : float
        By how much the winner of all configurations is expected to be better than the start: the
        first configuration tried, or in the mean over orders a random configuration.
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
        Those limits, at each mark alone.
    first, winner : str or None
        The configuration tried first, None in the mean over orders, and the winner of all.
    n_cases, n_configs, n_resamples : int
        What it is based on.
    confidence_level : float
        That of the interval and of the limits.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.
    units : {'cases', 'items', 'folds'}
        What it is about: cases that models predicted, or items that were scored.
    n_members : int or None
        How many configurations the delivered ensemble averages. The gain is then that of the best
        single one, and the ensemble's is not in it.

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
    derived: ClassVar[tuple[str, ...]] = ("shown", "configurations_for_most", "plateau")

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
    n_members: int | None = field(default=None, metadata=OPTIONAL)

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

    def _check_parts(self) -> None:
        super()._check_parts()
        check_lengths(self.naive, self.corrected, self.n_configs)
        check_lengths(self.marks, self.low, self.high)
        if not all(1 <= mark <= self.n_configs for mark in self.marks):
            raise ValueError("a mark is not a number of configurations")

    def rows(self) -> list[dict[str, Any]]:
        """Return the curves as flat dicts, one per mark."""
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

    def summary(self) -> str:
        """Return what the search gained, in a few sentences, and what to do next."""
        from earnest.core.text.gain import word_advice, word_confidence, word_headline

        return " ".join([word_headline(self), word_confidence(self), *word_advice(self)])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both curves, and return the matplotlib Axes."""
        from earnest.plotting.figures.gain import plot_gain

        return plot_gain(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.gain import word_line

        return word_line(self)


@dataclass(frozen=True, kw_only=True)
class LearningCurve(Improvement):
    """How the score of a learner grew with the number of its training cases.

    Attributes
    ----------
    value : float
        What the last step gave: by how much all training cases are better than the largest part
        of them; positive where the score got better, for losses too.
    interval : Interval or None
        The two-sided interval of that, paired by case.
    standard_error : float or None
        That of the value.
    scale : Scale
        The metric.
    learner : str
        What was trained.
    fractions : tuple of float
        The parts of each training set, the last one 1.
    sizes : tuple of int
        How many cases a model was trained on, as a mean over folds.
    scores : tuple of float
        The cross-validated score at each size, on the same test cases.
    low, high : tuple of float or None
        The limits of each score alone.
    test : str
        The test that made the interval of the last step.
    n_cases, n_fits : int
        What it is based on.
    confidence_level : float
        That of all limits.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((120, 10))
    >>> y = X[:, 0] + rng.standard_normal(120)
    >>> made = en.learning_curve(Ridge(), X, y, metric="rmse", fractions=(0.25, 0.5, 1), rng=0)
    >>> made.sizes, made.n_fits
    ((27, 54, 108), 30)
    >>> made.shown
    True
    """

    schema: ClassVar[str] = "earnest/learning_curve/1"
    called: ClassVar[str] = "a learning curve"

    learner: str
    fractions: tuple[float, ...]
    sizes: tuple[int, ...]
    scores: tuple[float, ...]
    test: str
    n_fits: int

    def _check_parts(self) -> None:
        super()._check_parts()
        check_lengths(self.fractions, self.sizes, self.scores, self.low, self.high)
        if len(self.sizes) < 2 or min(self.sizes) < 1:
            raise ValueError("a learning curve has at least two sizes above 0")

    @property
    def times(self) -> float:
        """How many times more cases the last step had than the one before."""
        return self.sizes[-1] / self.sizes[-2]

    def rows(self) -> list[dict[str, Any]]:
        """Return the curve as flat dicts, one per size."""
        return [
            {"fraction": fraction, "training_cases": size, "score": score, "low": low, "high": high}
            for fraction, size, score, low, high in zip(
                self.fractions, self.sizes, self.scores, self.low, self.high, strict=True
            )
        ]

    def summary(self) -> str:
        """Return what the last step gave, in a few sentences."""
        from earnest.core.text.learning import word_advice, word_confidence, word_headline

        return " ".join(
            sentence
            for sentence in (word_headline(self), word_confidence(self), word_advice(self))
            if sentence
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve, and return the matplotlib Axes."""
        from earnest.plotting.figures.gain import plot_learning

        return plot_learning(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.learning import word_line

        return word_line(self)
