"""Comparisons as people read them in a terminal: of two, and of all with the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.padding import Padding
from rich.text import Text

from earnest.cli.show.estimate import (
    NARROWEST,
    PICTURE,
    Fact,
    Part,
    ShownCaution,
    emit_blocks,
    indented,
    label_facts,
    metric_words,
    remarks,
    say,
    splits,
    title_of,
)
from earnest.cli.show.picture import HONEST, MARGIN, Axis, draw_interval, mark
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns
from earnest.comparison import TESTS
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.specs import COMPARED_ON_ITEMS, Side
from earnest.core.text.comparison import chance, decision, p_words, places_of_difference
from earnest.core.text.numbers import MINUS, percent, prose, write_count

ZERO = "┆"
ARROW = 0.3  # how far an open end goes on, as a share of the other half
CHECKED = "folds, groups, spread, cases"


def show_comparison(made: Comparison, names: Mapping[str, str] | None = None) -> None:
    """Write one comparison; `names` says what to print of each configuration."""
    facts = [*values(made, names), *result_facts(made), *test_facts(made), *evidence(made)]
    emit_blocks(
        [say(decision(made, title_of(made)), "bold")],
        picture(made, columns()),
        [label_facts(facts)],
        remarks(made.cautions, CHECKED),
    )


def picture(made: Comparison, columns: int) -> Iterator[Part]:
    """Yield a row of ticks, the row of the interval with 0 marked, and who is better."""
    if columns < NARROWEST or made.interval is None:
        return
    axis = difference_axis([made], min(PICTURE, columns - 2 - 2 * MARGIN - 2))
    yield Text("  " + axis.labels(), style=GREY)
    yield Text("  ").append(strip(axis, made), ACCENT)
    yield Text("  ").append(sides(axis, made), GREY)


def difference_axis(made: Sequence[Comparison], width: int) -> Axis:
    """Return the axis that holds 0, the differences and the closed ends of their intervals."""
    ends = [0.0]
    for one in made:
        interval, middle = one.interval, one.difference
        low, high = (middle, middle) if interval is None else (interval.low, interval.high)
        if interval is not None and interval.side == Side.UPPER:
            low = middle - ARROW * (high - middle)  # room for an arrow behind the dot
        if interval is not None and interval.side == Side.LOWER:
            high = middle + ARROW * (middle - low)
        ends += [low, middle, high]
    return Axis.around(ends, width)


def strip(axis: Axis, made: Comparison, *, sign: str = HONEST) -> str:
    """Return the interval as a line, the difference as a dot on it, and a mark at 0."""
    row = [" "] * axis.room
    zero = axis.column(0.0)
    row[zero] = ZERO
    if made.interval is not None:
        start, stop = draw_interval(row, axis, made.interval)
        row[zero] = "┼" if start < zero < stop else row[zero]
    row[axis.column(made.difference)] = sign
    return "".join(row).rstrip()


def sides(axis: Axis, made: Comparison) -> str:
    """Return which configuration is better on which side of 0, as far as there is room."""
    left, right = (made.b, made.a) if made.scale.greater_is_better else (made.a, made.b)
    zero = axis.column(0.0)
    before, after = f"{clean(left)} better", f"{clean(right)} better"
    row = f"{before + '  ' if len(before) + 2 <= zero else '':>{zero}}"
    if zero + 2 + len(after) <= axis.room + PICTURE:
        row += f"{mark(axis, 0.0, ZERO)[-1]} {after}"
    return row.rstrip()


def values(made: Comparison, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the metric of both, and that no selection is corrected for in it."""
    places, known = places_of_difference(made), names or {}
    for label, name, value in (("A", made.a, made.value_a), ("B", made.b, made.value_b)):
        yield label, f"{prose(value, places, made.scale.limits)}  {known.get(name, name)}"
    yield "Scores", naive_words(made.best_of)
    yield "Metric", metric_words(made)


def naive_words(count: int | None) -> str:
    """Return that scores are naive; `count` configurations were there to choose from."""
    chosen = "the better of the two" if count is None else f"the best of {count:,}"
    return f"naive, not corrected for choosing {chosen}"


def result_facts(made: Comparison) -> Iterator[Fact]:
    """Yield the difference with its interval, and the p-value or the probabilities."""
    places = places_of_difference(made)
    yield "A - B".replace("-", MINUS), difference_words(made, places)
    if made.p_value is not None:
        yield "p-value", f"{p_words(made.p_value)}, {made.alternative}"
    if made.p_simultaneous is not None:
        pairs = f"for all pairs of the {made.best_of} configurations simultaneously"
        yield "If chosen", f"{p_words(made.p_simultaneous)}, {pairs}"
    found = made.probabilities
    if found is not None:
        better = f"A better {chance(found.a_better)}, equal within {found.rope:g} "
        yield "Posterior", f"{better}{chance(found.equivalent)}, B better {chance(found.b_better)}"


def difference_words(made: Comparison, places: int) -> str:
    """Return the difference and its interval in words."""
    text, interval = prose(made.difference, places, made.limits), made.interval
    if interval is None:
        return f"{text}, no interval"
    low, high = (prose(end, places, made.limits) for end in (interval.low, interval.high))
    level, credible = percent(interval.confidence_level), made.probabilities is not None
    if interval.side == Side.TWO_SIDED:
        return f"{text}, {level} {'credible ' * credible}interval {low} to {high}"
    bound = f"above {low}" if interval.side == Side.LOWER else f"below {high}"
    return f"{text}, with {level} {'probability' if credible else 'confidence'} {bound}"


def test_facts(made: Comparison) -> Iterator[Fact]:
    """Yield the test and what it compares."""
    title = TESTS[made.test].spec.title if made.test in TESTS else made.test
    yield "Test", f"{made.test}: {title}"
    yield "Compares", made.estimand


def evidence(made: Comparison) -> Iterator[Fact]:
    """Yield what the difference stands on."""
    about = made.provenance
    samples = about.knobs.get("n_replicates")
    trained = splits(about.n_folds)
    if samples is not None:
        trained = write_count(int(samples), "bootstrap sample")
    parts = [write_count(made.n_cases, "case"), trained]
    if made.estimand == COMPARED_ON_ITEMS:
        parts = [write_count(made.n_cases, "item")]
    if about.n_repeats > 1:
        parts.append(write_count(about.n_repeats, "repeat"))
    if made.n_resamples:
        parts += [write_count(made.n_resamples, "resample"), f"seed {about.seed}"]
    yield "Evidence", ", ".join(parts)


MOST_ROWS = 20
WIDTH = 78  # what a terminal of 80 columns holds
LEAST_STRIP = 12
LONGEST_NAME = 26
LONGEST_LABEL = 36  # of an id with the name behind it
HEADS = ("other", "difference", "p adj.")
P_BEST = "p best"  # where it is not the adjusted p-value
NOT_BEST = "○"  # said without colour too
Cells = tuple[str, ...]
RULES = {
    "simultaneous": "simultaneous",
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "none": "not adjusted",
}


def show_comparisons(results: Comparisons, names: Mapping[str, str] | None = None) -> None:
    """Write what can be said of all, then a row for each of the nearest rivals.

    `names` says what to print of each configuration; sentences keep the id.
    """
    emit_blocks(
        [say(headline(results), "bold")],
        table(results, columns(), names),
        [label_facts(facts(results, names))],
        remarks(list_shared(results), CHECKED),
    )


def headline(results: Comparisons) -> str:
    """Return the decision with the naive score of the best."""
    first = results.comparisons[0]
    best = first.value_a if results.reference == results.best else results[results.best].value_b
    places = places_of_difference(first)
    value = prose(best, places, first.scale.limits)
    if len(results.not_worse) == 1 and results.simplest is None:
        return f"{results.decision} Its naive {title_of(first)} is {value}."
    return f"{results.decision} The naive {title_of(first)} of {results.best} is {value}."


def table(
    results: Comparisons, columns: int, names: Mapping[str, str] | None = None
) -> Iterator[Part]:
    """Yield the rows of the nearest rivals, those that may be the best in colour."""
    results, _ = results.as_shown()
    rows = results.ranked()[:MOST_ROWS]
    places = max(places_of_difference(made) for made, _ in rows)
    both = _two_kinds(results)
    cells = [
        _cells(made, p, results.p_best[made.b] if both else None, places, names) for made, p in rows
    ]
    yield say(f"{results.reference} {MINUS} other", GREY)
    heads = (*HEADS, P_BEST) if both else HEADS
    texts = list(zip(heads, *cells, strict=True))
    widths = [max(len(text) for text in column) for column in texts]
    room = min(columns - 2, WIDTH) - sum(widths) - 2 * len(widths)
    fits = room - 2 * MARGIN >= LEAST_STRIP
    axis = difference_axis([made for made, _ in rows], room - 2 * MARGIN) if fits else None
    narrow = room < 0
    head = ", ".join(heads) if narrow else _line(heads, widths) + (axis.labels() if axis else "")
    yield indented(Text(clean(head).rstrip(), style=GREY))
    kept = set(results.not_worse)
    for (made, _), texts_of in zip(rows, cells, strict=True):
        yield _row(made, texts_of, widths, axis, narrow, made.b in kept)
    more = len(results) - len(rows)
    if more > 0:
        yield say(f"{more} more; --json has them all.", GREY)


def _two_kinds(results: Comparisons) -> bool:
    """Tell whether adjusted p-values are others than those that decide what may be the best."""
    return any(p != results.p_best[made.b] for made, p in results.ranked())


def _cells(
    made: Comparison, p: float, best: float | None, places: int, names: Mapping[str, str] | None
) -> Cells:
    known = _short(made.b, names), prose(made.difference, places, made.limits), _bare(p)
    return known if best is None else (*known, _bare(best))


def _bare(p: float) -> str:
    return p_words(p).removeprefix("p ").removeprefix("= ")


def _row(
    made: Comparison,
    cells: Cells,
    widths: list[int],
    axis: Axis | None,
    narrow: bool,
    kept: bool,
) -> Part:
    style = ACCENT if kept else GREY
    verdict = Comparisons.verdict(kept)
    if narrow:
        return Padding(Text("\n  ".join(clean(c) for c in (*cells, verdict)), style=style), (0, 2))
    text = Text("  " + clean(_line(cells, widths)), style=style)
    sign = HONEST if kept else NOT_BEST
    return text.append(strip(axis, made, sign=sign), style) if axis else text.append(verdict)


def _line(cells: Cells, widths: list[int]) -> str:
    name, *numbers = cells
    return f"{name:<{widths[0]}}  " + "".join(
        f"{text:>{width}}  " for text, width in zip(numbers, widths[1:], strict=True)
    )


def _short(name: str, names: Mapping[str, str] | None) -> str:
    said = (names or {}).get(name, name)
    longest = LONGEST_NAME if said == name else LONGEST_LABEL
    return said if len(said) <= longest else said[: longest - 1] + "…"


def facts(results: Comparisons, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the best, the set, the simplest, and how it was found."""
    first, known = results.comparisons[0], names or {}
    yield "Best", known.get(results.best, results.best)
    yield "Scores", naive_words(len(results.p_best))
    if results.reference != results.best:
        yield "Against", known.get(results.reference, results.reference)
    yield "May be best", _list_names(results.not_worse)
    if results.simplest is not None:
        yield "Simplest", known.get(results.simplest, results.simplest)
    yield "Metric", metric_words(first)
    against = "the best" if results.reference == results.best else "the reference"
    yield "p adj.", f"against {against}, {first.alternative}; {RULES[results.adjust]}"
    how = "by their joint distribution" if results.joint else "by Bonferroni's rule"
    alpha = f"{1 - results.confidence_level:.3g}"
    which = "p best, against the best" if _two_kinds(results) else "p adj."
    yield "At once", f"{which}: for all pairs, {how}; may be best if above {alpha}"
    yield from test_facts(first)
    about = first.provenance
    items = first.estimand == COMPARED_ON_ITEMS
    units = write_count(first.n_cases, "item" if items else "case")
    parts = [units, write_count(len(results.p_best), "configuration")]
    parts += [] if items else [splits(about.n_folds)]
    if results.seed is not None:
        parts.append(f"seed {results.seed}")
    yield "Evidence", ", ".join(parts)


def _list_names(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def list_shared(results: Comparisons) -> list[Caution | ShownCaution]:
    """Return the remarks on all, those that every comparison has, and those that some have."""
    common = [
        caution
        for caution in results.comparisons[0].cautions
        if all(caution in made.cautions for made in results)
    ]
    return [*results.cautions, *common, *_of_some(results, common)]


def _of_some(results: Comparisons, common: list[Caution]) -> Iterator[ShownCaution]:
    """Yield for each kind one remark of the comparisons that have it, with whom it is about."""
    found: dict[str, tuple[Caution, list[str]]] = {}
    for made, _ in results.ranked():
        for caution in made.cautions:
            if caution not in common:
                names = found.setdefault(caution.kind, (caution, []))[1]
                names += [] if made.b in names[-1:] else [made.b]
    for caution, names in found.values():
        also = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield ShownCaution(caution, before=f"Against {names[0]}{also}: ")
