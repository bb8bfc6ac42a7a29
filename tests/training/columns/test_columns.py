"""What a model does with its columns: held to scikit-learn, raw tables and plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression

import earnest as en
from earnest.core.results.model.columns import ImportanceKind
from earnest.core.text.model import describe_effect
from earnest.errors import FormatError, InputError
from earnest.training import read_training_table
from earnest.training.columns.alike import find_alike, measure_association
from earnest.training.columns.effects import make_grid, trace_effect
from earnest.training.columns.explain import (
    EFFORTS,
    USUAL_FOLDS,
    Effort,
    choose_effort,
    explain_columns,
)
from earnest.training.columns.fold_models import fit_fold_models
from earnest.training.columns.permuting import HeldOut
from earnest.training.tables.table import TrainingTable

SCORERS = {
    "roc_auc": "roc_auc",
    "log_loss": "neg_log_loss",
    "r2": "r2",
    "mae": "neg_mean_absolute_error",
}


def make_table(target: str, n: int = 240) -> TrainingTable:
    """Return a table of numbers, alike ones among them, a category, a date and noise."""
    rng = np.random.default_rng(6)
    age, noise = rng.normal(size=(2, n))
    near = 0.95 * age + 0.2 * rng.normal(size=n)
    site = rng.choice(["Graz", "Linz", "Wien"], n)
    days = rng.integers(0, 2000, n)
    worth = age + near + (site == "Wien") + days / 1000 + rng.normal(size=n)
    age[:3] = np.nan
    frame = pa.table(
        {
            "age": pa.array(age, from_pandas=True),
            "near": near,
            "noise": noise,
            "site": site,
            "seen": pa.array(days.astype("int32")).cast(pa.date32()),
            "worth": worth,
            "ill": np.where(worth > 1, "yes", "no"),
            "grade": np.digitize(worth, [0, 2]),
        }
    )
    others = [name for name in ("worth", "ill", "grade") if name != target]
    return read_training_table(frame, target=target, ignore=others)


def split(table: TrainingTable, count: int = 3) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return folds."""
    turns = np.arange(table.n_cases) % count
    return [(np.flatnonzero(turns != k), np.flatnonzero(turns == k)) for k in range(count)]


def fill(table: TrainingTable) -> TrainingTable:
    """Return the table without gaps, for learners that take none."""
    return replace(table, X=np.nan_to_num(table.X))


@pytest.mark.parametrize("metric", SCORERS)
def test_importances_are_those_of_scikit_learn_within_their_noise(metric: str) -> None:
    """Of one model and its held-out rows; a mean over 60 permutations on either side.

    scikit-learn's permutations leave a case its own value once in n, which takes 1 / n off.
    """
    classes = metric in ("roc_auc", "log_loss")
    table = fill(make_table("ill" if classes else "worth"))
    learner = (
        ExtraTreesClassifier(20, random_state=0, max_depth=5)
        if classes
        else (ExtraTreesRegressor(20, random_state=0, max_depth=5))
    )
    folds = split(table)[:1]
    models = fit_fold_models(learner, table, folds, 1)
    test = folds[0][1]
    held = HeldOut.of(models, [test], 60, np.random.default_rng(1))
    theirs = permutation_importance(
        models.models[0], table.X[test], table.y[test], scoring=SCORERS[metric], n_repeats=60,
        random_state=2,
    )  # fmt: skip
    for name in ("age", "near", "noise", "site"):
        (place,) = table.schema.find_features(name)
        mine = held.score([name], en.metric(metric), np.random.default_rng(0))
        noise = theirs.importances_std[place] * np.sqrt(2 / 60)
        expected = theirs.importances_mean[place]
        assert abs(mine.value - expected) < 4 * noise + 2 * abs(expected) / len(test)


@pytest.mark.parametrize("target", ["ill", "worth", "grade"])
def test_effects_are_the_partial_dependence_of_scikit_learn(target: str) -> None:
    table = fill(make_table(target))
    kind = ExtraTreesRegressor if target == "worth" else ExtraTreesClassifier
    models = fit_fold_models(kind(10, random_state=0, max_depth=4), table, split(table), 1)
    cases = np.arange(0, table.n_cases, 3)
    predicted = ["p"] * 3
    for name in ("near", "site"):
        (place,) = table.schema.find_features(name)
        grid = make_grid(table, name)
        assert grid is not None
        effects = trace_effect(models, name, cases, predicted)
        theirs = [
            partial_dependence(
                model, table.X[cases], [place], custom_values={place: grid.values[:, 0]},
                method="brute", kind="average",
            )["average"]
            for model in models.models
        ]  # fmt: skip
        curves = np.stack(theirs)  # (M, K, G)
        assert len(effects) == curves.shape[1]
        for k, effect in enumerate(effects):
            assert_allclose(effect.mean, curves[:, k].mean(axis=0), atol=1e-12)
            assert_allclose(effect.low, curves[:, k].min(axis=0), atol=1e-12)
            assert_allclose(effect.high, curves[:, k].max(axis=0), atol=1e-12)


def test_columns_change_cases_as_those_of_the_raw_table_do() -> None:
    """A date that became several columns, and a category, permuted before they are encoded."""
    rng = np.random.default_rng(0)
    frame = pa.table(
        {
            "seen": pa.array(rng.integers(0, 3000, 60).astype("int32")).cast(pa.date32()),
            "site": rng.choice(["a", "b", "c"], 60),
            "x": rng.normal(size=60),
            "y": rng.integers(0, 2, 60),
        }
    )
    table = read_training_table(frame, target="y")
    models = fit_fold_models(ExtraTreesClassifier(5, random_state=0), table, split(table, 2), 1)
    tests = list(models.tests)
    held = HeldOut.of(models, tests, 2, rng)
    assert len(table.schema.find_features("seen")) > 1
    for name in ("seen", "site"):
        features = table.schema.find_features(name)
        said = held.predict_permuted(features)
        for turn in range(2):
            order = np.arange(60)
            order[held.cases] = held.cases[held.donors[:, turn]]
            raw = frame.set_column(frame.column_names.index(name), name, frame[name].take(order))
            X = table.schema.encode(raw)
            for place, test in enumerate(tests):
                rows = np.flatnonzero(held.folds == place)
                assert_array_equal(said[turn, rows], models.answer(place, X[test]))


def test_columns_that_go_together_are_found_and_others_are_not() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    site = np.digitize(x, [-0.5, 0.5])
    marks, other = np.eye(3)[site], np.eye(3)[rng.integers(0, 3, 400)]
    near = measure_association([x, -x + 0.1 * rng.normal(size=400), marks, marks[:, ::-1], other])
    assert_allclose(near, near.T)
    assert near[:4, :4].min() > 0.85
    assert near[4, :4].max() < 0.2
    table = make_table("ill")
    alike = find_alike(table, table.schema.columns, np.random.default_rng(0))
    assert alike == (("age", "near"),)


def test_alike_columns_seem_needless_alone_and_not_together() -> None:
    table = make_table("worth")
    learner = ExtraTreesRegressor(50, random_state=0)
    explanation = explain_columns(learner, fill(table), split(table, 5), "r2", name="trees", seed=3)
    together = [each for each in explanation if each.kind is ImportanceKind.TOGETHER]
    assert [each.columns for each in together] == [("age", "near")]
    assert together[0].value > 1.5 * max(explanation["age"].value, explanation["near"].value)
    assert explanation.n_models == 5
    assert "noise" not in explanation.needed
    values = [each.value for each in explanation]
    assert values == sorted(values, reverse=True)
    again = explain_columns(
        learner, fill(table), split(table, 5), "r2", name="trees", seed=3, n_jobs=2
    )
    assert replace(again, seconds=0.0) == replace(explanation, seconds=0.0)
    back = en.results.ModelExplanation.from_dict(explanation.to_dict())
    assert back == explanation
    for effect in explanation.effects:
        assert describe_effect(effect).count(".") >= 1


def test_effects_of_chosen_columns_are_all_that_is_traced() -> None:
    table = make_table("ill")
    explanation = explain_columns(
        LogisticRegression(), fill(table), split(table, 4), "log_loss", name="l", seed=1,
        effects=["seen", "site"],
    )  # fmt: skip
    assert [effect.column for effect in explanation.effects] == ["seen", "site"]
    assert explanation.effects[0].grid[0].startswith("197")
    assert explanation.effects[1].places is None


def test_less_time_means_fewer_cases_and_then_fewer_columns() -> None:
    efforts = [choose_effort(1e-5, 5000, 40, 5, limit) for limit in (60.0, 4.0, 2.0, 0.6, 0.25)]
    sizes = [(effort.n_cases * effort.n_permutations, effort.n_columns) for effort in efforts]
    assert sizes == sorted(sizes, reverse=True)
    assert efforts[0] == Effort(*EFFORTS[0], 40)
    assert efforts[-1].n_columns < 40
    for limit in (60.0, 4.0, 2.0, 0.6, 0.25):
        effort = choose_effort(1e-5, 5000, 40, 5, limit)
        assert 1e-5 * effort.count_predictions(USUAL_FOLDS) <= limit
    with pytest.raises(InputError):
        choose_effort(1e-2, 5000, 40, 5, 1.0)


def test_columns_for_which_there_is_no_time_are_looked_at_together(monkeypatch) -> None:
    from earnest.training.columns import explain

    monkeypatch.setattr(explain, "MOST_COLUMNS", 3)
    table = make_table("worth")
    explanation = explain_columns(
        ExtraTreesRegressor(10, random_state=0), fill(table), split(table), "r2", name="t", seed=1
    )
    others = [each for each in explanation if each.kind is ImportanceKind.OTHERS]
    assert len(others) == 1
    assert len(others[0].columns) == explanation.n_columns - 3
    assert "noise" in others[0].columns


def test_a_run_and_its_folder_say_the_same_of_the_model(tmp_path) -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 150))
    frame = pa.table({"x": x, "z": z, "y": (x + rng.normal(size=150) > 0).astype(int)})
    found = en.tune(frame, target="y", n_configs=2, folds=3, rng=7, n_jobs=1, out=tmp_path / "run")
    explanation = found.explain_model()
    again = en.results.explain_model(tmp_path / "run", frame, n_jobs=1)
    assert replace(again, seconds=0.0) == replace(explanation, seconds=0.0)
    assert explanation.needed == ("x",)
    fold = found.predictions.folds[:, 0]
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    models = fit_fold_models(found.winner.estimator, found.table, pairs, 1)
    searched = found.predictions.select(found.winner.name).responses[:, 0, 0]
    for place, test in enumerate(models.tests):  # the models of the search, trained again
        assert_array_equal(models.answer(place, found.table.X[test]), searched[test])
    other = frame.set_column(2, "y", pa.array(1 - frame["y"].to_numpy()))
    with pytest.raises(InputError):
        en.results.explain_model(tmp_path / "run", other, n_jobs=1)
    with pytest.raises(InputError):
        found.explain_model(["nothing"])
    (tmp_path / "run" / "plan.json").unlink()
    with pytest.raises(FormatError):
        en.results.explain_model(tmp_path / "run", frame, n_jobs=1)
