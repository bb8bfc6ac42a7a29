"""Incomplete cross-validation: ending the folds once the interval is narrow enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real

import numpy as np

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_evidence
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.engine.patience import pass_scores_on
from earnest.methods.base import Method
from earnest.methods.run import configure_method, estimate
from earnest.metrics.families import MetricLike
from earnest.training.search.dropping.bced import ENOUGH
from earnest.training.search.dropping.evidence import is_due, measure_share_done


@dataclass(frozen=True)
class WidthTest:
    """What one look at the interval found.

    Attributes
    ----------
    round : int
        The number of the round.
    stop : bool
        Whether the rest of the folds can be left out.
    width : float
        The width of the interval, NaN where there is none yet.
    n_cases : int
        The cases that it looked at.
    """

    round: int
    stop: bool
    width: float
    n_cases: int


@dataclass(frozen=True)
class StopWhenWidth:
    """End the folds once the two-sided interval of the winner is no wider than asked.

    The interval is that of the bias-corrected estimate on the predictions made so far, of the
    configurations that are complete so far.

    **What it assumes.** That the width tells how sure the estimate is. Looking at it after each
    fold and stopping at the first narrow one favours moments at which the predictions look less
    varied than they are: the interval at the stop covers a little less often than its level says,
    and the result carries a caution for that (EN013).

    **When it fails.** Near the end of the metric's range, where few cases decide. An AUC of 1 on
    fifty cases has an interval of width 0, which tells nothing and stops nothing; one of .999 has a
    narrow one by luck.

    Tsamardinos, Greasidou, Borboudakis 2018, section 4 (the incomplete CV protocol).

    Parameters
    ----------
    width : float
        The width to reach, in the metric's own units.
    confidence_level : float
        The level of the interval.
    method : str or Method
        What makes the interval, 'bbc' by default.
    n_resamples : int, optional
        The number of resamples; as the method has it by default.
    min_predictions : int
        How many cases must have been tested before the first look.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> from earnest.training.search.dropping.stopping import StopWhenWidth
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> scores = y[:, None] + rng.standard_normal((200, 5))
    >>> scores[120:] = np.nan  # the folds that were not run yet
    >>> pi = en.Predictions.from_arrays(y, scores, np.arange(200) // 20)
    >>> StopWhenWidth(0.25).test(pi, "roc_auc", Seeds(7), round=6).stop
    True
    """

    width: float
    confidence_level: float = 0.95
    method: str | Method = "bbc"
    n_resamples: int | None = None
    min_predictions: int = ENOUGH

    def __post_init__(self) -> None:
        """Check the knobs."""
        if not _is_positive(self.width):
            raise InputError(
                "`stop_when_width` is out of range",
                needs="a number above 0, in the metric's own units",
                got=check.show(self.width),
            )
        if not _has_interval(self.method):
            raise InputError(
                "`stop_when_width` needs a method that gives an interval",
                needs="a method such as 'bbc'",
                got=check.show(self.method),
            )
        check.check_share("confidence_level", self.confidence_level)
        check.whole_number("min_predictions", self.min_predictions, low=2)

    def test(
        self,
        pi: Predictions,
        metric: MetricLike,
        seeds: Seeds,
        round: int,
        *,
        n_jobs: int | None = None,
    ) -> WidthTest:
        """Tell whether the interval of what was predicted so far is narrow enough.

        Parameters
        ----------
        pi : Predictions
            What was predicted so far; NaN where nothing was.
        metric : str, Metric or callable
            What the interval is of.
        seeds : Seeds
            The seeds of the final estimate, which has this interval if the search stops here.
        round : int
            The number of this look, from 1 on.
        n_jobs : int, optional
            The number of threads; never changes the result.
        """
        check.whole_number("round", round, low=1)
        if not is_due(round, measure_share_done(pi)):
            return WidthTest(round, False, np.nan, 0)
        try:
            usable = pi.usable()
        except EvidenceError:  # nothing is complete yet
            return WidthTest(round, False, np.nan, 0)
        cases = usable.n_cases
        if cases < self.min_predictions:
            return WidthTest(round, False, np.nan, cases)
        width = self._width(usable, metric, seeds, n_jobs)
        return WidthTest(round, bool(0.0 < width <= self.width), width, cases)

    def _width(
        self, usable: Predictions, metric: MetricLike, seeds: Seeds, n_jobs: int | None
    ) -> float:
        try:
            with pass_scores_on(None):  # again and again, within a search that shows itself
                answer = estimate(
                    usable,
                    method=self.method,
                    metric=metric,
                    confidence_level=self.confidence_level,
                    n_resamples=self.n_resamples,
                    rng=seeds.entropy,
                    n_jobs=n_jobs,
                )
        except EvidenceError:  # a class is missing so far
            return np.nan
        return np.nan if answer.interval is None else answer.interval.width


def _is_positive(width: object) -> bool:
    if isinstance(width, bool) or not isinstance(width, Real):
        return False
    return 0.0 < float(width) < np.inf


def _has_interval(method: str | Method) -> bool:
    chosen = configure_method(method) if isinstance(method, str) else method
    return bool(chosen.spec.interval)


def read_stopping(
    width: float | StopWhenWidth | None,
    confidence_level: float = 0.95,
    method: str | Method = "bbc",
    n_resamples: int | None = None,
) -> StopWhenWidth | None:
    """Return the rule for a width; a rule and None are returned unchanged.

    Examples
    --------
    >>> from earnest.training.search.dropping.stopping import read_stopping
    >>> read_stopping(0.1)
    StopWhenWidth(width=0.1, confidence_level=0.95, method='bbc', n_resamples=None,
                  min_predictions=50)
    """
    if width is None or isinstance(width, StopWhenWidth):
        return width
    return StopWhenWidth(width, confidence_level, method, n_resamples)


def warn_of_stopping(rule: StopWhenWidth | None, done: int, planned: int) -> Iterator[Caution]:
    """Yield a caution if folds were left out; `done` of `planned` were run."""
    if rule is None or done >= planned:
        return
    yield of_evidence.folds_stopped(done, planned, rule.width)
