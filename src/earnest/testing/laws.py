"""Small words for contracts: what must hold, and what is said when it does not."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from earnest.core.base.errors import EarnestError

T = TypeVar("T")


def require(holds: bool, law: str, got: object = None) -> None:
    """Raise AssertionError with the law that is broken; also under `python -O`."""
    if not holds:
        raise AssertionError(law if got is None else f"{law}; got {got}")


def require_close(first: float, second: float, tolerance: float, law: str) -> None:
    """Require two numbers to agree, infinities and NaN included."""
    same = first == second or (math.isnan(first) and math.isnan(second))
    require(same or abs(first - second) <= tolerance, law, f"{first!r} and {second!r}")


def pickled(thing: T, law: str) -> T:
    """Return what comes back from pickle, as from a worker."""
    try:
        back: T = pickle.loads(pickle.dumps(thing))
        return back
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"{law}; got {error}") from error


def answer_or_refusal(ask: Callable[[], T]) -> T | None:
    """Return the answer, or None where it is refused with an EarnestError."""
    with suppress(EarnestError):
        return ask()
    return None


def require_refusal(ask: Callable[[], object], law: str) -> None:
    """Require an EarnestError that says something."""
    try:
        answer = ask()
    except EarnestError as error:
        require(len(str(error)) > 20, f"{law}: the message says what is wrong", str(error))
        return
    raise AssertionError(f"{law}; got the answer {answer!r}")
