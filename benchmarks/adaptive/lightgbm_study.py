"""An ordinary Optuna script around LightGBM, and the same with three changed lines.

python -m benchmarks.adaptive.lightgbm_study --data credit_g.parquet --target class [--trials 300]

Half of the rows are searched, by five folds and `--trials` trials of Optuna's default sampler; the
other half is new and says what the fold models of each winner are worth. The row is added to
`lightgbm_study.csv`, one for each design and seed.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import lightgbm
import numpy as np
import optuna
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import earnest as en
from benchmarks.adaptive.grid import HERE
from benchmarks.rows import read_rows, write_rows

OUT = HERE / "lightgbm_study.csv"
DESIGNS = ("unguarded", "crossed")


@dataclass(frozen=True)
class Study:
    """One study: what it cost, what it reports of its winner, and what is true of it."""

    data: str
    design: str
    seed: int
    cases: int
    trials: int
    seconds: float
    best_of_study: float
    naive: float
    value: float
    low: float
    high: float
    truth: float
    same_as_best_trial: int
    winner: str


def suggest(trial: optuna.Trial, seed: int) -> lightgbm.LGBMClassifier:
    """Return the model of a trial: nine parameters, as most such scripts have them."""
    return lightgbm.LGBMClassifier(
        n_estimators=trial.suggest_int("n_estimators", 20, 200),
        learning_rate=trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        num_leaves=trial.suggest_int("num_leaves", 2, 64),
        max_depth=trial.suggest_int("max_depth", 2, 10),
        min_child_samples=trial.suggest_int("min_child_samples", 2, 60),
        subsample=trial.suggest_float("subsample", 0.4, 1.0),
        subsample_freq=1,
        colsample_bytree=trial.suggest_float("colsample_bytree", 0.3, 1.0),
        reg_alpha=trial.suggest_float("reg_alpha", 1e-6, 10.0, log=True),
        reg_lambda=trial.suggest_float("reg_lambda", 1e-6, 10.0, log=True),
        random_state=seed,
        n_jobs=1,
        verbosity=-1,
    )


def run_study(
    design: str, X: pd.DataFrame, y: np.ndarray, folds: list[Any], trials: int, seed: int, kept: str
) -> tuple[optuna.Study, en.results.Estimate, float]:
    """Run one of the two scripts; return its study, its estimate and its seconds."""
    began = perf_counter()
    if design == "unguarded":

        def objective(trial: optuna.Trial) -> float:
            model, scores = suggest(trial, seed), []
            for train, test in folds:
                answer = model.fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])[:, 1]
                en.keep_predictions(trial, test, answer, store=kept)
                scores.append(roc_auc_score(y[test], answer))
            return float(np.mean(scores))

        sampler = optuna.samplers.TPESampler(seed=seed)
    else:
        crossed = en.CrossedStudy(y, metric="roc_auc", store=kept, rng=seed)  # 1

        def objective(trial: optuna.Trial) -> float:
            model, score = suggest(trial, seed), np.nan
            for train, test in folds:
                answer = model.fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])[:, 1]
                score = crossed.keep(trial, test, answer)  # 2
            return score

        sampler = crossed.sampler(optuna.samplers.TPESampler)  # 3
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=trials)
    seconds = perf_counter() - began
    pi = en.predictions_from(study, y, store=kept)
    return study, en.estimate(pi, metric="roc_auc", rng=seed), seconds


def find_winner(study: optuna.Study, estimate: en.results.Estimate) -> optuna.trial.FrozenTrial:
    """Return the trial that the estimate names."""
    number = int(str(estimate.winner).removeprefix("trial").strip("-_ "))
    return study.trials[number]


def main() -> None:
    """Run both designs on one table, and add their rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    table = pd.read_parquet(options.data)
    y = pd.factorize(table.pop(options.target), sort=True)[0]
    for name in table.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]]:
        table[name] = table[name].astype("category")
    order = np.random.default_rng([20_261_119, options.seed]).permutation(len(y))
    mine, new = order[: len(y) // 2], order[len(y) // 2 :]
    X, outcome = table.iloc[mine], y[mine]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=options.seed).split(X, outcome))
    rows = read_rows(Study, OUT) if OUT.exists() else []
    for design in DESIGNS:
        with tempfile.TemporaryDirectory() as kept:
            study, estimate, seconds = run_study(
                design, X, outcome, folds, options.trials, options.seed, kept
            )
        winner, interval = find_winner(study, estimate), estimate.interval
        assert interval is not None
        assert estimate.naive is not None
        truth = np.mean(
            [
                roc_auc_score(
                    y[new],
                    suggest(optuna.trial.FixedTrial(winner.params), options.seed)  # type: ignore[arg-type]
                    .fit(X.iloc[train], outcome[train])
                    .predict_proba(table.iloc[new])[:, 1],
                )
                for train, _ in folds
            ]
        )
        rows.append(
            Study(
                options.data.stem,
                design,
                options.seed,
                len(mine),
                options.trials,
                seconds,
                study.best_value,
                estimate.naive,
                estimate.value,
                interval.low,
                interval.high,
                float(truth),
                int(winner.number == study.best_trial.number),
                ", ".join(f"{name}={value:.4g}" for name, value in winner.params.items()),
            )
        )
        write_rows(rows, OUT)
        print(rows[-1], flush=True)


if __name__ == "__main__":
    main()
