"""Permuted columns: donors, plain differences of scores, and errors that have both roles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import earnest as en
from benchmarks.importance.grid import read_cells
from benchmarks.importance.run import read_results
from earnest.inference import draw_donors, score_permuted
from earnest.kernels import score_table
from earnest.resampling import Weights

METRICS = {"roc_auc": 2, "log_loss": 2, "accuracy": 2, "r2": 0, "mae": 0, "roc_auc_ovr": 3}


def draw_predictions(
    metric: str, n: int, count: int, rng: np.random.Generator
) -> tuple[en.Predictions, NDArray[np.intp], NDArray[np.intp]]:
    """Return what a model of two columns says, as it is and with the second one permuted."""
    classes, folds = METRICS[metric], np.arange(n) % 4
    x, z = rng.normal(size=(2, n))
    donors = draw_donors(folds, count, rng)
    signal = np.column_stack([x + z, (x[:, None] + z[donors])])  # (n, 1 + R)
    y = x + z + rng.normal(size=n)
    if not classes:
        return en.Predictions.from_arrays(y, signal, task="regression"), folds, donors
    codes = np.digitize(y, [-0.5, 0.5][: classes - 1])
    if classes == 2:
        chance = 1 / (1 + np.exp(-signal))
        return en.Predictions.from_arrays(codes, chance, response="probability"), folds, donors
    sums = np.exp(signal[:, :, None] * np.array([-1.0, 0.0, 1.0]))
    chances = sums / sums.sum(axis=2, keepdims=True)
    return en.Predictions.from_arrays(codes, chances[:, :, None, :]), folds, donors


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(15), 4)])
def test_every_case_gives_as_often_as_it_receives_and_never_to_itself(
    groups: NDArray[np.intp] | None,
) -> None:
    folds = np.repeat(np.arange(3), 20)
    donors = draw_donors(folds, 7, np.random.default_rng(1), groups)
    for turn in donors.T:
        assert sorted(turn) == list(range(60))
        assert (folds[turn] == folds).all()
        assert (turn != np.arange(60)).all()
        assert groups is None or (groups[turn] != groups).all()
    assert all(len(set(row)) == 7 for row in donors)


def test_a_fold_of_one_case_keeps_its_values() -> None:
    assert draw_donors(np.array([0, 1, 1]), 2, np.random.default_rng(0))[0].tolist() == [0, 0]


@pytest.mark.parametrize("metric", [*METRICS, "average_precision"])
def test_the_value_is_the_difference_of_the_plain_scores(metric: str) -> None:
    rng = np.random.default_rng(5)
    pi, folds, donors = draw_predictions(metric if metric in METRICS else "roc_auc", 80, 3, rng)
    measure = en.metric(metric)
    drop = score_permuted(pi, measure, folds, donors, rng)
    scores = score_table(pi, measure, Weights.ones(80))[0]
    sign = 1 if measure.greater_is_better else -1
    assert_allclose(drop.value, sign * (scores[0] - scores[1:].mean()), rtol=1e-12)
    low, high = drop.find_limits(0.95)
    assert low < drop.value < high


def test_with_all_pairs_the_error_is_that_of_a_plain_two_sample_statistic() -> None:
    """With every donor h has no noise: the variance is that of receiver and donor means."""
    rng = np.random.default_rng(2)
    n = 12
    folds = np.zeros(n, dtype=int)
    donors = draw_donors(folds, n - 1, rng)
    y, x, z = rng.normal(size=(3, n))
    pi = en.Predictions.from_arrays(
        y, np.column_stack([x + z, x[:, None] + z[donors]]), task="regression"
    )
    drop = score_permuted(pi, en.metric("mse"), folds, donors, rng, crossed=0.0)
    h = (y[:, None] - x[:, None] - z[None, :]) ** 2 - ((y - x - z) ** 2)[:, None]
    off = ~np.eye(n, dtype=bool)
    receiving = np.array([h[i][off[i]].mean() for i in range(n)])
    giving = np.array([h[:, j][off[:, j]].mean() for j in range(n)])
    moves = receiving + giving
    expected = moves.var(ddof=1) / n
    assert_allclose(drop.value, h[off].mean(), rtol=1e-12)
    assert_allclose(drop.error**2, expected, rtol=1e-9)


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "r2"])
def test_the_error_is_the_spread_over_new_cases_of_one_model(metric: str) -> None:
    """400 draws of cases: a standard deviation has a relative error of about 1 / sqrt(800)."""
    rng = np.random.default_rng(11)
    measure = en.metric(metric)
    drops = []
    for _ in range(400):
        pi, folds, donors = draw_predictions(metric, 120, 3, rng)
        drops.append(score_permuted(pi, measure, folds, donors, rng, crossed=0.0))
    spread = np.std([drop.value for drop in drops])
    error = np.sqrt(np.mean([drop.error**2 for drop in drops]))
    assert abs(error / spread - 1) < 4 / np.sqrt(800)


def test_crossed_folds_widen_the_error_by_their_share() -> None:
    pi, folds, donors = draw_predictions("r2", 60, 3, np.random.default_rng(3))
    alone, half, whole = (
        score_permuted(
            pi, en.metric("r2"), folds, donors, np.random.default_rng(0), crossed=share
        ).error
        for share in (0.0, 0.5, 1.0)
    )
    assert_allclose([half / alone, whole / alone], np.sqrt([1.5, 2.0]))


def test_a_column_that_the_model_does_not_see_has_no_importance() -> None:
    rng = np.random.default_rng(4)
    y, x = rng.normal(size=(2, 40))
    folds = np.zeros(40, dtype=int)
    donors = draw_donors(folds, 3, rng)
    pi = en.Predictions.from_arrays(y, np.column_stack([x] * 4), task="regression")
    drop = score_permuted(pi, en.metric("r2"), folds, donors, rng)
    assert (drop.value, drop.error) == (0.0, 0.0)


def test_in_the_declared_grid_intervals_hold_and_noise_is_left_alone() -> None:
    """Half of the cells were not looked at before; a share of 2,000 has an error of 0.005."""
    rows = read_results()
    assert {row.cell for row in rows} == {cell.number for cell in read_cells()}
    for half in ("seen", "unseen"):
        mine = [row for row in rows if row.half == half]
        noise = [row for row in mine if row.kind == "noise"]
        held = sum(row.columns * row.held for row in mine) / sum(row.columns for row in mine)
        count = sum(row.columns for row in noise)
        above, below = (
            sum(row.columns * getattr(row, name) for row in noise) / count
            for name in ("shown_above", "shown_below")
        )
        assert count > 2000
        assert held > 0.95
        assert above + below < 0.05
