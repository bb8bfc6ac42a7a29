"""What a comparison is made of: the difference, its interval, its p-value, its meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.provenance import JsonObject
from earnest.core.cautions import of_limits, of_search
from earnest.core.data.order import Dependence
from earnest.core.results.base import FLAT, OPTIONAL, MetricResult, Plain
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.estimate import SOURCE, Provenance, Scale, by_severity, few_beyond
from earnest.core.results.interval import (
    Interval,
    KeptLimits,
    LimitSource,
    make_not_kept_error,
    open_side,
    tail_of,
)
from earnest.core.results.specs import ComparisonEstimand, Evidence, Side
from earnest.core.results.subgroups import Subgroups
from earnest.core.text.cleaning import clean_line
from earnest.core.text.comparison import (
    chance_words,
    decision,
    interval_words,
    outcome_words,
)
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.plotting.figures.comparisons import Axes


class Alternative(StrEnum):
    """What a test tries to show of the difference a - b."""

    TWO_SIDED = "two-sided"
    LESS = "less"
    GREATER = "greater"

    @property
    def side(self) -> Side:
        """The side of the interval that goes with it: 'less' bounds the difference from above."""
        return _SIDES[self]

    @classmethod
    def of(cls, value: Alternative | str) -> Alternative:
        """Make an alternative from a checked argument."""
        return cls(check.one_of("alternative", str(value), [str(each) for each in cls]))


_SIDES = {
    Alternative.TWO_SIDED: Side.TWO_SIDED,
    Alternative.LESS: Side.UPPER,
    Alternative.GREATER: Side.LOWER,
}


@dataclass(frozen=True)
class ExactLimits(KeptLimits, kind="exactly"):
    """The limits of a difference that is known: both are its value."""

    value: float

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the value twice, infinite at an open end."""
        return open_side(self.value, self.value, side)


@dataclass(frozen=True, eq=False)
class FlippedLimits(KeptLimits, kind="flips"):
    """Limits by inverting a sign-flip test: order statistics of the means of flipped subsets.

    A shift d is rejected upward by as many sign patterns as have a mean of the flipped cases of d
    or less, so the limits are order statistics of those means (Hartigan 1969). With m of them and
    k = floor(tail * (m + 1)) the lower limit is the k-th smallest: it excludes 0 exactly where the
    p-value, (1 + count) / (1 + m), is at most the tail. With k = 0 there is no limit.
    """

    means: NDArray[np.float64] | None = None

    def limits(self, confidence_level: float, side: Side) -> tuple[float, float]:
        """Return the limits, infinite at an open end and where there are too few means."""
        if self.means is None:
            raise make_not_kept_error(
                "the sign flips of this comparison were", "the flips that an interval is read from"
            )
        ordered = np.sort(self.means)
        rank = math.floor(tail_of(confidence_level, side) * (len(ordered) + 1) + 1e-9)
        if rank < 1:
            return -math.inf, math.inf
        return open_side(float(ordered[rank - 1]), float(ordered[-rank]), side)


def difference_limits(scale: Scale) -> tuple[float, float]:
    """Return the range of a difference of two values of a metric.

    Examples
    --------
    >>> from earnest.core.results.comparison import difference_limits
    >>> from earnest.core.results.estimate import Scale
    >>> difference_limits(Scale("roc_auc", True, (0.0, 1.0)))
    (-1.0, 1.0)
    """
    width = scale.limits[1] - scale.limits[0]
    return -width, width


def make_difference_interval(
    source: LimitSource | None, level: float, alternative: Alternative, scale: Scale
) -> Interval | None:
    """Return the interval of a difference that a source gives, inside its range."""
    if source is None:
        return None
    low, high = source.limits(level, alternative.side)
    least, most = difference_limits(scale)
    low, high = (min(max(end, least), most) for end in (low, high))
    return Interval(low, high, level, str(alternative.side))


def alpha_of(confidence_level: float) -> float:
    """Return 1 - level without the rounding that makes 1 - .95 a little more than .05."""
    return round(1.0 - confidence_level, 12)


@dataclass(frozen=True)
class Probabilities(Plain):
    """What a posterior says: a better, practically equal, b better; they sum to 1."""

    a_better: float
    equivalent: float
    b_better: float
    rope: float


@dataclass(frozen=True, kw_only=True)
class Comparison(MetricResult):
    """A comparison of two configurations on the same cases, which names what it compares.

    Attributes
    ----------
    a, b : str
        The configurations.
    difference : float
        metric(a) - metric(b), in the metric's own units.
    value_a, value_b : float
        The metric of each, as the test measures it: naive scores, not corrected for choosing the
        better one; `estimate` corrects that of the winner.
    standard_error : float or None
        Of the difference; None if the test has none.
    interval : Interval or None
        Of the difference; one-sided for a one-sided alternative.
    alternative : str
        What the test tries to show: 'two-sided', 'less' (difference < 0) or 'greater'.
    confidence_level : float
        The level of the interval; the decision is made at 1 minus it.
    statistic, p_value : float or None
        The test's own statistic, and the p-value of the alternative; None for a Bayesian test.
    p_values : mapping
        The p-value of every alternative.
    probabilities : Probabilities or None
        What a Bayesian test says instead of a p-value.
    least_p : float or None
        The smallest one-sided p-value that the test can give on as many cases, if it has one.
    best_of : int or None
        How many configurations the table has, if a or b is the best of it; None if neither is, or
        if there are no others.
    p_at_once : mapping or None
        With `best_of`: the p-value of every alternative that holds for all pairs of the table at
        once, even though its best is compared; `p_simultaneous` is that of the
        alternative.
    test, metric : str
        How, and in what.
    estimand : ComparisonEstimand
        What the difference is of: of learners, or of the models of these folds.
    n_cases, n_resamples, n_valid : int
        What it is based on; `n_valid` resamples had a defined value. Of scores of folds the cases
        are folds.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.
    evidence : Evidence or None
        'scores of folds' where these were all there was.
    subgroups : Subgroups or None
        The difference in every subgroup, where `by` was asked for.
    dependence : Dependence or None
        Of cases in time order: how much the differences of losses depend on each other, and the
        length of blocks; None where the test does not allow for it.
    source : LimitSource or None
        Where limits of any level are read from; not in the repr, not compared.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(1)
    >>> y = np.tile([0, 1], 100)
    >>> scores = y[:, None] * [2.0, 1.0] + rng.standard_normal((200, 2)) - 0.5
    >>> pi = en.Predictions.from_arrays(
    ...     y, scores, np.arange(200) // 2 % 5, configs=["svm", "tree"], response="decision"
    ... )
    >>> made = en.compare(pi, "svm", "tree", metric="accuracy")
    >>> made
    accuracy(svm) - accuracy(tree) = 0.11, 95 % interval [-0.02, 0.24], p = 0.087
    (corrected_z, n=200)
    >>> print(made.at(alternative="greater").decision.replace(chr(160), " "))
    svm is better than tree: its accuracy is 0.110 higher (with 95 % confidence the difference is
    above 0.004; p = 0.044).
    """

    schema: ClassVar[str] = "earnest/comparison/1"
    called: ClassVar[str] = "a comparison"
    derived: ClassVar[tuple[str, ...]] = ("p_value", "p_simultaneous", "decision")

    a: str
    b: str
    difference: float
    value_a: float
    value_b: float
    standard_error: float | None
    interval: Interval | None
    alternative: str
    confidence_level: float
    statistic: float | None
    p_values: Mapping[str, float] | None
    scale: Scale = field(metadata=FLAT)
    test: str
    estimand: ComparisonEstimand
    n_cases: int
    n_resamples: int | None
    n_valid: int | None
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)
    probabilities: Probabilities | None = None
    least_p: float | None = None
    best_of: int | None = None
    p_at_once: Mapping[str, float] | None = None
    evidence: Evidence | None = field(default=None, metadata=OPTIONAL)
    subgroups: Subgroups | None = field(default=None, metadata=OPTIONAL)
    dependence: Dependence | None = field(default=None, metadata=OPTIONAL)
    source: LimitSource | None = field(default=None, repr=False, compare=False, metadata=SOURCE)

    @property
    def p_value(self) -> float | None:
        """The p-value of the alternative; None for a Bayesian test."""
        return None if self.p_values is None else self.p_values[self.alternative]

    @property
    def p_simultaneous(self) -> float | None:
        """The p-value that holds though a or b was chosen for being the best of its table.

        None where neither is the best of a table, or where the test has no p-value.
        """
        return None if self.p_at_once is None else self.p_at_once[self.alternative]

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible difference."""
        return difference_limits(self.scale)

    @property
    def favours(self) -> str | None:
        """The configuration with the better value, None where they are equal."""
        if not self.difference or math.isnan(self.difference):
            return None
        return self.a if (self.difference > 0) == self.scale.greater_is_better else self.b

    @property
    def shown(self) -> bool | None:
        """Whether the test shows its alternative at the level; None for a Bayesian test.

        A difference of 0, or on the other side than the alternative has it, shows nothing, however
        low the level.
        """
        if self.p_value is None:
            return None
        directions = {"less": self.difference < 0, "greater": self.difference > 0}
        there = directions.get(self.alternative, self.difference != 0)
        return there and self.p_value <= alpha_of(self.confidence_level)

    @property
    def shown_only_if_planned(self) -> bool:
        """Whether the difference is shown only if you planned this comparison before any scores."""
        holds = self.p_simultaneous
        return bool(self.shown) and holds is not None and holds > alpha_of(self.confidence_level)

    @property
    def decision(self) -> str:
        """What can be said, in words."""
        return decision(self)

    def at(
        self,
        *,
        confidence_level: float | None = None,
        alternative: Alternative | str | None = None,
    ) -> Comparison:
        """Return the same comparison with another level or alternative, without new draws."""
        level = self.confidence_level if confidence_level is None else confidence_level
        level = check.check_share("confidence_level", level)
        wanted = Alternative.of(self.alternative if alternative is None else alternative)
        if self.p_values is not None and wanted not in self.p_values:
            raise EvidenceError(
                f"test {self.test!r} has no direction",
                needs=", ".join(arg("alternative", name) for name in self.p_values),
                got=arg("alternative", str(wanted)),
            )
        if self.source is None and self.interval is not None:
            raise EvidenceError(
                "the source of the limits was not kept",
                cure="Compute it again, or keep it with to_dict(draws=True).",
            )
        interval = make_difference_interval(self.source, level, wanted, self.scale)
        lasting = [caution for caution in self.cautions if not caution.changes_with_level]
        moved = replace(self, interval=interval, alternative=str(wanted), confidence_level=level)
        added = [*few_beyond(interval, self.n_valid), *level_remarks(moved)]
        return replace(moved, cautions=by_severity([*lasting, *added]))

    @classmethod
    def _from_parts(cls, data: JsonObject) -> Self:
        comparison = super()._from_parts(data)
        Alternative(comparison.alternative)
        _ = (
            comparison.p_value,
            comparison.p_simultaneous,
        )  # a KeyError where that of the alternative is missing
        return comparison

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the difference and its interval beside 0, and return the matplotlib Axes."""
        from earnest.plotting.figures.comparisons import plot_comparison

        return plot_comparison(self, ax)

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as one flat dict."""
        first = ("a", "b", "metric", "test", "value_a", "value_b", "difference")
        last = ("confidence_level", "alternative", "standard_error", "statistic", "p_value")
        return [
            {name: getattr(self, name) for name in first}
            | {name: getattr(self.interval, name, None) for name in ("low", "high")}
            | {name: getattr(self, name) for name in (*last, "estimand", "n_cases")}
        ]

    def _print_more(self) -> Iterator[str]:
        """Yield a line per subgroup, where they were compared."""
        if self.subgroups is not None:
            yield repr(self.subgroups)
            yield from self.subgroups._print_more()

    def __repr__(self) -> str:
        """Return one line that can be pasted in a paper."""
        pair = f"{self.metric}({self.a}) - {self.metric}({self.b})"
        words = [outcome_words(self, pair), interval_words(self), chance_words(self)]
        size = f"n={self.n_cases}" if self.evidence is None else f"{self.n_cases} folds"
        return clean_line(f"{', '.join(w for w in words if w)} ({self.test}, {size})")


def level_remarks(comparison: Comparison) -> Iterable[Caution]:
    """Yield what depends on the level: a choice that p forgets, a test that can show nothing."""
    yield from _best_of_its_table(comparison)
    least = comparison.least_p
    if least is None or comparison.p_value is None:
        return
    least = min(1.0, 2 * least if comparison.alternative == Alternative.TWO_SIDED else least)
    if least > alpha_of(comparison.confidence_level):
        yield of_limits.no_small_p(least, resampled=bool(comparison.n_resamples))


def _best_of_its_table(comparison: Comparison) -> Iterable[Caution]:
    """Yield a remark where one of the two is the best of its table; grave where it decides."""
    holds = comparison.p_simultaneous
    if comparison.best_of is None or holds is None:
        return
    yield of_search.best_of_its_table(
        comparison.favours or comparison.a, comparison.best_of, holds
    ).graded(Severity.CAUTION if comparison.shown_only_if_planned else Severity.NOTE)
