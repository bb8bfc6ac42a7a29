"""What a table's reader leaves out, said in cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from earnest.core import check
from earnest.core.cautions import Caution, Severity
from earnest.training.tables.kinds import Kind, Look, named_as_identifier
from earnest.training.tables.outcome import Outcome


def table_remarks(
    looks: Mapping[str, Look], outcome: Outcome, n_rows: int, group: str | None
) -> Iterator[Caution]:
    """Yield what was left out of a table: columns of each kind, and rows without an outcome."""

    def of(*kinds: Kind) -> dict[str, Look]:
        return {name: look for name, look in looks.items() if look.kind in kinds}

    yield from _identifiers(of(Kind.IDENTIFIER), group)
    yield from _copies(of(Kind.OUTCOME))
    yield from _nothing(of(Kind.EMPTY, Kind.CONSTANT, Kind.REPEATED))
    yield from _dates(of(Kind.DATE))
    yield from _texts(of(Kind.TEXT))
    lost = n_rows - len(outcome.rows)
    if lost:
        yield Caution(
            "EN078",
            f"{lost:,} of {n_rows:,} rows have no outcome and are left out.",
            "If outcomes are missing for a reason, such as a bad end, the estimate is of other "
            "cases than those you will meet.",
            "Look why they are missing.",
        )


def _identifiers(found: Mapping[str, Look], group: str | None) -> Iterator[Caution]:
    if not found:
        return
    listed = check.some(f"{_named(name)} ({look.detail})" for name, look in found.items())
    several = next((n for n, one in found.items() if one.detail.endswith("values")), None)
    first = next(filter(None, found), "")
    none = "If it is none" if len(found) == 1 else "If one is none"
    cure = f"{none}, say keep={first!r}." if first else ""
    if several is not None and group is None and named_as_identifier(several):
        cure = f"If rows of one {several} belong together, say group={several!r}."
    yield Caution(
        "EN072",
        f"{_columns(found)} looks like an identifier and is left out: {listed}."
        if len(found) == 1
        else f"{_columns(found)} look like identifiers and are left out: {listed}.",
        f"A model could learn rows by heart from {'it' if len(found) == 1 else 'them'}, and new "
        "rows have other values.",
        cure,
    )


def _named(name: str) -> str:
    return repr(name) if name.strip() else "one without a name"


def _copies(found: Mapping[str, Look]) -> Iterator[Caution]:
    if not found:
        return
    listed = check.some(f"{name!r} (as {look.detail})" for name, look in found.items())
    yield Caution(
        "EN073",
        f"{_columns(found)} {_are(found)} left out for saying the same as the outcome in every "
        f"row: {listed}.",
        "A model would learn to read the answer, which new cases seldom bring along.",
        f"If it is known beforehand, say keep={next(iter(found))!r}.",
    )


def _nothing(found: Mapping[str, Look]) -> Iterator[Caution]:
    if not found:
        return
    listed = check.some(
        f"{name!r} ({', '.join(filter(None, (str(look.kind), look.detail)))})"
        for name, look in found.items()
    )
    yield Caution(
        "EN073",
        f"{_columns(found)} {_are(found)} left out: {listed}.",
        "There is nothing to learn from what never varies, or stands there already.",
        severity=Severity.NOTE,
    )


def _dates(found: Mapping[str, Look]) -> Iterator[Caution]:
    if not found:
        return
    yield Caution(
        "EN074",
        f"{_columns(found)} {_are(found)} left out: {check.some(map(repr, found))} "
        f"hold{'s' if len(found) == 1 else ''} dates.",
        "What is special about a date (a weekday, an age, the time since) is not learned; and if "
        "new cases come later, shuffled folds are too kind.",
        "Add such numbers as columns of their own.",
    )


def _texts(found: Mapping[str, Look]) -> Iterator[Caution]:
    if not found:
        return
    listed = check.some(f"{name!r} ({look.detail})" for name, look in found.items())
    yield Caution(
        "EN075",
        f"{_columns(found)} {_are(found)} left out: {listed}.",
        "Text with so many levels has too few cases of each to learn from.",
        "Put rare levels together, or make numbers of the text.",
        Severity.NOTE,
    )


def _columns(found: Mapping[str, Look]) -> str:
    return "1 column" if len(found) == 1 else f"{len(found)} columns"


def _are(found: Mapping[str, Look]) -> str:
    return "is" if len(found) == 1 else "are"
