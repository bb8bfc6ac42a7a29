"""All configurations against one: the comparisons, adjusted, and how each stands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.arguments.compare import ADJUSTMENTS
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, UnknownNameError
from earnest.core.results.base import OPTIONAL, Plain, Result, check_lengths
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Alternative, Comparison, alpha_of, difference_limits
from earnest.core.results.estimate import by_severity
from earnest.core.results.interval import Interval, make_not_kept_error, open_side
from earnest.core.results.specs import ComparisonEstimand, Side, Standing
from earnest.core.text.cleaning import clean_line
from earnest.core.text.comparison import p_words, scope_words

if TYPE_CHECKING:
    from earnest.plotting.figures.comparisons import Axes

MOST_LINES = 10  # of the repr
NEAR = 1e-9  # relative; a statistic that is nearer to a drawn one is equal to it


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimFamily(Plain):
    """The comparisons about which claims are made at once, and how far the worst of them errs.

    A difference d with standard error s is measured by |d| / sqrt(s² + d²/units), which no few
    units can make large, and judged by the distribution of the largest such error over the
    family. What it shows of any member then holds for all of them at once, and so for one that was
    chosen by looking at the data. Without that distribution, or where a difference has no spread,
    Bonferroni's rule takes its place.

    Attributes
    ----------
    size : int
        How many comparisons there are: those of all pairs, or those with one that was fixed in
        advance.
    units : int
        The independent units that the errors are made of.
    largest : ndarray, shape (B,), or None
        Draws of the largest standardised error; None if unknown or not kept.
    known : tuple of float, or None
        A confidence level and the largest error at it, which is kept where the draws are not.
    """

    size: int
    units: int
    largest: NDArray[np.float64] | None = None
    known: tuple[float, float] | None = None

    def p_value(
        self, comparison: Comparison, alternative: Alternative | str | None = None
    ) -> float:
        """Return the p-value of a comparison that holds for the whole family, 1 without one."""
        wanted = str(comparison.alternative if alternative is None else alternative)
        p_value = None if comparison.p_values is None else comparison.p_values.get(wanted)
        if p_value is None:
            return 1.0
        if not self._is_joint or not comparison.standard_error:
            return min(1.0, self.size * p_value)
        if self.largest is None:
            raise _make_not_kept_error("a p-value")
        turned = {"greater": comparison.difference, "less": -comparison.difference}
        error = math.hypot(comparison.standard_error, comparison.difference / math.sqrt(self.units))
        statistic = turned.get(wanted, abs(comparison.difference)) / error
        beyond = int((self.largest >= statistic - NEAR * abs(statistic)).sum())
        return min(1.0, max(p_value, self.least_p, (1 + beyond) / (len(self.largest) + 1)))

    @property
    def least_p(self) -> float:
        """The least p-value: the chance that all units point one way by luck."""
        return float(0.5 ** (self.units - 1))

    def interval(self, comparison: Comparison) -> Interval | None:
        """Return the interval of a difference that holds for the whole family.

        It excludes 0 exactly where `p_value` is at most 1 minus the level of the comparison.
        """
        interval, level = comparison.interval, comparison.confidence_level
        if interval is None:
            return None
        if not self._is_joint or not comparison.standard_error:
            wide = comparison.at(confidence_level=1.0 - (1.0 - level) / self.size).interval
            return None if wide is None else replace(wide, confidence_level=level)
        side, reach = Side(interval.side), self._reach(level) * comparison.standard_error
        low, high = open_side(comparison.difference - reach, comparison.difference + reach, side)
        least, most = difference_limits(comparison.scale)
        low, high = max(min(low, interval.low), least), min(max(high, interval.high), most)
        return Interval(low, high, level, interval.side)

    @property
    def _is_joint(self) -> bool:
        return self.largest is not None or self.known is not None

    def _reach(self, level: float) -> float:
        """Return how many standard errors the limits lie from the difference."""
        most = self.error_at(level) * (1.0 + NEAR)
        if most**2 >= self.units or self.least_p > alpha_of(level):
            return math.inf
        return most / math.sqrt(1.0 - most**2 / self.units)

    def error_at(self, level: float) -> float:
        """Return the size that the largest standardised error exceeds with 1 minus the level."""
        if self.largest is None:
            if self.known is None or not math.isclose(self.known[0], level):
                raise _make_not_kept_error("an interval")
            return math.inf if math.isnan(self.known[1]) else self.known[1]  # None in a file
        rank = math.floor(alpha_of(level) * (len(self.largest) + 1) + NEAR)
        return math.inf if rank < 1 else float(np.sort(self.largest)[-rank])

    def at(self, level: float) -> ClaimFamily:
        """Return the family with its largest error at one level, which stays without the draws.

        Where they are gone already, it stays at the level that it was kept at.
        """
        if self.largest is None:
            return self
        return replace(self, known=(level, self.error_at(level)))


def _make_not_kept_error(what: str) -> EvidenceError:
    return make_not_kept_error(
        "the joint distribution of these comparisons was",
        f"the draws that {what} for all at once is read from",
    )


@dataclass(frozen=True, kw_only=True)
class Comparisons(Result):
    """One configuration against all others on the same cases.

    Attributes
    ----------
    reference : str
        The configuration that the others are compared with: `a` of every comparison.
    best : str
        The configuration with the best value on these cases.
    comparisons : tuple of Comparison
        One for each other configuration, in the given order.
    adjusted : tuple of float
        The p-value of each, adjusted for their number.
    adjust : {'simultaneous', 'holm', 'bh', 'none'}
        How.
    p_best : mapping of str to float
        For each configuration the p-value against the best here. It holds for all pairs at once,
        even though the best was found on the same cases.
    joint : bool
        Whether `p_best` uses the joint distribution of all values, or Bonferroni's rule over all
        pairs, which is more cautious.
    family : ClaimFamily
        What the comparisons hold for at once: all pairs, or those with a reference that was fixed
        in advance.
    simple_first : tuple of str or None
        The names from cheap to costly, where an order was passed.
    margin : float or None
        How much worse than the best the cheapest may score here; None without an order.
    confidence_level : float
        The level of the intervals and of the set.
    seed : int or None
        The seed of the joint distribution, or of the test; None if nothing was drawn.
    remarks : tuple of Caution
        Remarks on all comparisons together.
    cautions : tuple of Caution
        These, and those of the comparisons: what all share, and what some have.
    labels : mapping of str to str, or None
        The configurations by name, with their parameters; None where these are not known.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> better = np.column_stack([2 * y, y, y]) + np.random.default_rng(1).standard_normal((100, 3))
    >>> pi = en.Predictions.from_arrays(y, better, configs=["a", "b", "c"])
    >>> found = en.compare_many(pi, metric="roc_auc", rng=7)
    >>> found.best, found.not_worse
    ('a', ('a',))
    """

    schema: ClassVar[str] = "earnest/comparisons/1"
    called: ClassVar[str] = "a table of comparisons"
    derived: ClassVar[tuple[str, ...]] = (
        *("standings", "not_worse", "cheapest", "decision", "cautions"),
    )

    reference: str
    best: str
    comparisons: tuple[Comparison, ...]
    adjusted: tuple[float, ...]
    adjust: str
    p_best: Mapping[str, float]
    joint: bool
    family: ClaimFamily = field(repr=False, compare=False)
    simple_first: tuple[str, ...] | None
    confidence_level: float
    seed: int | None = None
    remarks: tuple[Caution, ...] = ()
    labels: Mapping[str, str] | None = field(default=None, metadata=OPTIONAL)
    margin: float | None = field(default=None, metadata=OPTIONAL)

    def _check_parts(self) -> None:
        super()._check_parts()
        check_lengths(self.comparisons, self.adjusted)
        named = {
            self.best,
            *(name for comparison in self.comparisons for name in (comparison.a, comparison.b)),
        }
        ranked = self.p_best if self.simple_first is None else self.simple_first
        if not named <= set(self.p_best) or len(self.p_best) < 2 or self.best not in ranked:
            raise ValueError("the names of the configurations differ from part to part")
        if self.adjust not in ADJUSTMENTS:
            raise ValueError(f"{check.show(self.adjust)} is not an adjustment")

    @property
    def estimand(self) -> ComparisonEstimand:
        """What the differences are of: of learners, or of the models of these folds."""
        return self.comparisons[0].estimand

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to be careful about: of all comparisons together, of each, and of some."""
        shared = [
            caution
            for caution in self.comparisons[0].cautions
            if all(caution in comparison.cautions for comparison in self)
        ]
        return by_severity([*self.remarks, *shared, *self._list_of_some(shared)])

    def _list_of_some(self, shared: list[Caution]) -> Iterator[Caution]:
        """Yield for each kind a caution that some comparisons have, with whom it is about."""
        by_kind: dict[str, tuple[Caution, list[str]]] = {}
        for comparison, _ in self.ranked():
            for caution in comparison.cautions:
                if caution not in shared:
                    names = by_kind.setdefault(caution.kind, (caution, []))[1]
                    names += [] if comparison.b in names[-1:] else [comparison.b]
        for caution, names in by_kind.values():
            yield replace(caution, against=tuple(names))

    @property
    def standings(self) -> dict[str, Standing]:
        """How every configuration stands against the best, which `p_best` decides."""
        alpha = alpha_of(self.confidence_level)
        return {
            name: Standing.BEST
            if name == self.best
            else Standing.NOT_WORSE
            if p > alpha
            else Standing.WORSE
            for name, p in self.p_best.items()
        }

    @property
    def not_worse(self) -> tuple[str, ...]:
        """The best configuration, and those not shown to be worse."""
        standings = self.standings.items()
        return tuple(name for name, standing in standings if standing is not Standing.WORSE)

    @property
    def cheapest(self) -> str | None:
        """The cheapest that may be the best and scores within the margin of it.

        The best itself, if no other does; None where no order was passed.
        """
        if self.simple_first is None:
            return None
        near = {name for name in self.not_worse if self._find_shortfall(name) <= (self.margin or 0)}
        return next(name for name in self.simple_first if name in near or name == self.best)

    def _find_shortfall(self, name: str) -> float:
        """Return by how much a configuration scores worse here than the best."""
        behind = {comparison.b: _shortfall(comparison) for comparison in self}
        return behind.get(name, 0.0) - behind.get(self.best, 0.0)

    @property
    def decision(self) -> str:
        """What can be said of all of them, in words."""
        others = [name for name in self.p_best if name != self.best]
        not_worse = [name for name in self.not_worse if name != self.best]
        if not not_worse:
            whom = f"all {len(others)} others" if len(others) > 1 else others[0]
            words = f"{self.best} is better than {whom}"
        else:
            who = f"{len(not_worse)} of {len(others)} others" if len(others) > 1 else not_worse[0]
            verb = "is" if len(not_worse) == 1 else "are"
            words = f"{who} {verb} {Standing.NOT_WORSE} than {self.best}"
        named = self.cheapest not in (None, self.best)
        words += f"; {self._name_cheapest()}." if named else "."
        return f"{words}{scope_words(self.comparisons[0])}"

    def _name_cheapest(self) -> str:
        if not self.margin:
            return f"the cheapest of them is {self.cheapest}"
        return f"the cheapest that scores at most {self.margin:.2g} worse is {self.cheapest}"

    def __len__(self) -> int:
        """Count the comparisons."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        """Iterate over the comparisons."""
        return iter(self.comparisons)

    def __getitem__(self, name: str) -> Comparison:
        """Return the comparison with a configuration."""
        for comparison in self.comparisons:
            if comparison.b == name:
                return comparison
        names = [comparison.b for comparison in self.comparisons]
        raise UnknownNameError(
            f"there is no comparison with {check.show(name)}",
            needs=check.some(names),
            cure=check.nearest(str(name), names),
        )

    def interval_at_once(self, name: str) -> Interval | None:
        """Return the interval of the comparison with a configuration that holds for all at once.

        Where the reference is the best here, or looked best when it was chosen, only this one
        holds: the interval of the single comparison knows nothing of the choice.
        """
        return self.family.interval(self[name])

    def as_shown(self) -> tuple[Comparisons, bool]:
        """Return the comparisons with the intervals that belong to their adjusted p-values.

        And whether these hold for all at once. A table or picture of several shows these: the bar
        of a single comparison would contradict its verdict.
        """
        if self.adjust != "simultaneous" or len(self) < 2:
            return self, False
        wide = tuple(
            replace(comparison, interval=self.family.interval(comparison)) for comparison in self
        )
        return replace(self, comparisons=wide), True

    def at(
        self,
        *,
        confidence_level: float | None = None,
        alternative: Alternative | str | None = None,
    ) -> Comparisons:
        """Return the same with another level or alternative, without new draws."""
        moved = tuple(
            comparison.at(confidence_level=confidence_level, alternative=alternative)
            for comparison in self.comparisons
        )
        level = self.confidence_level if confidence_level is None else float(confidence_level)
        same = [comparison.alternative for comparison in moved] == [
            comparison.alternative for comparison in self
        ]
        return replace(
            self,
            comparisons=moved,
            adjusted=self.adjusted if same else adjust_all(moved, self.adjust, self.family),
            family=self.family.at(level),
            confidence_level=level,
        )

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers of each comparison as flat dicts."""
        standings = self.standings
        return [
            {
                **comparison.rows()[0],
                "p_adjusted": p,
                "p_best": self.p_best[comparison.b],
                "not_worse": standings[comparison.b] is not Standing.WORSE,
            }
            for comparison, p in zip(self.comparisons, self.adjusted, strict=True)
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the reference against the others, and return the matplotlib Axes."""
        from earnest.plotting.figures.comparisons import plot_comparisons

        return plot_comparisons(self, ax)

    def ranked(self) -> list[tuple[Comparison, float]]:
        """Return the comparisons with their adjusted p-values, the nearest rival first."""
        pairs = list(zip(self.comparisons, self.adjusted, strict=True))
        return sorted(pairs, key=lambda pair: _shortfall(pair[0]))

    def __repr__(self) -> str:
        """Return the decision, and a line for each of the nearest rivals."""
        lines, standings = [clean_line(self.decision)], self.standings
        for comparison, p in self.ranked()[:MOST_LINES]:
            standing = standings[comparison.b]
            lines.append(f"{comparison!r}, adjusted {p_words(p)}: {standing}")
        more = len(self.comparisons) - MOST_LINES
        return "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])


def adjust_all(
    comparisons: tuple[Comparison, ...], how: str, family: ClaimFamily
) -> tuple[float, ...]:
    """Return the p-value of each comparison, adjusted for all that is claimed at once."""
    if how == "simultaneous":
        return tuple(family.p_value(comparison) for comparison in comparisons)
    return tuple(adjusted([p_of(comparison) for comparison in comparisons], how))


def adjusted(p_values: ArrayLike, how: str) -> list[float]:
    """Return p-values adjusted for their number.

    Parameters
    ----------
    how : {'holm', 'bh', 'none'}
        Holm's step-down (any wrong claim, whatever the dependence), the false discovery rate of
        Benjamini and Hochberg (the share of wrong claims), or not at all.

    Examples
    --------
    >>> from earnest.core.results.comparison_table import adjusted
    >>> adjusted([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    >>> [round(p, 3) for p in adjusted([0.01, 0.04, 0.03], "bh")]
    [0.03, 0.04, 0.04]
    """
    check.one_of("adjust", how, ADJUSTMENTS[1:])
    p = np.asarray(p_values, dtype=np.float64)
    if how == "none" or len(p) == 0:
        return [float(each) for each in p]
    order = np.argsort(p, kind="stable")
    steps = _holm(p[order]) if how == "holm" else _benjamini_hochberg(p[order])
    out = np.empty(len(p))
    out[order] = np.minimum(steps, 1.0)
    return [float(each) for each in out]


def _holm(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    left = np.arange(len(ordered), 0, -1)
    return np.maximum.accumulate(left * ordered)


def _benjamini_hochberg(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks = np.arange(1, len(ordered) + 1)
    return np.minimum.accumulate((len(ordered) / ranks * ordered)[::-1])[::-1]


def p_of(comparison: Comparison) -> float:
    """Return the p-value of a comparison, 1 where it has none."""
    return 1.0 if comparison.p_value is None else comparison.p_value


def _shortfall(comparison: Comparison) -> float:
    return comparison.difference if comparison.scale.greater_is_better else -comparison.difference
