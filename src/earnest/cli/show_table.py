"""Several estimates side by side: a row a method, grouped by what they estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rich.text import Text

from earnest.cli.failing import in_options
from earnest.cli.picture import MARGIN, Axis, axis_for, strip
from earnest.cli.show import (
    Part,
    evidence,
    honest,
    indented,
    labelled,
    remarks,
    sentences,
    subject,
    title_of,
)
from earnest.cli.terminal import ACCENT, GREY, WARN, clean, emit
from earnest.core.cautions import Caution
from earnest.core.results import Estimate
from earnest.core.sentences import percent, printed
from earnest.core.specs import Side
from earnest.core.tables import Estimates
from earnest.core.wording import decimals

WIDTH = 78  # what a terminal of 80 columns holds
LEAST_STRIP = 12


def show_estimates(estimates: Estimates) -> None:
    """Write the sentence of the first honest estimate, then a row a method."""
    reported = next((e for e in estimates if honest(e)), estimates.estimates[0])
    emit(
        Text(),
        *sentences(reported),
        Text(),
        *table(estimates, reported),
        Text(),
        labelled([*subject(reported), *evidence(reported)]),
        Text(),
        *remarks([*estimates.cautions, *tagged(estimates)]),
    )


@dataclass(frozen=True)
class Row:
    """The cells of a method: its name, its value, its interval."""

    estimate: Estimate
    name: str
    value: str
    limits: str


def table(estimates: Estimates, reported: Estimate) -> Iterator[Part]:
    """Yield the rows, those of one estimand under its sentence, then those that refused."""
    errors = [e.standard_error for e in estimates if e.standard_error is not None]
    places = max((decimals(error) for error in errors), default=decimals(None))
    cells = [Row(e, e.method, printed(e, places).value, limits(e, places)) for e in estimates]
    heads = ("method", title_of(reported), level(estimates))
    columns = list(zip(heads, *((r.name, r.value, r.limits) for r in cells), strict=True))
    widths = [max(len(text) for text in column) for column in columns]
    room = WIDTH - sum(widths) - 2 * len(widths) - 2 * MARGIN
    axis = axis_for(estimates, room) if room >= LEAST_STRIP else None
    yield Text("  " + line(heads, widths) + (axis.labels() if axis else ""), style=GREY)
    first = [reported.estimand, *(e.estimand for e in estimates)]
    for estimand in dict.fromkeys(first):
        yield indented(Text(clean(estimand), style=GREY))
        for row in cells:
            if row.estimate.estimand == estimand:
                yield drawn(row, widths, axis, reported)
    if estimates.refused:
        yield indented(Text("cannot answer", style=GREY))
        reasons = ((f"  {name}", in_options(why)) for name, why in estimates.refused.items())
        yield labelled(reasons, style=GREY)


def drawn(row: Row, widths: list[int], axis: Axis | None, reported: Estimate) -> Text:
    """Return one row: blue as reported, grey for another estimand, orange if not corrected."""
    fair = honest(row.estimate)
    style = GREY if row.estimate.estimand != reported.estimand else ACCENT
    style = style if fair else WARN
    text = Text("  " + line(("  " + row.name, row.value, row.limits), widths))
    if row.estimate is reported:
        text.stylize("bold")
    return text if axis is None else text.append(strip(axis, row.estimate, corrected=fair), style)


def line(cells: tuple[str, str, str], widths: list[int]) -> str:
    """Return three cells, the number to the right."""
    name, value, ends = (clean(cell) for cell in cells)
    return f"{name:<{widths[0] + 2}}{value:>{widths[1]}}  {ends:<{widths[2]}}  "


def limits(estimate: Estimate, places: int) -> str:
    """Return an interval as a cell; 'above' and 'below' belong to one-sided bounds."""
    shown, interval = printed(estimate, places), estimate.interval
    if interval is None:
        return "no interval"
    if interval.side == Side.TWO_SIDED:
        return f"{shown.low} to {shown.high}"
    return f"above {shown.low}" if interval.side == Side.LOWER else f"below {shown.high}"


def level(estimates: Iterable[Estimate]) -> str:
    """Return the head of the column of intervals."""
    found = (e.interval for e in estimates if e.interval is not None)
    return next((f"{percent(i.confidence_level)} interval" for i in found), "interval")


def tagged(estimates: Estimates) -> Iterator[Caution]:
    """Yield each code once, with the methods that it is said of unless it is all of them."""
    said: dict[str, list[tuple[str, Caution]]] = {}
    for estimate in estimates:
        for caution in estimate.cautions:
            said.setdefault(caution.code, []).append((estimate.method, caution))
    for group in said.values():
        names = list(dict.fromkeys(name for name, _ in group))
        caution = group[0][1]
        tag = "" if len(names) == len(estimates) else f"{', '.join(names)}: "
        yield replace(caution, what=tag + caution.what)
