"""Values of configurations: plain as they are, objects by a name that tells them apart."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from earnest import InputError, Space, Trials
from earnest.core.text.names import LONGEST, readable


class Nameless:
    """An object that prints its address."""


def test_plain_values_stay_and_numpy_values_become_plain() -> None:
    given = {"a": None, "b": True, "c": np.int64(3), "d": (1, 2), "e": np.str_("x"), 7: 1.5}
    (found,) = readable([given])
    assert found == {"a": None, "b": True, "c": 3, "d": "(1, 2)", "e": "x", "7": 1.5}
    assert [type(value) for value in found.values()] == [type(None), bool, int, str, str, float]


def test_an_object_that_prints_its_address_is_called_by_its_class() -> None:
    one, other = Nameless(), Nameless()
    found = readable([{"a": one}, {"a": other}, {"a": one}])
    assert [config["a"] for config in found] == ["Nameless-1", "Nameless-2", "Nameless-1"]
    assert readable([{"a": one}]) == [{"a": "Nameless"}]


def test_an_estimator_is_shown_as_it_prints_if_that_is_short_else_by_its_class() -> None:
    pipe = make_pipeline(StandardScaler(), SVC(C=10, gamma=0.1, kernel="poly", degree=5))
    assert len(repr(pipe)) > LONGEST
    found = readable([{"m": LogisticRegression(C=0.1)}, {"m": SVC()}, {"m": pipe}, {"m": SVC()}])
    assert [c["m"] for c in found] == ["LogisticRegression(C=0.1)", "SVC()", "Pipeline", "SVC()"]


def test_functions_of_one_name_are_numbered_and_missing_values_stay_missing() -> None:
    import pandas as pd

    found = readable([{"f": lambda x: x, "g": pd.NA}, {"f": lambda x: -x, "g": np.mean}])
    assert [config["f"] for config in found] == ["<lambda>-1", "<lambda>-2"]
    assert np.isnan(found[0]["g"])
    assert found[1]["g"] == "mean"


def made(*configs: dict[object, object]) -> Trials:
    listed = list(configs) * 5
    return Trials.from_configs(listed, range(len(listed)), direction="maximize")


def test_objects_that_differ_are_levels_that_differ() -> None:
    trials = made({"a": Nameless()}, {"a": Nameless()})
    assert trials.space["a"].choices == ("Nameless-1", "Nameless-2")


def refusal(*configs: dict[object, object]) -> str:
    try:
        made(*configs)
    except InputError as error:
        return str(error)
    return ""


def test_names_that_are_one_as_text_are_refused_rather_than_merged() -> None:
    assert "two hyperparameters have the same name" in refusal({1: 2, "1": 3}, {1: 4, "1": 5})


def test_numbers_that_cannot_be_computed_with_are_refused_in_words() -> None:
    assert "too large to compute with" in refusal({"a": 10**400}, {"a": 1})
    assert "is too wide" in refusal({"a": -1.7e308}, {"a": 1.7e308})
    assert "got inf. Leave these trials out" in refusal({"a": np.inf}, {"a": 1.0})


def test_a_range_of_six_hundred_decades_is_on_a_log_scale() -> None:
    space = Space.infer([{"a": 10.0**e} for e in range(-300, 301, 50)])
    assert space["a"].log
