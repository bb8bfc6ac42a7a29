"""MLflow's autologging and a search, with a module that stands in for MLflow.

tests/extras/test_mlflow.py does the same with MLflow itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import earnest as en

X = np.random.default_rng(1).standard_normal((60, 3))
Y = (X[:, 0] + np.random.default_rng(2).standard_normal(60) > 0).astype(int)


class Tracker:
    """What is asked of MLflow, in the order it is asked."""

    def __init__(self, *, on: bool = True, log_models: bool = True) -> None:
        self.on, self.log_models, self.quiet = on, log_models, False
        self.format: str | None = "cloudpickle"  # what autolog() has by itself
        self.logged: dict[str, Any] = {}
        self.named: dict[str, dict[str, Any]] = {}
        self.run: object = None

    @contextmanager
    def disable_autologging(self) -> Iterator[None]:
        self.quiet = True
        yield
        self.quiet = False

    def configure(self, flavor: str, key: str, usual: Any) -> Any:
        return {"log_models": self.log_models, "serialization_format": self.format}.get(key, usual)

    def log(self, kind: str) -> Any:
        def keep(*given: Any, **named: Any) -> None:
            assert not self.quiet
            self.run = "begun by itself"
            self.named[kind] = named
            self.logged[kind] = given[0]

        return keep


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch) -> Tracker:
    made = Tracker()
    mlflow, sklearn = ModuleType("mlflow"), ModuleType("mlflow.sklearn")
    utils, auto = ModuleType("mlflow.utils"), ModuleType("mlflow.utils.autologging_utils")
    parts: dict[ModuleType, dict[str, Any]] = {
        mlflow: {
            "active_run": lambda: made.run,
            "end_run": lambda: setattr(made, "run", None),
            "log_params": made.log("params"),
            "log_metrics": made.log("metrics"),
            "set_tags": made.log("tags"),
            "set_tag": made.log("tag"),
            "sklearn": sklearn,
        },
        sklearn: {"log_model": made.log("model")},
        utils: {},
        auto: {
            "disable_autologging": made.disable_autologging,
            "autologging_is_disabled": lambda name: not made.on,
            "get_autologging_config": made.configure,
        },
    }
    for module, names in parts.items():
        for name, value in names.items():
            setattr(module, name, value)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


def search() -> en.SearchCV:
    return en.SearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}, cv=3)


def test_the_winner_and_its_corrected_score_are_logged(tracker: Tracker) -> None:
    made = search().fit(X, Y)
    assert tracker.logged["params"] == {"best_max_depth": str(made.best_params_["max_depth"])}
    assert tracker.logged["metrics"] == made.estimate_.to_metrics()
    assert tracker.logged["model"] is made.best_estimator_
    assert tracker.run is None  # what began by itself was ended


def test_the_fits_of_a_search_are_not_logged(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = []
    plain = DecisionTreeClassifier.fit

    @wraps(plain)  # scikit-learn reads which metadata it takes
    def fit(self: Any, X: Any, y: Any, **given: Any) -> Any:
        fits.append(tracker.quiet)
        return plain(self, X, y, **given)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", fit)
    search().fit(X, Y)
    assert len(fits) == 10  # three configurations in three folds, and the refit
    assert all(fits)


def test_a_run_that_was_active_stays_active(tracker: Tracker) -> None:
    tracker.run = "the user's"
    search().fit(X, Y)
    assert tracker.run is not None


def test_nothing_is_logged_where_autologging_is_off(tracker: Tracker) -> None:
    tracker.on = False
    search().fit(X, Y)
    assert tracker.logged == {}


def test_a_model_is_logged_only_where_models_are(tracker: Tracker) -> None:
    tracker.log_models = False
    search().fit(X, Y)
    assert "model" not in tracker.logged
    assert "metrics" in tracker.logged


def test_a_server_that_fails_does_not_lose_the_search(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(sys.modules["mlflow"], "log_params", fail)
    with pytest.warns(UserWarning, match="no route to host"):
        made = search().fit(X, Y)
    assert made.best_estimator_ is not None


def test_a_model_is_saved_in_the_format_that_autologging_was_given(tracker: Tracker) -> None:
    search().fit(X, Y)
    assert tracker.named["model"]["serialization_format"] == "cloudpickle"
    tracker.format = None  # an MLflow that does not have the setting
    search().fit(X, Y)
    assert "serialization_format" not in tracker.named["model"]


def test_a_model_that_cannot_be_saved_is_told_apart_from_a_score_that_was_logged(
    tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("untrusted types")

    monkeypatch.setattr(sys.modules["mlflow.sklearn"], "log_model", refuse)
    with pytest.warns(UserWarning, match="untrusted types") as warnings:
        fitted = search().fit(X, Y)
    assert not any("search: " in str(warning.message) for warning in warnings)
    assert tracker.logged["metrics"] == fitted.estimate_.to_metrics()
