"""Results as small pieces of HTML for notebooks, each with its own colours and nothing else."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from earnest.core.cautions import Caution
from earnest.core.comparisons import Comparison
from earnest.core.results import Estimate
from earnest.core.sentences import confidence, headline, reason
from earnest.explanation.findings import as_sentence, in_percent
from earnest.explanation.findings import headline as learned_headline
from earnest.explanation.result import Explanation
from earnest.explanation.sampling_bias import short
from earnest.inference.general_result import StatisticResult
from earnest.metrics import METRICS
from earnest.plotting import report_figures as draw
from earnest.reporting.page import environment

WIDTH = 520  # pixels of a picture
MOST_EFFECTS = 4


def estimate_fragment(made: Estimate, *, speaker: str = "the search") -> str:
    """Return an estimate: the sentence, the picture, the facts and the cautions."""
    from earnest.methods import METHODS

    spec = METHODS[made.method].spec if made.method in METHODS else None
    fair = made.n_configs == 1 or spec is None or bool(spec.corrected)
    title = METRICS[made.metric].title if made.metric in METRICS else made.metric
    said = headline(made, title, corrected=fair, speaker=speaker)
    rest = f"{confidence(made, corrected=fair)} {reason(made, corrected=fair, speaker=speaker)}"
    return fragment(
        said,
        rest,
        [
            ("Winner" if made.n_configs > 1 else "Model", made.winner or "–"),
            ("Method", made.method if spec is None else f"{spec.name}: {spec.title}"),
            ("Estimates", made.estimand),
            ("For pasting", repr(made)),
        ],
        made.cautions,
        [draw.answer(made, name=name_of(made), width=WIDTH, corrected=fair)],
    )


def comparison_fragment(made: Comparison) -> str:
    """Return a comparison: the decision, the picture of the difference, facts and cautions."""
    interval, pictures = made.interval, []
    if made.difference == made.difference:
        row = draw.Difference(
            name=made.b,
            value=made.difference,
            words=f"{made.a} minus this",
            verdict="a difference is shown" if made.shown else "no difference is shown",
            one=None if interval is None else (interval.low, interval.high),
            worse=bool(made.shown) and made.favours == made.a,
        )
        scale = draw.difference_scale([row], width=350)
        name = name_of(made)
        pictures = [
            draw.strip_axis(scale, name=f"{name}-axis", words=_better(made)),
            draw.comparison_strip(row, scale, name=name),
        ]
    facts = [
        ("Difference", f"{made.a} minus {made.b}, in {made.metric}"),
        ("Compares", made.estimand),
        ("For pasting", repr(made)),
    ]
    return fragment(made.decision, "", facts, made.cautions, pictures, stacked=True)


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
    limits = draw.shared_limits(curves, made.confidence_level)
    pictures = [
        draw.effect(
            curve,
            name=f"{name_of(made)}-{i}",
            limits=limits,
            confidence_level=made.confidence_level,
            gaps=made.sampling_bias.gaps.get(curve.param, ()),
        )
        for i, curve in enumerate(curves[:MOST_EFFECTS])
    ]
    best = ", ".join(f"{name} = {short(value)}" for name, value in made.best_config.items())
    shares = [(name, in_percent(share)) for name, share in made.importance.main.items()]
    return fragment(
        as_sentence(learned_headline(made.importance, made.sampling_bias)),
        f"What the search learned about {made.objective.name} (as searched, not corrected), from "
        f"{made.n_trials} trials.",
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
    strip: draw.Figure | None = None
    group: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under their heads, the strips on one axis."""

    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    axis: draw.Figure | None = None


def fragment(
    said: str,
    rest: str,
    facts: Sequence[tuple[str, str]],
    cautions: Sequence[Caution],
    pictures: Sequence[draw.Figure] = (),
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
