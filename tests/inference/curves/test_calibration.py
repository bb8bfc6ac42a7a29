"""Level, slope, test and verdict of probabilities are those of plain formulas, and hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import expit, logit

from earnest import Predictions
from earnest.core.results.calibration import Calibration, CalibrationVerdict, ClassCalibration
from earnest.errors import EvidenceError
from earnest.inference.curves.calibration import calibration, equal_counts, no_calibration, share_of
from earnest.testing import example_predictions

EXACT = 1e-12
CLOSE = 1e-8
Z = stats.norm.ppf(0.975)
Floats = NDArray[np.float64]


def wilson(hits: int, n: int) -> tuple[float, float]:
    p = hits / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return middle - reach, middle + reach


def draw_cases(
    n: int, slope: float, level: float, seed: int, spread: float = 1.2
) -> tuple[NDArray[np.int64], Floats]:
    """Return outcomes, and probabilities with a calibration slope and level that are known."""
    rng = np.random.default_rng(seed)
    z = spread * rng.standard_normal(n) - 0.5
    return (rng.random(n) < expit(level + slope * z)).astype(np.int64), expit(z)


def solve(z: Floats, y: Floats, w: Floats, fixed: bool) -> Floats:
    """Return intercept and slope, or with a fixed slope of 1 the intercept, by scipy's root."""

    def score(c: Floats) -> Floats:
        left = w * (y - expit(c[0] + (1.0 if fixed else c[1]) * z))
        return np.array([left.sum()] if fixed else [left.sum(), (left * z).sum()])

    start = np.zeros(1) if fixed else np.array([0.0, 1.0])
    return np.asarray(optimize.root(score, start, tol=1e-13).x)


def judge_plainly(
    p: Floats, y: Floats, units: NDArray[np.int64], weights: Floats, n_cases: int, twice: bool
) -> dict[str, float]:
    """Return the numbers by loops over units, with explicit sandwiches."""
    z = logit(np.clip(p, 0.5 / n_cases, 1 - 0.5 / n_cases))
    names = np.unique(units)
    few = len(names) / (len(names) - 1)
    a, b = solve(z, y, weights, fixed=False)
    bread, meat = np.zeros((2, 2)), np.zeros((2, 2))
    for name in names:
        total = np.zeros(2)
        for i in np.flatnonzero(units == name):
            x, q = np.array([1.0, z[i]]), expit(a + b * z[i])
            bread += weights[i] * q * (1 - q) * np.outer(x, x)
            total += weights[i] * (y[i] - q) * x
        meat += few * np.outer(total, total)
    variance = np.linalg.inv(bread) @ meat @ np.linalg.inv(bread)
    extra = variance[1, 1] if twice else 0.0
    turn = np.array([-bread[0, 1] / bread[0, 0], 1.0])
    away = np.array([a, b - 1.0])
    wald = away @ np.linalg.inv(variance + extra * np.outer(turn, turn)) @ away
    level = solve(z, y, weights, fixed=True)[0]
    q = expit(level + z)
    sums = [(weights * (y - q))[units == name].sum() for name in names]
    level_error = math.sqrt(few * np.square(sums).sum()) / (weights * q * (1 - q)).sum()
    expected, observed = (weights * p).sum(), (weights * y).sum()
    moves = [(weights * (p / expected - y / observed))[units == name].sum() for name in names]
    return {
        "slope": b,
        "slope_error": math.sqrt(variance[1, 1] + extra),
        "level": level,
        "level_error": level_error,
        "ratio": expected / observed,
        "ratio_error": math.sqrt(few * np.square(moves).sum()),
        "wald": float(wald),
    }


def hold_against(judged: ClassCalibration, plain: dict[str, float], n_units: int) -> None:
    """Compare with the plain numbers to 1e-8."""
    assert judged.slope is not None
    found = {
        "slope": judged.slope.value,
        "slope_error": judged.slope.standard_error,
        "level": judged.intercept.value,
        "level_error": judged.intercept.standard_error,
        "ratio": judged.ratio.value,
        "ratio_error": judged.ratio.standard_error,
        "wald": judged.test.statistic,
    }
    for name, value in plain.items():
        assert found[name] == pytest.approx(value, rel=CLOSE, abs=CLOSE), name
    reach = stats.t.ppf(0.975, n_units - 1)
    assert judged.slope.interval.high - judged.slope.value == pytest.approx(
        reach * plain["slope_error"], rel=CLOSE
    )
    assert math.log(judged.ratio.interval.high / judged.ratio.value) == pytest.approx(
        reach * plain["ratio_error"], rel=CLOSE
    )
    scaled = plain["wald"] * (n_units - 2) / (2 * (n_units - 1))
    assert judged.test.p_value == pytest.approx(stats.f.sf(scaled, 2, n_units - 2), rel=1e-7)


@pytest.mark.parametrize("folds", [1, 5])
def test_level_slope_and_test_are_those_of_a_plain_logistic_regression(folds: int) -> None:
    y, p = draw_cases(240, 0.7, 0.3, seed=1)
    pi = Predictions.from_arrays(y, p, np.arange(240) % folds if folds > 1 else None)
    judged = calibration(pi, 0)
    assert (judged.n_cases, judged.n_units, len(judged.classes)) == (240, 240, 1)
    plain = judge_plainly(p, y * 1.0, np.arange(240), np.ones(240), 240, twice=folds > 1)
    hold_against(judged.classes[0], plain, 240)


def test_groups_and_repeats_are_units_of_the_variance() -> None:
    y, p = draw_cases(150, 1.0, 0.0, seed=2)
    groups = np.arange(150) // 3
    fold = groups % 5
    second = expit(logit(p) + 0.3 * np.random.default_rng(3).standard_normal(150))
    table = np.stack([p, second], axis=1)[:, None, :]
    pi = Predictions.from_arrays(y, table, np.stack([fold, fold], axis=1), groups=groups)
    judged = calibration(pi, 0)
    assert (judged.n_cases, judged.n_units) == (150, 50)
    plain = judge_plainly(
        np.concatenate([p, second]),
        np.tile(y * 1.0, 2),
        np.tile(groups, 2),
        np.full(300, 0.5),
        150,
        twice=True,
    )
    hold_against(judged.classes[0], plain, 50)


def test_copies_of_cases_in_a_group_are_no_evidence() -> None:
    y, p = draw_cases(120, 0.8, 0.2, seed=4)
    alone = calibration(Predictions.from_arrays(y, p), 0).classes[0]
    groups = np.repeat(np.arange(120), 4)
    pi = Predictions.from_arrays(np.repeat(y, 4), np.repeat(p, 4), groups=groups)
    together = calibration(pi, 0).classes[0]
    assert alone.slope is not None
    assert together.slope is not None
    assert together.slope.standard_error == pytest.approx(alone.slope.standard_error, rel=1e-9)
    assert together.test.p_value == pytest.approx(alone.test.p_value, rel=1e-7)


def test_the_slope_of_a_model_that_is_fitted_again_varies_twice() -> None:
    y, p = draw_cases(300, 1.0, 0.0, seed=5)
    fixed, refitted = (
        calibration(Predictions.from_arrays(y, p, fold), 0).classes[0]
        for fold in (None, np.arange(300) % 10)
    )
    assert fixed.slope is not None
    assert refitted.slope is not None
    ratio = refitted.slope.standard_error / fixed.slope.standard_error
    assert ratio == pytest.approx(math.sqrt(2.0), rel=EXACT)
    assert refitted.intercept == fixed.intercept
    assert refitted.ratio == fixed.ratio


def test_the_joint_test_finds_what_no_single_bin_shows() -> None:
    y, p = draw_cases(180, 1.0, -0.4, seed=3)
    judged = calibration(Predictions.from_arrays(y, p), 0)
    each = judged.classes[0]
    assert (round(each.mean_predicted, 3), round(each.observed, 3)) == (0.413, 0.333)
    assert each.curve.n_outside == 0
    assert judged.verdict is CalibrationVerdict.OFF


def test_few_cases_do_not_speak_for_probabilities() -> None:
    few, many = (
        calibration(Predictions.from_arrays(*draw_cases(n, 1.0, 0.0, seed=2)), 0)
        for n in (60, 4000)
    )
    assert few.verdict is CalibrationVerdict.LITTLE_POWER
    assert (few.classes[0].test.detectable_slope or 0.0) > 0.5
    assert many.verdict is CalibrationVerdict.NO_SIGN
    assert (many.classes[0].test.detectable_slope or 1.0) < 0.2


def test_what_is_detectable_is_seen_in_four_of_five_samples() -> None:
    """400 samples of 800 cases, seeds 0 to 399: 80 % give or take 4 × 2 %, and the normal law."""
    truth = calibration(Predictions.from_arrays(*draw_cases(800, 1.0, 0.0, seed=0)), 0)
    slope = 1.0 - (truth.classes[0].test.detectable_slope or 0.0)
    centre = -0.5  # about which the slope turns without moving the level, nearly
    seen = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        z = 1.2 * rng.standard_normal(800) - 0.5
        y = (rng.random(800) < expit(centre + slope * (z - centre))).astype(np.int64)
        judged = calibration(Predictions.from_arrays(y, expit(z)), 0)
        seen += judged.verdict is CalibrationVerdict.OFF
    assert abs(seen / 400 - 0.8) < 0.1


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("size", [1, 4])
def test_right_probabilities_are_called_off_in_one_of_twenty_samples(n: int, size: int) -> None:
    """400 samples each, seeds 0 to 399: 5 %, and 4 standard errors of 1.1 % for the asymptotics.

    Cases of a group share half of the variance of what the model does not know.
    """
    off = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        groups = np.arange(n) // size
        shared = rng.standard_normal(n)[groups]
        luck = np.where(rng.random(n) < 0.5, shared, rng.standard_normal(n))
        z = 1.2 * rng.standard_normal(n)
        y = (stats.norm.cdf(luck) < expit(z)).astype(np.int64)
        pi = Predictions.from_arrays(y, expit(z), groups=groups if size > 1 else None)
        off += calibration(pi, 0).verdict is CalibrationVerdict.OFF
    assert off / 400 < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400) + 0.01


def test_predictions_that_separate_the_classes_have_no_slope() -> None:
    y = np.tile([0, 1], 100)
    sure = calibration(Predictions.from_arrays(y, np.where(y, 0.998, 0.002)), 0).classes[0]
    assert sure.slope is None
    assert sure.verdict is CalibrationVerdict.LITTLE_POWER
    timid = calibration(Predictions.from_arrays(y, np.where(y, 0.6, 0.4)), 0).classes[0]
    assert timid.slope is None
    assert timid.verdict is CalibrationVerdict.OFF


def test_one_probability_for_all_has_a_level_and_no_slope() -> None:
    y = np.repeat([0, 1], [300, 100])
    right = calibration(Predictions.from_arrays(y, np.full(400, 0.25)), 0).classes[0]
    assert (right.slope, right.test.df) == (None, 1)
    assert right.intercept.value == pytest.approx(0.0, abs=1e-9)
    assert right.verdict is CalibrationVerdict.LITTLE_POWER
    wrong = calibration(Predictions.from_arrays(y, np.full(400, 0.4)), 0).classes[0]
    assert wrong.verdict is CalibrationVerdict.OFF
    assert wrong.ratio.value == pytest.approx(1.6)


def test_a_probability_of_nothing_counts_as_half_a_case() -> None:
    y, p = draw_cases(100, 1.0, 0.0, seed=8)
    hard, soft = np.where(p < 0.1, 0.0, p), np.where(p < 0.1, 0.005, p)
    one, other = (calibration(Predictions.from_arrays(y, q), 0).classes[0] for q in (hard, soft))
    assert one.slope == other.slope
    assert one.mean_predicted < other.mean_predicted


def test_few_groups_say_nothing_at_all() -> None:
    y, p = draw_cases(100, 0.2, 1.0, seed=9)
    judged = calibration(Predictions.from_arrays(y, p, groups=np.arange(100) // 50), 0)
    assert judged.classes[0].test.p_value == 1.0
    assert judged.verdict is CalibrationVerdict.LITTLE_POWER


def test_net_benefit_is_hits_less_alarms_at_their_price() -> None:
    y, p = draw_cases(200, 1.0, 0.0, seed=6)
    judged = calibration(Predictions.from_arrays(y, p), 0).classes[0].net_benefit
    for t, value, treat_all in zip(judged.thresholds, judged.values, judged.treat_all, strict=True):
        hits, alarms = ((p > t) & (y == 1)).sum(), ((p > t) & (y == 0)).sum()
        assert value == pytest.approx((hits - alarms * t / (1 - t)) / 200, abs=EXACT)
        everyone = y.mean() - (1 - y.mean()) * t / (1 - t)
        assert treat_all == pytest.approx(everyone, abs=EXACT)


def test_each_of_several_classes_is_judged_against_the_rest_at_a_level_of_all() -> None:
    pi = example_predictions("multiclass")
    judged = calibration(pi, 0)
    assert [each.label for each in judged.classes] == list(pi.target.classes)
    values = pi.responses[:, 0, 0]
    for code, each in enumerate(judged.classes):
        alone = Predictions.from_arrays(
            (pi.target.y == code).astype(int), values[:, code], pi.folds[:, 0]
        )
        single = calibration(alone, 0).classes[0]
        assert each.slope == single.slope
        assert each.test.p_value == single.test.p_value
        strict = each.test.p_value <= 0.05 / len(judged.classes)
        assert (each.verdict is CalibrationVerdict.OFF) is strict
    assert judged.shown.test.p_value == min(each.test.p_value for each in judged.classes)


def test_the_fact_is_written_and_read_as_it_is() -> None:
    for pi in (example_predictions("binary"), example_predictions("multiclass")):
        judged = calibration(pi, 0)
        again = Calibration.from_dict(judged.to_dict())
        assert again == judged
        assert judged.to_dict()["verdict"] == str(judged.verdict)


def test_the_order_of_cases_does_not_matter() -> None:
    y, p = draw_cases(90, 0.9, 0.1, seed=12)
    order = np.random.default_rng(0).permutation(90)
    one = calibration(Predictions.from_arrays(y, p), 0).classes[0]
    other = calibration(Predictions.from_arrays(y[order], p[order]), 0).classes[0]
    assert one.test.statistic == pytest.approx(other.test.statistic, rel=1e-9)


def test_independent_cases_have_the_interval_of_wilson() -> None:
    made = share_of(np.array([1.0] * 7 + [0.0] * 13), np.arange(20), 0.95)
    assert (made.value, made.trials) == (0.35, 20)
    assert (made.low, made.high) == pytest.approx(wilson(7, 20), abs=1e-9)


def test_cases_that_are_copies_count_once() -> None:
    hits, units = np.repeat([1.0, 0.0, 1.0, 0.0, 0.0], 4), np.repeat(np.arange(5), 4)
    made = share_of(hits, units, 0.95)
    assert made.trials == 5
    assert (made.low, made.high) == pytest.approx(wilson(2, 5), abs=1e-9)


def test_units_of_one_case_change_nothing_and_a_sure_share_counts_units() -> None:
    assert share_of(np.ones(12), np.arange(12), 0.9).trials == 12
    assert share_of(np.ones(12), np.arange(12) // 3, 0.9).trials == 4


def test_bins_hold_equally_many_and_ties_stay_together() -> None:
    values = np.random.default_rng(0).permutation(100).astype(float)
    parts = equal_counts(values, 10)
    assert [len(part) for part in parts] == [10] * 10
    assert [values[part].max() for part in parts] == [10 * k + 9 for k in range(10)]
    tied = equal_counts(np.repeat([0.0, 0.5, 1.0], [45, 10, 45]), 10)
    assert [len(part) for part in tied] == [45, 10, 45]
    assert [len(part) for part in equal_counts(np.zeros(30), 10)] == [30]
    assert [len(part) for part in equal_counts(np.arange(3.0), 10)] == [1, 1, 1]


def test_the_curve_equals_the_plain_loop() -> None:
    pi = example_predictions("binary", n_cases=90)
    judged = calibration(pi, 0).classes[0]
    curve = judged.curve
    promised, hit = pi.responses[:, 0, 0], pi.target.y == 1
    order = np.argsort(promised)
    for k in range(10):
        rows = order[9 * k : 9 * k + 9]
        assert curve.predicted[k] == pytest.approx(promised[rows].mean(), abs=EXACT)
        share = curve.observed[k]
        assert share.value == hit[rows].mean()
        assert (share.low, share.high) == pytest.approx(wilson(hit[rows].sum(), 9), abs=1e-9)
    assert sum(curve.counts) == sum(curve.spread) == 90
    assert judged.label == "yes"


def test_repeats_of_a_case_are_no_new_cases() -> None:
    y, p = np.tile([0, 1], 50), np.random.default_rng(1).random((100, 1, 1))
    fold = np.tile(np.arange(5), 20)
    once = calibration(Predictions.from_arrays(y, p, fold), 0).classes[0]
    twice = Predictions.from_arrays(y, np.repeat(p, 2, axis=2), np.stack([fold, fold], axis=1))
    again = calibration(twice, 0).classes[0]
    assert sum(again.curve.counts) == 200
    for a, b in zip(once.curve.observed, again.curve.observed, strict=True):
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-9)
    assert again.slope is not None
    assert once.slope is not None
    assert again.slope.standard_error == pytest.approx(once.slope.standard_error, rel=1e-9)


@pytest.mark.parametrize(
    ("task", "response", "word"),
    [
        ("binary", "decision", "decision values"),
        ("binary", "label", "labels"),
        ("multiclass", "label", "labels"),
        ("regression", None, "of classes"),
    ],
)
def test_what_is_no_probability_has_no_calibration(
    task: str, response: str | None, word: str
) -> None:
    pi = example_predictions(task, response=response)
    assert word in (no_calibration(pi) or "")
    with pytest.raises(EvidenceError, match="no calibration"):
        calibration(pi, 0)


def test_one_class_alone_cannot_be_judged() -> None:
    pi = Predictions.from_arrays(np.tile([0, 1], 20), np.full(40, 0.5))
    pi = replace(pi, target=replace(pi.target, y=np.zeros(40, dtype=pi.target.y.dtype)))
    assert calibration(pi, 0).classes == ()
