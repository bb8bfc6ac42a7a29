"""What an estimate is made of: the number, its interval, its meaning, and how it came about.

`Estimates` are several of them side by side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError, EvidenceError, UnknownNameError
from earnest.core.base.provenance import finite
from earnest.core.cautions import of_evidence, of_limits
from earnest.core.data.folds import TrainingSizes
from earnest.core.data.order import Dependence
from earnest.core.results.base import (
    FLAT,
    HIDDEN,
    OPTIONAL,
    MetricResult,
    Plain,
    Result,
)
from earnest.core.results.cautions import Caution, Scope, Severity
from earnest.core.results.interval import (
    Ask,
    Interval,
    LimitSource,
    NormalLimits,
    limit_remarks,
)
from earnest.core.results.scale import CaseWeighting
from earnest.core.results.scale import Provenance as Provenance
from earnest.core.results.scale import Scale as Scale
from earnest.core.results.specs import AgainstChance, Evidence, Guide, Selection, Side
from earnest.core.results.subgroups import Subgroups
from earnest.core.text.numbers import decimals, number
from earnest.core.text.order import word_dependence

if TYPE_CHECKING:
    from earnest.plotting.figures.estimates import Axes

LEVEL = 0.95  # of what is said of a value without an interval
ROUNDING = 1e-9  # of a score, by which a naive score that is the same may differ
SOURCE = {"key": "limits_from"}  # how plain data call the source of limits
_NOT_CORRECTED = {
    Selection.UNCORRECTED: "not corrected, ",
    Selection.BOUND_ONLY: "bound corrected, ",
}
FEW_IN_TAIL = 5  # draws beyond a limit under which the limit is rough


@dataclass(frozen=True)
class ScoreErrors:
    """Standard errors of a score and of its distances, each None where it is not known.

    Attributes
    ----------
    value : float or None
        That of the score.
    optimism : float or None
        That of the naive score minus the score, over samples and over resamples.
    gain : float or None
        That of the score minus a score that no selection made.
    """

    value: float | None = None
    optimism: float | None = None
    gain: float | None = None


@dataclass(frozen=True, kw_only=True)
class Estimate(MetricResult):
    """An estimate of performance that names what it estimates.

    Attributes
    ----------
    value, standard_error : float
        In the metric's own units. The standard error says how much the value varies from sample to
        sample, None if the method has none. It makes no interval: value ± 1.96 of them held the
        truth of the winner in 76 to 87 % of real searches.
    interval : Interval or None
        Low, high, level and side; None if the method gives no interval. It always holds the value:
        limits that draws leave on one side of it are moved up to it.
    metric, method, estimand : str
        What was measured, how, and of what.
    selection : Selection
        Whether value and limits are corrected for the choice of the winner, only the pessimistic
        limit is, nothing is, or nothing was selected.
    naive : float or None
        The score that the search itself would report for the winner.
    winner : str or None
        The name of the configuration that the number is about; None for an ensemble of several.
    winner_label : str or None
        The same with its parameters, such as 'c7: C 10, gamma 0.1'; None where they are not known.
    n_cases, n_configs, n_resamples, n_valid : int
        What it is based on; `n_valid` resamples had a defined value. `n_cases` is None where only
        scores of folds are known, and not of how many cases.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.
    training : TrainingSizes or None
        How many cases the tested models were trained on: fewest, median and most over the folds.
        None where it is not known, and where the models tested are the ones that the estimate is
        about.
    no_information : float or None
        The score of the best constant prediction, the zero point of what was learned.
    optimism_error : float or None
        The standard error of the optimism.
    ensemble : mapping of str to float, or None
        The share of each member, where an ensemble rule chose; the largest first, and 1 for a
        single configuration that the rule preferred.
    guide : Guide or None
        Which cases guided the proposals of an adaptive search, and so whether the value is
        corrected for them; None where the configurations were fixed in advance.
    evidence : Evidence or None
        'scores of folds' where these were all there was; None for predictions and the like.
    subgroups : Subgroups or None
        The score in every subgroup, where `by` was asked for.
    dependence : Dependence or None
        Of cases in time order: how much their losses depend on each other, and the length of the
        blocks that were drawn; None where the method drew none.
    weighting : CaseWeighting or None
        What the weights of the cases mean, and how many equal cases they are worth; None where all
        cases count alike.
    source : LimitSource or None
        Where limits of any level are read from; not in the repr, not compared.
    details : object
        The method's own small dataclass, or None.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> found = en.estimate(pi, metric="roc_auc", rng=7)
    >>> found
    roc_auc 0.71, 95 % interval [0.57, 0.84] (bbc, winner of 20 configs, trained on 90, n=100)
    >>> round(found.naive, 2), round(found.optimism, 2)
    (0.8, 0.09)
    >>> found.at(confidence_level=0.9, side="lower").interval.side
    'lower'
    """

    schema: ClassVar[str] = "earnest/estimate/1"
    called: ClassVar[str] = "an estimate"
    derived: ClassVar[tuple[str, ...]] = ("optimism", "optimism_interval", "against_chance")

    value: float
    interval: Interval | None
    standard_error: float | None
    scale: Scale = field(metadata=FLAT)
    method: str
    estimand: str
    selection: Selection
    naive: float | None
    winner: str | None
    n_cases: int | None
    n_configs: int
    n_resamples: int | None
    n_valid: int | None
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)
    training: TrainingSizes | None = None
    no_information: float | None = None
    optimism_error: float | None = None
    ensemble: Mapping[str, float] | None = field(default=None, metadata=OPTIONAL)
    winner_label: str | None = field(default=None, metadata=OPTIONAL)
    guide: Guide | None = field(default=None, metadata=OPTIONAL)
    evidence: Evidence | None = field(default=None, metadata=OPTIONAL)
    subgroups: Subgroups | None = field(default=None, metadata=OPTIONAL)
    dependence: Dependence | None = field(default=None, metadata=OPTIONAL)
    weighting: CaseWeighting | None = field(default=None, metadata=OPTIONAL)
    source: LimitSource | None = field(default=None, repr=False, compare=False, metadata=SOURCE)
    details: Any = field(default=None, repr=False, compare=False, metadata=HIDDEN)

    def __post_init__(self) -> None:
        """Let the interval reach the value, so that the two never contradict each other.

        A mean of skewed draws may lie beyond their quantiles: if nine in ten draws are 1, the lower
        limit at 90 % is 1 and the mean is not. Moving a limit keeps levels nested.
        """
        if (self.n_configs == 1) is not (self.selection is Selection.NOTHING_SELECTED):
            raise ValueError(f"selection {self.selection} of {self.n_configs} configurations")
        if self.interval is not None:
            object.__setattr__(self, "interval", self.interval.reaching(self.value))

    @property
    def honest(self) -> bool:
        """Whether value or limit allow for the choice of the winner, or nothing was selected."""
        return self.selection is not Selection.UNCORRECTED

    @property
    def splits(self) -> str:
        """The folds, and the repeats if there are several: '10 folds', '5 folds x 3'."""
        repeats = self.provenance.n_repeats
        return f"{self.provenance.n_folds} folds" + (f" x {repeats}" if repeats > 1 else "")

    @property
    def optimism(self) -> float | None:
        """How much too good the naive score is; positive means too good, for losses too.

        It is an estimate, see `optimism_interval`. None where no direction is better.
        """
        if self.naive is None or self.scale.ideal is not None:
            return None
        gap = self.naive - self.value
        return gap if self.scale.greater_is_better else -gap

    @property
    def optimism_interval(self) -> Interval | None:
        """The two-sided interval of the optimism at the estimate's level, None where not known.

        The optimism is an estimate too: of the bias of the naive score, over samples like this one.
        """
        if self.optimism is None or self.optimism_error is None:
            return None
        level = LEVEL if self.interval is None else self.interval.confidence_level
        source = NormalLimits(self.optimism, self.optimism_error)
        return Interval(*source.limits(level, Side.TWO_SIDED), level, str(Side.TWO_SIDED))

    @property
    def flattered(self) -> bool:
        """Whether the naive score is too good beyond what chance explains, at the level.

        By the interval of the optimism. Where that is not known the naive score must lie beyond
        the good end of the interval; without an interval it cannot be known.
        """
        if self.naive is None or self.optimism is None:
            return False
        interval = self.optimism_interval
        if interval is not None:
            return interval.low > ROUNDING * abs(self.naive)
        if self.interval is None:
            return False
        better = self.scale.greater_is_better
        return self.naive > self.interval.high if better else self.naive < self.interval.low

    @property
    def against_chance(self) -> AgainstChance | None:
        """Whether the interval lies beyond the best constant prediction, on which side.

        None without an interval, and where no constant has a score.
        """
        zero, interval = self.no_information, self.interval
        if zero is None or interval is None or self.scale.ideal is not None:
            return None
        above = interval.side != Side.UPPER and interval.low > zero
        below = interval.side != Side.LOWER and interval.high < zero
        if not above and not below:
            return AgainstChance.UNDECIDED
        better = above is self.scale.greater_is_better
        return AgainstChance.BETTER if better else AgainstChance.WORSE

    @property
    def chance_is_midway(self) -> bool:
        """Whether chance lies midway, so that what is worse would be better with labels flipped.

        It does for an AUC, and for the accuracy of equal classes; below the F1 of a constant, or an
        R² of 0, lie models that learned nothing.
        """
        zero, (low, high) = self.no_information, self.scale.limits
        return zero is not None and math.isclose(zero, (low + high) / 2, abs_tol=1e-9)

    @property
    def share_lost(self) -> float | None:
        """The optimism as a share of what the naive score is better than no information."""
        if self.optimism is None or self.naive is None or self.no_information is None:
            return None
        learned = self.naive - self.no_information
        learned = learned if self.scale.greater_is_better else -learned
        return self.optimism / learned if learned > 0 else None

    @property
    def draws(self) -> NDArray[np.float64] | None:
        """The resampled values that the interval is read from, None if there are none."""
        return None if self.source is None else self.source.draws

    def at(
        self, *, confidence_level: float | None = None, side: Side | str | None = None
    ) -> Estimate:
        """Return the same estimate with another level or side, without resampling again."""
        if self.interval is None or self.source is None:
            raise EvidenceError(
                f"method {self.method!r} gives no interval",
                cure="Use a method that does, such as 'bbc'.",
            )
        level = self.interval.confidence_level if confidence_level is None else confidence_level
        ask = Ask.of(level, self.interval.side if side is None else side)
        interval = make_interval(self.source, ask, self.scale)
        certain = replace(self, interval=interval).flattered
        lasting = [
            caution
            for caution in self.cautions
            if not caution.changes_with_level and (certain or caution.about is not Scope.OPTIMISM)
        ]
        fresh = limit_remarks(self.source, interval.confidence_level, Side(interval.side))
        moved = replace(self, interval=interval)
        rough = few_beyond(interval, self.n_valid)
        return replace(
            moved, cautions=by_severity([*lasting, *rough, *fresh, *remark_worse(moved)])
        )

    def to_metrics(self) -> dict[str, float]:
        """Return the numbers by name, such as `roc_auc`, `roc_auc_low` and `roc_auc_high`.

        It is what experiment trackers and report libraries take; what is not there is left out.
        """
        from earnest.core.text.estimate import metrics_of

        return metrics_of(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the draws, the interval and the value, and return the matplotlib Axes."""
        from earnest.plotting.figures.estimates import plot_estimate

        return plot_estimate(self, ax)

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as one flat dict."""
        interval = self.interval
        ends = ("low", "high", "confidence_level", "side")
        first = ("method", "metric", "value")
        last = ("standard_error", "naive", "optimism", "winner", "estimand", "n_cases", "n_configs")
        return [
            {name: getattr(self, name) for name in first}
            | {name: getattr(interval, name, None) for name in ends}
            | {name: getattr(self, name) for name in (*last, "n_resamples", "n_valid")}
        ]

    def _print_more(self) -> Iterator[str]:
        """Yield the winner by its parameters, where they are known."""
        if self.winner_label is not None:
            yield f"winner {self.winner_label}"
        if self.dependence is not None:
            yield f"in time: {word_dependence(self.dependence)}"
        if self.subgroups is not None:
            yield repr(self.subgroups)
            yield from self.subgroups._print_more()

    def __repr__(self) -> str:
        """Return one line that can be pasted in a paper."""
        places = decimals(self.standard_error, self.value)
        words = f"{self.metric} {number(self.value, places, self.scale.limits)}"
        if self.interval is not None:
            words += ", " + self.interval.words(places, self.scale.limits)
        of = f"winner of {self.n_configs} configs, " if self.n_configs > 1 else ""
        if self.ensemble is not None and len(self.ensemble) > 1:
            of = f"ensemble of {len(self.ensemble)} of {self.n_configs} configs, "
        of += _NOT_CORRECTED.get(self.selection, "")
        trained = "" if self.training is None else f"trained on {self.training}, "
        size = f"n={self.n_cases}" if self.evidence is None else self.splits
        if self.weighting is not None:
            size += f", weighted, worth {self.weighting.effective:.0f}"
        return f"{words} ({self.method}, {of}{trained}{size})"


def make_interval(source: LimitSource, ask: Ask, scale: Scale) -> Interval:
    """Return the interval that a source gives, inside the metric's range."""
    side = ask.resolved(scale.greater_is_better)
    low, high = source.limits(ask.confidence_level, side)
    return Interval(scale.clip(low), scale.clip(high), ask.confidence_level, str(side))


def few_beyond(interval: Interval | None, n_valid: int | None) -> Iterator[Caution]:
    """Yield a caution where too few draws lie beyond a limit."""
    if interval is None or n_valid is None:
        return
    tail = 1.0 - interval.confidence_level
    tail = tail / 2 if interval.side == Side.TWO_SIDED else tail
    if tail * n_valid < FEW_IN_TAIL:
        yield of_limits.few_beyond_limit(n_valid, FEW_IN_TAIL, int(4 * FEW_IN_TAIL / tail))


def remark_worse(estimate: Estimate) -> Iterator[Caution]:
    """Yield a caution where the whole interval is worse than a constant prediction."""
    if estimate.against_chance is AgainstChance.WORSE:
        yield of_evidence.worse_than_constant(estimate.metric, estimate.chance_is_midway)


def by_severity(cautions: Iterable[Caution]) -> tuple[Caution, ...]:
    """Return cautions before notes, each by code."""
    return tuple(sorted(cautions, key=lambda c: (c.severity is Severity.NOTE, c.code)))


def list_finite(values: Iterable[float]) -> tuple[float | None, ...]:
    """Return numbers that JSON can hold, None for NaN and infinities."""
    return tuple(finite(float(value)) for value in values)


def restore_nan(value: SupportsFloat | None) -> float:
    """Return a number that `finite` may have made None."""
    return math.nan if value is None else float(value)


@dataclass(frozen=True)
class Refusal(Plain):
    """Why a method cannot answer, in the parts of its error.

    Attributes
    ----------
    what, needs, got, cure : str
        The fault, what was expected, what was found instead, and how to fix it.

    Examples
    --------
    >>> import earnest as en
    >>> pi = en.Predictions.from_arrays([0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6])
    >>> table = en.estimate_all(pi, methods=["holdout", "cv"], metric="accuracy", rng=0)
    >>> table.refused["cv"].what
    "method 'cv' needs more folds"
    """

    what: str
    needs: str = ""
    got: str = ""
    cure: str = ""

    @classmethod
    def of(cls, error: EarnestError) -> Refusal:
        """Return the parts of an error."""
        return cls(error.what, error.needs, error.got, error.cure)

    def __str__(self) -> str:
        """Return the message of the error."""
        return str(EarnestError(self.what, needs=self.needs, got=self.got, cure=self.cure))


@dataclass(frozen=True)
class Estimates(Result):
    """Estimates by several methods on the same resamples.

    Attributes
    ----------
    estimates : tuple of Estimate
        One per method, in the requested order.
    refused : mapping of str to Refusal
        The methods that could not answer, and why.
    cautions : tuple of Caution
        Remarks that only show side by side, such as methods that disagree.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.tile([0, 1], 50)
    >>> scores = y[:, None] + 1.5 * np.random.default_rng(7).standard_normal((100, 20))
    >>> pi = en.Predictions.from_arrays(y, scores, fold=np.arange(100) // 2 % 10)
    >>> found = en.estimate_all(pi, methods=["naive", "bbc"], metric="roc_auc", rng=7)
    >>> for estimate in found:
    ...     print(estimate.method, round(estimate.value, 2))
    naive 0.8
    bbc 0.71
    """

    schema: ClassVar[str] = "earnest/estimates/1"
    called: ClassVar[str] = "a table of estimates"

    estimates: tuple[Estimate, ...]
    refused: Mapping[str, Refusal] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()

    def __len__(self) -> int:
        """Count the estimates."""
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        """Iterate over the estimates."""
        return iter(self.estimates)

    def __getitem__(self, method: str) -> Estimate:
        """Return the estimate of a method."""
        for estimate in self.estimates:
            if estimate.method == method:
                return estimate
        raise UnknownNameError(
            f"there is no estimate by {method!r}",
            needs=", ".join(estimate.method for estimate in self.estimates),
            cure=str(self.refused.get(method, "")),
        )

    def at(
        self, *, confidence_level: float | None = None, side: Side | str | None = None
    ) -> Estimates:
        """Return the same estimates with another level or side, without resampling again."""
        Ask.of(confidence_level or 0.5, side or Side.TWO_SIDED)
        moved = tuple(
            e if e.interval is None else e.at(confidence_level=confidence_level, side=side)
            for e in self.estimates
        )
        return Estimates(moved, self.refused, self.cautions)

    def rows(self) -> list[dict[str, object]]:
        """Return the main numbers as flat dicts, one per method."""
        return [row for estimate in self.estimates for row in estimate.rows()]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the estimates as a forest plot, and return the matplotlib Axes."""
        from earnest.plotting.figures.estimates import plot_estimates

        return plot_estimates(self, ax)

    def _print_more(self) -> Iterator[str]:
        """Yield the cautions of the single estimates, each once."""
        remarks = (caution for estimate in self.estimates for caution in estimate.cautions)
        yield from dict.fromkeys(f"{caution.code} {caution.what}" for caution in remarks)

    def __repr__(self) -> str:
        """Return one line per method."""
        lines = [repr(estimate) for estimate in self.estimates]
        lines += [f"{name}: refused. {reason}" for name, reason in self.refused.items()]
        return "\n".join(lines)
