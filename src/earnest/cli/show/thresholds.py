"""A table of thresholds as people read it in a terminal: a choice, rows, what it stands on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from earnest.cli.show.estimate import (
    emit_blocks,
    indented,
    label_facts,
    remarks,
    show_paragraph,
    splits,
)
from earnest.cli.show.terminal import ACCENT, GREY, columns
from earnest.core.results.thresholds import ThresholdChoice, Thresholds
from earnest.core.text.numbers import write_count
from earnest.core.text.thresholds import (
    SHORT,
    name_winner,
    show_band,
    show_cut,
    show_value,
    tell_bands,
    tell_choice,
    tell_gain,
    word_headline,
    word_subgroups,
)

SUBGROUP_MEASURES = ("sensitivity", "specificity", "flagged")
SHOWN = ("sensitivity", "specificity", "ppv", "npv", "flagged", "net_benefit")
WIDTH = 16  # columns of a value with its band
NARROW = 13  # columns of a value alone


def show_thresholds(
    thresholds: Thresholds,
    choices: Sequence[ThresholdChoice] | None = None,
    at: Sequence[float] | None = None,
) -> None:
    """Write a table of thresholds; a choice by Youden's rule where none was asked for."""
    if choices is None:
        choices = [] if thresholds.draws is None else [thresholds.choose("youden")]
    cautions = (*thresholds.cautions, *(each for choice in choices for each in choice.cautions))
    sentences = (show_paragraph(tell_choice(thresholds, each)) for each in choices)
    emit_blocks(
        [
            show_paragraph(word_headline(thresholds), "bold"),
            *sentences,
            show_paragraph(tell_bands(thresholds)),
            *(show_paragraph(words) for words in (tell_gain(thresholds),) if words),
        ],
        [indented(_list_rows(thresholds, at))],
        [
            *(
                [show_paragraph(word_subgroups(thresholds, _find_cut(thresholds, choices, at)))]
                if thresholds.subgroups
                else []
            ),
            *(
                [indented(_list_subgroups(thresholds, _find_cut(thresholds, choices, at)))]
                if thresholds.subgroups
                else []
            ),
        ],
        [label_facts(_list_facts(thresholds))],
        remarks(cautions, "scales of scores, the order of the search, classes per fold, groups"),
    )


def _find_cut(
    thresholds: Thresholds, choices: Sequence[ThresholdChoice], at: Sequence[float] | None
) -> float:
    """Return the threshold at which subgroups are shown: named, chosen, or the usual one."""
    if at:
        return at[0]
    return choices[0].threshold if choices else thresholds.usual


def _list_subgroups(thresholds: Thresholds, cut: float) -> Table:
    """Return a row per subgroup at one threshold, each rate with its band."""
    table = Table.grid(padding=(0, 2))
    names = SUBGROUP_MEASURES
    table.add_column(no_wrap=True)
    for _ in range(1 + len(names)):
        table.add_column(justify="right", no_wrap=True)
    heads = ["subgroup", "n", *(_head(SHORT[name]) for name in names)]
    table.add_row(*(Text(word, style=GREY) for word in heads))
    for each in thresholds.subgroups:
        row, cells = each.table.at(cut), [Text(each.name), Text(f"{each.table.n_cases:,}")]
        for name in names:
            rate = row.rate(name)
            assert rate is not None
            value = Text(show_value(each.table, name, rate.value), style=ACCENT)
            cells.append(value.append(f"  {show_band(each.table, name, rate)}", GREY))
        table.add_row(*cells)
    return table


def _list_rows(thresholds: Thresholds, at: Sequence[float] | None) -> Table:
    """Return a few rows, each measure with its band under it where the terminal is wide."""
    names = [name for name in SHOWN if name in thresholds.measures]
    banded = columns() >= 14 + WIDTH * len(names)
    while not banded and columns() < 14 + NARROW * len(names):
        names.pop()
    table = Table.grid(padding=(0, 2))
    for _ in range(1 + len(names)):
        table.add_column(justify="right", no_wrap=True)
    heads = ["threshold", *(_head(SHORT[name]) for name in names)]
    table.add_row(*(Text(word, style=GREY) for word in heads))
    rows = thresholds.pick() if not at else [thresholds.at(threshold) for threshold in at]
    for row in rows:
        values, bands = [Text(show_cut(row.threshold))], [Text()]
        for name in names:
            rate = row.rate(name)
            assert rate is not None
            values.append(Text(show_value(thresholds, name, rate.value), style=ACCENT))
            bands.append(Text(show_band(thresholds, name, rate), style=GREY))
        table.add_row(*values)
        if banded or at:
            table.add_row(*bands)
    return table


def _head(word: str) -> str:
    return word if word.isupper() else word.lower()


def _list_facts(thresholds: Thresholds) -> list[tuple[str, str]]:
    parts = [
        write_count(thresholds.n_cases, "case"),
        f"{thresholds.n_positive:,} positive ({thresholds.positive})",
        write_count(thresholds.n_configs, "configuration"),
        splits(thresholds.provenance.n_folds),
        write_count(thresholds.n_resamples, "resample"),
        f"seed {thresholds.provenance.seed}",
    ]
    return [
        ("Winner", f"{name_winner(thresholds)}, chosen by {thresholds.metric}"),
        ("Evidence", ", ".join(parts)),
    ]
