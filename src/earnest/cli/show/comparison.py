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
    emit_blocks,
    indented,
    label_facts,
    metric_words,
    remarks,
    show_paragraph,
    splits,
    title_of,
)
from earnest.cli.show.picture import HONEST, MARGIN, PictureAxis, draw_interval_signs, mark
from earnest.cli.show.subgroups import list_subgroups
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns
from earnest.comparison import TESTS
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.specs import ComparisonEstimand, Side, Standing
from earnest.core.text.comparison import (
    chance,
    decision,
    p_value_text,
    p_words,
    places_of_difference,
)
from earnest.core.text.numbers import MINUS, percent, prose, write_count
from earnest.core.text.order import word_dependence

ZERO = "┆"
ARROW = 0.3  # how far an open end goes on, as a share of the other half
CHECKED = "folds, groups, spread, cases"


def show_comparison(comparison: Comparison, names: Mapping[str, str] | None = None) -> None:
    """Write one comparison; `names` says what to print of each configuration."""
    facts = [
        *values(comparison, names),
        *result_facts(comparison),
        *test_facts(comparison),
        *show_evidence(comparison),
    ]
    emit_blocks(
        [show_paragraph(decision(comparison, title_of(comparison)), "bold")],
        draw_picture(comparison, columns()),
        list_subgroups(comparison.subgroups),
        [label_facts(facts)],
        remarks(comparison.cautions, CHECKED),
    )


def draw_picture(comparison: Comparison, columns: int) -> Iterator[Part]:
    """Yield a row of ticks, the row of the interval with 0 marked, and who is better."""
    if columns < NARROWEST or comparison.interval is None:
        return
    axis = difference_axis([comparison], min(PICTURE, columns - 2 - 2 * MARGIN - 2))
    yield Text("  " + axis.labels(), style=GREY)
    yield Text("  ").append(draw_strip(axis, comparison), ACCENT)
    yield Text("  ").append(sides(axis, comparison), GREY)


def difference_axis(comparisons: Sequence[Comparison], width: int) -> PictureAxis:
    """Return the axis that holds 0, the differences and the closed ends of their intervals."""
    ends = [0.0]
    for comparison in comparisons:
        interval, middle = comparison.interval, comparison.difference
        low, high = (middle, middle) if interval is None else (interval.low, interval.high)
        if interval is not None and interval.side == Side.UPPER:
            low = middle - ARROW * (high - middle)  # room for an arrow behind the dot
        if interval is not None and interval.side == Side.LOWER:
            high = middle + ARROW * (middle - low)
        ends += [low, middle, high]
    return PictureAxis.around(ends, width)


def draw_strip(axis: PictureAxis, comparison: Comparison, *, sign: str = HONEST) -> str:
    """Return the interval as a line, the difference as a dot on it, and a mark at 0."""
    row = [" "] * axis.room
    zero = axis.column(0.0)
    row[zero] = ZERO
    if comparison.interval is not None:
        start, stop = draw_interval_signs(row, axis, comparison.interval)
        row[zero] = "┼" if start < zero < stop else row[zero]
    row[axis.column(comparison.difference)] = sign
    return "".join(row).rstrip()


def sides(axis: PictureAxis, comparison: Comparison) -> str:
    """Return which configuration is better on which side of 0, as far as there is room."""
    left, right = (
        (comparison.b, comparison.a)
        if comparison.scale.greater_is_better
        else (comparison.a, comparison.b)
    )
    zero = axis.column(0.0)
    before, after = f"{clean(left)} better", f"{clean(right)} better"
    row = f"{before + '  ' if len(before) + 2 <= zero else '':>{zero}}"
    if zero + 2 + len(after) <= axis.room + PICTURE:
        row += f"{mark(axis, 0.0, ZERO)[-1]} {after}"
    return row.rstrip()


def values(comparison: Comparison, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the metric of both, and that no selection is corrected for in it."""
    places, labels = places_of_difference(comparison), names or {}
    for label, name, value in (
        ("A", comparison.a, comparison.value_a),
        ("B", comparison.b, comparison.value_b),
    ):
        yield label, f"{prose(value, places, comparison.scale.limits)}  {labels.get(name, name)}"
    yield "Scores", naive_words(comparison.best_of)
    yield "Metric", metric_words(comparison)


def naive_words(count: int | None) -> str:
    """Return that scores are naive; `count` configurations were there to choose from."""
    chosen = "the better of the two" if count is None else f"the best of {count:,}"
    return f"naive, not corrected for choosing {chosen}"


def result_facts(comparison: Comparison) -> Iterator[Fact]:
    """Yield the difference with its interval, and the p-value or the probabilities."""
    places = places_of_difference(comparison)
    yield "A - B".replace("-", MINUS), difference_words(comparison, places)
    if comparison.p_value is not None:
        yield "p-value", f"{p_words(comparison.p_value)}, {comparison.alternative}"
    if comparison.p_simultaneous is not None:
        pairs = f"for all pairs of the {comparison.best_of} configurations simultaneously"
        yield "If chosen", f"{p_words(comparison.p_simultaneous)}, {pairs}"
    posterior = comparison.probabilities
    if posterior is not None:
        better = f"A better {chance(posterior.a_better)}, equal within {posterior.rope:g} "
        yield (
            "Posterior",
            f"{better}{chance(posterior.equivalent)}, B better {chance(posterior.b_better)}",
        )


def difference_words(comparison: Comparison, places: int) -> str:
    """Return the difference and its interval in words."""
    text, interval = prose(comparison.difference, places, comparison.limits), comparison.interval
    if interval is None:
        return f"{text}, no interval"
    low, high = (prose(end, places, comparison.limits) for end in (interval.low, interval.high))
    level, credible = percent(interval.confidence_level), comparison.probabilities is not None
    if interval.side == Side.TWO_SIDED:
        return f"{text}, {level} {'credible ' * credible}interval {low} to {high}"
    bound = f"above {low}" if interval.side == Side.LOWER else f"below {high}"
    return f"{text}, with {level} {'probability' if credible else 'confidence'} {bound}"


def test_facts(comparison: Comparison) -> Iterator[Fact]:
    """Yield the test and what it compares."""
    title = TESTS[comparison.test].spec.title if comparison.test in TESTS else comparison.test
    yield "Test", f"{comparison.test}: {title}"
    yield "Compares", comparison.estimand


def show_evidence(comparison: Comparison) -> Iterator[Fact]:
    """Yield what the difference stands on."""
    about = comparison.provenance
    samples = about.knobs.get("n_replicates")
    trained = splits(about.n_folds)
    if samples is not None:
        trained = write_count(int(samples), "bootstrap sample")
    parts = [write_count(comparison.n_cases, "case"), trained]
    if comparison.evidence is not None:
        parts = [trained, "no predictions"]
    elif comparison.estimand is ComparisonEstimand.ITEMS:
        parts = [write_count(comparison.n_cases, "item")]
    if about.n_repeats > 1:
        parts.append(write_count(about.n_repeats, "repeat"))
    if comparison.n_resamples:
        parts += [write_count(comparison.n_resamples, "resample"), f"seed {about.seed}"]
    yield "Evidence", ", ".join(parts)
    if comparison.dependence is not None:
        yield "In time", word_dependence(comparison.dependence)


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
        [show_paragraph(show_headline(results), "bold")],
        show_table(results, columns(), names),
        [label_facts(show_facts(results, names))],
        remarks(results.cautions, CHECKED),
    )


def show_headline(results: Comparisons) -> str:
    """Return the decision with the naive score of the best."""
    first = results.comparisons[0]
    best = first.value_a if results.reference == results.best else results[results.best].value_b
    places = places_of_difference(first)
    value = prose(best, places, first.scale.limits)
    if len(results.not_worse) == 1 and results.cheapest is None:
        return f"{results.decision} Its naive {title_of(first)} is {value}."
    return f"{results.decision} The naive {title_of(first)} of {results.best} is {value}."


def show_table(
    results: Comparisons, columns: int, names: Mapping[str, str] | None = None
) -> Iterator[Part]:
    """Yield the rows of the nearest rivals, those not shown to be worse in colour."""
    results, _ = results.as_shown()
    rows = results.ranked()[:MOST_ROWS]
    places = max(places_of_difference(comparison) for comparison, _ in rows)
    both = _two_kinds(results)
    cells = [
        _cells(comparison, p, results.p_best[comparison.b] if both else None, places, names)
        for comparison, p in rows
    ]
    yield show_paragraph(f"{results.reference} {MINUS} other", GREY)
    heads = (*HEADS, P_BEST) if both else HEADS
    texts = list(zip(heads, *cells, strict=True))
    widths = [max(len(text) for text in column) for column in texts]
    room = min(columns - 2, WIDTH) - sum(widths) - 2 * len(widths)
    fits = room - 2 * MARGIN >= LEAST_STRIP
    axis = (
        difference_axis([comparison for comparison, _ in rows], room - 2 * MARGIN) if fits else None
    )
    narrow = room < 0
    head = ", ".join(heads) if narrow else _line(heads, widths) + (axis.labels() if axis else "")
    yield indented(Text(clean(head).rstrip(), style=GREY))
    standings = results.standings
    for (comparison, _), texts_of in zip(rows, cells, strict=True):
        yield _row(comparison, texts_of, widths, axis, narrow, standings[comparison.b])
    more = len(results) - len(rows)
    if more > 0:
        yield show_paragraph(f"{more} more; --json has them all.", GREY)


def _two_kinds(results: Comparisons) -> bool:
    """Tell whether adjusted p-values are others than those that decide how each stands."""
    return any(p != results.p_best[comparison.b] for comparison, p in results.ranked())


def _cells(
    comparison: Comparison,
    p: float,
    best: float | None,
    places: int,
    names: Mapping[str, str] | None,
) -> Cells:
    texts = (
        _short(comparison.b, names),
        prose(comparison.difference, places, comparison.limits),
        p_value_text(p),
    )
    return texts if best is None else (*texts, p_value_text(best))


def _row(
    comparison: Comparison,
    cells: Cells,
    widths: list[int],
    axis: PictureAxis | None,
    narrow: bool,
    standing: Standing,
) -> Part:
    is_close, verdict = standing is not Standing.WORSE, str(standing)
    style = ACCENT if is_close else GREY
    if narrow:
        return Padding(Text("\n  ".join(clean(c) for c in (*cells, verdict)), style=style), (0, 2))
    text = Text("  " + clean(_line(cells, widths)), style=style)
    sign = HONEST if is_close else NOT_BEST
    return (
        text.append(draw_strip(axis, comparison, sign=sign), style)
        if axis
        else text.append(verdict)
    )


def _line(cells: Cells, widths: list[int]) -> str:
    name, *numbers = cells
    return f"{name:<{widths[0]}}  " + "".join(
        f"{text:>{width}}  " for text, width in zip(numbers, widths[1:], strict=True)
    )


def _short(name: str, names: Mapping[str, str] | None) -> str:
    label = (names or {}).get(name, name)
    longest = LONGEST_NAME if label == name else LONGEST_LABEL
    return label if len(label) <= longest else label[: longest - 1] + "…"


def show_facts(results: Comparisons, names: Mapping[str, str] | None = None) -> Iterator[Fact]:
    """Yield the best, the set, the cheapest, and how it was found."""
    first, labels = results.comparisons[0], names or {}
    yield "Best", labels.get(results.best, results.best)
    yield "Scores", naive_words(len(results.p_best))
    if results.reference != results.best:
        yield "Against", labels.get(results.reference, results.reference)
    yield "Not shown worse", _list_names(results.not_worse)
    if results.cheapest is not None:
        near = f" (at most {results.margin:.2g} worse here)" if results.margin else ""
        yield "Cheapest", f"{labels.get(results.cheapest, results.cheapest)}{near}"
    yield "Metric", metric_words(first)
    against = "the best" if results.reference == results.best else "the reference"
    yield "p adj.", f"against {against}, {first.alternative}; {RULES[results.adjust]}"
    how = "by their joint distribution" if results.joint else "by Bonferroni's rule"
    alpha = f"{1 - results.confidence_level:.3g}"
    which = "p best, against the best" if _two_kinds(results) else "p adj."
    yield "At once", f"{which}: for all pairs, {how}; worse if not above {alpha}"
    yield from test_facts(first)
    about = first.provenance
    items = first.estimand is ComparisonEstimand.ITEMS or first.evidence is not None
    units = write_count(first.n_cases, _name_unit(first))
    parts = [units, write_count(len(results.p_best), "configuration")]
    parts += [] if items else [splits(about.n_folds)]
    if results.seed is not None:
        parts.append(f"seed {results.seed}")
    yield "Evidence", ", ".join(parts)


def _name_unit(comparison: Comparison) -> str:
    if comparison.evidence is not None:
        return "fold"
    return "item" if comparison.estimand is ComparisonEstimand.ITEMS else "case"


def _list_names(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
