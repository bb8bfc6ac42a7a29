"""What the search learned of its parameters: importance, effects with bands, regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from earnest.core.base.errors import EarnestError
from earnest.core.base.threads import one_blas_thread
from earnest.core.space.levels import shorten_levels, show_level
from earnest.core.text.names import class_names
from earnest.core.text.numbers import percent, write_count
from earnest.explanation.curves import EffectCurve
from earnest.explanation.regions.regions import (
    Region,
    RegionTree,
    band_words,
    change_words,
    in_words,
    share_words,
)
from earnest.explanation.result import Explanation, show_share
from earnest.explanation.sampling_bias import show_short
from earnest.explanation.suggest import Suggestion
from earnest.explanation.surrogate.quality import Trust
from earnest.plotting.svg import effects as svg_effects
from earnest.plotting.svg.canvas import Figure
from earnest.reporting.model import Facts, LearnedPart, Panel, RegionNode, RegionsPart, WinnerPart

EFFECT, NODE = 266, 230  # pixels
MOST_OTHERS = 3
MOST_EFFECTS, MOST_TREES = 12, 3
SUGGESTIONS, MOST_PAIRS = 3, 5
VISIBLE = 0.04  # of the height of a panel, about six pixels: a line that varies less looks flat
AT_MOST = "≤"
NOT_READ = (
    "Importances, curves, regions and suggestions are left out: they would be read from a "
    "surrogate that predicts unseen trials too poorly. More trials may help."
)
FAR = 0.1  # distance from an even spread that is worth a word


@one_blas_thread()
def make_learned_part(
    explanation: Explanation,
    suggestions: Sequence[Suggestion] | None = None,
    *,
    most_effects: int = MOST_EFFECTS,
) -> LearnedPart:
    """Return an explanation as the part of a report, or as a page of its own shows it.

    Parameters
    ----------
    explanation : Explanation
        What was learned.
    suggestions : sequence of Suggestion, optional
        What to try next; the explanation is asked for some by default.
    most_effects : int
        How many effects are drawn, the most important first.
    """
    levels = [level for curve in explanation.effects.values() for level in curve.grid]
    with shorten_levels(class_names(levels)):
        return _make_part(explanation, suggestions, most_effects)


def _make_part(
    explanation: Explanation, suggestions: Sequence[Suggestion] | None, most_effects: int
) -> LearnedPart:
    if explanation.trust is Trust.NOT_SHOWN:
        return _make_untrusted(explanation)
    level = explanation.confidence_level
    curves = list(explanation.effects.values())[:most_effects]
    limits = svg_effects.find_shared_limits(curves, level)
    trees = [tree for tree in explanation.regions.values() if len(tree) > 1]
    panels = [
        (
            Panel(
                heading=curve.param,
                mono=True,
                text=_effect_words(explanation, curve),
                figure=svg_effects.effect(
                    curve,
                    name=f"effect-{i}",
                    limits=limits,
                    gaps=explanation.sampling_bias.gaps.get(curve.param, ()),
                    confidence_level=level,
                    width=EFFECT,
                ),
            ),
            curve,
        )
        for i, curve in enumerate(curves)
    ]
    return LearnedPart(
        heading=explanation.headline,
        lede=_lede(explanation),
        winner=_winner(explanation),
        trust=str(explanation.surrogate_quality),
        looked=_say_looked(explanation),
        next_title="What to try next",
        next=tuple(_next(explanation, suggestions)),
        stable=f"{explanation.stable_optimum!r}.",
        numbers=tuple(_numbers(explanation)),
        importance=_importance(explanation, "importance", 560),
        importance_phone=_importance(explanation, "importance-phone", 350),
        effects=tuple(panel for panel, curve in panels if _is_seen(curve, limits)),
        flat=tuple(panel for panel, curve in panels if not _is_seen(curve, limits)),
        regions=tuple(_regions(explanation, tree, i) for i, tree in enumerate(trees[:MOST_TREES])),
        untold=tuple(
            f"{tree.param}: {leaf}" for tree in trees[MOST_TREES:] for leaf in tree.leaves
        ),
        cautions=explanation.cautions,
        level=percent(level),
    )


def _make_untrusted(explanation: Explanation) -> LearnedPart:
    """Return what was measured, without what would be read from a poor surrogate."""
    return LearnedPart(
        heading=explanation.headline,
        lede=_lede(explanation),
        winner=None,
        trust=str(explanation.surrogate_quality),
        looked=_say_looked(explanation),
        next_title="",
        next=(),
        stable="",
        numbers=(_list_measured(explanation), *_list_tried(explanation)),
        importance=None,
        importance_phone=None,
        effects=(),
        flat=(),
        regions=(),
        untold=(),
        cautions=explanation.cautions,
        level=percent(explanation.confidence_level),
        untrusted=NOT_READ,
    )


def _list_measured(explanation: Explanation) -> Facts:
    """Return what the trials themselves show: how many there are, and the best of them."""
    best = tuple((name, show_short(value)) for name, value in explanation.best_config.items())
    objective = (explanation.objective.name, f"{explanation.best_value:.4g}")
    counts = ("Trials", str(explanation.counts))
    return Facts("What was measured: the best trial", (counts, objective, *best))


def _is_seen(curve: EffectCurve, limits: tuple[float, float]) -> bool:
    """Tell whether a line leaves the level enough to be seen on the shared axis."""
    means = curve.mean[np.isfinite(curve.mean)]
    return len(means) > 0 and float(np.ptp(means)) >= VISIBLE * (limits[1] - limits[0])


def _lede(explanation: Explanation) -> str:
    return (
        f"What the search learned about the score (search {explanation.objective.name}, "
        f"not corrected), read from a {explanation.surrogate} fitted to {explanation.counts}."
    )


def _winner(explanation: Explanation) -> WinnerPart | None:
    """Return the region that holds the best configuration, and the effect in it."""
    tree = explanation.winner_tree
    if tree is None or tree.best is None:
        return None
    leaf = tree.best
    low, high = (show_short(float(end(leaf.curve.mean))) for end in (np.nanmin, np.nanmax))
    joint = "" if explanation.joint_effect is None else f" {explanation.joint_effect}"
    return WinnerPart(
        heading="Where the winner lies",
        words=in_words(leaf.limits, AT_MOST) or "everywhere",
        text=f"{_facts(leaf)} · {band_words(leaf.narrower)}. Along {tree.param} the average score "
        f"there goes from {low} to {high}.{joint}",
    )


def _importance(explanation: Explanation, name: str, width: float) -> Figure:
    return svg_effects.importance(
        explanation.importance, name=name, width=width, trials=_active(explanation)
    )


def _active(explanation: Explanation) -> dict[str, int]:
    return {
        name: curve.n_trials
        for name, curve in explanation.effects.items()
        if curve.n_trials < explanation.n_trials
    }


def _say_looked(explanation: Explanation) -> str:
    far = [
        f"{name} {each.unbiased:.2f}"
        for name, each in explanation.sampling_bias.by_param.items()
        if each.unbiased >= FAR
    ]
    near = f"others below {FAR:.2f}" if len(far) < len(explanation.sampling_bias.by_param) else ""
    words = ", ".join([*far, *([near] if near and far else [])])
    words = words or f"all parameters below {FAR:.2f}"
    return f"Distance from an even spread (MMD, 0 is even): {words}."


def _next(explanation: Explanation, suggestions: Sequence[Suggestion] | None) -> Iterator[str]:
    if suggestions is None:
        suggestions = () if explanation.scene is None else explanation.suggest(SUGGESTIONS)
    for each in suggestions:
        config = ", ".join(f"{name} {show_short(value)}" for name, value in each.config.items())
        yield f"{config} (band {percent(round(each.narrower, 2))} narrower)"


def _numbers(explanation: Explanation) -> Iterator[Facts]:
    """Yield the numbers behind the words: shares with others, gaps, values of the best."""
    shares = explanation.importance
    yield Facts(
        "Share of the variation, together with the others",
        (
            *((name, show_share(share)) for name, share in shares.total.items()),
            *(
                (f"{' and '.join(pair)}, beyond each alone", show_share(share))
                for pair, share in list(shares.pairs.items())[:MOST_PAIRS]
            ),
        ),
    )
    yield from _list_tried(explanation)
    ranges = explanation.stable_optimum.ranges.items()
    yield Facts(
        "Values among those not shown to be worse",
        tuple((name, _span(values)) for name, values in ranges),
    )


def _list_tried(explanation: Explanation) -> Iterator[Facts]:
    """Yield where the search hardly looked, and the values in complete trials."""
    gaps = {
        name: "; ".join(
            f"{show_level(gap.words)} ({write_count(gap.n_trials, 'trial')})" for gap in spots
        )
        for name, spots in explanation.sampling_bias.gaps.items()
    }
    if any(gaps.values()):
        rows = tuple((name, words) for name, words in gaps.items() if words)
        yield Facts("Hardly tried", rows)
    if explanation.counts.complete < explanation.n_trials or explanation.untested:
        rows = tuple((name, _span(values)) for name, values in explanation.covered.items())
        yield Facts("Values in complete trials", rows)


def _span(values: tuple[Any, ...]) -> str:
    """Return the values of a set: the ends of numbers, or all levels."""
    shown = list(dict.fromkeys(show_short(value) for value in values))
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    return " to ".join(shown) if numbers and len(values) == 2 else ", ".join(shown)


def _effect_words(explanation: Explanation, curve: EffectCurve) -> str:
    condition = explanation.where_active(curve.param)
    where = f", where {condition}" if condition else ""
    scale = "log scale · " if curve.scale == "log" else ""
    return f"{scale}{curve.trial_words}{where}"


def _regions(explanation: Explanation, tree: RegionTree, number: int) -> RegionsPart:
    level = explanation.confidence_level
    limits = svg_effects.tree_limits(tree, level)

    def node(region: Region) -> RegionNode:
        root = region.parent is None
        return RegionNode(
            number=region.number,
            parent=region.parent,
            depth=region.depth,
            title=_title(region),
            facts=_facts(region),
            band=f"average band ± {region.curve.half_width(level):.2g}"
            if root
            else band_words(region.narrower),
            narrower=None if root or abs(region.narrower) < 0.005 else region.narrower > 0,
            best=region.holds_best and not region.children,
            on_path=region.holds_best,
            figure=svg_effects.region_node(
                region,
                tree.root.curve,
                name=f"region-{number}-{region.number}",
                limits=limits,
                confidence_level=level,
                width=NODE,
            ),
            others=tuple(_others(explanation, tree, region, number)),
            children=tuple(node(tree.regions[child]) for child in region.children),
        )

    best = tree.best
    inside = ""
    if best is not None and best.limits and tree is not explanation.winner_tree:
        change = change_words(best.narrower)
        inside = f" The framed region holds the best trial; its band is {change}."
    return RegionsPart(
        param=tree.param,
        lede="The space is split where the band changes most. Dashed: the band over the whole "
        f"space, for comparison.{inside}",
        root=node(tree.root),
        depth=max(region.depth for region in tree.regions),
    )


def _others(
    explanation: Explanation, tree: RegionTree, region: Region, number: int
) -> Iterator[Panel]:
    """Yield the effects of the other parameters in a region, where they are active in it."""
    if explanation.scene is None:
        return
    names = [name for name in explanation.effects if name != tree.param][:MOST_OTHERS]
    curves = [curve for curve in (_within(explanation, name, region) for name in names) if curve]
    limits = svg_effects.find_shared_limits(
        [*explanation.effects.values(), *curves], explanation.confidence_level
    )
    for i, curve in enumerate(curves):
        name = f"region-{number}-{region.number}-{i}"
        yield Panel(
            heading=curve.param,
            mono=True,
            figure=svg_effects.effect(
                curve,
                name=name,
                limits=limits,
                confidence_level=explanation.confidence_level,
                width=NODE,
            ),
        )


def _within(explanation: Explanation, param: str, region: Region) -> EffectCurve | None:
    """Return the effect of a parameter in a region, None where it is not active or too rare."""
    try:
        return explanation.effect(param, within=region)
    except EarnestError:
        return None


def _title(region: Region) -> str:
    words = in_words(region.limits[-1:], AT_MOST)
    if not words:
        return region.curve.where or "Everywhere"
    return f"… and {words}" if region.depth > 1 else words


def _facts(region: Region) -> str:
    trials = write_count(region.n_trials, "trial")
    return trials if region.parent is None else f"{share_words(region.share)} · {trials}"
