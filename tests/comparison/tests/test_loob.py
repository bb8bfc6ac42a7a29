"""The leave-one-out difference: against the loop, for means and for functions of sums."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from tests.comparison.tests.test_lpob import question, replicates


def loop(one: en.Replicates) -> float:
    values = []
    for i, label in enumerate(one.target.y):
        out = one.counts[:, i] == 0
        values.append(np.mean((one.responses[out, i] > 0) == label))
    return float(np.mean(values))


def test_values_and_difference_are_those_of_the_loop() -> None:
    first, second = replicates(1), replicates(2, noise=3.0)
    reading = en.comparison.LOOBTest().read(question(first, second, by="accuracy"))
    assert reading.values == pytest.approx([loop(first), loop(second)])
    assert reading.pair(0, 1).difference == pytest.approx(loop(first) - loop(second))


def test_a_function_of_sums_is_taken_too() -> None:
    reading = en.comparison.LOOBTest().read(
        question(replicates(1), replicates(2, noise=3.0), by="f1")
    )
    made = reading.pair(0, 1)
    assert made.difference == pytest.approx(reading.values[0] - reading.values[1])
    assert made.standard_error is not None
    assert made.standard_error > 0


def test_the_same_predictions_give_p_1() -> None:
    made = (
        en.comparison.LOOBTest()
        .read(question(replicates(1), replicates(1), by="accuracy"))
        .pair(0, 1)
    )
    assert made.p_values is not None
    assert set(made.p_values.values()) == {1.0}


def test_an_auc_is_refused_with_the_test_that_takes_it() -> None:
    with pytest.raises(en.errors.MetricError, match="lpob"):
        en.comparison.LOOBTest().read(question(replicates(1), replicates(2)))
