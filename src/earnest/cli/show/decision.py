"""A verdict, a plan or a check of intervals in a terminal: sentence, numbers, cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from earnest.cli.show.estimate import Fact, emit_blocks, label_facts, remarks, show_paragraph
from earnest.core.results.specs import Selection, Side
from earnest.core.text.numbers import percent
from earnest.decision.floor import Floor
from earnest.decision.inclusion import Inclusions
from earnest.decision.plan import DETECT, MOST_ITEMS, Plan
from earnest.decision.sample_size import ModelPlan
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
    for each in verdict.subgroups:
        ends = "too few cases" if each.low is None or each.high is None else ""
        yield (each.name, f"{each.outcome}, n={each.n_items:,}{', ' * bool(ends)}{ends}")
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


def show_model_plan(plan: ModelPlan) -> None:
    """Write what each criterion of a model needs."""
    facts = [(f"{each.kind}, {each.goal:g}", f"{each.n_cases:,} cases") for each in plan.criteria]
    emit_blocks([show_paragraph(plan.sentence, "bold")], [label_facts(facts)])


def show_floor(result: Floor) -> None:
    """Write how much of the best of many scores is luck."""
    emit_blocks(
        [show_paragraph(result.sentence, "bold")],
        [label_facts(_list_floor_facts(result))],
        remarks(result.cautions, "agreement"),
    )


def _list_floor_facts(result: Floor) -> Iterator[Fact]:
    row = result.rows()[0]
    least, most = result.correlation
    level = percent(result.interval.confidence_level)
    yield "Best", f"{result.winner}: {result.best:.4g}; mean of all {result.mean:.4g}"
    yield "Luck", f"{row['luck_low']:.3g} to {row['luck_high']:.3g} of as many equally good tries"
    yield "Expect", f"{row['corrected_low']:.4g} to {row['corrected_high']:.4g}"
    yield "Interval", f"{result.interval.low:.4g} to {result.interval.high:.4g} at {level}"
    yield "Lead", f"p at most {result.p_value:.2g} if all tries were equally good"
    yield "Assumed", f"tries agree on a case with a correlation of {least:g} to {most:g}"
    yield "Evidence", f"{result.n_tries:,} scores of {result.n_cases:,} cases each"


def show_inclusions(result: Inclusions) -> None:
    """Write how often limits held, method by method."""
    emit_blocks(
        [show_paragraph(result.sentence, "bold")],
        [label_facts(_list_inclusions(result))],
        [label_facts(_list_study_facts(result))],
        [show_paragraph(result.about)],
        remarks(result.cautions, "cases"),
    )


def _list_inclusions(result: Inclusions) -> Iterator[Fact]:
    """Yield a line for each kind of limits of each method."""
    for row in result.methods:
        for inclusion in row.limits:
            share, error = 100 * inclusion.share, 100 * inclusion.standard_error
            word = "width" if inclusion.side == Side.TWO_SIDED else "distance"
            yield (
                row.method,
                f"{inclusion.side} held {share:.1f} % (± {error:.1f}), exact p "
                f"{inclusion.p_value:.2g}, mean {word} {inclusion.tightness:.3g}: "
                f"{inclusion.verdict}",
            )
        yield (
            "" if row.limits else row.method,
            f"value {abs(row.bias):.3g} (± {row.bias_error:.2g}) too "
            f"{'good' if row.bias > 0 else 'bad'} on average",
        )
        if row.refused:
            yield "", f"no answer in {row.refused:,} of {result.n_simulations:,} studies"
    for name, refusal in result.refused.items():
        yield name, f"left out: {refusal.what}"


def _list_study_facts(result: Inclusions) -> Iterator[Fact]:
    yield (
        "Studies",
        (
            f"{result.n_simulations:,} of {result.n_cases:,} cases and {result.n_configs:,} "
            f"configurations, drawn from your predictions, seed {result.provenance.seed}"
        ),
    )
    yield "Luck", f"{result.luck:.3g} taken from the score of your best configuration"
    yield "Level", percent(result.confidence_level)
