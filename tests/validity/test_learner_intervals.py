"""How often the intervals of a learner's performance hold, where its error is known exactly.

Linear discriminant analysis on two normal classes: the error of every fitted rule is a value of
the normal distribution function, so that the truth of each interval is known without simulation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from earnest import NestedPredictions, PairedHalves, Predictions, estimate

pytestmark = pytest.mark.slow
Array = NDArray[np.float64]
LEVEL = 0.9


class Scene:
    """Two normal classes in p dimensions, `apart` from each other, and rules fitted to samples."""

    def __init__(self, n: int, p: int, apart: float, seed: int) -> None:
        self.n, self.p, self.apart = n, p, apart
        self.rng = np.random.default_rng(seed)
        self.y = np.tile([0, 1], n // 2)

    def draw(self) -> Array:
        X = self.rng.normal(size=(self.n, self.p))
        X[self.y == 1, 0] += self.apart
        return X

    def fit(self, X: Array, rows: NDArray[Any]) -> tuple[Array, float]:
        """Return the direction and the threshold of the rule of some rows."""
        y = self.y[rows]
        zero, one = X[rows][y == 0], X[rows][y == 1]
        low, high = zero.mean(axis=0), one.mean(axis=0)
        spread = (zero - low).T @ (zero - low) + (one - high).T @ (one - high)
        spread = spread / (len(rows) - 2) + 1e-6 * np.eye(self.p)
        weights = np.linalg.solve(spread, high - low)
        return weights, float(weights @ (low + high) / 2)

    def error(self, rule: tuple[Array, float]) -> float:
        """Return the true error of a rule."""
        weights, cut = rule
        size = np.linalg.norm(weights)
        upper = norm.sf(cut / size)
        lower = norm.cdf((cut - weights[0] * self.apart) / size)
        return float((upper + lower) / 2)

    def folds(self, count: int) -> NDArray[np.int64]:
        out = np.empty(self.n, dtype=np.int64)
        for c in (0, 1):
            rows = self.rng.permutation(np.flatnonzero(self.y == c))
            out[rows] = np.arange(len(rows)) % count
        return out

    def scores(self, X: Array, train: NDArray[Any], test: NDArray[Any]) -> Array:
        weights, cut = self.fit(X, train)
        return X[test] @ weights - cut

    def mean_error(self, size: int, draws: int = 400) -> float:
        """Return the mean error over training sets of a size, both classes alike."""
        found = []
        for _ in range(draws):
            X = self.draw()
            rows = np.concatenate(
                [self.rng.permutation(np.flatnonzero(self.y == c))[: size // 2] for c in (0, 1)]
            )
            found.append(self.error(self.fit(X, rows)))
        return float(np.mean(found))


def cross_validated(scene: Scene, X: Array, folds: int, repeats: int) -> Predictions:
    scores = np.empty((scene.n, 1, repeats))
    codes = np.stack([scene.folds(folds) for _ in range(repeats)], axis=1)
    for r in range(repeats):
        for k in range(folds):
            test = codes[:, r] == k
            rows = np.flatnonzero(~test)
            scores[test, 0, r] = scene.scores(X, rows, np.flatnonzero(test))
    return Predictions.from_arrays(scene.y, scores, codes, response="decision")


def nested(scene: Scene, X: Array, folds: int, repeats: int) -> NestedPredictions:
    outer = cross_validated(scene, X, folds, repeats)
    rows = []
    for r in range(repeats):
        code = outer.folds[:, r]
        inner = np.full((folds, scene.n), np.nan)
        for k in range(folds):
            for j in range(k):
                both = (code == k) | (code == j)
                found = scene.scores(X, np.flatnonzero(~both), np.flatnonzero(both))
                inner[k, code == j] = found[code[both] == j]
                inner[j, code == k] = found[code[both] == k]
        rows.append(
            tuple(
                Predictions.from_arrays(
                    scene.y, inner[k], np.where(code == k, -1, code), response="decision"
                )
                for k in range(folds)
            )
        )
    return NestedPredictions(outer, tuple(rows))


def halved(scene: Scene, X: Array, splits: int, halvings: int) -> PairedHalves:
    size = scene.n // 10

    def part(rows: NDArray[Any]) -> Predictions:
        scores, codes = np.full((scene.n, 1, splits), np.nan), np.full((scene.n, splits), -1)
        for j in range(splits):
            test = np.concatenate(
                [scene.rng.permutation(rows[scene.y[rows] == c])[: size // 2] for c in (0, 1)]
            )
            scores[test, 0, j] = scene.scores(X, np.setdiff1d(rows, test), test)
            codes[test, j] = 0
        return Predictions.from_arrays(scene.y, scores, codes, response="decision")

    every = np.arange(scene.n)
    pairs = []
    for _ in range(halvings):
        first = scene.folds(2) == 0
        pairs.append((part(every[first]), part(every[~first])))
    return PairedHalves(part(every), tuple(pairs))


def least(runs: int, level: float = LEVEL) -> float:
    """Return the share that a true level falls short of in one of a thousand simulations."""
    return level - 3.1 * (level * (1 - level) / runs) ** 0.5


def covered(found: list[tuple[Any, float]]) -> float:
    return float(np.mean([truth in made.interval for made, truth in found]))


def asked(evidence: Any, method: str, metric: str = "error_rate") -> Any:
    return estimate(evidence, method=method, metric=metric, confidence_level=LEVEL)


def test_nested_intervals_hold_where_those_of_a_plain_mean_do_not() -> None:
    # 90 % intervals for the model of all cases; n = 60, p = 10, five folds, ten repeats; 300 runs,
    # so that a level of .9 shows less than .846 once in a thousand. Seed 0.
    scene, found, plain = Scene(60, 10, 1.5, seed=0), [], []
    for _ in range(300):
        X = scene.draw()
        truth = scene.error(scene.fit(X, np.arange(60)))
        evidence = nested(scene, X, 5, 10)
        found.append((asked(evidence, "bates_ncv"), truth))
        plain.append((asked(evidence.outer, "bayle_all_pairs"), truth))
    assert covered(found) >= least(300)
    assert covered(plain) < covered(found)


@pytest.mark.parametrize(("n", "p"), [(60, 10), (100, 3)])
def test_corrected_t_holds_for_the_mean_over_training_sets(n: int, p: int) -> None:
    # ten folds, three repeats; 300 runs. Seed 1. It is a heuristic: .85 is asked of it.
    scene, found = Scene(n, p, 1.5, seed=1), []
    truth = scene.mean_error(round(0.9 * n))
    for _ in range(300):
        pi = cross_validated(scene, scene.draw(), 10, 3)
        found.append((asked(pi, "corrected_t"), truth))
    assert covered(found) >= least(300, 0.85)


def test_conservative_z_holds_and_is_wide() -> None:
    # n = 80, p = 4, ten splits, ten halvings; 200 runs. Seed 2.
    scene = Scene(80, 4, 1.5, seed=2)
    truth = scene.mean_error(72)
    made = [asked(halved(scene, scene.draw(), 10, 10), "conservative_z") for _ in range(200)]
    found = [(one, truth) for one in made]
    assert covered(found) >= least(200)
    errors = [made.standard_error for made, _ in found]
    assert np.mean(errors) > np.std([made.value for made, _ in found])


@pytest.mark.parametrize("metric", ["error_rate", "roc_auc"])
def test_the_influence_error_is_near_the_spread_of_repeated_cv(metric: str) -> None:
    # n = 60, p = 8, five folds, twenty repeats; 200 runs, so that the spread is known to 5 %.
    # Seed 3. By our page it is up to a quarter too large; the part of the tests alone is less.
    scene = Scene(60, 8, 1.2, seed=3)
    tables = (cross_validated(scene, scene.draw(), 5, 20) for _ in range(200))
    found = [asked(pi, "repeated_cv", metric) for pi in tables]
    spread = np.std([made.value for made in found])
    error = np.mean([made.standard_error for made in found])
    alone = np.mean([made.details.tested**0.5 for made in found])
    assert 0.7 * spread < error < 1.35 * spread
    assert alone < error


def test_repeated_cv_intervals_hold() -> None:
    # the same, with 90 % intervals for the mean over training sets of 48 cases; 200 runs, seed 4
    scene = Scene(60, 8, 1.2, seed=4)
    truth = scene.mean_error(48)
    tables = (cross_validated(scene, scene.draw(), 5, 20) for _ in range(200))
    found = [(asked(pi, "repeated_cv"), truth) for pi in tables]
    assert covered(found) >= least(200)
