"""Features: one group a parameter, and no trace of what is inactive."""

from __future__ import annotations

import numpy as np

from earnest import Parameter, Space
from earnest.core import Clause, Condition
from earnest.explanation import Features
from tests.explanation.problems import mixed


def test_levels_are_equally_far_from_each_other() -> None:
    features = Features.of(mixed())(mixed().sample(60, np.random.default_rng(0)))
    levels = np.unique(features[:, :3], axis=0)
    apart = np.square(levels[:, None] - levels[None]).sum(axis=2)
    np.testing.assert_allclose(apart, 1 - np.eye(3), atol=1e-12)


def test_a_fixed_parameter_is_no_feature_and_an_ordinal_is_one_on_the_unit_scale() -> None:
    space = mixed()
    features = Features.of(space)
    assert features.columns(space.index("seed")).size == 0
    (place,) = features.columns(space.index("size"))
    values = features(space.sample(60, np.random.default_rng(1)))[:, place]
    assert set(values) == {0.0, 0.5, 1.0}


def test_activity_has_a_feature_only_where_no_category_tells_it() -> None:
    space = mixed()
    groups = set(Features.of(space).group)
    assert len(space) + space.index("units") in groups  # its parent is a number
    assert len(space) + space.index("inner") not in groups  # its parent is a category


def test_numbers_and_ordinals_that_are_missing_for_no_reason_have_it_too() -> None:
    space = Space(
        (
            Parameter(name="a", kind="float"),
            Parameter(name="b", kind="float", condition=Condition(share=0.5)),
            Parameter(
                name="c",
                kind="ordinal",
                choices=(1, 2, 3),
                condition=Condition(any_of=((Clause(parent="a", low=0.5),),)),
            ),
        )
    )
    features = Features.of(space)
    assert set(features.group) == {0, 1, 2, 4, 5}
    made = features(np.array([[0.2, np.nan, 1.0], [0.8, 0.3, 2.0]]))
    np.testing.assert_array_equal(made, [[0.2, 0.5, 0.5, 0, 0], [0.8, 0.3, 1.0, 1, 1]])
