"""Intervals and sets of new rows: what a model file keeps of them, says and refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import earnest as en
from earnest.core import Task
from earnest.errors import InputError
from earnest.results import ErrorShares, Model
from earnest.training import ModelPartError
from tests.snapshots import Golden
from tests.training.tune.test_model import OUTCOMES, TABLE, X, model_of
from tests.training.tune_tables import of, portfolio

FILLED, ROWS = np.nan_to_num(X), TABLE.slice(4)
SEEN = ErrorShares(np.arange(1, 20) / 20, np.arange(1, 20) / 19, 19)


def fitted(task: str) -> Model:
    estimator = LinearRegression() if task == "regression" else LogisticRegression()
    model = model_of(estimator.fit(FILLED, OUTCOMES[task]), task)
    return replace(model, errors=SEEN, probabilities=task != "regression")


def test_an_interval_is_the_number_and_the_bound_on_both_sides(tmp_path):
    model = fitted("regression")
    (tmp_path / "model.skops").write_bytes(model.to_bytes())
    forecast = en.load_model(tmp_path).predict(ROWS, interval=0.9)
    np.testing.assert_allclose(forecast.limits[:, 0], forecast.scores - 0.9)
    np.testing.assert_allclose(forecast.limits[:, 1], forecast.scores + 0.9)
    columns = forecast.to_dict()
    assert list(columns) == ["row", "prediction", "prediction_low", "prediction_high"]
    assert columns["prediction_high"] == forecast.limits[:, 1].tolist()


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_a_set_holds_what_is_likely_enough_and_always_the_likeliest(task):
    model = fitted(task)
    for level in (0.05, 0.5, 0.95):
        forecast = model.predict(ROWS, interval=level)
        plain = forecast.scores >= 1 - SEEN.find_bound(level) - 1e-9
        plain[np.arange(len(forecast)), forecast.scores.argmax(axis=1)] = True
        assert forecast.members.tolist() == plain.tolist()
        columns = forecast.to_dict()
        assert columns[f"set_{model.classes[0]}"] == plain[:, 0].tolist()
        assert forecast.members.sum(axis=1).min() >= 1
    assert model.predict(ROWS).members is None
    assert not any(name.startswith("set_") for name in model.predict(ROWS).to_dict())


def test_higher_levels_hold_more():
    model = fitted("multiclass")
    sizes = [model.predict(ROWS, interval=level).members.sum() for level in (0.2, 0.5, 0.8, 0.95)]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("level", [0, 1, 90, -0.1, "much", float("nan")])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(InputError):
        fitted("binary").predict(ROWS, interval=level)


def test_models_without_errors_are_refused_with_the_reason(golden: Golden):
    old = replace(fitted("binary"), errors=None)
    with golden.raises(InputError):
        old.predict(ROWS, interval=0.9)
    with golden.raises(InputError):
        replace(old, probabilities=False).predict(ROWS, interval=0.9)
    with golden.raises(InputError):
        replace(old, task=Task.SURVIVAL).predict(ROWS, interval=0.9)
    with golden.raises(InputError):
        fitted("binary").predict(ROWS, interval=0.99)


def test_a_file_without_errors_loads_and_one_with_nonsense_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "model.skops"
    path.write_bytes(replace(fitted("binary"), errors=None).to_bytes())
    assert en.load_model(path).errors is None
    wrong = [7, {}, {"errors": [1.0], "shares": [1.5], "n_units": 1}, {"errors": "x"}]
    for data in wrong:
        monkeypatch.setattr(ErrorShares, "to_dict", lambda self, data=data: data)
        path.write_bytes(fitted("binary").to_bytes())
        with pytest.raises(ModelPartError):
            en.load_model(path)


@pytest.mark.parametrize("target", ["relapse", "grade", "score"])
def test_a_tuning_keeps_the_errors_of_what_it_delivers(tmp_path, target):
    options = {"n_configs": 3, "folds": 3, "rng": 7, "n_jobs": 1, "ensemble": "none"}
    tuned = en.tune(
        of(target), target=target, portfolio=portfolio(tmp_path), out=tmp_path / "run", **options
    )
    pi = tuned.predictions
    alone = pi.select(tuned.winner.name).responses[:, 0, 0].astype(float)
    if target == "score":
        errors = np.abs(pi.target.y - alone)
    elif target == "grade":
        errors = 1 - alone[np.arange(pi.n_cases), pi.target.y]
    else:
        errors = np.where(pi.target.y == 1, 1 - alone, alone)
    assert tuned.model.errors.n_units == pi.n_cases
    np.testing.assert_allclose(tuned.model.errors.errors, np.unique(errors))
    loaded = en.load_model(tmp_path / "run")
    assert loaded.errors.to_dict() == tuned.model.errors.to_dict()
    new = of(target).drop_columns([target]).slice(0, 5)
    assert (
        loaded.predict(new, interval=0.8).to_dict()
        == tuned.model.predict(new, interval=0.8).to_dict()
    )


def test_groups_of_rows_are_the_units(tmp_path):
    tuned = en.tune(
        of("relapse", keep=("ward",)), target="relapse", group="ward",
        portfolio=portfolio(tmp_path), n_configs=2, folds=3, rng=7, n_jobs=1,
    )  # fmt: skip
    assert tuned.model.errors.n_units == len(set(tuned.predictions.target.groups))


def test_unicode_classes_name_their_sets():
    model = replace(fitted("binary"), classes=("größe 1", "μ"))
    columns = json.loads(json.dumps(model.predict(ROWS, interval=0.5).to_dict()))
    assert {"set_größe 1", "set_μ"} <= set(columns)
    assert pa.table(columns).schema.field("set_μ").type == pa.bool_()
