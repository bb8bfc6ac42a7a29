"""Learners by name: pipelines that take a table with gaps and categories."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from earnest.errors import InputError, UnknownNameError
from earnest.learners import Inputs
from earnest.training import CLASSES, LEARNERS, make_learner


def table(seed: int = 0) -> tuple[np.ndarray, np.ndarray, Inputs]:
    """Return sixty cases of two numbers and a category, with gaps in both kinds."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(60, 2)), rng.integers(0, 3, 60)])
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    X[::7, 1], X[::11, 2] = np.nan, np.nan
    return X, y, Inputs(("a", "b", "c"), (0, 0, 3), (False, True, True), 60)


def make_small(name: str, task: object, inputs: Inputs, seed: int) -> Pipeline:
    """Make a learner with five trees where it has trees: how many changes nothing here."""
    made = make_learner(name, str(task), inputs, seed=seed)
    few = {f"{name}__n_estimators": 5, f"{name}__max_iter": 5}
    known = made.get_params()
    grown = name in ("rf", "extra_trees", "gradient_boosting", "hist_gradient_boosting")
    return made.set_params(**{key: few[key] for key in few if grown and key in known})


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_fits_a_table_with_gaps_and_categories(name: str) -> None:
    X, y, inputs = table()
    for task in LEARNERS[name].tasks:
        truth = {"binary": y, "multiclass": y + (X[:, 0] > 1), "regression": X[:, 0] + y}[str(task)]
        made = make_small(name, task, inputs, seed=0).fit(X[:45], truth[:45])
        assert len(made.predict(X[45:])) == 15


@pytest.mark.parametrize("name", LEARNERS)
def test_a_seed_makes_a_learner_repeatable(name: str) -> None:
    X, y, inputs = table()
    task = LEARNERS[name].tasks[0]
    said = [make_small(name, task, inputs, seed=3).fit(X, y).predict(X).tolist() for _ in range(2)]
    assert said[0] == said[1]


def test_a_level_that_training_never_saw_is_no_error() -> None:
    X, y, inputs = table()
    seen = X.copy()
    seen[:, 2] = 0.0
    made = make_learner("logistic", "binary", inputs).fit(seen, y)
    assert np.isfinite(made.predict_proba(X)).all()


def test_a_column_that_is_all_gaps_in_a_training_part_is_no_error() -> None:
    X, y, inputs = table()
    part = X.copy()
    part[:, 1] = np.nan
    assert len(make_learner("knn", "binary", inputs).fit(part, y).predict(X)) == 60


def test_an_unknown_name_and_its_nearest_are_told() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'logistic'"):
        make_learner("logistik", "binary")


def test_a_task_that_a_learner_cannot_learn_is_refused_with_those_that_can() -> None:
    with pytest.raises(InputError, match="ridge"):
        make_learner("lda", "regression")
    with pytest.raises(InputError, match="your own estimator"):
        make_learner("rf", "survival")


def test_all_categories_or_no_inputs_are_fine() -> None:
    X, y, _ = table()
    only = Inputs(("c",), (3,), (True,), 60)
    made = make_small("rf", "binary", only, seed=0).fit(X[:, 2:], y)
    assert len(made.predict(X[:, 2:])) == 60
    assert set(CLASSES) <= set(LEARNERS["svm"].tasks)
    assert len(make_learner("ridge", "regression").fit(X[:, :2], y).predict(X[:, :2])) == 60
