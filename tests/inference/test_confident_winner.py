"""Bounds of a log loss fail where the winner is confident and cases are few: a caution says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import earnest as en
from earnest.inference import CASES_FOR_CONFIDENCE, CONFIDENT, spread_of_log_odds
from earnest.metrics import MomentMetric


def searched(n: int, spread: float, *, folds: int = 5, configs: int = 3) -> en.Predictions:
    """Predictions whose first, and best, configuration has that spread of log odds."""
    y = np.arange(n) % 2
    odds = np.repeat(np.linspace(-1.0, 1.0, n // 2), 2)  # of the true class
    odds = 1.5 + odds * spread / odds.std()
    right = 1.0 / (1.0 + np.exp(-odds))
    others = np.full((n, configs - 1), 0.5)
    said = np.column_stack([np.where(y == 1, right, 1.0 - right), others])
    return en.Predictions.from_arrays(y, said, np.arange(n) // 2 % folds, response="probability")


def told(
    pi: en.Predictions, metric: str | MomentMetric = "log_loss", **options: object
) -> list[en.results.Caution]:
    made = en.estimate(pi, metric=metric, rng=0, n_resamples=50, **options)
    return [caution for caution in made.cautions if caution.kind == "winner_confident"]


@pytest.mark.parametrize("spread", [0.3, 1.1, 1.4])
def test_the_spread_is_that_of_the_log_odds_of_the_true_class(spread: float) -> None:
    assert spread_of_log_odds(searched(40, spread), 0) == pytest.approx(spread)


def test_several_classes_and_repeats_have_the_same_spread() -> None:
    pi = searched(40, 1.3)
    two = np.stack([1.0 - pi.responses, pi.responses], axis=-1)  # (n, C, R, 2)
    three = np.concatenate([two, np.zeros((*two.shape[:-1], 1))], axis=-1)
    y = np.r_[pi.target.y[:-1], 2]  # one case of a third class, which got no chance
    of_three = en.Predictions.from_arrays(y, three, np.arange(40) // 2 % 5)
    assert spread_of_log_odds(of_three, 0) > spread_of_log_odds(pi, 0)
    twice = np.repeat(pi.responses, 2, axis=2)
    folds = np.repeat(np.arange(40)[:, None] // 2 % 5, 2, axis=1)
    repeated = en.Predictions.from_arrays(pi.target.y, twice, folds, response="probability")
    assert spread_of_log_odds(repeated, 0) == pytest.approx(1.3)


def test_a_confident_winner_of_few_cases_is_cautioned_of_with_spread_and_count() -> None:
    (caution,) = told(searched(100, 1.5))
    assert "100 cases" in caution.what
    assert "standard deviation of 1.5, above 1.2" in caution.what
    assert told(searched(100, 1.5), method="bbc_fold") == [caution]


def test_a_log_loss_by_another_name_is_cautioned_alike() -> None:
    copy = replace(en.metric("log_loss"), name="ours", aliases=())
    assert told(searched(100, 1.5), copy) == told(searched(100, 1.5)) != []


@pytest.mark.parametrize(
    ("n", "spread", "folds", "configs", "metric"),
    [
        (100, CONFIDENT - 0.01, 5, 3, "log_loss"),
        (CASES_FOR_CONFIDENCE, 1.5, 5, 3, "log_loss"),
        (100, 1.5, 1, 3, "log_loss"),  # a test set: nothing was trained on its cases
        (100, 1.5, 5, 1, "log_loss"),  # nothing was chosen
        (100, 1.5, 5, 3, "accuracy"),
    ],
)
def test_nothing_is_said_where_bounds_were_not_seen_to_fail(
    n: int, spread: float, folds: int, configs: int, metric: str
) -> None:
    assert told(searched(n, spread, folds=folds, configs=configs), metric) == []


def test_certain_probabilities_have_a_finite_spread() -> None:
    y = np.tile([0, 1], 30)
    said = np.column_stack([np.where(np.arange(60) < 55, y, 1 - y), np.full(60, 0.5)])
    pi = en.Predictions.from_arrays(y, said, np.arange(60) // 2 % 5, response="probability")
    assert 1.0 < spread_of_log_odds(pi, 0) < 20.0
