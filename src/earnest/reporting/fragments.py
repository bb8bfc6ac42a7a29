"""Tables of results as small pieces of HTML for notebooks: one row per method, one per rival."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from earnest.core.base import check
from earnest.core.data.predictions import Predictions
from earnest.core.data.scores import Scores
from earnest.core.results.base import Result
from earnest.core.results.cautions import Caution
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons
from earnest.core.results.estimate import Estimate, Estimates
from earnest.core.results.gain import Gain, LearningCurve
from earnest.core.results.specs import MethodSpec
from earnest.core.results.thresholds import Thresholds
from earnest.core.space.parameters import Parameter
from earnest.core.space.trials import Trials
from earnest.core.text.comparison import p_words, places_of_difference
from earnest.core.text.estimate import (
    confidence,
    headline,
    limits_words,
    places_of,
    print_numbers,
    reason,
    training_words,
)
from earnest.core.text.gain import advice as gain_advice
from earnest.core.text.gain import confidence as gain_confidence
from earnest.core.text.gain import headline as gain_headline
from earnest.core.text.learning import advice as learning_advice
from earnest.core.text.learning import confidence as learning_confidence
from earnest.core.text.learning import headline as learning_headline
from earnest.core.text.names import readable
from earnest.core.text.numbers import percent, prose
from earnest.core.text.thresholds import headline as thresholds_headline
from earnest.decision.plan import Plan
from earnest.decision.verdict import Verdict
from earnest.explanation.result import Explanation, as_sentence, in_percent
from earnest.explanation.sampling_bias import short
from earnest.inference.general.result import StatisticResult
from earnest.metrics import METRICS
from earnest.plotting.svg import answer as svg_answer
from earnest.plotting.svg import effects as svg_effects
from earnest.plotting.svg import gain as svg_gain
from earnest.plotting.svg import strips as svg_strips
from earnest.plotting.svg import thresholds as svg_thresholds
from earnest.plotting.svg.canvas import Figure
from earnest.reporting.page import environment

WIDTH = 520  # pixels of a picture
SPEAKER = "the search"  # that reported the naive score
MOST_EFFECTS = 4
MOST_CONFIGS = 10


def show_result(made: Result) -> str:
    """Return any result as HTML."""
    show = next(_FRAGMENTS[kind] for kind in type(made).__mro__ if kind in _FRAGMENTS)
    return show(made)


def _title(metric: str) -> str:
    """Return a metric in words, its name where it is not registered."""
    return METRICS[metric].title if metric in METRICS else metric


def estimate_fragment(made: Estimate) -> str:
    """Return an estimate: the sentence, the picture, the facts and the cautions."""
    spec = _find_spec(made)
    said = headline(made, _title(made.metric), speaker=SPEAKER)
    parts = (
        confidence(made),
        training_words(made),
        reason(made, speaker=SPEAKER),
    )
    rest = " ".join(part for part in parts if part)
    return fragment(
        said,
        rest,
        [
            ("Winner" if made.n_configs > 1 else "Model", made.winner_label or made.winner or DASH),
            ("Method", made.method if spec is None else f"{spec.name}: {spec.title}"),
            ("Estimates", made.estimand),
            ("For pasting", repr(made)),
        ],
        made.cautions,
        [svg_answer.answer(made, name=name_of(made), width=WIDTH)],
    )


def comparison_fragment(made: Comparison) -> str:
    """Return a comparison: the decision, the picture of the difference, facts and cautions."""
    interval, pictures = made.interval, []
    if made.difference == made.difference:
        row = svg_strips.Difference(
            name=made.b,
            value=made.difference,
            words=f"{made.a} minus this",
            verdict="a difference is shown" if made.shown else "no difference is shown",
            one=None if interval is None else (interval.low, interval.high),
            worse=bool(made.shown) and made.favours == made.a,
        )
        scale = svg_strips.difference_scale([row], width=350)
        name = name_of(made)
        pictures = [
            svg_strips.strip_axis(scale, name=f"{name}-axis", words=_better(made)),
            svg_strips.comparison_strip(row, scale, name=name),
        ]
    facts = [
        ("Difference", f"{made.a} minus {made.b}, in {made.metric}"),
        ("Compares", made.estimand),
        ("For pasting", repr(made)),
    ]
    return fragment(made.decision, "", facts, made.cautions, pictures, stacked=True)


def gain_fragment(made: Gain) -> str:
    """Return a gain: the heading, both curves, what to do next, facts and cautions."""
    facts = [
        ("Order", "as tried" if made.order == "tried" else "mean over all orders"),
        ("Evidence", f"{made.n_cases} {made.units}, {made.n_resamples} resamples"),
        ("For pasting", repr(made)),
    ]
    rest = " ".join(part for part in (gain_confidence(made), *gain_advice(made)) if part)
    picture = svg_gain.gain(made, name=name_of(made), width=WIDTH, title=_title(made.metric))
    return fragment(gain_headline(made), rest, facts, made.cautions, [picture])


def thresholds_fragment(made: Thresholds) -> str:
    """Return a table of thresholds: what to expect at the usual one, curves, rows and cautions."""
    facts = [
        ("Winner", made.winner_label or made.winner),
        ("Chosen by", made.metric),
        ("Evidence", f"{made.n_cases} cases, {made.n_positive} positive"),
        ("For pasting", repr(made)),
    ]
    picture = svg_thresholds.thresholds(made, name=name_of(made), width=WIDTH)
    rest = made.summary().removeprefix(thresholds_headline(made)).strip()
    said, table = thresholds_headline(made), _table_of(made)
    return fragment(said, rest, facts, made.cautions, [picture], table=table)


def _table_of(made: Thresholds | Plan) -> Table:
    """Return the table that a result has for a paper."""
    table = made._to_table()
    rows = tuple(TableRow(row) for row in table.rows)
    return Table(table.heads, rows, n_numeric=len(table.heads) - 1)


def learning_fragment(made: LearningCurve) -> str:
    """Return a learning curve: what the last step gave, the curve, facts and cautions."""
    facts = [
        ("Learner", made.learner),
        ("Evidence", f"{made.n_cases} cases, {made.n_fits} fits"),
        ("For pasting", repr(made)),
    ]
    first, rest = learning_headline(made), f"{learning_confidence(made)} {learning_advice(made)}"
    picture = svg_gain.learning(made, name=name_of(made), width=WIDTH, title=_title(made.metric))
    return fragment(first, rest.strip(), facts, made.cautions, [picture])


def statistic_fragment(made: StatisticResult) -> str:
    """Return a statistic: the line for pasting, what it stands on, and the cautions."""
    units = "" if made.n_units == made.n_cases else f" in {made.n_units} groups"
    drawn = "" if made.n_resamples is None else f", {made.n_resamples} resamples"
    facts = [
        ("Bias", "not estimated" if made.bias is None else f"{made.bias:.2g}"),
        ("Tool", made.tool if made.method == made.tool else f"{made.tool}, {made.method}"),
        ("Evidence", f"{made.n_cases} cases{units}{drawn}"),
    ]
    return fragment(repr(made), "", facts, made.cautions, [])


def explanation_fragment(made: Explanation) -> str:
    """Return an explanation: the finding, the effects, the facts and the cautions."""
    curves = list(made.effects.values())
    limits = svg_effects.find_shared_limits(curves, made.confidence_level)
    pictures = [
        svg_effects.effect(
            curve,
            name=f"{name_of(made)}-{i}",
            limits=limits,
            confidence_level=made.confidence_level,
            gaps=made.sampling_bias.gaps.get(curve.param, ()),
        )
        for i, curve in enumerate(curves[:MOST_EFFECTS])
    ]
    best = ", ".join(f"{name} = {short(value)}" for name, value in made.best_config.items())
    shares = [(name, in_percent(share)) for name, share in made.importance.total.items()]
    return fragment(
        as_sentence(made.finding),
        f"What the search learned about {made.objective.name} (as searched, not corrected), from "
        f"{made.counts}.",
        [
            ("Best", best),
            ("Surrogate", f"{made.surrogate}. {made.surrogate_quality}"),
            *((f"Share of {name}", words) for name, words in shares),
            *((name, repr(curve)) for name, curve in made.effects.items()),
        ],
        made.cautions,
        pictures,
        captions=[f"{curve.param}: effect on {made.objective.name}" for curve in curves],
    )


def _better(made: Comparison) -> str:
    """Return the words for the side of the axis on which the first one is better."""
    return f"{made.a} better →" if made.scale.greater_is_better else f"← {made.a} better"


def name_of(made: Any) -> str:
    """Return a prefix for ids that no other result on the same page has."""
    return f"r{zlib.crc32(repr(made).encode()):08x}"


@dataclass(frozen=True)
class TableRow:
    """A row of words and a strip; of a group the one cell is its heading."""

    cells: tuple[str, ...]
    strip: Figure | None = None
    group: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under their heads, the strips on one axis; numbers stand right after the first head."""

    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    axis: Figure | None = None
    n_numeric: int = 0


def fragment(
    said: str,
    rest: str,
    facts: Sequence[tuple[str, str]],
    cautions: Sequence[Caution],
    pictures: Sequence[Figure] = (),
    *,
    captions: Sequence[str] = (),
    stacked: bool = False,
    table: Table | None = None,
) -> str:
    """Return a piece of HTML that stands alone: a sentence, pictures, a table, facts, cautions.

    With `stacked` the pictures stand one under the other, as an axis and its strip must.
    """
    made = environment().get_template("fragment.html")
    parts = {"facts": facts, "cautions": cautions, "pictures": pictures, "table": table}
    shown = {"rest": rest.strip(), "stacked": stacked, "captions": list(captions)}
    return str(made.render(said=said, **shown, **parts))


STRIP, NARROW = 300, 220  # pixels
MOST_ROWS = 20
DASH = "–"


def estimates_fragment(made: Estimates) -> str:
    """Return a table of methods: what each estimates, its value, its interval, its strip."""
    rows = sorted(made, key=lambda one: (not one.honest, one.estimand))
    scale = svg_strips.find_shared_scale(rows, width=STRIP) if rows else None
    places, first = places_of(rows), next((one.estimand for one in rows if one.honest), None)
    name, out = name_of(made), list[TableRow]()
    for (fair, estimand), group in groupby(rows, key=lambda one: (one.honest, one.estimand)):
        words = estimand if fair else f"{estimand}; not corrected for the search"
        out.append(TableRow((words,), group=True))
        for one in group:
            trust = svg_strips.Trust.CORRECTED if estimand == first else svg_strips.Trust.OTHER
            assert scale is not None
            strip = svg_strips.forest_strip(
                one,
                scale,
                name=f"{name}-{len(out)}",
                trust=trust if fair else svg_strips.Trust.NAIVE,
            )
            value, ends = print_numbers(one, places).value, _ends(one, places)
            cells = (_label(one), value, ends)
            out.append(TableRow(cells, strip=strip))
    refused = [TableRow((f"{name}: {why}",), group=True) for name, why in made.refused.items()]
    axis = None if scale is None else svg_strips.strip_axis(scale, name=f"{name}-axis")
    level = _level(rows)
    table = Table(("Method", "Estimate", f"{level} interval".strip()), (*out, *refused), axis)
    many = f"{len(rows)} method{'' if len(rows) == 1 else 's'} on the same cases"
    rest = "Compare numbers within a group; different groups answer different questions."
    return fragment(many + ".", rest, [], made.cautions, table=table)


def comparisons_fragment(made: Comparisons) -> str:
    """Return the decision on all, and a row for each of the nearest rivals."""
    made, _ = made.as_shown()
    ranked = made.ranked()[:MOST_ROWS]
    kept = set(made.not_worse)
    differences = [_difference(one, kept=one.b in kept) for one, _ in ranked]
    scale, name = svg_strips.difference_scale(differences, width=NARROW), name_of(made)
    places = max(3, *(places_of_difference(one) for one, _ in ranked))
    labels = made.labels or {}
    rows = tuple(
        TableRow(
            (
                labels.get(one.b, one.b),
                prose(one.difference, places, one.limits),
                *(
                    p_words(each).removeprefix("p ").removeprefix("= ")
                    for each in (p, made.p_best[one.b])
                ),
                made.verdict(one.b in kept),
            ),
            strip=svg_strips.comparison_strip(each, scale, name=f"{name}-{i}"),
        )
        for i, ((one, p), each) in enumerate(zip(ranked, differences, strict=True))
    )
    more = len(made) - len(rows)
    heads = (
        "Configuration",
        f"{made.reference} minus it",
        {"none": "p", "simultaneous": "p, all at once"}.get(made.adjust, f"p, {made.adjust}"),
        "p of being the best",
        "",
    )
    rest = f"The nearest {len(rows)} of {len(made)}; `to_frame()` has them all." if more else ""
    axis = svg_strips.strip_axis(scale, name=f"{name}-axis")
    table = Table(heads, rows, axis, n_numeric=3)
    best = labels.get(made.best)
    facts = [] if best is None else [("Best here", best)]
    return fragment(made.decision, rest, facts, made.cautions, table=table)


def predictions_fragment(pi: Predictions) -> str:
    """Return predictions: how many of what, on which cases, and the first configurations."""
    configs, target, plural = pi.configs, pi.target, "" if pi.n_configs == 1 else "s"
    said = f"Out-of-sample predictions of {pi.n_configs:,} configuration{plural} for "
    said += f"{pi.n_cases:,} cases."
    counts = [f"{label}: {int(count):,}" for label, count in _count_classes(pi)]
    folds = f"{pi.n_folds}" + (f", in {pi.n_repeats} repeats" if pi.n_repeats > 1 else "")
    tested = sum(bool(one) for one in pi.tested(0))
    facts = [
        ("Task", f"{target.task}" + (f" ({', '.join(counts)})" if counts else "")),
        ("Folds", folds if tested else "none was tested"),
        ("Responses", str(pi.kind)),
    ]
    if target.groups is not None:
        facts.append(("Groups", f"{len(set(target.groups.tolist())):,}"))
    lost = int((~pi.complete).sum())
    if lost:
        facts.append(("Incomplete", f"{lost:,} of them lack folds, so estimates leave them out"))
    shown = configs.ids[:MOST_CONFIGS]
    rows = tuple(
        TableRow((name, _in_words({} if configs.params is None else configs.params[i])))
        for i, name in enumerate(shown)
    )
    rest = "`earnest.estimate(predictions, metric=...)` says how good the best of them is."
    more = pi.n_configs - len(shown)
    if more > 0:
        rest += f" The first {len(shown)} configurations:"
    return fragment(
        said, rest, facts, pi.remarks, table=Table(("Configuration", "Parameters"), rows)
    )


def scores_fragment(scores: Scores) -> str:
    """Return scores of items: how many of what, and what was measured."""
    better = "greater is better" if scores.measure.greater_is_better else "less is better"
    facts = [
        ("Configurations", check.some(scores.configs.ids)),
        ("Samples of each", f"{scores.n_repeats:,}"),
        ("Measure", f"{scores.measure.title}, {better}"),
    ]
    for word, codes in (("Groups", scores.parts.groups), ("Tasks", scores.parts.tasks)):
        if codes is not None:
            facts.append((word, f"{len(set(codes.tolist())):,}"))
    plural = "" if scores.n_configs == 1 else "s"
    said = f"Scores of {scores.n_configs:,} configuration{plural} on {scores.n_cases:,} items."
    return fragment(said, "`earnest.estimate(scores)` says how good the best is.", facts, ())


def trials_fragment(made: Trials) -> str:
    """Return trials: how many, the best of them, and the parameters with their ranges."""
    better = "higher" if made.direction == "maximize" else "lower"
    best = float(made.objective[made.best])
    said = f"{len(made):,} trials of {len(made.space.names)} parameters; the best "
    said += f"{made.objective_name} is {best:.4g}."
    facts = [
        ("Best", _in_words(made.best_config)),
        ("Objective", f"{made.objective_name}, {better} is better"),
        ("Source", made.source),
    ]
    if made.counts.left_out:
        facts.append(("Left out", made.counts.left_out_words))
    rows = tuple(TableRow((one.name, _range_words(one))) for one in made.space)
    rest = "`earnest.explain(trials)` shows what mattered."
    table = Table(("Parameter", "Range"), rows)
    return fragment(said, rest, facts, made.cautions, table=table)


def _range_words(one: Parameter) -> str:
    """Return what a parameter may be, and when it is there."""
    if one.choices:
        words = ", ".join(short(value) for value in one.choices)
    else:
        words = f"{short(one.low)} to {short(one.high)}" + (", on a log scale" if one.log else "")
    return f"{words}; if {one.condition}" if one.condition is not None else words


def _count_classes(pi: Predictions) -> list[tuple[object, int]]:
    if not pi.target.has_classes:
        return []
    codes = pi.target.y.astype(int).tolist()
    return [(label, codes.count(code)) for code, label in enumerate(pi.target.classes)]


def _in_words(params: Mapping[str, object]) -> str:
    shown = readable([params])[0]
    return ", ".join(f"{name} {short(value)}" for name, value in shown.items()) or DASH


def _find_spec(one: Estimate) -> MethodSpec | None:
    """Return the declaration of the method of an estimate, None where it is not registered."""
    from earnest.methods import METHODS

    return METHODS[one.method].spec if one.method in METHODS else None


def _label(one: Estimate) -> str:
    spec = _find_spec(one)
    return one.method if spec is None else spec.label(alone=one.n_configs == 1)


def _level(rows: list[Estimate]) -> str:
    levels = [one.interval.confidence_level for one in rows if one.interval is not None]
    return percent(levels[0]) if levels else ""


def _ends(one: Estimate, places: int) -> str:
    return DASH if one.interval is None else limits_words(one.interval, print_numbers(one, places))


def _difference(one: Comparison, *, kept: bool) -> svg_strips.Difference:
    interval = one.interval
    return svg_strips.Difference(
        name=one.b,
        value=one.difference,
        one=None if interval is None else (interval.low, interval.high),
        words=f"{one.a} minus this",
        verdict=Comparisons.verdict(kept),
        worse=not kept,
    )


def verdict_fragment(made: Verdict) -> str:
    """Return a verdict: the sentence, the facts and the cautions."""
    facts = [("Judged", made.config or DASH)]
    if made.baseline is not None:
        facts.append(("Against", made.baseline))
    facts += [
        ("Limits", f"one-sided, each at {percent(made.level)}, by {made.method}"),
        ("Items", f"{made.n_items:,}"),
    ]
    if made.look is not None:
        facts.append(("Look", f"{made.look} at these items"))
    return fragment(made.sentence, "", facts, made.cautions)


def plan_fragment(made: Plan) -> str:
    """Return a plan: the sentence, what is needed, and the cautions."""
    facts = [("Pilot", f"{made.n_pilot:,} items"), ("Judged by", made.method)]
    return fragment(made.sentence, "", facts, made.cautions, table=_table_of(made))


_FRAGMENTS: dict[type, Callable[[Any], str]] = {
    Estimate: estimate_fragment,
    Estimates: estimates_fragment,
    Comparison: comparison_fragment,
    Comparisons: comparisons_fragment,
    Explanation: explanation_fragment,
    Gain: gain_fragment,
    LearningCurve: learning_fragment,
    Thresholds: thresholds_fragment,
    StatisticResult: statistic_fragment,
    Verdict: verdict_fragment,
    Plan: plan_fragment,
}
