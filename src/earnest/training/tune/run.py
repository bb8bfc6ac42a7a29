"""One search within its time: the store that remembers the plan, the clock, and what is left."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from earnest.core.base.errors import EarnestError, InputError
from earnest.core.base.protocols import Key, Outcome, Progress
from earnest.core.results.cautions import Caution
from earnest.engine.backends import at_once
from earnest.store import MemoryStore, RunFile, SqliteStore, read_run
from earnest.training.fit.ledger import AllFailedError
from earnest.training.learners.portfolio import PortfolioConfiguration
from earnest.training.search.judging import SearchResults, judge
from earnest.training.search.live import LivePage
from earnest.training.search.options import SearchOptions
from earnest.training.search.preparation import prepare
from earnest.training.search.run import SearchRun, search_all
from earnest.training.tables.table import TrainingTable
from earnest.training.tune.folder import RUN
from earnest.training.tune.options import TuneOptions
from earnest.training.tune.plan import DOCUMENT, FEWEST_CONFIGS, Pairs, TunePlan, cut_short

LONGEST_SHARE = 0.5  # of the budget that one fit may take
QUICK = 0.1  # of the budget: when all fits together take less, none needs a limit


class TimeIsUpError(EarnestError):
    """The budget is over; what is finished is in the run file."""


class PlannedStore(SqliteStore):
    """A run file that begins with the plan of the run, and whose scores stay in memory too."""

    def __init__(self, path: str | Path, plan: TunePlan) -> None:
        super().__init__(path)
        self._plan = plan
        self._memory = MemoryStore()

    def open(self, identity: Mapping[str, str]) -> None:
        """Begin or resume the run, and write down the plan before any fit."""
        super().open(identity)
        self._memory.open(identity)
        for outcome in self.done().values():
            self._memory.put(replace(outcome, arrays={}))
        for name, text in self.documents().items():
            self._memory.put_document(name, text)
        self.put_document(DOCUMENT, self._plan.to_json())

    def put(self, outcome: Outcome) -> None:
        """Commit an outcome, and remember its scores."""
        super().put(outcome)
        self._memory.put(replace(outcome, arrays={}))

    def put_document(self, name: str, text: str) -> None:
        """Commit a text by name, and remember it."""
        super().put_document(name, text)
        self._memory.put_document(name, text)

    def to_run(self, path: str | Path) -> RunFile:
        """Return what the file holds, from memory and without predictions."""
        return self._memory.to_run(path)


class Clock:
    """Tells another progress, and ends the run when its time is over.

    Parameters
    ----------
    until : float
        The moment, on the clock of `time.monotonic`.
    fits : int
        How many fits complete a configuration.
    by_fold : bool
        Whether the search goes fold by fold, so that a fold is what can be complete.
    told : Progress, optional
        Who is shown it.
    """

    def __init__(self, until: float, fits: int, by_fold: bool, told: Progress | None) -> None:
        self._until, self._fits, self._by_fold, self._told = until, fits, by_fold, told
        self._done: dict[tuple[int, ...], int] = {}
        self._complete = self._left = 0

    def start(self, total: int, title: str = "") -> None:
        """Begin."""
        self._left = total
        if self._told is not None:
            self._told.start(total, title)

    def advance(self, outcome: Outcome, *, stored: bool = False) -> None:
        """Count, and end the run when it has enough and no time."""
        if self._told is not None:
            self._told.advance(outcome, stored=stored)
        self._count(outcome.key)
        self._left -= 1
        enough = self._complete >= (1 if self._by_fold else FEWEST_CONFIGS)
        if enough and self._left > 0 and not stored and monotonic() > self._until:
            raise TimeIsUpError("the time ran out")

    def _count(self, key: Key) -> None:
        if self._by_fold:  # a fold is complete when the next one has begun
            self._done[key[1:]] = 1
            self._complete = len(self._done) - 1
            return
        self._done[key[:1]] = self._done.get(key[:1], 0) + 1
        self._complete += self._done[key[:1]] == self._fits

    def drop(self, count: int) -> None:
        """Pass on that fits will not be made."""
        self._left -= count
        if self._told is not None:
            self._told.drop(count)

    def message(self, text: str) -> None:
        """Pass on a line."""
        if self._told is not None:
            self._told.message(text)

    def finish(self) -> None:
        """End."""
        if self._told is not None:
            self._told.finish()


@dataclass(frozen=True, eq=False)
class TuneRun:
    """A search, the configurations it is about, and whether its time was too short.

    `run` is what its run file holds, without predictions; it is not read back from the file.
    """

    searched: SearchRun
    judged: SearchResults
    configs: tuple[PortfolioConfiguration, ...]
    run: RunFile
    cautions: tuple[Caution, ...] = ()
    n_splits: int | None = None  # where the time was over before all splits were tried
    spent: float | None = None  # seconds of all fits then, also of those that are left out


def run_search(
    table: TrainingTable,
    configs: Sequence[PortfolioConfiguration],
    folds: Pairs,
    asked: TuneOptions,
    plan: TunePlan,
    metric: str,
    *,
    path: Path | None,
    until: float,
    repeated: bool = False,
    progress: Progress | None = None,
    live: LivePage | None = None,
) -> TuneRun:
    """Search within the time; where it is over, take what is complete.

    Where the plan of another run is `repeated`, no fit has a limit.

    A back end other than this machine's processes is one `joblib.parallel_config` around this call.
    """
    store = MemoryStore() if path is None else PlannedStore(path, plan)
    where = RUN if path is None else path
    by_fold = asked.drop is not None
    clock = Clock(until, len(folds), by_fold, progress)

    def search(
        some: Sequence[PortfolioConfiguration],
        pairs: Pairs,
        kept: MemoryStore | PlannedStore,
        told: Progress | None = None,
        note: Caution | None = None,
        page: LivePage | None = None,
    ) -> TuneRun:
        options = SearchOptions(
            None,
            list(some),
            scoring=metric,
            cv=pairs,
            refit=False,  # the winner is chosen by the pooled metric, as the resamples do
            confidence_level=asked.confidence_level,
            drop=asked.drop,
            response="predict_proba" if asked.rule is not None and table.classes else None,
            store=kept,
            time_limit=None if repeated else _find_longest(asked, plan),
            n_jobs=asked.n_jobs,
            random_state=plan.seed % 2**32,
            verbose=told or 0,
            live=page,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # failures are told by EN045, with their number
            try:
                prepared = prepare(options, table.X, table.y, {"groups": table.groups})
                searched = search_all(options, prepared)
                judged = judge(options, prepared, searched)
            except AllFailedError as error:
                last = error.got.strip().splitlines()[-1]  # of the traceback that it quotes
                raise InputError(error.what, got=last) from error
        notes = () if note is None else (note,)
        return TuneRun(searched, judged, tuple(some), store.to_run(where), notes)

    try:
        return search(configs, folds, store, clock, page=live)
    except TimeIsUpError:
        done = store.done() if isinstance(store, MemoryStore) else read_run(store.path).outcomes
    if by_fold:
        kept, count = _keep_whole_folds(done, len(configs))
        note = cut_short(count, len(folds), "folds")
        ran = search(configs, folds[:count], kept, note=note)
        return replace(ran, n_splits=count, spent=_add_times(done))
    kept, places = _keep_whole_configurations(done, len(folds))
    some = tuple(configs[place] for place in places)
    sure = len(configs) if plan.n_sure is None else plan.n_sure
    complete = set(places) >= set(range(sure))
    early = None if complete else cut_short(len(places), sure, "configurations")
    return replace(search(some, folds, kept, note=early), spent=_add_times(done))


def _add_times(done: Mapping[Key, Outcome]) -> float:
    """Return what all fits took, also those of configurations that were not completed."""
    times = ("fit_time", "score_time")
    return sum(one.numbers.get(name, 0.0) for one in done.values() for name in times)


def _find_longest(asked: TuneOptions, plan: TunePlan) -> float | None:
    """Return the seconds that a fit may take, None where all are short and one runs at a time.

    A limit needs processes, which take longer to start than such a search. A run whose time is not
    limited has none.
    """
    if math.isinf(asked.seconds):
        return None
    if at_once(asked.n_jobs) == 1 and plan.fit_seconds < QUICK * asked.seconds:
        return None
    return max(30.0, LONGEST_SHARE * asked.seconds)


def _keep_whole_configurations(
    done: Mapping[Key, Outcome], fits: int
) -> tuple[MemoryStore, tuple[int, ...]]:
    """Return the outcomes of complete configurations, numbered again, and which these are."""
    counts: dict[int, int] = {}
    for key in done:
        counts[key[0]] = counts.get(key[0], 0) + 1
    places = tuple(sorted(config for config, count in counts.items() if count == fits))
    kept = MemoryStore()
    for key, outcome in done.items():
        if key[0] in places:
            kept.put(replace(outcome, key=(places.index(key[0]), *key[1:])))
    return kept, places


def _keep_whole_folds(done: Mapping[Key, Outcome], n_configs: int) -> tuple[MemoryStore, int]:
    """Return the outcomes of the folds before the one under way, and how many these are."""
    begun = sorted({key[1:] for key in done})
    kept = MemoryStore()
    for key, outcome in done.items():
        if key[1:] in begun[:-1]:
            kept.put(outcome)
    return kept, len(begun) - 1
