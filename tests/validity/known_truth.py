"""Learners of which the test error of every fitted model is known exactly.

Classes are two normal clouds, so that a linear score is normal in each class; outcomes of a
regression are linear in normal features. Then error, F1, AUC and squared error of any linear model
have closed forms, and nothing but the cross-validation is random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from earnest import Predictions

Floats = NDArray[np.float64]
FEATURES = 5
SHIFT = np.full(FEATURES, 0.4)  # half the distance between the clouds: the best error is 18.6 %
SLOPES = np.array([1.0, -1.0, 0.5, 0.0, 0.0])
NOISE = 1.0


@dataclass(frozen=True)
class CrossValidated:
    """Out-of-sample predictions, and the truth of the models that made them, by metric."""

    predictions: Predictions
    truth: dict[str, float]


def folds_of(n: int, k: int) -> NDArray[np.intp]:
    """Return k folds in a row, unequal where k does not divide n."""
    return np.arange(n) * k // n


def logistic(
    rng: np.random.Generator, n: int, k: int, *, balanced: bool = False, penalty: float = 1.0
) -> CrossValidated:
    """Cross-validate a logistic regression on classes that are drawn, or balanced in each fold."""
    y = np.tile([0, 1], n)[:n] if balanced else rng.integers(0, 2, n)
    x = (2 * y - 1)[:, None] * SHIFT + rng.standard_normal((n, FEATURES))
    fold = folds_of(n, k)
    models = _logistic_models(x, y, fold, k, penalty)  # (k, 1 + p), first the intercept
    score = (models[fold, 0] + (x * models[fold, 1:]).sum(axis=1))[:, None]
    pi = Predictions.from_arrays(y, expit(score), fold, response="probability")
    return CrossValidated(pi, classifier_truth(models, np.bincount(fold) / n))


def classifier_truth(models: Floats, shares: Floats) -> dict[str, float]:
    """Return the truth of linear classifiers (k, 1 + p) that test these shares of the cases."""
    size = np.linalg.norm(models[:, 1:], axis=1)
    away, lean = models[:, 1:] @ SHIFT / size, models[:, 0] / size
    hit, alarm = ndtr(away + lean), ndtr(lean - away)  # P(said 1 | 1) and P(said 1 | 0)
    mean_hit, mean_alarm = shares @ hit, shares @ alarm
    return {
        "error_rate": float((1 - mean_hit + mean_alarm) / 2),
        "f1": float(2 * mean_hit / (mean_hit + mean_alarm + 1)),
        "roc_auc": float(ndtr(np.sqrt(2) * away).mean()),  # the mean over folds
    }


def _logistic_models(
    x: Floats, y: NDArray[np.int64], fold: NDArray[np.intp], k: int, penalty: float
) -> Floats:
    """Fit k penalised logistic regressions at once, each without its fold, by Newton's method."""
    design = np.column_stack([np.ones(len(x)), x])
    ridge = penalty * np.diag([0.0] + [1.0] * FEATURES)
    trained = (fold != np.arange(k)[:, None]).astype(np.float64)  # (k, n)
    models = np.zeros((k, design.shape[1]))
    for _ in range(15):
        p = expit(models @ design.T)
        slope = (trained * (p - y)) @ design + models @ ridge
        weight = trained * p * (1 - p)
        curve = np.einsum("kn,ni,nj->kij", weight, design, design, optimize=True) + ridge
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        models = models - step
        if np.abs(step).max() < 1e-10:
            break
    return models


def ridge(
    rng: np.random.Generator, n: int, k: int, *, repeats: int = 1, group: int = 1
) -> CrossValidated:
    """Cross-validate a ridge regression of a linear outcome.

    With repeats each has a partition of its own. With groups of a size, half of the noise is
    shared by a group, and groups stay in one fold.
    """
    x = rng.standard_normal((n, FEATURES))
    groups = np.arange(n) // group
    shared = rng.standard_normal(n)[groups]
    noise = shared if group == 1 else (shared + rng.standard_normal(n)) / np.sqrt(2)
    y = x @ SLOPES + NOISE * noise
    base = folds_of(int(groups[-1]) + 1, k)
    folds = [base[groups]] + [rng.permutation(base)[groups] for _ in range(repeats - 1)]
    made = [_ridge_models(x, y, fold, k) for fold in folds]
    mse = float(np.mean([truth for _, truth in made]))
    pi = Predictions.from_arrays(
        y,
        np.stack([value for value, _ in made], axis=1)[:, None, :],
        np.stack(folds, axis=1),
        groups=None if group == 1 else groups,
        task="regression",
    )
    return CrossValidated(pi, {"mse": mse, "rmse": mse**0.5})


def _ridge_models(
    x: Floats, y: Floats, fold: NDArray[np.intp], k: int, penalty: float = 1.0
) -> tuple[Floats, float]:
    """Return the out-of-sample values (n,), and the mean squared error of the k models."""
    design = np.column_stack([np.ones(len(x)), x])
    ridge = penalty * np.diag([0.0] + [1.0] * FEATURES)
    models = np.empty((k, design.shape[1]))
    for j in range(k):
        rows = design[fold != j]
        models[j] = np.linalg.solve(rows.T @ rows + ridge, rows.T @ y[fold != j])
    far = models[:, 0] ** 2 + ((models[:, 1:] - SLOPES) ** 2).sum(axis=1) + NOISE**2  # (k,)
    return (design * models[fold]).sum(axis=1), float(np.bincount(fold) / len(fold) @ far)
