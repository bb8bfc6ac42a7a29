"""What the search gained: the second part of a report."""

from __future__ import annotations

from collections.abc import Iterator

from earnest.core.results.cautions import Caution, Scope, Severity
from earnest.core.results.gain import Gain, LearningCurve
from earnest.core.text import learning as told
from earnest.core.text.gain import advice, confidence, headline, width_words
from earnest.core.text.numbers import percent
from earnest.metrics import METRICS
from earnest.plotting.svg.gain import gain, learning
from earnest.reporting.model import GainPart, Panel
from earnest.reporting.sources.asking import Results

WIDTH, PHONE, HALF = 760, 350, 460  # pixels
UNTOLD = (
    "These predictions cannot tell how much better models get with more training cases: all models "
    "were trained on the same number. `earnest tune --learning-curve`, or "
    "`earnest.learning_curve` in Python, trains a few more models to find out."
)


def gain_part(found: Results) -> GainPart | None:
    """Return the heading by rule, both curves and what to do next; None without a search."""
    made = found.gain
    if made is None or made.n_configs < 2:
        return None
    title = METRICS[made.metric].title if made.metric in METRICS else made.metric
    several = f"{made.n_configs:,} configurations, {made.n_cases:,} {made.units}"
    drawn = 0 if found.estimate is None else found.estimate.n_resamples or 0
    if made.n_resamples < drawn:
        several += f", the first {made.n_resamples:,} resamples"
    trained = made.units == "cases"
    band = percent(made.confidence_level)
    if found.estimate is not None and found.estimate.method != "bbc":
        band += " by BBC"  # the answer has an interval of its own
    again, own = (", no model trained again", "cross-validated score") if trained else ("", "score")
    return GainPart(
        heading=headline(made).removesuffix("."),
        lede="What you would have reported, and what you could have expected, had you stopped "
        f"earlier. {several}{again}. {confidence(made)}",
        reading=(
            f"the best {own} among the first k configurations.",
            f"what to expect of that winner on new {made.units}, {band}.",
        ),
        level=percent(made.confidence_level),
        next=advice(made)[:1],
        more=tuple(part for part in _list_more(found, trained) if part),
        learning=_draw_learning(found.material.learning, title),
        panel=Panel(
            heading="Configurations tried, and what they bought",
            figure=gain(made, name="gain", width=WIDTH, title=title),
            phone=gain(made, name="gain-phone", width=PHONE, title=title),
            data={
                "naive": list(made.naive),
                "corrected": list(made.corrected),
                "marks": list(made.marks),
            },
        ),
        cautions=tuple(_list_cautions(found, made)),
    )


def _list_cautions(found: Results, made: Gain) -> Iterator[Caution]:
    """Yield what is said of the curves alone; the first screen has the rest."""
    yield from (each for each in made.cautions if each.about is Scope.ORDER)
    if found.material.learning is not None:
        for each in found.material.learning.cautions:
            if each.about is Scope.LEARNING or each.severity is Severity.CAUTION:
                yield each


def _list_more(found: Results, trained: bool) -> Iterator[str]:
    """Yield what more cases would do: to the limits, and to the models where that was trained."""
    assert found.gain is not None
    yield width_words(found.gain, None if found.estimate is None else found.estimate.interval)
    made = found.material.learning
    if made is not None:
        yield from (told.headline(made), told.confidence(made), told.advice(made))
    elif trained:
        yield UNTOLD


def _draw_learning(made: LearningCurve | None, title: str) -> Panel | None:
    if made is None:
        return None
    return Panel(
        heading="What more training cases gave",
        figure=learning(made, name="learning", width=HALF, title=title),
        phone=learning(made, name="learning-phone", width=PHONE, title=title),
        data={"sizes": list(made.sizes), "scores": list(made.scores)},
    )
