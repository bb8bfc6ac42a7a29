"""Scores that take long: how long, and who is told before they begin and while they go on.

Only a metric that is called once for each resample and configuration takes seconds where the
compiled ones take milliseconds. So a verb foretells the time of such a metric by a few calls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.protocols import Progress, TaskOutcome
from earnest.core.data.predictions import Predictions
from earnest.engine.progress import Meter, ProgressBar, watch_progress
from earnest.kernels.score import score_table
from earnest.metrics.families import CallableMetric, Metric
from earnest.resampling.bootstrap import DRAWN, DrawnShare

LONG = 3.0  # seconds: from here on the work is announced, and shows progress
TIMED, ENOUGH = 4, 0.1  # resamples by which the time is foretold, and seconds that tell enough


@contextmanager
def announce_scores(
    pi: Predictions, metric: Metric, n_resamples: int | None, title: str
) -> Iterator[None]:
    """Say before it begins that a metric takes long, and show how far it is.

    Who shows the resamples already, as the command line and a search do, is told; otherwise there
    is a bar on standard error. A compiled metric is not timed.

    Parameters
    ----------
    pi : Predictions
        What is scored.
    metric : Metric
        By what.
    n_resamples : int, optional
        How many resamples are scored, None where there are none.
    title : str
        What the bar is called.
    """
    shown, seconds = DRAWN.get(), 0.0
    if isinstance(metric, CallableMetric) and (shown is None or shown.listens):
        seconds = foretell_seconds(pi, metric, n_resamples)
    if seconds > LONG and shown is not None:
        shown.announce(f"{describe_scores(metric, n_resamples, seconds)}.")
    if seconds <= LONG or shown is not None or sys.stderr is None:
        yield
        return
    with show_scores(metric, n_resamples, seconds, title, ProgressBar()):
        yield


@contextmanager
def pass_scores_on(progress: Progress | None) -> Iterator[None]:
    """Let a run that shows itself be told of scores that take long; None lets nobody be told."""
    token = DRAWN.set(DrawnShare() if progress is None else _PassedShare(progress=progress))
    try:
        yield
    finally:
        DRAWN.reset(token)


@contextmanager
def show_scores(
    metric: Metric, n_resamples: int | None, seconds: float, title: str, progress: Progress
) -> Iterator[None]:
    """Say how long scores take, and show the resamples that are scored."""
    meter = Meter([progress], noun="resamples")
    with watch_progress(meter, n_resamples or 0, title):
        meter.message(f"{describe_scores(metric, n_resamples, seconds)}.")
        token = DRAWN.set(ShownShare(progress=meter))
        try:
            yield
        finally:
            DRAWN.reset(token)


def describe_scores(metric: Metric, n_resamples: int | None, seconds: float) -> str:
    """Return in words how long scores take, and what for.

    Examples
    --------
    >>> import earnest as en
    >>> from earnest.engine.patience import describe_scores
    >>> metric = en.metrics.make_metric(lambda y, p: 0.0, name="slow", needs="label")
    >>> describe_scores(metric, 1000, 27.6)
    '1,000 resamples of slow take about 28 s'
    """
    what = f"{n_resamples:,} resamples of {metric.name} take" if n_resamples else None
    return f"{what or f'{metric.name} takes'} about {seconds:,.0f} s"


def foretell_seconds(pi: Predictions, metric: Metric, n_resamples: int | None) -> float:
    """Return about how many seconds scores take, by the time of a few resamples.

    A metric that is called once for each resample and configuration is timed on one configuration;
    those that score all at once, on all, after they are compiled.
    """
    usable = pi.usable()
    rounds = n_resamples or usable.n_folds
    shares = np.full(usable.n_cases, 1.0 / usable.n_cases)
    counts = np.random.default_rng(0).multinomial(usable.n_cases, shares, size=TIMED)
    if not isinstance(metric, CallableMetric):
        _time_scores(usable, metric, counts[:1])
        return _time_scores(usable, metric, counts) / TIMED * rounds
    first = usable.select(0)
    seconds = list[float]()
    for resample in counts:
        if sum(seconds) < ENOUGH:
            seconds.append(_time_scores(first, metric, resample[None]))
    return min(seconds) * rounds * usable.n_configs


def _time_scores(pi: Predictions, metric: Metric, counts: NDArray[np.int64]) -> float:
    began = time.perf_counter()
    score_table(pi, metric, counts)
    return time.perf_counter() - began


@dataclass
class _PassedShare(DrawnShare):
    """Passes the announcement on to a Progress."""

    listens: ClassVar[bool] = True
    progress: Progress | None = None

    def announce(self, words: str) -> None:
        """Tell it before the first resample is scored."""
        assert self.progress is not None
        self.progress.message(words)


@dataclass
class ShownShare(DrawnShare):
    """Passes the resamples that are scored on to a Progress."""

    progress: Progress | None = None
    shown: int = 0

    def begin(self, start: int, stop: int, total: int) -> None:
        """Tell that the resamples before `start` are scored, and a batch is begun."""
        super().begin(start, stop, total)
        self._show()

    def go_on(self, share: float) -> None:
        """Tell that this share of the batch is scored."""
        super().go_on(share)
        self._show()

    def _show(self) -> None:
        assert self.progress is not None
        for number in range(self.shown, self.done):
            self.progress.advance(TaskOutcome((number,)))
        self.shown = max(self.shown, self.done)
