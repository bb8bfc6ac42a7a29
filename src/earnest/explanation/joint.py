"""Whether the joint effect of two parameters has another shape where the best configuration lies.

A surface over the whole space averages regions in which two parameters work together in different
ways. Here the surface of the region of the best configuration is held against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from earnest.core.base.errors import InputError
from earnest.core.results.base import Plain
from earnest.core.text.numbers import percent
from earnest.explanation.effects import Scene, compute_surface
from earnest.explanation.regions.regions import RegionTree

GRID = 5  # values of each parameter: a surface has as many pairs as their square
POINTS = 80  # of a surface; the uncertainty of its averages costs their square


@dataclass(frozen=True)
class JointEffect(Plain):
    """The joint effect of two parameters in the region of the best configuration, and elsewhere.

    Attributes
    ----------
    params : tuple of str
        The parameters.
    where : str
        The region, in words.
    n_pairs, n_apart : int
        The pairs of values that both surfaces have, and those of them at which the surfaces have
        clearly another shape; see `EffectSurface.list_apart`.
    largest : float
        The largest difference in shape among these pairs, 0 without one: region minus whole space.
    confidence_level : float
        The level of the bands, for all pairs at once.
    """

    derived: ClassVar[tuple[str, ...]] = ("differs",)

    params: tuple[str, str]
    where: str
    n_pairs: int
    n_apart: int
    largest: float
    confidence_level: float

    def __post_init__(self) -> None:
        """Refuse counts that no surface has."""
        if not 0 <= self.n_apart <= self.n_pairs:
            raise ValueError(f"{self.n_apart} of {self.n_pairs} pairs")

    @property
    def differs(self) -> bool:
        """Whether the surfaces have clearly another shape somewhere."""
        return self.n_apart > 0

    def __str__(self) -> str:
        """Return what is shown, in a sentence; a flag stands before a difference."""
        effect = f"The joint effect of {' and '.join(self.params)}"
        if not self.differs:
            return f"{effect} is not shown to be another there than on the whole."
        return (
            f"⚑ {effect} has another shape there than on the whole: at {self.n_apart} of "
            f"{self.n_pairs} pairs of values the {percent(self.confidence_level)} bands of the two "
            f"averages do not overlap, by up to {abs(self.largest):.2g}."
        )


def find_joint_effect(
    scene: Scene, trees: Sequence[RegionTree], ranking: Sequence[str], level: float
) -> JointEffect | None:
    """Return the joint effect of a tree's parameter and the next important one in its best region.

    Parameters
    ----------
    scene : Scene
        The surrogate and the trials.
    trees : sequence of RegionTree
        The trees, that of the most important parameter first.
    ranking : sequence of str
        All parameters, the most important first.
    level : float
        The level of the bands.

    Returns
    -------
    JointEffect or None
        None where no region holds the best configuration, or no second parameter is active in it.
    """
    tree = next((tree for tree in trees if len(tree) > 1 and tree.best is not None), None)
    if tree is None or tree.best is None:
        return None
    region = tree.best
    limited = {limit.param for limit in region.limits}
    others = [name for name in ranking if name != tree.param]
    for second in sorted(others, key=limited.__contains__):  # first what the region leaves free
        try:
            whole = compute_surface(scene, tree.param, second, GRID, n_points=POINTS)
            inner = compute_surface(
                scene,
                tree.param,
                second,
                GRID,
                limits=region.limits,
                where=region.words,
                n_points=POINTS,
            )
        except InputError:  # one decides whether the other is active, or they never are together
            continue
        apart = inner.list_apart(whole, level)
        shared = apart[~np.isnan(apart)]
        if not len(shared):
            continue
        return JointEffect(
            params=(tree.param, second),
            where=region.words,
            n_pairs=len(shared),
            n_apart=int(np.count_nonzero(shared)),
            largest=float(shared[np.abs(shared).argmax()]),
            confidence_level=level,
        )
    return None
