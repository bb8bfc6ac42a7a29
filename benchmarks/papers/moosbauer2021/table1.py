"""Table 1: how much regions narrow the band and help the likelihood, by sampling bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.papers.moosbauer2021.kriging import Kriging, KrigingSurrogate
from benchmarks.papers.moosbauer2021.optimise import TAUS, styblinski_tang
from benchmarks.papers.moosbauer2021.published_draws import SEED_OF_POINTS, design
from benchmarks.papers.moosbauer2021.thinned_splits import PublishedGrowth
from earnest.core.base.rng import Seeds
from earnest.core.space.space import Parameter, Space
from earnest.explanation.curves import (
    EffectCurve,
    Objective,
    negative_log_likelihood,
    relative_gain,
)
from earnest.explanation.effects import Scene, effect_of
from earnest.explanation.regions.partition import Growth, RegionRule, regions_of
from earnest.explanation.regions.regions import inside
from earnest.explanation.sampling_bias import discrepancy
from earnest.explanation.surrogate.gaussian_process import GaussianProcess

POINTS, GRID, SEED = 1000, 20, 123456  # Monte Carlo points and grid are fixed over replications
EVEN_SAMPLES = 10  # the discrepancy is averaged over so many even samples
DEPTHS, SURROGATES = (1, 3), ("kriging", "earnest")
GROWTHS: dict[str, type[Growth]] = {"as_published": PublishedGrowth, "exhaustive": Growth}
GAINS = tuple(f"gain_{measure}_{depth}" for measure in ("mc", "nll") for depth in DEPTHS)
MEASURES = ("mmd", *GAINS)
BIAS = dict(zip(TAUS, ("high", "medium", "low"), strict=True))


def cube(dimensions: int) -> Space:
    """Return the space of the function."""
    names = (f"x{i}" for i in range(dimensions))
    return Space(tuple(Parameter(name=n, kind="float", low=-5.0, high=5.0) for n in names))


def scene_of(points: np.ndarray, surrogate: str) -> Scene:
    """Return a surrogate of all that a search evaluated."""
    space = cube(points.shape[1])
    codes = np.clip((points + 5.0) / 10.0, 0.0, 1.0)
    values = styblinski_tang(points)
    fitted: Any
    if surrogate == "kriging":
        fitted = KrigingSurrogate(space, Kriging().fit(points, values))
    else:
        rng = np.random.default_rng(0)
        fitted = GaussianProcess(prior=False).fit(space, codes, values, rng=rng)
    return Scene(
        space, fitted, codes, values, Objective("value", False), POINTS, GRID, Seeds.of(SEED)
    )


def bias_of(points: np.ndarray) -> float:
    """Return the discrepancy to even samples of the same size."""
    samples = np.random.default_rng(SEED).uniform(-5, 5, (EVEN_SAMPLES, *points.shape))
    return float(np.mean([discrepancy(points, even).biased for even in samples]))


def measures(points: np.ndarray, surrogate: str) -> dict[str, dict[str, float]]:
    """Return the sampling bias and the gains of one search, by how split points are searched."""
    scene = scene_of(points, surrogate)
    over = (design(SEED_OF_POINTS, POINTS, points.shape[1]) + 5.0) / 10.0
    curve = effect_of(scene, "x0", over, covariance=False)
    truth = true_curves(curve)
    overall = negative_log_likelihood(truth.mean(axis=0), curve.mean, curve.sd)
    mmd = bias_of(points)
    found: dict[str, dict[str, float]] = {
        splits: {"mmd": mmd, "mc": curve.mean_confidence, "nll": overall} for splits in GROWTHS
    }
    for splits, growth in GROWTHS.items():
        for depth in DEPTHS:
            tree = regions_of(scene, curve, RegionRule(growth(depth=depth)))
            best = tree.best
            assert best is not None
            rows = inside(scene.space, best.limits, over)
            nll = negative_log_likelihood(truth[rows].mean(axis=0), best.curve.mean, best.curve.sd)
            found[splits][f"gain_mc_{depth}"] = 100 * best.narrower
            found[splits][f"gain_nll_{depth}"] = 100 * relative_gain(overall, nll)
    return found


def measure_whole(points: np.ndarray, surrogate: str) -> dict[str, float]:
    """Return the mean confidence and the likelihood of the curve over the whole space."""
    scene = scene_of(points, surrogate)
    over = (design(SEED_OF_POINTS, POINTS, points.shape[1]) + 5.0) / 10.0
    curve = effect_of(scene, "x0", over, covariance=False)
    truth = true_curves(curve).mean(axis=0)
    nll = negative_log_likelihood(truth, curve.mean, curve.sd)
    return {"mc": curve.mean_confidence, "nll": nll}


def true_curves(curve: EffectCurve) -> np.ndarray:
    """Return the true ICE curves, (m, G)."""
    assert curve.ice is not None
    out = np.empty(curve.ice.mean.shape)
    for g, code in enumerate(curve.codes):
        moved = curve.ice.points.copy()
        moved[:, 0] = code
        out[:, g] = styblinski_tang(10.0 * moved - 5.0)
    return out


def curves(points: np.ndarray, surrogate: str) -> dict[str, float]:
    """Return the effect of the first parameter around the best point, after 0 to 3 splits."""
    scene = scene_of(points, surrogate)
    over = (design(SEED_OF_POINTS, POINTS, points.shape[1]) + 5.0) / 10.0
    curve = effect_of(scene, "x0", over, covariance=False)
    truth = true_curves(curve)
    out = {"best": float(10.0 * scene.codes[scene.best, 0] - 5.0)}
    for depth in (0, *DEPTHS):
        tree = regions_of(scene, curve, RegionRule(PublishedGrowth(depth=depth)))
        best = tree.best
        assert best is not None
        true = truth[inside(scene.space, best.limits, over)].mean(axis=0)
        out |= curve_numbers(depth, 10.0 * curve.codes - 5.0, true, best.curve)
    return out


def curve_numbers(
    splits: int, at: np.ndarray, truth: np.ndarray, curve: EffectCurve
) -> dict[str, float]:
    """Return a curve as numbers by name: where, the truth there, its mean and its sd."""
    columns = {"x": at, "truth": truth, "mean": curve.mean, "sd": curve.sd}
    return {
        f"{splits} {place} {name}": float(value)
        for name, column in columns.items()
        for place, value in enumerate(column)
    }
