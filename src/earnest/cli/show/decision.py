"""A verdict or a plan as people read it in a terminal: the sentence, the numbers, the cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from earnest.cli.show.estimate import Fact, emit_blocks, label_facts, remarks, show_paragraph
from earnest.core.results.specs import Selection
from earnest.core.text.numbers import percent
from earnest.decision.plan import DETECT, MOST_ITEMS, Plan
from earnest.decision.verdict import Verdict


def show_verdict(verdict: Verdict, names: Mapping[str, str] | None = None) -> None:
    """Write one verdict; `names` says what to print of each configuration."""
    emit_blocks(
        [show_paragraph(verdict.sentence, "bold")],
        [label_facts(_list_facts(verdict, names or {}))],
        remarks(verdict.cautions, "folds, groups, looks, cases"),
    )


def _list_facts(verdict: Verdict, names: Mapping[str, str]) -> Iterator[Fact]:
    judged = names.get(verdict.config or "", verdict.config) or "the result"
    of = f", the best of {verdict.n_configs:,}" if verdict.n_configs > 1 else ""
    if verdict.selection is Selection.CORRECTED:
        of += "; its score is corrected for that choice"
    yield ("Judged", f"{judged}{of}")
    if verdict.baseline is not None:
        yield ("Against", verdict.baseline)
    yield ("Limits", f"one-sided, each at {percent(verdict.level)}, by {verdict.method}")
    if verdict.look is not None:
        yield (
            "Look",
            f"{verdict.look} at these items; {percent(verdict.confidence_level)} for all",
        )
    yield ("Items", f"{verdict.n_items:,}")
    yield ("Exit code", f"{verdict.exit_code}")


WIDEST = 30  # signs of a bar


def show_study_plan(plan: Plan) -> None:
    """Write one plan."""
    emit_blocks(
        [show_paragraph(plan.sentence, "bold")],
        [label_facts(_list_curve(plan))],
        [label_facts(_list_plan_facts(plan))],
        remarks(plan.cautions, "size of the pilot"),
    )


def _list_curve(plan: Plan) -> Iterator[Fact]:
    """Yield a bar for each simulated study of the first number of configurations and repeats."""
    first = plan.needs[0]
    points = [
        point
        for point in plan.curve
        if (point.n_configs, point.n_repeats) == (first.n_configs, first.n_repeats)
    ]
    most = 1.0 if plan.question == DETECT else max(point.value for point in points)
    for point in points:
        bar = "█" * max(1, round(WIDEST * point.value / most))
        word = percent(round(point.value, 2)) if plan.question == DETECT else f"{point.value:.3g}"
        yield f"{point.n_items:,} items", f"{bar} {word}"


def _list_plan_facts(plan: Plan) -> Iterator[Fact]:
    if len(plan.needs) > 1:
        for need in plan.needs:
            items = f"over {MOST_ITEMS:,}" if need.n_items is None else f"{need.n_items:,}"
            runs = "" if need.runs is None else f", {need.runs:,} answers"
            label = f"{need.n_configs} × {need.n_repeats}"
            yield label, f"{items} items{runs}"
        yield "", "(configurations × repeats)"
    what = "power" if plan.question == DETECT else "mean width"
    yield "Curve", f"{what} of studies drawn from the pilot's {plan.n_pilot:,} items"
    yield "Level", percent(plan.confidence_level)
