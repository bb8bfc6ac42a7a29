"""Tables of results as small pieces of HTML for notebooks: one row per method, one per rival."""

from __future__ import annotations

import math
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
from earnest.core.results.model.columns import ModelExplanation
from earnest.core.results.scale import CaseWeighting
from earnest.core.results.specs import MethodSpec, Standing
from earnest.core.results.subgroups import Subgroups
from earnest.core.results.thresholds import Thresholds
from earnest.core.results.validation import Validation
from earnest.core.space.parameters import Parameter
from earnest.core.space.trials import Trials
from earnest.core.text.comparison import p_value_text, places_of_difference
from earnest.core.text.counts import tell_weights
from earnest.core.text.estimate import (
    limits_words,
    places_of,
    print_numbers,
    reason,
    training_words,
    word_confidence,
    word_headline,
)
from earnest.core.text.gain import word_advice as gain_advice
from earnest.core.text.gain import word_confidence as gain_confidence
from earnest.core.text.gain import word_headline as gain_headline
from earnest.core.text.learning import word_advice as learning_advice
from earnest.core.text.learning import word_confidence as learning_confidence
from earnest.core.text.learning import word_headline as learning_headline
from earnest.core.text.model import word_effort, word_needed, word_together, word_way
from earnest.core.text.model import word_headline as word_headline_of_columns
from earnest.core.text.names import simplify_values
from earnest.core.text.numbers import percent, prose
from earnest.core.text.subgroups import name_winner as name_subgroups_winner
from earnest.core.text.subgroups import word_details
from earnest.core.text.subgroups import word_headline as subgroups_headline
from earnest.core.text.thresholds import name_winner as name_thresholds_winner
from earnest.core.text.thresholds import tell_thresholds
from earnest.core.text.thresholds import word_headline as thresholds_headline
from earnest.core.text.validation import show_number, tell_validation
from earnest.core.text.validation import word_headline as validation_headline
from earnest.decision.floor import Floor
from earnest.decision.inclusion import Inclusions
from earnest.decision.plan import Plan
from earnest.decision.sample_size import ModelPlan
from earnest.decision.verdict import Verdict
from earnest.explanation.result import Explanation, show_share
from earnest.explanation.sampling_bias import show_short
from earnest.explanation.surrogate.quality import Trust
from earnest.inference.general.result import StatisticResult
from earnest.metrics import METRICS
from earnest.plotting.svg import answer as svg_answer
from earnest.plotting.svg import curves as svg_curves
from earnest.plotting.svg import effects as svg_effects
from earnest.plotting.svg import gain as svg_gain
from earnest.plotting.svg import strips as svg_strips
from earnest.plotting.svg import thresholds as svg_thresholds
from earnest.plotting.svg.canvas import Figure
from earnest.plotting.svg.subgroups import subgroup_strip
from earnest.reporting.page import environment

WIDTH = 520  # pixels of a picture
SPEAKER = "the search"  # that reported the naive score
MOST_EFFECTS = 4
MOST_CONFIGS = 10


def show_result(result: Result) -> str:
    """Return any result as HTML."""
    show = next(_FRAGMENTS[kind] for kind in type(result).__mro__ if kind in _FRAGMENTS)
    return show(result)


def _title(metric: str) -> str:
    """Return a metric in words, its name where it is not registered."""
    return METRICS[metric].title if metric in METRICS else metric


def estimate_fragment(estimate: Estimate) -> str:
    """Return an estimate: the sentence, the picture, the facts and the cautions."""
    spec = _find_spec(estimate)
    sentence = word_headline(estimate, _title(estimate.metric), speaker=SPEAKER)
    parts = (
        word_confidence(estimate),
        training_words(estimate),
        reason(estimate, speaker=SPEAKER),
    )
    words = " ".join(line for line in parts if line)
    divided = None if estimate.subgroups is None else _list_subgroups(estimate.subgroups)
    if estimate.subgroups is not None:
        words += f" {subgroups_headline(estimate.subgroups)}"
    return fragment(
        sentence,
        words,
        [
            (
                "Winner" if estimate.n_configs > 1 else "Model",
                estimate.winner_label or estimate.winner or DASH,
            ),
            ("Method", estimate.method if spec is None else f"{spec.name}: {spec.title}"),
            ("Estimates", estimate.estimand),
            *(
                []
                if estimate.weighting is None
                else [("Weights", tell_weights(estimate.weighting))]
            ),
            ("For pasting", repr(estimate)),
        ],
        estimate.cautions,
        [svg_answer.answer(estimate, name=name_of(estimate), width=WIDTH)],
        table=divided,
    )


def subgroups_fragment(groups: Subgroups) -> str:
    """Return a table of subgroups: what is shown, a forest plot, facts and cautions."""
    facts = [
        ("Winner", name_subgroups_winner(groups)),
        ("Evidence", f"{groups.n_cases} cases, {groups.n_configs} configurations"),
        ("For pasting", repr(groups)),
    ]
    headline, words = subgroups_headline(groups), word_details(groups)
    return fragment(headline, words, facts, groups.cautions, table=_list_subgroups(groups))


def _list_subgroups(groups: Subgroups) -> StripTable:
    """Return a row per subgroup, with its strip; only differences to the others have no scale."""
    limits = [end for each in groups.judged for end in (each.low, each.high)]
    ends = groups.scale.limits if groups.baseline is None else (-math.inf, math.inf)
    centre = groups.value if groups.baseline is None else 0.0
    scale = svg_strips.scale_over([centre, *limits], width=STRIP, limits=ends)
    name, table = name_of(groups), groups._to_table()
    narrow = [
        *range(min(4, len(table.heads) - 1)),
        -1,
    ]  # without the differences, which a notebook has no room for
    heads = tuple(table.heads[column] for column in narrow)
    rows = tuple(
        TableRow(
            tuple(cells[column] for column in narrow),
            subgroup_strip(each, scale, name=f"{name}-{number}", reference=centre),
        )
        for number, (each, cells) in enumerate(zip(groups, table.rows, strict=True))
    )
    axis = svg_strips.strip_axis(scale, name=f"{name}-axis")
    return StripTable(heads, rows, axis=axis, n_numeric=len(heads) - 2)


def comparison_fragment(comparison: Comparison) -> str:
    """Return a comparison: the decision, the picture of the difference, facts and cautions."""
    interval, pictures = comparison.interval, []
    if comparison.difference == comparison.difference:
        row = svg_strips.Difference(
            name=comparison.b,
            value=comparison.difference,
            words=f"{comparison.a} minus this",
            verdict="a difference is shown" if comparison.shown else "no difference is shown",
            one=None if interval is None else (interval.low, interval.high),
            worse=bool(comparison.shown) and comparison.favours == comparison.a,
        )
        scale = svg_strips.difference_scale([row], width=350)
        name = name_of(comparison)
        pictures = [
            svg_strips.strip_axis(
                scale,
                name=f"{name}-axis",
                words=_better(comparison),
                left=not comparison.scale.greater_is_better,
            ),
            svg_strips.comparison_strip(row, scale, name=name),
        ]
    facts = [
        ("Difference", f"{comparison.a} minus {comparison.b}, in {comparison.metric}"),
        ("Compares", comparison.estimand),
        ("For pasting", repr(comparison)),
    ]
    groups = comparison.subgroups
    return fragment(
        comparison.decision,
        "" if groups is None else subgroups_headline(groups),
        facts,
        comparison.cautions,
        pictures,
        stacked=True,
        table=None if groups is None else _list_subgroups(groups),
    )


def gain_fragment(gain: Gain) -> str:
    """Return a gain: the heading, both curves, what to do next, facts and cautions."""
    facts = [
        ("Order", "as tried" if gain.order == "tried" else "mean over all orders"),
        ("Evidence", f"{gain.n_cases} {gain.units}, {gain.n_resamples} resamples"),
        ("For pasting", repr(gain)),
    ]
    words = " ".join(line for line in (gain_confidence(gain), *gain_advice(gain)) if line)
    picture = svg_gain.gain(gain, name=name_of(gain), width=WIDTH, title=_title(gain.metric))
    return fragment(gain_headline(gain), words, facts, gain.cautions, [picture])


def thresholds_fragment(thresholds: Thresholds) -> str:
    """Return a table of thresholds: what to expect at the usual one, curves, rows and cautions."""
    facts = [
        ("Winner", name_thresholds_winner(thresholds)),
        ("Chosen by", thresholds.metric),
        ("Evidence", f"{thresholds.n_cases} cases, {thresholds.n_positive} positive"),
        ("For pasting", repr(thresholds)),
    ]
    picture = svg_thresholds.thresholds(thresholds, name=name_of(thresholds), width=WIDTH)
    words = tell_thresholds(thresholds)
    sentence, table = thresholds_headline(thresholds), _table_of(thresholds)
    return fragment(sentence, words, facts, thresholds.cautions, [picture], table=table)


def _table_of(
    result: Thresholds | Plan | Floor | Inclusions | ModelPlan | ModelExplanation | Validation,
) -> StripTable:
    """Return the table that a result has for a paper."""
    table = result._to_table()
    rows = tuple(TableRow(row) for row in table.rows)
    return StripTable(table.heads, rows, n_numeric=len(table.heads) - 1)


def learning_fragment(curve: LearningCurve) -> str:
    """Return a learning curve: what the last step gave, the curve, facts and cautions."""
    facts = [
        ("Learner", curve.learner),
        ("Evidence", f"{curve.n_cases} cases, {curve.n_fits} fits"),
        ("For pasting", repr(curve)),
    ]
    first, words = (
        learning_headline(curve),
        f"{learning_confidence(curve)} {learning_advice(curve)}",
    )
    picture = svg_gain.learning(curve, name=name_of(curve), width=WIDTH, title=_title(curve.metric))
    return fragment(first, words.strip(), facts, curve.cautions, [picture])


def statistic_fragment(statistic: StatisticResult) -> str:
    """Return a statistic: the line for pasting, what it stands on, and the cautions."""
    units = "" if statistic.n_units == statistic.n_cases else f" in {statistic.n_units} groups"
    drawn = "" if statistic.n_resamples is None else f", {statistic.n_resamples} resamples"
    facts = [
        ("Bias", "not estimated" if statistic.bias is None else f"{statistic.bias:.2g}"),
        (
            "Tool",
            statistic.tool
            if statistic.method == statistic.tool
            else f"{statistic.tool}, {statistic.method}",
        ),
        ("Evidence", f"{statistic.n_cases} cases{units}{drawn}"),
    ]
    return fragment(repr(statistic), "", facts, statistic.cautions, [])


def explanation_fragment(explanation: Explanation) -> str:
    """Return an explanation: the finding, the effects, the facts and the cautions."""
    is_shown = explanation.trust is Trust.SHOWN
    curves = list(explanation.effects.values()) if is_shown else []
    limits = svg_effects.find_shared_limits(curves, explanation.confidence_level)
    pictures = [
        svg_effects.effect(
            curve,
            name=f"{name_of(explanation)}-{i}",
            limits=limits,
            confidence_level=explanation.confidence_level,
            gaps=explanation.sampling_bias.gaps.get(curve.param, ()),
        )
        for i, curve in enumerate(curves[:MOST_EFFECTS])
    ]
    best = ", ".join(
        f"{name} = {show_short(value)}" for name, value in explanation.best_config.items()
    )
    total = explanation.importance.total
    shares = [(curve.param, show_share(total[curve.param])) for curve in curves]
    return fragment(
        explanation.headline,
        f"What the search learned about {explanation.objective.name} (as searched, not corrected), "
        f"from {explanation.counts}.",
        [
            ("Best", best),
            ("Surrogate", f"{explanation.surrogate}. {explanation.surrogate_quality}"),
            *((f"Share of {name}", words) for name, words in shares),
            *((curve.param, repr(curve)) for curve in curves),
        ],
        explanation.cautions,
        pictures,
        captions=[f"{curve.param}: effect on {explanation.objective.name}" for curve in curves],
    )


def _better(comparison: Comparison) -> str:
    """Return the words for the side of the axis on which the first one is better."""
    return (
        f"{comparison.a} better →"
        if comparison.scale.greater_is_better
        else f"← {comparison.a} better"
    )


def name_of(result: Any) -> str:
    """Return a prefix for ids that no other result on the same page has."""
    return f"r{zlib.crc32(repr(result).encode()):08x}"


@dataclass(frozen=True)
class TableRow:
    """A row of words and a strip; of a group the one cell is its heading."""

    cells: tuple[str, ...]
    strip: Figure | None = None
    group: bool = False


@dataclass(frozen=True)
class StripTable:
    """Rows under their heads, the strips on one axis; numbers stand right after the first head."""

    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    axis: Figure | None = None
    n_numeric: int = 0


def fragment(
    headline: str,
    words: str,
    facts: Sequence[tuple[str, str]],
    cautions: Sequence[Caution],
    pictures: Sequence[Figure] = (),
    *,
    captions: Sequence[str] = (),
    stacked: bool = False,
    table: StripTable | None = None,
) -> str:
    """Return a piece of HTML that stands alone: a sentence, pictures, a table, facts, cautions.

    With `stacked` the pictures stand one under the other, as an axis and its strip must.
    """
    template = environment().get_template("fragment.html")
    parts = {"facts": facts, "cautions": cautions, "pictures": pictures, "table": table}
    shown = {"words": words.strip(), "stacked": stacked, "captions": list(captions)}
    return str(template.render(headline=headline, **shown, **parts))


STRIP, NARROW = 300, 220  # pixels
MOST_ROWS = 20
DASH = "–"


def estimates_fragment(estimates: Estimates) -> str:
    """Return a table of methods: what each estimates, its value, its interval, its strip."""
    rows = sorted(estimates, key=lambda estimate: (not estimate.honest, estimate.estimand))
    scale = svg_strips.find_shared_scale(rows, width=STRIP) if rows else None
    places, first = (
        places_of(rows),
        next((estimate.estimand for estimate in rows if estimate.honest), None),
    )
    name, out = name_of(estimates), list[TableRow]()
    for (fair, estimand), group in groupby(
        rows, key=lambda estimate: (estimate.honest, estimate.estimand)
    ):
        words = estimand if fair else f"{estimand}; not corrected for the search"
        out.append(TableRow((words,), group=True))
        for estimate in group:
            trust = (
                svg_strips.Correction.CORRECTED
                if estimand == first
                else svg_strips.Correction.OTHER
            )
            assert scale is not None
            strip = svg_strips.forest_strip(
                estimate,
                scale,
                name=f"{name}-{len(out)}",
                trust=trust if fair else svg_strips.Correction.NAIVE,
            )
            value, ends = print_numbers(estimate, places).value.words, _ends(estimate, places)
            cells = (_label(estimate), value, ends)
            out.append(TableRow(cells, strip=strip))
    refused = [TableRow((f"{name}: {why}",), group=True) for name, why in estimates.refused.items()]
    axis = None if scale is None else svg_strips.strip_axis(scale, name=f"{name}-axis")
    level = _level(rows)
    table = StripTable(("Method", "Estimate", f"{level} interval".strip()), (*out, *refused), axis)
    many = f"{len(rows)} method{'' if len(rows) == 1 else 's'} on the same cases"
    note = "Compare numbers within a group; different groups answer different questions."
    return fragment(many + ".", note, [], estimates.cautions, table=table)


def comparisons_fragment(comparisons: Comparisons) -> str:
    """Return the decision on all, and a row for each of the nearest rivals."""
    comparisons, _ = comparisons.as_shown()
    ranked = comparisons.ranked()[:MOST_ROWS]
    standings = comparisons.standings
    differences = [_difference(comparison, standings[comparison.b]) for comparison, _ in ranked]
    scale, name = svg_strips.difference_scale(differences, width=NARROW), name_of(comparisons)
    places = max(3, *(places_of_difference(comparison) for comparison, _ in ranked))
    labels = comparisons.labels or {}
    rows = tuple(
        TableRow(
            (
                labels.get(comparison.b, comparison.b),
                prose(comparison.difference, places, comparison.limits),
                *(p_value_text(each) for each in (p, comparisons.p_best[comparison.b])),
                str(standings[comparison.b]),
            ),
            strip=svg_strips.comparison_strip(each, scale, name=f"{name}-{i}"),
        )
        for i, ((comparison, p), each) in enumerate(zip(ranked, differences, strict=True))
    )
    more = len(comparisons) - len(rows)
    heads = (
        "Configuration",
        f"{comparisons.reference} minus it",
        {"none": "p", "simultaneous": "p, all at once"}.get(
            comparisons.adjust, f"p, {comparisons.adjust}"
        ),
        "p of being the best",
        "",
    )
    words = (
        f"The nearest {len(rows)} of {len(comparisons)}; `to_frame()` has them all." if more else ""
    )
    axis = svg_strips.strip_axis(scale, name=f"{name}-axis")
    table = StripTable(heads, rows, axis, n_numeric=3)
    best = labels.get(comparisons.best)
    facts = [] if best is None else [("Best here", best)]
    return fragment(comparisons.decision, words, facts, comparisons.cautions, table=table)


def predictions_fragment(pi: Predictions) -> str:
    """Return predictions: how many of what, on which cases, and the first configurations."""
    configs, target, plural = pi.configs, pi.target, "" if pi.n_configs == 1 else "s"
    sentence = f"Out-of-sample predictions of {pi.n_configs:,} configuration{plural} for "
    sentence += f"{pi.n_cases:,} cases."
    counts = [f"{label}: {int(count):,}" for label, count in _count_classes(pi)]
    folds = f"{pi.n_folds}" + (f", in {pi.n_repeats} repeats" if pi.n_repeats > 1 else "")
    tested = sum(bool(answer) for answer in pi.tested(0))
    facts = [
        ("Task", f"{target.task}" + (f" ({', '.join(counts)})" if counts else "")),
        ("Folds", folds if tested else "none was tested"),
        ("Responses", str(pi.kind)),
    ]
    weighting = CaseWeighting.of(target)
    if weighting is not None:
        facts.append(("Weights", tell_weights(weighting)))
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
    words = "`earnest.estimate(predictions, metric=...)` says how good the best of them is."
    more = pi.n_configs - len(shown)
    if more > 0:
        words += f" The first {len(shown)} configurations:"
    return fragment(
        sentence, words, facts, pi.remarks, table=StripTable(("Configuration", "Parameters"), rows)
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
    sentence = f"Scores of {scores.n_configs:,} configuration{plural} on {scores.n_cases:,} items."
    return fragment(sentence, "`earnest.estimate(scores)` says how good the best is.", facts, ())


def trials_fragment(trials: Trials) -> str:
    """Return trials: how many, the best of them, and the parameters with their ranges."""
    better = "higher" if trials.direction == "maximize" else "lower"
    best = float(trials.objective[trials.best])
    sentence = f"{len(trials):,} trials of {len(trials.space.names)} parameters; the best "
    sentence += f"{trials.objective_name} is {best:.4g}."
    facts = [
        ("Best", _in_words(trials.best_config)),
        ("Objective", f"{trials.objective_name}, {better} is better"),
        ("Source", trials.source),
    ]
    if trials.counts.left_out:
        facts.append(("Left out", trials.counts.left_out_words))
    rows = tuple(TableRow((param.name, _range_words(param))) for param in trials.space)
    words = "`earnest.explain(trials)` shows what mattered."
    table = StripTable(("Parameter", "Range"), rows)
    return fragment(sentence, words, facts, trials.cautions, table=table)


def _range_words(param: Parameter) -> str:
    """Return what a parameter may be, and when it is there."""
    if param.choices:
        words = ", ".join(show_short(value) for value in param.choices)
    else:
        words = f"{show_short(param.low)} to {show_short(param.high)}" + (
            ", on a log scale" if param.log else ""
        )
    return f"{words}; if {param.condition}" if param.condition is not None else words


def _count_classes(pi: Predictions) -> list[tuple[object, int]]:
    if not pi.target.has_classes:
        return []
    codes = pi.target.y.astype(int).tolist()
    return [(label, codes.count(code)) for code, label in enumerate(pi.target.classes)]


def _in_words(params: Mapping[str, object]) -> str:
    shown = simplify_values([params])[0]
    return ", ".join(f"{name} {show_short(value)}" for name, value in shown.items()) or DASH


def _find_spec(estimate: Estimate) -> MethodSpec | None:
    """Return the declaration of the method of an estimate, None where it is not registered."""
    from earnest.methods import METHODS

    return METHODS[estimate.method].spec if estimate.method in METHODS else None


def _label(estimate: Estimate) -> str:
    spec = _find_spec(estimate)
    return estimate.method if spec is None else spec.label(alone=estimate.n_configs == 1)


def _level(rows: list[Estimate]) -> str:
    levels = [
        estimate.interval.confidence_level for estimate in rows if estimate.interval is not None
    ]
    return percent(levels[0]) if levels else ""


def _ends(estimate: Estimate, places: int) -> str:
    return (
        DASH
        if estimate.interval is None
        else limits_words(estimate.interval, print_numbers(estimate, places))
    )


def _difference(comparison: Comparison, standing: Standing) -> svg_strips.Difference:
    interval = comparison.interval
    return svg_strips.Difference(
        name=comparison.b,
        value=comparison.difference,
        one=None if interval is None else (interval.low, interval.high),
        words=f"{comparison.a} minus this",
        verdict=str(standing),
        worse=standing is Standing.WORSE,
    )


def verdict_fragment(verdict: Verdict) -> str:
    """Return a verdict: the sentence, the facts and the cautions."""
    facts = [("Judged", verdict.config or DASH)]
    if verdict.baseline is not None:
        facts.append(("Against", verdict.baseline))
    facts += [
        ("Limits", f"one-sided, each at {percent(verdict.level)}, by {verdict.method}"),
        ("Items", f"{verdict.n_items:,}"),
    ]
    if verdict.look is not None:
        facts.append(("Look", f"{verdict.look} at these items"))
    return fragment(verdict.sentence, "", facts, verdict.cautions)


def plan_fragment(plan: Plan) -> str:
    """Return a plan: the sentence, what is needed, and the cautions."""
    facts = [("Pilot", f"{plan.n_pilot:,} items"), ("Judged by", plan.method)]
    return fragment(plan.sentence, "", facts, plan.cautions, table=_table_of(plan))


def floor_fragment(floor: Floor) -> str:
    """Return a floor: the sentence, what it stands on, and how rough it is."""
    facts = [
        ("Best", f"{floor.winner} of {floor.n_tries:,}"),
        ("Evidence", f"one score each, of {floor.n_cases:,} cases"),
        ("For pasting", repr(floor)),
    ]
    return fragment(floor.sentence, "", facts, floor.cautions, table=_table_of(floor))


def columns_fragment(explanation: ModelExplanation) -> str:
    """Return what a model does with its columns: which it needs, how that was found, the table."""
    facts = [
        ("Model", explanation.model),
        ("Way", word_way(explanation)),
        ("Evidence", word_effort(explanation)),
        ("For pasting", repr(explanation)),
    ]
    words = " ".join(filter(None, (word_needed(explanation), word_together(explanation))))
    return fragment(
        f"{word_headline_of_columns(explanation)}.", words, facts, (), table=_table_of(explanation)
    )


def model_plan_fragment(plan: ModelPlan) -> str:
    """Return a plan of a model: the sentence, and what each criterion needs."""
    return fragment(
        plan.sentence, "", [("Study", plan.study)], plan.cautions, table=_table_of(plan)
    )


def validation_fragment(validation: Validation) -> str:
    """Return a validation: where the model stands, its curves, the updates and the cautions."""
    facts = [
        (str(update.kind), f"log loss {show_number(update.log_loss.value)}")
        for update in validation.updates
    ]
    (shown,) = validation.calibration.classes[:1]
    name = name_of(validation)
    pictures = [
        svg_curves.calibration(shown, name=f"{name}-calibration", alone=True),
        svg_thresholds.thresholds(
            validation.decision, name=f"{name}-benefit", width=WIDTH, measures=("net_benefit",)
        ),
    ]
    words = " ".join(filter(None, tell_validation(validation)))
    table = _table_of(validation)
    headline = validation_headline(validation)
    return fragment(headline, words, facts, validation.cautions, pictures, table=table)


def inclusions_fragment(result: Inclusions) -> str:
    """Return a check of intervals: the sentence, what it cannot see, the table and cautions."""
    facts = [
        ("Studies", f"{result.n_simulations:,} of {result.n_cases:,} cases"),
        ("Luck taken out", f"{result.luck:.3g}"),
        ("For pasting", repr(result)),
    ]
    table = _table_of(result)
    return fragment(result.sentence, result.about, facts, result.cautions, table=table)


_FRAGMENTS: dict[type, Callable[[Any], str]] = {
    Estimate: estimate_fragment,
    Estimates: estimates_fragment,
    Comparison: comparison_fragment,
    Comparisons: comparisons_fragment,
    Explanation: explanation_fragment,
    Gain: gain_fragment,
    LearningCurve: learning_fragment,
    Subgroups: subgroups_fragment,
    Thresholds: thresholds_fragment,
    StatisticResult: statistic_fragment,
    Verdict: verdict_fragment,
    Plan: plan_fragment,
    Floor: floor_fragment,
    Inclusions: inclusions_fragment,
    ModelPlan: model_plan_fragment,
    ModelExplanation: columns_fragment,
    Validation: validation_fragment,
}
