"""Suggests what to evaluate next, so that a curve or a region of it becomes more certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.base import Plain
from earnest.explanation.curves import EffectCurve
from earnest.explanation.effects import SUGGEST, Scene

Floats = NDArray[np.float64]
OPTIONS, TARGETS = 500, 600  # configurations to choose from, and points to learn about
LEAST = 1e-9  # share of the largest variance under which there is nothing to learn


@dataclass(frozen=True)
class Suggestion(Plain):
    """A configuration that is worth evaluating, and the expected gain.

    Attributes
    ----------
    config : mapping
        The configuration, in natural units, of its active parameters.
    narrower : float
        The share by which the band is expected to narrow once this and the ones before it have
        been evaluated.
    mean, sd : float
        What the surrogate expects of it now.
    """

    config: Mapping[str, object]
    narrower: float
    mean: float
    sd: float


def suggest_configs(
    scene: Scene, count: int, curve: EffectCurve | None, rows: NDArray[np.intp] | None = None
) -> tuple[Suggestion, ...]:
    """Return configurations that would sharpen a curve most, the best first.

    What is estimated: the expected narrowing of the average surrogate uncertainty (eq. 5) after
    each further trial, exact for a Gaussian process with its present scales: a variance after an
    observation does not depend on what is observed. Configurations are chosen one after the other,
    each given the ones before it, out of a random sample of the space.

    Parameters
    ----------
    scene : Scene
        The surrogate and the trials.
    count : int
        How many.
    curve : EffectCurve or None
        The curve to be sharpened; all effects alike if None.
    rows : ndarray of int, optional
        The Monte Carlo points of a region of it.
    """
    targets = _choose_targets(scene, curve, rows)
    options = _sample_options(scene, targets)
    pick = _Picks.of(scene, targets, options)
    mean, sd = scene.fitted.posterior(options)
    mean = scene.objective.clip_all(mean)
    configs = scene.space.decode(options)
    return tuple(
        Suggestion(configs[at], narrower, float(mean[at]), float(sd[at]))
        for at, narrower in pick.first(count)
    )


def _choose_targets(
    scene: Scene, curve: EffectCurve | None, rows: NDArray[np.intp] | None
) -> Floats:
    """Return the points whose uncertainty the band averages, or a sample of them."""
    rng = scene.stream(SUGGEST, 0)
    if curve is None or curve.ice is None:
        return scene.space.mask(scene.points[:TARGETS])
    points = curve.ice.points if rows is None else curve.ice.points[rows]
    column = scene.space.index(curve.param)
    chosen = points[rng.integers(0, len(points), TARGETS)].copy()
    chosen[:, column] = curve.codes[np.arange(TARGETS) % len(curve.codes)]
    return scene.space.mask(chosen)


def _sample_options(scene: Scene, targets: Floats) -> Floats:
    """Return what may be suggested: an even sample of the space, and some of the targets."""
    rng = scene.stream(SUGGEST, 1)
    even = scene.space.sample(OPTIONS // 2, rng)
    near = targets[rng.permutation(len(targets))[: OPTIONS // 2]]
    options = np.concatenate([near, even])
    options = options[scene.space.valid(options)]
    return np.unique(options, axis=0, equal_nan=True)


@dataclass
class _Picks:
    """Covariances of targets and options, brought up to date with every pick."""

    across: Floats  # (targets, options)
    among: Floats  # (options, options)
    noise: float
    at_targets: float

    @classmethod
    def of(cls, scene: Scene, targets: Floats, options: Floats) -> _Picks:
        """Return the present covariances; a forest's noise is what trees do not share."""
        among = scene.fitted.covariance(options, options)
        variance = scene.fitted.posterior(targets)[1] ** 2
        return cls(
            scene.fitted.covariance(targets, options).copy(),
            among.copy(),
            scene.fitted.noise_sd**2,
            float(variance.mean()),
        )

    def first(self, count: int) -> Iterator[tuple[int, float]]:
        """Yield the places of the best options and the band's narrowing so far."""
        taken = 0.0
        least = LEAST * float(self.among.diagonal().max(initial=0.0))
        free = np.ones(len(self.among), dtype=bool)
        for _ in range(min(count, len(self.among))):
            variance = self.among.diagonal() + self.noise
            gains = np.where(
                free & (self.among.diagonal() > least),
                (self.across**2).mean(axis=0) / np.maximum(variance, 1e-300),
                -1.0,
            )
            at = int(np.argmax(gains))
            if gains[at] < 0:
                return
            taken += float(gains[at])
            free[at] = False
            self._observe(at, float(variance[at]))
            yield at, self._find_narrowing(taken)

    def _observe(self, at: int, variance: float) -> None:
        row = self.among[at].copy()
        self.across -= np.outer(self.across[:, at], row) / variance
        self.among -= np.outer(row, row) / variance

    def _find_narrowing(self, taken: float) -> float:
        if self.at_targets <= 0.0:
            return 0.0
        return 1.0 - float(np.sqrt(max(1.0 - taken / self.at_targets, 0.0)))
