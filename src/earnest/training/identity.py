"""What a stored search must agree in to be resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from earnest.engine.identity import describe, digest, versions
from earnest.training.routing import Routed
from earnest.training.splits import Splits


def search_identity(search: Any, base: Any, X: Any, y: Any, routed: Routed) -> dict[str, str]:
    """Return the facts that a stored search must share with this one; none without a store.

    What only concerns the way there (`n_jobs`, `time_limit`), which cells are run (`drop`,
    `stop_when_width`) or what is made of them (`refit`, `method`, `error_score`) may differ.
    """
    if search.store is None:
        return {}
    beside = {"fit": dict(routed.fit), "split": dict(routed.split), "score": dict(routed.score)}
    return {
        "data": describe(X),
        "outcome": describe(y),
        "arguments of fit": describe({k: v for k, v in beside.items() if v}),
        "estimator": describe(base),
        "candidates": describe(search.candidates),
        "n_iter": describe(search.n_iter),
        "scoring": describe(search.scoring),
        "metric": describe(search.metric),
        "response": describe(search.response),
        "return_train_score": describe(bool(search.return_train_score)),
        "seed": describe(search.random_state),
        **versions(base, search.candidates),
    }


def with_splits(facts: Mapping[str, str], splits: Splits) -> dict[str, str]:
    """Return the facts with the rows of every split; none without a store."""
    if not facts:
        return {}
    rows = describe([*splits.train, *splits.test])
    return {**facts, "splits": f"{len(splits)} splits {digest(rows)}"}


def seed_of(facts: Mapping[str, str]) -> int:
    """Return a seed that depends on the facts alone."""
    return int(digest(json.dumps(dict(facts), sort_keys=True)), 16) % 2**32
