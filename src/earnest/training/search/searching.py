"""The run of a prepared search: store, progress, rounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from earnest.adapters.predictions.run_file import CASES, about_cases
from earnest.adapters.trials.ranges import ranges_of
from earnest.adapters.trials.run_file import ABOUT, BEGUN, about_search
from earnest.adapters.trials.scored import SINGLE, score_names
from earnest.core.base.clock import moment
from earnest.core.base.errors import InputError
from earnest.core.base.protocols import Progress, Store
from earnest.core.base.rng import Seeds
from earnest.engine.parcels import keep
from earnest.engine.progress import watched
from earnest.store import as_store
from earnest.training.fit.ledger import Ledger
from earnest.training.fit.problem import refuse
from earnest.training.search.candidates import DynamicCandidates, StaticCandidates
from earnest.training.search.dropping.bced import dropping_of
from earnest.training.search.dropping.stopping import stop_rule
from earnest.training.search.preparation import Prepared
from earnest.training.search.running import (
    Journey,
    Rounds,
    Runner,
    mean_score,
    run_dynamic,
    run_static,
)


@dataclass(frozen=True, eq=False)
class Searched:
    """All that a search gave: the ledger, how it went, and when it was begun."""

    ledger: Ledger
    journey: Journey
    begun: str | None = None


def search_all(search: Any, prepared: Prepared) -> Searched:
    """Evaluate the candidates of a search."""
    plan, names = prepared.problem.plan, prepared.scoring.names
    ledger = Ledger(prepared.splits, plan, names, static=_static(prepared))
    rounds = _rounds(search, prepared)
    with ExitStack() as stack:
        store = _opened(search, prepared, stack)
        begun = _begun(store)
        runner = Runner(
            shared=stack.enter_context(keep(prepared.training)),
            ledger=ledger,
            n_jobs=search.n_jobs,
            store=store,
            time_limit=search.time_limit,
            progress=stack.enter_context(_progress(search, prepared)),
            pre_dispatch=search.pre_dispatch,
            raises=isinstance(search.error_score, str),
        )
        stack.enter_context(_told_on_interrupt(search.store))
        if isinstance(prepared.candidates, DynamicCandidates):
            journey = _dynamic(search, prepared, runner)
        else:
            journey = run_static(runner, prepared.candidates, rounds)
    return Searched(ledger, journey, begun)


@contextmanager
def _told_on_interrupt(store: Any) -> Iterator[None]:
    """Say with Ctrl-C what is kept, at the end of the traceback."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if isinstance(store, (str, Path)):
            stop.add_note(
                f"What is finished is kept in {str(store)!r}: the same call goes on where it was."
            )
        raise


def _dynamic(search: Any, prepared: Prepared, runner: Runner) -> Journey:
    missing = np.nan if isinstance(search.error_score, str) else float(search.error_score)

    def score(config: int) -> float:
        names = runner.ledger.score_names
        name = search.refit if search.refit in names else names[0]
        return mean_score(runner.ledger, config, name, missing)

    assert isinstance(prepared.candidates, DynamicCandidates)
    return run_dynamic(runner, prepared.candidates, prepared.seed, score)


def _opened(search: Any, prepared: Prepared, stack: ExitStack) -> Store | None:
    store = as_store(search.store)
    if store is not None:
        stack.enter_context(store)
        store.open(prepared.identity)
        store.put_document(ABOUT, _about(search, prepared))
        _put_cases(store, prepared)
    return store


def _begun(store: Store | None) -> str:
    """Return when the run was begun; a run that is resumed keeps its first moment."""
    if store is None:
        return moment()
    known = store.documents().get(BEGUN)
    if known is None:
        known = moment()
        store.put_document(BEGUN, known)
    return known


def _put_cases(store: Store, prepared: Prepared) -> None:
    """Tell which rows each split tests, so that predictions can be gathered from the file alone."""
    plan, splits = prepared.problem.plan, prepared.splits
    if plan is not None:
        where = list(zip(splits.repeat, splits.fold, splits.test, strict=True))
        fixed = _static(prepared)
        store.put_document(CASES, about_cases(plan.target, plan.kind, where, static=fixed))


def _static(prepared: Prepared) -> bool:
    """Tell whether no configuration is proposed by scores; a random sampler's are not either."""
    fixed = isinstance(prepared.candidates, StaticCandidates)
    return bool(getattr(prepared.candidates, "static", fixed))


def _about(search: Any, prepared: Prepared) -> str:
    """Return what a reader of the run file alone must know: scores and ranges."""
    return about_search(
        score_names(prepared.scoring.names or (SINGLE,), prepared.scoring.shown, search.scoring),
        search.refit if isinstance(search.refit, str) else None,
        ranges_of(getattr(search.given_candidates, "space", search.given_candidates)),
    )


def planned_count(candidates: StaticCandidates | DynamicCandidates) -> int | None:
    """Return how many configurations there will be at most, None where that is open."""
    return len(candidates) if isinstance(candidates, StaticCandidates) else candidates.limit()


@contextmanager
def _progress(search: Any, prepared: Prepared) -> Iterator[Progress | None]:
    if not search.verbose:
        yield None
        return
    count = planned_count(prepared.candidates)
    given = True if isinstance(search.verbose, Real) else search.verbose
    with watched(given, (count or 0) * len(prepared.splits), "SearchCV") as bar:
        yield bar


def _rounds(search: Any, prepared: Prepared) -> Rounds | None:
    if search.drop is None and search.stop_when_width is None:
        return None
    metric, reason = prepared.problem.metric, refuse(prepared.problem)
    if metric is None or reason is not None:
        raise InputError(
            "`drop` and `stop_when_width` look at predictions",
            needs="a metric of predictions",
            got=reason.got if reason is not None else "none",
            cure="Say metric='...', or leave both out.",
        )
    return Rounds(
        metric=metric,
        seeds=Seeds(prepared.seed),
        drop=dropping_of(search.drop),
        stop=stop_rule(search),
    )
