"""What a stored run must agree in to be resumed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from earnest.core.base.errors import InputError
from earnest.engine.identity.identity import describe, digest
from earnest.training.fit.splits import Splits


def check_seeded(cv: object) -> None:
    """Refuse a splitter that shuffles otherwise at every call: its run could never be resumed."""
    shuffles = getattr(cv, "shuffle", True)  # ShuffleSplit and Repeated* have no such choice
    if hasattr(cv, "split") and shuffles and getattr(cv, "random_state", 0) is None:
        raise InputError(
            "the splits would differ at every call, so that `store` could not be resumed",
            needs="a splitter with a seed",
            got=f"{type(cv).__name__} that shuffles with random_state=None",
            cure="Give the splitter random_state=0, or leave `store` out.",
        )


def add_splits(facts: Mapping[str, str], splits: Splits) -> dict[str, str]:
    """Return the facts with the rows of every split; none without a store."""
    if not facts:
        return {}
    rows = describe([*splits.train, *splits.test])
    return {**facts, "splits": f"{len(splits)} splits {digest(rows)}"}


def make_seed(facts: Mapping[str, str]) -> int:
    """Return a seed that depends on the facts alone."""
    return int(digest(json.dumps(dict(facts), sort_keys=True)), 16) % 2**32
