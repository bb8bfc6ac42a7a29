"""Searches that learn from scores: two greedy ones of our own, and Optuna's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from earnest.training.search.preparation import DynamicSearch

FEATURES = 20
PENALTIES = (0.3, 3.0, 30.0, 300.0, 3000.0)
STARTS = 20  # random configurations before a search learns
BATCH = 5
Params = dict[str, float]


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


def make_search(sampler: str, space: str, trials: int) -> DynamicSearch:
    """Return a search by its name."""
    draw = Masks() if space == "masks" else Unit()
    parents = {"random": 0, "climb": 1, "evolution": 5}
    if sampler in parents:
        return Greedy(draw, trials, parents[sampler])
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
    kinds = {"tpe": optuna.samplers.TPESampler, "cma": optuna.samplers.CmaEsSampler}
    chosen = spaces.get(space, dict.fromkeys(names, unit))
    return en.optuna_candidates(chosen, kinds[sampler], n_trials=trials, batch=BATCH)
