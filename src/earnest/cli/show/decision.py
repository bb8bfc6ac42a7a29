"""A verdict as people read it in a terminal: the sentence, the numbers, the cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from earnest.cli.show.estimate import Fact, indented, label_facts, remarks
from earnest.cli.show.terminal import clean, emit
from earnest.core.text.numbers import percent
from earnest.decision.verdict import Verdict


def show_verdict(made: Verdict, names: Mapping[str, str] | None = None) -> None:
    """Write one verdict; `names` says what to print of each configuration."""
    emit(
        Text(),
        indented(Text(clean(made.sentence), style="bold")),
        Text(),
        label_facts(list(_list_facts(made, names or {}))),
        Text(),
        *remarks(made.cautions, "folds, groups, looks, cases"),
    )


def _list_facts(made: Verdict, names: Mapping[str, str]) -> Iterator[Fact]:
    judged = names.get(made.config or "", made.config) or "the result"
    of = f", the best of {made.n_configs:,}" if made.n_configs > 1 else ""
    if of and made.baseline is None and _is_corrected(made.method):
        of += "; its score is corrected for that choice"
    yield ("Judged", f"{judged}{of}")
    if made.baseline is not None:
        yield ("Against", made.baseline)
    yield ("Limits", f"one-sided, each at {percent(made.level)}, by {made.method}")
    if made.look is not None:
        yield ("Look", f"{made.look} at these items; {percent(made.confidence_level)} for all")
    yield ("Items", f"{made.n_items:,}")
    yield ("Exit code", f"{made.exit_code}")


def _is_corrected(method: str) -> bool:
    from earnest.methods.base import METHODS

    return method in METHODS and bool(METHODS[method].spec.corrected)
