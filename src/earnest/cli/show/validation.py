"""A validation as people read it in a terminal: where the model stands, numbers, updates."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.cli.show.estimate import Fact, emit_blocks, label_facts, remarks, show_paragraph
from earnest.core.results.interval import Interval
from earnest.core.results.validation import Update, Validation
from earnest.core.text.numbers import MINUS, percent
from earnest.core.text.validation import (
    show_interval,
    show_number,
    tell_validation,
    word_headline,
)
from earnest.metrics import METRICS


def show_validation(validation: Validation) -> None:
    """Write one validation."""
    emit_blocks(
        [show_paragraph(word_headline(validation), "bold")],
        [show_paragraph(words) for words in tell_validation(validation) if words],
        [label_facts(_list_metrics(validation))],
        [show_paragraph("Updates, by cross-validation on the new cases:")],
        [label_facts(_list_updates(validation))],
        remarks(validation.cautions, "events per class, unknown levels"),
    )


def _list_metrics(validation: Validation) -> Iterator[Fact]:
    for estimate in validation.performance:
        title = METRICS[estimate.metric].title
        ideal = "" if estimate.scale.ideal is None else f", right at {estimate.scale.ideal:g}"
        yield f"{title}{ideal}", f"{show_number(estimate.value)} {_bracket(estimate.interval)}"
    yield "Intervals", percent(validation.confidence_level)


def _list_updates(validation: Validation) -> Iterator[Fact]:
    for update in validation.updates:
        words = f"log loss {show_number(update.log_loss.value)}"
        if update.gain is not None:
            gain = update.gain
            words += f", against as it is {show_number(gain.difference)} {_bracket(gain.interval)}"
        yield str(update.kind), words + _show_line(update)
    yield "Best, corrected for its choice", f"log loss {show_number(validation.updated.value)}"


def _bracket(interval: Interval | None) -> str:
    return "" if interval is None else f"({show_interval(interval)})"


def _show_line(update: Update) -> str:
    if update.intercept is None or update.slope is None:
        return ""
    sign = "+" if update.intercept >= 0.0 else MINUS
    level = show_number(abs(update.intercept))
    return f"; log odds × {show_number(update.slope)} {sign} {level}"
