"""Early dropping: which configurations need no more folds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_search
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import slack
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.inference.resampling.winners import gains_of
from earnest.metrics.families import MetricLike
from earnest.training.search.dropping.evidence import (
    RoundEvidence,
    count_rounds,
    gather,
    score_batches,
)

if TYPE_CHECKING:
    import pyarrow as pa


ENOUGH = 50  # out-of-sample predictions that the paper asks for before the first drop
MOST_RESAMPLES = 1_000_000


@dataclass(frozen=True, eq=False)
class RoundTest:
    """What one round of tests found.

    Attributes
    ----------
    round : int
        The number of the round.
    best : int
        The position of the configuration that the others were tested against, -1 if there was no
        test: too few predictions, nothing to test, an undefined metric, or a round that was
        skipped because there are more than fifty.
    n_cases, n_resamples : int
        The cases tested so far, and the resamples drawn of them.
    threshold : float
        The p-value above which a configuration is dropped.
    p_values : ndarray, shape (C,)
        How certain it is that each configuration is worse; NaN if it was not tested.
    dropped : ndarray of bool, shape (C,)
        Which configurations end here.
    """

    round: int
    best: int
    n_cases: int
    n_resamples: int
    threshold: float
    p_values: NDArray[np.float64]
    dropped: NDArray[np.bool_]


class DroppingRule(Protocol):
    """A rule that ends configurations before their last fold."""

    name: ClassVar[str]

    @property
    def min_predictions(self) -> int:
        """How many predictions of a configuration there are before it may be dropped."""
        ...

    def test(
        self,
        pi: Predictions,
        metric: MetricLike,
        seeds: Seeds,
        round: int,
        alive: NDArray[np.bool_] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> RoundTest:
        """Test the configurations that are alive on the predictions made so far."""
        ...


DROPPING_RULES: Registry[type[DroppingRule]] = Registry("rule for early dropping")


@dataclass(frozen=True)
class ResamplingRule:
    """A rule that tests every configuration against the best one on bootstrap resamples."""

    threshold: float = 0.99
    min_predictions: int = ENOUGH
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.check_share("threshold", self.threshold)
        check.whole_number("min_predictions", self.min_predictions, low=2)
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_RESAMPLES)

    def test(
        self,
        pi: Predictions,
        metric: MetricLike,
        seeds: Seeds,
        round: int,
        alive: NDArray[np.bool_] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> RoundTest:
        """Test every configuration that is alive against the best of them.

        Parameters
        ----------
        pi : Predictions
            The predictions made so far, NaN for those to come.
        metric : str, Metric or callable
            The metric that compares configurations.
        seeds : Seeds
            The root of all randomness; each round has its own stream.
        round : int
            The number of this test, starting with 1.
        alive : ndarray of bool, shape (C,), optional
            Which configurations are still in the search; all by default. A configuration that
            lacks predictions which others have is not tested.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        evidence = gather(pi, metric, alive, round, self.min_predictions)
        tested = None if evidence is None else self._find_p_values(evidence, seeds, round, n_jobs)
        if evidence is None or tested is None:
            cases = np.stack([pi.tested(r) for r in range(pi.n_repeats)]).any(axis=0)
            nothing, none = np.full(pi.n_configs, np.nan), np.zeros(pi.n_configs, dtype=bool)
            return RoundTest(round, -1, int(cases.sum()), 0, self.threshold, nothing, none)
        p, threshold, count = tested
        p_values = np.full(evidence.n_configs, np.nan)
        p_values[evidence.columns] = p
        best = int(evidence.columns[evidence.best])
        p_values[best] = np.nan
        dropped = np.nan_to_num(p_values, nan=-1.0) > threshold
        return RoundTest(round, best, evidence.pi.n_cases, count, threshold, p_values, dropped)

    def _find_p_values(
        self, evidence: RoundEvidence, seeds: Seeds, round: int, n_jobs: int | None
    ) -> tuple[NDArray[np.float64], float, int] | None:
        """Return p-values (C',), the one above which to drop, and the number of resamples."""
        raise NotImplementedError


@dataclass(frozen=True)
class BCED(ResamplingRule):
    """Drop a configuration that is worse than the best one in nearly every bootstrap resample.

    After each fold the predictions made so far are resampled. The configuration with the best
    pooled score is never tested; any other is dropped if its loss is strictly greater in more than
    `threshold` of the resamples. All repeats of a case, and all cases of a group, stay together.

    **What it assumes.** That the current best is known and was not itself chosen by these
    predictions, and that each configuration is tested alone and once. None of this holds, so the
    threshold does not bound any error: among 20 equal configurations and ten folds a given one is
    dropped in about a third of all searches. That costs little where the others are as good. Where
    the truly best configuration must survive, use `BCEDAdjusted`.

    **When it fails.** On fewer than about 50 predictions, which tell configurations apart by
    chance. With ties counted as worse nearly everything would be dropped there.

    Tsamardinos, Greasidou, Borboudakis 2018, section 5, in which the p-value compares with the
    current best.

    Parameters
    ----------
    threshold : float
        The share of resamples above which a configuration is dropped.
    min_predictions : int
        How many cases must have been tested before the first test.
    n_resamples : int
        The number of bootstrap resamples per round.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = y[:, None] + np.array([0.5, 0.6, 5.0]) * rng.standard_normal((80, 3))
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> en.rules.BCED().test(pi, "roc_auc", Seeds(7), round=1).dropped
    array([False, False,  True])
    """

    name: ClassVar[str] = "bced"

    def _find_p_values(
        self, evidence: RoundEvidence, seeds: Seeds, round: int, n_jobs: int | None
    ) -> tuple[NDArray[np.float64], float, int]:
        """Return the share of resamples in which each configuration is worse than the best."""
        worse = np.zeros(evidence.pi.n_configs, dtype=np.int64)
        defined = np.zeros_like(worse)
        for scores in score_batches(evidence, self.n_resamples, seeds, round, n_jobs):  # (b, C)
            gains = gains_of(evidence.metric, scores[None])[0]
            best = gains[:, [evidence.best]]
            both = ~np.isnan(gains) & ~np.isnan(best)
            worse += (both & (gains < best - slack(best))).sum(axis=0)
            defined += both.sum(axis=0)
        # If most resamples are undefined, the others do not represent the sample.
        enough = (defined > 0) & (2 * defined >= self.n_resamples)
        shares = np.where(enough, worse / np.maximum(defined, 1), np.nan)
        return shares, self.threshold, self.n_resamples


DROPPING_RULES.add(BCED.name, BCED)


def read_dropping(given: str | DroppingRule | None) -> DroppingRule | None:
    """Return the rule of a name; a rule and None are returned unchanged.

    Examples
    --------
    >>> from earnest.training.search.dropping.bced import read_dropping
    >>> read_dropping("bced")
    BCED(threshold=0.99, min_predictions=50, n_resamples=1000)
    """
    if given is None:
        return None
    if isinstance(given, str):
        return DROPPING_RULES[given]()
    if isinstance(given, type) or not hasattr(given, "test"):
        raise InputError(
            f"{arg('drop')} cannot be read",
            needs="a name ("
            + ", ".join(map(repr, DROPPING_RULES))
            + "), a configured rule, or None",
            got=check.show(given),
            cure=f"Write {given.__name__}()." if isinstance(given, type) else "",
        )
    return given


@dataclass(frozen=True)
class Drop:
    """A dropped configuration: when, with which p-value, and what the best one was."""

    config: str
    round: int
    p: float
    best: str
    n_cases: int


@dataclass(frozen=True)
class DropTrace:
    """Which configurations were dropped, in the order in which it happened.

    Attributes
    ----------
    rows : tuple of Drop
        One per dropped configuration.

    Examples
    --------
    >>> from earnest.training.search.dropping.bced import Drop, DropTrace
    >>> trace = DropTrace((Drop("c3", 1, 0.998, "c0", 50), Drop("c1", 4, 0.992, "c2", 200)))
    >>> len(trace), trace.to_frame()["config"].to_pylist()
    (2, ['c3', 'c1'])
    """

    rows: tuple[Drop, ...] = ()

    def __len__(self) -> int:
        """Count the configurations that were dropped."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Drop]:
        """Go through the rows."""
        return iter(self.rows)

    def after(self, test: RoundTest, ids: tuple[str, ...]) -> DropTrace:
        """Return the trace with what a round dropped."""
        new = (
            Drop(ids[i], test.round, float(test.p_values[i]), ids[test.best], test.n_cases)
            for i in np.flatnonzero(test.dropped)
        )
        return DropTrace((*self.rows, *new))

    def to_frame(self) -> pa.Table:
        """Return the rows as a pyarrow table."""
        import pyarrow as pa

        kinds = {
            "config": pa.string(),
            "round": pa.int64(),
            "p": pa.float64(),
            "best": pa.string(),
            "n_cases": pa.int64(),
        }
        return pa.Table.from_pylist([asdict(row) for row in self.rows], pa.schema(kinds))


def warn_of_dropping(
    rule: DroppingRule, trace: Iterable[Drop], n_configs: int
) -> Iterator[Caution]:
    """Yield cautions about early dropping."""
    dropped = len(list(trace))
    if not dropped:
        return
    left = n_configs - dropped
    yield of_search.configurations_dropped(dropped, n_configs)
    if left == 1:
        yield of_search.one_survived()
    if rule.min_predictions < ENOUGH:
        yield of_search.dropped_on_few(rule.min_predictions, ENOUGH)


BEYOND = 4  # resamples that should lie beyond the level of a round
BLOCK = 256  # resamples compared at a time: few enough to stay in the processor's cache
SAME = 1e-6  # single precision: statistics this near are tied


@dataclass(frozen=True)
class BCEDAdjusted(ResamplingRule):
    """Drop a configuration that could hardly look so bad if it were the best of all.

    For each configuration θ the hypothesis is that θ is at least as good as every other one. The
    statistic is the largest studentised difference to any other, `T = max_j (G_j - G_θ) / s_jθ`,
    with `s_jθ` the bootstrap standard deviation of that difference. Its law, were all equal, is
    that of the same maximum of centred differences `(G*_j - G_j) - (G*_θ - G_θ)` over the
    bootstrap resamples. Since the maximum runs over all others, it accounts for the uncertainty
    of the current best and for the number of competitors. Every round may spend the same part of
    `1 - threshold`; how many there will be follows from the share of the search that is done.

    **What is controlled.** The probability that the truly best configuration is dropped in any
    round of the search: at most `1 - threshold`, up to the error of the bootstrap. Only one
    configuration is the best, so no further correction for the number of tests is due; among
    equals another one may go.

    **What it assumes.** Cases (or groups) are independent, and Π also has the cases and folds to
    come, which determine the share of the search that is done.

    **When it fails.** With few cases the law of a difference has longer tails than the bootstrap
    shows; T is therefore first mapped from Student's law with n - 1 degrees of freedom to the
    normal one. With a handful of differing predictions it stays rough.

    After the suggestion at the end of section 5 of Tsamardinos et al. 2018; the test is that of
    Hsu's multiple comparisons with the best, with a bootstrap law.

    Parameters
    ----------
    threshold : float
        One less the probability, over the whole search, of dropping the truly best configuration.
    min_predictions : int
        How many cases must have been tested before the first test.
    n_resamples : int
        The minimum number of bootstrap resamples per round; more are drawn if the part of the
        level that a round may spend needs them.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = y[:, None] + np.array([0.5, 0.6, 5.0]) * rng.standard_normal((80, 3))
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> en.rules.BCEDAdjusted().test(pi, "roc_auc", Seeds(7), round=1).dropped
    array([False, False,  True])
    """

    name: ClassVar[str] = "bced_adjusted"

    def _find_p_values(
        self, evidence: RoundEvidence, seeds: Seeds, round: int, n_jobs: int | None
    ) -> tuple[NDArray[np.float64], float, int] | None:
        """Return p-values at the level that this round may spend, or None with too few units."""
        if _count_units(evidence) < 3:
            return None
        level = (1.0 - self.threshold) / count_rounds(round, evidence.share)
        count = max(self.n_resamples, math.ceil(BEYOND / level))
        chances = compute_chances(evidence, count, level, seeds, round, n_jobs)
        return 1.0 - chances, 1.0 - level, count


DROPPING_RULES.add(BCEDAdjusted.name, BCEDAdjusted)


def _count_units(evidence: RoundEvidence) -> int:
    """Return the number of independent units: groups, else cases."""
    groups = evidence.pi.target.groups
    return evidence.pi.n_cases if groups is None else len(np.unique(groups))


def compute_chances(
    evidence: RoundEvidence, count: int, level: float, seeds: Seeds, round: int, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return how probable it is that the best of all looks so bad: (C',), NaN if undefined."""
    away, unit = _center(evidence, count, seeds, round, n_jobs)  # (B, C')
    out = np.full(away.shape[1], np.nan)
    defined = np.flatnonzero(2 * (~np.isnan(away)).sum(axis=0) >= count)
    away = away[:, defined]
    away = away[~np.isnan(away).any(axis=1)]
    if len(defined) < 2 or 2 * len(away) < count:
        return out
    observed = evidence.gains[defined] / unit
    spreads = _compute_deviations(away)  # (C'', C'')
    most = math.floor(level * (len(away) + 1)) - 1  # draws beyond that still let it be dropped
    for i, column in enumerate(defined):
        highest = _scale_to_normal(
            _find_largest(observed - observed[i], spreads[i]), _count_units(evidence) - 1
        )
        out[column] = _compute_tail(away, i, spreads[i], highest, most)
    return out


def _center(
    evidence: RoundEvidence, count: int, seeds: Seeds, round: int, n_jobs: int | None
) -> tuple[NDArray[np.float32], float]:
    """Return by how much resampled gains differ from those observed (B, C'), and in which unit.

    The unit is about the size of these differences, as single precision asks for; what is not
    finite is undefined.
    """
    parts, unit = [], 0.0
    for scores in score_batches(evidence, count, seeds, round, n_jobs):
        away = evidence.metric.sign * scores - evidence.gains
        away[~np.isfinite(away)] = np.nan
        unit = unit or float(np.max(np.abs(away), initial=0.0, where=~np.isnan(away)))
        parts.append((away / (unit or 1.0)).astype(np.float32))
    return np.concatenate(parts), unit or 1.0


def _compute_deviations(away: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the standard deviation of the difference of each pair of columns."""
    centred = away.astype(np.float64)
    centred -= centred.mean(axis=0)
    covariance = centred.T @ centred / (len(away) - 1)
    variances = np.diag(covariance)
    squares = variances[:, None] + variances - 2.0 * covariance
    # What is left of equal columns is the rounding of their variances.
    noise = 1e-6 * np.maximum(variances[:, None], variances)
    return np.sqrt(np.where(squares > noise, squares, 0.0))


def _find_largest(ahead: NDArray[np.float64], spread: NDArray[np.float64]) -> float:
    """Return the largest studentised lead over a configuration; a sure one is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ahead / spread
    return float(np.nanmax(np.where((spread == 0) & (ahead <= 0), np.nan, ratio), initial=0.0))


def _scale_to_normal(statistic: float, degrees: int) -> float:
    """Return the normal value with the tail that Student's law gives the statistic."""
    from scipy.special import ndtri, stdtr

    return float(-ndtri(stdtr(degrees, -statistic))) if statistic > 0 else statistic


def _compute_tail(
    away: NDArray[np.float32],
    own: int,
    spread: NDArray[np.float64],
    highest: float,
    most: int,
) -> float:
    """Return the share of centred resamples whose largest lead is as large as the one observed.

    Counting ends once more than `most` are: the configuration then stays, whatever follows.
    """
    if highest <= 0:  # nobody leads
        return 1.0
    if np.isinf(highest):  # a lead that no resample changes
        return 1.0 / (1 + len(away))
    # A configuration that never differs from this one leads by nothing: weight 0.
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    weight = weight.astype(np.float32)
    limit = highest - SAME * max(1.0, highest)
    lead = np.empty((BLOCK, away.shape[1]), dtype=np.float32)
    beyond = seen = 0
    for start in range(0, len(away), BLOCK):
        block = away[start : start + BLOCK]
        part = np.subtract(block, block[:, [own]], out=lead[: len(block)])
        part *= weight
        beyond += int((part.max(axis=1) >= limit).sum())
        seen += len(block)
        if beyond > most:
            break
    return (1 + beyond) / (1 + seen)
