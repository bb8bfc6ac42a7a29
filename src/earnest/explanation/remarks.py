"""What to be careful about in an explanation, each with a code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from earnest.core.base import check
from earnest.core.results.cautions import Caution, Severity
from earnest.core.space.trials import Trials
from earnest.explanation.effects.curves import EffectCurve
from earnest.explanation.effects.effects import Scene
from earnest.explanation.regions.limits import text
from earnest.explanation.regions.regions import RegionTree
from earnest.explanation.sampling_bias import SamplingBias
from earnest.explanation.stable import StableOptimum

EDGE = 0.01  # of a range: nearer to its end is on the edge
FEW_TRIALS = 10  # with a parameter active, under which its curve is mostly the surrogate's prior
FEW_IN_REGION = 5
FEW_VALUES = 3  # a number tried at so few values is often at an end by right
UNTOLD = 0.5  # share of trials that cannot be told from the best


def remark_edge(scene: Scene, columns: Iterable[int]) -> Iterator[Caution]:
    """Yield a caution where the best configuration lies at an end of a range."""
    best = scene.codes[scene.best]
    found = []
    for column in columns:
        parameter, code, tried = scene.space[column], best[column], scene.codes[:, column]
        few = len(np.unique(tried[~np.isnan(tried)])) <= FEW_VALUES
        if not parameter.numeric or few or np.isnan(code):
            continue
        if code <= EDGE or code >= 1.0 - EDGE:
            end = "lowest" if code <= EDGE else "highest"
            value = text(parameter.decode(np.array([code]))[0])
            found.append(f"{parameter.name} = {value}, the {end}")
    if found:
        edge = "of what was tried" if scene.space.remarks else "of the space"
        yield Caution(
            "EN004",
            f"The best configuration lies on the edge {edge}: {check.some(found)}.",
            "A better one may lie beyond it, where nothing was tried.",
            "Widen the range there and search again.",
        )


def hardly_tried(bias: SamplingBias, params: Iterable[str]) -> Iterator[Caution]:
    """Yield a caution where parts of parameters were hardly tried."""
    found = [
        f"{name} {gap.words} ({gap.n_trials} trial{'' if gap.n_trials == 1 else 's'})"
        for name in params
        for gap in bias.gaps.get(name, ())
    ]
    if found:
        yield Caution(
            "EN065",
            f"Hardly tried: {check.some(found)}.",
            "Curves there are mostly the surrogate's guess; the band shows how uncertain it is.",
            "Evaluate configurations there; `suggest` proposes some.",
        )


def warn_of_repeated(trials: Trials) -> Iterator[Caution]:
    """Yield a note where configurations were evaluated more than once."""
    count = trials.n_duplicates
    if count:
        yield Caution(
            "EN066",
            f"{count} of {len(trials)} trials repeat an earlier configuration.",
            "They show the noise, but nothing new about the space.",
            severity=Severity.NOTE,
        )


def remark_rarely_active(curves: Iterable[EffectCurve]) -> Iterator[Caution]:
    """Yield a caution where few trials have a parameter active."""
    found = [f"{c.param} ({c.n_trials})" for c in curves if c.n_trials < FEW_TRIALS]
    if found:
        yield Caution(
            "EN067",
            f"Active in fewer than {FEW_TRIALS} trials: {check.some(found)}.",
            "Their curves are mostly the surrogate's guess.",
            "Evaluate more configurations of that branch.",
        )


def remark_divided_by_order(trees: Iterable[RegionTree]) -> Iterator[Caution]:
    """Yield a note where categories had too many levels to try every division of them."""
    found = [tree.param for tree in trees if not all(region.exact for region in tree.regions)]
    if found:
        yield Caution(
            "EN068",
            "A category with more than 12 levels was split along an ordering of them, in the "
            f"regions of {check.some(found)}.",
            "A better split of its levels may exist.",
            severity=Severity.NOTE,
        )


def empty_regions(trees: Iterable[RegionTree]) -> Iterator[Caution]:
    """Yield a caution where few trials lie in a region whose band is narrower than the whole."""
    found = [
        f"{tree.param} where {leaf.words} ({leaf.n_trials})"
        for tree in trees
        for leaf in tree.leaves
        if leaf.n_trials < FEW_IN_REGION and leaf.narrower > 0 and leaf.limits
    ]
    if found:
        yield Caution(
            "EN069",
            f"Regions with a narrow band and fewer than {FEW_IN_REGION} trials: "
            f"{check.some(found, limit=3)}.",
            "Their band is narrow because the surrogate extrapolates from what it saw elsewhere.",
            "Evaluate a few configurations there before you rely on it.",
        )


def alone(columns: list[int]) -> Iterator[Caution]:
    """Yield a note where one parameter varies: there is nothing to divide the space by."""
    if len(columns) == 1:
        yield Caution(
            "EN070",
            "Only one hyperparameter varies.",
            "There are no regions and no pairs. The curve is the surrogate itself.",
            severity=Severity.NOTE,
        )


def warn_of_untold(stable: StableOptimum) -> Iterator[Caution]:
    """Yield a note where the best cannot be told from most others."""
    if len(stable) > UNTOLD * stable.n_trials:
        yield Caution(
            "EN071",
            f"{len(stable)} of {stable.n_trials} trials cannot be shown to be worse than the best.",
            "Which configuration won is largely chance.",
            "Choose among them by cost or simplicity.",
            Severity.NOTE,
        )
