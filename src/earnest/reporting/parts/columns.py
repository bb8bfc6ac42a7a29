"""What the delivered model does with its columns: the part of a report on them."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.results.model.columns import (
    ColumnEffect,
    ColumnImportance,
    ImportanceKind,
    ModelExplanation,
)
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
from earnest.plotting.svg.canvas import Axis
from earnest.plotting.svg.columns import column_effect, importance_strip, share_limits
from earnest.plotting.svg.strips import scale_over, strip_axis
from earnest.reporting.model import ColumnRow, ColumnsPart, Panel

MOST_ROWS = 15  # that stand open; the others are folded


def columns_part(explanation: ModelExplanation | None) -> ColumnsPart | None:
    """Return which columns the model needs, and how its prediction moves; None where unknown."""
    if explanation is None:
        return None
    ends = (end for each in explanation for end in (each.low, each.high, 0.0))
    scale = scale_over(ends)
    notes = (word_needed(explanation), word_together(explanation), word_effort(explanation))
    return ColumnsPart(
        heading=word_headline(explanation),
        lede=word_way(explanation),
        notes=tuple(note for note in notes if note),
        level=percent(explanation.confidence_level),
        metric=explanation.metric,
        rows=tuple(_list_rows(explanation, scale)),
        n_open=MOST_ROWS,
        axis=strip_axis(scale, name="columns-axis"),
        effects=tuple(_draw_effects(explanation)),
        predicted=explanation.predicted,
        n_cases_of_effects=f"{explanation.n_cases_of_effects:,}",
    )


def _list_rows(explanation: ModelExplanation, scale: Axis) -> Iterator[ColumnRow]:
    """Yield a row per importance; columns that go together stand under their common row."""
    groups = [each for each in explanation if each.kind is ImportanceKind.TOGETHER]
    members = {name for group in groups for name in group.columns}
    number = 0
    for each in explanation:
        if each.kind is ImportanceKind.COLUMN and each.columns[0] in members:
            continue
        yield _make_row(explanation, each, scale, number)
        number += 1
        if each.kind is not ImportanceKind.TOGETHER:
            continue
        for other in explanation:
            if other.kind is ImportanceKind.COLUMN and other.columns[0] in each.columns:
                yield _make_row(explanation, other, scale, number, member=True)
                number += 1


def _make_row(
    explanation: ModelExplanation,
    each: ColumnImportance,
    scale: Axis,
    number: int,
    *,
    member: bool = False,
) -> ColumnRow:
    return ColumnRow(
        name=each.name,
        member=member,
        shown=each.shown,
        value=show_importance(explanation, each.value),
        interval=show_limits(explanation, each),
        strip=importance_strip(each, scale, name=f"column-{number}"),
    )


def _draw_effects(explanation: ModelExplanation) -> Iterator[Panel]:
    """Yield a panel per column: of several classes, the one whose probability moves most."""
    by_column: dict[str, list[ColumnEffect]] = {}
    for effect in explanation.effects:
        by_column.setdefault(effect.column, []).append(effect)
    widest = [max(each, key=lambda one: one.range[1] - one.range[0]) for each in by_column.values()]
    if not widest:
        return
    limits = share_limits(widest)
    for place, effect in enumerate(widest):
        words = describe_effect(effect)
        figure = column_effect(effect, name=f"effect-of-{place}", limits=limits, words=words)
        yield Panel(heading=effect.column, figure=figure, text=words, mono=True)
