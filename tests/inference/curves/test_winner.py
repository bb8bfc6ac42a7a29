"""Calibration and decisions of the winner are counts, with the intervals of shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from earnest import Predictions
from earnest.errors import EvidenceError
from earnest.inference.curves.winner import (
    calibration,
    confusion,
    equal_counts,
    no_calibration,
    share_of,
)
from earnest.testing import example_predictions

EXACT = 1e-12
Z = 1.959963984540054


def wilson(hits: int, n: int) -> tuple[float, float]:
    p = hits / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return middle - reach, middle + reach


def test_independent_cases_have_the_interval_of_wilson() -> None:
    made = share_of(np.array([1.0] * 7 + [0.0] * 13), np.arange(20), 0.95)
    assert (made.value, made.trials) == (0.35, 20)
    assert (made.low, made.high) == pytest.approx(wilson(7, 20), abs=1e-9)


def test_cases_that_are_copies_count_once() -> None:
    hits, units = np.repeat([1.0, 0.0, 1.0, 0.0, 0.0], 4), np.repeat(np.arange(5), 4)
    made = share_of(hits, units, 0.95)
    assert made.trials == 5
    assert (made.low, made.high) == pytest.approx(wilson(2, 5), abs=1e-9)


def test_units_of_one_case_change_nothing_and_a_sure_share_counts_units() -> None:
    assert share_of(np.ones(12), np.arange(12), 0.9).trials == 12
    assert share_of(np.ones(12), np.arange(12) // 3, 0.9).trials == 4


def test_bins_hold_equally_many_and_ties_stay_together() -> None:
    values = np.random.default_rng(0).permutation(100).astype(float)
    parts = equal_counts(values, 10)
    assert [len(part) for part in parts] == [10] * 10
    assert [values[part].max() for part in parts] == [10 * k + 9 for k in range(10)]
    tied = equal_counts(np.repeat([0.0, 0.5, 1.0], [45, 10, 45]), 10)
    assert [len(part) for part in tied] == [45, 10, 45]
    assert [len(part) for part in equal_counts(np.zeros(30), 10)] == [30]
    assert [len(part) for part in equal_counts(np.arange(3.0), 10)] == [1, 1, 1]


def test_calibration_equals_the_plain_loop() -> None:
    pi = example_predictions("binary", n_cases=90)
    made = calibration(pi, 0)
    promised, hit = pi.responses[:, 0, 0], pi.target.y == 1
    order = np.argsort(promised)
    for k in range(10):
        rows = order[9 * k : 9 * k + 9]
        assert made.predicted[k] == pytest.approx(promised[rows].mean(), abs=EXACT)
        share = made.observed[k]
        assert share.value == hit[rows].mean()
        assert (share.low, share.high) == pytest.approx(wilson(hit[rows].sum(), 9), abs=1e-9)
    assert made.counts.sum() == made.spread.sum() == 90
    assert made.positive == "yes"


def test_repeats_of_a_case_are_no_new_cases() -> None:
    y, p = np.tile([0, 1], 50), np.random.default_rng(1).random((100, 1, 1))
    fold = np.tile(np.arange(5), 20)
    once = calibration(Predictions.from_arrays(y, p, fold), 0)
    twice = Predictions.from_arrays(y, np.repeat(p, 2, axis=2), np.stack([fold, fold], axis=1))
    again = calibration(twice, 0)
    assert again.counts.sum() == 200
    for a, b in zip(once.observed, again.observed, strict=True):
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-9)


@pytest.mark.parametrize(
    ("task", "response", "word"),
    [
        ("binary", "decision", "decision values"),
        ("binary", "label", "labels"),
        ("multiclass", None, "two classes"),
        ("regression", None, "two classes"),
    ],
)
def test_what_is_no_probability_has_no_calibration(
    task: str, response: str | None, word: str
) -> None:
    pi = example_predictions(task, response=response)
    assert word in (no_calibration(pi) or "")
    with pytest.raises(EvidenceError, match="no calibration"):
        calibration(pi, 0)


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
