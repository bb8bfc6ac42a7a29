"""All configurations against the best: a row each, the nearest rivals first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rich.padding import Padding
from rich.text import Text

from earnest.cli.show.comparison import difference_axis, naive_words, strip, test_facts, title_of
from earnest.cli.show.estimate import Fact, Part, indented, label_facts, remarks, splits
from earnest.cli.show.picture import HONEST, MARGIN, Axis
from earnest.cli.show.terminal import ACCENT, GREY, clean, columns, emit
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.specs import COMPARED_ON_ITEMS
from earnest.core.text.comparison import p_words, places_of_difference
from earnest.core.text.estimate import MINUS, prose
from earnest.core.text.numbers import write_count

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
    emit(
        Text(),
        indented(Text(clean(headline(results)), style="bold")),
        Text(),
        *table(results, columns(), names),
        Text(),
        label_facts(facts(results, names)),
        Text(),
        *remarks(list_shared(results), "folds, groups, spread, cases"),
    )


def headline(results: Comparisons) -> str:
    """Return the decision with the naive score of the best."""
    first = results.comparisons[0]
    best = first.value_a if results.reference == results.best else results[results.best].value_b
    places = places_of_difference(first)
    value = prose(best, places, first.scale.limits)
    return (
        f"{results.decision} Its naive {title_of(first)} is {value}."
        if _alone(results)
        else (f"{results.decision} The naive {title_of(first)} of {results.best} is {value}.")
    )


def _alone(results: Comparisons) -> bool:
    return len(results.not_worse) == 1 and results.simplest is None


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
    yield indented(Text(clean(f"{results.reference} {MINUS} other"), style=GREY))
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
        yield indented(Text(f"{more} more; --json has them all.", style=GREY))


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
    better = "higher" if first.scale.greater_is_better else "lower"
    yield "Metric", f"{first.metric}, {better} is better"
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


def list_shared(results: Comparisons) -> list[Caution]:
    """Return the remarks on all, those that every comparison has, and those that some have."""
    common = [
        caution
        for caution in results.comparisons[0].cautions
        if all(caution in made.cautions for made in results)
    ]
    return [*results.cautions, *common, *_of_some(results, common)]


def _of_some(results: Comparisons, common: list[Caution]) -> Iterator[Caution]:
    """Yield for each code one remark of the comparisons that have it, with whom it is about."""
    found: dict[str, tuple[Caution, list[str]]] = {}
    for made, _ in results.ranked():
        for caution in made.cautions:
            if caution not in common:
                names = found.setdefault(caution.code, (caution, []))[1]
                names += [] if made.b in names[-1:] else [made.b]
    for caution, names in found.values():
        also = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield replace(caution, what=f"Against {names[0]}{also}: {caution.what}")
