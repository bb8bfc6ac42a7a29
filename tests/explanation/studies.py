"""Studies of Optuna with a known truth, in which a pruner stops trials between folds or epochs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import optuna

FOLDS, FOLD_SD, OWN_SD = 5, 0.02, 0.006  # luck that all share in a fold, and of each trial in it
BEGUN = 10  # trials with a gamma that is known to be good, before the pruner begins


def true_score(config: dict[str, Any]) -> float:
    """A score that falls with gamma above 0.1, a little with C away from 1."""
    steep = 1.0 / (1.0 + np.exp(-4.0 * (np.log10(config["gamma"]) + 0.5)))
    return float(0.92 - 0.25 * steep - 0.004 * np.log10(config["C"]) ** 2)


def run_study(objective: Callable[[optuna.Trial], float], n_trials: int, seed: int) -> optuna.Study:
    """Run a study of random configurations with Optuna's median pruner."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.RandomSampler(seed=seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=BEGUN),
    )
    rng = np.random.default_rng([seed, BEGUN])
    for _ in range(BEGUN):
        study.enqueue_trial({"C": 10 ** rng.uniform(-2, 2), "gamma": 10 ** rng.uniform(-4, -1.5)})
    study.optimize(objective, n_trials=n_trials)
    return study


def folded_study(n_trials: int, seed: int, *, report: str = "mean") -> optuna.Study:
    """A study that reports after each fold: the mean so far, the fold alone, or nothing."""
    rng = np.random.default_rng(seed)
    hard = FOLD_SD * rng.standard_normal(FOLDS)

    def objective(trial: optuna.Trial) -> float:
        config = suggest(trial)
        noise = OWN_SD * rng.standard_normal(FOLDS)
        scores = true_score(config) + hard - hard.mean() + noise
        means = np.cumsum(scores) / np.arange(1, FOLDS + 1)
        if report == "nothing" and config["gamma"] > 0.1:
            raise optuna.TrialPruned
        for step in range(FOLDS):
            if report != "nothing":
                trial.report(float((scores if report == "fold" else means)[step]), step)
            if report == "mean" and trial.should_prune():
                raise optuna.TrialPruned
            if report == "fold" and step == 1 and config["gamma"] > 0.1:
                raise optuna.TrialPruned
        return float(means[-1])

    return run_study(objective, n_trials, seed)


def epoch_study(n_trials: int, seed: int) -> optuna.Study:
    """A study whose trials learn: 30 epochs towards their score, at one pace up to a third."""
    rng = np.random.default_rng(seed)

    def objective(trial: optuna.Trial) -> float:
        config = suggest(trial)
        pace = rng.uniform(4.0, 6.0)
        for epoch in range(1, 31):
            value = true_score(config) - 0.3 * np.exp(-epoch / pace)
            value += 0.002 * rng.standard_normal()
            trial.report(float(value), epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(value)

    return run_study(objective, n_trials, seed)


def suggest(trial: optuna.Trial) -> dict[str, float]:
    return {
        "C": trial.suggest_float("C", 1e-2, 1e2, log=True),
        "gamma": trial.suggest_float("gamma", 1e-4, 10.0, log=True),
    }
