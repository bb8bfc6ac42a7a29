"""The winner against all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.comparison.run import against_winner


def predictions(complexity: list[float] | None) -> en.Predictions:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 100)
    scores = (y[:, None] - 0.5) * [2.0, 1.9, 1.9, 0.1] + rng.standard_normal((200, 4))
    pi = en.Predictions.from_arrays(y, scores, np.arange(200) // 2 % 10, configs=list("abcd"))
    if complexity is None:
        return pi
    return replace(pi, configs=pi.configs.with_complexity(complexity))


def test_the_first_test_that_applies_is_asked_and_compare_many_asks_the_same() -> None:
    pi = predictions([4, 3, 2, 1])
    asked = {
        "roc_auc": "corrected_z",
        "accuracy": "corrected_z",
        "average_precision": "corrected_bootstrap",
    }
    for metric, test in asked.items():
        free = en.compare_many(pi, metric=metric, rng=0)
        many = against_winner(pi, metric, free.best, confidence_level=0.95, rng=0)
        assert {made.test for made in many.comparisons} == {test}
        assert en.compare(pi, "a", "b", metric=metric, rng=0).test == test
        assert free.not_worse == many.not_worse
        assert free.adjusted == many.adjusted
        assert "d" not in many.not_worse


def test_the_winner_of_a_search_stands_for_the_best_though_another_has_a_better_value() -> None:
    pi = predictions(None)
    free = en.compare_many(pi, metric="accuracy", rng=0)
    second = free.ranked()[0][0].b
    many = against_winner(pi, "accuracy", second, confidence_level=0.95, rng=0)
    assert many.best == many.reference == second
    assert second in many.not_worse
    # it was chosen on the same cases as well, so all pairs count, not only those that it is in
    assert many.family.size == free.family.size == 6


def test_the_cheapest_of_those_not_shown_worse_is_the_first_in_the_order_given() -> None:
    many = against_winner(predictions([4, 3, 2, 1]), "roc_auc", "a", confidence_level=0.95, rng=0)
    assert many.cheapest == "c"
    many = against_winner(predictions(None), "roc_auc", "a", confidence_level=0.95, rng=0)
    assert many.cheapest is None


def test_where_no_test_applies_the_refusal_of_the_first_is_told() -> None:
    pi = predictions(None)
    with pytest.raises(en.errors.EarnestError):
        against_winner(pi.select(0), "roc_auc", "c0", confidence_level=0.95, rng=0)
