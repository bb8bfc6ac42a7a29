"""Calibration at times: groups of equal size, Kaplan and Meier's shares, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.errors import EvidenceError
from earnest.inference import calibrate_at_times, kaplan_meier
from earnest.kernels import score_table
from earnest.testing import example_predictions

TIMES = (0.25, 0.5, 1.0)


def a_study(seed: int, n: int = 203, *, folds: int = 4) -> en.Predictions:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    life, end = rng.exponential(np.exp(-x)), rng.exponential(2.0, n)
    rates = np.exp(np.stack([x, 2 * x], axis=1))
    chances = np.exp(-rates[:, :, None, None] * np.array(TIMES))
    outcome = np.minimum(life, end), life <= end
    return en.Predictions.from_arrays(outcome, chances, np.arange(n) % folds, times=TIMES)


def test_groups_are_of_equal_size_and_hold_the_plain_shares() -> None:
    pi = a_study(1)
    time, event = pi.target.y, np.asarray(pi.target.event)
    for number, at in enumerate(calibrate_at_times(pi, 0, TIMES)):
        risk = 1 - pi.responses[:, 0, 0, 1 + number]
        assert np.ptp(at.counts) <= 1
        assert at.counts.sum() == 203
        order = np.argsort(risk, kind="stable")
        start = 0
        for k, count in enumerate(at.counts.tolist()):
            rows = order[start : start + count]
            start += count
            assert at.predicted[k] == pytest.approx(risk[rows].mean(), abs=1e-12)
            share = 1.0
            for when in np.unique(time[rows][event[rows] & (time[rows] <= at.time)]):
                dying = (event[rows] & (time[rows] == when)).sum()
                share *= 1 - dying / (time[rows] >= when).sum()
            assert at.observed[k] == pytest.approx(1 - share, abs=1e-12)
            assert at.low[k] <= at.observed[k] <= at.high[k]
            assert at.events[k] == (event[rows] & (time[rows] <= at.time)).sum()
        name = f"survival_ratio(at={at.time})"
        ratio = score_table(pi, name, np.ones((1, 203)))[0, 0]
        assert at.ratio == pytest.approx(ratio, abs=1e-12)


def test_intervals_of_a_group_are_those_of_its_curve() -> None:
    pi = a_study(2, n=12)  # one group
    (at,) = calibrate_at_times(pi, 0, (0.5,), confidence_level=0.8)
    curve = kaplan_meier(pi.target.y, np.asarray(pi.target.event), confidence_level=0.8)
    place = int((curve.times <= 0.5).sum()) - 1
    assert (at.low[0], at.high[0]) == pytest.approx((1 - curve.high[place], 1 - curve.low[place]))
    assert len(at.predicted) == 1


def test_equal_risks_stay_together_and_what_nobody_was_followed_to_is_left_out() -> None:
    outcome = np.arange(1.0, 61.0), np.arange(60) % 2 == 0
    pi = en.Predictions.from_arrays(outcome, np.full((60, 1, 1, 2), 0.4), times=[30.0, 70.0])
    at = calibrate_at_times(pi, 0, (30.0, 70.0))
    assert [each.time for each in at] == [30.0]
    assert at[0].counts.tolist() == [60]


def test_right_risks_are_inside_nearly_always_and_too_extreme_ones_are_not() -> None:
    """Of 40 studies of five groups (seeds 0 to 39): 95 % of 200, less three standard errors."""
    studies = [
        calibrate_at_times(a_study(seed, 400), c, (0.5,)) for seed in range(40) for c in (0, 1)
    ]
    outside = [at.n_outside for (at,) in studies]
    assert sum(outside[::2]) <= 0.05 * 200 + 3 * np.sqrt(200 * 0.05 * 0.95)
    assert sum(outside[1::2]) > 60


def test_risks_alone_are_refused() -> None:
    with pytest.raises(EvidenceError):
        calibrate_at_times(example_predictions("survival"), 0)
    assert calibrate_at_times(example_predictions("survival", response="survival"), 0)
