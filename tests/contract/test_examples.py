"""The evidence that contracts are checked on is what it claims to be."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions
from earnest.testing import example_predictions
from earnest.testing.examples import halves_of, nested_of


def list_parts(pi: Predictions) -> list[Predictions]:
    """Every table of predictions within the designs that are made of some predictions."""
    nested, halves = nested_of(pi), halves_of(pi)
    return [
        nested.outer,
        *(part for row in nested.inner for part in row),
        halves.whole,
        *(half for pair in halves.halves for half in pair),
    ]


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_probabilities_in_a_design_are_probabilities(task: str) -> None:
    for part in list_parts(example_predictions(task)):
        known = part.responses[~np.isnan(part.responses)]
        assert known.min() >= 0.0
        assert known.max() <= 1.0
        if task == "multiclass":
            sums = part.responses.sum(axis=-1)
            assert sums[~np.isnan(sums)] == pytest.approx(1.0)


def test_a_design_is_not_the_same_predictions_again() -> None:
    outer, *inner = list_parts(example_predictions("regression"))
    for part in inner:
        tested = part.folds >= 0
        base = np.broadcast_to(outer.responses[:, 0], part.responses[:, 0].shape)
        assert (part.responses[:, 0] != base)[tested].all()


def test_a_quarter_of_the_times_is_censored() -> None:
    event = example_predictions("survival", n_cases=60).target.event
    assert event is not None
    assert event.mean() == 0.75
