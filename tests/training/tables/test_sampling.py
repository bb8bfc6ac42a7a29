"""Some of the rows: classes and events in their shares, and enough of each."""

from __future__ import annotations

import numpy as np

from earnest.core import Task
from earnest.training import find_layers, make_survival_outcome, sample_rows


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_all_rows_stay_where_they_are_few_enough():
    assert sample_rows(5, 5, rng()).tolist() == [0, 1, 2, 3, 4]


def test_rows_are_as_many_as_asked_for_and_in_their_order():
    kept = sample_rows(1000, 100, rng())
    assert len(kept) == 100
    assert (np.diff(kept) > 0).all()


def test_classes_keep_their_shares_and_ten_cases():
    classes = np.repeat([0, 1, 2], [8000, 1990, 10])
    counts = np.bincount(classes[sample_rows(10_000, 1000, rng(), layers=classes)])
    assert counts.tolist() == [800, 199, 10]


def test_a_class_keeps_as_many_cases_as_the_folds_need():
    classes = np.repeat([0, 1], [9970, 30])
    counts = np.bincount(classes[sample_rows(10_000, 1000, rng(), layers=classes, fewest=25)])
    assert counts.tolist() == [997, 25]


def test_layers_are_classes_or_events_and_none_of_numbers():
    y = make_survival_outcome((np.arange(1.0, 5.0), np.array([True, False, False, True])))
    assert find_layers(Task.SURVIVAL, y).tolist() == [1, 0, 0, 1]
    assert find_layers(Task.BINARY, np.array([0, 1, 1])).tolist() == [0, 1, 1]
    assert find_layers(Task.REGRESSION, np.array([0.5, 1.0])) is None
