"""A page that shows a search while it runs: rewritten every few seconds, without a server.

Its numbers are computed between two fits and never take more than a small share of the time. A
separate thread writes the page, even during a long fit: the time in the page shows whether the
search is still alive.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.protocols import TaskOutcome
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.text.doors import arg
from earnest.core.text.names import label_configs, name_configs, simplify_values
from earnest.engine.progress import Meter, ProgressState
from earnest.inference.curves.corrected import ResampledSelection
from earnest.inference.curves.halves import HalfCurves, trace_halves
from earnest.inference.curves.prefixes import score_prefixes
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.metrics.responding import pick_answer
from earnest.resampling.bootstrap import CaseBootstrap, GroupBootstrap, StratifiedBootstrap
from earnest.training.fit.ledger import OutcomeLog, explain_failure

EVERY = 2.0  # seconds between two states of the page while fits come in
HEARTBEAT = 10.0  # seconds after which it is written again though nothing has changed
STALE = 30.0  # seconds without news after which the page says that the search has ended
SHARE = 0.02  # of the time that may go into numbers for the page
MOST_LEADERS = 8
MOST_FAILURES = 20
RESAMPLES = 200  # behind the intervals of the leaders
LEVEL = 0.95


class Status(StrEnum):
    """How a search stands."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class Leader:
    """A configuration among the best so far.

    Attributes
    ----------
    config : str
        Its id.
    name : str
        Its name in words, by what distinguishes it from the others tried so far.
    score : float
        Its score on the cases tested so far.
    low, high : float
        The ends of its own interval, NaN if there is none; not corrected for the choice.
    """

    config: str
    name: str
    score: float
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True)
class LiveFailure:
    """A fit that failed: of which configuration, by id and name, on which fold, and why."""

    config: str
    repeat: int
    fold: int
    error: str


@dataclass(frozen=True, eq=False)
class LiveStanding:
    """What the finished fits say.

    Attributes
    ----------
    metric : str
        What is measured.
    greater_is_better : bool
        Whether the best score is the greatest.
    limits : tuple of float
        Between which the score can lie.
    n_configs, n_cases : int
        How many configurations are complete on how many cases.
    naive : ndarray, shape (n_configs,)
        The score of the best of the first k, in the order tried.
    leaders : tuple of Leader
        The best so far, the best first.
    corrected : ndarray, shape (n_configs,), or None
        What to expect on new cases of the best of the first k: the correction of `bbc` on them;
        None without predictions.
    low, high : float
        The limits of the last of these, NaN if there are none.
    halves : HalfCurves, optional
        What the samplers of a crossed search were told, and what the unseen half says.
    """

    metric: str
    greater_is_better: bool
    limits: tuple[float, float]
    n_configs: int
    n_cases: int
    naive: NDArray[np.float64]
    leaders: tuple[Leader, ...]
    corrected: NDArray[np.float64] | None = None
    low: float = np.nan
    high: float = np.nan
    halves: HalfCurves | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class LiveState:
    """Everything that the page shows at one moment.

    Attributes
    ----------
    title : str
        What is searched.
    status : Status
        How it stands.
    progress : ProgressState
        How far it is.
    error : str
        What ended it, where it failed.
    written : float
        When this was true, in seconds since 1970.
    failures : tuple of LiveFailure
        The last of those that failed.
    standing : LiveStanding or None
        What the finished fits say; None before the first configuration is complete.
    every, stale : float
        Seconds after which the page looks again, and after which it gives the search up.
    again : str
        How to resume the search if it was ended.
    """

    title: str = ""
    status: Status = Status.RUNNING
    progress: ProgressState = field(default_factory=ProgressState)
    error: str = ""
    written: float = 0.0
    failures: tuple[LiveFailure, ...] = ()
    standing: LiveStanding | None = None
    every: float = EVERY
    stale: float = STALE
    again: str = ""


class LivePage:
    """A page that is rewritten while a search runs; use it as a context.

    On leaving the context the page shows how the search ended: finished, stopped by the user, or
    failed. The page of a killed process only shows when it was last written.

    Parameters
    ----------
    path : str or Path
        The page.
    title : str
        What is searched, for the head of the page.
    again : str
        How to resume the search if it was ended.
    clock : callable
        Seconds that only grow, for the share of time.
    follow : bool
        Whether the page may be a link; not where earnest chose its name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from earnest.training.search.live import LivePage
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "live.html"
    ...     with LivePage(path, title="patients.csv") as page:
    ...         page.say("Timing a fit of each kind of model")
    ...     "patients.csv" in path.read_text(encoding="utf-8")
    True
    """

    def __init__(
        self,
        path: str | Path,
        *,
        title: str = "",
        again: str = "",
        clock: Callable[[], float] = time.monotonic,
        follow: bool = True,
    ) -> None:
        self.path, self._follow = _check_page(path), follow
        self.trouble: str | None = None  # why the page could not be written, the first time
        self.spent = 0.0  # seconds that went into numbers
        self.drawing = 0.0  # seconds of a processor that went into writing
        self._state = LiveState(title=title, again=again)
        self.meter = Meter(began=clock(), clock=clock)  # another one where a run brings its own
        self._changed, self._over = threading.Event(), threading.Event()
        self._writer: threading.Thread | None = None

    @property
    def state(self) -> LiveState:
        """What the page shows, as of now."""
        return replace(self._state, written=time.time(), progress=self.meter.read())

    def change(self, **parts: object) -> None:
        """Change what the page shows; it is written soon."""
        self._state = replace(self._state, **parts)  # type: ignore[arg-type]  # fields by name
        self._changed.set()

    def say(self, doing: str) -> None:
        """Show what is being done."""
        self.meter.say(doing)
        self._changed.set()

    def __enter__(self) -> Self:
        self._write()
        if self.trouble is not None:  # nothing is under way yet, so that it can be refused
            raise InputError(
                "the live page cannot be written",
                got=self.trouble,
                cure=f"Name another file with {arg('live')}, or leave it out.",
            )
        self._writer = threading.Thread(target=self._run, name="earnest-live", daemon=True)
        self._writer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is None:
            return
        self.leave()
        if kind is None:
            self.change(status=Status.FINISHED)
        elif issubclass(kind, KeyboardInterrupt | SystemExit):
            self.change(status=Status.STOPPED)
        else:
            text = str(error).strip().partition("\n")[0]
            self.change(status=Status.FAILED, error=f"{kind.__name__}: {text}")
        self._write()

    def leave(self) -> None:
        """Stop writing, so that the file can be replaced."""
        self._over.set()
        self._changed.set()
        if self._writer is not None and self._writer is not threading.current_thread():
            self._writer.join()

    def hand_over(self) -> None:
        """Leave the page to another writer, such as the report of the search."""
        self.leave()
        self._writer = None

    def _run(self) -> None:
        while not self._over.is_set():
            self._changed.wait(HEARTBEAT)
            self._changed.clear()
            if not self._over.is_set():
                self._write()
                self._over.wait(EVERY)

    def _write(self) -> None:
        """Write the page; an error does not stop the search."""
        from earnest.core.base.writing import write_file
        from earnest.reporting.live import draw_live_page

        began = time.thread_time()
        try:
            write_file(self.path, draw_live_page(self.state), follow=self._follow)
            self.trouble = None
        except Exception as error:  # noqa: BLE001
            self.trouble = str(error) if isinstance(error, EarnestError) else repr(error)
        self.drawing += time.thread_time() - began


def _check_page(path: str | Path) -> Path:
    made = Path(path).expanduser()
    if made.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"{arg('live')} is not a page",
            needs="a file name that ends in .html",
            got=repr(str(path)),
        )
    return made


@contextmanager
def open_page(page_or_path: str | Path | LivePage | None, title: str) -> Iterator[LivePage | None]:
    """Yield the page of a search: for a path a new one, which ends with the search."""
    if page_or_path is None or isinstance(page_or_path, LivePage):
        yield page_or_path  # its owner ends it
        return
    page = LivePage(page_or_path, title=title)
    with page:
        yield page
    if page.trouble is not None:
        warnings.warn(f"The live page was not written: {page.trouble}", stacklevel=4)


@dataclass(eq=False, kw_only=True)
class Watch:
    """Shows on a page what the fits of a search say; the meter of the page counts them.

    Parameters
    ----------
    page : LivePage
        The page.
    ledger : OutcomeLog
        What the fits gave.
    metric : Metric, optional
        What is measured; without it, or without predictions, the search's own mean scores are
        shown, greater ones as better.
    score : str
        The name of these scores.
    seed : int
        Of the resamples behind intervals.
    by_fold : bool
        Whether all configurations are evaluated on one split before the next.
    clock : callable
        Seconds that only grow.
    """

    page: LivePage
    ledger: OutcomeLog
    metric: Metric | None
    score: str
    seed: int
    by_fold: bool = False
    clock: Callable[[], float] = time.monotonic
    _began: float = 0.0
    _free: float | None = None  # what the first numbers took: compiled code is loaded once
    _last: float = -np.inf
    _seen: tuple[int, int] = (0, 0)
    _failures: list[LiveFailure] = field(default_factory=list)

    def start(self, total: int, title: str = "") -> None:
        """Begin; `total` fits are planned."""
        self._began = self.clock()
        self.page.change()

    def advance(self, outcome: TaskOutcome, *, stored: bool = False) -> None:
        """Tell that a fit is finished."""
        if outcome.failed:
            config, repeat, fold = outcome.key
            why = explain_failure(outcome)
            id_, params = self.ledger.ids[config], self.ledger.configurations[config].params
            failure = LiveFailure(label_configs([id_], [params])[id_], repeat, fold, why)
            self._failures = [*self._failures, failure][-MOST_FAILURES:]
        self.page.change(failures=tuple(self._failures))
        if self.is_due():
            self.look()

    def drop(self, count: int) -> None:
        """Tell that so many fits will not be made."""
        self.page.change()

    def message(self, text: str) -> None:
        """Show no messages: a page has numbers."""

    def finish(self) -> None:
        """End, with the numbers of all finished fits."""
        with suppress(KeyboardInterrupt):  # the page of a stopped search shows how far it came
            self.look()

    def is_due(self) -> bool:
        """Tell whether new numbers are due: a while after the last ones, if they take little time.

        The first numbers do not count, because they load compiled code.
        """
        now = self.clock()
        if now - self._last < EVERY or self._count_complete() == self._seen:
            return False
        spent = self.page.spent - (self._free or 0.0)
        return spent <= SHARE * (now - self._began)

    def _count_complete(self) -> tuple[int, int]:
        ended = (
            self.ledger.n_fits >= self.page.meter.read().fits_planned
        )  # then the last split is complete too
        return self.ledger.count_complete(by_fold=self.by_fold and not ended)

    def look(self) -> None:
        """Compute what the finished fits say, and show it."""
        began, seen = self.clock(), self._count_complete()
        if seen == self._seen or 0 in seen:
            return
        standing = self._find_standing(*seen)
        now = self.clock()
        self._last, self._seen = now, seen
        self.page.spent += now - began
        self._free = now - began if self._free is None else self._free
        if standing is not None:
            self.page.change(standing=standing)

    def _find_standing(self, n_configs: int, n_splits: int) -> LiveStanding | None:
        """Return the standing of the finished fits, or None if there is none yet."""
        configs = self.ledger.list_complete(n_splits)
        pi = None if self.metric is None else self.ledger.make_predictions(configs, n_splits)
        try:
            if pi is not None and self.metric is not None:
                pi = pick_answer(pi, self.metric).usable()
                return stand_by_predictions(pi, self.metric, self.seed)
        except EarnestError:
            pass  # a metric that is not defined yet: of one class so far, say
        return self._stand_by_scores(configs, n_splits)

    def _stand_by_scores(self, configs: Sequence[int], n_splits: int) -> LiveStanding | None:
        names = self.ledger.score_names
        name = self.score if self.score in names else names[0]
        table = self.ledger.read_numbers(f"test_{name}", range(n_splits), np.nan, configs)
        scores = table.mean(axis=1)
        defined = ~np.isnan(scores)
        if not defined.any():
            return None
        scored = [config for config, there in zip(configs, defined, strict=True) if there]
        ids = [self.ledger.ids[config] for config in scored]
        called = _name_all(ids, [self.ledger.configurations[config].params for config in scored])
        scores = scores[defined]
        order = np.argsort(-scores, kind="stable")[:MOST_LEADERS]
        return LiveStanding(
            metric=name if len(names) > 1 else "score",
            greater_is_better=True,
            limits=(-np.inf, np.inf),
            n_configs=len(scored),
            n_cases=self.ledger.splits.n_cases,
            naive=np.maximum.accumulate(scores),
            leaders=tuple(Leader(ids[i], called[ids[i]], float(scores[i])) for i in order),
        )


def stand_by_predictions(pi: Predictions, metric: Metric, seed: int) -> LiveStanding | None:
    """Return the leaders with their intervals, and the curves so far, from predictions."""
    scores = score_table(pi, metric, Weights.ones(pi.n_cases))[0]
    defined = np.flatnonzero(~np.isnan(scores))
    if not len(defined):
        return None
    signed = metric.sign * scores[defined]
    order = defined[np.argsort(-signed, kind="stable")[:MOST_LEADERS]]
    drawn = score_table(pi.select(order.tolist()), metric, _draw(pi, seed))
    tail = 50 * (1 - LEVEL)
    low, high = np.full((2, len(order)), np.nan)
    scored = ~np.isnan(drawn).all(axis=0)
    if scored.any():
        low[scored], high[scored] = np.nanpercentile(drawn[:, scored], [tail, 100 - tail], axis=0)
    ids, names = pi.configs.ids, _name_all(pi.configs.ids, pi.configs.params)
    leaders = (
        Leader(ids[i], names[ids[i]], float(scores[i]), float(a), float(b))
        for i, a, b in zip(order, low, high, strict=True)
    )
    expected = score_prefixes(
        pi.select(defined.tolist()),
        metric,
        ResampledSelection(Seeds(seed), n_resamples=RESAMPLES),
        marks=[len(defined)],
    )
    return LiveStanding(
        metric=metric.name,
        greater_is_better=metric.sign > 0,
        limits=metric.limits,
        n_configs=len(defined),
        n_cases=pi.n_cases,
        naive=metric.sign * np.maximum.accumulate(signed),
        leaders=tuple(leaders),
        corrected=expected.corrected,
        low=float(expected.low[-1]),
        high=float(expected.high[-1]),
        halves=trace_halves(pi, metric),
    )


def _name_all(ids: Sequence[str], params: Sequence[Mapping[str, object]] | None) -> dict[str, str]:
    """Return what each configuration tried so far is called, as every other page calls it."""
    plain = None if params is None else simplify_values(params)
    return {id_: name.words for id_, name in name_configs(ids, plain).items()}


def _draw(pi: Predictions, seed: int) -> Weights:
    """Return resamples of the cases: of groups if there are any, otherwise within classes."""
    target, rng = pi.target, Seeds(seed).generator(Purpose.EVALUATION, 0)
    if target.groups is not None:
        return GroupBootstrap().draw(target, RESAMPLES, rng, None)
    alone = StratifiedBootstrap() if target.has_classes else CaseBootstrap()
    return alone.draw(target, RESAMPLES, rng, None)
