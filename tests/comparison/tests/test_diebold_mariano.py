"""The test of Diebold and Mariano, held to R's forecast::dm.test, and its behaviour."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import earnest as en
from earnest.comparison import DieboldMarianoTest
from earnest.errors import EvidenceError, MetricError
from tests.snapshots import Golden

RECORDED = Path(__file__).parent / "golden" / "diebold_mariano.csv"
SIDES = {"two.sided": "two-sided", "less": "less", "greater": "greater"}


def errors() -> np.ndarray:
    """Return the errors of both forecasts, as the script of R has them: (60, 2)."""
    t = np.arange(1, 61)
    first = np.sin(t * 1.7) + 0.3 * np.cos(t * t / 50)
    return np.column_stack([first, 1.2 * np.sin(t * 1.3 + 0.4) + 0.25 * np.cos(t / 3)])


def predictions() -> en.Predictions:
    y = np.linspace(0.0, 3.0, 60)
    return en.Predictions.from_arrays(y, y[:, None] + errors(), configs=["a", "b"], when=True)


def test_statistic_and_p_are_those_of_r() -> None:
    pi = predictions()
    with RECORDED.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            test = DieboldMarianoTest(steps=int(row["steps"]), variance=row["variance"])
            metric = {"1": "mae", "2": "mse"}[row["power"]]
            side = SIDES[row["alternative"]]
            found = en.compare(pi, "a", "b", test=test, metric=metric, alternative=side)
            assert_allclose(found.statistic, float(row["statistic"]), rtol=1e-9, err_msg=str(row))
            assert_allclose(found.p_value, float(row["p"]), rtol=1e-8, err_msg=str(row))


def test_order_of_rows_does_not_matter_but_that_of_times_does() -> None:
    pi, rng = predictions(), np.random.default_rng(0)
    rows = rng.permutation(60)
    y, guesses = pi.target.y[rows], pi.responses[rows, :, 0]
    shuffled = en.Predictions.from_arrays(y, guesses, configs=["a", "b"], when=rows)
    test = DieboldMarianoTest(steps=4)
    ours, theirs = (
        en.compare(each, "a", "b", test=test, metric="mae").standard_error
        for each in (pi, shuffled)
    )
    assert_allclose(ours, theirs, rtol=1e-12)
    wrong = en.Predictions.from_arrays(y, guesses, configs=["a", "b"], when=True)
    assert en.compare(wrong, "a", "b", test=test, metric="mae").standard_error != ours


def test_cases_of_one_time_are_summed() -> None:
    """Two series of the same errors on the same dates are worth one."""
    pi = predictions()
    both = en.Predictions.from_arrays(
        np.tile(pi.target.y, 2),
        np.tile(pi.responses[:, :, 0], (2, 1)),
        configs=["a", "b"],
        when=np.tile(np.arange(60), 2),
    )
    one, two = (en.compare(each, "a", "b", test="dm(steps=3)", metric="mse") for each in (pi, both))
    assert_allclose(one.standard_error, two.standard_error, rtol=1e-12)
    assert_allclose(one.p_value, two.p_value, rtol=1e-9)


def test_it_is_the_usual_test_of_cases_in_time_order() -> None:
    found = en.compare(predictions(), "a", "b", metric="mse")
    assert found.test == "diebold_mariano"
    assert found.dependence is not None
    assert found.dependence.n_times == 60
    many = en.compare_many(predictions(), metric="mse")
    assert many.comparisons[0].test == "diebold_mariano"
    assert many.joint


def test_what_it_cannot_answer_is_refused(golden: Golden) -> None:
    y = np.linspace(0.0, 3.0, 60)
    plain = en.Predictions.from_arrays(y, y[:, None] + errors(), configs=["a", "b"])
    rows, told = (
        en.compare(each, "a", "b", test="diebold_mariano", metric="mse").p_value
        for each in (plain, predictions())
    )
    assert rows == told  # rows stand for times
    grouped = en.Predictions.from_arrays(y, y[:, None] + errors(), groups=np.arange(60) // 3)
    with golden.raises(EvidenceError):
        en.compare(grouped, 0, 1, test="diebold_mariano", metric="mse")
    short = predictions().take(np.arange(6))
    with golden.raises(EvidenceError):
        en.compare(short, "a", "b", test="diebold_mariano(steps=4)", metric="mse")
    binary = en.Predictions.from_arrays(
        np.tile([0, 1], 30), np.random.default_rng(0).random((60, 2)), when=True
    )
    with golden.raises(MetricError):
        en.compare(binary, 0, 1, test="diebold_mariano", metric="roc_auc")
    assert en.compare(binary, 0, 1, metric="roc_auc", rng=0).test == "bootstrap"


@pytest.mark.parametrize(("phi", "most"), [(0.0, 0.10), (0.6, 0.12)])
def test_equal_forecasts_are_seldom_told_apart(phi: float, most: float) -> None:
    """200 series of 150 times, seed 3: a share of .05 has a standard error of .015."""
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(200):
        noise = rng.standard_normal((250, 2))
        for t in range(1, 250):
            noise[t] += phi * noise[t - 1]
        y = rng.standard_normal(150)
        pi = en.Predictions.from_arrays(y, y[:, None] + noise[100:], when=True)
        wrong += en.compare(pi, 0, 1, metric="mse").p_value <= 0.05
    assert 0.01 <= wrong / 200 <= most
