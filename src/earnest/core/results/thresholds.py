"""Decision thresholds of a winner: what to expect at each of them, and at one that was chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.provenance import finite
from earnest.core.cautions import of_tables
from earnest.core.results.base import (
    DRAWN,
    FLAT,
    OPTIONAL,
    MetricResult,
    Plain,
    check_lengths,
    find_longest_run,
)
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Provenance, Scale
from earnest.core.results.interval import make_not_kept_error, quantile_limits
from earnest.core.results.specs import Side
from earnest.core.text.doors import arg

if TYPE_CHECKING:
    from earnest.plotting.figures.thresholds import Axes

MEASURES = (
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "flagged",
    "accuracy",
    "balanced_accuracy",
    "net_benefit",
    "standardized_net_benefit",
)
BENEFITS = ("net_benefit", "standardized_net_benefit")
TREAT_ALL = "treat_all"  # the rule that calls every case positive
RULES = ("youden", "net_benefit")
EDGE = 1e-9  # by which rounding may move a product of a share and a count
Numbers = tuple[float | None, ...]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rate:
    """One measure at one threshold; None where no case defines it.

    Attributes
    ----------
    value : float or None
        What to expect of the chosen configuration on new cases.
    low, high : float or None
        The ends of the band that holds at all thresholds at once.
    pointwise_low, pointwise_high : float or None
        The ends of the band at this threshold alone.
    naive : float or None
        The value of the winner on the cases that chose it.
    """

    value: float | None
    low: float | None
    high: float | None
    pointwise_low: float | None
    pointwise_high: float | None
    naive: float | None


@dataclass(frozen=True)
class ThresholdCurve(Plain):
    """One measure at every threshold; the fields are those of `Rate`."""

    value: Numbers
    low: Numbers
    high: Numbers
    pointwise_low: Numbers
    pointwise_high: Numbers
    naive: Numbers

    def at(self, index: int) -> Rate:
        """Return one point."""
        return Rate(*(getattr(self, field.name)[index] for field in fields(self)))


@dataclass(frozen=True, kw_only=True)
class ThresholdRow:
    """All measures at one threshold.

    Attributes
    ----------
    threshold : float
        Scores above it are called positive.
    sensitivity, specificity : Rate
        The share of positive cases above it, and of negative cases not above it.
    ppv, npv : Rate
        The share of positives above it, and of negatives not above it: predictive values.
    flagged : Rate
        The share of all cases above it.
    accuracy, balanced_accuracy : Rate
        The share of right decisions, and the mean of sensitivity and specificity.
    net_benefit : Rate or None
        Hits less false alarms at the odds of the threshold, per case; None for decision values.
    standardized_net_benefit : Rate or None
        The net benefit as a share of the largest one there is, the share of positives.
    treat_all : float or None
        The net benefit of calling every case positive; that of calling none is 0.
    """

    threshold: float
    sensitivity: Rate
    specificity: Rate
    ppv: Rate
    npv: Rate
    flagged: Rate
    accuracy: Rate
    balanced_accuracy: Rate
    net_benefit: Rate | None
    standardized_net_benefit: Rate | None
    treat_all: float | None

    def rate(self, measure: str) -> Rate | None:
        """Return one measure by its name."""
        rate: Rate | None = getattr(self, check.one_of("measure", measure, list(MEASURES)))
        return rate


@dataclass(frozen=True, kw_only=True)
class ThresholdChoice(ThresholdRow):
    """The threshold that a rule chooses, and what to expect of a threshold chosen like that.

    The values are the naive ones less their optimism, see `Thresholds.choose`. The limits are
    those of the band that holds at all thresholds at once, at the one chosen on all cases, widened
    to hold the value; those of a net benefit at a price of your own are order statistics of the
    resamples.

    Attributes
    ----------
    rule : str
        What chose, in words.
    met : float
        The share of resamples in which a threshold of the grid satisfied the rule.
    cautions : tuple of Caution
        Coded remarks on the choice.
    """

    rule: str
    met: float
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, eq=False)
class ThresholdDraws(Plain):
    """What every resample counted of its own winner, in-bag and on the cases left out.

    Attributes
    ----------
    hits_in, alarms_in, hits_out, alarms_out : ndarray of int, shape (B, G)
        Positives and negatives above each threshold.
    totals : ndarray of int, shape (B, 4)
        Positives and negatives in-bag, then those left out.
    """

    hits_in: Counts
    alarms_in: Counts
    hits_out: Counts
    alarms_out: Counts
    totals: Counts

    def to_dict(self, *, draws: bool = True) -> dict[str, Any]:
        """Return plain data; the counts of a resample are one text, which keeps files small."""
        return {
            field.name: [" ".join(map(str, row)) for row in getattr(self, field.name).tolist()]
            for field in fields(self)
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ThresholdDraws:
        """Make them from plain data."""
        rows = ([list(map(int, row.split())) for row in data[field.name]] for field in fields(cls))
        return cls(*(np.array(row, dtype=np.int64) for row in rows))


@dataclass(frozen=True, kw_only=True)
class DecisionGain(Plain):
    """By how much the net benefit of a winner is larger than that of another rule.

    Attributes
    ----------
    config : str
        The configuration that it is held against, or 'treat_all'.
    thresholds : tuple of float
        The grid.
    curve : ThresholdCurve
        The differences on the same cases, with a band that holds at all thresholds at once.
    """

    config: str
    thresholds: tuple[float, ...]
    curve: ThresholdCurve

    def __post_init__(self) -> None:
        check_lengths(self.thresholds, self.curve.value)

    @property
    def better(self) -> tuple[float, float] | None:
        """The ends of the longest run of thresholds at which the whole band is above 0."""
        return find_longest_run(
            self.thresholds, [low is not None and low > 0.0 for low in self.curve.low]
        )

    @property
    def worse(self) -> tuple[float, float] | None:
        """The ends of the longest run of thresholds at which the whole band is below 0."""
        return find_longest_run(
            self.thresholds, [high is not None and high < 0.0 for high in self.curve.high]
        )


def count_rates(
    hits: Floats, alarms: Floats, positives: float, negatives: float, odds: Floats | float | None
) -> dict[str, Floats]:
    """Return every measure from counts, NaN where no case defines it.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.core.results.thresholds import count_rates
    >>> made = count_rates(np.array([8.0]), np.array([4.0]), 10.0, 20.0, 0.25)
    >>> made["sensitivity"], made["net_benefit"].round(3)
    (array([0.8]), array([0.233]))
    """
    size = positives + negatives
    flagged = hits + alarms

    def share(top: Floats, bottom: Floats | float) -> Floats:
        below = np.broadcast_to(np.asarray(bottom, dtype=np.float64), np.shape(top))
        return np.where(below > 0, top / np.where(below > 0, below, 1.0), np.nan)

    sensitivity, specificity = share(hits, positives), share(negatives - alarms, negatives)
    rates = {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "ppv": share(hits, flagged),
        "npv": share(negatives - alarms, size - flagged),
        "flagged": share(flagged, size),
        "accuracy": share(hits + negatives - alarms, size),
        "balanced_accuracy": 0.5 * (sensitivity + specificity),
    }
    if odds is not None:
        rates["net_benefit"] = share(hits - odds * alarms, size)
        rates["standardized_net_benefit"] = share(hits - odds * alarms, positives)
    return rates


@dataclass(frozen=True, kw_only=True)
class SubgroupThresholds(Plain):
    """The table of thresholds of one subgroup, on the grid of all cases.

    Attributes
    ----------
    column, level : str
        The column, and its level.
    table : Thresholds
        Its table; each measure's band holds in all subgroups at once.
    """

    column: str
    level: str
    table: Thresholds

    @property
    def name(self) -> str:
        """Column and level, as in 'sex = f'."""
        return f"{self.column} = {self.level}"


@dataclass(frozen=True, kw_only=True)
class Thresholds(MetricResult):
    """What to expect of a winner at every decision threshold, corrected for the choice.

    Attributes
    ----------
    thresholds : tuple of float
        The grid, rising; scores above a threshold are called positive.
    curves : mapping of str to ThresholdCurve
        Every measure of `ThresholdRow` at every threshold: the corrected values, the band that
        holds at all thresholds at once, the one at each threshold alone, and the naive value
        of the winner.
    response : str
        'probability' or 'decision'. Decision values have no net benefit.
    scale : Scale
        The metric that chooses the winner.
    winner, positive : str
        The winner on all cases, and the class that is called positive.
    n_members : int or None
        How many configurations are averaged, where the winner is an ensemble.
    winner_label : str or None
        The winner with its parameters, where they are known.
    usual : float
        The threshold that decides where none was chosen.
    prevalence : float
        The share of positive cases.
    n_cases, n_positive, n_configs, n_resamples : int
        What it is based on.
    confidence_level : float
        That of the bands, for each measure alone.
    side : str
        Which ends the bands have; an open end is that of the measure.
    cautions : tuple of Caution
        Coded remarks.
    provenance : Provenance
        Seed, fingerprint, folds, knobs and versions.
    subgroups : tuple of SubgroupThresholds
        The same of every subgroup, where `by` was asked for.
    draws : ThresholdDraws or None
        The counts that `choose` reads.
    against : DecisionGain or None
        By how much the net benefit is larger than that of another rule, where one was named.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(7)
    >>> y = (rng.random(300) < 0.2).astype(int)
    >>> score = 1 / (1 + np.exp(1.5 - 1.5 * y[:, None] - rng.standard_normal((300, 20))))
    >>> found = en.thresholds(en.Predictions.from_arrays(y, score), metric="roc_auc", rng=0)
    >>> row = found.at(0.3)
    >>> round(row.sensitivity.value, 2), round(row.sensitivity.naive, 2)
    (0.76, 0.84)
    >>> chosen = found.choose("youden")
    >>> round(chosen.balanced_accuracy.value, 2), round(chosen.balanced_accuracy.naive, 2)
    (0.76, 0.83)
    """

    schema: ClassVar[str] = "earnest/thresholds/1"
    called: ClassVar[str] = "a table of thresholds"

    thresholds: tuple[float, ...]
    curves: Mapping[str, ThresholdCurve]
    response: str
    scale: Scale = field(metadata=FLAT)
    winner: str
    positive: str
    usual: float
    prevalence: float
    n_cases: int
    n_positive: int
    n_configs: int
    n_resamples: int
    confidence_level: float
    side: str
    cautions: tuple[Caution, ...]
    provenance: Provenance = field(metadata=FLAT)
    winner_label: str | None = field(default=None, metadata=OPTIONAL)
    subgroups: tuple[SubgroupThresholds, ...] = ()
    draws: ThresholdDraws | None = field(default=None, repr=False, compare=False, metadata=DRAWN)
    against: DecisionGain | None = field(default=None, metadata=OPTIONAL)
    n_members: int | None = field(default=None, metadata=OPTIONAL)

    def _check_parts(self) -> None:
        super()._check_parts()
        if not self.thresholds:
            raise ValueError("there is no threshold")
        for curve in self.curves.values():
            check_lengths(self.thresholds, *(getattr(curve, field.name) for field in fields(curve)))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures there are, in order."""
        return tuple(name for name in MEASURES if name in self.curves)

    @property
    def has_bands(self) -> bool:
        """Whether any measure has limits; with few resamples none has."""
        ends = [end for curve in self.curves.values() for end in (*curve.low, *curve.high)]
        return any(end is not None for end in ends)

    def treat_all(self, threshold: float) -> float | None:
        """Return the net benefit of calling every case positive; None for decision values."""
        if "net_benefit" not in self.curves or threshold >= 1.0:
            return None
        return self._treat_all(threshold)

    def _treat_all(self, threshold: float) -> float:
        odds = threshold / (1.0 - threshold)
        return self.prevalence - (1.0 - self.prevalence) * odds

    def _limit_drawn(self, drawn: Floats, naive: float) -> Rate:
        """Return limits as order statistics of what the resamples left out, without a value."""
        low, high = quantile_limits(drawn, self.confidence_level, Side(self.side))
        return Rate(None, finite(low), finite(high), None, None, naive)

    def at(self, threshold: float) -> ThresholdRow:
        """Return the row of a threshold, or of the nearest one of the grid.

        Pass it to `earnest.thresholds` as one of `thresholds` to have it on the grid.
        """
        wanted = _check_threshold(threshold)
        grid = np.array(self.thresholds)
        index = int(np.argmin(np.abs(grid - wanted)))
        room = float(np.median(np.diff(grid))) if len(grid) > 1 else 0.0
        if not grid[0] - room - EDGE <= wanted <= grid[-1] + room + EDGE:
            raise InputError(
                f"{arg('threshold')} is outside the range of the winner's scores",
                needs=f"a number from {grid[0]:g} to {grid[-1]:g}",
                got=f"{wanted:g}",
                cure=f"Name it in {arg('thresholds')} when you ask, or choose one in that range.",
            )
        return self._row(index)

    def _row(self, index: int) -> ThresholdRow:
        return ThresholdRow(**self._parts(index))

    def _parts(self, index: int) -> dict[str, Any]:
        threshold = self.thresholds[index]
        rates = {
            name: self.curves[name].at(index) if name in self.curves else None for name in MEASURES
        }
        return {"threshold": threshold, **rates, "treat_all": self.treat_all(threshold)}

    def choose(
        self,
        rule: str | None = None,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        act_from: float | None = None,
    ) -> ThresholdChoice:
        """Choose a threshold by a rule, and tell what to expect of one that was chosen like that.

        The threshold is the one that the rule chooses for the winner on all cases. Its values are
        corrected for that choice as well: every resample chooses its configuration and its
        threshold in-bag, and by how much its decisions are worse on the cases left out is taken
        off the naive values. A choice within a resample sees the luck of the sample and that of
        the resample, whose spread is 1.41 times that of one; so the difference is divided by that.

        Parameters
        ----------
        rule : {'youden', 'net_benefit'}, optional
            The largest sensitivity plus specificity, or the largest net benefit at a given price
            of false alarms.
        sensitivity : float, optional
            The highest threshold with at least this sensitivity.
        specificity : float, optional
            The lowest threshold with at least this specificity.
        act_from : float, optional
            For 'net_benefit': the probability at which acting and not acting are worth the same. A
            false alarm then costs act_from / (1 - act_from) hits.

        Returns
        -------
        ThresholdChoice
            The threshold, and every measure.
        """
        kind, value = self._read_rule(rule, sensitivity, specificity, act_from)
        draws = self._need_draws()
        counts = np.stack(self._own_counts())  # (2, G)
        positives, negatives = self.n_positive, self.n_cases - self.n_positive
        final, _ = _pick(kind, value, counts[:1], counts[1:], np.array([[positives, negatives]]))
        position = int(final[0])
        cut = value if kind == "net_benefit" else self.thresholds[position]
        odds = cut / (1.0 - cut) if "net_benefit" in self.curves else None
        use = (draws.totals > 0).all(axis=1)
        totals = draws.totals[use].astype(np.float64)
        chosen, met = _pick(kind, value, draws.hits_in[use], draws.alarms_in[use], totals[:, :2])
        rows = np.arange(len(chosen))
        hits_in, alarms_in, hits_out, alarms_out = (
            counts[use][rows, chosen].astype(np.float64)
            for counts in (draws.hits_in, draws.alarms_in, draws.hits_out, draws.alarms_out)
        )
        naive = count_rates(
            counts[0, [position]], counts[1, [position]], positives, negatives, odds
        )
        sums = totals.sum(axis=0)
        seen = count_rates(_sum(hits_in), _sum(alarms_in), sums[0], sums[1], odds)
        left = count_rates(_sum(hits_out), _sum(alarms_out), sums[2], sums[3], odds)
        parts = self._parts(position)
        if kind == "net_benefit" and odds is not None:  # the price of the user, not of the cut
            drawn = (hits_out - odds * alarms_out) / totals[:, 2:].sum(axis=1)
            parts["net_benefit"] = self._limit_drawn(drawn, float(naive["net_benefit"][0]))
            if BENEFITS[1] in self.curves:
                drawn = (hits_out - odds * alarms_out) / np.maximum(totals[:, 2], 1.0)
                parts[BENEFITS[1]] = self._limit_drawn(drawn, float(naive[BENEFITS[1]][0]))
            parts["treat_all"] = self._treat_all(cut)
        for name in self.measures:
            off = (seen[name] - left[name]) / math.sqrt(2.0)
            parts[name] = _move(parts[name], float((naive[name] - off)[0]), name)
        share = float(np.mean(met)) if len(met) else 0.0
        return ThresholdChoice(
            **parts, rule=_say_rule(kind, value), met=share, cautions=_remark_unmet(kind, share)
        )

    def _read_rule(
        self,
        rule: str | None,
        sensitivity: float | None,
        specificity: float | None,
        act_from: float | None,
    ) -> tuple[str, float]:
        wanted = {"sensitivity": sensitivity, "specificity": specificity}
        named = [(name, value) for name, value in wanted.items() if value is not None]
        if rule is not None:
            check.one_of("rule", rule, list(RULES))
        if (rule is not None) + len(named) != 1:
            raise InputError(
                "a threshold is chosen by exactly one rule",
                needs=f"'youden', 'net_benefit' with {arg('act_from')}, {arg('sensitivity')} or "
                f"{arg('specificity')}",
                got=f"{(rule is not None) + len(named)} rules",
            )
        if (act_from is not None) != (rule == "net_benefit"):
            raise InputError(
                f"{arg('act_from')} belongs to the rule 'net_benefit' only",
                needs="the probability at which acting and not acting are worth the same",
                got=f"rule {rule!r}, {arg('act_from', act_from)}",
                cure=f"Use choose('net_benefit', {arg('act_from', 0.2)}), for example.",
            )
        if rule == "net_benefit" and "net_benefit" not in self.curves:
            raise EvidenceError(
                "decision values have no net benefit",
                needs="probabilities",
                got=f"response {self.response}",
                cure="Use choose('youden'), or probabilities.",
            )
        if rule is None:
            name, value = named[0]
            return name, check.check_share(name, value)
        return rule, 0.0 if act_from is None else check.check_share("act_from", act_from)

    def _need_draws(self) -> ThresholdDraws:
        if self.draws is None:
            raise make_not_kept_error(
                "the draws of this table were",
                "the counts of every resample, which a choice is corrected by",
            )
        return self.draws

    def _own_counts(self) -> tuple[Floats, Floats]:
        """Return how many positives and negatives the winner has above each threshold."""
        sens, spec = (
            np.array(self.curves[name].naive, dtype=np.float64)
            for name in ("sensitivity", "specificity")
        )
        return sens * self.n_positive, (1.0 - spec) * (self.n_cases - self.n_positive)

    def rows(self) -> list[dict[str, Any]]:
        """Return every threshold as a flat dict: each measure with the band for all at once."""
        rows = []
        for position, threshold in enumerate(self.thresholds):
            row: dict[str, Any] = {"threshold": threshold}
            for name in self.measures:
                curve = self.curves[name]
                row[name] = curve.value[position]
                row[f"{name}_low"], row[f"{name}_high"] = curve.low[position], curve.high[position]
                row[f"{name}_naive"] = curve.naive[position]
            if "net_benefit" in self.curves:
                row["treat_all"] = self.treat_all(threshold)
            rows.append(row)
        return rows

    def pick(self, count: int = 9) -> list[ThresholdRow]:
        """Return at most so many rows for a short table.

        They are at round thresholds for probabilities, else evenly spaced over the grid.
        """
        grid = np.array(self.thresholds)
        last = len(grid) - 1
        places = {round(k * last / (count + 1)) for k in range(1, count + 1)}
        if self.response == "probability":
            steps = (each * scale for scale in (1e-4, 1e-3, 1e-2, 0.1) for each in (1.0, 2.0, 5.0))
            for step in steps:
                ends = math.ceil(grid[0] / step + EDGE), math.floor(grid[-1] / step - EDGE)
                if ends[1] - ends[0] < count:
                    rounds = np.arange(ends[0], ends[1] + 1) * step
                    nearest = {
                        int(np.argmin(np.abs(grid - round_number))) for round_number in rounds
                    }
                    places = nearest or places
                    break
        return [self._row(index) for index in sorted(places)]

    def summary(self) -> str:
        """Return what to expect at the usual threshold, and at the best one, in a few sentences."""
        from earnest.core.text.thresholds import tell_thresholds, word_headline

        return f"{word_headline(self)} {tell_thresholds(self)}"

    def plot(self, ax: Axes | None = None, *, measures: tuple[str, ...] | None = None) -> Axes:
        """Draw measures over the thresholds with their bands, and return the matplotlib Axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        measures : tuple of str, optional
            Which ones; sensitivity and specificity by default. ('net_benefit',) draws the decision
            curve, with calling every case positive beside it.
        """
        from earnest.plotting.figures.thresholds import plot_thresholds

        return plot_thresholds(self, ax, measures=measures)

    def __repr__(self) -> str:
        """Return one line."""
        from earnest.core.text.thresholds import word_line

        return word_line(self)


def _check_threshold(value: float) -> float:
    number = check.read_number(value)
    if not np.isfinite(number):
        raise InputError(
            f"{arg('threshold')} is not a number", needs="a number", got=check.show(value)
        )
    return number


def _sum(counts: Floats) -> Floats:
    return np.asarray(counts.sum(keepdims=True))


def _move(rate: Rate, value: float, measure: str) -> Rate:
    """Return a rate with another value, its limits widened to hold it."""
    if np.isnan(value):
        return Rate(None, rate.low, rate.high, None, None, rate.naive)
    value = min(value, 1.0) if measure in BENEFITS else min(max(value, 0.0), 1.0)
    low = None if rate.low is None else min(rate.low, value)
    high = None if rate.high is None else max(rate.high, value)
    return Rate(value, low, high, None, None, rate.naive)


def _pick(
    kind: str, value: float, hits: NDArray[Any], alarms: NDArray[Any], totals: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the place of the threshold that a rule chooses in each row, and whether it is met.

    Where several thresholds are equally good, the middle of the first stretch of them is taken.
    """
    positives, negatives = totals[:, :1].astype(np.float64), totals[:, 1:2].astype(np.float64)
    last = hits.shape[1] - 1
    if kind == "sensitivity":
        good = hits >= value * positives - EDGE
        met = np.asarray(good.any(axis=1))
        return np.where(met, last - np.argmax(good[:, ::-1], axis=1), 0), met
    if kind == "specificity":
        good = negatives - alarms >= value * negatives - EDGE
        met = np.asarray(good.any(axis=1))
        return np.where(met, np.argmax(good, axis=1), last), met
    if kind == "youden":
        gain = hits * negatives - alarms * positives
    else:
        gain = hits - value / (1.0 - value) * alarms
    best = gain >= gain.max(axis=1, keepdims=True) - EDGE
    first = np.argmax(best, axis=1)
    after = np.arange(last + 1) >= first[:, None]
    ends = ~best & after
    stop = np.where(ends.any(axis=1), np.argmax(ends, axis=1), last + 1)
    return (first + stop - 1) // 2, np.ones(len(first), dtype=bool)


def _say_rule(kind: str, value: float) -> str:
    words = {
        "youden": "largest sensitivity plus specificity",
        "net_benefit": f"largest net benefit if you act from {value:g} on",
        "sensitivity": f"sensitivity of at least {value:g}",
        "specificity": f"specificity of at least {value:g}",
    }
    return words[kind]


def _remark_unmet(kind: str, share: float) -> tuple[Caution, ...]:
    if share >= 0.95:
        return ()
    return (of_tables.rule_not_met(kind, share),)
