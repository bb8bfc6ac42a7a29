"""Tables of results as small pieces of HTML for notebooks: a row a method, a row a rival."""

from __future__ import annotations

from itertools import groupby

from earnest.core.comparison_tables import Comparisons
from earnest.core.comparison_words import p_words, places_of_difference
from earnest.core.comparisons import Comparison
from earnest.core.results import Estimate
from earnest.core.sentences import limits_words, percent, places_of, printed, prose
from earnest.core.tables import Estimates
from earnest.plotting import report_figures as draw
from earnest.reporting.findings_words import SHORT
from earnest.reporting.fragments import Table, TableRow, fragment, name_of

STRIP, NARROW = 300, 220  # pixels
MOST_ROWS = 20
DASH = "–"


def estimates_fragment(made: Estimates) -> str:
    """Return a table of methods: what each estimates, its value, its interval, its strip."""
    rows = sorted(made, key=lambda one: (not _fair(one), one.estimand))
    scale = draw.shared_scale(rows, width=STRIP) if rows else None
    places, first = places_of(rows), next((one.estimand for one in rows if _fair(one)), None)
    name, out = name_of(made), list[TableRow]()
    for (fair, estimand), group in groupby(rows, key=lambda one: (_fair(one), one.estimand)):
        words = estimand if fair else f"{estimand}; not corrected for the search"
        out.append(TableRow((words,), group=True))
        for one in group:
            trust = draw.Trust.CORRECTED if estimand == first else draw.Trust.OTHER
            assert scale is not None
            strip = draw.forest_strip(
                one, scale, name=f"{name}-{len(out)}", trust=trust if fair else draw.Trust.NAIVE
            )
            value, ends = printed(one, places).value, _ends(one, places)
            cells = (SHORT.get(one.method, one.method), value, ends)
            out.append(TableRow(cells, strip=strip))
    refused = [TableRow((f"{name}: {why}",), group=True) for name, why in made.refused.items()]
    axis = None if scale is None else draw.strip_axis(scale, name=f"{name}-axis")
    level = _level(rows)
    table = Table(("Method", "Estimate", f"{level} interval".strip()), (*out, *refused), axis)
    many = f"{len(rows)} method{'' if len(rows) == 1 else 's'} on the same cases"
    rest = "Compare numbers within a group; across groups they answer different questions."
    return fragment(many + ".", rest, [], made.cautions, table=table)


def comparisons_fragment(made: Comparisons) -> str:
    """Return the decision on all, and a row for each of the nearest rivals."""
    ranked = made.ranked()[:MOST_ROWS]
    kept = set(made.not_worse)
    differences = [_difference(one, kept=one.b in kept) for one, _ in ranked]
    scale, name = draw.difference_scale(differences, width=NARROW), name_of(made)
    places = max(3, *(places_of_difference(one) for one, _ in ranked))
    rows = tuple(
        TableRow(
            (
                one.b,
                prose(one.difference, places, one.limits),
                p_words(p).removeprefix("p ").removeprefix("= "),
                p_words(made.p_best[one.b]).removeprefix("p ").removeprefix("= "),
                made.verdict(one.b in kept),
            ),
            strip=draw.comparison_strip(each, scale, name=f"{name}-{i}"),
        )
        for i, ((one, p), each) in enumerate(zip(ranked, differences, strict=True))
    )
    more = len(made) - len(rows)
    heads = (
        "Configuration",
        f"{made.reference} minus it",
        f"p, {made.adjust}" if made.adjust != "none" else "p",
        "p of being the best",
        "",
    )
    rest = f"The nearest {len(rows)} of {len(made)}; `to_frame()` has them all." if more else ""
    axis = draw.strip_axis(scale, name=f"{name}-axis")
    return fragment(made.decision, rest, [], made.cautions, table=Table(heads, rows, axis))


def _fair(one: Estimate) -> bool:
    from earnest.methods import METHODS

    known = METHODS[one.method].spec.corrected if one.method in METHODS else True
    return one.n_configs == 1 or bool(known)


def _level(rows: list[Estimate]) -> str:
    levels = [one.interval.confidence_level for one in rows if one.interval is not None]
    return percent(levels[0]) if levels else ""


def _ends(one: Estimate, places: int) -> str:
    return DASH if one.interval is None else limits_words(one.interval, printed(one, places))


def _difference(one: Comparison, *, kept: bool) -> draw.Difference:
    interval = one.interval
    return draw.Difference(
        name=one.b,
        value=one.difference,
        one=None if interval is None else (interval.low, interval.high),
        words=f"{one.a} minus this",
        verdict=Comparisons.verdict(kept),
        worse=not kept,
    )
