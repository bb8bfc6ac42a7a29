"""A few cases that decide a metric of squares are told, and ordinary errors are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en


def predicted(y, seed: int = 0, configs: int = 2):
    rng = np.random.default_rng(seed)
    guesses = rng.normal(size=(len(y), configs))
    return en.Predictions.from_arrays(y, guesses, np.arange(len(y)) % 5, task="regression")


def told(pi, metric, **knobs):
    made = en.estimate(pi, metric=metric, rng=0, **knobs)
    return [caution for caution in made.cautions if caution.code == "EN113"]


@pytest.mark.parametrize("metric", ["r2", "mse", "rmse", "explained_variance"])
def test_one_outcome_far_out_is_told_with_its_count(metric):
    y = np.random.default_rng(1).normal(size=150)
    y[3] = 1e9
    found = told(predicted(y), metric)
    assert len(found) == 1
    assert found[0].what.startswith("1 of 150 cases adds")
    assert "mae" in found[0].cure


@pytest.mark.parametrize("metric", ["r2", "mse", "rmse", "explained_variance"])
def test_a_metric_of_squares_by_another_name_is_told_alike(metric):
    y = np.random.default_rng(1).normal(size=150)
    y[3] = 1e9
    copy = replace(en.metric(metric), name="ours", aliases=())
    assert told(predicted(y), copy) == told(predicted(y), metric) != []


def test_two_of_many_are_counted_for_any_method():
    y = np.random.default_rng(2).normal(size=400)
    y[[5, 9]] = 1e4, -1e4
    found = told(predicted(y, configs=1), "mse", method="holdout")
    assert found[0].what.startswith(("1 of", "2 of"))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("metric", ["r2", "mse", "mae", "pearson"])
def test_ordinary_errors_are_not(seed, metric):
    assert not told(predicted(np.random.default_rng(seed).normal(size=150)), metric)


@pytest.mark.parametrize("metric", ["mae", "median_absolute_error", "spearman"])
def test_metrics_without_squares_are_not_asked(metric):
    y = np.random.default_rng(1).normal(size=150)
    y[3] = 1e9
    assert not told(predicted(y), metric)


def test_a_perfect_prediction_has_no_squares():
    y = np.arange(40.0)
    pi = en.Predictions.from_arrays(y, y, np.arange(40) % 4, task="regression")
    assert not told(pi, "mse")
