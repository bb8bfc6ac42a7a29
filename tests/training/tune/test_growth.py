"""What rows add that a search did not see, and by how many folds tables are divided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score

import earnest as en
from earnest.training import read_training_table
from earnest.training.tune import growth as tune_growth
from earnest.training.tune.growth import measure_growth
from earnest.training.tune.options import FoldPlan, TuneOptions
from tests.training.tune_tables import patients


def read_some(target: str, ignore: tuple[str, ...], n: int = 600):
    whole = read_training_table(patients(n), target=target, ignore=ignore)
    return whole.take(np.sort(np.random.default_rng(1).permutation(n)[:80])), whole


@pytest.mark.parametrize(("target", "metric"), [("relapse", "roc_auc"), ("score", "r2")])
def test_both_models_are_scored_on_rows_that_neither_saw(target, metric, monkeypatch) -> None:
    ignore = ("score", "grade", "relapse", "marker", "seen", "ward")
    searched, whole = read_some(target, tuple(n for n in ignore if n != target))
    model = LogisticRegression() if target == "relapse" else LinearRegression()
    trained: list[np.ndarray] = []
    tested: list[np.ndarray] = []

    def score(winner, train, test, name):
        trained.append(train.rows)
        tested.append(test.rows)
        fitted = winner.fit(train.X, train.y)
        if name == "r2":
            return r2_score(test.y, fitted.predict(test.X))
        return roc_auc_score(test.y, fitted.predict_proba(test.X)[:, 1])

    real = measure_growth(model, searched, whole, metric, np.random.default_rng(2))
    monkeypatch.setattr(tune_growth, "_score", score)
    oracle = measure_growth(model, searched, whole, metric, np.random.default_rng(2))
    assert real.score_searched == pytest.approx(oracle.score_searched)
    assert real.score_more == pytest.approx(oracle.score_more)
    assert (tested[0] == tested[1]).all()
    assert not set(tested[0]) & (set(trained[0]) | set(trained[1]))
    assert real.n_held_out == len(tested[0])
    assert (real.n_searched, real.n_delivered) == (80, 600)
    assert real.n_more == len(trained[1]) == pytest.approx(4 * 80, abs=2)


def test_groups_are_not_on_both_sides(monkeypatch) -> None:
    searched, whole = read_some("relapse", ("score", "grade"))
    wards = np.arange(600) // 5
    sides = replace(whole, groups=wards), replace(searched, groups=wards[searched.rows])
    trained: list[np.ndarray] = []
    tested: list[np.ndarray] = []

    def score(winner, train, test, name):
        trained.append(wards[train.rows])
        tested.append(wards[test.rows])
        return 0.5

    monkeypatch.setattr(tune_growth, "_score", score)
    apart = sides[0].take(np.arange(100))  # of 20 wards; the others have no row in the search
    draws = np.random.default_rng(2)
    gain = measure_growth(LogisticRegression(), apart, sides[0], "roc_auc", draws)
    assert gain.n_held_out > 0
    assert not set(tested[0]) & (set(trained[0]) | set(trained[1]))
    few = measure_growth(LogisticRegression(), sides[1], sides[0], "roc_auc", draws)
    assert few.n_held_out < gain.n_held_out  # most wards have a row in the search
    assert not set(tested[-1]) & (set(trained[-2]) | set(trained[-1]))


def test_folds_follow_from_the_number_of_cases_unless_asked_for() -> None:
    asked = TuneOptions(target="y")
    assert asked.choose_splits(4999) == FoldPlan(10)
    assert asked.choose_splits(5000) == FoldPlan(5)
    assert asked.choose_splits(200_000) == FoldPlan(10, 1, 2)
    assert asked.choose_splits(200_000).n_splits == 2
    assert asked.choose_splits(200_000).n_tests == pytest.approx(0.2)
    assert replace(asked, repeats=3).choose_splits(200_000) == FoldPlan(5, 3)
    assert replace(asked, folds=7).choose_splits(10**6) == FoldPlan(7)
    assert FoldPlan(5, 3).n_splits == 15
    assert FoldPlan(10, 1, 2).share == pytest.approx(0.9)


def test_the_delivered_model_is_fitted_on_all_rows_though_the_search_saw_few(monkeypatch) -> None:
    from earnest.training.tune import job as tune_job

    def few(budget, configs, *rest):
        return tuple(configs[:2]), 150

    monkeypatch.setattr(tune_job, "fit_into", few)
    monkeypatch.setattr(tune_job, "list_more", lambda *_: ())
    table = patients(400)
    found = en.tune(table, target="relapse", ignore=("score", "grade"), folds=3, rng=1, n_jobs=1)
    assert found.table.n_cases == pytest.approx(150, abs=2)
    assert found.growth is not None
    assert (found.growth.n_searched, found.growth.n_delivered) == (found.table.n_cases, 400)
    (caution,) = (c for c in found.estimate.cautions if c.kind == "searched_on_fewer")
    assert caution.facts["delivered"] == 400
    assert caution.facts["score_more"] == found.growth.score_more
    assert found.about()["growth"] == found.growth.to_dict()
    # The same winner fitted on all rows predicts the same.
    if found.estimate.winner is not None:
        whole = read_training_table(table, target="relapse", ignore=("score", "grade"))
        model = found.winner.estimator.fit(whole.X, whole.y)
        scores = np.asarray(found.model.predict(table).scores)
        scores = scores[:, 1] if scores.ndim == 2 else scores
        again = getattr(model, "predict_proba", None) or model.decision_function
        values = np.asarray(again(whole.X))
        values = values[:, 1] if values.ndim == 2 else values
        np.testing.assert_allclose(scores, values, atol=1e-9)
