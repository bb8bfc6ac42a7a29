"""A function of the data is told from a function of weights, and a statistic is never refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import earnest as en
from earnest.errors import InputError
from tests.snapshots import Golden

X = np.random.default_rng(0).exponential(size=40)
Y = np.tile([0, 1], 20)
TOOLS = [en.inference.bootstrap, en.inference.jackknife, en.inference.influence]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("wrong", [np.mean, np.median, np.std, np.sum, np.max, lambda d: d.mean()])
def test_a_function_of_the_data_is_refused_with_the_cure(
    tool: Any, wrong: Any, golden: Golden
) -> None:
    with pytest.raises(InputError) as refusal:
        tool(wrong, X)
    golden.check(str(refusal.value))
    assert "np.repeat" in str(refusal.value)


@pytest.mark.parametrize("f", [np.mean, np.median, np.std])
def test_the_cure_works(f: Any) -> None:
    made = en.inference.bootstrap(
        lambda w: f(np.repeat(X, w.astype(int), axis=0)), X, rng=1, n_resamples=200
    )
    assert made.value == f(X)
    assert made.standard_error > 0.0


@pytest.mark.parametrize(
    "statistic",
    [
        lambda w: np.average(X, weights=w),
        lambda w: float(w @ X),  # a total: twice the weights are twice of it
        lambda w: float(w @ Y),  # a count, the same for many moves of weight
        lambda w: float(w @ (np.arange(40) == 7)),  # a count of one case
        lambda w: 1.0,  # an accuracy without a mistake
        lambda w: float(np.average(Y == Y, weights=w)),
    ],
)
def test_a_statistic_is_never_refused(statistic: Any) -> None:
    made = en.inference.bootstrap(statistic, X, rng=1, n_resamples=50, method="percentile")
    assert made.value == statistic(np.ones(40))


def test_many_rows_at_once_are_looked_at_too(golden: Golden) -> None:
    with pytest.raises(InputError) as refusal:
        en.inference.bootstrap(lambda w: w.std(axis=1), X, vectorized=True)
    golden.check(str(refusal.value))
    made = en.inference.bootstrap(lambda w: w @ X / 40, X, vectorized=True, rng=1, n_resamples=50)
    assert made.n_cases == 40


def test_several_arrays_are_the_columns_of_the_cases() -> None:
    made = en.inference.bootstrap(
        lambda w: np.average(X * Y, weights=w), (X, Y), rng=1, n_resamples=50
    )
    assert made.n_cases == 40
    with pytest.raises(InputError, match="differ in length"):
        en.inference.bootstrap(lambda w: 1.0, (X, Y[:3]))
    assert (
        en.inference.bootstrap(lambda w: float(w @ np.arange(3)), (1.0, 2.0, 4.0), rng=1).n_cases
        == 3
    )
