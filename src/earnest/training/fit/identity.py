"""What a stored search must agree in to be resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from earnest.core.base.errors import InputError
from earnest.engine.identity.identity import describe, digest, parameters_of, versions, with_parts
from earnest.training.fit.routing import Routed
from earnest.training.fit.splits import Splits
from earnest.training.search.candidates import DEFAULT_DRAWS


def search_identity(search: Any, base: Any, X: Any, y: Any, routed: Routed) -> dict[str, str]:
    """Return the facts that a stored search must share with this one; none without a store.

    What only concerns the way there (`n_jobs`, `time_limit`), which cells are run (`drop`,
    `stop_when_width`) or what is made of them (`refit`, `method`, `error_score`) may differ.
    """
    if search.store is None:
        return {}
    check_seeded(search.cv)
    grid = search.given_candidates if isinstance(search.given_candidates, dict) else {}
    beside = _arguments(routed)
    return {
        "data": describe(X),
        "outcome": describe(y),
        **with_parts("arguments of fit", beside, beside),
        **with_parts("estimator", base, parameters_of(base)),
        **with_parts("candidates", search.given_candidates, grid),
        "n_iter": describe(_draws(search)),
        "scoring": describe(search.scoring),
        "metric": describe(search.metric),
        "response": describe(search.response),
        "return_train_score": describe(bool(search.return_train_score)),
        "seed": describe(search.random_state),
        **versions(base, search.given_candidates),
    }


def _draws(search: Any) -> int | None:
    """Return how many candidates are drawn: of lists by one name ten, by the others all."""
    sampled = search.n_iter is None and search.param_distributions is not None
    return DEFAULT_DRAWS if sampled else search.n_iter


def _arguments(routed: Routed) -> dict[str, Any]:
    """Return what was passed to `fit` beside the data, by name and where it goes."""
    places = {"fit": routed.fit, "split": routed.split, "score": routed.score}
    return {
        f"{name} for {place}": value
        for place, given in places.items()
        for name, value in given.items()
        if value is not None
    }


def check_seeded(cv: Any) -> None:
    """Refuse a splitter that shuffles otherwise at every call: its run could never be resumed."""
    shuffles = getattr(cv, "shuffle", True)  # ShuffleSplit and Repeated* have no such choice
    if hasattr(cv, "split") and shuffles and getattr(cv, "random_state", 0) is None:
        raise InputError(
            "the splits would differ at every call, so that `store` could not be resumed",
            needs="a splitter with a seed",
            got=f"{type(cv).__name__} that shuffles with random_state=None",
            cure="Give the splitter random_state=0, or leave `store` out.",
        )


def with_splits(facts: Mapping[str, str], splits: Splits) -> dict[str, str]:
    """Return the facts with the rows of every split; none without a store."""
    if not facts:
        return {}
    rows = describe([*splits.train, *splits.test])
    return {**facts, "splits": f"{len(splits)} splits {digest(rows)}"}


def seed_of(facts: Mapping[str, str]) -> int:
    """Return a seed that depends on the facts alone."""
    return int(digest(json.dumps(dict(facts), sort_keys=True)), 16) % 2**32
