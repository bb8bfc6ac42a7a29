"""Rows of the user's data, whatever it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.svm import SVC

from earnest.training import cut_params, cut_parts, take_rows

ROWS = np.array([2, 0])
VALUES = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    "make",
    [np.array, pd.DataFrame, pl.DataFrame, sparse.csr_matrix, sparse.csr_array, np.ndarray.tolist],
    ids=["array", "pandas", "polars", "csr_matrix", "csr_array", "list"],
)
def test_rows_of_anything_are_the_same_rows_in_the_same_form(make: Any) -> None:
    data = make(VALUES)
    found = take_rows(data, ROWS)
    assert type(found) is type(data)
    plain = found.toarray() if sparse.issparse(found) else np.asarray(found)
    np.testing.assert_array_equal(plain, VALUES[ROWS])


def test_rows_of_nothing_are_nothing() -> None:
    assert take_rows(None, ROWS) is None


def test_a_kernel_is_cut_in_rows_and_in_columns() -> None:
    kernel, y = VALUES @ VALUES.T, np.arange(4)
    train, test = np.array([0, 1, 3]), np.array([2])
    X_train, y_train, X_test, y_test = cut_parts(SVC(kernel="precomputed"), kernel, y, train, test)
    np.testing.assert_array_equal(X_train, kernel[np.ix_(train, train)])
    np.testing.assert_array_equal(X_test, kernel[np.ix_(test, train)])
    assert (y_train.tolist(), y_test.tolist()) == ([0, 1, 3], [2])


def test_only_what_has_a_value_a_row_is_cut() -> None:
    given = {
        "weights": [1, 2, 3, 4],
        "table": pd.Series([5, 6, 7, 8]),
        "word": "four",
        "number": 4,
        "short": [1, 2],
        "map": {1: 1, 2: 2, 3: 3, 4: 4},
    }
    cut = cut_params(given, 4, ROWS)
    assert cut["weights"] == [3, 1]
    assert cut["table"].tolist() == [7, 5]
    for name in ("word", "number", "short", "map"):
        assert cut[name] is given[name]
    assert cut_params({}, 4, ROWS) == {}
