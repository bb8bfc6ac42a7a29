"""What the search gained: the second part of a report."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.results.cautions import Caution, Scope, Severity
from earnest.core.results.gain import Gain, LearningCurve
from earnest.core.text import learning as told
from earnest.core.text.gain import heading, width_words, word_advice, word_confidence
from earnest.core.text.numbers import percent
from earnest.inference.curves.halves import HalfCurves
from earnest.metrics import METRICS
from earnest.plotting.svg.gain import both_halves, gain, learning
from earnest.reporting.model import GainPart, Panel
from earnest.reporting.sources.asking import Results

WIDTH, PHONE, HALF = 760, 350, 460  # pixels
UNTOLD = (
    "These predictions cannot tell how much better models get with more training cases: all models "
    "were trained on the same number. `earnest tune --learning-curve`, or "
    "`earnest.learning_curve` in Python, trains a few more models to find out."
)


def gain_part(results: Results) -> GainPart | None:
    """Return the heading by rule, both curves and what to do next; None without a search."""
    outcome = results.gain
    if outcome is None or outcome.n_configs < 2:
        return None
    title = METRICS[outcome.metric].title if outcome.metric in METRICS else outcome.metric
    several = f"{outcome.n_configs:,} configurations, {outcome.n_cases:,} {outcome.units}"
    drawn = 0 if results.estimate is None else results.estimate.n_resamples or 0
    if outcome.n_resamples < drawn:
        several += f", the first {outcome.n_resamples:,} resamples"
    trained = outcome.units == "cases"
    band = percent(outcome.confidence_level)
    if results.estimate is not None and results.estimate.method != "bbc":
        band += " by BBC"  # the answer has an interval of its own
    again, score = (
        (", no model trained again", "cross-validated score") if trained else ("", "score")
    )
    return GainPart(
        heading=heading(outcome),
        lede="What you would have reported, and what you could have expected, had you stopped "
        f"earlier. {several}{again}. {_tell_single(outcome)}{word_confidence(outcome)}",
        reading=(
            f"the best {score} among the first k configurations.",
            f"what to expect of that winner on new {outcome.units}, {band}.",
        ),
        level=percent(outcome.confidence_level),
        next=word_advice(outcome)[:1],
        more=tuple(words for words in _list_more(results, trained) if words),
        learning=_draw_learning(results.material.learning, title),
        halves=_draw_halves(results.halves, title, outcome.scale.limits),
        panel=Panel(
            heading="Configurations tried, and what they bought",
            figure=gain(outcome, name="gain", width=WIDTH, title=title),
            phone=gain(outcome, name="gain-phone", width=PHONE, title=title),
            data={
                "naive": list(outcome.naive),
                "corrected": list(outcome.corrected),
                "marks": list(outcome.marks),
            },
        ),
        cautions=tuple(_list_cautions(results, outcome)),
    )


def _tell_single(outcome: Gain) -> str:
    """Say that the curves are not those of the ensemble that the search delivers."""
    if outcome.n_members is None:
        return ""
    return (
        f"The delivered model averages {outcome.n_members} configurations; the curves are those of "
        "the best single one, and the score above is the ensemble’s. "
    )


def _list_cautions(results: Results, gain: Gain) -> Iterator[Caution]:
    """Yield what is said of the curves alone; the first screen has the rest."""
    yield from (each for each in gain.cautions if each.about is Scope.ORDER)
    if results.material.learning is not None:
        for each in results.material.learning.cautions:
            if each.about is Scope.LEARNING or each.severity is Severity.CAUTION:
                yield each


def _list_more(results: Results, trained: bool) -> Iterator[str]:
    """Yield what more cases would do: to the limits, and to the models where that was trained."""
    assert results.gain is not None
    yield width_words(results.gain, None if results.estimate is None else results.estimate.interval)
    curve = results.material.learning
    if curve is not None:
        yield from (told.word_headline(curve), told.word_confidence(curve), told.word_advice(curve))
    elif trained:
        yield UNTOLD


def _draw_learning(curve: LearningCurve | None, title: str) -> Panel | None:
    if curve is None:
        return None
    return Panel(
        heading="What more training cases gave",
        figure=learning(curve, name="learning", width=HALF, title=title),
        phone=learning(curve, name="learning-phone", width=PHONE, title=title),
        data={"sizes": list(curve.sizes), "scores": list(curve.scores)},
    )


def _draw_halves(
    curves: HalfCurves | None, title: str, limits: tuple[float, float]
) -> Panel | None:
    if curves is None:
        return None
    figure, phone = (
        both_halves(curves, name=name, metric=title, limits=limits, width=width)
        for name, width in (("halves", HALF), ("halves-phone", PHONE))
    )
    return Panel(
        heading="What the samplers were told",
        text="Two samplers took turns, each told the scores of one half of the cases. The dashed "
        "lines are the best of each by its own half, as it was told; the solid ones are the same "
        "configurations on the other half. Thick lines are means. What lies between them is luck, "
        "and only the other half counts in the corrected score.",
        figure=figure,
        phone=phone,
        data={
            "tried": curves.tried.tolist(),
            "guiding": curves.guiding.tolist(),
            "judging": curves.judging.tolist(),
        },
    )
