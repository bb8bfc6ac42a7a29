"""The searches behind table 1: Bayesian optimisation of the Styblinski-Tang function.

Run `python -m benchmarks.papers.moosbauer2021.optimise [--dimensions 3] [--replications 30]`. It
needs the package bayesian-optimization, which nothing else here needs. Every finished search is
kept in `trials/`, so that a run can be stopped and goes on where it was; runs with different
dimensions or `--taus` may go on side by side.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.moosbauer2021.kriging import Kriging
from benchmarks.papers.moosbauer2021.published_draws import SEED_OF_DESIGN, design

Floats = NDArray[np.float64]
FOLDER = Path(__file__).parent / "trials"
EVALUATIONS = {3: 80, 5: 150, 8: 250}
TAUS = (0.1, 1.0, 5.0)  # high, medium and low sampling bias
LOW, HIGH = -5.0, 5.0
RANDOM, STARTS = 2000, 3  # where the library climbs: points looked at, and climbs from the best


@dataclass(frozen=True)
class Setup:
    """What a search is made of.

    Parameters
    ----------
    points : {'published', 'other', 'own'}
        The first 4d points: the published ones, others, or others in each replication.
    process : {'product', 'radial'}
        Matérn 3/2 as a product over dimensions, as published, or of one distance (scikit-learn).
    bound : {'focus', 'climb'}
        How the lowest bound is looked for: as published, or as the library does.
    """

    points: str = "published"
    process: str = "product"
    bound: str = "focus"


SETUPS = {  # from the published one to all of the library's, one thing at a time
    "published": Setup(),
    "climbing": Setup(bound="climb"),
    "radial": Setup(bound="climb", process="radial"),
    "library": Setup(bound="climb", process="radial", points="other"),
    "own_points": Setup(points="own"),
}


def styblinski_tang(x: Floats) -> Floats:
    """Return 1/2 sum(x⁴ - 16 x² + 5 x) over the last axis, to be minimised."""
    return np.asarray(0.5 * (x**4 - 16 * x**2 + 5 * x).sum(axis=-1))


def stored(dimensions: int, tau: float, setup: str) -> Path:
    """Return the file of the searches of one setting."""
    return FOLDER / f"{setup}_d{dimensions}_tau{tau:g}.npz"


def load(dimensions: int, tau: float, setup: str) -> Floats:
    """Return the evaluated points of the searches that are there: (replications, n, d)."""
    path = stored(dimensions, tau, setup)
    if not path.is_file():
        return np.empty((0, EVALUATIONS[dimensions], dimensions))
    with np.load(path) as content:
        return np.asarray(content["points"], dtype=np.float64)


def first_points(dimensions: int, which: str, replication: int) -> Floats:
    """Return the first 4d points of a search."""
    if which == "published":
        return design(SEED_OF_DESIGN, 4 * dimensions, dimensions)
    seed = SEED_OF_DESIGN if which == "other" else [SEED_OF_DESIGN, replication]
    return np.random.default_rng(seed).uniform(LOW, HIGH, (4 * dimensions, dimensions))


def search(dimensions: int, tau: float, replication: int, setup: Setup) -> Floats:
    """Return the points (n, d) that one search evaluates.

    The next point has the lowest mean - tau sd (an upper bound here, as the library maximises).
    """
    from bayes_opt import BayesianOptimization

    names = [f"x{i}" for i in range(dimensions)]
    bound = bound_of(setup, tau)
    optimiser = BayesianOptimization(
        f=None,
        acquisition_function=bound,
        pbounds=dict.fromkeys(names, (LOW, HIGH)),
        random_state=replication,
        verbose=0,
        allow_duplicate_points=True,
    )
    model = process_of(setup, dimensions, optimiser)
    points = list(first_points(dimensions, setup.points, replication))
    for point in points:
        optimiser.register(dict(zip(names, point, strict=True)), -float(styblinski_tang(point)))
    draws = np.random.RandomState(replication)  # what the library takes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scales at their limits: the library's own business
        while len(points) < EVALUATIONS[dimensions]:
            point = bound.suggest(model, optimiser._space, RANDOM, STARTS, random_state=draws)
            points.append(np.asarray(point, dtype=np.float64))
            value = -float(styblinski_tang(points[-1]))
            optimiser.register(dict(zip(names, points[-1], strict=True)), value)
    return np.array(points)


def bound_of(setup: Setup, tau: float) -> Any:
    """Return the library's confidence bound with the wanted way to its minimum."""
    from bayes_opt.acquisition import UpperConfidenceBound

    from benchmarks.papers.moosbauer2021.focus import FocusedBound

    return (FocusedBound if setup.bound == "focus" else UpperConfidenceBound)(kappa=tau)


def process_of(setup: Setup, dimensions: int, optimiser: Any) -> Any:
    """Return the published process, or the library's with a Matérn 3/2 kernel."""
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern

    if setup.process == "product":
        return Kriging(sign=-1.0)
    optimiser.set_gp_params(
        kernel=ConstantKernel(1.0) * Matern(np.ones(dimensions), nu=1.5),
        n_restarts_optimizer=0,
        alpha=1e-8,
    )
    return optimiser._gp


def main() -> None:
    """Run what is missing, replication by replication over all settings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", type=int, nargs="+", default=list(EVALUATIONS))
    parser.add_argument("--replications", type=int, default=30)
    parser.add_argument("--taus", type=float, nargs="+", choices=TAUS, default=list(TAUS))
    parser.add_argument("--setup", choices=SETUPS, default="published")
    asked = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for replication in range(asked.replications):
        for dimensions in asked.dimensions:
            for tau in asked.taus:
                have = load(dimensions, tau, asked.setup)
                if len(have) > replication:
                    continue
                start = time.perf_counter()
                found = search(dimensions, tau, replication, SETUPS[asked.setup])
                every = np.concatenate([have, found[None]]).astype(np.float32)
                np.savez(stored(dimensions, tau, asked.setup), points=every)
                taken = time.perf_counter() - start
                best = styblinski_tang(found).min() / dimensions
                said = f"d={dimensions} tau={tau:g} {replication}: {best:.3f}, {taken:.0f} s"
                print(said, flush=True)


if __name__ == "__main__":
    main()
