"""Running every fit of nested cross-validation as one run: parallel, stored, told of."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from earnest.core.errors import InputError
from earnest.core.protocols import Key, Outcome
from earnest.engine.run import run
from earnest.store import as_store
from earnest.training.candidates import StaticCandidates
from earnest.training.fitting import cell, fit_cell
from earnest.training.nested_splits import Nesting
from earnest.training.preparing import Prepared
from earnest.training.running import raise_again


def collected(search: Any, prepared: Prepared, nesting: Nesting) -> dict[Key, Outcome]:
    """Return the outcome of every configuration on every split, by key."""
    from dataclasses import replace

    candidates = prepared.candidates
    if not isinstance(candidates, StaticCandidates):
        raise InputError(
            "a dynamic search cannot be nested fold by fold",
            needs="candidates that are known in advance",
            got=type(candidates).__name__,
            cure="Give a grid, distributions with `n_iter`, or a list of estimators.",
        )
    shared = replace(prepared.training, splits=nesting.every)
    tasks = [
        cell(config, split, setting, nesting.every)
        for config, setting in enumerate(candidates.settings)
        for split in range(len(nesting.every))
    ]
    found: dict[Key, Outcome] = {}
    with ExitStack() as stack:
        store = as_store(search.store)
        if store is not None:
            stack.enter_context(store)
            store.open({**prepared.identity, "kind": "nested cross-validation"})
        progress = None
        if search.verbose:
            from earnest.engine.progress import ProgressBar

            progress = ProgressBar()
            progress.start(len(tasks), "nested_cv")
            stack.callback(progress.finish)
        by_key = {task.key: task for task in tasks}
        for outcome in run(
            fit_cell,
            shared,
            tasks,
            n_jobs=search.n_jobs,
            store=store,
            time_limit=search.time_limit,
            progress=progress,
            pre_dispatch=search.pre_dispatch,
        ):
            if isinstance(search.error_score, str) and (outcome.failed or outcome.note):
                raise_again(shared, by_key[outcome.key], outcome)
            found[outcome.key] = outcome
    return found
