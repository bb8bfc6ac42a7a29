"""Survival curves are Kaplan and Meier's, and thirds are thirds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from earnest import Predictions
from earnest.errors import EvidenceError
from earnest.inference import kaplan_meier, risk_groups, thirds
from earnest.testing import example_predictions

EXACT = 1e-12


def a_study(seed: int, n: int = 60, *, ties: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    times = rng.exponential(10.0, n)
    return (np.ceil(times) if ties else times), rng.random(n) < 0.6


def slow_survival(times: np.ndarray, events: np.ndarray, at: float) -> float:
    """Multiply the shares that survive each time of an event, as the definition says."""
    share = 1.0
    for time in sorted(set(times[events].tolist())):
        if time <= at:
            risk = sum(t >= time for t in times)
            died = sum(t == time and e for t, e in zip(times, events, strict=True))
            share *= 1 - died / risk
    return share


@pytest.mark.parametrize("ties", [False, True])
def test_the_curve_equals_the_plain_product(ties: bool) -> None:
    times, events = a_study(0, ties=ties)
    made = kaplan_meier(times, events)
    plain = [slow_survival(times, events, at) for at in made.times]
    np.testing.assert_allclose(made.survival, plain, atol=EXACT)
    assert made.events == events.sum()


@pytest.mark.parametrize("ties", [False, True])
def test_the_curve_and_its_interval_equal_those_of_scikit_survival(ties: bool) -> None:
    oracle = pytest.importorskip("sksurv.nonparametric")
    times, events = a_study(1, ties=ties)
    at, share, ends = oracle.kaplan_meier_estimator(events, times, conf_type="log-log")
    made = kaplan_meier(times, events)
    places = np.searchsorted(at, made.times)
    np.testing.assert_allclose(made.survival, share[places], atol=EXACT)
    inner = made.survival > 0
    np.testing.assert_allclose(made.low[inner], ends[0][places][inner], atol=1e-9)
    np.testing.assert_allclose(made.high[inner], ends[1][places][inner], atol=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("ties", [False, True])
def test_the_interval_equals_that_of_lifelines(ties: bool, level: float) -> None:
    oracle = pytest.importorskip("lifelines")
    times, events = a_study(2, ties=ties)
    fitted = oracle.KaplanMeierFitter(alpha=1.0 - level).fit(times, events)
    ends = fitted.confidence_interval_  # Greenwood's variance on the scale of log(-log S)
    made = kaplan_meier(times, events, confidence_level=level)
    known = ~np.isnan(made.low)
    assert known.sum() > 10
    np.testing.assert_allclose(made.low[known], ends.loc[made.times[known]].iloc[:, 0], atol=1e-9)
    np.testing.assert_allclose(made.high[known], ends.loc[made.times[known]].iloc[:, 1], atol=1e-9)


def test_the_interval_is_its_formula_by_hand() -> None:
    times, events = a_study(3, ties=True)
    made = kaplan_meier(times, events)
    z, total = 1.959963984540054, 0.0
    for time, share, low, high in zip(made.times, made.survival, made.low, made.high, strict=True):
        risk, died = (times >= time).sum(), ((times == time) & events).sum()
        if risk == died:
            break
        total += died / (risk * (risk - died))
        reach = z * math.sqrt(total) / abs(math.log(share))
        assert low == pytest.approx(share ** math.exp(reach), abs=1e-12)
        assert high == pytest.approx(share ** math.exp(-reach), abs=1e-12)


def test_numbers_at_risk_count_who_is_still_followed() -> None:
    made = kaplan_meier(np.array([1.0, 2.0, 2.0, 5.0]), np.array([True, False, True, False]))
    assert [made.at_risk(t) for t in (0.0, 1.0, 1.5, 2.0, 2.1, 5.0, 6.0)] == [4, 4, 3, 3, 1, 1, 0]


def test_without_events_nobody_is_lost() -> None:
    made = kaplan_meier(np.array([1.0, 2.0]), np.array([False, False]))
    assert len(made.times) == made.events == 0


def test_when_all_die_the_curve_ends_at_zero_where_no_interval_is_known() -> None:
    made = kaplan_meier(np.array([1.0, 2.0]), np.array([True, True]))
    np.testing.assert_allclose(made.survival, [0.5, 0.0])
    assert 0.0 < made.low[0] < 0.5 < made.high[0] < 1.0
    assert np.isnan([made.low[-1], made.high[-1]]).all()


def test_thirds_hold_a_third_each_and_ties_stay_together() -> None:
    assert [len(part) for part in thirds(np.arange(30.0))] == [10, 10, 10]
    assert [len(part) for part in thirds(np.repeat([0.0, 1.0], 15))] == [15, 15]
    assert [len(part) for part in thirds(np.zeros(9))] == [9]
    assert sum(len(part) for part in thirds(np.array([3.0, 1.0]))) == 2


def test_higher_risk_dies_earlier() -> None:
    truth = np.random.default_rng(2).standard_normal(90)
    y = (np.exp(-2 * truth), np.ones(90, dtype=bool))
    made = risk_groups(Predictions.from_arrays(y, truth, task="survival"), 0)
    assert made.names == ("lowest third", "middle third", "highest third")
    medians = [float(curve.times[np.argmax(curve.survival <= 0.5)]) for curve in made.curves]
    assert medians == sorted(medians, reverse=True)
    assert [len(curve.observed) for curve in made.curves] == [30, 30, 30]


def test_repeats_on_other_scales_rank_the_same() -> None:
    truth = np.random.default_rng(3).standard_normal(60)
    y = (np.exp(-truth), np.arange(60) % 3 != 0)
    fold = np.zeros((60, 2), dtype=int)
    scores = np.stack([truth, np.exp(5 * truth)], axis=1)[:, None]
    twice = risk_groups(Predictions.from_arrays(y, scores, fold, task="survival"), 0)
    once = risk_groups(Predictions.from_arrays(y, truth, task="survival"), 0)
    for a, b in zip(once.curves, twice.curves, strict=True):
        np.testing.assert_array_equal(a.survival, b.survival)


def test_equal_risks_are_one_group() -> None:
    y = (np.arange(1.0, 11.0), np.ones(10, dtype=bool))
    made = risk_groups(Predictions.from_arrays(y, np.zeros(10), task="survival"), 0)
    assert made.names == ("all",)
    assert math.isclose(made.curves[0].survival[0], 0.9)


def test_classes_have_no_survival() -> None:
    with pytest.raises(EvidenceError, match="no survival"):
        risk_groups(example_predictions("binary"), 0)
