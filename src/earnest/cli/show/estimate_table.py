"""Several estimates side by side: a row a method, grouped by what they estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rich.padding import Padding
from rich.text import Text

from earnest.cli.failures import in_options
from earnest.cli.show.estimate import (
    Fact,
    Part,
    evidence,
    honest,
    indented,
    label_facts,
    list_checked,
    remarks,
    sentences,
    subject,
    title_of,
)
from earnest.cli.show.picture import MARGIN, Axis, axis_for, strip
from earnest.cli.show.terminal import ACCENT, GREY, WARN, clean, columns, emit
from earnest.core.results.cautions import Caution
from earnest.core.results.estimate import Estimate
from earnest.core.results.estimate_table import Estimates
from earnest.core.text.estimate import limits_words, percent, places_of, print_numbers

WIDTH = 78  # what a terminal of 80 columns holds
LEAST_STRIP = 12
RULES = {
    "pooled": "the pooled score",
    "mean_of_folds": "the mean of folds",
    "one_standard_error": "the one-standard-error rule",
}


def show_estimates(estimates: Estimates, names: Mapping[str, str] | None = None) -> None:
    """Write the sentence of the first honest estimate, then a row a method."""
    reported = next((e for e in estimates if honest(e)), estimates.estimates[0])
    emit(
        Text(),
        *sentences(reported),
        Text(),
        *table(estimates, reported, columns()),
        Text(),
        label_facts([*winners(estimates, reported, names), *evidence(reported)]),
        Text(),
        *remarks([*estimates.cautions, *tag_cautions(estimates, reported)], list_checked(reported)),
    )


@dataclass(frozen=True)
class Row:
    """The cells of a method: its name, its value, its interval."""

    estimate: Estimate
    name: str
    value: str
    limits: str


def table(estimates: Estimates, reported: Estimate, columns: int) -> Iterator[Part]:
    """Yield the rows, those of one estimand under its sentence, then those that refused."""
    places = places_of(estimates)
    cells = [Row(e, e.method, print_numbers(e, places).value, limits(e, places)) for e in estimates]
    heads = ("method", title_of(reported), level(estimates))
    texts = list(zip(heads, *((r.name, "  " + r.value, r.limits) for r in cells), strict=True))
    widths = [max(len(text) for text in column) for column in texts]
    room = min(columns - 2, WIDTH) - sum(widths) - 2 * len(widths)
    stacked = room < 0
    axis = axis_for(estimates, room - 2 * MARGIN) if room - 2 * MARGIN >= LEAST_STRIP else None
    head = clean(", ".join(heads)) if stacked else line(heads, widths)
    yield indented(Text((head + (axis.labels() if axis else "")).rstrip(), style=GREY))
    first = [reported.estimand, *(e.estimand for e in estimates)]
    for estimand in dict.fromkeys(first):
        yield indented(Text(clean(estimand), style=GREY))
        for row in cells:
            if row.estimate.estimand == estimand:
                yield (
                    pile_cells(row, reported) if stacked else draw_row(row, widths, axis, reported)
                )
    if estimates.refused:
        yield indented(Text("cannot answer", style=GREY))
        reasons = ((f"  {name}", in_options(why)) for name, why in estimates.refused.items())
        yield label_facts(reasons, style=GREY)


def draw_row(row: Row, widths: list[int], axis: Axis | None, reported: Estimate) -> Text:
    """Return one row: blue as reported, grey for another estimand, orange if not corrected."""
    fair = honest(row.estimate)
    style = GREY if row.estimate.estimand != reported.estimand else ACCENT
    style = style if fair else WARN
    text = Text("  " + line(("  " + row.name, row.value, row.limits), widths))
    if row.estimate is reported:
        text.stylize("bold")
    return text if axis is None else text.append(strip(axis, row.estimate, corrected=fair), style)


def pile_cells(row: Row, reported: Estimate) -> Padding:
    """Return the cells of a row one under the other, for a narrow terminal."""
    cells = "\n  ".join(clean(cell) for cell in (row.name, row.value, row.limits))
    text = Text(cells, style="bold" if row.estimate is reported else "")
    return Padding(text, (0, 0, 0, 4))


def line(cells: tuple[str, str, str], widths: list[int]) -> str:
    """Return three cells, the number to the right."""
    name, value, ends = (clean(cell) for cell in cells)
    return f"{name:<{widths[0] + 2}}{value:>{widths[1]}}  {ends:<{widths[2]}}  "


def limits(estimate: Estimate, places: int) -> str:
    """Return an interval as a cell; 'above' and 'below' belong to one-sided bounds."""
    shown, interval = print_numbers(estimate, places), estimate.interval
    return "no interval" if interval is None else limits_words(interval, shown)


def level(estimates: Iterable[Estimate]) -> str:
    """Return the head of the column of intervals."""
    found = (e.interval for e in estimates if e.interval is not None)
    return next((f"{percent(i.confidence_level)} interval" for i in found), "interval")


def winners(
    estimates: Estimates, reported: Estimate, names: Mapping[str, str] | None = None
) -> Iterator[Fact]:
    """Yield the winner and the metric; by rule where rules choose or score differently."""
    chosen: dict[tuple[str | None, str], list[str]] = {}
    for estimate in (reported, *estimates):
        methods = chosen.setdefault((estimate.winner, rule(estimate)), [])
        methods += [estimate.method] if estimate.method not in methods else []
    if len({winner for winner, _ in chosen}) > 1:
        known = names or {}
        said = (
            f"{known.get(str(who), who)} by {how} ({', '.join(methods)})"
            for (who, how), methods in chosen.items()
        )
        yield "Winner", "; ".join(said)
        yield from (fact for fact in subject(reported) if fact[0] == "Metric")
    else:
        yield from subject(reported, names)
    yield from naive_scores(estimates, reported)


def naive_scores(estimates: Estimates, reported: Estimate) -> Iterator[Fact]:
    """Yield the naive score of each rule where they differ; a hold-out part has its own."""
    scores: dict[str, str] = {}
    for estimate in (reported, *(e for e in estimates if e.method != "holdout")):
        shown = print_numbers(estimate, places_of([reported])).naive
        if shown is not None:
            scores.setdefault(rule(estimate), shown)
    if len(set(scores.values())) > 1:
        each = ", ".join(f"{score} by {how}" for how, score in scores.items())
        yield "Naive", f"{each}: the two rules score differently"


def rule(estimate: Estimate) -> str:
    """Return in words how a method chose the winner; a method without the knob has one rule."""
    name = str(estimate.provenance.knobs.get("selector", "mean_of_folds"))
    return RULES.get(name, name)


def tag_cautions(estimates: Estimates, reported: Estimate) -> Iterator[Caution]:
    """Yield each caution once, with the methods that it is said of unless it is all of them.

    Where methods say it with other numbers, those of the reported estimate are shown, else of the
    first that says it.
    """
    said: dict[str, list[tuple[str, Caution]]] = {}
    shared = {caution.code for caution in estimates.cautions}
    for estimate in (reported, *(one for one in estimates if one is not reported)):
        for caution in estimate.cautions:
            if caution.code not in shared:
                said.setdefault(caution.code, []).append((estimate.method, caution))
    for group in said.values():
        names, caution = list(dict.fromkeys(name for name, _ in group)), group[0][1]
        same = [name for name, other in group if other.what == caution.what]
        tag = "" if len(names) == len(estimates) else f"{', '.join(dict.fromkeys(same))}: "
        others = [name for name in names if name not in same]
        more = f" (So too, with other numbers: {', '.join(others)}.)" if others else ""
        if others:
            tag = f"{', '.join(dict.fromkeys(same))}: "
        yield replace(caution, what=tag + caution.what, consequence=caution.consequence + more)
