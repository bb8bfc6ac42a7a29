"""Which configurations cannot be distinguished from the best one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest.core.results.base import Plain
from earnest.core.text.numbers import percent
from earnest.explanation.effects import Scene, find_ranges
from earnest.explanation.surrogate.surrogate import variances

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StableOptimum(Plain):
    """The configurations that the surrogate cannot show to be worse than the best.

    What is estimated: for each complete trial, whether its latent objective is worse than that of
    the one with the best predicted one, at a one-sided level, from the surrogate's covariance of
    both.
    "Not worse" means that it cannot be shown to be worse, trial by trial, not all at once.

    Attributes
    ----------
    best : mapping
        The configuration with the best predicted objective among the trials.
    trials : tuple of int
        The positions of the trials in the set, the best predicted first.
    configs : tuple of mapping
        Their configurations, in the same order.
    n_trials : int
        Of how many complete trials.
    share : float
        The share of the whole space that cannot be distinguished from the best.
    ranges : mapping of str to tuple
        The values of each parameter in the set: low and high of a number, levels of a category.
    confidence_level : float
        The level.
    """

    best: Mapping[str, object]
    trials: tuple[int, ...]
    configs: tuple[Mapping[str, object], ...]
    n_trials: int
    share: float
    ranges: Mapping[str, tuple[object, ...]]
    confidence_level: float

    def __len__(self) -> int:
        """Count the trials in the set."""
        return len(self.trials)

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"{len(self)} of {self.n_trials} trials and {say_share(self.share)} of the space are "
            f"not shown to be worse than the best (level {self.confidence_level:g})"
        )


def say_share(share: float) -> str:
    """Return a share of the space in percent, whole ones from 1 % on.

    Examples
    --------
    >>> from earnest.explanation.stable import say_share
    >>> print(say_share(0.9974).replace(chr(160), " "), say_share(0.004).replace(chr(160), " "))
    100 % 0.4 %
    """
    return percent(round(share, 2 if share >= 0.01 else 3))


def stable_optimum(scene: Scene, confidence_level: float) -> StableOptimum:
    """Return the configurations that cannot be shown to be worse than the best."""
    mean, _ = scene.fitted.posterior(scene.codes)
    best = scene.objective.best(np.where(scene.complete, mean, np.nan))
    inside = not_worse(scene, scene.codes, best, confidence_level) & scene.complete
    inside[best] = True
    order = np.argsort(scene.objective.worse_by(mean, float(mean[best])), kind="stable")
    members = [int(i) for i in order if inside[i]]
    configs = scene.space.decode(scene.codes[members])
    everywhere = not_worse(scene, scene.space.mask(scene.points), best, confidence_level)
    return StableOptimum(
        configs[0],
        tuple(members),
        tuple(configs),
        int(scene.complete.sum()),
        float(everywhere.mean()),
        find_ranges(scene.space, scene.codes[members]),
        confidence_level,
    )


def not_worse(scene: Scene, codes: Floats, best: int, confidence_level: float) -> NDArray[np.bool_]:
    """Tell which codes cannot be shown to be worse than a trial at a one-sided level."""
    top = scene.codes[[best]]
    mean, _ = scene.fitted.posterior(codes)
    best_mean = float(scene.fitted.posterior(top)[0][0])
    best_variance = float(scene.fitted.covariance(top, top)[0, 0])
    variance = variances(scene.fitted, codes)
    shared = scene.fitted.covariance(codes, top)[:, 0]
    spread = np.sqrt(np.maximum(variance + best_variance - 2 * shared, 0.0))
    reach = NormalDist().inv_cdf(confidence_level)
    return np.asarray(scene.objective.worse_by(mean, best_mean) <= reach * spread)
