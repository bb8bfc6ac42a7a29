"""The gain of a search as people read it in a terminal: the heading, both curves, what to do."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from earnest.cli.show.estimate import (
    emit_blocks,
    indented,
    label_facts,
    metric_words,
    remarks,
    show_paragraph,
    splits,
)
from earnest.cli.show.picture import HONEST, NAIVE, PictureAxis
from earnest.cli.show.terminal import ACCENT, GREY, WARN, columns
from earnest.core.results.gain import Gain
from earnest.core.text.gain import count_gain_decimals, word_advice, word_confidence, word_headline
from earnest.core.text.numbers import percent, prose, write_count

PICTURE = 40  # columns of the picture
NEEDS = 34  # columns of the numbers beside it


def show_gain(gain: Gain, names: Mapping[str, str] | None = None) -> None:
    """Write one gain; `names` says what to print of each configuration."""
    advised = (
        show_paragraph(sentence)
        for sentence in (word_confidence(gain), *word_advice(gain))
        if sentence
    )
    emit_blocks(
        [show_paragraph(word_headline(gain), "bold"), *advised],
        [indented(_list_curve(gain))],
        [label_facts(_list_facts(gain, names or {}))],
        remarks(gain.cautions, "the order of the search, classes per fold, groups"),
    )


def _list_curve(gain: Gain) -> Table:
    """Return both curves, one row per mark, with a picture where there is room for it."""
    places, limits = count_gain_decimals(gain), gain.scale.limits
    wide = columns() >= PICTURE + NEEDS
    table = Table.grid(padding=(0, 2))
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    values = [v for line in (gain.naive, gain.low, gain.high) for v in line if v is not None]
    axis = PictureAxis.around(values or [0.0], PICTURE - 8)
    legend = Text(f"{HONEST} expect, {percent(gain.confidence_level)}  ", ACCENT)
    legend.append(f"{NAIVE} reported", WARN)
    heads = [Text(word, style=GREY) for word in ("configs", "reported", "expect")]
    table.add_row(*heads, legend if wide else Text())
    for row in gain.rows():
        reported, expected = (
            "–" if row[key] is None else prose(row[key], places, limits)
            for key in ("naive", "corrected")
        )
        cells = [Text(f"{row['configurations']:,}"), Text(reported, WARN), Text(expected, ACCENT)]
        table.add_row(*cells, _draw_row(axis, row) if wide else Text())
    return table


def _draw_row(axis: PictureAxis, row: dict[str, float | None]) -> Text:
    """Return the limits as a line, the corrected score and the naive one on it."""
    signs = [" "] * axis.room
    low, high = row["low"], row["high"]
    if low is not None and high is not None:
        for column in range(axis.column(low), axis.column(high) + 1):
            signs[column] = "─"
    for key, sign in (("naive", NAIVE), ("corrected", HONEST)):
        value = row[key]
        if value is not None:
            signs[axis.column(value)] = sign
    line = Text("".join(signs).rstrip(), style=ACCENT)
    line.highlight_words([NAIVE], WARN)
    return line


def _list_facts(gain: Gain, names: Mapping[str, str]) -> list[tuple[str, str]]:
    order = "as tried" if gain.order == "tried" else "the mean over all orders"
    parts = [
        write_count(gain.n_cases, gain.units.removesuffix("s")),
        write_count(gain.n_configs, "configuration"),
        *([splits(gain.provenance.n_folds)] if gain.units == "cases" else []),
        write_count(gain.n_resamples, "resample"),
        f"seed {gain.provenance.seed}",
    ]
    ends = {"First": gain.first, "Winner": gain.winner}
    return [
        *((word, names.get(id_, id_)) for word, id_ in ends.items() if id_ is not None),
        ("Metric", metric_words(gain)),
        ("Order", order),
        ("Evidence", ", ".join(parts)),
    ]
