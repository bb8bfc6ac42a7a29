"""Early dropping: which configurations need no further folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.registry import Registry
from earnest.core.base.rng import Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import slack
from earnest.core.results.cautions import Caution, Severity
from earnest.inference.resampling.winners import gains_of
from earnest.metrics.families import MetricLike
from earnest.training.search.dropping.evidence import Evidence, gather, score_batches

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
        test: too few predictions, nobody to test, an undefined metric, or a round that was left
        out because there are more than fifty.
    n_cases, n_resamples : int
        The cases tested so far, and the resamples drawn of them.
    threshold : float
        The p-value above which a configuration is dropped.
    p_values : ndarray, shape (C,)
        How surely each configuration is worse; NaN where it was not tested.
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
        """Return what the predictions made so far say of the configurations alive."""
        ...


DROPPING_RULES: Registry[type[DroppingRule]] = Registry("rule for early dropping")


@dataclass(frozen=True)
class DroppingKnobs:
    """What every rule of the package is told: when to drop, when to begin, how often to draw."""

    threshold: float = 0.99
    min_predictions: int = ENOUGH
    n_resamples: int = 1000

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.share("threshold", self.threshold)
        check.whole_number("min_predictions", self.min_predictions, low=2)
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_RESAMPLES)


@dataclass(frozen=True)
class BCED(DroppingKnobs):
    """Drop a configuration that is worse than the best one in nearly every bootstrap resample.

    After each fold the predictions made so far are resampled. The configuration with the best
    pooled score is never tested; any other is dropped if its loss is greater, strictly, in more
    than `threshold` of the resamples. All repeats of a case, and all cases of a group, go together.

    **What it assumes.** That the current best is known and was not itself chosen by these
    predictions, and that each configuration is tested alone and once. None of this holds, so the
    threshold is no level of any error: among 20 equal configurations and ten folds a given one is
    dropped in about a third of all searches. That costs little where the others are as good. Where
    the truly best configuration must survive, use `BCEDAdjusted`.

    **When it fails.** On fewer than about 50 predictions, where nearly everything is dropped.

    Tsamardinos, Greasidou, Borboudakis 2018, section 5, in which the p-value compares with the
    current best.

    Parameters
    ----------
    threshold : float
        The share of resamples above which a configuration is dropped.
    min_predictions : int
        How many cases must have been tested before the first test.
    n_resamples : int
        The number of bootstrap resamples a round.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = y[:, None] + np.array([0.5, 0.6, 5.0]) * rng.standard_normal((80, 3))
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> en.BCED().test(pi, "roc_auc", Seeds(7), round=1).dropped
    array([False, False,  True])
    """

    name: ClassVar[str] = "bced"

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
            What was predicted so far; NaN where nothing was.
        metric : str, Metric or callable
            What configurations are compared by.
        seeds : Seeds
            The root of all randomness; a round draws from a stream of its own.
        round : int
            The number of this test, from 1 on.
        alive : ndarray of bool, shape (C,), optional
            Which configurations are still in the search; all by default. One that lacks predictions
            which others have is not tested.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        found = gather(pi, metric, alive, round, self.min_predictions)
        if found is None:
            return make_no_test(self.threshold, pi, round)
        worse, defined = self._counts(found, seeds, round, n_jobs)
        # Where most resamples are undefined, those left are no picture of the sample.
        enough = (defined > 0) & (2 * defined >= self.n_resamples)
        shares = np.where(enough, worse / np.maximum(defined, 1), np.nan)
        shares[found.best] = np.nan
        return spread(found, round, shares, self.threshold, self.n_resamples)

    def _counts(
        self, found: Evidence, seeds: Seeds, round: int, n_jobs: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return in how many resamples each is worse than the best, and in how many defined."""
        worse = np.zeros(found.pi.n_configs, dtype=np.int64)
        defined = np.zeros_like(worse)
        for scores in score_batches(found, self.n_resamples, seeds, round, n_jobs):  # (b, C)
            gains = gains_of(found.metric, scores[None])[0]
            best = gains[:, [found.best]]
            both = ~np.isnan(gains) & ~np.isnan(best)
            worse += (both & (gains < best - slack(best))).sum(axis=0)
            defined += both.sum(axis=0)
        return worse, defined


DROPPING_RULES.add(BCED.name, BCED)


def read_dropping(given: str | DroppingRule | None) -> DroppingRule | None:
    """Return the rule of a name, as it is, or None.

    Examples
    --------
    >>> from earnest.training.search.dropping.bced import read_dropping
    >>> read_dropping("bced")
    BCED(threshold=0.99, min_predictions=50, n_resamples=1000)
    """
    import earnest.training.search.dropping.adjusted  # noqa: F401 - its rule registers itself

    if given is None:
        return None
    if isinstance(given, str):
        return DROPPING_RULES[given]()
    if isinstance(given, type) or not hasattr(given, "test"):
        raise InputError(
            "`drop` cannot be read",
            needs="a name ("
            + ", ".join(map(repr, DROPPING_RULES))
            + "), a configured rule, or None",
            got=check.show(given),
            cure=f"Write {given.__name__}()." if isinstance(given, type) else "",
        )
    return given


def make_no_test(threshold: float, pi: Predictions, round: int) -> RoundTest:
    """Return a round in which nothing could be tested."""
    nothing = np.full(pi.n_configs, np.nan)
    cases = int(np.stack([pi.tested(r) for r in range(pi.n_repeats)]).any(axis=0).sum())
    none = np.zeros(pi.n_configs, dtype=bool)
    return RoundTest(round, -1, cases, 0, threshold, nothing, none)


def spread(
    found: Evidence, round: int, p: NDArray[np.float64], threshold: float, resamples: int
) -> RoundTest:
    """Return the p-values (C',) of the tested columns among all configurations."""
    p_values = np.full(found.n_configs, np.nan)
    p_values[found.columns] = p
    return RoundTest(
        round=round,
        best=int(found.columns[found.best]),
        n_cases=found.pi.n_cases,
        n_resamples=resamples,
        threshold=threshold,
        p_values=p_values,
        dropped=np.nan_to_num(p_values, nan=-1.0) > threshold,
    )


@dataclass(frozen=True)
class Drop:
    """One configuration that was dropped: when, how surely, and beside which best one."""

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
        One a configuration that was dropped.

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

        names = ("config", "round", "p", "best", "n_cases")
        kinds = (pa.string(), pa.int64(), pa.float64(), pa.string(), pa.int64())
        columns = [
            pa.array([getattr(row, name) for row in self.rows], kind)
            for name, kind in zip(names, kinds, strict=True)
        ]
        return pa.table(columns, names=list(names))


def warn_of_dropping(
    rule: DroppingRule, trace: Iterable[Drop], n_configs: int
) -> Iterator[Caution]:
    """Yield what a reader of an estimate must know of early dropping."""
    dropped = len(list(trace))
    if not dropped:
        return
    left = n_configs - dropped
    yield Caution(
        "EN051",
        f"{dropped} of {n_configs} configurations were dropped before their last fold.",
        f"The estimate is about the choice among the remaining {left}; if all are equally good, "
        "a little optimism remains.",
        "",
        Severity.NOTE,
    )
    if left == 1:
        yield Caution(
            "EN052",
            "One configuration survived early dropping.",
            "There is no choice left to resample, so the value is its own cross-validated "
            "score, uncorrected.",
            "Raise the threshold, or use drop='bced_adjusted' or none.",
        )
    if rule.min_predictions < ENOUGH:
        yield Caution(
            "EN053",
            f"Configurations could be dropped after {rule.min_predictions} predictions.",
            f"With fewer than {ENOUGH} predictions, good configurations are dropped by chance.",
            f"Use min_predictions={ENOUGH} or more.",
        )
