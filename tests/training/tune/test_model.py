"""Models on disk: what comes back is the same, and nothing else than models comes back."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from skops.io import dump, get_untrusted_types

from earnest import load_model
from earnest.core import Task
from earnest.errors import FormatError, InputError
from earnest.learners import Inputs, load_portfolio
from earnest.results import Model
from earnest.training import (
    FORMAT,
    ColumnKind,
    Feature,
    ModelPartError,
    Schema,
    list_trusted_types,
    make_survival_outcome,
)
from tests.snapshots import Golden

N = 48
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(N, 5)), RNG.integers(0, 3, N)])
X[3, 0] = np.nan
SCHEMA = Schema(
    (
        *(Feature(name, ColumnKind.NUMBER) for name in "abcde"),
        Feature("f", ColumnKind.CATEGORY, tuple("xyz")),
    ),
    {},
    {"target": "y"},
)
INPUTS = Inputs(tuple("abcdef"), (0, 0, 0, 0, 0, 3), (True, *[False] * 5), N)
OUTCOMES = {
    "binary": np.tile([0, 1], N // 2),
    "multiclass": np.tile([0, 1, 2], N // 3),
    "regression": X[:, 1] + RNG.normal(size=N),
    "survival": make_survival_outcome((RNG.exponential(size=N), np.arange(N) % 3 > 0)),
}
CLASSES = {"binary": ("no", "yes"), "multiclass": ("a", "b", "c")}
TABLE = pa.table(
    {
        **{name: X[:, k] for k, name in enumerate("abcde")},
        "f": [SCHEMA.features[5].levels[int(code)] for code in X[:, 5]],
    }
)


def model_of(estimator, task: str) -> Model:
    return Model(
        estimator=estimator,
        schema=SCHEMA,
        task=Task(task),
        classes=CLASSES.get(task, ()),
        metric="m",
        winner="w",
        probabilities=hasattr(estimator, "predict_proba"),
    )


def smaller(estimator):
    """Return an estimator with few trees: the types do not depend on how many there are."""
    made = clone(estimator)
    few = ("trees", "rounds", "max_iter", "n_estimators")
    names = [name for name in made.get_params(deep=True) if name.rpartition("__")[2] in few]
    return made.set_params(**dict.fromkeys(names, 3))


def kinds(name: str, task: str, probabilities: bool):
    """Return a configuration of each kind: family, selection, and how columns are prepared.

    What a portfolio has for many cases alone is among them.
    """
    found = {}
    for inputs in (INPUTS, replace(INPUTS, n_cases=6000)):
        for config in load_portfolio(name).configurations(
            task, inputs, rng=0, probabilities=probabilities
        ):
            keys = ("model", "select", "impute", "encode", "kernel")
            found.setdefault(tuple(config.params.get(key) for key in keys), config)
    return found.values()


@pytest.mark.parametrize(
    ("name", "task", "probabilities"),
    [
        pytest.param("default", "binary", False, marks=pytest.mark.slow),  # less than with True
        ("default", "binary", True),
        ("default", "multiclass", True),
        ("default", "regression", False),
        ("default", "survival", False),
        ("tsamardinos2018", "binary", False),
    ],
)
def test_every_kind_of_configuration_comes_back_and_predicts_the_same(
    tmp_path, name, task, probabilities
):
    seen = set()
    for config in kinds(name, task, probabilities):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few cases do not converge
            fitted = smaller(config.estimator).fit(X, OUTCOMES[task])
        path = tmp_path / "model.skops"
        path.write_bytes(model_of(fitted, task).to_bytes())
        seen |= set(get_untrusted_types(file=path))
        again, first = load_model(path).predict(TABLE), model_of(fitted, task).predict(TABLE)
        np.testing.assert_array_equal(again.scores, first.scores, err_msg=config.name)
        assert again.to_dict() == first.to_dict()
    assert seen <= list_trusted_types()


def test_a_file_that_names_another_type_is_refused_with_the_name(tmp_path):
    data = {"format": FORMAT, "about": "{}", "estimator": Counter([1, 2])}
    dump(data, tmp_path / "model.skops")
    with pytest.raises(ModelPartError) as caught:
        load_model(tmp_path)
    assert caught.value.got == "collections.Counter"


def test_a_trusted_type_that_is_no_model_is_refused(tmp_path, golden: Golden):
    dump(LogisticRegression(), tmp_path / "model.skops")
    with golden.raises(FormatError):
        load_model(tmp_path)


def test_damaged_files_are_refused_whatever_is_damaged(tmp_path):
    path = tmp_path / "model.skops"
    whole = model_of(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), "binary").to_bytes()
    for data in (b"", b"no zip at all", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(data)
        with pytest.raises(FormatError, match="cannot be read"):
            load_model(path)
    dump({"format": FORMAT, "about": "{}", "estimator": 1}, path)
    with pytest.raises(FormatError, match="cannot be read"):
        load_model(path)


def test_a_model_of_another_scikit_learn_is_refused_before_anything_is_made(
    tmp_path, monkeypatch, golden
):
    path = tmp_path / "model.skops"
    monkeypatch.setattr("sklearn.__version__", "0.24.2")
    path.write_bytes(model_of(LogisticRegression(), "binary").to_bytes())
    monkeypatch.setattr("sklearn.__version__", "1.9.0")
    monkeypatch.setattr("skops.io.loads", lambda *args, **named: pytest.fail("was made"))
    with golden.raises(FormatError):
        load_model(path)


@pytest.mark.parametrize(("name", "got"), [("", "a folder without it"), ("x", "no such file")])
def test_a_folder_without_a_model_is_refused(tmp_path, name, got, golden: Golden):
    with golden.raises(FormatError) as caught:
        load_model(tmp_path / name)
    assert caught.value.got == got


@pytest.fixture(scope="module")
def fitted() -> Model:
    config = next(iter(kinds("default", "binary", False)))
    return model_of(smaller(config.estimator).fit(X, OUTCOMES["binary"]), "binary")


def test_classes_and_probabilities_are_in_the_words_of_the_table(fitted):
    found = fitted.predict(TABLE)
    assert found.columns == ("p_no", "p_yes")
    assert set(found.labels) == {"no", "yes"}
    np.testing.assert_allclose(found.scores.sum(axis=1), 1.0)
    assert list(found.to_dict()) == ["row", "prediction", "p_no", "p_yes"]
    assert found.to_dict()["row"][:2] == [1, 2]


def test_models_and_predictions_show_themselves_in_a_line(fitted, golden):
    golden.check(repr(fitted))
    golden.check(repr(fitted.predict(TABLE)))


def svm(task: str) -> Model:
    config = next(c for c in kinds("default", task, False) if c.params["model"] == "rbf_svm")
    return model_of(clone(config.estimator).fit(X, OUTCOMES[task]), task)


@pytest.mark.parametrize(
    ("task", "columns", "what"),
    [
        (
            "binary",
            ("score_yes",),
            "score_yes is a score, not a probability: above 0 means that class.",
        ),
        (
            "multiclass",
            ("score_a", "score_b", "score_c"),
            "score_a, score_b, score_c are scores, not probabilities: the largest decides the "
            "class.",
        ),
    ],
)
def test_scores_that_are_no_probabilities_say_so(task, columns, what):
    found = svm(task).predict(TABLE)
    assert found.columns == columns
    assert [(c.code, c.what) for c in found.cautions] == [("EN057", what)]


def test_columns_may_stand_in_any_order_and_extra_ones_are_noted(fitted):
    names = TABLE.column_names[::-1]
    other = TABLE.select(names).append_column("new", pa.array(np.arange(N)))
    found = fitted.predict(other)
    np.testing.assert_array_equal(found.scores, fitted.predict(TABLE).scores)
    assert [c.what for c in found.cautions] == ["1 column is ignored: 'new'."]


def test_one_row_is_enough_and_unknown_levels_are_missing(fitted):
    row = TABLE.slice(0, 1).set_column(5, "f", pa.array(["never"]))
    found = fitted.predict(row)
    assert len(found) == 1
    assert np.isfinite(found.scores).all()
    assert [c.code for c in found.cautions] == ["EN079"]


def test_other_columns_are_refused(fitted):
    with pytest.raises(InputError, match="column 'a' is missing"):
        fitted.predict(TABLE.drop_columns(["a"]))
