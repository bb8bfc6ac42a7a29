"""The test of Bayle et al. against its definition, and what goes beyond the theorem."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from earnest import Predictions, compare, estimate
from earnest.comparison import BayleTest
from earnest.comparison.base import Question
from earnest.comparison.tests.bayle import BayleReading
from earnest.core import Seeds
from earnest.errors import EvidenceError, InputError, MetricError
from earnest.inference import variance_of_mean
from earnest.metrics import metric as resolve
from tests.comparison.evidence import classified, columns
from tests.snapshots import Golden


def regression(n: int = 83, seed: int = 1, folds: int = 4) -> Predictions:
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    return columns(y, y[:, None] + rng.standard_normal((n, 2)) * [0.7, 0.9], np.arange(n) % folds)


def by_hand(pi: Predictions, variance: str) -> tuple[float, float]:
    """The mean and the standard error of h = loss(a) - loss(b), written out."""
    errors = np.square(pi.target.y[:, None] - pi.responses[:, :, 0])
    h, fold, n = errors[:, 0] - errors[:, 1], pi.folds[:, 0], pi.n_cases
    if variance == "all_pairs":
        square = np.mean((h - h.mean()) ** 2)
    else:
        square = sum((fold == k).sum() / n * h[fold == k].var(ddof=1) for k in np.unique(fold))
    return float(h.mean()), float(np.sqrt(square / n))


@pytest.mark.parametrize("variance", ["all_pairs", "within_fold"])
def test_statistic_p_and_interval_are_those_of_the_definition(variance: str) -> None:
    pi = regression()
    made = compare(pi, "a", "b", test=BayleTest(variance=variance), metric="mse")
    mean, error = by_hand(pi, variance)
    assert made.difference == pytest.approx(mean, rel=1e-12)
    assert made.standard_error == pytest.approx(error, rel=1e-12)
    assert made.statistic == pytest.approx(mean / error, rel=1e-12)
    assert made.p_value == pytest.approx(2 * norm.sf(abs(mean / error)), rel=1e-12)
    assert made.interval is not None
    assert made.interval.low == pytest.approx(mean - norm.ppf(0.975) * error, rel=1e-12)


def test_less_rejects_exactly_where_the_upper_bound_is_below_0() -> None:
    # the test of improvement of the paper: reject iff mean + z sigma / sqrt(n) < 0
    for seed in range(30):
        made = compare(regression(seed=seed), "a", "b", metric="mse", alternative="less")
        assert made.interval is not None
        assert made.shown == (made.interval.high < 0.0)
        assert made.interval.low == -np.inf


def test_leave_one_out_needs_all_pairs(golden: Golden) -> None:
    pi = regression(n=30, folds=30)
    assert compare(pi, "a", "b", metric="mse").n_cases == 30
    with golden.raises(EvidenceError):
        compare(pi, "a", "b", test=BayleTest(variance="within_fold"), metric="mse")


def test_differences_that_vary_between_folds_only_take_the_other_variance() -> None:
    y = np.zeros(40)
    guesses = np.column_stack([np.zeros(40), np.repeat([1.0, 2.0], 20)])
    pi = columns(y, guesses, np.repeat([0, 1], 20), task="regression")
    inside = compare(pi, "a", "b", test=BayleTest(variance="within_fold"), metric="mae")
    overall = compare(pi, "a", "b", test="bayle", metric="mae")
    assert inside.standard_error == overall.standard_error
    assert "EN035" in {caution.code for caution in inside.cautions}


@pytest.mark.parametrize("metric", ["f1", "mcc", "roc_auc"])
def test_what_is_no_mean_is_answered_with_a_note(metric: str) -> None:
    made = compare(classified(n=200), "good", "poor", test="bayle", metric=metric)
    assert made.shown
    assert "EN031" in {caution.code for caution in made.cautions}


def test_the_auc_is_the_mean_over_folds() -> None:
    from sklearn.metrics import roc_auc_score

    pi = classified(n=100)
    y, scores, fold = pi.target.y, pi.responses[:, :, 0], pi.folds[:, 0]
    areas = [[roc_auc_score(y[fold == k], scores[fold == k, c]) for c in (0, 1)] for k in range(5)]
    made = compare(pi, "good", "fair", test="bayle", metric="roc_auc")
    assert [made.value_a, made.value_b] == pytest.approx(np.mean(areas, axis=0))


def test_repeats_do_not_make_the_test_surer_by_themselves() -> None:
    once = classified(n=200)
    thrice = Predictions.from_arrays(
        once.target.y,
        np.repeat(once.responses, 3, axis=2),
        np.repeat(once.folds, 3, axis=1),
        configs=list(once.configs.ids),
    )
    assert compare(thrice, "good", "fair", metric="accuracy").standard_error == pytest.approx(
        compare(once, "good", "fair", metric="accuracy").standard_error, rel=1e-12
    )


def test_other_metrics_and_variances_are_refused() -> None:
    with pytest.raises(MetricError, match="test='bootstrap'"):
        compare(classified(), "good", "fair", test="bayle", metric="average_precision")
    with pytest.raises(InputError, match="all_pairs"):
        BayleTest(variance="all pairs")


def reading_of(pi: Predictions, metric: str) -> BayleReading:
    return BayleTest().read(Question(pi=pi, metric=resolve(metric), seeds=Seeds.of(0)))


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_errors_of_units_have_the_variance_of_the_mean(repeats: int, grouped: bool) -> None:
    about = {"groups": np.arange(60) // 4} if grouped else {}
    reading = reading_of(classified(repeats=repeats, **about), "accuracy")
    cases = reading.cases
    known = variance_of_mean(cases.terms, cases.folds, cases.groups, "all_pairs")
    correction = 15 / 14 if grouped else 1.0  # G / (G - 1), which joint draws leave out
    found = np.square(reading._errors()).sum(axis=0) * correction
    assert found == pytest.approx(known)


@pytest.mark.parametrize("metric", ["f1", "mcc", "roc_auc"])
def test_without_spread_a_difference_is_as_wide_as_the_single_models_allow(metric: str) -> None:
    y = np.array([1] * 5 + [0] * 95)
    fold = np.r_[np.arange(5) // 3, np.arange(95) % 2]
    pi = columns(y, np.column_stack([y * 0.8 + 0.1, y * 0.6 + 0.2]), fold)
    made = compare(pi, "a", "b", metric=metric)
    alone = estimate(pi.select("a"), method="bayle_all_pairs", metric=metric).interval
    assert made.interval is not None
    assert alone is not None
    assert (made.difference, made.p_value) == (0.0, 1.0)
    if metric == "roc_auc":  # of pairs that share no case, where a single AUC has a law
        assert made.interval.high > 1.0 - alone.low
    else:
        assert made.interval.high == pytest.approx(1.0 - alone.low, rel=0.01)
    assert made.interval.low == -made.interval.high
    assert made.interval.high > 0.25  # where the rule of three for 100 cases says 0.036


def test_without_spread_groups_bound_the_pairs_of_an_auc() -> None:
    y = np.tile([0, 1], 30)
    scores = np.column_stack([y * 0.8, y * 0.6 + 0.1])
    grouped = columns(y, scores, groups=np.arange(60) // 10)
    free = compare(columns(y, scores), "a", "b", test="bayle", metric="roc_auc").interval
    held = compare(grouped, "a", "b", test="bayle", metric="roc_auc")
    assert free is not None
    assert held.interval is not None
    assert free.high == pytest.approx(1 - 0.025 ** (1 / 30))
    assert held.interval.high == pytest.approx(1 - 0.025 ** (1 / 3))  # six groups, three pairs


def test_few_cases_that_differ_are_cautioned_of() -> None:
    y = np.tile([0, 1], 100)
    for count, told in ((4, True), (5, False)):
        other = y.copy()
        other[:count] = 1 - y[:count]
        pi = columns(y, np.column_stack([y, other]), np.arange(200) // 2 % 5, response="label")
        made = compare(pi, "a", "b", metric="accuracy")
        assert ("EN036" in {caution.code for caution in made.cautions}) is told


def test_one_case_a_fold_is_refused_when_reading_with_a_cure_that_works() -> None:
    y = np.tile([0, 1], 20)
    pi = columns(y, np.random.default_rng(0).random((40, 2)), np.arange(40))
    question = Question(pi=pi, metric=resolve("accuracy"), seeds=Seeds.of(0))
    with pytest.raises(EvidenceError, match=r"BayleTest\(variance='all_pairs'\)"):
        BayleTest(variance="within_fold").read(question)
    assert BayleTest(variance="all_pairs").read(question).pair(0, 1).p_values is not None


@pytest.mark.parametrize(("positives", "named"), [(1, "bootstrap"), (2, "delong")])
def test_a_small_class_is_sent_to_a_test_that_answers(positives: int, named: str) -> None:
    y = np.array([1] * positives + [0] * (40 - positives))
    pi = columns(y, np.random.default_rng(1).random((40, 2)), np.arange(40) % 4)
    with pytest.raises(EvidenceError, match=f"test='{named}'"):
        compare(pi, "a", "b", test="bayle", metric="roc_auc")
    assert compare(pi, "a", "b", test=named, metric="roc_auc", rng=0).p_value is not None
