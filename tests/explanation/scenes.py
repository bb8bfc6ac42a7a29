"""Spaces, trials and surrogates with known answers, for effects and what is read from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import earnest as en
from earnest.core import Clause, Condition, Seeds
from earnest.explanation import EffectSums, GaussianProcess, Objective, Scene

Floats = np.ndarray
SEED = 11


def unit(name: str, **more: Any) -> en.Parameter:
    return en.Parameter(name=name, kind="float", low=0.0, high=1.0, **more)


def mixed() -> en.Space:
    """A classifier choice with children of its own, a log scale, a whole number, a category."""
    return en.Space(
        (
            en.Parameter(name="model", kind="categorical", choices=("svm", "forest", "linear")),
            en.Parameter(
                name="C",
                kind="float",
                low=0.01,
                high=100.0,
                log=True,
                condition=Condition.when("model", "svm"),
            ),
            en.Parameter(
                name="depth", kind="int", low=1, high=8, condition=Condition.when("model", "forest")
            ),
            en.Parameter(name="scaling", kind="categorical", choices=("none", "z")),
            unit("share"),
        )
    )


def mixed_objective(config: dict[str, Any]) -> float:
    """A score that all parameters but the scaling move."""
    base = {"svm": 0.8, "forest": 0.75, "linear": 0.7}[config["model"]]
    base -= 0.02 * (np.log10(config.get("C", 1.0)) - 1.0) ** 2
    base += 0.005 * config.get("depth", 4)
    return float(base + 0.03 * config["share"])


def mixed_trials(n: int = 60, seed: int = SEED, noise: float = 0.002) -> en.Trials:
    rng = np.random.default_rng(seed)
    space = mixed()
    configs = space.decode(space.sample(n, rng))
    values = [mixed_objective(c) + noise * rng.standard_normal() for c in configs]
    return en.Trials.from_configs(configs, values, direction="maximize", space=space)


@dataclass(frozen=True)
class Known:
    """A surrogate that is a known function, with a known sd and independent errors."""

    space: en.Space
    noise_sd: float = 0.0
    name: str = "known"
    cautions: tuple[en.results.Caution, ...] = ()

    def mean(self, codes: Floats) -> Floats:
        return np.nan_to_num(codes) @ np.arange(1.0, codes.shape[1] + 1)

    def sd(self, codes: Floats) -> Floats:
        return 0.1 + np.nan_to_num(codes).sum(axis=1)

    def posterior(self, codes: Floats) -> tuple[Floats, Floats]:
        return self.mean(codes), self.sd(codes)

    def covariance(self, codes: Floats, others: Floats) -> Floats:
        same = (np.nan_to_num(codes)[:, None] == np.nan_to_num(others)[None]).all(axis=2)
        return same * self.sd(codes)[:, None] * self.sd(others)[None]

    def joint(self, codes: Floats) -> tuple[Floats, Floats]:
        return self.mean(codes), self.covariance(codes, codes)

    def averages(self, codes: Floats) -> tuple[Floats, Floats]:
        means = [self.mean(group).mean() for group in codes]
        sds = [np.sqrt((self.sd(group) ** 2).sum()) / len(group) for group in codes]
        return np.array(means), np.array(sds)

    def effect(
        self,
        points: Floats,
        column: Any,
        values: Floats,
        *,
        pointwise: bool = True,
        covariance: bool = True,
    ) -> EffectSums:
        columns = [column] if isinstance(column, int) else list(column)
        table = np.asarray(values).reshape(len(values), len(columns))
        groups = []
        for row in table:
            moved = points.copy()
            moved[:, columns] = row
            groups.append(self.space.mask(moved))
        means = np.stack([self.mean(g) for g in groups], axis=1)
        sds = np.stack([self.sd(g) for g in groups], axis=1)
        return EffectSums(
            means.mean(axis=0),
            np.sqrt((sds**2).mean(axis=0)),
            self.averages(np.stack(groups))[1],
            means,
            sds,
        )


def known_scene(space: en.Space, n: int = 30, n_points: int = 200, grid: int = 5) -> Scene:
    """A scene whose surrogate is known exactly; the best trial is the first."""
    rng = np.random.default_rng(SEED)
    codes = space.sample(n, rng)
    fitted = Known(space)
    values = fitted.mean(codes)
    values[0] = values.max() + 1
    objective = Objective("score", True)
    return Scene(space, fitted, codes, values, objective, n_points, grid, Seeds.of(SEED))


def process_scene(trials: en.Trials, n_points: int = 200, grid: int = 8) -> Scene:
    """A scene with a Gaussian process fitted to trials."""
    fitted = GaussianProcess(restarts=0).fit(
        trials.space, trials.codes, trials.objective, rng=np.random.default_rng(SEED)
    )
    better = trials.direction == "maximize"
    return Scene(
        trials.space,
        fitted,
        np.asarray(trials.codes),
        np.asarray(trials.objective),
        Objective("score", better),
        n_points,
        grid,
        Seeds.of(SEED),
    )


def forbidding() -> en.Space:
    """Two numbers that must not both be large, and a third."""
    both = (Clause(parent="a", low=0.5), Clause(parent="b", low=0.5))
    return en.Space((unit("a"), unit("b"), unit("c")), forbidden=(both,))
