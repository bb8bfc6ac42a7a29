"""How often the same items were looked at, and what level is left for this look.

If you test on the same items often enough, a change will pass by luck. A ledger counts the looks:
the run file of a test set, whose document `uses` lists them, as that of a sequestered set does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from earnest.core.base.errors import InputError, StoreError
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.results.cautions import Caution, Severity
from earnest.store import SqliteStore

USES = "uses"  # the document of a run file that lists what a test set was used for


@dataclass(frozen=True)
class Look:
    """One look at a test set.

    Attributes
    ----------
    number : int
        From 1 on; the same evidence again, in whatever order, is the same look.
    earlier : tuple of str
        What was looked at before.
    """

    number: int
    earlier: tuple[str, ...] = ()


def level_of_look(confidence_level: float, number: int) -> float:
    """Return the level of the limits at a look, so that all looks together keep the level.

    The k-th look may err with a chance of alpha / (k (k + 1)), and these sum to alpha, however many
    looks follow.

    Examples
    --------
    >>> from earnest.decision.looks import level_of_look
    >>> [round(level_of_look(0.95, look), 4) for look in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    >>> round(sum(1 - level_of_look(0.95, look) for look in range(1, 100_000)), 4)
    0.05
    """
    return 1.0 - (1.0 - confidence_level) / (number * (number + 1))


def enter_look(ledger: str | Path, items: str, use: str, about: str, metric: str) -> Look:
    """Record a look in the ledger of these items, unless it is there, and return its number.

    Parameters
    ----------
    ledger : path
        The file; made when it is not there.
    items : str
        What the items are known by, see `identify_items`.
    use : str
        What is looked at: the same evidence for the same metric is the same look.
    about, metric : str
        What a reader of the ledger is told.
    """
    mark = hashlib.sha256(f"{use} {metric}".encode()).hexdigest()[:32]
    try:
        with SqliteStore(ledger) as store:
            store.open({"kind": "test set", "cases": items})
            uses: list[dict[str, str]] = json.loads(store.documents().get(USES, "[]"))
            marks = [one["use"] for one in uses]
            if mark not in marks:
                uses.append({"use": mark, "learner": about, "metric": metric})
                store.put_document(USES, json.dumps(uses))
                marks.append(mark)
    except StoreError as error:
        if "another run" not in error.what:
            raise
        raise InputError(
            f"{str(ledger)!r} counts looks at other items",
            needs="the ledger of these items",
            cure="Name another `ledger` for another test set.",
        ) from error
    number = marks.index(mark)
    return Look(number + 1, tuple(one["learner"] for one in uses[:number]))


def identify_items(given: Predictions | Scores) -> str:
    """Return a hash of the items, whatever was predicted for them and in whatever order.

    Of scores the names of the items are all that is known, also of those without a score.
    """
    if isinstance(given, Scores):
        known = given.parts.ids
        names = np.arange(given.n_cases) if known is None else np.asarray(known)
        texts = np.sort(names.astype(str))
        return hashlib.sha256("\0".join(["scores", *texts.tolist()]).encode()).hexdigest()[:32]
    target, n = given.target, given.n_cases
    names = np.arange(n) if target.ids is None else np.asarray(target.ids)
    texts = names.astype(str)
    order = np.argsort(texts, kind="stable")
    digest = hashlib.sha256(repr((str(target.task), target.classes, n)).encode())
    digest.update("\0".join(texts[order].tolist()).encode())
    for part in (target.y, target.event):
        digest.update(b"-" if part is None else np.ascontiguousarray(part[order]).tobytes())
    return digest.hexdigest()[:32]


def identify_evidence(*tables: Predictions) -> str:
    """Return a hash of what is looked at; cases that have names may be in any order."""
    found = []
    for table in tables:
        ids = table.target.ids
        if ids is not None:
            table = table.take(np.argsort(np.asarray(ids).astype(str), kind="stable"))
        found.append(table.fingerprint)
    return " ".join(found)


def list_remarks(look: Look | None) -> Iterator[Caution]:
    """Yield what a reader must know of earlier looks."""
    if look is None:
        yield Caution(
            "EN091",
            "No file counts how often these items were looked at.",
            "If you test on the same items often enough, a change will pass by luck.",
            "Pass ledger='looks.db', and the limits allow for every look.",
            Severity.NOTE,
        )
    elif look.earlier:
        names = ", ".join(dict.fromkeys(look.earlier))
        yield Caution(
            "EN090",
            f"This is look {look.number} at these items (before: {names}).",
            "The limits allow for all looks, so they are wider than those of the first. They "
            "do not allow for changes that were made by looking at single items.",
            "Test on new items from time to time, with a new ledger.",
            Severity.NOTE,
        )
