"""The plain reading of a score, held against what it counts."""

from __future__ import annotations

import re

import numpy as np
import pytest

import earnest as en
from earnest.core import write_reading
from earnest.metrics import METRICS

Y = np.repeat(["good", "bad"], [60, 40])
SCORE = (Y == "bad") + np.random.default_rng(3).standard_normal(100)


def predicted(score: np.ndarray = SCORE) -> en.Predictions:
    return en.Predictions.from_arrays(Y, score, positive="bad")


def read(metric: str, pi: en.Predictions | None = None, **options: object) -> str:
    pi = predicted() if pi is None else pi
    return write_reading(en.estimate(pi, metric=metric, **options), pi.target)


def count_in(words: str) -> tuple[int, int]:
    found = re.search(r"Of ([\d,]+) .*about ([\d,]+)", words)
    assert found is not None, words
    return int(found[1].replace(",", "")), int(found[2].replace(",", ""))


def test_the_reading_of_an_auc_is_the_share_of_pairs_in_order() -> None:
    pairs = SCORE[Y == "bad"][:, None] > SCORE[Y == "good"][None, :]
    words = read("roc_auc")
    assert count_in(words) == (100, round(100 * pairs.mean()))
    assert "'bad' one higher" in words
    assert words.endswith("(chance: 50).")


@pytest.mark.parametrize(
    ("metric", "rows"),
    [
        ("accuracy", Y == Y),
        ("recall", Y == "bad"),
        ("specificity", Y == "good"),
        ("precision", SCORE > 0),
        ("npv", SCORE <= 0),
    ],
)
def test_a_share_is_counted_among_the_cases_that_it_is_of(metric: str, rows: np.ndarray) -> None:
    right = (SCORE > 0) == (Y == "bad")
    assert count_in(read(metric)) == (100, round(100 * right[rows].mean()))


def test_what_a_constant_reaches_stands_beside_it() -> None:
    assert "(a constant prediction: 60)" in read("accuracy")


def test_a_share_near_an_end_is_counted_among_more_cases() -> None:
    y = np.tile([0, 1], 500)
    pi = en.Predictions.from_arrays(y, np.where(np.arange(1000) < 2, 1 - y, y) - 0.5)
    assert count_in(read("accuracy", pi)) == (1000, 998)


def test_an_error_is_read_in_the_units_of_the_outcome_and_never_as_more_than_it_is() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(50, 10, 200)
    pi = en.Predictions.from_arrays(y, y + rng.normal(0, 3, 200))
    off = np.abs(pi.responses[:, 0, 0] - pi.target.y)
    mean = float(re.search(r"about ([\d.]+)", read("mae", pi))[1])
    most = float(re.search(r"at most about ([\d.]+)", read("rmse", pi))[1])
    half = float(re.search(r"less than about ([\d.]+)", read("median_absolute_error", pi))[1])
    # printed with the decimals of the standard error, one here
    assert mean == pytest.approx(off.mean(), abs=0.06)
    assert half == pytest.approx(np.median(off), abs=0.06)
    assert off.mean() <= most == pytest.approx(np.sqrt((off**2).mean()), abs=0.06)


def test_there_are_no_words_where_none_are_true() -> None:
    for metric in ("brier", "f1", "mcc", "average_precision"):
        pi = predicted(1 / (1 + np.exp(-SCORE)))
        assert read(metric, pi) == "", metric
    both = en.Predictions.from_arrays(Y, np.stack([SCORE, SCORE[::-1]], axis=1), positive="bad")
    assert read("accuracy", both, method="naive") == ""  # not of new cases
    assert read("accuracy", predicted((Y == "bad") - 0.5)) == ""  # no error was seen


def test_a_reading_survives_a_file_and_belongs_to_the_metric_not_to_its_name() -> None:
    estimate = en.estimate(predicted(), metric="accuracy", rng=0)
    again = en.results.Estimate.from_dict(estimate.to_dict())
    assert write_reading(again) == write_reading(estimate) != ""
    scored = en.estimate(predicted(), metric=lambda y, p: float(np.mean(y == p)), rng=0)
    assert write_reading(scored) == ""


def test_shares_are_declared_only_by_metrics_between_0_and_1() -> None:
    for name in METRICS:
        metric = METRICS[name]
        if metric.reading is not None and "cases" in str(metric.reading).split(" that ")[0]:
            assert metric.limits == (0.0, 1.0), name
