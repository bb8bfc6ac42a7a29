"""The winner against all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.comparison.against_winner import against_winner, not_shown_worse, simplest_of


def predictions(complexity: list[float] | None) -> en.Predictions:
    rng = np.random.default_rng(3)
    y = np.tile([0, 1], 100)
    scores = (y[:, None] - 0.5) * [2.0, 1.9, 1.9, 0.1] + rng.standard_normal((200, 4))
    pi = en.Predictions.from_arrays(y, scores, np.arange(200) // 2 % 10, configs=list("abcd"))
    if complexity is None:
        return pi
    return replace(pi, configs=pi.configs.with_complexity(complexity))


def test_bonferroni_tells_who_is_worse_and_the_first_test_that_applies_is_asked() -> None:
    pi = predictions([4, 3, 2, 1])
    asked = {"roc_auc": "delong", "accuracy": "bayle", "average_precision": "bootstrap"}
    for metric, test in asked.items():
        many = against_winner(pi, metric, "a", confidence_level=0.95, rng=0)
        assert {made.test for made in many.comparisons} == {test}
        by_hand = {
            made.b
            for made in many.comparisons
            if made.favours == "a" and made.p_value is not None and 3 * made.p_value <= 0.05
        }
        assert not_shown_worse(many) == set("abcd") - by_hand
        assert "d" in by_hand


def test_the_simplest_of_those_not_shown_worse_is_the_first_in_the_order_given() -> None:
    many = against_winner(predictions([4, 3, 2, 1]), "roc_auc", "a", confidence_level=0.95, rng=0)
    assert simplest_of(many, not_shown_worse(many)) == "c"
    many = against_winner(predictions(None), "roc_auc", "a", confidence_level=0.95, rng=0)
    assert simplest_of(many, not_shown_worse(many)) is None


def test_where_no_test_applies_the_refusal_of_the_first_is_told() -> None:
    pi = predictions(None)
    with pytest.raises(en.EarnestError):
        against_winner(pi.select(0), "roc_auc", "c0", confidence_level=0.95, rng=0)
