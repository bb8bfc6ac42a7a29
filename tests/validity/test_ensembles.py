"""The corrected score of an ensemble by simulation, where the truth is known.

Configurations are fixed: logistic functions of a signal and of errors that they share to some
extent. The truth is the score, on 20,000 new cases, of the ensemble that the rule chooses on the
sample. In-bag the rule sees fewer different cases than the sample has, so that its ensembles are a
little worse: the corrected score may be too low by that, never too high.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import earnest as en
from earnest.core.data.ensembles import EnsembleRule
from earnest.inference.resampling.ensembles import blend

NEW = 20_000
TOO_LOW = 0.02  # of an AUC: twice the most that 60 samples of each kind showed, 0.011


def draw_cases(kind: str, n: int, configs: int, seed: int) -> en.Predictions:
    """Return predictions of configurations that are equal, clustered, correlated, or unequal."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    every = np.arange(configs)
    skill = {
        "equal": np.full(configs, 1.0),
        "clustered": np.full(configs, 1.0),
        "one dominant": np.where(every == configs // 2, 1.6, 0.5),
        "correlated": np.linspace(0.8, 1.1, configs),
    }[kind]
    own = rng.standard_normal((n, configs))
    if kind == "clustered":
        own = np.sqrt(0.8) * rng.standard_normal((n, 5))[:, every % 5] + np.sqrt(0.2) * own
    if kind == "correlated":
        own = np.sqrt(0.9) * rng.standard_normal((n, 1)) + np.sqrt(0.1) * own
    chance = 1 / (1 + np.exp(-skill * (y[:, None] - 0.5) - own))
    return en.Predictions.from_arrays(y, chance, fold=np.arange(n) // 2 % 10)


def run(
    kind: str, rule: EnsembleRule, *, n: int, configs: int, runs: int, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return how far corrected and naive scores are above the truth, and who covered it."""
    new = draw_cases(kind, NEW, configs, 10**6)
    corrected, naive, covered = [], [], []
    for seed in range(runs):
        pi = draw_cases(kind, n, configs, seed)
        made = en.estimate(pi, metric="roc_auc", selector=rule, n_resamples=resamples, rng=seed)
        assert made.ensemble is not None
        shares = np.zeros((1, configs))
        for name, share in made.ensemble.items():
            shares[0, pi.configs.ids.index(name)] = share
        ones = np.ones((1, NEW), dtype=np.uint8)
        truth = float(en.score_table(blend(new, shares), "roc_auc", ones)[0, 0])
        corrected.append(made.value - truth)
        naive.append((made.naive or np.nan) - truth)
        assert made.interval is not None
        covered.append(made.interval.low <= truth <= made.interval.high)
    return np.array(corrected), np.array(naive), np.array(covered)


def check(corrected: NDArray[np.float64], naive: NDArray[np.float64]) -> None:
    error = corrected.std(ddof=1) / np.sqrt(len(corrected))
    assert corrected.mean() < 3 * error  # not too good
    assert corrected.mean() > -TOO_LOW - 3 * error
    assert naive.mean() > 4 * naive.std(ddof=1) / np.sqrt(len(naive))  # the curse is there


def test_the_corrected_score_of_an_ensemble_is_not_too_good_and_its_own_score_is() -> None:
    corrected, naive, _ = run(
        "clustered", en.GreedyEnsemble(size=8), n=100, configs=12, runs=25, resamples=40
    )
    check(corrected, naive)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["equal", "clustered", "one dominant", "correlated"])
@pytest.mark.parametrize(
    "rule",
    [en.GreedyEnsemble(size=15), en.GreedyEnsemble(size=15, guard=True), en.StackedEnsemble()],
    ids=lambda rule: rule.name,
)
def test_corrected_ensembles_and_their_intervals_hold_for_every_kind(
    kind: str, rule: EnsembleRule
) -> None:
    corrected, naive, covered = run(kind, rule, n=200, configs=30, runs=60, resamples=100)
    check(corrected, naive)
    assert covered.mean() >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / 60)
