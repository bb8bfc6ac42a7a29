"""Values of configurations: plain as they are, objects by a name that tells them apart."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from earnest import Space, Trials
from earnest.core import name_configs
from earnest.core.text.names import (
    LONGEST,
    join_name,
    label_configs,
    param_names,
    simplify_values,
    value_words,
)
from earnest.errors import InputError
from tests.snapshots import Golden


class Nameless:
    """An object that prints its address."""


def test_plain_values_stay_and_numpy_values_become_plain() -> None:
    given = {"a": None, "b": True, "c": np.int64(3), "d": (1, 2), "e": np.str_("x"), 7: 1.5}
    (found,) = simplify_values([given])
    assert found == {"a": None, "b": True, "c": 3, "d": "(1, 2)", "e": "x", "7": 1.5}
    assert [type(value) for value in found.values()] == [type(None), bool, int, str, str, float]


def test_an_object_that_prints_its_address_is_called_by_its_class() -> None:
    one, other = Nameless(), Nameless()
    found = simplify_values([{"a": one}, {"a": other}, {"a": one}])
    assert [config["a"] for config in found] == ["Nameless-1", "Nameless-2", "Nameless-1"]
    assert simplify_values([{"a": one}]) == [{"a": "Nameless"}]


def test_an_estimator_is_shown_as_it_prints_if_that_is_short_else_by_its_class() -> None:
    pipe = make_pipeline(StandardScaler(), SVC(C=10, gamma=0.1, kernel="poly", degree=5))
    assert len(repr(pipe)) > LONGEST
    found = simplify_values(
        [{"m": LogisticRegression(C=0.1)}, {"m": SVC()}, {"m": pipe}, {"m": SVC()}]
    )
    assert [c["m"] for c in found] == ["LogisticRegression(C=0.1)", "SVC()", "Pipeline", "SVC()"]


def test_functions_of_one_name_are_numbered_and_missing_values_stay_missing() -> None:
    import pandas as pd

    found = simplify_values([{"f": lambda x: x, "g": pd.NA}, {"f": lambda x: -x, "g": np.mean}])
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


def test_names_that_are_one_as_text_are_refused_rather_than_merged(golden: Golden) -> None:
    golden.check(refusal({1: 2, "1": 3}, {1: 4, "1": 5}))


def test_numbers_that_cannot_be_computed_with_are_refused_in_words(golden: Golden) -> None:
    golden.check(refusal({"a": 10**400}, {"a": 1}))
    assert "is too wide" in refusal({"a": -1.7e308}, {"a": 1.7e308})
    golden.check(refusal({"a": np.inf}, {"a": 1.0}))


def test_a_range_of_six_hundred_decades_is_on_a_log_scale() -> None:
    space = Space.infer([{"a": 10.0**e} for e in range(-300, 301, 50)])
    assert space["a"].log


# ---- one namer


def called(params: dict[str, dict[str, object]]) -> dict[str, str]:
    """Return the whole names of configurations, given by id."""
    found = name_configs(list(params), list(params.values()))
    return {name: each.words for name, each in found.items()}


def test_a_name_is_the_model_then_its_settings_then_what_selected_before(golden: Golden) -> None:
    poly = {"model": "polynomial_svm", "select": "ses", "degree": 2, "C": 1.0, "coef0": 1}
    other = {"model": "polynomial_svm", "select": "none", "degree": 3, "C": 0.1, "coef0": 1}
    net = {"model": "elastic_net", "select": "none", "C": 1.0}
    found = name_configs("abc", [poly, other, net])
    for name in found.values():
        golden.check(name.words)
    assert found["a"].model == "polynomial SVM"
    assert found["a"].settings == "degree 2, C 1, after SES"


def test_a_selection_whose_own_settings_differ_is_told_with_them(golden: Golden) -> None:
    params = {"model": "rbf_svm", "select": "ses"}
    names = called({"a": params | {"ses_alpha": 0.05}, "b": params | {"ses_alpha": 0.01}})
    golden.check(names["a"])
    golden.check(names["b"])


def test_what_is_named_once_keeps_its_name_among_others(golden: Golden) -> None:
    """The ids of `tune` are names, and are not shortened by what happens to differ in a run."""
    knobs = {"model": "rbf_svm", "select": "l1", "l1_strength": 0.1, "C": 1.0, "gamma": 0.3}
    own = join_name("rbf_svm", {"C": 1.0, "gamma": 0.3}, "l1", {"strength": 0.1})
    golden.check(own)
    less = join_name("rbf_svm", {"C": 10.0}, "none", {})
    found = name_configs([own, less], [knobs, knobs | {"select": "none", "C": 10.0}])
    assert [name.words for name in found.values()] == [own, less]
    assert {name.model for name in found.values()} == {"RBF SVM"}


def test_every_configuration_of_a_portfolio_is_called_by_its_id() -> None:
    import earnest as en

    inputs = en.learners.Inputs.of(np.zeros((100, 12)))
    made = en.learners.load_portfolio("default").configurations("binary", inputs)
    found = name_configs([one.name for one in made], [dict(one.params) for one in made])
    assert len(found) > 100
    assert [name.words for name in found.values()] == [one.name for one in made]
    assert all(name.model and name.model in id_ for id_, name in found.items())


def test_names_leave_out_what_all_share_and_the_steps_of_a_pipeline() -> None:
    shared = {"svm__kernel": "rbf", "scale": "SVC()"}
    assert called({"c0": {"svm__C": 0.1, **shared}, "c1": {"svm__C": 1.0, **shared}}) == {
        "c0": "C 0.1",
        "c1": "C 1",
    }


def test_configurations_that_would_be_called_the_same_are_told_by_their_ids() -> None:
    assert called({name: {"a": 1.00001 + i / 1e6} for i, name in enumerate("xy")}) == {
        "x": "x",
        "y": "y",
    }
    assert called({"x": {"a": 1}, "y": {"a": 1}, "z": {"a": 2}}) == {
        "x": "x: a 1",
        "y": "y: a 1",
        "z": "a 2",
    }


def test_without_parameters_the_id_is_the_name() -> None:
    assert {k: v.words for k, v in name_configs(["svm", "tree"]).items()} == {
        "svm": "svm",
        "tree": "tree",
    }


def test_an_estimator_is_called_by_its_own_words() -> None:
    first = {"a": {"model": "SVC()"}, "b": {"model": "Ridge(alpha=2)"}}
    assert called(first) == {"a": "SVC", "b": "Ridge"}
    third = {"c": {"model": "SVC(C=2)"}}
    assert called({**first, **third}) == {"a": "SVC", "b": "Ridge", "c": "SVC(C=2)"}


def test_a_setting_of_a_step_called_model_is_no_model() -> None:
    found = name_configs("ab", [{"model__kernel": "rbf"}, {"model__kernel": "linear"}])
    assert [(name.model, name.settings) for name in found.values()] == [
        ("", "kernel rbf"),
        ("", "kernel linear"),
    ]


def test_names_that_end_alike_stay_whole() -> None:
    assert param_names([{"a__n": 1}, {"b__n": 2, "b__k": 3}]) == {
        "a__n": "a__n",
        "b__n": "b__n",
        "b__k": "k",
    }


def test_short_numbers_stay_exact_and_long_ones_keep_four_digits() -> None:
    assert [value_words(each) for each in (-0.00012345, 1e5, 0.1, True, None)] == [
        "-0.0001234",
        "100000",
        "0.1",
        "True",
        "None",
    ]


def test_a_label_has_the_id_once_and_the_name_behind_it() -> None:
    knobs = [{"C": 1.0, "k": "rbf"}, {"C": 1.0, "k": "rbf"}, {"C": 1, "k": "poly"}]
    assert label_configs(["1", "b", "C"], knobs) == {
        "1": "1: k rbf",
        "b": "b: k rbf",
        "C": "C: k poly",
    }
    own = join_name("rbf_svm", {"C": 1.0}, "none", {})
    model = [{"model": "rbf_svm", "C": 1.0}, {"model": "rbf_svm", "C": 2.0}]
    assert label_configs([own, "other"], model) == {own: own, "other": "other: RBF SVM, C 2"}
    assert label_configs(["f"], [{"f": abs}]) == {"f": "f: f abs"}  # objects too
