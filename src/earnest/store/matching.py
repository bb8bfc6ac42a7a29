"""Whether a run that is stored is the run that is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from earnest.core.check import show
from earnest.core.errors import StoreError

NOTHING = "nothing"


def refuse_another(found: Mapping[str, str], asked: Mapping[str, str], where: str) -> None:
    """Raise unless both identities are the same, and say in what they differ."""
    names = [name for name in {**found, **asked} if found.get(name) != asked.get(name)]
    if names:
        raise StoreError(
            f"{where} holds another run",
            needs="the run it was begun with, to resume it",
            got="; ".join(_difference(name, found, asked) for name in names),
            cure="Repeat the call it was begun with, or name another `store` for this one.",
        )


def _difference(name: str, found: Mapping[str, str], asked: Mapping[str, str]) -> str:
    there, now = (_shown(part.get(name)) for part in (found, asked))
    return f"another {name} ({there} there, {now} now)"


def _shown(text: str | None) -> str:
    return NOTHING if text is None else show(text, 80)
