"""Tables 2 and 7 to 11 and figures 7 and 11 in kind: regions on tuning runs of a neural network.

The data are the tables `hpobench_mlp_*.parquet` of HPOBench: 30,000 configurations of five
parameters, each trained with five seeds. The paper used 35 data sets of LCBench; these are two of
another benchmark. The true objective of every configuration is in the table, so likelihoods are
exact.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.moosbauer2021.table1 import curve_numbers
from earnest.core.base.rng import Seeds
from earnest.core.space.space import Parameter, Space
from earnest.explanation.curves import (
    EffectCurve,
    Objective,
    negative_log_likelihood,
    optimum_confidence,
    relative_gain,
)
from earnest.explanation.effects import Scene, effect_of
from earnest.explanation.regions.partition import Growth, RegionRule, neighbours, regions_of
from earnest.explanation.regions.regions import Region, inside
from earnest.explanation.surrogate.gaussian_process import GaussianProcess

NAMES = ("alpha", "batch_size", "depth", "learning_rate_init", "width")
SEARCH, FIRST, BATCH, TAU, DEPTH = 120, 10, 5, 1.0, 6
MEASURES = ("mc", "oc", "nll")
IMPURITIES = ("l2", "area", "variance", "mean")
DRAWN = ("width", "batch_size")  # the parameters of figure 7


class Benchmark:
    """A table of configurations and the error of each, as a space of ordered levels."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        table = pq.read_table(path).to_pydict()
        levels = [sorted(set(table[name])) for name in NAMES]
        self.name = path.stem.removeprefix("hpobench_mlp_")
        self.space = Space(
            tuple(
                Parameter(name=name, kind="ordinal", choices=tuple(each))
                for name, each in zip(NAMES, levels, strict=True)
            )
        )
        places = [np.searchsorted(each, table[n]) for n, each in zip(NAMES, levels, strict=True)]
        seeds = np.array([table[f"val_acc_seed{s}"] for s in range(5)], dtype=np.float64)
        self.error = np.full([len(each) for each in levels], np.nan)
        self.error[tuple(places)] = 1.0 - seeds.mean(axis=0)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the true objective at codes."""
        return np.asarray(self.error[tuple(codes.astype(np.intp).T)])


def search(benchmark: Benchmark, seed: int) -> np.ndarray:
    """Return the codes that a search with the confidence bound mean - sd evaluates."""
    rng = np.random.default_rng(seed)
    codes = benchmark.space.sample(FIRST, rng)
    while len(codes) < SEARCH:
        fitted = GaussianProcess(restarts=0).fit(benchmark.space, codes, benchmark(codes), rng=rng)
        options = benchmark.space.sample(1000, rng)
        mean, sd = fitted.posterior(options)
        codes = np.concatenate([codes, options[np.argsort(mean - TAU * sd)[:BATCH]]])
    return codes[:SEARCH]


def gains(benchmark: Benchmark, seed: int) -> list[dict[str, Any]]:
    """Return the gains of each parameter, impurity and of the baseline in one search.

    The rows 'splits=1' to 'splits=6' are those of the regions around the best configuration on the
    way to its region by 'l2'; a path that ends early stays in its last region.
    """
    scene = scene_of(benchmark, seed)
    rows = []
    for column, param in enumerate(NAMES):
        curve = effect_of(scene, param, covariance=False)
        truth = _truth(benchmark, scene, curve, column)
        best = float(scene.codes[scene.best, column])
        before = _measures(curve, truth.mean(axis=0), best)
        parts: dict[str, tuple[EffectCurve, np.ndarray]] = {}
        for impurity in IMPURITIES:
            path = _around_best(scene, curve, impurity)
            parts[impurity] = (path[-1].curve, _points_of(scene, path[-1]))
            for splits in range(1, DEPTH + 1) if impurity == "l2" else ():
                part = path[min(splits, len(path) - 1)]
                parts[f"splits={splits}"] = (part.curve, _points_of(scene, part))
        chosen = neighbours(scene, column, scene.points, len(parts["l2"][1]))
        assert curve.ice is not None
        near = curve.averaged(curve.ice.taken(chosen))
        parts["baseline"] = (near, chosen)
        for how, (one, points) in parts.items():
            after = _measures(one, truth[points].mean(axis=0), best)
            made = {f"gain_{m}": 100 * relative_gain(before[m], after[m]) for m in MEASURES}
            rows.append({"param": param, "by": how, **made})
    return rows


def scene_of(benchmark: Benchmark, seed: int) -> Scene:
    """Return a surrogate of all that one search evaluated."""
    codes = search(benchmark, seed)
    values = benchmark(codes)
    fitted = GaussianProcess().fit(benchmark.space, codes, values, rng=np.random.default_rng(seed))
    objective = Objective("error", False)
    return Scene(benchmark.space, fitted, codes, values, objective, 1000, 20, Seeds.of(0))


def curves(benchmark: Benchmark, seed: int, param: str) -> dict[str, float]:
    """Return the effect of a parameter, over the whole space and around the best configuration."""
    scene = scene_of(benchmark, seed)
    column = benchmark.space.index(param)
    curve = effect_of(scene, param, covariance=False)
    truth = _truth(benchmark, scene, curve, column)
    out = {"best": float(scene.codes[scene.best, column])}
    for region in _around_best(scene, curve, "l2"):
        true = truth[_points_of(scene, region)].mean(axis=0)
        out |= curve_numbers(region.depth, curve.codes, true, region.curve)
    return out


def _around_best(scene: Scene, curve: EffectCurve, impurity: str) -> list[Region]:
    """Return the regions that hold the best configuration, from the whole space down."""
    tree = regions_of(scene, curve, RegionRule(Growth(depth=DEPTH, min_points=5), impurity))
    leaf = tree.best
    assert leaf is not None
    path = [leaf]
    while path[0].parent is not None:
        path.insert(0, tree.regions[path[0].parent])
    return path


def _points_of(scene: Scene, region: Region) -> np.ndarray:
    return np.flatnonzero(inside(scene.space, region.limits, scene.points))


def _truth(benchmark: Benchmark, scene: Scene, curve: EffectCurve, column: int) -> np.ndarray:
    out = np.empty((len(scene.points), len(curve.codes)))
    for g, code in enumerate(curve.codes):
        moved = scene.points.copy()
        moved[:, column] = code
        out[:, g] = benchmark(moved)
    return out


def _measures(curve: EffectCurve, truth: np.ndarray, best: float) -> dict[str, float]:
    at = optimum_confidence(curve.sd, curve.codes, best)
    assert at is not None
    return {
        "mc": curve.mean_confidence,
        "oc": at,
        "nll": negative_log_likelihood(truth, curve.mean, curve.sd),
    }
