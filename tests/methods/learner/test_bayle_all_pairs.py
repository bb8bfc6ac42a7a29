"""The normal interval of a cross-validated score, with the variance over all pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from earnest import Predictions, estimate, estimate_all
from earnest.errors import EvidenceError, InputError, MetricError
from earnest.methods import BayleAllPairs
from earnest.results import Estimate
from tests.methods import oracles
from tests.snapshots import Golden

Z = 1.959963984540054
EXACT = 1e-12


def limits(made: Estimate) -> tuple[float, float]:
    assert made.interval is not None
    return made.interval.low, made.interval.high


def codes(made: Estimate) -> set[str]:
    return {caution.code for caution in made.cautions}


def test_accuracy_has_the_interval_of_the_plain_loop(binary: Predictions) -> None:
    one = binary.select(4)
    right = [
        float((s > 0) == (y == 1))
        for s, y in zip(one.responses[:, 0, 0], one.target.y, strict=True)
    ]
    mean = sum(right) / 60
    error = math.sqrt(sum((r - mean) ** 2 for r in right) / 60 / 60)
    made = estimate(one, method="bayle_all_pairs", metric="accuracy")
    assert made.value == pytest.approx(mean, abs=EXACT)
    assert made.standard_error == pytest.approx(error, abs=EXACT)
    assert limits(made) == pytest.approx((mean - Z * error, mean + Z * error), abs=1e-9)


def test_one_sided_bounds_take_all_of_alpha(regression: Predictions) -> None:
    made = estimate(regression.select(0), method="bayle", metric="mse", side="pessimistic")
    assert made.interval is not None
    assert made.standard_error is not None
    bound = made.value + 1.6448536269514722 * made.standard_error
    assert limits(made) == pytest.approx((0.0, bound), abs=1e-9)
    assert made.interval.side == "upper"


def test_of_several_configurations_it_speaks_of_the_winner_as_if_fixed(
    binary: Predictions, golden: Golden
) -> None:
    made = estimate(binary, method="bayle_all_pairs", metric="accuracy")
    best = oracles.first_best(
        [oracles.accuracy(binary.target.y, binary.responses[:, c, 0]) for c in range(5)]
    )
    alone = estimate(binary.select(best), method="bayle_all_pairs", metric="accuracy")
    assert made.winner == binary.configs.ids[best]
    assert limits(made) == limits(alone)
    golden.check(made.estimand)
    assert "EN022" in codes(made)
    assert "fixed" not in alone.estimand
    assert "EN022" not in codes(alone)
    golden.check(alone.estimand)


def test_the_auc_is_the_mean_over_folds_chosen_so_and_says_so(binary: Predictions) -> None:
    table = oracles.fold_table(
        binary.target.y, binary.responses[:, :, 0], binary.folds[:, 0], oracles.auc
    )
    made = estimate(binary, method="bayle_all_pairs", metric="roc_auc")
    assert made.value == pytest.approx(table.mean(axis=0).max(), abs=EXACT)
    assert made.provenance.knobs["selector"] == "mean_of_folds"
    assert any(c.code == "EN031" and "LeDell" in c.consequence for c in made.cautions)


def test_a_selector_of_the_user_names_the_winner(binary: Predictions) -> None:
    made = estimate(binary, method=BayleAllPairs(selector="one_standard_error"), metric="accuracy")
    assert made.provenance.knobs["selector"] == "one_standard_error"
    assert made.naive is not None


def test_a_function_of_sums_has_the_interval_of_the_delta_method(regression: Predictions) -> None:
    one = regression.select(0)
    errors = (one.target.y - one.responses[:, 0, 0]) ** 2
    made = estimate(one, method="bayle_all_pairs", metric="rmse")
    root = math.sqrt(errors.mean())
    assert made.value == pytest.approx(root, rel=1e-12)
    assert made.standard_error == pytest.approx(errors.std() / (2 * root) / math.sqrt(40), rel=1e-9)
    assert any(c.code == "EN031" and "delta" in c.consequence for c in made.cautions)


def test_leave_one_out_is_the_plain_standard_error(regression: Predictions) -> None:
    one = Predictions.from_arrays(
        regression.target.y, regression.responses[:, 0, 0], np.arange(40), task="regression"
    )
    errors = (one.target.y - one.responses[:, 0, 0]) ** 2
    made = estimate(one, method="bayle_all_pairs", metric="mse")
    assert made.standard_error == pytest.approx(errors.std() / math.sqrt(40), rel=1e-12)


def test_repeats_do_not_shrink_the_interval_by_their_number(repeated: Predictions) -> None:
    one = repeated.select(0)
    hits = ((one.responses[:, 0] > 0) == (one.target.y == 1)[:, None]).mean(axis=1)
    made = estimate(one, method="bayle_all_pairs", metric="accuracy")
    assert made.value == pytest.approx(hits.mean(), abs=EXACT)
    assert made.standard_error == pytest.approx(hits.std() / math.sqrt(60), rel=1e-12)
    assert "EN031" in codes(made)


def test_groups_make_the_variance_that_of_groups(grouped: Predictions) -> None:
    one = grouped.select(0)
    right = ((one.responses[:, 0, 0] > 0) == (one.target.y == 1)).astype(float)
    assert one.target.groups is not None
    sums = [((right - right.mean())[one.target.groups == g]).sum() for g in range(20)]
    made = estimate(one, method="bayle_all_pairs", metric="accuracy")
    expected = math.sqrt(20 / 19 * sum(s * s for s in sums)) / 80
    assert made.standard_error == pytest.approx(expected, rel=1e-12)
    assert {"EN031", "EN020"} <= codes(made)  # groups are beyond the theorem, and twenty are few


def test_many_groups_are_not_called_few() -> None:
    rng = np.random.default_rng(0)
    groups, y = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
    pi = Predictions.from_arrays(y, rng.random(80), groups % 5, groups=groups)
    made = codes(estimate(pi, method="bayle_all_pairs", metric="accuracy"))
    assert "EN031" in made
    assert "EN020" not in made


# ---- edges


def test_one_fold_is_refused_and_holdout_named(binary: Predictions) -> None:
    whole = Predictions.from_arrays(binary.target.y, binary.responses[:, :, 0])
    with pytest.raises(EvidenceError, match="holdout"):
        estimate(whole, method="bayle_all_pairs", metric="accuracy")


def test_two_cases_in_two_folds_are_answered_with_a_caution() -> None:
    pi = Predictions.from_arrays(
        [1.0, 2.0], [1.5, 4.0], [0, 1], task="regression", configs=["größe ✓"]
    )
    made = estimate(pi, method="bayle_all_pairs", metric="mse")
    assert made.value == pytest.approx((0.25 + 4) / 2)
    assert made.standard_error == pytest.approx(1.875 / math.sqrt(2))
    assert limits(made)[0] == 0.0  # clipped to the range
    assert "EN036" in codes(made)
    assert made.winner == "größe ✓"


@pytest.mark.parametrize("wrong", [False, True])
def test_labels_that_are_all_right_or_all_wrong_get_the_rule_of_three(wrong: bool) -> None:
    y = np.tile([0, 1], 50)
    pi = Predictions.from_arrays(y, 1 - y if wrong else y, np.arange(100) // 10, response="label")
    made = estimate(pi, method="bayle_all_pairs", metric="accuracy")
    reach = 1 - 0.025 ** (1 / 100)
    assert limits(made) == pytest.approx((0.0, reach) if wrong else (1 - reach, 1.0), abs=EXACT)
    assert "EN035" in codes(made)
    assert made.standard_error is None
    bound = made.at(side="upper" if wrong else "lower")
    end = limits(bound)[1 if wrong else 0]
    assert abs(end - made.value) == pytest.approx(3 / 100, rel=0.02)  # three in a hundred
    assert Estimate.from_dict(made.to_dict()).at(confidence_level=0.9) == made.at(
        confidence_level=0.9
    )


def test_exact_predictions_leave_the_upper_end_of_a_squared_error_open() -> None:
    y = np.arange(20.0)
    pi = Predictions.from_arrays(y, y, np.arange(20) % 4, task="regression")
    made = estimate(pi, method="bayle_all_pairs", metric="mse")
    assert made.value == 0.0
    assert limits(made) == (0.0, math.inf)  # nothing bounds the losses that were not seen
    assert "EN035" in codes(made)
    assert Estimate.from_dict(made.to_dict()) == made


def test_groups_without_a_spread_count_as_units() -> None:
    y, groups = np.tile([0, 1], 30), np.repeat(np.arange(20), 3)
    pi = Predictions.from_arrays(y, y, groups % 5, groups=groups, response="label")
    made = estimate(pi, method="bayle_all_pairs", metric="error_rate")
    assert limits(made) == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)), abs=EXACT)


def test_a_perfect_auc_has_limits_between_those_of_disjoint_and_of_pooled_pairs() -> None:
    # four folds of five positives and five negatives: twenty pairs that share no case
    y = np.tile([0, 1], 20)
    pi = Predictions.from_arrays(y, 0.2 + 0.6 * y, np.arange(40) // 2 % 4)
    made = estimate(pi, method="bayle_all_pairs", metric="roc_auc")
    low, high = limits(made)
    assert 0.025 ** (1 / 20) < low < 0.94
    assert high == 1.0
    assert "EN035" in codes(made)
    assert Estimate.from_dict(made.to_dict()) == made


def test_constant_scores_have_an_auc_of_one_half_and_wide_limits() -> None:
    pi = Predictions.from_arrays(np.tile([0, 1], 20), np.full(40, 0.5), np.arange(40) // 2 % 4)
    made = estimate(pi, method="bayle_all_pairs", metric="roc_auc")
    assert made.value == 0.5
    assert limits(made)[0] < 0.3
    assert limits(made)[1] == pytest.approx(1 - limits(made)[0], abs=1e-9)
    assert "EN035" in codes(made)


def test_perfect_labels_do_not_leave_f1_a_point() -> None:
    # half of the cases are positive: an unseen share q of misses makes F1 1 - q
    y = np.tile([0, 1], 20)
    pi = Predictions.from_arrays(y, y, np.arange(40) // 10, response="label")
    made = estimate(pi, method="bayle_all_pairs", metric="f1")
    assert limits(made) == pytest.approx((0.025 ** (1 / 40), 1.0), abs=1e-9)
    assert "EN035" in codes(made)
    assert Estimate.from_dict(made.to_dict()) == made


def test_an_exact_regression_leaves_r2_any_value() -> None:
    y = np.arange(40.0)
    pi = Predictions.from_arrays(y, y, np.arange(40) % 4, task="regression")
    made = estimate(pi, method="bayle_all_pairs", metric="r2")
    assert made.value == 1.0
    assert limits(made) == (-math.inf, 1.0)
    assert "EN035" in codes(made)


def test_one_error_in_a_hundred_is_called_few() -> None:
    y = np.tile([0, 1], 50)
    said = np.where(np.arange(100) == 7, 1 - y, y)
    pi = Predictions.from_arrays(y, said, np.arange(100) // 10, response="label")
    made = estimate(pi, method="bayle_all_pairs", metric="error_rate")
    assert limits(made)[0] == 0.0
    assert any(c.code == "EN036" and "1 of 100" in c.what for c in made.cautions)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc", "roc_auc", "brier", "log_loss"])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_intervals_stay_in_range_and_no_number_is_nan(metric: str, side: str) -> None:
    # forty cases with one error each in two of the folds; levels up to nearly 1
    y = np.tile([0, 1], 20)
    score = np.where(np.isin(np.arange(40), [3, 14]), 1 - y, y) * 0.8 + 0.1
    pi = Predictions.from_arrays(y, score, np.arange(40) // 10)
    for level in (0.5, 0.95, 0.999999):
        made = estimate(
            pi, method="bayle_all_pairs", metric=metric, side=side, confidence_level=level
        )
        low, high = limits(made)
        assert made.scale.limits[0] <= low <= made.value <= high <= made.scale.limits[1]


def test_metrics_that_no_case_adds_to_are_refused(binary: Predictions) -> None:
    with pytest.raises(MetricError, match="bbc"):
        estimate(binary, method="bayle_all_pairs", metric="average_precision")


@pytest.mark.parametrize("fold", [np.arange(60), np.arange(60) // 20])
def test_folds_too_small_for_an_auc_are_refused_before_a_winner_is_sought(
    binary: Predictions, fold: np.ndarray, golden: Golden
) -> None:
    y = binary.target.y if fold[-1] == 59 else (np.arange(60) < 20).astype(int)
    pi = Predictions.from_arrays(y, binary.responses[:, :, 0], fold)
    with pytest.raises(EvidenceError) as refusal:
        estimate(pi, method="bayle_all_pairs", metric="roc_auc")
    golden.check(str(refusal.value))
    with pytest.raises(EvidenceError) as refusal:
        estimate(pi, method="bayle_within_fold", metric="roc_auc")
    golden.check(str(refusal.value))


def test_it_draws_nothing_so_resamples_are_refused(binary: Predictions) -> None:
    with pytest.raises(InputError, match="n_resamples"):
        estimate(binary, method="bayle_all_pairs", metric="accuracy", n_resamples=100)


def test_cases_that_no_fold_tested_are_left_out(binary: Predictions) -> None:
    responses = binary.responses.copy()
    responses[binary.folds[:, 0] == 0] = np.nan
    made = estimate(
        replace(binary, responses=responses), method="bayle_all_pairs", metric="accuracy"
    )
    assert made.n_cases == 48
    assert "EN013" in codes(made)


def test_all_methods_answer_side_by_side(binary: Predictions) -> None:
    table = estimate_all(
        binary, methods=["bayle_all_pairs", "bayle_within_fold"], metric="f1", rng=0
    )
    first, second = table
    assert first.value == second.value
    assert first.estimand == second.estimand
