"""The simulation of Paraschakis et al. 2024, section 4.1: scores of known AUC, and their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from earnest import BBC, BBCFold, Estimate, Naive, NaiveBootstrap, Predictions, estimate
from earnest.methods.base import Method

LEVEL = 0.95


@dataclass(frozen=True)
class Setting:
    """One row of table 2: the law of the true AUCs, cases, configurations, minority share."""

    alpha: int
    beta: int
    cases: int
    configs: int
    minority: float

    @property
    def folds(self) -> int:
        """At most ten folds, each with a case of the minority."""
        return min(10, int(self.cases * min(self.minority, 1 - self.minority)))


@dataclass(frozen=True)
class Bounds:
    """One replication: true AUCs of the winners, and one-sided 95 % lower bounds.

    `truth` is of the winner by the mean of folds, which the paper's tables use for every method;
    `truth_pooled` of the winner by the pooled AUC, which `bbc` names by default.
    """

    truth: float
    truth_pooled: float
    bbc: float
    bbc_fold: float
    naive_bootstrap: float


def draw(setting: Setting, rng: np.random.Generator) -> tuple[Predictions, NDArray[np.float64]]:
    """Return predictions and the true AUC of every configuration.

    theta ~ Beta(alpha, beta); scores of class 1 are N(0, 1), those of class 0 N(-mu, 1) with
    mu = sqrt(2) Phi^-1(theta). Class sizes are fixed, class 0 being the minority; labels are
    sorted and folds dealt out in turn.
    """
    truth = rng.beta(setting.alpha, setting.beta, setting.configs)
    shift = np.sqrt(2) * np.array([NormalDist().inv_cdf(t) for t in truth])
    few = int(setting.cases * setting.minority)
    y = np.repeat([0, 1], [few, setting.cases - few])
    noise = rng.standard_normal((setting.cases, setting.configs))
    scores = np.where(y[:, None] == 0, noise - shift, noise)
    fold = np.arange(setting.cases) % setting.folds
    return Predictions.from_arrays(y, scores, fold, response="decision"), truth


def bounds(pi: Predictions, truth: NDArray[np.float64], resamples: int, seed: int) -> Bounds:
    """Return the bounds of the three methods, as published."""

    def ask(method: Method) -> Estimate:
        return estimate(
            pi, method=method, metric="roc_auc", confidence_level=LEVEL, side="lower", rng=seed
        )

    def winner(made: Estimate) -> float:
        return float(truth[pi.configs.index(str(made.winner))])

    bbc = ask(BBC(n_resamples=resamples, variant="as_published"))
    fold = ask(BBCFold(n_resamples=resamples, exact=False, variant="as_published"))
    naive = ask(NaiveBootstrap(n_resamples=500, variant="as_published"))
    return Bounds(
        truth=winner(bbc),
        truth_pooled=winner(ask(Naive(selector="pooled"))),
        bbc=_low(bbc),
        bbc_fold=_low(fold),
        naive_bootstrap=_low(naive),
    )


def _low(made: Estimate) -> float:
    assert made.interval is not None
    return made.interval.low


def replicate(setting: Setting, number: int, resamples: int) -> Bounds:
    """Return one replication, the same for the same number."""
    import_module("earnest.kernels.compiled")  # hundreds of runs pay for loading it once
    pi, truth = draw(setting, stream(setting, number))
    return bounds(pi, truth, resamples, number)


def stream(setting: Setting, number: int) -> np.random.Generator:
    """Return the random numbers of one replication."""
    key = (setting.alpha, setting.beta, setting.cases, setting.configs, int(10 * setting.minority))
    return np.random.default_rng([4321, *key, number])
