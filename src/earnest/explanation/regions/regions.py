"""Regions of the space in which the effect of a parameter is more or less certain.

A tree divides the space by the other parameters, so that the uncertainty along the curve is similar
within each region (Moosbauer et al. 2021, algorithm 1). A limit is the roundest number between the
two points that it separates, so that the printed number is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.provenance import JsonObject
from earnest.core.results.base import Document, Plain
from earnest.core.space.levels import show_level
from earnest.core.space.space import Parameter, ParameterKind, Space
from earnest.core.text.numbers import NO_BREAK
from earnest.explanation.curves import (
    CurveQuality,
    EffectCurve,
    QualityGain,
    optimum_confidence,
)
from earnest.explanation.regions.splits import Split

if TYPE_CHECKING:
    from earnest.plotting.figures.effects import Axes, Figure


Floats = NDArray[np.float64]
MOST_DIGITS = 12


@dataclass(frozen=True)
class Limit(Plain):
    """One requirement of a region on one parameter.

    Attributes
    ----------
    param : str
        The parameter.
    op : {'<=', '>', 'in'}
        At most a value, above it, or one of some levels.
    value : object
        The value in natural units, or the tuple of levels.
    bound : float
        The value in codes; NaN for levels.
    levels : tuple of float
        The codes of the levels; empty for a number.
    """

    param: str
    op: str
    value: object
    bound: float = math.nan
    levels: tuple[float, ...] = ()

    def holds(self, codes: Floats) -> NDArray[np.bool_]:
        """Tell which codes of the parameter meet it; what is inactive does not."""
        if self.op == "in":
            return np.isin(codes, self.levels)
        return np.asarray(codes <= self.bound if self.op == "<=" else codes > self.bound)

    def __str__(self) -> str:
        """Return the requirement in words."""
        if isinstance(self.value, tuple):
            return f"{self.param} is {' or '.join(show_level(level) for level in self.value)}"
        return f"{self.param} {self.op} {show_level(self.value)}"

    @classmethod
    def from_dict(cls, data: JsonObject) -> Self:
        """Make a limit from plain data."""
        limit = super().from_dict(data)
        return replace(limit, value=tuple(data["value"])) if limit.op == "in" else limit


def inside(space: Space, limits: Iterable[Limit], codes: Floats) -> NDArray[np.bool_]:
    """Tell which codes meet all limits."""
    out = np.ones(len(codes), dtype=bool)
    for limit in limits:
        out &= limit.holds(codes[:, space.index(limit.param)])
    return out


def find_split_limits(
    split: Split, parameter: Parameter, present: Sequence[float]
) -> tuple[Limit, Limit]:
    """Return what a split requires of its left and of its right side.

    A limit is the roundest number in its gap.

    Parameters
    ----------
    split : Split
        The split.
    parameter : Parameter
        What it asks about.
    present : sequence of float
        The codes of the levels that the node has, for a category.
    """
    name = parameter.name
    if split.levels is not None:
        left = tuple(sorted(split.levels))
        right = tuple(level for level in sorted(present) if level not in set(left))
        sides = [
            Limit(name, "in", tuple(parameter.decode(np.array(side))), levels=side)
            for side in (left, right)
        ]
        return sides[0], sides[1]
    assert split.gap is not None
    code, value = _divide(parameter, split.gap)
    return Limit(name, "<=", value, code), Limit(name, ">", value, code)


def _divide(parameter: Parameter, gap: tuple[float, float]) -> tuple[float, object]:
    """Return where to put a limit, as code and as value."""
    low, high = gap
    middle = low + 0.5 * (high - low)
    middle = middle if middle < high else low
    if parameter.kind != ParameterKind.FLOAT or parameter.step is not None:
        return middle, parameter.decode(np.array([low]))[0]  # "at most the last one on the left"
    ends = cast(list[float], parameter.decode(np.array([low, high, middle])))
    for value in (roundest(ends[0], ends[1]), ends[2]):
        code = math.nan if value is None else float(parameter.encode([value])[0])
        if low <= code < high:
            return code, value
    return middle, ends[2]


def roundest(low: float, high: float) -> float | None:
    """Return the number with the fewest digits in [low, high), the one nearest to the middle.

    Examples
    --------
    >>> from earnest.explanation.regions.regions import roundest
    >>> roundest(0.00287, 0.00313), roundest(1.2345, 1.2399), roundest(-0.3, 0.2)
    (0.003, 1.237, 0.0)
    """
    if not (math.isfinite(low) and math.isfinite(high)) or low >= high:
        return None
    if low <= 0 < high:
        return 0.0
    middle = low + 0.5 * (high - low)
    size = max(abs(low), abs(high))
    first = math.floor(math.log10(size))
    for digits in range(MOST_DIGITS):
        step = 10.0 ** (first - digits)
        near = round(middle / step)
        for count in (near, near - 1, near + 1):
            value = float(f"{count * step:.{max(digits - first, 0)}f}")
            if low <= value < high:
                return value
    return None


def in_words(limits: Iterable[Limit], at_most: str = "<=") -> str:
    """Return limits in words, those of one number together.

    `at_most` is the sign for it; a page has one of its own.

    Examples
    --------
    >>> from earnest.explanation.regions.regions import Limit, in_words
    >>> rate = Limit("rate", ">", 0.001, 0.3), Limit("rate", "<=", 0.003, 0.4)
    >>> in_words([*rate, Limit("depth", ">", 2, 0.5)])
    '0.001 < rate <= 0.003 and depth > 2'
    """
    groups = _group_by_param(limits).values()
    return " and ".join(_put_in_words(group, at_most) for group in groups)


def _group_by_param(limits: Iterable[Limit]) -> dict[str, list[Limit]]:
    groups: dict[str, list[Limit]] = {}
    for limit in limits:
        groups.setdefault(limit.param, []).append(limit)
    return groups


def _put_in_words(group: list[Limit], at_most: str) -> str:
    levels = [limit for limit in group if limit.op == "in"]
    if levels:
        return str(levels[-1])  # each further split takes levels away
    above = [limit for limit in group if limit.op == ">"]
    below = [limit for limit in group if limit.op == "<="]
    low = max(above, key=lambda limit: limit.bound, default=None)
    high = min(below, key=lambda limit: limit.bound, default=None)
    if low is not None and high is not None:
        return f"{show_level(low.value)} < {low.param} {at_most} {show_level(high.value)}"
    if high is not None:
        return f"{high.param} {at_most} {show_level(high.value)}"
    return str(low)


def change_words(narrower: float) -> str:
    """Return the change of a band in words.

    Examples
    --------
    >>> from earnest.explanation.regions.regions import change_words
    >>> [change_words(share).replace(chr(160), " ") for share in (0.52, -0.36, 0.001)]
    ['52 % narrower', '36 % wider', 'as wide']
    """
    percent = round(100 * narrower)
    if percent == 0:
        return "as wide"
    return f"{abs(percent)}{NO_BREAK}% {'narrower' if percent > 0 else 'wider'}"


def band_words(narrower: float) -> str:
    """Return the change of a band with its noun."""
    return f"band {change_words(narrower)}"


def share_words(share: float) -> str:
    """Return a share of the space in words; what is not nothing is never 0 %."""
    percent = 100 * share
    if 0 < percent < 1:
        return f"under 1{NO_BREAK}% of the space"
    return f"{percent:.0f}{NO_BREAK}% of the space"


@dataclass(frozen=True, kw_only=True)
class Region(Plain):
    """A part of the space, with the effect in it.

    Attributes
    ----------
    number, parent, children : int
        Its place in the tree; the root has no parent, a leaf no children.
    limits : tuple of Limit
        What a configuration must meet to lie in it.
    share : float
        Its share of the whole space.
    n_trials, of_trials : int
        The trials in it, of those in which the parameter is active.
    curve : EffectCurve
        The effect in it.
    narrower : float
        By which share its mean band is narrower than that of the whole space; negative if wider.
    holds_best : bool
        Whether the best configuration lies in it.
    impurity : float
        The impurity of its curves.
    exact : bool
        False if its split of categories was found by an ordering of the levels.
    """

    derived: ClassVar[tuple[str, ...]] = ("words",)

    number: int
    parent: int | None
    children: tuple[int, ...]
    limits: tuple[Limit, ...]
    share: float
    n_trials: int
    of_trials: int
    curve: EffectCurve
    narrower: float
    holds_best: bool
    impurity: float
    exact: bool = True

    @property
    def depth(self) -> int:
        """How many splits lead to it."""
        return len(self.limits)

    @property
    def words(self) -> str:
        """What a configuration must meet to lie in it, in words."""
        return in_words(self.limits) or "everywhere"

    def __str__(self) -> str:
        """Return the region as one sentence."""
        return f"{self.words}: {self.facts}"

    @property
    def facts(self) -> str:
        """Share of the space, trials and band, in words."""
        band = band_words(self.narrower) if self.limits else f"band ± {self._half:.2g}"
        return f"{self.extent}, {band}"

    @property
    def extent(self) -> str:
        """Share of the space and trials, in words."""
        return f"{share_words(self.share)}, {self.n_trials} of {self.of_trials} trials"

    @property
    def _half(self) -> float:
        return self.curve.half_width()


@dataclass(frozen=True, kw_only=True)
class RegionTree(Document):
    """The tree of regions of one parameter, the root first, left branches before right ones.

    What is estimated: in each region, the same as in the whole space. What it assumes: nothing
    beyond the surrogate. When it fails: regions are chosen for differences in uncertainty, so a
    narrow band in one of them is partly luck of the Monte Carlo points; and a region that no trial
    lies in has a band that only the surrogate's prior supports.

    Attributes
    ----------
    param : str
        The parameter.
    regions : tuple of Region
        All nodes.
    impurity : {'l2', 'area', 'variance', 'mean'}
        What must be similar within a region.
    on : {'sd', 'variance'}
        Whether curves of the sd were compared, as the published code does, or of the variance, as
        the paper prints.
    baseline : EffectCurve or None
        The effect among as many points as the best region has, nearest to the best configuration
        (the baseline of table 11); None if no region holds it.

    References
    ----------
    Moosbauer, Herbinger, Casalicchio, Lindauer and Bischl (2021), *Explaining hyperparameter
    optimization via partial dependence plots*, sections 5 and C.3.2.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(0)
    >>> configs = [
    ...     {"rate": 10 ** rng.uniform(-4, 0), "depth": int(rng.integers(1, 9))} for _ in range(40)
    ... ]
    >>> score = [-((np.log10(c["rate"]) + 2) ** 2) + 0.1 * c["depth"] for c in configs]
    >>> explanation = en.explain(configs, objective_values=score, direction="maximize", rng=0)
    >>> tree = explanation.region_tree("rate")
    >>> tree.param, tree.root.depth, len(tree.leaves) >= 1
    ('rate', 0, True)
    """

    schema: ClassVar[str] = "earnest/regions/1"
    called: ClassVar[str] = "a tree of regions"

    param: str
    regions: tuple[Region, ...]
    impurity: str
    on: str
    baseline: EffectCurve | None = None

    @property
    def root(self) -> Region:
        """The whole space."""
        return self.regions[0]

    @property
    def leaves(self) -> tuple[Region, ...]:
        """The regions that are not divided further."""
        return tuple(region for region in self.regions if not region.children)

    @property
    def best(self) -> Region | None:
        """The leaf that the best configuration lies in, None if it lies in none."""
        return next((leaf for leaf in self.leaves if leaf.holds_best), None)

    def __len__(self) -> int:
        """Count the leaves."""
        return len(self.leaves)

    def __iter__(self) -> Iterator[Region]:
        """Iterate over the leaves."""
        return iter(self.leaves)

    def quality(self) -> QualityGain | None:
        """Return the confidence in the region of the best configuration and in the whole space."""
        if self.best is None:
            return None
        return QualityGain(_judge_quality(self.root.curve), _judge_quality(self.best.curve))

    def plot(self, figure: Figure | None = None) -> Axes:
        """Draw the tree with small curves and return the matplotlib Axes of the whole space."""
        from earnest.plotting.figures.effects import plot_regions

        return plot_regions(self, figure)

    def __str__(self) -> str:
        """Return the tree as text, a line per region, the best configuration's marked."""
        lines = []
        for region in self.regions:
            words = in_words(region.limits[-1:]) or region.curve.where or "everywhere"
            mark = " (holds the best)" if region.holds_best and not region.children else ""
            lines.append(f"{'  ' * region.depth}{words}: {region.facts}{mark}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return one line."""
        best = self.best
        winner = f", the best in {best.words!r}" if best is not None and best.limits else ""
        count = f"{len(self)} region" + ("s" if len(self) > 1 else "")
        return f"regions of {self.param}: {count}{winner}"


def _judge_quality(curve: EffectCurve) -> CurveQuality:
    optimum = np.nan
    if curve.best is not None:
        optimum = _find_code(curve)
    return CurveQuality(
        curve.mean_confidence, optimum_confidence(curve.sd, curve.codes, float(optimum))
    )


def _find_code(curve: EffectCurve) -> float:
    """Return the code of the best value, between those of the grid."""
    if curve.scale == "levels":
        return float(curve.codes[list(curve.grid).index(curve.best)])
    grid = np.array(curve.grid, dtype=np.float64)
    value = float(cast(float, curve.best))
    if curve.scale == "log":
        grid, value = np.log(grid), float(np.log(value))
    return float(np.interp(value, grid, curve.codes))
