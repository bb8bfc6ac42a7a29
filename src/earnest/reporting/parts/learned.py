"""What the search learned of its parameters: importance, effects with bands, regions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist

from earnest.core.base.errors import EarnestError
from earnest.core.text.estimate import percent
from earnest.explanation.effects.curves import EffectCurve
from earnest.explanation.findings import as_sentence, headline
from earnest.explanation.regions.limits import band_words, in_words, share_words
from earnest.explanation.regions.regions import Region, RegionTree
from earnest.explanation.result import Explanation
from earnest.explanation.sampling_bias import short
from earnest.plotting.svg import figures as draw
from earnest.reporting.model import LearnedPart, Panel, RegionNode, RegionsPart
from earnest.reporting.parts.labels import class_names, counted
from earnest.reporting.sources.asking import Results

EFFECT, NODE = 266, 230  # pixels
MOST_OTHERS = 3
MOST_EFFECTS, MOST_TREES = 12, 3
SUGGESTIONS = 3
FAR = 0.1  # distance from an even spread that is worth a word


def learned_of(found: Results) -> LearnedPart | None:
    """Return the part on the parameters, None where there is no explanation."""
    made = found.explanation
    if made is None:
        return None
    level, named = made.confidence_level, _names(made)
    curves = list(made.effects.values())[:MOST_EFFECTS]
    limits = draw.shared_limits(curves, level)
    trees = [tree for tree in made.regions.values() if len(tree) > 1]
    return LearnedPart(
        heading=named(as_sentence(headline(made.importance, made.sampling_bias))),
        lede=_lede(made),
        trust=str(made.surrogate_quality),
        looked=named(_looked(made)),
        next_title="What to try next",
        next=tuple(named(words) for words in _next(made)),
        stable=named(f"{made.stable_optimum!r}."),
        importance=_importance(made, "importance", 560),
        importance_phone=_importance(made, "importance-phone", 350),
        effects=tuple(
            Panel(
                heading=curve.param,
                mono=True,
                text=named(_effect_words(curve)),
                figure=draw.effect(
                    curve,
                    name=f"effect-{i}",
                    limits=limits,
                    gaps=made.sampling_bias.gaps.get(curve.param, ()),
                    confidence_level=level,
                    width=EFFECT,
                ),
            )
            for i, curve in enumerate(curves)
        ),
        regions=tuple(_regions(made, tree, i) for i, tree in enumerate(trees[:MOST_TREES])),
        untold=tuple(
            named(f"{tree.param}: {leaf}") for tree in trees[MOST_TREES:] for leaf in tree.leaves
        ),
        cautions=made.cautions,
        level=percent(level),
    )


def _names(made: Explanation) -> Callable[[str], str]:
    """Return how words name estimators: by their class, where no two of a class differ.

    `DecisionTreeClassifier(max_depth=3, random_state=0)` says no more than the class of it then.
    """
    levels = [level for curve in made.effects.values() for level in curve.grid]
    known = class_names(levels)

    def named(words: str) -> str:
        for whole, name in known.items():
            words = words.replace(whole, name)
        return words

    return named


def _lede(made: Explanation) -> str:
    left = [
        f"{count:,} {word}"
        for count, word in ((made.n_pruned, "dropped"), (made.n_failed, "failed"))
        if count
    ]
    without = f" {' and '.join(left)} left out." if left else ""
    return (
        f"What the search learned about the score (search {made.objective.name}, not corrected), "
        f"read from a {made.surrogate} fitted to {counted(made.n_trials, 'trial')}.{without}"
    )


def _importance(made: Explanation, name: str, width: float) -> draw.Figure:
    return draw.importance(made.importance, name=name, width=width, trials=_active(made))


def _active(made: Explanation) -> dict[str, int]:
    return {
        name: curve.n_trials
        for name, curve in made.effects.items()
        if curve.n_trials < made.n_trials
    }


def _looked(made: Explanation) -> str:
    far = [
        f"{name} {each.unbiased:.2f}"
        for name, each in made.sampling_bias.by_param.items()
        if each.unbiased >= FAR
    ]
    rest = f"others below {FAR:.2f}" if len(far) < len(made.sampling_bias.by_param) else ""
    said = ", ".join([*far, *([rest] if rest and far else [])])
    said = said or f"all parameters below {FAR:.2f}"
    return f"Distance from an even spread (MMD, 0 is even): {said}."


def _next(made: Explanation) -> Iterator[str]:
    if made.scene is None:
        return
    for each in made.suggest(SUGGESTIONS):
        yield ", ".join(f"{name} {short(value)}" for name, value in each.config.items())


def _effect_words(curve: EffectCurve) -> str:
    where = f", where {curve.where}" if curve.where else ""
    scale = "log scale · " if curve.scale == "log" else ""
    return f"{scale}{counted(curve.n_trials, 'trial')}{where}"


def _regions(made: Explanation, tree: RegionTree, number: int) -> RegionsPart:
    level = made.confidence_level
    limits, half = draw.tree_limits(tree, level), NormalDist().inv_cdf(0.5 + level / 2)
    named = _names(made)

    def node(region: Region) -> RegionNode:
        root = region.parent is None
        return RegionNode(
            number=region.number,
            parent=region.parent,
            depth=region.depth,
            title=named(_title(region)),
            facts=_facts(region),
            band=f"average band ± {half * region.curve.mean_confidence:.2g}"
            if root
            else band_words(region.narrower),
            narrower=None if root or abs(region.narrower) < 0.005 else region.narrower > 0,
            best=region.holds_best and not region.children,
            on_path=region.holds_best,
            figure=draw.region_node(
                region,
                tree.root.curve,
                name=f"region-{number}-{region.number}",
                limits=limits,
                confidence_level=level,
                width=NODE,
            ),
            others=tuple(_others(made, tree, region, number)),
            children=tuple(node(tree.regions[child]) for child in region.children),
        )

    best = tree.best
    inside = ""
    if best is not None and best.limits:
        change = band_words(best.narrower).replace("band ", "band is ", 1)
        inside = f" The framed region holds the best trial; its {change}."
    return RegionsPart(
        param=tree.param,
        lede="The space is split where the band changes most. Dashed: the band over the whole "
        f"space, for comparison.{inside}",
        root=node(tree.root),
        depth=max(region.depth for region in tree.regions),
    )


def _others(made: Explanation, tree: RegionTree, region: Region, number: int) -> Iterator[Panel]:
    """Yield the effects of the other parameters in a region, where they are active in it."""
    if made.scene is None:
        return
    names = [name for name in made.effects if name != tree.param][:MOST_OTHERS]
    curves = [curve for curve in (_within(made, name, region) for name in names) if curve]
    limits = draw.shared_limits([*made.effects.values(), *curves], made.confidence_level)
    for i, curve in enumerate(curves):
        name = f"region-{number}-{region.number}-{i}"
        yield Panel(
            heading=curve.param,
            mono=True,
            figure=draw.effect(
                curve,
                name=name,
                limits=limits,
                confidence_level=made.confidence_level,
                width=NODE,
            ),
        )


def _within(made: Explanation, param: str, region: Region) -> EffectCurve | None:
    """Return the effect of a parameter in a region, None where it is not active or too rare."""
    try:
        return made.effect(param, within=region)
    except EarnestError:
        return None


def _title(region: Region) -> str:
    words = in_words(region.limits[-1:]).replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")
    if not words:
        return region.curve.where or "Everywhere"
    return f"… and {words}" if region.depth > 1 else words


def _facts(region: Region) -> str:
    trials = counted(region.n_trials, "trial")
    return trials if region.parent is None else f"{share_words(region.share)} · {trials}"
