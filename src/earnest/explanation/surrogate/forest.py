"""A forest as a surrogate, with the total variance at a point and that of means over trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.threads import each, workers
from earnest.core.cautions import of_trials
from earnest.core.results.cautions import Caution
from earnest.core.space.space import Space
from earnest.explanation.surrogate.surrogate import EffectSums, as_columns

if TYPE_CHECKING:
    from sklearn.tree._tree import Tree

Floats = NDArray[np.float64]
BLOCK = 4096  # points of a block, so that memory does not grow with them
INACTIVE = -1.0  # beside [0, 1] and all levels, so that one split tells it apart


@dataclass(frozen=True)
class ForestSurrogate:
    """A random forest with its uncertainty, for many trials and rough objectives.

    At a point the sd is that of the total variance: between the trees, and within the leaves that
    the point falls in (Hutter et al. 2014). The second part has the noise of the trials in it,
    which a forest cannot tell from changes within a leaf. For a mean over points it is the sd over
    the trees of each tree's own mean, which is too small where all trees err alike. A forest does
    not extrapolate, and its sd where there are no trials is too small rather than too large.

    Parameters
    ----------
    n_trees : int
        The number of trees.
    min_leaf : int
        The fewest trials in a leaf; 1 would leave no variance within.
    kind : {'random_forest', 'extra_trees'}
        Whether split points are the best or drawn.
    most_trials, many_levels : int, optional
        Why it was chosen if it was not requested: for more trials than these, or for so many
        levels of categories.

    References
    ----------
    Hutter, Xu, Hoos and Leyton-Brown (2014), *Algorithm runtime prediction*, section 4.3.
    """

    n_trees: int = 200
    min_leaf: int = 3
    kind: str = "random_forest"
    most_trials: int | None = None
    many_levels: int | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.whole_number("n_trees", self.n_trees, low=2)
        check.whole_number("min_leaf", self.min_leaf, low=1)
        check.one_of("kind", self.kind, ("random_forest", "extra_trees"))

    @property
    def name(self) -> str:
        """The name under which it is asked for."""
        return "forest"

    def fit(
        self,
        space: Space,
        codes: Floats,
        objective: Floats,
        standard_error: Floats | None = None,
        *,
        added_sd: Floats | None = None,
        rng: np.random.Generator,
    ) -> FittedForest:
        """Grow the trees; standard errors are not used.

        A trial with an added sd s counts v / (v + s²) in its leaf, with v the variance of the
        objective.
        """
        from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

        kinds = {"random_forest": RandomForestRegressor, "extra_trees": ExtraTreesRegressor}
        layout = _Layout(space)
        centre = float(np.mean(objective))  # far from 0 the squares of trees would cancel
        model = kinds[self.kind](
            n_estimators=self.n_trees,
            min_samples_leaf=self.min_leaf,
            max_features=5 / 6,
            bootstrap=True,
            random_state=int(rng.integers(2**31 - 1)),
        ).fit(layout(codes), objective - centre, _weigh(objective, added_sd))
        trees = tuple(
            (tree.tree_, tree.tree_.value[:, 0, 0].copy(), np.maximum(tree.tree_.impurity, 0.0))
            for tree in model.estimators_
        )
        return FittedForest(space, layout, trees, centre, self.kind, self._remark_choice())

    def _remark_choice(self) -> tuple[Caution, ...]:
        if self.most_trials is None and self.many_levels is None:
            return ()
        return (of_trials.forest_chosen(self.most_trials, self.many_levels),)


@dataclass(frozen=True)
class FittedForest:
    """A forest that has seen the trials; see `FittedSurrogate`."""

    space: Space
    layout: _Layout
    trees: tuple[tuple[Tree, Floats, Floats], ...] = field(repr=False)
    centre: float = 0.0
    kind: str = "random_forest"
    cautions: tuple[Caution, ...] = ()

    @property
    def name(self) -> str:
        """The name in words."""
        return self.kind.replace("_", " ") + f" of {len(self.trees)} trees"

    @property
    def noise_sd(self) -> float:
        """Zero: what noise there is, is in the variance within the leaves."""
        return 0.0

    def posterior(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd at codes (n, d), of the total variance."""
        mean, variance, _ = self._sums(np.atleast_2d(codes), 1, True)
        return mean + self.centre, np.sqrt(variance)

    def joint(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and covariances over trees at codes (n, d)."""
        return self.posterior(codes)[0], self.covariance(codes, codes)

    def averages(self, codes: Floats) -> tuple[Floats, Floats]:
        """Return mean and sd of the mean over the m points of each of (G, m, d)."""
        groups, m, d = codes.shape
        _, _, by_tree = self._sums(codes.reshape(groups * m, d), groups, False)
        return by_tree.mean(axis=0) + self.centre, by_tree.std(axis=0)

    def covariance(self, codes: Floats, others: Floats) -> Floats:
        """Return the covariances over trees at codes (n, d) with others (k, d)."""
        left, right = (self._by_tree(np.atleast_2d(each)) for each in (codes, others))
        shared = (left - left.mean(axis=0)).T @ (right - right.mean(axis=0))
        return np.asarray(shared / len(self.trees))

    def _by_tree(self, codes: Floats) -> Floats:
        inputs = self.layout(codes).astype(np.float32)
        return np.array([value[tree.apply(inputs)] for tree, value, _ in self.trees])

    def effect(
        self,
        points: Floats,
        column: int | tuple[int, ...],
        values: Floats,
        *,
        pointwise: bool = True,
        covariance: bool = True,
        n_jobs: int | None = None,
    ) -> EffectSums:
        """Return what setting a column of the points (m, d) to each of (G,) codes gives."""
        columns, table = as_columns(column, values)
        m, groups = len(points), len(table)
        stacked = np.concatenate(list(self.space.place(points, columns, table)))
        mean, variance, by_tree = self._sums(stacked, groups, pointwise, n_jobs)
        curve = by_tree.mean(axis=0) + self.centre
        spread = by_tree.std(axis=0) if covariance else None
        if not pointwise:
            return EffectSums(curve, sd_of_mean=spread)
        square = variance.reshape(groups, m).T
        ice = mean.reshape(groups, m).T + self.centre
        return EffectSums(curve, np.sqrt(square.mean(axis=0)), spread, ice, np.sqrt(square))

    def _sums(
        self, codes: Floats, groups: int, pointwise: bool, n_jobs: int | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return means and total variances of rows, and trees' means over groups, all centred."""
        rows = len(codes)
        first, second, within = (np.zeros(rows if pointwise else 0) for _ in range(3))
        member = np.repeat(np.arange(groups), rows // groups)

        def block(start: int) -> Floats:
            rows_here = slice(start, start + BLOCK)
            inputs = self.layout(codes[rows_here]).astype(np.float32)
            by_tree = np.empty((len(self.trees), groups))
            for t, (tree, value, impurity) in enumerate(self.trees):
                leaf = tree.apply(inputs)
                reached = value[leaf]
                by_tree[t] = np.bincount(member[rows_here], weights=reached, minlength=groups)
                if pointwise:
                    first[rows_here] += reached
                    second[rows_here] += reached * reached
                    within[rows_here] += impurity[leaf]
            return by_tree

        parts = each(block, range(0, rows, BLOCK), workers(n_jobs))
        by_tree = sum(parts, np.zeros((len(self.trees), groups))) / (rows // groups)
        mean = first / len(self.trees)
        between = np.maximum(second / len(self.trees) - mean * mean, 0.0)
        return mean, between + within / len(self.trees), by_tree


def _weigh(objective: Floats, added_sd: Floats | None) -> Floats | None:
    """Return the weight of each trial; None if all count alike."""
    if added_sd is None:
        return None
    spread = float(np.var(objective))
    return np.asarray(spread / (spread + added_sd**2))


@dataclass(frozen=True)
class _Layout:
    """The columns of a space for trees: one per number or ordinal, otherwise one per level."""

    space: Space

    def __call__(self, codes: Floats) -> Floats:
        """Return codes (n, d) as features (n, D)."""
        masked = self.space.mask(codes)
        parts = [np.empty((len(codes), 0))]
        for j, parameter in enumerate(self.space):
            column = masked[:, j]
            if not parameter.varies:
                continue
            if parameter.numeric or parameter.kind == "ordinal" or len(parameter.choices) == 2:
                parts.append(np.where(np.isnan(column), INACTIVE, column)[:, None])
            else:
                levels = np.arange(len(parameter.choices))
                parts.append((column[:, None] == levels).astype(np.float64))
        return np.concatenate(parts, axis=1)
