"""A plan as people read it in a terminal: the sentence, the curve, what is needed, the cautions."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from earnest.cli.show.estimate import Fact, indented, label_facts, remarks
from earnest.cli.show.terminal import clean, emit
from earnest.core.text.numbers import percent
from earnest.decision.plan import DETECT, MOST_ITEMS, Plan

WIDEST = 30  # signs of a bar


def show_plan(made: Plan) -> None:
    """Write one plan."""
    emit(
        Text(),
        indented(Text(clean(made.sentence), style="bold")),
        Text(),
        label_facts(list(_list_curve(made))),
        Text(),
        label_facts(list(_list_facts(made))),
        Text(),
        *remarks(made.cautions, "size of the pilot"),
    )


def _list_curve(made: Plan) -> Iterator[Fact]:
    """Yield a bar for each simulated study of the first number of configurations and repeats."""
    first = made.needs[0]
    points = [
        point
        for point in made.curve
        if (point.n_configs, point.n_repeats) == (first.n_configs, first.n_repeats)
    ]
    most = 1.0 if made.question == DETECT else max(point.value for point in points)
    for point in points:
        bar = "█" * max(1, round(WIDEST * point.value / most))
        word = percent(round(point.value, 2)) if made.question == DETECT else f"{point.value:.3g}"
        yield f"{point.n_items:,} items", f"{bar} {word}"


def _list_facts(made: Plan) -> Iterator[Fact]:
    if len(made.needs) > 1:
        for need in made.needs:
            found = f"over {MOST_ITEMS:,}" if need.n_items is None else f"{need.n_items:,}"
            runs = "" if need.runs is None else f", {need.runs:,} answers"
            label = f"{need.n_configs} × {need.n_repeats}"
            yield label, f"{found} items{runs}"
        yield "", "(configurations × repeats)"
    what = "power" if made.question == DETECT else "mean width"
    yield "Curve", f"{what} of studies drawn from the pilot's {made.n_pilot:,} items"
    yield "Level", percent(made.confidence_level)
