"""Estimates as people read them in a terminal: one in sentences, several as rows by estimand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from earnest.cli.show.picture import HONEST, MARGIN, NAIVE, PictureAxis, axis_for, draw_strip, mark
from earnest.cli.show.terminal import ACCENT, GREY, WARN, clean, columns, emit
from earnest.core.data.target import Task
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.comparison import Comparison
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.gain import Gain
from earnest.core.text.counts import tell_weights
from earnest.core.text.doors import current_door, render
from earnest.core.text.estimate import (
    Quantity,
    estimand_words,
    headline_phrases,
    is_on_items,
    limits_words,
    places_of,
    print_numbers,
    reason,
    training_words,
    word_confidence,
    word_direction,
)
from earnest.core.text.numbers import percent, write_count
from earnest.core.text.order import word_dependence
from earnest.methods.base import spec_of
from earnest.metrics import METRICS

PICTURE = 44  # columns from the first to the last tick
NARROWEST = 50  # columns under which a picture tells nothing
MOST_CAUTIONS = 5
SPEAKER = "your predictions"  # all that the command line is given

Part = Text | Table | Padding
Fact = tuple[str, str]


def show_estimate(estimate: Estimate, names: Mapping[str, str] | None = None) -> None:
    """Write one estimate; `names` says what to print of each configuration."""
    from earnest.cli.show.subgroups import list_subgroups

    facts = [*subject(estimate, names), *method_facts(estimate), *show_evidence(estimate)]
    emit_blocks(
        sentences(estimate),
        draw_picture(estimate, columns()),
        list_subgroups(estimate.subgroups),
        [label_facts(facts)],
        remarks(estimate.cautions, list_checked(estimate)),
    )


def emit_blocks(*blocks: Iterable[Part]) -> None:
    """Write blocks, each after an empty line; a block without parts leaves no gap."""
    listed = [list(block) for block in blocks]
    emit(*(block for parts in listed if parts for block in (Text(), *parts)))


def show_paragraph(text: str, style: str = "") -> Padding:
    """Return a paragraph of text, indented."""
    return indented(Text(clean(text), style=style))


def title_of(result: Estimate | Comparison) -> str:
    """Return the metric's words for people, its name where it is not registered."""
    return METRICS[result.metric].title if result.metric in METRICS else result.metric


def metric_words(result: Estimate | Comparison | Gain) -> str:
    """Return the metric and which way it is better."""
    return f"{result.metric}, {word_direction(result.scale)}"


def write_headline(estimate: Estimate, speaker: str = SPEAKER) -> Text:
    """Return the sentence with the honest number, both numbers in the colour of their trust."""
    styles = {Quantity.VALUE: ACCENT if estimate.honest else WARN, Quantity.NAIVE: WARN}
    text = Text(style="bold")
    for phrase in headline_phrases(estimate, title_of(estimate), speaker=speaker):
        text.append(clean(phrase.text), styles.get(phrase.number) if phrase.number else None)
    return text


def sentences(
    estimate: Estimate,
    speaker: str = SPEAKER,
    *,
    delivered: bool = False,
    tried: int | None = None,
) -> Iterator[Part]:
    """Yield the honest number, its interval, whose it is, and where the optimism comes from.

    `tried` is how many configurations were begun, where some were not evaluated on every fold.
    """
    speaker = "the search" if estimate.evidence is not None else speaker
    yield indented(write_headline(estimate, speaker))
    yield show_paragraph(word_confidence(estimate))
    if whose := training_words(estimate, delivered=delivered):
        yield show_paragraph(whose)
    if why := reason(estimate, speaker=speaker, tried=tried):
        yield show_paragraph(why, GREY)


def draw_picture(estimate: Estimate, columns: int) -> Iterator[Text]:
    """Yield a row of ticks, the row of the interval, and the row of the naive score.

    A narrow terminal has no room for the notes of the legend, a very narrow one for no picture.
    """
    if columns < NARROWEST:
        return
    signs = list(legend(estimate))
    around = 2 + 2 * MARGIN + 2  # the indent, the margins, and the gap before the legend
    noted = columns >= around + PICTURE + max(len(sign.text) + len(sign.note) for sign in signs)
    spare = columns - around - max(len(sign.text.rstrip()) for sign in signs)
    axis = axis_for([estimate], PICTURE if noted else min(PICTURE, spare))
    yield Text("  " + axis.labels(), style=GREY)
    for sign in signs:
        row = draw_strip(axis, estimate)
        row = row if sign.mark is None else mark(axis, sign.mark)
        line = Text(f"  {row:<{axis.room + 2}}{sign.text}", style=sign.style)
        yield line.append(clean(sign.note), GREY) if noted else line


class Sign(NamedTuple):
    """A row of the legend; `mark` is the value of a row that is no interval."""

    text: str
    note: str
    style: str
    mark: float | None = None


def legend(estimate: Estimate) -> Iterator[Sign]:
    """Yield what the rows of the picture are called, the name apart from its note."""
    if not estimate.honest:
        yield Sign(f"{NAIVE} {estimate.method:<6}  ", "not corrected", WARN)
        return
    yield Sign(f"{HONEST} honest  ", estimate.method, ACCENT)
    if estimate.naive is not None and estimate.n_configs > 1:
        yield Sign(f"{NAIVE} naive   ", "not corrected", WARN, estimate.naive)


def subject(estimate: Estimate, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the configuration and the metric."""
    if estimate.winner is not None:
        label = (names or {}).get(estimate.winner, estimate.winner)
        yield "Winner" if estimate.n_configs > 1 else "Model", label
    yield "Metric", metric_words(estimate)


def method_facts(estimate: Estimate) -> Iterator[Fact]:
    """Yield the method and what it estimates."""
    spec = spec_of(estimate)
    alone = estimate.n_configs == 1
    title = (spec.title_alone if alone else "") or spec.title
    yield "Method", f"{spec.name}: {title}"
    yield "Estimates", estimand_words(estimate)


def show_evidence(estimate: Estimate) -> Iterator[Fact]:
    """Yield what the number stands on."""
    provenance = estimate.provenance
    items = is_on_items(estimate)
    size = estimate.n_cases
    parts = [
        *([] if size is None else [write_count(size, "item" if items else "case")]),
        *([] if estimate.weighting is None else [tell_weights(estimate.weighting)]),
        write_count(estimate.n_configs, "configuration"),
        *([] if items else [splits(provenance.n_folds)]),
    ]
    if provenance.n_repeats > 1:
        parts.append(write_count(provenance.n_repeats, "repeat"))
    parts += [] if estimate.evidence is None else ["no predictions"]
    parts += [write_count(estimate.n_resamples, "resample")] if estimate.n_resamples else []
    split = (
        "evaluate" in provenance.knobs and estimate.n_configs > 1
    )  # the cases that score are drawn
    parts += [f"seed {provenance.seed}"] if estimate.n_resamples or split else []
    yield "Evidence", ", ".join(parts)
    if estimate.dependence is not None:
        yield "In time", word_dependence(estimate.dependence)


def list_checked(estimate: Estimate) -> str:
    """Return in short what was looked at for cautions."""
    tasks = METRICS[estimate.metric].tasks if estimate.metric in METRICS else ()
    looked = {
        "optimism": estimate.n_configs > 1,
        "classes per fold": bool({Task.BINARY, Task.MULTICLASS} & set(tasks)),
        "groups": True,
        "ties": estimate.n_configs > 1,
        "resamples": bool(estimate.n_resamples),
    }
    return ", ".join(name for name, done in looked.items() if done)


@dataclass(frozen=True)
class ShownCaution:
    """A caution with words before and after it, such as the methods that it is about."""

    caution: Caution
    before: str = ""
    after: str = ""


def remarks(cautions: Iterable[Caution | ShownCaution], looked_at: str) -> Iterator[Part]:
    """Yield what to be careful about and what to do, cautions first, at most five kinds."""
    shown = [each if isinstance(each, ShownCaution) else ShownCaution(each) for each in cautions]
    ordered = sorted(shown, key=_rank)
    if not ordered:
        yield show_paragraph(f"No cautions. Checked: {looked_at}.", GREY)
        return
    table = grid(2)
    kinds: dict[str, list[ShownCaution]] = {}
    for each in ordered:
        kinds.setdefault(each.caution.kind, []).append(each)
    opened = [each for alike in list(kinds.values())[:MOST_CAUTIONS] for each in alike]
    for each in opened:
        caution, note = each.caution, each.caution.severity is Severity.NOTE
        seen = render(f"{each.before}{caution.what} {caution.consequence}{each.after}")
        text = Text(clean(seen), style=GREY if note else "")
        if caution.cure:
            text.append(f"\n{clean(render(caution.cure))}", GREY)
        sign = Text(f"{'i' if note else '!'} {caution.code}", GREY if note else f"bold {WARN}")
        table.add_row(sign, text)
    yield indented(table)
    more = len(ordered) - len(opened)
    if more > 0:
        where = "`cautions` has them all" if current_door().is_python else "--json has them all"
        yield show_paragraph(f"{more} more; {where}.", GREY)


def _rank(shown: ShownCaution) -> tuple[bool, str]:
    return shown.caution.severity is Severity.NOTE, shown.caution.code


def label_facts(facts: Iterable[Fact], style: str = "") -> Padding:
    """Return facts as a column of labels and a column of text."""
    table = grid(2)
    for label, text in facts:
        table.add_row(Text(label, style=GREY), Text(clean(text), style=style))
    return indented(table)


def splits(folds: int) -> str:
    """Return the count of folds; one fold is none."""
    return write_count(folds, "fold") if folds > 1 else "no folds"


def indented(renderable: Text | Table) -> Padding:
    """Return a part two columns to the right."""
    return Padding(renderable, (0, 0, 0, 2), expand=False)


def grid(columns: int) -> Table:
    """Return a table without lines whose last column alone may wrap."""
    table = Table.grid(padding=(0, 2))
    for column in range(columns):
        table.add_column(no_wrap=column < columns - 1, overflow="fold")
    return table


WIDTH = 78  # what a terminal of 80 columns holds
LEAST_STRIP = 12
RULES = {
    "pooled": "the pooled score",
    "mean_of_folds": "the mean of folds",
    "one_standard_error": "the one-standard-error rule",
}


def show_estimates(estimates: Estimates, names: Mapping[str, str] | None = None) -> None:
    """Write the sentence of the first honest estimate, then one row per method."""
    reported = next((e for e in estimates if e.honest), estimates.estimates[0])
    emit_blocks(
        sentences(reported),
        show_table(estimates, reported, columns()),
        [label_facts([*show_winners(estimates, reported, names), *show_evidence(reported)])],
        remarks([*estimates.cautions, *tag_cautions(estimates, reported)], list_checked(reported)),
    )


class TerminalRow(NamedTuple):
    """The cells of a method: its name, its value, its interval."""

    estimate: Estimate
    name: str
    value: str
    limits: str


def show_table(estimates: Estimates, reported: Estimate, columns: int) -> Iterator[Part]:
    """Yield the rows, those of one estimand under its sentence, then those that refused."""
    places = places_of(estimates)
    cells = [
        TerminalRow(e, e.method, print_numbers(e, places).value.words, limits(e, places))
        for e in estimates
    ]
    heads = ("method", title_of(reported), level(estimates))
    texts = list(zip(heads, *((r.name, "  " + r.value, r.limits) for r in cells), strict=True))
    widths = [max(len(text) for text in column) for column in texts]
    room = min(columns - 2, WIDTH) - sum(widths) - 2 * len(widths)
    stacked = room < 0
    axis = axis_for(estimates, room - 2 * MARGIN) if room - 2 * MARGIN >= LEAST_STRIP else None
    head = clean(", ".join(heads)) if stacked else join_cells(heads, widths)
    yield indented(Text((head + (axis.labels() if axis else "")).rstrip(), style=GREY))
    first = [reported.estimand, *(e.estimand for e in estimates)]
    for estimand in dict.fromkeys(first):
        yield show_paragraph(estimand, GREY)
        for row in cells:
            if row.estimate.estimand == estimand:
                yield (
                    pile_cells(row, reported) if stacked else draw_row(row, widths, axis, reported)
                )
    if estimates.refused:
        yield show_paragraph("cannot answer", GREY)
        reasons = ((f"  {name}", str(why)) for name, why in estimates.refused.items())
        yield label_facts(reasons, style=GREY)


def draw_row(
    row: TerminalRow, widths: list[int], axis: PictureAxis | None, reported: Estimate
) -> Text:
    """Return one row: blue as reported, grey for another estimand, orange if not corrected."""
    style = GREY if row.estimate.estimand != reported.estimand else ACCENT
    style = style if row.estimate.honest else WARN
    text = Text("  " + join_cells(("  " + row.name, row.value, row.limits), widths))
    if row.estimate is reported:
        text.stylize("bold")
    return text if axis is None else text.append(draw_strip(axis, row.estimate), style)


def pile_cells(row: TerminalRow, reported: Estimate) -> Padding:
    """Return the cells of a row one under the other, for a narrow terminal."""
    cells = "\n  ".join(clean(cell) for cell in (row.name, row.value, row.limits))
    text = Text(cells, style="bold" if row.estimate is reported else "")
    return Padding(text, (0, 0, 0, 4))


def join_cells(cells: tuple[str, str, str], widths: list[int]) -> str:
    """Return three cells, the number to the right."""
    name, value, ends = (clean(cell) for cell in cells)
    return f"{name:<{widths[0] + 2}}{value:>{widths[1]}}  {ends:<{widths[2]}}  "


def limits(estimate: Estimate, places: int) -> str:
    """Return an interval as a cell; 'above' and 'below' belong to one-sided bounds."""
    shown, interval = print_numbers(estimate, places), estimate.interval
    return "no interval" if interval is None else limits_words(interval, shown)


def level(estimates: Iterable[Estimate]) -> str:
    """Return the head of the column of intervals."""
    intervals = (e.interval for e in estimates if e.interval is not None)
    return next((f"{percent(i.confidence_level)} interval" for i in intervals), "interval")


def show_winners(
    estimates: Estimates, reported: Estimate, names: Mapping[str, str] | None = None
) -> Iterator[Fact]:
    """Yield the winner and the metric; by rule where rules choose or score differently."""
    chosen: dict[tuple[str | None, str], list[str]] = {}
    for estimate in (reported, *estimates):
        methods = chosen.setdefault((estimate.winner, rule(estimate)), [])
        methods += [estimate.method] if estimate.method not in methods else []
    if len({winner for winner, _ in chosen}) > 1:
        labels = names or {}
        choices = (
            f"{labels.get(str(who), who)} by {how} ({', '.join(methods)})"
            for (who, how), methods in chosen.items()
        )
        yield "Winner", "; ".join(choices)
        yield "Metric", metric_words(reported)
    else:
        yield from subject(reported, names)
    yield from naive_scores(estimates, reported)


def naive_scores(estimates: Estimates, reported: Estimate) -> Iterator[Fact]:
    """Yield the naive score of each rule where they differ; a hold-out part has its own."""
    scores: dict[str, str] = {}
    for estimate in (reported, *(e for e in estimates if e.method != "holdout")):
        shown = print_numbers(estimate, places_of([reported])).naive
        if shown is not None:
            scores.setdefault(rule(estimate), shown.words)
    if len(set(scores.values())) > 1:
        each = ", ".join(f"{score} by {how}" for how, score in scores.items())
        yield "Naive", f"{each}: the two rules score differently"


def rule(estimate: Estimate) -> str:
    """Return in words how a method chose the winner; a method without the knob has one rule."""
    name = str(estimate.provenance.knobs.get("selector", "mean_of_folds"))
    return RULES.get(name, name)


def tag_cautions(estimates: Estimates, reported: Estimate) -> Iterator[ShownCaution]:
    """Yield each caution once, with the methods that it is said of unless it is all of them.

    Where methods say it with other numbers, those of the reported estimate are shown, else of the
    first that says it.
    """
    by_kind: dict[str, list[tuple[str, Caution]]] = {}
    for estimate in (reported, *(estimate for estimate in estimates if estimate is not reported)):
        for caution in estimate.cautions:
            by_kind.setdefault(caution.kind, []).append((estimate.method, caution))
    for shared in estimates.cautions:
        by_kind.pop(shared.kind, None)
    for group in by_kind.values():
        names, caution = list(dict.fromkeys(name for name, _ in group)), group[0][1]
        same = [name for name, other in group if other.what == caution.what]
        others = [name for name in names if name not in same]
        of_all = len(names) == len(estimates) and not others
        tag = "" if of_all else f"{', '.join(dict.fromkeys(same))}: "
        more = f" (Also {', '.join(others)}, with other numbers.)" if others else ""
        yield ShownCaution(caution, before=tag, after=more)
