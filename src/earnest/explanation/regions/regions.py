"""Regions of the space in which the effect of a parameter can be trusted more, or less.

A tree divides the space by the other parameters so that the uncertainty along the curve is alike
within each region (Moosbauer et al. 2021, algorithm 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from earnest.core.base.provenance import JsonObject, finite
from earnest.core.results.base import check_schema, read_parts
from earnest.explanation.curves import (
    CurveQuality,
    EffectCurve,
    QualityGain,
    optimum_confidence,
)
from earnest.explanation.regions.limits import Limit, band_words, in_words, share_words

if TYPE_CHECKING:
    from earnest.plotting.figures.regions import Figure

SCHEMA = "earnest/regions/1"


@dataclass(frozen=True, kw_only=True)
class Region:
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
        False where its split of categories was found by an ordering of the levels.
    """

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
        parts = [
            share_words(self.share),
            f"{self.n_trials} of {self.of_trials} trials",
            band_words(self.narrower) if self.limits else f"band ± {self._half:.2g}",
        ]
        return ", ".join(parts)

    @property
    def _half(self) -> float:
        return 1.96 * self.curve.mean_confidence

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "number": self.number,
            "parent": self.parent,
            "children": list(self.children),
            "words": self.words,
            "limits": [limit.to_dict() for limit in self.limits],
            "share": self.share,
            "n_trials": self.n_trials,
            "of_trials": self.of_trials,
            "narrower": finite(self.narrower),
            "holds_best": self.holds_best,
            "impurity": self.impurity,
            "exact": self.exact,
            "curve": self.curve.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> Region:
        """Make a region from plain data."""
        return cls(
            number=data["number"],
            parent=data["parent"],
            children=tuple(data["children"]),
            limits=tuple(Limit.from_dict(limit) for limit in data["limits"]),
            share=data["share"],
            n_trials=data["n_trials"],
            of_trials=data["of_trials"],
            curve=EffectCurve.from_dict(data["curve"]),
            narrower=data["narrower"],
            holds_best=data["holds_best"],
            impurity=data["impurity"],
            exact=data["exact"],
        )


@dataclass(frozen=True, kw_only=True)
class RegionTree:
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
    variant : {'exhaustive', 'as_published'}
        How split points were searched.
    baseline : EffectCurve or None
        The effect among as many points as the best region has, nearest to the best configuration
        (the baseline of table 11); None where no region holds it.

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
    >>> found = en.explain(configs, objective_values=score, direction="maximize", rng=0)
    >>> tree = found.region_tree("rate")
    >>> tree.param, tree.root.depth, len(tree.leaves) >= 1
    ('rate', 0, True)
    """

    param: str
    regions: tuple[Region, ...]
    impurity: str
    on: str
    variant: str
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
        """The leaf that the best configuration lies in, None where it lies in none."""
        return next((leaf for leaf in self.leaves if leaf.holds_best), None)

    def __len__(self) -> int:
        """Count the leaves."""
        return len(self.leaves)

    def __iter__(self) -> Iterator[Region]:
        """Iterate over the leaves."""
        return iter(self.leaves)

    def quality(self) -> QualityGain | None:
        """Return the confidence of the region of the best configuration beside the whole."""
        if self.best is None:
            return None
        return QualityGain(_judge_quality(self.root.curve), _judge_quality(self.best.curve))

    def plot(self, figure: Figure | None = None) -> Figure:
        """Draw the tree with small curves and return the matplotlib Figure."""
        from earnest.plotting.figures.regions import plot_regions

        return plot_regions(self, figure)

    def to_dict(self) -> dict[str, object]:
        """Return plain data with a schema version, ready for JSON."""
        return {
            "schema": SCHEMA,
            "param": self.param,
            "impurity": self.impurity,
            "on": self.on,
            "variant": self.variant,
            "regions": [region.to_dict() for region in self.regions],
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: JsonObject) -> RegionTree:
        """Make a tree from the plain data of `to_dict`."""
        check_schema(data, SCHEMA, "a tree of regions")
        return read_parts(cls._from_parts, data)

    @classmethod
    def _from_parts(cls, data: JsonObject) -> RegionTree:
        baseline = data["baseline"]
        return cls(
            param=data["param"],
            regions=tuple(Region.from_dict(region) for region in data["regions"]),
            impurity=data["impurity"],
            on=data["on"],
            variant=data["variant"],
            baseline=None if baseline is None else EffectCurve.from_dict(baseline),
        )

    def __str__(self) -> str:
        """Return the tree as text, a line a region, the best configuration's marked."""
        lines = []
        for region in self.regions:
            words = in_words(region.limits[-1:]) or region.curve.where or "everywhere"
            mark = " (holds the best)" if region.holds_best and not region.children else ""
            lines.append(f"{'  ' * region.depth}{words}: {region.facts}{mark}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return one line."""
        best = self.best
        found = f", the best in {best.words!r}" if best is not None and best.limits else ""
        count = f"{len(self)} region" + ("s" if len(self) > 1 else "")
        return f"regions of {self.param}: {count}{found}"


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
