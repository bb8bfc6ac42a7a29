"""Comparing an effect with the true one, where the true objective is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.explanation.effects.curves import EffectCurve
from earnest.explanation.effects.effects import Scene
from earnest.explanation.effects.quality import CurveQuality, QualityGain, negative_log_likelihood
from earnest.explanation.regions.partition import average_columns, inside
from earnest.explanation.regions.regions import RegionTree

Floats = NDArray[np.float64]
Truth = Callable[[dict[str, object]], float]


def judge_against(scene: Scene, tree: RegionTree, curve: EffectCurve, truth: Truth) -> QualityGain:
    """Return confidence and likelihood, overall and in the region of the best configuration.

    The true effect is averaged over the same Monte Carlo points as the surrogate's.
    """
    gain, best, ice = tree.quality(), tree.best, curve.ice
    if gain is None or best is None or ice is None:
        raise EvidenceError(
            f"the best configuration has no {tree.param!r}",
            needs="a hyperparameter that is active in it",
        )
    true = true_curves(scene, curve, truth)
    rows = inside(scene, best.limits, scene.space.mask(ice.points))
    return QualityGain(
        _with_likelihood(gain.overall, curve, average_columns(true)),
        _with_likelihood(gain.region, best.curve, average_columns(true[rows])),
    )


def true_curves(scene: Scene, curve: EffectCurve, truth: Truth) -> Floats:
    """Return the true ICE curves at the points of an effect: (m, G), NaN where none exist."""
    assert curve.ice is not None
    column = scene.space.index(curve.param)
    out = np.full(curve.ice.mean.shape, np.nan)
    for g, code in enumerate(curve.codes):
        moved = curve.ice.points.copy()
        moved[:, column] = code
        exists = np.flatnonzero(~np.isnan(curve.ice.mean[:, g]))
        configs = scene.space.decode(scene.space.mask(moved[exists]))
        out[exists, g] = [_check_number(truth(config), config) for config in configs]
    return out


def _check_number(value: object, config: dict[str, object]) -> float:
    number = check.read_number(value)
    if math.isnan(number) and not isinstance(value, Real):
        raise InputError(
            "`truth` does not return numbers",
            needs="a function from a configuration to its objective",
            got=f"{value!r} for {config!r}",
        )
    return number


def _with_likelihood(quality: CurveQuality, curve: EffectCurve, truth: Floats) -> CurveQuality:
    return CurveQuality(
        quality.mean_confidence,
        quality.optimum_confidence,
        negative_log_likelihood(truth, curve.mean, curve.sd),
    )
