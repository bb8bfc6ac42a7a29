"""What the search gained: the second part of a report."""

from __future__ import annotations

from earnest.core.text.estimate import percent
from earnest.core.text.gain import advice, confidence, headline
from earnest.metrics import METRICS
from earnest.plotting.svg.figures import gain
from earnest.reporting.model import GainPart, Panel
from earnest.reporting.sources.asking import Results

WIDTH, PHONE = 760, 350  # pixels


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
    again, own = (", no model trained again", "cross-validated score") if trained else ("", "score")
    return GainPart(
        heading=headline(made).removesuffix("."),
        lede="What you would have reported, and what you could have expected, had you stopped "
        f"earlier. {several}{again}. {confidence(made)}",
        reading=(
            f"the best {own} among the first k configurations.",
            f"what to expect of that winner on new {made.units}, {percent(made.confidence_level)}.",
        ),
        level=percent(made.confidence_level),
        next=tuple(part for part in advice(made) if part),
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
        cautions=tuple(each for each in made.cautions if each.code == "EN133"),
    )
