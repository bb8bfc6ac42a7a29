"""A search with a store: killed at any moment, the same call gives the same bytes."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from earnest import SearchCV
from earnest.errors import InputError, StoreError
from earnest.store import MemoryStore, read_run
from tests.snapshots import Golden
from tests.training.killed_search import FITS
from tests.training.killed_search import searched as killed_search

ROOT = Path(__file__).parents[3]


def test_an_interrupted_search_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "run.db"
    with monkeypatch.context() as short:
        short.setenv("FITS_LEFT", "20")
        with pytest.raises(KeyboardInterrupt):
            killed_search(str(store))
    assert len(read_run(store).outcomes) == 20
    assert killed_search(str(store)) == killed_search(str(tmp_path / "whole.db"))
    assert len(read_run(store).outcomes) == FITS


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "left"), [(2, 5), (1, 20)])
def test_a_killed_search_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, jobs: int, left: int
) -> None:
    """With processes that are killed, as in tests/engine/test_killed.py; else the test above."""
    store = tmp_path / "run.db"
    command = [sys.executable, "-m", "tests.training.killed_search", str(store), str(jobs)]
    env = {**os.environ, "FITS_LEFT": str(left)}
    killed = subprocess.run(command, cwd=ROOT, env=env, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL
    kept = len(read_run(store).outcomes)
    assert kept == left if jobs == 1 else 0 < kept < FITS
    assert killed_search(str(store)) == killed_search(str(tmp_path / "whole.db"))
    assert len(read_run(store).outcomes) == FITS


X, Y = make_classification(n_samples=60, n_features=6, random_state=1)
WEIGHTS, GROUPS = np.linspace(1.0, 2.0, 60), np.repeat(np.arange(20), 3)
FOREST = RandomForestClassifier(n_estimators=2)  # without a seed


def searched(store: Any, **knobs: Any) -> Any:
    model, data = knobs.pop("model", FOREST), knobs.pop("data", X)
    grid = knobs.pop("grid", {"max_depth": [1, 2, 3]})
    beside = knobs.pop("beside", {})
    knobs = {"scoring": "roc_auc", "cv": 3, **knobs}
    return SearchCV(model, grid, store=store, **knobs).fit(data, Y, **beside)


def test_the_same_call_reads_every_fit_from_the_store(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    first, again = searched(path), searched(path, n_jobs=2)
    assert first.predictions_.fingerprint == again.predictions_.fingerprint
    assert first.estimate_.to_dict(draws=True) == again.estimate_.to_dict(draws=True)
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
    for key, values in first.cv_results_.items():
        if key != "params":  # times too: they were stored
            np.testing.assert_array_equal(values, again.cv_results_[key])


def test_the_file_alone_tells_which_configuration_a_fit_is_of(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    grid = {"max_depth": [1, None], "class_weight": [{0: 1, 1: 2}]}
    search = searched(path, grid=grid)
    found = read_run(path)
    configs = json.loads(found.documents["configs"])
    assert [one["config"] for one in configs] == list(search.predictions_.configs.ids)
    assert configs[1]["params"] == {"max_depth": None, "class_weight": "{0: 1, 1: 2}"}
    rows = search.predictions_.folds[:, 0] == 2
    np.testing.assert_array_equal(
        found.outcomes[1, 0, 2].arrays["response"], search.predictions_.responses[rows, 1, 0]
    )


def test_what_concerns_only_the_way_there_may_differ(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    first = searched(path)
    for knobs in (
        {"time_limit": 60.0},
        {"method": "naive"},
        {"confidence_level": 0.8},
        {"refit": False},
        {"error_score": 0.0},
        {"drop": "bced"},
    ):
        again = searched(path, **knobs)
        assert again.predictions_.fingerprint == first.predictions_.fingerprint


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    ("knobs", "word"),
    [
        ({"data": X + 1e-9}, " other data"),
        (
            {"model": RandomForestClassifier(n_estimators=3)},
            "another estimator: n_estimators ('2' there, '3' now)",
        ),
        (
            {"grid": {"max_depth": [1, 2, 4]}},
            " other candidates: max_depth ('[1, 2, 3]' there, '[1, 2, 4]' now)",
        ),
        ({"random_state": 5}, "another seed"),
        ({"cv": KFold(3)}, " other splits"),
        ({"scoring": "f1"}, "another scoring"),
        ({"metric": "brier"}, "another metric ('None' there"),
        ({"return_train_score": True}, "another return_train_score"),
        (
            {"beside": {"sample_weight": WEIGHTS}},
            " other arguments of fit: sample_weight for fit (nothing there",
        ),
        ({"beside": {"groups": GROUPS}}, " other arguments of fit: groups for split (nothing"),
    ],
)
def test_another_search_is_refused_and_what_differs_is_named(
    tmp_path: Path, knobs: dict[str, Any], word: str
) -> None:
    path = tmp_path / "run.db"
    searched(path)
    with pytest.raises(StoreError, match=re.escape(word)):
        searched(path, **knobs)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"sample_weight": WEIGHTS}, {"sample_weight": WEIGHTS[::-1]}),
        ({"groups": GROUPS}, {"groups": GROUPS[::-1]}),
        ({"groups": GROUPS}, {}),
    ],
)
def test_other_weights_or_groups_are_another_run(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any]
) -> None:
    path = tmp_path / "run.db"
    searched(path, beside=first)
    searched(path, beside=first)
    with pytest.raises(StoreError, match=" other arguments of fit") as refused:
        searched(path, beside=second)
    assert "None" not in str(refused.value)


def test_another_number_of_draws_is_another_run_and_ten_is_what_no_number_means(
    tmp_path: Path,
) -> None:
    def draw(**more: int) -> SearchCV:
        return SearchCV(
            DecisionTreeClassifier(random_state=0),
            param_distributions={"max_depth": range(1, 13)},
            store=tmp_path / "run.db",
            cv=2,
            random_state=0,
            **more,
        ).fit(X, Y)

    first = draw()
    assert len(first.cv_results_["params"]) == 10
    assert draw(n_iter=10).cv_results_["params"] == first.cv_results_["params"]
    for other in (9, 11):
        with pytest.raises(StoreError, match="n_iter"):
            draw(n_iter=other)


@pytest.mark.parametrize(
    "cv", [KFold(3, shuffle=True), ShuffleSplit(3), RepeatedKFold(n_splits=3, n_repeats=2)]
)
def test_a_splitter_that_shuffles_without_a_seed_is_refused_before_any_fit(
    tmp_path: Path, cv: Any, golden: Golden
) -> None:
    path = tmp_path / "run.db"
    with golden.raises(InputError):
        searched(path, cv=cv)
    assert not path.exists()
    cv.random_state = 0
    assert searched(path, cv=cv).n_splits_ == searched(path, cv=cv).n_splits_


@pytest.mark.parametrize("knobs", [{"time_limit": -1}, {"n_jobs": 0}, {"n_jobs": "a"}])
def test_what_is_refused_leaves_no_file(tmp_path: Path, knobs: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is out of range"):
        searched(tmp_path / "run.db", **knobs)
    assert list(tmp_path.iterdir()) == []


def test_a_search_with_a_store_survives_a_pickle(tmp_path: Path) -> None:
    for store in (str(tmp_path / "run.db"), tmp_path / "two.db", MemoryStore()):
        search = searched(store)
        copy = pickle.loads(pickle.dumps(search))
        assert copy.estimate_.value == search.estimate_.value


def test_a_failed_fit_is_kept_and_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    grid = {"max_depth": [1, -1]}
    found = []
    for _ in range(2):
        with pytest.warns() as caught:
            found.append(searched(path, grid=grid))
        assert any("3 fits failed" in str(one.message) for one in caught)
    assert found[0].failures_ == found[1].failures_


class Late(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that takes its time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Late:
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]


def test_fits_that_ran_out_of_time_are_tried_again_with_more_time(tmp_path: Path) -> None:
    knobs = {"model": Late(), "grid": {"seconds": [0.0, 0.25]}, "refit": False}
    path = tmp_path / "run.db"
    with joblib.parallel_config(backend="threading"):  # in this thread
        with pytest.warns():
            first = searched(path, time_limit=0.1, **knobs)
        again = searched(path, time_limit=60.0, **knobs)
        third = searched(path, time_limit=0.1, **knobs)
    assert {one.note for one in first.failures_} == {"time limit"}
    assert not again.failures_
    assert not third.failures_  # what is finished stays


def test_a_resumed_run_keeps_the_moment_at_which_it_was_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knobs = {"store": tmp_path / "run.db", "cv": 3, "random_state": 7}
    X, y = np.arange(24.0)[:, None] % 7, np.tile([0, 1], 12)
    forest = RandomForestClassifier(n_estimators=2)
    found = []
    for seconds in ("1700000000", "1800000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
        search = SearchCV(forest, {"max_depth": [1, 2]}, **knobs)
        found.append(search.fit(X, y).begun_)
    assert found == ["2023-11-14T22:13:20Z"] * 2
    assert read_run(tmp_path / "run.db").documents["begun"] == found[0]
