"""Whether a run that is stored is the run that is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from earnest.core.base.check import show
from earnest.core.base.errors import StoreError

NOTHING = "nothing"
INSIDE = ": "  # a fact "estimator: C" tells of a part of the fact "estimator"
SEVERAL = ("data", "splits", "candidates", "arguments of fit")  # words that "another" does not fit


def refuse_another(found: Mapping[str, str], asked: Mapping[str, str], where: str) -> None:
    """Raise unless both identities are the same, and say in what they differ."""
    names = [name for name in {**found, **asked} if found.get(name) != asked.get(name)]
    wholes = dict.fromkeys(name.partition(INSIDE)[0] for name in names)
    if names:
        raise StoreError(
            f"{where} holds another run",
            needs="the run that started it, to resume it",
            got="; ".join(_describe_difference(whole, names, found, asked) for whole in wholes),
            cure="Repeat the call that started it, or use another `store` for this one.",
        )


def _describe_difference(
    whole: str, names: list[str], found: Mapping[str, str], asked: Mapping[str, str]
) -> str:
    """Say what differs: the parts of a fact where they are known, else the fact itself."""
    parts = [name for name in names if name.startswith(whole + INSIDE)]
    another = f"{'other' if whole in SEVERAL else 'another'} {whole}"
    if not parts:
        return f"{another} ({_show_both(whole, found, asked)})"
    said = (f"{name.partition(INSIDE)[2]} ({_show_both(name, found, asked)})" for name in parts)
    return f"{another}: {', '.join(said)}"


def _show_both(name: str, found: Mapping[str, str], asked: Mapping[str, str]) -> str:
    there, now = (_show_fact(part.get(name)) for part in (found, asked))
    return f"{there} there, {now} now"


def _show_fact(text: str | None) -> str:
    return NOTHING if text is None else show(text, 80)
