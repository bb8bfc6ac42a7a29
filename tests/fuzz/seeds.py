"""Valid files of every kind that earnest reads: what the fuzzer mutates."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

import earnest as en

N = 40
LOGS = Path(__file__).parents[1] / "adapters" / "files" / "scores"


def write_seeds(folder: Path) -> None:
    """Write small valid files; random seed 0."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    _write_predictions(folder, rng)
    table = _write_tables(folder, rng)
    en.tune(table, target="y", n_configs=2, folds=3, rng=0, n_jobs=1, out=folder / "run")
    _write_trials(folder, rng)
    _write_search(folder, table)
    _write_scores(folder, rng)
    shutil.copytree(LOGS, folder / "logs", ignore=shutil.ignore_patterns("make_*", "*.py", "*.md"))
    shutil.copy(str(files("earnest") / "data/portfolios/default.toml"), folder / "portfolio.toml")


def _write_predictions(folder: Path, rng: np.random.Generator) -> None:
    y, fold = rng.integers(0, 2, N), np.arange(N) % 4
    scores = np.clip(0.3 * y[:, None] + 0.7 * rng.random((N, 3)), 0, 1)
    pi = en.Predictions.from_arrays(y, scores, fold)
    for suffix in (".csv", ".tsv", ".csv.gz", ".parquet", ".arrow", ".npz"):
        pi.save(folder / f"own{suffix}")
    wide = pd.DataFrame({"y": y, "fold": fold, "a": scores[:, 0], "b": scores[:, 1]})
    wide.to_csv(folder / "wide.csv", index=False)
    wide.to_parquet(folder / "wide.parquet")
    long = wide.reset_index(names="row_id").melt(
        id_vars=["row_id", "y", "fold"], var_name="config_id", value_name="y_pred"
    )
    long.rename(columns={"y": "y_true"}).to_csv(folder / "long.csv", index=False)
    np.savez(folder / "arrays.npz", y=y, scores=scores, fold=fold)
    np.savez(folder / "labels.npz", y=y, scores=scores, fold=fold, classes=[0, 1], groups=fold)
    kinds = np.array(["ape", "bee", "cat"])[np.arange(N) % 3]
    shares = rng.dirichlet([1, 1, 1], N)
    many = {f"m_{k}": shares[:, i] for i, k in enumerate(("ape", "bee", "cat"))}
    pd.DataFrame({"y": kinds, "fold": fold, **many}).to_csv(folder / "multiclass.csv", index=False)
    times = {"time": rng.exponential(1, N) + 0.01, "event": y}
    survival = pd.DataFrame({**times, "fold": fold, "a": scores[:, 0]})
    survival.to_csv(folder / "survival.csv", index=False)
    made = en.estimate(pi, metric="roc_auc", n_resamples=50, rng=0)
    made.save(folder / "estimate.json")
    en.estimate_all(pi, metric="roc_auc", n_resamples=50, rng=0).save(folder / "estimates.json")
    pair = en.compare(pi, "c0", "c1", metric="accuracy", rng=0)
    pair.save(folder / "comparison.json")


def _write_tables(folder: Path, rng: np.random.Generator) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "a": rng.normal(size=N),
            "b": rng.normal(size=N),
            "c": rng.choice(["u", "v", "w"], N),
            "y": np.where(rng.random(N) < 0.5, "yes", "no"),
        }
    )
    table.to_csv(folder / "table.csv", index=False)
    table.to_parquet(folder / "table.parquet")
    table.to_json(folder / "table.jsonl", orient="records", lines=True)
    table.to_excel(folder / "table.xlsx", index=False)
    table.drop(columns="y").to_csv(folder / "new.csv", index=False)
    return table


def _write_search(folder: Path, table: pd.DataFrame) -> None:
    from sklearn.tree import DecisionTreeClassifier

    grid = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 2, 4]}
    search = en.SearchCV(
        DecisionTreeClassifier(random_state=0),
        grid,
        cv=3,
        random_state=0,
        n_jobs=1,
        store=folder / "search.db",
    )
    search.fit(table[["a", "b"]].to_numpy(), (table["y"] == "yes").to_numpy().astype(int))


def _write_trials(folder: Path, rng: np.random.Generator) -> None:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    from tests.adapters.studies import open_database

    trials = pd.DataFrame(
        {
            "lr": 10 ** rng.uniform(-4, 0, 30),
            "depth": rng.integers(1, 9, 30),
            "kind": rng.choice(["a", "b"], 30),
            "auc": rng.random(30),
        }
    )
    trials.to_csv(folder / "trials.csv", index=False)
    trials.to_parquet(folder / "trials.parquet")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    journal = JournalStorage(JournalFileBackend(str(folder / "study.log")))
    with open_database(folder / "study.db") as database:
        for storage in (database, journal):
            study = optuna.create_study(
                storage=storage,
                study_name="s",
                direction="maximize",
                sampler=optuna.samplers.RandomSampler(seed=0),
            )
            study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_int("k", 1, 5), 16)
    history = {
        "data": [[i % 12 + 1, None, 0, None, (i + 1) / 40, 0.1, 1, 0, 1, {}] for i in range(24)],
        "configs": {str(i): {"x": i / 13, "k": i} for i in range(1, 13)},
    }
    (folder / "runhistory.json").write_text(json.dumps(history), encoding="utf-8")


def _write_scores(folder: Path, rng: np.random.Generator) -> None:
    """Scores of items in every form: wide and long tables, arrays, and files of earnest."""
    right = (rng.random((N, 3)) < rng.random((N, 1))).astype(float)
    wide = pd.DataFrame(right, columns=["a", "b", "c"])
    wide.insert(0, "item", [f"q{i}" for i in range(N)])
    wide.insert(1, "group", np.arange(N) // 2)
    long = wide.melt(id_vars=["item", "group"], var_name="prompt", value_name="score")
    for name, table in (("scores_wide", wide), ("scores_long", long)):
        table.to_csv(folder / f"{name}.csv", index=False)
        table.to_parquet(folder / f"{name}.parquet")
        table.to_json(folder / f"{name}.jsonl", orient="records", lines=True)
    wide.to_excel(folder / "scores_wide.xlsx", index=False)
    np.savez(folder / "scores_arrays.npz", scores=right, groups=np.arange(N) // 2)
    one = en.Scores(wide)
    several = en.Scores((rng.random((N, 3, 2)) < 0.6).astype(float), tasks=np.arange(N) % 2)
    for name, made in (("scores_own", one), ("scores_samples", several)):
        for suffix in (".csv", ".csv.gz", ".parquet", ".arrow", ".npz"):
            made.save(folder / f"{name}{suffix}")
    pairs = {"a": ["x", "x", "y"] * 8, "b": ["y", "z", "z"] * 8, "winner": ["x", "b", "tie"] * 8}
    pd.DataFrame(pairs).to_csv(folder / "judgements.csv", index=False)
