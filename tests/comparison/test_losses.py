"""Columns of losses stand for predictions whose metric is their mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import InputError, Losses, score_table
from earnest.comparison.losses import Losses as Home


def test_the_metric_is_the_mean_of_what_was_given() -> None:
    rng = np.random.default_rng(0)
    given = Losses({"a": rng.random(9), "ß": rng.random(9)}, name="pain")
    pi, metric = given.predictions(), given.metric()
    found = score_table(pi, metric, np.ones((1, 9)))[0]
    assert found == pytest.approx([np.mean(given.columns[name]) for name in ("a", "ß")])
    assert (metric.name, metric.greater_is_better, metric.pointwise) == ("pain", False, True)
    assert pi.configs.ids == ("a", "ß")
    assert Home is Losses


def test_weights_weigh_the_losses() -> None:
    given = Losses({"a": [1.0, 2.0, 6.0]})
    found = score_table(given.predictions(), given.metric(), np.array([[2, 1, 1]]))[0]
    assert found == pytest.approx([10 / 4])


def test_repeats_folds_and_groups_are_kept() -> None:
    losses = np.arange(12.0).reshape(6, 2)
    fold = np.stack([np.arange(6) % 2, np.arange(6) // 3], axis=1)
    pi = Losses({"a": losses}, fold=fold, groups=[0, 0, 1, 1, 2, 2]).predictions()
    assert (pi.n_repeats, pi.n_folds) == (2, 2)
    assert pi.target.groups is not None
    assert len(np.unique(pi.target.groups)) == 3
    assert np.array_equal(pi.responses[:, 0], losses)


@pytest.mark.parametrize(
    ("columns", "about", "match"),
    [
        ({}, {}, "`columns` cannot be read"),
        ([1.0, 2.0], {}, "`columns` cannot be read"),
        ({"a": ["x", "y"]}, {}, "one number per case"),
        ({"a": np.zeros((2, 2, 2))}, {}, "one number per case"),
        ({"a": [1.0], "b": [1.0, 2.0]}, {}, "differ in length"),
        ({"a": [-1.0]}, {}, "outside `limits`"),
        ({"a": [2.0]}, {"limits": (0.0, 1.0)}, "outside `limits`"),
    ],
)
def test_what_cannot_be_read_is_refused(columns: object, about: dict, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Losses(columns, **about).predictions()  # type: ignore[arg-type]  # that is the test


def test_limits_may_be_open() -> None:
    given = Losses({"a": [-5.0, 5.0]}, limits=(-math.inf, math.inf), greater_is_better=True)
    assert given.predictions().n_cases == 2
    assert given.metric().scale.greater_is_better
