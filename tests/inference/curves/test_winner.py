"""Decisions of the winner are counts, with the intervals of shares."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from earnest import Predictions
from earnest.errors import EvidenceError
from earnest.inference import confusion
from earnest.testing import example_predictions

EXACT = 1e-12


@pytest.mark.parametrize("response", ["probability", "decision", "label"])
def test_decisions_equal_those_of_scikit_learn(response: str) -> None:
    pi = example_predictions("binary", response=response)
    made = confusion(pi, 1)
    scores = pi.responses[:, 1, 0]
    cut = {"probability": 0.5, "decision": 0.0, "label": 0.5}[response]
    table = confusion_matrix(pi.target.y, scores > cut, labels=[1, 0])
    np.testing.assert_array_equal(made.counts, table)
    assert made.labels == ("yes", "no")
    assert made.recall[0].value == table[0, 0] / table[0].sum()
    assert made.precision[1].value == table[1, 1] / table[:, 1].sum()
    assert made.threshold == (None if response == "label" else cut)
    assert not made.given_threshold


def test_decisions_of_many_classes_are_a_square_table() -> None:
    pi = example_predictions("multiclass")
    made = confusion(pi, 0)
    said = pi.responses[:, 0, 0].argmax(axis=1)
    np.testing.assert_array_equal(made.counts, confusion_matrix(pi.target.y, said))
    assert made.labels == ("ape", "bee", "cat")
    assert made.threshold is None


def test_a_class_that_is_never_predicted_has_no_precision() -> None:
    pi = Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    made = confusion(pi, 0)
    assert made.precision[0] is None
    assert made.recall[0].value == 0.0


def test_a_threshold_that_was_given_is_said() -> None:
    pi = Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], threshold=0.15)
    made = confusion(pi, 0)
    assert (made.threshold, made.given_threshold) == (0.15, True)
    np.testing.assert_array_equal(made.counts, [[2, 0], [1, 1]])


def test_with_repeats_the_table_counts_each_case_once() -> None:
    y, scores = np.tile([0, 1], 10), np.random.default_rng(0).random((20, 1, 3))
    fold = np.tile(np.arange(4), 5)
    pi = Predictions.from_arrays(y, scores, np.stack([fold] * 3, axis=1))
    assert confusion(pi, 0).counts.sum() == pytest.approx(20, abs=EXACT)


def test_values_have_no_decisions() -> None:
    with pytest.raises(EvidenceError, match="no decisions"):
        confusion(example_predictions("regression"), 0)
