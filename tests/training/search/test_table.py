"""The table of results: edges that whole searches rarely reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from earnest.training import make_results_table, rank_means

TIMES = {"fit_time": np.zeros((2, 3)), "score_time": np.zeros((2, 3))}


def table(params: list[dict[str, Any]], scores: np.ndarray) -> dict[str, Any]:
    times = {name: np.zeros(scores.shape) for name in TIMES}
    return make_results_table(params, times, {"score": scores})


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([0.1, 0.3, 0.2], [3, 1, 2]),
        ([0.3, 0.3, 0.2], [1, 1, 3]),
        ([np.nan, 0.3, -5.0], [3, 1, 2]),
        ([np.nan, np.nan], [1, 1]),
        ([np.inf, 1.0], [1, 2]),
        ([0.5], [1]),
    ],
)
def test_ranks_begin_at_one_share_ties_and_put_nan_last(means: list[float], expected: Any) -> None:
    found = rank_means(np.array(means))
    assert found.tolist() == expected
    assert found.dtype == np.int32


def test_spread_is_that_of_the_splits_and_nan_where_one_is_missing() -> None:
    scores = np.array([[0.1, 0.2, 0.6], [0.5, np.nan, 0.5]])
    made = table([{"a": 1}, {"a": 2}], scores)
    assert made["std_test_score"][0] == pytest.approx(np.std([0.1, 0.2, 0.6]))
    assert np.isnan(made["mean_test_score"][1])
    assert np.isnan(made["std_test_score"][1])


def test_infinite_scores_have_a_mean_and_no_spread() -> None:
    made = table([{"a": 1}], np.array([[np.inf, 1.0]]))
    assert made["mean_test_score"][0] == np.inf
    assert np.isnan(made["std_test_score"][0])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], np.int64),
        ([1, 2.5], np.float64),
        ([True, False], bool),
        (["a", "b"], object),
        ([None, 1], object),
        ([[1], [2, 3]], object),
        ([(1, 2), (3, 4)], object),
        ([np.float32(1), np.float32(2)], np.float32),
    ],
)
def test_a_parameter_column_keeps_numbers_as_numbers_and_the_rest_as_they_are(
    values: list[Any], kind: Any
) -> None:
    made = table([{"a": value} for value in values], np.zeros((2, 1)))["param_a"]
    assert made.dtype == kind
    assert made.tolist() == values


def test_a_parameter_that_a_configuration_lacks_is_masked() -> None:
    made = table([{"a": 1}, {"b": "x"}], np.zeros((2, 1)))
    assert made["param_a"].mask.tolist() == [False, True]
    assert made["param_b"].mask.tolist() == [True, False]
