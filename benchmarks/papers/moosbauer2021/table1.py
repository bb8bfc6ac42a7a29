"""Table 1: how much regions narrow the band and help the likelihood, by sampling bias.

Run `python -m benchmarks.papers.moosbauer2021.table1` after `optimise`. It reads the searches that
are there and writes ours beside the published cells, with the number of replications.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.moosbauer2021.kriging import Kriging, KrigingSurrogate
from benchmarks.papers.moosbauer2021.optimise import (
    EVALUATIONS,
    SETUPS,
    TAUS,
    load,
    styblinski_tang,
)
from benchmarks.papers.moosbauer2021.published_draws import SEED_OF_POINTS, design
from earnest.core.base.rng import Seeds
from earnest.core.space.space import Parameter, Space
from earnest.explanation.effects.curves import EffectCurve, Objective
from earnest.explanation.effects.effects import Scene, effect_of
from earnest.explanation.effects.quality import negative_log_likelihood, relative_gain
from earnest.explanation.regions.growing import Growth
from earnest.explanation.regions.partition import RegionRule, inside, regions_of
from earnest.explanation.sampling_bias import discrepancy
from earnest.explanation.surrogate.gaussian_process import GaussianProcess

HERE = Path(__file__).parent
POINTS, GRID, SEED = 1000, 20, 123456  # Monte Carlo points and grid are fixed over replications
EVEN_SAMPLES = 10  # the discrepancy is averaged over so many even samples
DEPTHS, VARIANTS, SURROGATES = (1, 3), ("as_published", "exhaustive"), ("kriging", "earnest")
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
    """Return the sampling bias and the gains of one search, by variant of the split search."""
    scene = scene_of(points, surrogate)
    over = (design(SEED_OF_POINTS, POINTS, points.shape[1]) + 5.0) / 10.0
    curve = effect_of(scene, "x0", over, covariance=False)
    truth = true_curves(curve)
    overall = negative_log_likelihood(truth.mean(axis=0), curve.mean, curve.sd)
    mmd = bias_of(points)
    found: dict[str, dict[str, float]] = {variant: {"mmd": mmd} for variant in VARIANTS}
    for variant in VARIANTS:
        for depth in DEPTHS:
            tree = regions_of(scene, curve, RegionRule(Growth(depth=depth, variant=variant)))
            best = tree.best
            assert best is not None
            rows = inside(scene, best.limits, over)
            nll = negative_log_likelihood(truth[rows].mean(axis=0), best.curve.mean, best.curve.sd)
            found[variant][f"gain_mc_{depth}"] = 100 * best.narrower
            found[variant][f"gain_nll_{depth}"] = 100 * relative_gain(overall, nll)
    return found


def true_curves(curve: EffectCurve) -> np.ndarray:
    """Return the true ICE curves, (m, G)."""
    assert curve.ice is not None
    out = np.empty(curve.ice.mean.shape)
    for g, code in enumerate(curve.codes):
        moved = curve.ice.points.copy()
        moved[:, 0] = code
        out[:, g] = styblinski_tang(10.0 * moved - 5.0)
    return out


def published() -> dict[tuple[int, str], dict[str, str]]:
    """Return the cells of the paper by dimension and bias."""
    with (HERE / "expected_table1.csv").open(encoding="utf-8") as file:
        return {(int(row["d"]), row["bias"]): row for row in csv.DictReader(file)}


def summary(made: list[dict[str, float]], expected: dict[str, str]) -> dict[str, Any]:
    """Return the means, their standard deviations and the published cells."""
    row: dict[str, Any] = {"replications": len(made)}
    for name in MEASURES:
        values = np.array([each[name] for each in made])
        row[name] = round(float(values.mean()), 2)
        row[f"{name}_sd"] = round(float(values.std(ddof=1)), 2) if len(values) > 1 else ""
        row[f"{name}_published"] = expected[name]
    return row


def rows(setups: list[str], most: int) -> list[dict[str, Any]]:
    """Return a row for each kind of search, setting, surrogate and variant."""
    out = []
    for setup in setups:
        for dimensions in EVALUATIONS:
            for tau in reversed(TAUS):
                searches = load(dimensions, tau, setup)[:most]
                if not len(searches):
                    continue
                for surrogate in SURROGATES:
                    made = [measures(points, surrogate) for points in searches]
                    expected = published()[dimensions, BIAS[tau]]
                    for variant in VARIANTS:
                        row: dict[str, Any] = {"search": setup, "d": dimensions, "bias": BIAS[tau]}
                        row |= {"surrogate": surrogate, "splits": variant}
                        row |= summary([each[variant] for each in made], expected)
                        print(*row.values(), flush=True)
                        out.append(row)
    return out


def main() -> None:
    """Evaluate the searches that are there, and keep the rows of the kinds not asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=30, help="replications a setting")
    parser.add_argument("--setups", nargs="+", choices=SETUPS, default=list(SETUPS))
    parser.add_argument("--out", type=Path, default=HERE / "results_table1.csv")
    asked = parser.parse_args()
    made = rows(asked.setups, asked.most)
    if asked.out.is_file():
        with asked.out.open(encoding="utf-8", newline="") as file:
            made += [row for row in csv.DictReader(file) if row["search"] not in asked.setups]
    made.sort(key=lambda row: list(SETUPS).index(row["search"]))
    with asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


if __name__ == "__main__":
    main()
