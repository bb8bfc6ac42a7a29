"""Runs of every kind that a report must tell of, small and the same on every machine.

Models are neighbours and trees, whose predictions are ratios of counts, and predictions are drawn
with NumPy alone: so no last bit depends on a library of linear algebra.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import earnest as en

BEGUN = "1763226312"  # 15 November 2025, 17:05 UTC, when all runs of the scenes are begun
GOLDEN = Path(__file__).parent / "golden"
HOSTILE = "<script>alert('x')</script>$\\frac{1}{"


def plain(values: Any) -> Any:
    """Return numbers of six digits: the same on every processor, and so is their fingerprint."""
    return np.round(values, 6)


def cases(n: int = 120, seed: int = 5) -> tuple[Any, Any]:
    """Four columns, two of which tell the class of a case."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    X = plain(rng.standard_normal((n, 4)) + np.outer(y, [1.0, 0.7, 0.0, 0.0]))
    return X, y


class Picky(KNeighborsClassifier):
    """Neighbours that can be told to fail, or to end the process, by their `leaf_size`."""

    def fit(self, X: Any, y: Any) -> Any:
        if self.leaf_size == 1:
            raise ValueError("no leaf is that small")
        if self.leaf_size == 2:
            raise KeyboardInterrupt
        return super().fit(X, y)


def binary(folder: Path) -> tuple[Any, dict[str, Any]]:
    """A search with a configuration that fails, and others that are dropped."""
    return _search_binary(os.environ.get("SOURCE_DATE_EPOCH")), {}


@cache
def _search_binary(begun: str | None) -> en.SearchCV:
    """Search once a process and date, which the run records."""
    X, y = cases()
    good = {"n_neighbors": [1, 3, 5, 9, 15, 25], "p": [1, 2]}
    search = en.SearchCV(
        Picky(), [good, {"leaf_size": [1]}], scoring="roc_auc", cv=5, random_state=7, drop="bced"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the fits that fail
        return search.fit(X, y)


def multiclass(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Three classes with names, probabilities of two configurations of unlike skill."""
    rng = np.random.default_rng(8)
    y = np.tile(["setosa", "versicolor", "virginica"], 40)
    truth = (y[:, None] == np.unique(y)).astype(float)
    scores = truth[:, None, None, :] * np.array([1.4, 1.2, 0.2])[None, :, None, None]
    scores = np.exp(scores + 0.8 * rng.standard_normal((120, 3, 1, 3)))
    scores = plain(scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    pi = en.Predictions.from_arrays(y, scores, np.arange(120) // 3 % 5, configs=list("abc"))
    return pi, {"metric": "accuracy"}


def regression(folder: Path) -> tuple[Any, dict[str, Any]]:
    """A loss, so that less is better."""
    rng = np.random.default_rng(9)
    y = plain(10 + 3 * rng.standard_normal(90))
    scores = y[:, None] + np.array([1.0, 1.1, 2.5]) * rng.standard_normal((90, 3))
    configs = [{"depth": depth} for depth in (2, 4, 8)]
    pi = en.Predictions.from_arrays(y, plain(scores), np.arange(90) % 6, configs=configs)
    return pi, {"metric": "rmse"}


def survival(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Times with censoring, and survival at times by three configurations."""
    rng = np.random.default_rng(10)
    risk = rng.standard_normal(100)
    times = plain(rng.exponential(np.exp(-risk)) + 0.01)
    event = rng.random(100) < 0.7
    scores = risk[:, None] + np.array([0.3, 0.6, 3.0]) * rng.standard_normal((100, 3))
    when = np.arange(1, 13) / 6
    chances = plain(np.exp(-np.exp(plain(scores))[:, :, None, None] * when))
    pi = en.Predictions.from_arrays((times, event), chances, np.arange(100) % 5, times=when)
    return pi, {"metric": "concordance_index"}


def grouped(folder: Path) -> tuple[Any, dict[str, Any]]:
    """Twenty groups of four cases, kept together in the folds."""
    rng = np.random.default_rng(13)
    groups = np.repeat(np.arange(20), 4)
    y = np.tile([0, 0, 1, 1], 20)
    scores = 1.2 * y[:, None] + rng.standard_normal((80, 3))
    pi = en.Predictions.from_arrays(
        y, plain(scores), groups % 5, groups=groups, response="decision"
    )
    return pi, {"metric": "roc_auc"}


def imported(folder: Path) -> tuple[Any, dict[str, Any]]:
    """A file of predictions and nothing else."""
    rng = np.random.default_rng(14)
    y = np.tile([0, 1], 60)
    scores = 1 / (1 + np.exp(-(1.5 * (y[:, None] - 0.5) + rng.standard_normal((120, 12)))))
    pi = en.Predictions.from_arrays(y, plain(scores), np.arange(120) // 2 % 6)
    path = folder / "preds.csv"
    pi.save(path)
    return path, {"metric": "roc_auc"}


def single(folder: Path) -> tuple[Any, dict[str, Any]]:
    """One configuration, no folds: a fitted model and its test set."""
    rng = np.random.default_rng(15)
    y = np.tile([0, 1], 40)
    pi = en.Predictions.from_arrays(y, plain(y + rng.standard_normal(80)), configs=["model"])
    return pi, {"metric": "roc_auc"}


def halfway(folder: Path) -> tuple[Any, dict[str, Any]]:
    """The folder of a run that was killed: a run file, and nothing else."""
    run = folder / "run"
    run.mkdir()
    X, y = cases()
    good = {"n_neighbors": [1, 3, 5], "p": [1, 2]}
    grid = [good, {"leaf_size": [2], "p": [1, 2], "n_neighbors": [15, 25]}]
    search = en.SearchCV(
        Picky(), grid, scoring="roc_auc", cv=5, random_state=7, store=run / "run.db"
    )
    with contextlib.suppress(KeyboardInterrupt):
        search.fit(X, y)
    return run, {}


def folder_of_a_run(folder: Path) -> tuple[Any, dict[str, Any]]:
    """The folder of a finished run: run file, predictions, estimate, model."""
    made = _run_once(os.environ.get("SOURCE_DATE_EPOCH"))
    return shutil.copytree(made.name, folder / "tuned"), {}


@cache
def _run_once(begun: str | None) -> tempfile.TemporaryDirectory[str]:
    """Run once a process and date, which the run records, into a folder to copy."""
    made = tempfile.TemporaryDirectory()
    run = Path(made.name)
    X, y = cases()
    grid = {"n_neighbors": [3, 5, 9, 15, 25], "p": [1, 2]}
    search = en.SearchCV(
        KNeighborsClassifier(), grid, scoring="roc_auc", cv=5, random_state=7, store=run / "run.db"
    ).fit(X, y)
    search.predictions_.save(run / "predictions.parquet")
    told = json.dumps(search.estimate_.to_dict(draws=True))
    (run / "estimate.json").write_text(told, encoding="utf-8")
    (run / "model.skops").write_bytes(b"")
    return made


SCENES: dict[str, Callable[[Path], tuple[Any, dict[str, Any]]]] = {
    "binary": binary,
    "multiclass": multiclass,
    "regression": regression,
    "survival": survival,
    "grouped": grouped,
    "imported": imported,
    "single": single,
    "halfway": halfway,
    "folder": folder_of_a_run,
}


def source_of(name: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return what a scene reports on and what it asks, begun at the date of all scenes."""
    with patch.dict(os.environ, SOURCE_DATE_EPOCH=BEGUN):
        return SCENES[name](folder)


def report_of(name: str, folder: Path) -> en.results.Report:
    """Return the report of a scene; the explanation of so few trials is left out."""
    source, asked = source_of(name, folder)
    return en.report(source, explain=False, **asked)


@cache
def scene(name: str) -> en.results.Report:
    """Return the report of a scene, made once a process: a report needs no file any more."""
    with tempfile.TemporaryDirectory() as folder:
        return report_of(name, Path(folder))


def main() -> None:
    """Write the golden texts anew: `python -m tests.reporting.scenes`; read the difference."""
    for name in SCENES:
        text = scene(name).to_markdown()
        (GOLDEN / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
