"""A verdict or a plan as people read it in a terminal: the sentence, the numbers, the cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from earnest.cli.show.estimate import Fact, emit_blocks, label_facts, remarks, say
from earnest.core.results.specs import Selection
from earnest.core.text.numbers import percent
from earnest.decision.plan import DETECT, MOST_ITEMS, Plan
from earnest.decision.verdict import Verdict


def show_verdict(made: Verdict, names: Mapping[str, str] | None = None) -> None:
    """Write one verdict; `names` says what to print of each configuration."""
    emit_blocks(
        [say(made.sentence, "bold")],
        [label_facts(_list_facts(made, names or {}))],
        remarks(made.cautions, "folds, groups, looks, cases"),
    )


def _list_facts(made: Verdict, names: Mapping[str, str]) -> Iterator[Fact]:
    judged = names.get(made.config or "", made.config) or "the result"
    of = f", the best of {made.n_configs:,}" if made.n_configs > 1 else ""
    if made.selection is Selection.CORRECTED:
        of += "; its score is corrected for that choice"
    yield ("Judged", f"{judged}{of}")
    if made.baseline is not None:
        yield ("Against", made.baseline)
    yield ("Limits", f"one-sided, each at {percent(made.level)}, by {made.method}")
    if made.look is not None:
        yield ("Look", f"{made.look} at these items; {percent(made.confidence_level)} for all")
    yield ("Items", f"{made.n_items:,}")
    yield ("Exit code", f"{made.exit_code}")


WIDEST = 30  # signs of a bar


def show_plan(made: Plan) -> None:
    """Write one plan."""
    emit_blocks(
        [say(made.sentence, "bold")],
        [label_facts(_list_curve(made))],
        [label_facts(_list_plan_facts(made))],
        remarks(made.cautions, "size of the pilot"),
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


def _list_plan_facts(made: Plan) -> Iterator[Fact]:
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
