"""Predictions of configurations whose true performance is known.

What a configuration makes of a case is a normal number. Numbers of two configurations have a
correlation; so have those of the repeats of one. Scores are drawn from each configuration's law,
as in Tsamardinos et al. 2018 and Paraschakis et al. 2024: nothing is trained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import earnest as en
from benchmarks.calibration.grid import Cell

Floats = NDArray[np.float64]
BLOCKS, WITHIN_BLOCKS = 10, 0.9
BETWEEN_REPEATS = 0.8  # of what is a configuration's own, the share that its repeats have in common
BETTER, OTHERS = 0.85, 0.75  # one dominates
GOOD, BAD = 0.85, 0.6  # two clusters


@dataclass(frozen=True)
class Sample:
    """Predictions, and the true performance (C,) of every configuration."""

    predictions: en.Predictions
    truth: Floats


def draw(cell: Cell, rng: np.random.Generator) -> Sample:
    """Return one sample of a cell."""
    truth = true_values(cell.truth, cell.configs, rng)
    y = labels(cell)
    noise = dependent(cell, rng)  # (n, C, R), standard normal
    if cell.metric == "roc_auc":
        return _scores(cell, y, truth, noise)
    return _labels(cell, y, truth, noise)


def true_values(name: str, configs: int, rng: np.random.Generator) -> Floats:
    """Return the true performances (C,) by their name."""
    if name.startswith("eq"):
        return np.full(configs, float(name[2:]))
    if name.startswith("b"):
        first, second = (float(part) for part in name[1:].split("_"))
        return rng.beta(first, second, configs)
    if name == "dom":
        return np.where(np.arange(configs) == configs // 2, BETTER, OTHERS)
    return np.where(np.arange(configs) % 2 == 0, GOOD, BAD)


def labels(cell: Cell) -> NDArray[np.int64]:
    """Return classes (n,) with the share of positives of a cell, at least two of each."""
    positives = min(max(round(cell.positives * cell.n), 2), cell.n - 2)
    return (np.arange(cell.n) < positives).astype(np.int64)


def dependent(cell: Cell, rng: np.random.Generator) -> Floats:
    """Return standard normal numbers (n, C, R) with the correlations of a cell."""
    n, configs, repeats = cell.n, cell.configs, cell.repeats
    own = rng.standard_normal((n, configs, 1))
    if repeats > 1:
        anew = rng.standard_normal((n, configs, repeats))
        own = np.sqrt(BETWEEN_REPEATS) * own + np.sqrt(1 - BETWEEN_REPEATS) * anew
    if cell.dependence == "block":
        block = np.arange(configs) * min(BLOCKS, configs) // configs
        shared, weight = rng.standard_normal((n, BLOCKS))[:, block, None], WITHIN_BLOCKS
    else:
        shared, weight = rng.standard_normal((n, 1, 1)), float(cell.dependence)
    return np.asarray(np.sqrt(weight) * shared + np.sqrt(1 - weight) * own)


def _labels(cell: Cell, y: NDArray[np.int64], truth: Floats, noise: Floats) -> Sample:
    """Return labels that are right with the true probability, in both classes."""
    right = noise < ndtri(truth)[:, None]  # (n, C, R)
    said = np.where(right, y[:, None, None], 1 - y[:, None, None])
    true = truth
    if cell.metric == "precision":
        share = y.mean()
        true = share * truth / (share * truth + (1 - share) * (1 - truth))
    pi = en.Predictions.from_arrays(y, said, response="label", positive=1)
    return Sample(pi, true)


def _scores(cell: Cell, y: NDArray[np.int64], truth: Floats, noise: Floats) -> Sample:
    """Return scores of two normal laws with the true AUC."""
    spread = np.where(y == 1, cell.spread, 1.0)[:, None, None]
    distance = np.sqrt(1.0 + cell.spread**2) * ndtri(truth)
    scores = distance[:, None] * y[:, None, None] + spread * noise
    return Sample(en.Predictions.from_arrays(y, scores, response="decision"), truth)
