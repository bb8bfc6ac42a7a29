"""What `calibrate` returns: how often limits held a known truth, with exact tests of it.

The protocol is that of Paraschakis et al. 2024: the inclusion of limits, tested by an exact
binomial test against their level, and their tightness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from scipy.special import bdtr, bdtrc

from earnest.core.results.base import FLAT, MetricResult, Plain
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Refusal, Scale
from earnest.core.text.numbers import percent

if TYPE_CHECKING:
    from earnest.core.text.paper import PaperTable
    from earnest.plotting.figures.inclusion import Axes

FAILING = 0.025  # level of the test that limits fail: a method has at most two kinds of limits
HOLDING = 0.05  # level of the test that they hold
TOLERATED = 1.5  # times the misses of the level that limits which hold may have
LIMITS_OF_THE_ANSWER = (
    "The simulated studies draw the cases of these predictions again. So they cannot show errors "
    "that no case has had yet, nor what another training set would have given: the truth is that "
    "of the models of these folds, taken together. How far the configurations differ is taken "
    "from the scores that you saw, with the luck of the winners taken out."
)


class Holding(StrEnum):
    """What the simulated studies show of limits."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "too few simulations to tell"
    NO_LIMITS = "gives no limits"


@dataclass(frozen=True)
class Inclusion(Plain):
    """How often limits of one kind held the truth.

    Attributes
    ----------
    side : str
        Which ends the limits have.
    confidence_level : float
        How often they should hold.
    count : int
        The simulated studies in which there were limits.
    below, above : int
        Those in which the truth lay below the lower limit, and above the upper one.
    tightness, tightness_error : float
        The mean distance of the limit from the truth, or the mean width of an interval, and the
        standard error of this mean.
    """

    derived: ClassVar[tuple[str, ...]] = ("share", "standard_error", "p_value", "verdict")

    side: str
    confidence_level: float
    count: int
    below: int
    above: int
    tightness: float
    tightness_error: float

    def __post_init__(self) -> None:
        """Refuse counts that no studies have."""
        if min(self.below, self.above) < 0 or self.missed > self.count or self.count < 1:
            raise ValueError(f"{self.missed} of {self.count} studies")

    @property
    def missed(self) -> int:
        """In how many studies the truth lay beyond a limit."""
        return self.below + self.above

    @property
    def held(self) -> int:
        """In how many studies the truth lay within."""
        return self.count - self.missed

    @property
    def share(self) -> float:
        """The inclusion: the share of studies in which the limits held."""
        return self.held / self.count

    @property
    def standard_error(self) -> float:
        """The binomial standard error of the share, also where every study held.

        The root of the variance of a share of which nothing was known before: a beta law with one
        success and one failure added. The plain formula would give 0 where nothing was missed.
        """
        share = (self.held + 1) / (self.count + 2)
        return math.sqrt(share * (1.0 - share) / (self.count + 3))

    @property
    def p_value(self) -> float:
        """The chance of so many misses or more if the limits hold as often as they should.

        Exact and one-sided; small where they hold too seldom.
        """
        if not self.missed:
            return 1.0
        return float(bdtrc(self.missed - 1, self.count, 1.0 - self.confidence_level))

    @property
    def verdict(self) -> Holding:
        """Whether the limits hold, by exact tests.

        They hold where it is shown at 95 % that they miss at most half again as often as they may:
        at a level of 95 %, in at most 7.5 %. They do not where it is shown at 97.5 % that they miss
        more often than they may.
        """
        tolerated = min(TOLERATED * (1.0 - self.confidence_level), 1.0)
        if float(bdtr(self.missed, self.count, tolerated)) <= HOLDING:
            return Holding.HOLDS
        return Holding.FAILS if self.p_value <= FAILING else Holding.UNDECIDED


@dataclass(frozen=True)
class MethodInclusion(Plain):
    """What one method said in the simulated studies.

    Attributes
    ----------
    method : str
        The method.
    limits : tuple of Inclusion
        Its limits: those that were asked for, and beside an interval the pessimistic bound. Empty
        where it gives none.
    value, truth : float
        The mean of its values, and of the true scores that they were about.
    bias, bias_error : float
        The mean of value minus truth, positive where the value is too good, and its standard error.
    count, refused : int
        The studies that it answered, and those that it could not.
    """

    derived: ClassVar[tuple[str, ...]] = ("verdict",)

    method: str
    limits: tuple[Inclusion, ...]
    value: float
    truth: float
    bias: float
    bias_error: float
    count: int
    refused: int

    @property
    def verdict(self) -> Holding:
        """Whether all its limits hold."""
        verdicts = {inclusion.verdict for inclusion in self.limits}
        if not verdicts:
            return Holding.NO_LIMITS
        if Holding.FAILS in verdicts:
            return Holding.FAILS
        return Holding.HOLDS if verdicts == {Holding.HOLDS} else Holding.UNDECIDED


@dataclass(frozen=True, kw_only=True)
class Inclusions(MetricResult):
    """How often the limits of methods hold for data like yours, by simulation.

    Attributes
    ----------
    methods : tuple of MethodInclusion
        One for each method, in the requested order.
    refused : mapping of str to Refusal
        The methods that could not be held against a truth, and why.
    confidence_level : float
        How often limits should hold.
    side : str
        Which ends were asked for.
    n_simulations : int
        The simulated studies.
    n_cases, n_configs : int
        The size of each.
    best : float
        The best true score of a configuration in the population.
    luck : float
        How much better the winners of your predictions look there than in the population.
    scale, cautions, provenance
        As of every result.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = 0.5 * y[:, None] + rng.standard_normal((80, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(80) // 2 % 5)
    >>> checked = en.calibrate(
    ...     pi, metric="roc_auc", methods="bbc", n_simulations=40, n_resamples=100, rng=0
    ... )
    >>> [(inclusion.side, inclusion.count) for inclusion in checked["bbc"].limits]
    [('two-sided', 40), ('lower', 40)]
    """

    schema: ClassVar[str] = "earnest/inclusions/1"
    called: ClassVar[str] = "a check of intervals"
    derived: ClassVar[tuple[str, ...]] = ("sentence", "about")

    scale: Scale = field(metadata=FLAT)
    methods: tuple[MethodInclusion, ...]
    refused: Mapping[str, Refusal]
    confidence_level: float
    side: str
    n_simulations: int
    n_cases: int
    n_configs: int
    best: float
    luck: float
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)

    def __getitem__(self, method: str) -> MethodInclusion:
        """Return what a method said."""
        return next(row for row in self.methods if row.method == method)

    @property
    def sentence(self) -> str:
        """What the first method's limits did, in words."""
        first = self.methods[0]
        studies = f"{self.n_simulations:,} simulated studies"
        if not first.limits:
            return f"{first.method} gives no limits that could hold in {studies}."
        limits = first.limits[0]
        word = "interval" if limits.side == "two-sided" else f"{limits.side} limit"
        held = f"held the truth in {_write_share(limits)} of {studies} like yours"
        return f"The {percent(self.confidence_level)} {word} of {first.method} {held}: " + (
            f"{limits.verdict}."
        )

    @property
    def about(self) -> str:
        """What the simulated studies cannot show."""
        return LIMITS_OF_THE_ANSWER

    def _check_parts(self) -> None:
        super()._check_parts()
        if not self.methods:
            raise ValueError("a check of intervals is of one method at least")

    def rows(self) -> list[dict[str, Any]]:
        """Return the inclusions as flat dicts, one for each method and kind of limits."""
        return [
            {
                "method": row.method,
                "limits": None if inclusion is None else inclusion.side,
                "inclusion": None if inclusion is None else inclusion.share,
                "standard_error": None if inclusion is None else inclusion.standard_error,
                "p_value": None if inclusion is None else inclusion.p_value,
                "tightness": None if inclusion is None else inclusion.tightness,
                "bias": row.bias,
                "bias_error": row.bias_error,
                "verdict": str(Holding.NO_LIMITS if inclusion is None else inclusion.verdict),
            }
            for row in self.methods
            for inclusion in (row.limits or (None,))
        ]

    def _to_table(self) -> PaperTable:
        from earnest.core.text.paper import PaperTable

        heads = ("method", "limits", "held", "exact p", "tightness", "bias", "verdict")
        body = [
            (
                str(row["method"]),
                row["limits"] or "–",
                "–" if row["inclusion"] is None else _write_rate(row),
                "–" if row["p_value"] is None else f"{row['p_value']:.2g}",
                "–" if row["tightness"] is None else f"{row['tightness']:.3f}",
                f"{row['bias']:+.3f}",
                str(row["verdict"]),
            )
            for row in self.rows()
        ]
        note = f"{self.sentence} {self.about}"
        return PaperTable(heads, tuple(body), note)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often limits held beside their level, and return the matplotlib Axes."""
        from earnest.plotting.figures.inclusion import plot_inclusions

        return plot_inclusions(self, ax)

    def __repr__(self) -> str:
        """Return one line."""
        level = percent(self.confidence_level)
        verdicts = ", ".join(f"{row.method} {row.verdict}" for row in self.methods)
        return (
            f"{self.metric} at {level}: {verdicts} ({self.n_simulations} simulated studies, "
            f"{self.n_configs} configs, n={self.n_cases})"
        )


def _write_share(inclusion: Inclusion) -> str:
    error = 100 * inclusion.standard_error
    return f"{100 * inclusion.share:.1f} % (± {error:.1f})"


def _write_rate(row: Mapping[str, Any]) -> str:
    return f"{100 * row['inclusion']:.1f} % ± {100 * row['standard_error']:.1f}"
