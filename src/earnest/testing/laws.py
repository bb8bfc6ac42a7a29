"""Small words for contracts: what must hold, and what is said when it does not."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from earnest.core.base.errors import EarnestError


def require(holds: bool, law: str, got: object = None) -> None:
    """Raise AssertionError with the law that is broken; also under `python -O`."""
    if not holds:
        raise AssertionError(law if got is None else f"{law}; got {got}")


def require_close(first: float, second: float, tolerance: float, law: str) -> None:
    """Require two numbers to agree, infinities and NaN included."""
    same = first == second or (math.isnan(first) and math.isnan(second))
    require(same or abs(first - second) <= tolerance, law, f"{first!r} and {second!r}")


def pickled(thing: Any, law: str) -> Any:
    """Return what comes back from pickle, as from a worker."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise AssertionError(f"{law}; got {error}") from error


def answer_or_refusal(ask: Callable[[], Any]) -> Any:
    """Return the answer, or None where it is refused with an EarnestError."""
    with suppress(EarnestError):
        return ask()
    return None


def require_refusal(ask: Callable[[], Any], law: str) -> None:
    """Require an EarnestError that says something."""
    try:
        answer = ask()
    except EarnestError as error:
        require(len(str(error)) > 20, f"{law}: the message says what is wrong", str(error))
        return
    raise AssertionError(f"{law}; got the answer {answer!r}")
