"""Subgroups in a terminal: what is shown, a row each, and the largest gaps."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from earnest.cli.show.estimate import Part, indented, show_paragraph
from earnest.cli.show.terminal import ACCENT, GREY, WARN, clean, columns
from earnest.core.results.subgroups import Subgroups, SubgroupStanding
from earnest.core.text.subgroups import (
    show_gap,
    show_gap_limits,
    show_limits,
    show_value,
    word_bound,
    word_calibration,
    word_gap,
    word_headline,
    word_unjudged,
)

WIDE = 90  # columns of a terminal that has room for the difference to the others
STYLES = {SubgroupStanding.WORSE: WARN, SubgroupStanding.BETTER: ACCENT}


def list_subgroups(groups: Subgroups | None) -> Iterator[Part]:
    """Yield the heading, a row per subgroup, and what follows; nothing where there are none."""
    if groups is None:
        return
    yield show_paragraph(word_headline(groups), "bold")
    yield indented(_list_rows(groups))
    for words in (word_bound(groups), word_unjudged(groups), word_calibration(groups)):
        if words:
            yield show_paragraph(words)
    for gap in groups.gaps:
        yield show_paragraph(word_gap(groups, gap), GREY)


def _list_rows(groups: Subgroups) -> Table:
    """Return a row per subgroup: its score with the limits that hold at once."""
    against = groups.baseline is None and columns() >= WIDE
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", min_width=8)
    for _ in range(3 + 2 * against):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    what = groups.metric if groups.baseline is None else f"less {clean(groups.baseline)}"
    heads = ["subgroup", "n", what, "at once", *(["less others", "at once"] * against), ""]
    table.add_row(*(Text(word, style=GREY) for word in heads))
    for each in groups:
        style = STYLES.get(each.standing, "")
        cells = [Text(clean(each.name), style=style), Text(f"{each.n_cases:,}")]
        cells += [Text(show_value(groups, each), style=style or ACCENT)]
        cells += [Text(show_limits(groups, each) if each.judged else "", style=GREY)]
        if against:
            cells += [Text(show_gap(groups, each.gap)), Text(show_gap_limits(groups, each))]
        shown = each.standing is not SubgroupStanding.NOT_SHOWN
        cells.append(Text(str(each.standing) if shown else "", style=style or GREY))
        table.add_row(*cells)
    return table
