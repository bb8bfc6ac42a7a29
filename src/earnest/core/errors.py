"""Errors that tell what is wrong, what is allowed, what was got, and the cure."""

from __future__ import annotations


class EarnestError(Exception):
    """Base of every error that earnest raises on purpose.

    Parameters
    ----------
    what : str
        The fault, as a clause without a full stop.
    needs, got, cure : str, optional
        What is allowed, what was found instead, and what to do about it.

    Examples
    --------
    >>> from earnest.core.errors import InputError
    >>> print(InputError("`side` is unknown", needs="'lower' or 'upper'", got="'left'"))
    `side` is unknown. Allowed: 'lower' or 'upper'. Got: 'left'.
    """

    def __init__(self, what: str, *, needs: str = "", got: str = "", cure: str = "") -> None:
        self.what, self.needs, self.got, self.cure = what, needs, got, cure
        parts = [what, needs and f"Allowed: {needs}", got and f"Got: {got}", cure]
        super().__init__(" ".join(_sentence(part) for part in parts if part))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by the parts, so that an error survives the way back from a worker."""
        return _rebuild, (type(self), self.what, self.needs, self.got, self.cure)


class InputError(EarnestError, ValueError):
    """An argument or a data set cannot be used as it is."""


class EvidenceError(EarnestError, ValueError):
    """A method was given evidence that it cannot work with."""


class MetricError(EarnestError, ValueError):
    """A metric does not fit the task or the kind of response."""


class UnknownNameError(EarnestError, ValueError, LookupError):
    """A name is not in its registry."""


class FormatError(EarnestError, ValueError):
    """A file cannot be read or written in the form that was asked for."""


class StoreError(EarnestError, RuntimeError):
    """A run file cannot be used: held by another process, of another run, or out of room."""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _rebuild(kind: type[EarnestError], what: str, needs: str, got: str, cure: str) -> EarnestError:
    return kind(what, needs=needs, got=got, cure=cure)
