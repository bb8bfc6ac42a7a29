"""Candidates: what a user may pass, and what is refused before any fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from earnest.errors import InputError
from earnest.training.fit.experiment import Configuration
from earnest.training.search.preparation import (
    ConfigurationList,
    check_configurations,
    find_first_estimator,
    find_kinds,
    read_candidates,
)


def params_of(given: Any, **knobs: Any) -> list[dict[str, Any]]:
    found = read_candidates(given, **knobs)
    assert isinstance(found, ConfigurationList)
    return [configuration.params for configuration in found.configurations]


def test_a_grid_is_every_point_in_the_order_of_scikit_learn() -> None:
    grid = {"b": [1, 2], "a": ["x", "y", "z"]}
    assert params_of(grid) == list(ParameterGrid(grid))


def test_several_grids_follow_each_other() -> None:
    grids = [{"C": [1]}, {"C": [2], "kernel": ["rbf", "poly"]}]
    assert params_of(grids) == list(ParameterGrid(grids))


def test_distributions_are_drawn_as_scikit_learn_draws_them() -> None:
    space = {"C": stats.uniform(0, 1), "k": [1, 2, 3]}
    assert params_of(space, n_iter=7, random_state=3) == list(
        ParameterSampler(space, 7, random_state=3)
    )


def test_what_scikit_learn_lists_is_taken_as_it_is() -> None:
    assert params_of(ParameterGrid({"C": [1, 2]})) == [{"C": 1}, {"C": 2}]


def test_estimators_are_named_by_their_class_and_by_number_where_that_is_not_enough() -> None:
    found = read_candidates([SVC(), SVC(C=2), DecisionTreeClassifier(), ("säule", SVC(C=3))])
    assert isinstance(found, ConfigurationList)
    assert found.ids == ("SVC-1", "SVC-2", "DecisionTreeClassifier", "säule")
    assert len(found.estimators) == len(found)


def test_a_setting_never_changes_what_it_is_made_from() -> None:
    base, inner = make_pipeline(StandardScaler(), SVC()), SVC(C=5)
    made = Configuration({"svc": inner, "svc__C": 7}).make_from(base)
    assert (made.named_steps["svc"].C, inner.C, base.named_steps["svc"].C) == (7, 5, 1.0)
    whole = Configuration({"estimator": inner}, inner).make_from(base, {"C": 9})
    assert (whole.C, inner.C) == (9, 5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"C": 1.0}, r"Write \{'C': \[1.0\]\}"),
        ({"C": "rbf"}, "are not a list"),
        ({"C": []}, "at least one value"),
        ({"C": np.ones((2, 2))}, "one-dimensional"),
        ({3: [1]}, "no name"),
        ([], "cannot be read"),
        ("C", "cannot be read"),
        (None, "cannot be read"),
        ([{"C": [1]}, SVC()], "cannot be read"),
        ([SVC], r"Write SVC\(\)"),
        ([("a", SVC()), ("a", SVC())], "the same name"),
        ([3], "neither parameters nor an estimator"),
    ],
)
def test_what_is_no_candidate_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_candidates(given)


@pytest.mark.parametrize("given", [[SVC()], ParameterGrid({"C": [1]})])
def test_a_number_of_draws_beside_a_list_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="something to draw from"):
        read_candidates(given, n_iter=3)


@pytest.mark.parametrize("bad", [0, -1, 2.5, True])
def test_a_number_of_draws_is_a_whole_number(bad: Any) -> None:
    with pytest.raises(InputError, match="n_iter"):
        read_candidates({"C": [1]}, n_iter=bad)


def test_an_unknown_parameter_is_refused_with_the_nearest_one() -> None:
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    for name, nearest in (("logisticregression__c", "logisticregression__C"), ("step", "steps")):
        with pytest.raises(InputError, match=f"Did you mean '{nearest}'"):
            check_configurations(pipe, [Configuration({name: 1})])


def test_a_parameter_of_a_part_that_is_swapped_in_is_known() -> None:
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    tree = {"logisticregression": DecisionTreeClassifier(), "logisticregression__max_depth": 2}
    check_configurations(pipe, [Configuration(tree)])
    made = Configuration(tree).make_from(pipe)
    assert made.named_steps["logisticregression"].max_depth == 2


def test_settings_are_of_one_kind_where_only_values_differ() -> None:
    plain = [Configuration({"C": c}) for c in (1, 2, 3)]
    other = [Configuration({"C": 1, "gamma": 2}), Configuration({"C": SVC()})]
    assert len(find_kinds([*plain, *other])) == 3


@dataclass(frozen=True)
class Described:
    name: str
    params: dict[str, Any]
    estimator: Any


def test_candidates_that_describe_themselves_show_plain_parameters() -> None:
    one = Described("a", {"model": "svm", "C": 2}, SVC(C=2))
    other = Described("b", {"model": "tree"}, DecisionTreeClassifier())
    found = read_candidates([one, other])
    assert isinstance(found, ConfigurationList)
    assert found.ids == ("a", "b")
    assert [configuration.params for configuration in found.configurations] == [
        one.params,
        other.params,
    ]
    made = found.configurations[0].make_from(None, {"degree": 5})
    assert (type(made), made.C, made.degree) == (SVC, 2, 5)
    assert find_first_estimator([one, other]) is one.estimator
    with pytest.raises(InputError, match="the same name"):
        read_candidates([one, one])


def test_pipelines_of_unlike_answers_are_unlike_kinds() -> None:
    pipes = [make_pipeline(StandardScaler(), SVC()), make_pipeline(DecisionTreeClassifier())]
    found = read_candidates(pipes)
    assert isinstance(found, ConfigurationList)
    assert len(find_kinds(found.configurations)) == 2
