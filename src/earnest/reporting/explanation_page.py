"""An explanation as one page that needs nothing else: no network, no script, no folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from earnest.core.results.cautions import Severity
from earnest.core.text.estimate import percent
from earnest.explanation.effects.curves import EffectCurve
from earnest.explanation.findings import as_sentence, headline, in_percent
from earnest.explanation.regions.limits import text
from earnest.explanation.result import Explanation
from earnest.explanation.sampling_bias import short
from earnest.explanation.suggest import Suggestion
from earnest.plotting.figures.effects import plot_effect
from earnest.plotting.figures.importance import plot_importance
from earnest.plotting.figures.regions import plot_regions
from earnest.plotting.figures.style import as_svg, new_figure
from earnest.reporting.page import environment

MOST_TREES = 8  # regions drawn; the others are told in words


def explanation_page(
    explanation: Explanation, suggestions: Sequence[Suggestion] = (), *, source: str = ""
) -> str:
    """Return an explanation as HTML; all text of the user is escaped.

    Parameters
    ----------
    explanation : Explanation
        What to show.
    suggestions : sequence of Suggestion
        What to try next.
    source : str
        What was read, for the title.
    """
    page = environment().get_template("explanation.html")
    return str(page.render(**_data(explanation, suggestions, source)))


def _data(
    explanation: Explanation, suggestions: Sequence[Suggestion], source: str
) -> dict[str, Any]:
    limits = _shared_limits(explanation)
    return {
        "title": as_sentence(headline(explanation.importance, explanation.sampling_bias)),
        "source": source or str(explanation.provenance.get("source", "")),
        "lede": _lede(explanation),
        "quality": str(explanation.surrogate_quality),
        "importance": as_svg(plot_importance(explanation.importance).figure, "importance"),
        "shares": [
            {
                "name": name,
                "main": in_percent(share),
                "total": in_percent(explanation.importance.total[name]),
            }
            for name, share in explanation.importance.main.items()
        ],
        "pairs": [
            {"name": " and ".join(pair), "share": in_percent(share)}
            for pair, share in list(explanation.importance.pairs.items())[:5]
        ],
        "level": percent(explanation.confidence_level),
        "effects": [
            _effect(explanation, i, curve, limits)
            for i, curve in enumerate(explanation.effects.values())
        ],
        "trees": [_tree(tree, i) for i, tree in enumerate(explanation.regions.values())],
        "bias": [
            {
                "name": name,
                "distance": f"{each.unbiased:.2f}",
                "gaps": "; ".join(
                    f"{gap.words} ({gap.n_trials} trials)"
                    for gap in explanation.sampling_bias.gaps.get(name, ())
                ),
            }
            for name, each in explanation.sampling_bias.by_param.items()
        ],
        "overall": f"{explanation.sampling_bias.overall.unbiased:.2f}",
        "stable": repr(explanation.stable_optimum),
        "ranges": [
            {"name": name, "values": _span(values)}
            for name, values in explanation.stable_optimum.ranges.items()
        ],
        "suggestions": [
            {
                "config": ", ".join(f"{k} = {short(v)}" for k, v in s.config.items()),
                "narrower": f"{100 * s.narrower:.0f}",
            }
            for s in suggestions
        ],
        "cautions": [
            {
                "code": caution.code,
                "note": caution.severity is Severity.NOTE,
                "what": caution.what,
                "rest": f"{caution.consequence} {caution.cure}".strip(),
            }
            for caution in explanation.cautions
        ],
        "provenance": [
            (name, str(value))
            for name, value in explanation.provenance.items()
            if not isinstance(value, dict)
        ],
    }


def _lede(explanation: Explanation) -> str:
    left = explanation.n_failed + explanation.n_pruned
    without = f" {left} failed or pruned trials are left out." if left else ""
    best = ", ".join(f"{k} = {short(v)}" for k, v in explanation.best_config.items())
    return (
        f"What the search learned about {explanation.objective.name} (as searched, not corrected), "
        f"read from a {explanation.surrogate} fitted to {explanation.n_trials} trials.{without} "
        f"Best trial: {explanation.best_value:.4g} with {best}."
    )


def _shared_limits(explanation: Explanation) -> tuple[float, float]:
    """Return one y axis that holds every band, so that curves can be compared."""
    level = explanation.confidence_level
    edges = np.concatenate([np.concatenate(c.bands(level)) for c in explanation.effects.values()])
    low, high = float(np.nanmin(edges)), float(np.nanmax(edges))
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _effect(
    explanation: Explanation, number: int, curve: EffectCurve, limits: tuple[float, float]
) -> dict[str, Any]:
    figure = new_figure((3.5, 2.7))
    gaps = explanation.sampling_bias.gaps.get(curve.param, ())
    ax = figure.add_subplot()
    plot_effect(curve, ax, confidence_level=explanation.confidence_level, gaps=gaps, title=False)
    ax.set_ylim(*limits)
    low, high = curve.bands(explanation.confidence_level)
    return {
        "name": curve.param,
        "where": curve.where,
        "scale": "log scale · " if curve.scale == "log" else "",
        "n_trials": curve.n_trials,
        "label": repr(curve),
        "svg": as_svg(figure, f"effect{number}"),
        "rows": [
            (text(value), f"{m:.4g}", f"{a:.4g}", f"{b:.4g}")
            for value, m, a, b in zip(curve.grid, curve.mean, low, high, strict=True)
        ],
    }


def _tree(tree: Any, number: int) -> dict[str, Any]:
    drawn = len(tree) > 1 and number < MOST_TREES
    best = tree.best
    return {
        "name": tree.param,
        "svg": as_svg(plot_regions(tree), f"regions{number}") if drawn else "",
        "words": [
            {"text": str(leaf), "best": best is not None and leaf.number == best.number}
            for leaf in tree.leaves
        ],
        "open": number == 0,
    }


def _span(values: tuple[Any, ...]) -> str:
    """Return the values of a set: the ends of numbers, or all levels."""
    shown = list(dict.fromkeys(short(value) for value in values))
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    return " to ".join(shown) if numbers and len(values) == 2 else ", ".join(shown)
