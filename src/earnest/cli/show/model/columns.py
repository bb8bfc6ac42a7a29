"""What a model does with its columns, in a terminal: a row per importance, a line per effect."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.table import Table
from rich.text import Text

from earnest.cli.show.estimate import Part, emit_blocks, indented, show_paragraph
from earnest.cli.show.terminal import ACCENT, GREY, clean
from earnest.core.results.model.columns import ColumnEffect, ModelExplanation
from earnest.core.text.model import (
    describe_effect,
    show_importance,
    show_limits,
    word_effort,
    word_headline,
    word_needed,
    word_together,
    word_way,
)
from earnest.core.text.numbers import percent

MOST_ROWS = 20


def show_model_explanation(explanation: ModelExplanation) -> None:
    """Write which columns the model needs, and how its prediction moves with them."""
    words = (word_needed(explanation), word_together(explanation), word_effort(explanation))
    emit_blocks(
        [
            show_paragraph(f"{word_headline(explanation)}.", "bold"),
            show_paragraph(word_way(explanation)),
        ],
        [indented(_list_rows(explanation))],
        _list_effects(explanation),
        [show_paragraph(each, GREY) for each in words if each],
    )


def _list_rows(explanation: ModelExplanation) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", min_width=8)
    for _ in range(2):
        table.add_column(justify="right", no_wrap=True)
    heads = ("column", f"{explanation.metric} lost", percent(explanation.confidence_level))
    table.add_row(*(Text(word, style=GREY) for word in heads))
    for each in islice(explanation, MOST_ROWS):
        style = ACCENT if each.shown else ""
        value = show_importance(explanation, each.value)
        limits = show_limits(explanation, each)
        table.add_row(
            Text(clean(each.name), style=style), Text(value, style=style), Text(limits, style=GREY)
        )
    if len(explanation) > MOST_ROWS:
        more = f"and {len(explanation) - MOST_ROWS:,} more: see --json"
        table.add_row(Text(more, style=GREY))
    return table


def _list_effects(explanation: ModelExplanation) -> Iterator[Part]:
    """Yield a sentence per column: of several classes, that which moves most."""
    widest: dict[str, ColumnEffect] = {}
    for effect in explanation.effects:
        before = widest.get(effect.column)
        if before is None or measure_range(effect) > measure_range(before):
            widest[effect.column] = effect
    for column, effect in widest.items():
        yield show_paragraph(f"{clean(column)}: {describe_effect(effect)}")


def measure_range(effect: ColumnEffect) -> float:
    """Return how far the mean prediction moves."""
    low, high = effect.range
    return high - low
