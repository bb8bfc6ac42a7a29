"""Searches that learn from scores: five of our own, and three of Optuna's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from earnest.training.search.preparation import DynamicSearch

FEATURES = 20
PENALTIES = (0.3, 3.0, 30.0, 300.0, 3000.0)
STARTS = 20  # random configurations before a search learns
BATCH = 5
OPTUNA = {  # its class, and the packages that it needs
    "tpe": ("TPESampler", "optuna"),
    "cmaes": ("CmaEsSampler", "optuna", "cmaes"),
    "gpsampler": ("GPSampler", "optuna", "torch"),
}
Params = dict[str, float]
Floats = NDArray[np.float64]
Rule = Callable[[Floats, Floats, int, int, np.random.Generator], Floats]


class Draw(Protocol):
    """A space: what a random point is, and what a changed one is."""

    def random(self, rng: np.random.Generator) -> Params:
        """Return a random configuration."""

    def change(self, params: Mapping[str, float], rng: np.random.Generator) -> Params:
        """Return a configuration beside another one."""


class Masks:
    """Which features are used, and the place of the penalty."""

    def random(self, rng: np.random.Generator) -> Params:
        """Return a random configuration."""
        params = {f"f{i}": float(rng.integers(0, 2)) for i in range(FEATURES)}
        return params | {"penalty": float(rng.integers(0, len(PENALTIES)))}

    def change(self, params: Mapping[str, float], rng: np.random.Generator) -> Params:
        """Return one with about two features switched and the penalty a step away."""
        changed = dict(params)
        for feature in rng.integers(0, FEATURES, size=2):
            if rng.random() < 0.75:
                changed[f"f{feature}"] = 1.0 - changed[f"f{feature}"]
        step = changed["penalty"] + float(rng.integers(-1, 2))
        return changed | {"penalty": min(max(step, 0.0), len(PENALTIES) - 1.0)}


class Unit:
    """Five numbers from 0 to 1, which a learner turns into its parameters."""

    def random(self, rng: np.random.Generator) -> Params:
        """Return a random configuration."""
        return {f"u{i}": float(rng.random()) for i in range(5)}

    def change(self, params: Mapping[str, float], rng: np.random.Generator) -> Params:
        """Return one a normal step away, reflected at the ends."""
        return {
            name: float(1.0 - abs(1.0 - abs(value + 0.15 * rng.standard_normal())) % 1.0)
            for name, value in params.items()
        }


@dataclass(frozen=True)
class Greedy:
    """A search that changes one of the best so far, or draws at random."""

    space: Draw
    trials: int
    parents: int  # how many of the best may be changed; 0 for a random search

    @property
    def static(self) -> bool:
        """Whether it looks at no score."""
        return self.parents == 0

    def limit(self) -> int:
        """Return how many configurations there are."""
        return self.trials

    def start(self, seed: int) -> GreedyAsker:
        """Start a run."""
        return GreedyAsker(self, seed)


class GreedyAsker:
    """One run of it."""

    def __init__(self, knobs: Greedy, seed: int) -> None:
        self.knobs, self._rng = knobs, np.random.default_rng(seed)
        self._tried: list[Params] = []
        self._scores: list[float] = []

    def ask(self) -> Sequence[Params]:
        """Return the next configurations."""
        size = min(BATCH, self.knobs.trials - len(self._tried))
        proposals = [self._propose() for _ in range(size)]
        self._tried += proposals
        return proposals

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the scores of the last ones."""
        self._scores += [score if np.isfinite(score) else -np.inf for score in scores]

    def _propose(self) -> Params:
        space, parents = self.knobs.space, self.knobs.parents
        if parents == 0 or len(self._scores) < STARTS:
            return space.random(self._rng)
        best = np.argsort(-np.array(self._scores), kind="stable")[:parents]
        return space.change(self._tried[int(self._rng.choice(best))], self._rng)


@dataclass(frozen=True)
class Cube:
    """A search of the five numbers of `Unit`, by a rule that proposes from scores."""

    rule: Rule
    trials: int

    def limit(self) -> int:
        """Return how many configurations there are."""
        return self.trials

    def start(self, seed: int) -> CubeAsker:
        """Start a run."""
        return CubeAsker(self, seed)


class CubeAsker:
    """One run of it."""

    def __init__(self, knobs: Cube, seed: int) -> None:
        self.knobs, self._rng = knobs, np.random.default_rng(seed)
        self._points = np.empty((0, 5))
        self._scores = np.empty(0)

    def ask(self) -> Sequence[Params]:
        """Return the next configurations."""
        size = min(BATCH, self.knobs.trials - len(self._points))
        if size <= 0:
            return []
        scores = np.where(np.isfinite(self._scores), self._scores, np.nan)
        known = ~np.isnan(scores)
        told = self._points[: len(scores)][known], scores[known]
        points = self.knobs.rule(*told, size, self.knobs.trials, self._rng)
        self._points = np.vstack([self._points, points])
        return [{f"u{i}": float(u) for i, u in enumerate(point)} for point in points]

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the scores of the last ones."""
        self._scores = np.append(self._scores, scores)


def adapt_strategy(
    points: Floats, scores: Floats, size: int, trials: int, rng: np.random.Generator
) -> Floats:
    """Draw around the mean of the best quarter, with its covariance and a step that shrinks."""
    if len(scores) < 2 * BATCH:
        return rng.random((size, 5))
    best = points[np.argsort(-scores, kind="stable")[: max(3, len(scores) // 4)]]
    step = 0.3 * (1.0 - len(scores) / trials) ** 0.5 + 0.03
    shape = np.cov(best.T) + step**2 * np.eye(5)
    drawn = rng.multivariate_normal(best.mean(axis=0), shape, size)
    return np.asarray(np.clip(drawn, 0.0, 1.0))


def improve_expected(
    points: Floats, scores: Floats, size: int, trials: int, rng: np.random.Generator
) -> Floats:
    """Return the points of 500 random ones with the largest expected improvement."""
    if len(scores) < 2 * BATCH or np.ptp(scores) == 0.0:
        return rng.random((size, 5))
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern

    level, spread = scores.mean(), scores.std()
    process = GaussianProcessRegressor(Matern(0.3, "fixed", nu=2.5), alpha=0.2)
    process.fit(points, (scores - level) / spread)
    tried = rng.random((500, 5))
    mean, error = process.predict(tried, return_std=True)
    ahead = mean - process.predict(points).max()
    ratio = ahead / np.maximum(error, 1e-9)
    gain = ahead * norm.cdf(ratio) + error * norm.pdf(ratio)
    return np.asarray(tried[np.argsort(-gain, kind="stable")[:size]])


def halve_successively(
    points: Floats, scores: Floats, size: int, trials: int, rng: np.random.Generator
) -> Floats:
    """Run what is in the best third of its rung again with more of the first parameter.

    Rungs are .1, .4 and 1. Where nothing is to be promoted, a random point begins at .1.
    """
    proposals: list[Floats] = []
    while len(proposals) < size:
        every = np.vstack([points, *proposals])
        promoted = None
        for low, high in ((0.4, 1.0), (0.1, 0.4)):
            rung = np.flatnonzero(points[:, 0] == low)
            best = rung[np.argsort(-scores[rung], kind="stable")[: len(rung) // 3]]
            above = every[every[:, 0] == high, 1:]
            for place in best:
                if promoted is None and not (above == points[place, 1:]).all(axis=1).any():
                    promoted = np.append(high, points[place, 1:])
        proposals.append(np.append(0.1, rng.random(4)) if promoted is None else promoted)
    return np.array(proposals).reshape(-1, 5)


def make_search(sampler: str, space: str, trials: int) -> DynamicSearch:
    """Return a search by its name."""
    draw = Masks() if space == "masks" else Unit()
    parents = {"random": 0, "climb": 1, "evolution": 5}
    if sampler in parents:
        return Greedy(draw, trials, parents[sampler])
    rules = {"strategy": adapt_strategy, "gp": improve_expected, "halving": halve_successively}
    if sampler in rules:
        return Cube(rules[sampler], trials)
    import optuna

    import earnest as en

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    unit, names = optuna.distributions.FloatDistribution(0.0, 1.0), [f"u{i}" for i in range(5)]
    spaces: dict[str, dict[str, object]] = {
        "masks": {
            f"f{i}": optuna.distributions.CategoricalDistribution([0.0, 1.0])
            for i in range(FEATURES)
        }
        | {"penalty": optuna.distributions.IntDistribution(0, len(PENALTIES) - 1)},
    }
    chosen = spaces.get(space, dict.fromkeys(names, unit))
    kind = getattr(optuna.samplers, OPTUNA[sampler][0])
    return en.optuna_candidates(chosen, kind, n_trials=trials, batch=BATCH)


def is_installed(sampler: str) -> bool:
    """Tell whether the packages of a sampler are here."""
    return all(find_spec(package) is not None for package in OPTUNA.get(sampler, ("",))[1:])
