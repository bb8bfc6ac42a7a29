"""Optuna studies that the tests write, to be read back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import RDBStorage

optuna.logging.set_verbosity(optuna.logging.ERROR)


@contextmanager
def open_database(path: Path) -> Iterator[RDBStorage]:
    """Open a SQLite file for Optuna and close it, as Optuna does not; Python 3.13 warns of that."""
    storage = RDBStorage(f"sqlite:///{path}")
    try:
        yield storage
    finally:
        storage.remove_session()
        storage.engine.dispose()


def objective(trial: optuna.Trial) -> float:
    """A choice of classifier, each with children of its own, one of them with a grandchild."""
    model = trial.suggest_categorical("model", ["svm", "forest", "mlp"])
    if model == "svm":
        c = trial.suggest_float("svm_C", 1e-3, 1e3, log=True)
        kernel = trial.suggest_categorical("kernel", ["rbf", "linear"])
        gamma = trial.suggest_float("gamma", 1e-4, 1.0, log=True) if kernel == "rbf" else 0.1
        return 0.8 - 0.01 * abs(c - 1.0) ** 0.5 - 0.1 * abs(gamma - 0.01)
    if model == "forest":
        depth = trial.suggest_int("depth", 2, 20)
        trees = trial.suggest_int("trees", 50, 500, step=50)
        return 0.7 + 0.01 * depth - 1e-5 * trees
    layers = trial.suggest_int("layers", 1, 3)
    return 0.6 + 0.001 * sum(
        trial.suggest_int(f"units_{i}", 8, 64, log=True) for i in range(layers)
    )


def conditional(storage: Any = None, trials: int = 60, name: str = "tuning") -> optuna.Study:
    """Run the search with a random sampler, one trial failing and two pruned."""
    study = optuna.create_study(
        study_name=name,
        direction="maximize",
        storage=storage,
        sampler=optuna.samplers.RandomSampler(seed=3),
    )

    def with_accidents(trial: optuna.Trial) -> float:
        value = objective(trial)
        if trial.number == 5:
            raise ArithmeticError("did not converge")
        if trial.number in (7, 9):
            raise optuna.TrialPruned
        return value

    study.optimize(with_accidents, n_trials=trials, catch=(ArithmeticError,))
    return study
