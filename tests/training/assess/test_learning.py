"""A learning curve: nested parts, the same test cases, and an interval paired by case."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.tree import DecisionTreeClassifier

import earnest as en
from earnest.core import Seeds
from earnest.training import make_splits, nest_splits


def cases(n: int = 120, p: int = 5, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    X = rng.standard_normal((n, p))
    X[:, 0] += 1.2 * y
    return X, y


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that says one class, and tells a file how many cases it was trained on."""

    def __init__(self, note: str = "", fail_after: int = 0) -> None:
        self.note, self.fail_after = note, fail_after

    def fit(self, X: np.ndarray, y: np.ndarray) -> Counting:
        path = Path(self.note)
        lines = path.read_text().splitlines() if path.exists() else []
        if os.environ.get("END_AFTER") == str(len(lines)):
            if os.environ["ENDED_BY"] == "interrupt":
                raise KeyboardInterrupt
            os._exit(9)
        path.write_text("\n".join([*lines, str(len(y))]) + "\n")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("groups", [None, np.arange(120) // 4])
def test_parts_are_nested_and_the_last_is_the_whole_training_set(groups) -> None:
    X, y = cases()
    target = en.Predictions.from_arrays(y, y, groups=groups).target
    folds = make_splits(5, X, y, classifier=True, seeds=Seeds(0))
    made = nest_splits(folds, (0.125, 0.5, 1.0), target, Seeds(3))
    assert made.test == folds.test * 3
    for k in range(5):
        small, half, whole = (made.train[i * 5 + k] for i in range(3))
        assert set(small) < set(half) < set(whole)
        assert whole is folds.train[k]
        if groups is None:
            assert (len(small), len(half)) == (12, 48)
            assert y[half].sum() == y[small].sum() * 4 == 24  # the shares of the classes stay
        else:
            left = np.setdiff1d(whole, half)
            assert not set(groups[half]) & set(groups[left])


def test_scores_are_those_of_models_trained_on_the_parts() -> None:
    X, y = cases()
    made = en.learning_curve(Ridge(), X, X[:, 0] + y, metric="rmse", cv=5, rng=4)
    outcome = X[:, 0] + y
    assert made.fractions == (0.125, 0.25, 0.5, 1.0)
    assert made.sizes == (12, 24, 48, 96)
    assert made.n_fits == 20
    assert list(made.scores) == sorted(made.scores, reverse=True)  # an exact line is learned
    assert made.value == pytest.approx(made.scores[-2] - made.scores[-1], abs=1e-12)
    assert made.interval is not None
    assert made.interval.low <= made.value <= made.interval.high
    assert root_mean_squared_error(outcome, Ridge().fit(X, outcome).predict(X)) < made.scores[-1]


def test_the_last_score_and_the_step_are_those_of_estimate_and_compare() -> None:
    """By hand with the same folds: a splitter is taken as given."""
    X, y = cases()
    fold = np.arange(120) // 2 % 5
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    model = LogisticRegression()
    made = en.learning_curve(model, X, y, metric="accuracy", fractions=(0.5, 1), cv=pairs, rng=2)
    said = np.empty(120, dtype=int)
    for train, test in pairs:
        said[test] = clone(model).fit(X[train], y[train]).predict(X[test])
    assert made.scores[-1] == pytest.approx(accuracy_score(y, said), abs=1e-12)
    folds = make_splits(pairs, X, y, classifier=True, seeds=Seeds(2))
    nested = nest_splits(folds, (0.5, 1.0), en.Predictions.from_arrays(y, y).target, Seeds(2))
    half = np.empty(120, dtype=int)
    for k, (_, test) in enumerate(pairs):
        rows = nested.train[k]
        half[test] = clone(model).fit(X[rows], y[rows]).predict(X[test])
    pi = en.Predictions.from_arrays(
        y, np.column_stack([half, said]), fold, response="label", configs=["half", "all"]
    )
    step = en.compare(pi, "all", "half", metric="accuracy", test="bayle")
    assert made.value == pytest.approx(step.difference, abs=1e-12)
    assert made.interval.low == pytest.approx(step.interval.low, abs=1e-12)
    assert made.interval.high == pytest.approx(step.interval.high, abs=1e-12)


def test_the_winner_of_a_search_is_trained_by_its_own_metric_with_a_note() -> None:
    X, y = cases()
    grid = {"max_depth": [1, 3], "min_samples_leaf": [5]}
    tree = DecisionTreeClassifier(random_state=0)
    search = en.SearchCV(tree, grid, scoring="roc_auc", cv=3, random_state=1).fit(X, y)
    made = en.learning_curve(search, X, y, fractions=(0.5, 1), cv=3, rng=0)
    assert made.metric == "roc_auc"
    assert made.learner == f"max_depth {search.best_params_['max_depth']}"
    assert "EN127" in [caution.code for caution in made.cautions]
    alone = en.learning_curve(
        clone(search.best_estimator_), X, y, metric="roc_auc", fractions=(0.5, 1), cv=3, rng=0
    )
    assert alone.scores == made.scores
    assert "EN127" not in [caution.code for caution in alone.cautions]


def test_a_metric_without_terms_a_case_is_judged_by_another_test() -> None:
    X, y = cases()
    made = en.learning_curve(
        LogisticRegression(), X, y, metric="average_precision", fractions=(0.5, 1), cv=3, rng=0
    )
    assert made.test != "bayle"
    assert made.interval is not None


@pytest.mark.parametrize(
    ("fractions", "word"),
    [((1.0,), "fractions"), ((0.5, 0.4, 1), "fractions"), ((0.5, 0.9), "fractions"),
     ((0.0, 1), "fractions"), ("x", "fractions"), ((0.01, 1), "class")],
)  # fmt: skip
def test_what_is_no_curve_is_refused_before_any_fit(fractions, word, tmp_path) -> None:
    X, y = cases()
    note = tmp_path / "fits"
    with pytest.raises(en.errors.EarnestError, match=word):
        en.learning_curve(Counting(str(note)), X, y, metric="accuracy", fractions=fractions)
    assert not note.exists()


def trace(note: str, store: str) -> en.results.LearningCurve:
    X, y = cases()
    asked = {"metric": "accuracy", "fractions": (0.5, 1), "cv": 3, "rng": 5}
    return en.learning_curve(Counting(note), X, y, store=store, **asked)


def interrupt(fits: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as short:
        short.setenv("END_AFTER", "4")
        short.setenv("ENDED_BY", "interrupt")
        with pytest.raises(KeyboardInterrupt):
            trace(str(fits), str(store))


def kill(fits: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[3]), *sys.path]))
    env = {**os.environ, "END_AFTER": "4", "ENDED_BY": "exit"}
    args = [sys.executable, "-m", __name__, str(fits), str(store)]
    assert subprocess.run(args, env=env, timeout=300, check=False).returncode == 9


@pytest.mark.parametrize("end", [interrupt, pytest.param(kill, marks=pytest.mark.slow)])
def test_a_curve_that_was_ended_goes_on_where_it_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[Path, Path, pytest.MonkeyPatch], None],
) -> None:
    fits = tmp_path / "fits"
    end(fits, tmp_path / "run.db", monkeypatch)
    assert len(fits.read_text().split()) == 4
    again = trace(str(fits), str(tmp_path / "run.db"))
    assert sorted(fits.read_text().split()) == ["40"] * 3 + ["80"] * 3  # two were missing
    whole = trace(str(fits), str(tmp_path / "other.db"))
    assert len(fits.read_text().split()) == 12
    assert again.to_dict() == whole.to_dict()


if __name__ == "__main__":
    from tests.training.assess import test_learning  # whose learner is not that of `__main__`

    test_learning.trace(*sys.argv[1:])
