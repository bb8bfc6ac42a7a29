"""Forty configurations that train in no time, on many training parts at once.

Classification: ridge regressions of the classes on features, on their squares and on random Fourier
features (for kernels of three widths); logistic regressions; nearest neighbours; naive Bayes; small
trees. Regression: the same without the logistic and Bayes, with more neighbours and trees. Trees
are those of scikit-learn, the rest has closed forms or Newton's steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]
WIDTHS = (0.3, 1.0, 3.0)  # of the kernel, in units of the typical distance of two cases
WAVES = 60
RIDGES = (0.01, 0.1, 1.0, 10.0)  # penalties, by training case
LOGISTIC = tuple(np.logspace(-4, 1.25, 8))
NEWTON_STEPS = 12
LARGEST_STEP = 5.0
LEAST_WEIGHT = 1e-4
NEIGHBOURS = (1, 3, 7, 15, 31)
MORE_NEIGHBOURS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25)
SMOOTHING = (0.01, 0.1, 1.0)
DEPTHS, MORE_DEPTHS = (1, 2, 3, 5), (1, 2, 3, 4, 5, 7)
WIDE_RIDGES = tuple(np.logspace(-3, 2, 10).tolist())
WIDE_LOGISTIC = tuple(np.logspace(-4, 1.5, 20).tolist())
WIDE_NEIGHBOURS = (1, 2, 3, 4, 5, 7, 9, 11, 15, 20, 25, 30)
WIDE_SMOOTHING = tuple(np.logspace(-3, 1, 12).tolist())
LEAF = 3
LEAST_CHANCE = 0.001
CHUNK = 4_000  # new cases at a time, for the neighbours

# From features (n, p), outcomes (n,), training parts (F, n) and new cases (N, p), what the settings
# that are asked for say of the new cases after each training: (F, N, settings).
Predict = Callable[[Floats, Floats, Masks, Floats, slice], Floats]


@dataclass(frozen=True)
class Family:
    """Configurations that are trained together: their number, and what they say."""

    size: int
    predict: Predict


def families(*, classified: bool) -> list[Family]:
    """Return the families of a search, forty configurations in all."""
    finish = _chances if classified else _as_is
    maps = [_plain, _squares, *(partial(_waves, width=width) for width in WIDTHS)]
    count = len(RIDGES) + (0 if classified else 1)
    penalties = (*RIDGES, 100.0)[:count]
    made = [
        Family(len(penalties), partial(_ridge, features=each, penalties=penalties, finish=finish))
        for each in maps
    ]
    depths = DEPTHS if classified else MORE_DEPTHS[1:]
    neighbours = NEIGHBOURS if classified else MORE_NEIGHBOURS
    made.append(Family(len(neighbours), partial(_near, counts=neighbours, classified=classified)))
    made.append(Family(len(depths), partial(_trees, depths=depths, classified=classified)))
    if classified:
        made.append(Family(len(LOGISTIC), _logistic))
        made.append(Family(len(SMOOTHING), _bayes))
    return made


def wide_families() -> list[Family]:
    """Return the families of a hundred configurations for classes, with more settings of each."""
    maps = [_plain, _squares, *(partial(_waves, width=width) for width in WIDTHS)]
    ridge = partial(_ridge, penalties=WIDE_RIDGES, finish=_chances)
    return [
        *(Family(len(WIDE_RIDGES), partial(ridge, features=each)) for each in maps),
        Family(len(WIDE_NEIGHBOURS), partial(_near, counts=WIDE_NEIGHBOURS, classified=True)),
        Family(len(MORE_DEPTHS), partial(_trees, depths=MORE_DEPTHS, classified=True)),
        Family(len(WIDE_LOGISTIC), partial(_logistic, penalties=WIDE_LOGISTIC)),
        Family(len(WIDE_SMOOTHING), partial(_bayes, smoothing=WIDE_SMOOTHING)),
    ]


@dataclass(frozen=True, eq=False)
class Search:
    """A search on a sample: every configuration trained on every training part.

    Attributes
    ----------
    X, y : ndarray, shapes (n, p) and (n,)
        The sample.
    fold : ndarray of int, shape (n, R)
        Which fold tests a case, in each repeat.
    classified : bool
        Whether the outcome is a class.
    wide : bool
        Whether it has a hundred configurations instead of forty.
    """

    X: Floats
    y: Floats
    fold: NDArray[np.intp]
    classified: bool
    wide: bool = False

    @property
    def families(self) -> list[Family]:
        """The families of configurations that are trained together."""
        return wide_families() if self.wide else families(classified=self.classified)

    @property
    def parts(self) -> Masks:
        """The training parts (R * K, n), repeat by repeat."""
        folds = np.arange(self.fold.max() + 1)
        return (self.fold.T[:, None, :] != folds[:, None]).reshape(-1, len(self.y))

    def out_of_sample(self) -> Floats:
        """Return what every configuration says of the cases it was not trained on: (n, C, R)."""
        parts, cases = self.parts, np.arange(len(self.y))
        every = [one.predict(self.X, self.y, parts, self.X, slice(None)) for one in self.families]
        said = self._kept(np.concatenate(every, axis=2))  # (F, n, C)
        folds = self.fold.max() + 1
        rows = [
            said[repeat * folds + self.fold[:, repeat], cases]
            for repeat in range(self.fold.shape[1])
        ]
        return np.stack(rows, axis=2)

    def of_new(self, config: int, new: Floats) -> Floats:
        """Return what the models of a configuration say of new cases, the refitted one last."""
        parts = np.vstack([self.parts, np.ones(len(self.y), dtype=bool)])
        return self.of_parts(config, parts, new)

    def of_parts(self, config: int, parts: Masks, new: Floats) -> Floats:
        """Return what a configuration says of new cases (F, N) after training on each part."""
        for family in self.families:
            if config < family.size:
                one = slice(config, config + 1)
                return self._kept(family.predict(self.X, self.y, parts, new, one)[:, :, 0])
            config -= family.size
        raise IndexError(config)

    def _kept(self, said: Floats) -> Floats:
        """Return chances that are never quite 0 or 1, numbers as they are."""
        return np.clip(said, LEAST_CHANCE, 1 - LEAST_CHANCE) if self.classified else said


def _plain(X: Floats) -> Floats:
    return X


def _squares(X: Floats) -> Floats:
    return np.concatenate([X, (np.square(np.clip(X, -4, 4)) - 1) / 2**0.5], axis=1)


def _waves(X: Floats, width: float) -> Floats:
    rng = np.random.default_rng(X.shape[1])  # the same waves in every search
    slopes = rng.standard_normal((X.shape[1], WAVES)) / (width * X.shape[1] ** 0.5)
    waves = np.cos(np.clip(X, -8, 8) @ slopes + rng.uniform(0, 2 * np.pi, WAVES))
    return np.asarray(waves * (2 / WAVES) ** 0.5)


def _chances(said: Floats) -> Floats:
    """Return regressions of 0 and 1 as chances, in the same order."""
    return np.asarray(expit(4.0 * (said - 0.5)))


def _as_is(said: Floats) -> Floats:
    return said


def _ridge(
    X: Floats,
    y: Floats,
    parts: Masks,
    new: Floats,
    which: slice,
    *,
    features: Callable[[Floats], Floats],
    penalties: tuple[float, ...],
    finish: Callable[[Floats], Floats],
) -> Floats:
    phi, weight = features(X), parts / parts.sum(axis=1, keepdims=True)  # (n, D), (F, n)
    middle, level = weight @ phi, weight @ y  # (F, D), (F,)
    second = np.matmul((weight[:, :, None] * phi).transpose(0, 2, 1), phi)
    second -= middle[:, :, None] * middle[:, None, :]
    cross = (weight * y) @ phi - level[:, None] * middle
    scale = np.trace(second, axis1=1, axis2=2) / phi.shape[1]
    values, vectors = np.linalg.eigh(second)
    turned = np.matmul(vectors.transpose(0, 2, 1), cross[:, :, None])  # (F, D, 1)
    shrunk = np.array(penalties[which]) * scale[:, None] / 10  # (F, P)
    slopes = vectors @ (turned / (np.maximum(values, 0)[:, :, None] + shrunk[:, None, :]))
    shift = level[:, None] - np.einsum("fd,fdp->fp", middle, slopes)
    return finish(np.matmul(features(new), slopes) + shift[:, None, :])


def _logistic(
    X: Floats,
    y: Floats,
    parts: Masks,
    new: Floats,
    which: slice,
    *,
    penalties: tuple[float, ...] = LOGISTIC,
) -> Floats:
    asked = np.array(penalties[which])
    fits, width = len(parts) * len(asked), X.shape[1] + 1
    ones = np.column_stack([np.ones(len(X)), X])
    weight = (parts / parts.sum(axis=1, keepdims=True)).repeat(len(asked), axis=0)  # (W, n)
    ridge = np.tile(asked, len(parts))[:, None] * (np.arange(width) > 0)  # (W, p + 1)
    slopes = np.zeros((fits, width))
    for _ in range(NEWTON_STEPS):
        chance = expit(slopes @ ones.T)  # (W, n)
        slope = (weight * (y - chance)) @ ones - ridge * slopes
        bend = weight * np.maximum(chance * (1 - chance), LEAST_WEIGHT)
        curve = np.matmul((bend[:, :, None] * ones).transpose(0, 2, 1), ones)
        curve += ridge[:, :, None] * np.eye(width) + 1e-9 * np.eye(width)
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        slopes += np.clip(step, -LARGEST_STEP, LARGEST_STEP)
    odds = slopes @ np.column_stack([np.ones(len(new)), new]).T  # (W, N)
    return np.asarray(expit(odds)).reshape(len(parts), len(asked), -1).transpose(0, 2, 1)


def _near(
    X: Floats,
    y: Floats,
    parts: Masks,
    new: Floats,
    which: slice,
    *,
    counts: tuple[int, ...],
    classified: bool,
) -> Floats:
    asked = counts[which]
    said = np.empty((len(parts), len(new), len(asked)))
    for first in range(0, len(new), CHUNK):
        some = new[first : first + CHUNK]
        far = np.square(X).sum(axis=1) - 2 * some @ X.T  # (N, n), but for what is the same
        order = np.argsort(far, axis=1, kind="stable")
        for place, part in enumerate(parts):
            near = order[part[order]].reshape(len(some), -1)[:, : max(asked)]
            sums = np.cumsum(y[near], axis=1)
            for column, count in enumerate(asked):
                k = min(count, near.shape[1])
                total = sums[:, k - 1]
                mean = (total + 1) / (k + 2) if classified else total / k
                said[place, first : first + CHUNK, column] = mean
    return said


def _bayes(
    X: Floats,
    y: Floats,
    parts: Masks,
    new: Floats,
    which: slice,
    *,
    smoothing: tuple[float, ...] = SMOOTHING,
) -> Floats:
    said = np.empty((len(parts), len(new), len(smoothing[which])))
    for place, part in enumerate(parts):
        share = y[part].mean()
        moments = [(x.mean(axis=0), x.var(axis=0)) for x in (X[part & (y == c)] for c in (0, 1))]
        for column, smooth in enumerate(smoothing[which]):
            logs = [
                -0.5 * (np.square(new - mean) / (var + smooth) + np.log(var + smooth)).sum(axis=1)
                for mean, var in moments
            ]
            odds = logs[1] - logs[0] + np.log(share / (1 - share))
            said[place, :, column] = expit(odds)
    return said


def _trees(
    X: Floats,
    y: Floats,
    parts: Masks,
    new: Floats,
    which: slice,
    *,
    depths: tuple[int, ...],
    classified: bool,
) -> Floats:
    said = np.empty((len(parts), len(new), len(depths[which])))
    for place, part in enumerate(parts):
        for column, depth in enumerate(depths[which]):
            if classified:
                tree = DecisionTreeClassifier(
                    max_depth=depth, min_samples_leaf=LEAF, random_state=0
                ).fit(X[part], y[part])
                said[place, :, column] = tree.predict_proba(new)[:, 1]
            else:
                grown = DecisionTreeRegressor(
                    max_depth=depth, min_samples_leaf=LEAF, random_state=0
                ).fit(X[part], y[part])
                said[place, :, column] = grown.predict(new)
    return said
