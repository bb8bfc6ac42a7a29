"""What a ledger tells one reader, in a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from earnest.adapters.ledger import LedgerTry, LedgerView
from earnest.cli.show.estimate import Fact, emit_blocks, label_facts, show_paragraph
from earnest.cli.show.terminal import write_json

MOST = 40  # tries that are listed


def show_try(name: str, score: float, view: LedgerView, agent: str | None, *, json: bool) -> None:
    """Write what a try scored on the half that its agent is told of."""
    half = _find_half(view, agent)
    best = view.find_best(half)
    if json:
        facts = {"name": name, "half": half, "score": score, "best": best.name}
        write_json({"schema": "earnest/ledger-score/1", **facts})
        return
    first = [each for each in view.tries if each.agent is None]
    emit_blocks(
        [show_paragraph(f"{view.metric} of {name} on half {half}: {score:.4g}.", "bold")],
        [
            label_facts(
                [
                    ("Best so far", f"{_tell(best, half)}  {best.name}"),
                    *(("In use", f"{_tell(each, half)}  {each.name}") for each in first[:3]),
                    ("Tries", _count(view.n_tries)),
                ]
            )
        ],
        [show_paragraph(f"Half {_other(half)} judges it, and stays hidden until the end.")],
    )


def show_ledger(view: LedgerView, agent: str | None, path: Path) -> None:
    """Write the tries that a reader may know of."""
    half = None if agent is None and len(view.agents) > 1 else _find_half(view, agent)
    emit_blocks(
        [show_paragraph(_describe(view, half), "bold")],
        [label_facts(_list_facts(view, half))],
        [label_facts(_list_tries(view, half))] if half or view.finished else [],
        [show_paragraph(_advise(view, half, path))],
    )


def _find_half(view: LedgerView, agent: str | None) -> str:
    halves = dict(view.agents)
    return halves[view.agents[0][0] if agent is None else agent]


def _count(tries: int) -> str:
    return "1 try" if tries == 1 else f"{tries:,} tries"


def _other(half: str) -> str:
    return "B" if half == "A" else "A"


def _describe(view: LedgerView, half: str | None) -> str:
    tries = _count(view.n_tries)
    if view.finished:
        return f"A finished ledger with {tries}."
    reader = f" You are told of half {half}." if half else ""
    return f"An open ledger with {tries}.{reader}"


def _list_facts(view: LedgerView, half: str | None) -> Iterator[Fact]:
    yield "Metric", view.metric
    yield "Cases", " and ".join(f"{n:,} in {h}" for n, h in zip(view.n_cases, "AB", strict=True))
    yield "Agents", ", ".join(f"{name} ({letter})" for name, letter in view.agents)
    yield "Digest", view.digest


def _list_tries(view: LedgerView, half: str | None) -> Iterator[Fact]:
    """Yield the scores of each try: on the reader's half, or on both at the end."""
    shown = view.tries if len(view.tries) <= MOST else view.tries[:3] + view.tries[3 - MOST :]
    for each in shown:
        halves = "AB" if view.finished else half or ""
        scores = "  ".join(f"{letter} {_tell(each, letter)}" for letter in halves)
        origin = f" (from {', '.join(each.builds_on)})" if each.builds_on else ""
        yield each.agent or "in use", f"{scores}  {each.name}{origin}"
    if len(shown) < len(view.tries):
        yield "", f"and {len(view.tries) - len(shown)} more; --json has all"


def _tell(each: LedgerTry, half: str) -> str:
    score = each.score_a if half == "A" else each.score_b
    return "hidden" if score is None else f"{score:.4g}"


def _advise(view: LedgerView, half: str | None, path: Path) -> str:
    if view.finished:
        return f"What to expect of the best: earnest estimate {shlex.quote(str(path))}"
    if half is None:
        return "Say who you are with --agent to see the tries of your half."
    return f"Half {_other(half)} judges these tries, and stays hidden until the ledger is finished."
