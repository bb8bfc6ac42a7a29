"""The winner's interval at its local level."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, estimate
from earnest.core import AreaLimits, Purpose, Seeds, ShareLimits, Side
from earnest.core.results.interval import NearWinnerLimits, binormal_variance
from earnest.inference.limits.local_level import winner_errors
from earnest.methods import BBC, NearWinner
from earnest.resampling import every_class_on_both_sides, something_out_of_bag
from earnest.testing import example_predictions
from tests.methods import near_winner_oracle as oracle
from tests.methods.oracles import counts_of

SAME = 1e-9  # the bisections of an AUC stop at 1e-12; sums in another order add 1e-13
FEW = 24  # resamples, for loops
LEVELS = [(0.95, "two-sided"), (0.9, "lower"), (0.8, "upper")]


def ends(made: en.results.Estimate) -> tuple[float, float]:
    assert made.interval is not None
    return made.interval.low, made.interval.high


def lower(pi: Predictions, metric: str, level: float = 0.95, **options: object) -> float:
    made = estimate(
        pi, method="near_winner", metric=metric, side="lower", confidence_level=level, **options
    )
    return ends(made)[0]


def searched(
    n: int = 60, configs: int = 4, repeats: int = 1, seed: int = 3, *, folds: int = 1
) -> Predictions:
    """A third positive, configurations of unlike skill that share half of their luck."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(np.int64)
    skill = np.linspace(0.9, 2.2, configs)[:, None]
    shared = rng.standard_normal((n, 1, 1))
    noise = shared + rng.standard_normal((n, configs, repeats))
    scores = skill * (2.0 * y[:, None, None] - 1.0) + noise
    fold = np.add.outer(np.arange(n), np.arange(repeats)) // 2 % folds
    return Predictions.from_arrays(y, scores, fold, response="decision")


def labels(right: np.ndarray, y: np.ndarray | None = None) -> Predictions:
    """Labels (n, C) that are right where it says so."""
    truth = np.arange(len(right)) % 2 if y is None else y
    said = np.where(right.astype(bool), truth[:, None], 1 - truth[:, None])
    return Predictions.from_arrays(truth, said, response="label", positive=1)


def expected(pi: Predictions, metric: str, seed: int) -> list[tuple[float, float]]:
    """The limits of the plain loops at all `LEVELS`, on the draws of the method."""
    accept = something_out_of_bag if metric == "accuracy" else every_class_on_both_sides(pi.target)
    said = pi.responses if metric == "roc_auc" else (pi.responses > 0).astype(np.float64)
    problem = oracle.Problem(pi.target.y, said, metric, pi.n_folds > 1)
    tails = [(1 - level) / (2 if side == "two-sided" else 1) for level, side in LEVELS]
    rng = Seeds.of(seed).generator(Purpose.LOCAL_LEVEL)
    return oracle.limits(problem, counts_of(pi, FEW, seed, accept), rng, tails)


@pytest.mark.parametrize(
    "metric", ["accuracy", "recall", "specificity", "precision", "balanced_accuracy", "roc_auc"]
)
@pytest.mark.parametrize(("repeats", "folds"), [(1, 1), (2, 1), (1, 5), (2, 5)])
def test_the_method_equals_the_plain_loops(metric: str, repeats: int, folds: int) -> None:
    pi = searched(repeats=repeats, folds=folds)
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=5)
    for (level, side), (low, high) in zip(LEVELS, expected(pi, metric, 5), strict=True):
        moved = made.at(confidence_level=level, side=side)
        if side != "upper":
            assert ends(moved)[0] == pytest.approx(min(low, made.value), abs=SAME)
        if side != "lower":
            assert ends(moved)[1] == pytest.approx(max(high, made.value), abs=SAME)


def test_configurations_that_never_err_have_draws_of_their_own_as_in_the_plain_loops() -> None:
    # two perfect ones, one always wrong, one with errors: three columns without a spread
    right = np.ones((30, 4))
    right[:, 1], right[[3, 8, 20], 2] = 0, 0
    pi = labels(right)
    made = estimate(pi, method=NearWinner(n_resamples=FEW), metric="accuracy", rng=2)
    problem = oracle.Problem(pi.target.y, pi.responses, "accuracy")
    rng = Seeds.of(2).generator(Purpose.LOCAL_LEVEL)
    counts = counts_of(pi, FEW, 2, something_out_of_bag)
    assert ends(made) == pytest.approx(oracle.limits(problem, counts, rng, [0.025])[0], abs=SAME)
    assert made.winner == "c0"


def test_one_configuration_has_the_limits_of_a_single_model() -> None:
    for metric in ("accuracy", "precision", "balanced_accuracy", "roc_auc"):
        pi = searched(configs=1)
        made = estimate(pi, method=NearWinner(n_resamples=FEW), metric=metric, rng=7)
        assert ends(made) == pytest.approx(expected(pi, metric, 7)[0], abs=SAME)
        assert made.source.local_tail(0.013) == 0.013


def test_all_of_ten_right_and_nine_of_ten_by_hand() -> None:
    # L ** 10 = .05; P(X >= 9 | L) = 10 L ** 9 - 9 L ** 10 = .05
    right = np.ones((10, 1))
    assert lower(labels(right), "accuracy", rng=0) == pytest.approx(0.05**0.1, abs=1e-12)
    right[4] = 0
    low = lower(labels(right), "accuracy", rng=0)
    assert 10 * low**9 - 9 * low**10 == pytest.approx(0.05, abs=1e-12)
    assert low == pytest.approx(0.6058, abs=1e-4)


def test_uncorrelated_equals_share_the_tail_and_copies_or_stragglers_do_not() -> None:
    # x and y are right in 75 of 100 cases, in 56 of them both: their covariance is .56 - .75² = 0.
    # Then 1 - (1 - a)² = .05 gives a = .0253. The error of a quantile of 2000 draws: the tail
    # beyond it has the standard deviation sqrt(.05 * .95 / 2000) / 2 = .0024, and the correlation
    # seen in 4000 resamples 1/sqrt(4000) = .016, which moves a by .0003.
    x = np.repeat([1, 1, 0, 0], [56, 19, 19, 6])
    y = np.repeat([1, 0, 1, 0], [56, 19, 19, 6])
    far = x.copy()
    far[:60] = 0

    def tail(*columns: np.ndarray) -> float:
        pi = labels(np.column_stack(columns))
        made = estimate(pi, method=NearWinner(n_resamples=4000), metric="accuracy", rng=1)
        return made.source.local_tail(0.05)

    assert tail(x, y) == pytest.approx(0.0253, abs=4 * 0.0025)
    assert tail(x, y) < 0.035
    assert 0.04 < tail(x, x) <= 0.05
    assert 0.04 < tail(x, far) <= 0.05


def test_the_variance_at_one_half_is_that_of_mann_and_whitney() -> None:
    made = float(binormal_variance(np.array(0.5), 7, 11))
    assert made == pytest.approx(19 / (12 * 77), abs=1e-15)


@pytest.mark.parametrize("area", [0.03, 0.5, 0.8, 0.97, 0.9995])
def test_twelve_nodes_are_enough_for_the_covariance(area: float) -> None:
    made = float(binormal_variance(np.array(area), 13, 40))
    assert made == pytest.approx(oracle.area_variance(area, 13, 40), rel=1e-11)


def test_the_limits_of_an_area_mirror() -> None:
    for area in (0.5, 0.62, 0.9, 1.0):
        low, high = AreaLimits(area, 20, 31, 1.2, 90.0).limits(0.9, Side.TWO_SIDED)
        back = AreaLimits(1 - area, 20, 31, 1.2, 90.0).limits(0.9, Side.TWO_SIDED)
        assert back == pytest.approx((1 - high, 1 - low), abs=1e-11)


# ---- the value


@pytest.mark.parametrize("metric", ["accuracy", "precision", "roc_auc"])
def test_value_and_draws_are_those_of_bbc(metric: str) -> None:
    pi = searched()
    made = estimate(pi, method="near_winner", metric=metric, rng=4)
    bbc = estimate(pi, method="bbc", metric=metric, rng=4)
    np.testing.assert_array_equal(made.draws, bbc.draws)
    assert (made.value, made.naive, made.winner) == (bbc.value, bbc.naive, bbc.winner)
    np.testing.assert_array_equal(made.details.winners, bbc.details.winners)
    assert made.estimand == bbc.estimand


def test_the_interval_holds_the_value_at_every_level() -> None:
    # forty equal configurations: at low levels the limits close in on a higher value than BBC's
    rng = np.random.default_rng(0)
    pi = labels(rng.random((80, 40)) < 0.8)
    made = estimate(pi, method="near_winner", metric="accuracy", rng=0)
    assert made.naive is not None
    assert made.value < made.naive - 0.03
    for level in (0.02, 0.3, 0.6, 0.95):
        for side in ("lower", "upper", "two-sided"):
            assert made.value in made.at(confidence_level=level, side=side).interval
    bare = made.source.inner.limits(1 - made.source.local_tail(0.9), Side.LOWER)[0]
    assert bare > made.value  # so that the rule was needed
    assert ends(made.at(confidence_level=0.1, side="lower"))[0] == made.value


# ---- laws


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_levels_nest_and_stay_between_the_single_model_and_bonferroni(metric: str) -> None:
    made = estimate(searched(configs=8), method="near_winner", metric=metric, rng=0)
    levels = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999]
    lows, highs = zip(*(ends(made.at(confidence_level=c)) for c in levels), strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    for tail in (0.2, 0.05, 0.005, 1e-5):
        assert tail / 8 <= made.source.local_tail(tail) <= tail
    assert made.source.local_tail(1e-5) == 1e-5 / 8  # no draw lies that far out: Bonferroni's


def test_losses_mirror_scores_exactly() -> None:
    pi = searched()
    score, loss = (
        estimate(pi, method="near_winner", metric=m, rng=3) for m in ("accuracy", "error_rate")
    )
    for level, side, other in (
        (0.95, "two-sided", "two-sided"),
        (0.9, "lower", "upper"),
        (0.9, "upper", "lower"),
    ):
        low, high = ends(score.at(confidence_level=level, side=side))
        back = ends(loss.at(confidence_level=level, side=other))
        assert back == pytest.approx((1 - high, 1 - low), abs=1e-12)


def with_errors(errors: int, metric: str) -> Predictions:
    """Forty cases and configurations; each gets so many cases wrong that are its own."""
    y = np.arange(40) % 2
    scores = np.tile(2.0 * y[:, None] - 1.0, (1, 40)) + 0.01 * np.arange(40)[:, None] / 40
    for c in range(40):
        wrong = np.random.default_rng([c, 9]).permutation(20)[:errors]  # more errors add to fewer
        scores[2 * wrong + 1, c] = -0.5 if metric == "accuracy" else -2.0
    return Predictions.from_arrays(y, scores, response="decision")


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_the_lower_end_falls_as_errors_are_added(metric: str) -> None:
    made = [
        estimate(with_errors(e, metric), method="near_winner", metric=metric, rng=0)
        for e in (0, 1, 2, 3, 5, 8)
    ]
    lows = [ends(one)[0] for one in made]
    assert lows == sorted(lows, reverse=True)
    assert lows[0] < 1
    assert all(first - second > 0.005 for first, second in pairwise(lows))


def test_the_order_of_configurations_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    right = rng.random((50, 9)) < 0.8
    right[:, [2, 6]] = True  # never wrong, tied at the top
    right[:, 4] = False
    made = estimate(labels(right), method="near_winner", metric="accuracy", rng=0)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(9)
        again = estimate(labels(right[:, order]), method="near_winner", metric="accuracy", rng=0)
        assert ends(again) == pytest.approx(ends(made), abs=SAME)
        np.testing.assert_array_equal(again.details.near, made.details.near[order])


def test_neither_threads_nor_batches_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    from earnest.resampling import bootstrap

    pi = searched(configs=6)
    made = estimate(pi, method="near_winner", metric="roc_auc", rng=0)
    threads = estimate(pi, method="near_winner", metric="roc_auc", rng=0, n_jobs=2)
    monkeypatch.setattr(bootstrap, "BATCH_BYTES", 64 * 60)  # one block of 64 resamples a batch
    batches = estimate(pi, method="near_winner", metric="roc_auc", rng=0)
    for other in (threads, batches):
        assert ends(other) == pytest.approx(ends(made), abs=SAME)
        np.testing.assert_array_equal(other.draws, made.draws)


def test_more_resamples_than_are_needed_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from earnest.methods.winner import near_winner

    monkeypatch.setattr(near_winner, "MOST_ROWS", 100)
    pi = searched()
    some = estimate(pi, method=NearWinner(n_resamples=100), metric="accuracy", rng=0)
    more = estimate(pi, method=NearWinner(n_resamples=300), metric="accuracy", rng=0)
    np.testing.assert_array_equal(some.source.errors, more.source.errors)
    assert more.n_resamples == 300


# ---- where the winner is chosen by another rule


def test_another_rule_of_selection_takes_the_largest_of_all_errors() -> None:
    pi = replace(searched(configs=5), folds=(np.arange(60) % 5)[:, None].astype(np.int32))
    pi = replace(pi, fold_names=(tuple("01234"),))
    made = estimate(pi, method=NearWinner(selector="mean_of_folds"), metric="accuracy", rng=0)
    plain = estimate(pi, method=NearWinner(), metric="accuracy", rng=0)
    bbc = estimate(pi, method=BBC(selector="mean_of_folds"), metric="accuracy", rng=0)
    np.testing.assert_array_equal(made.draws, bbc.draws)
    assert (made.winner, made.naive) == (bbc.winner, bbc.naive)
    assert made.source.local_tail(0.05) < plain.source.local_tail(0.05)
    assert made.details.near.all()
    table = np.random.default_rng(0).standard_normal((80, 3))
    found = winner_errors(table, np.zeros(3), 1, np.random.default_rng(1), best_wins=False)
    normals = np.random.default_rng(1).standard_normal((2000, 80))
    standard = (table - table.mean(axis=0)) / table.std(axis=0, ddof=1) / math.sqrt(79)
    largest = np.sort((normals @ standard).max(axis=1))
    np.testing.assert_allclose(found.errors, largest, atol=1e-12)


# ---- edges


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "roc_auc", "recall"])
def test_a_perfect_score_is_no_certainty(metric: str) -> None:
    y = np.arange(40) % 2
    pi = Predictions.from_arrays(y, np.tile(y[:, None] - 0.5, (1, 6)), response="decision")
    made = estimate(pi, method="near_winner", metric=metric, rng=0)
    low, high = ends(made)
    assert (made.value, high, made.winner) == (1.0, 1.0, "c0")
    assert 0.75 < low < 0.98
    assert "EN005" in {c.code for c in made.cautions}


def test_all_wrong_has_zero_below_and_the_rule_of_three_above() -> None:
    made = estimate(labels(np.zeros((30, 3))), method="near_winner", metric="accuracy", rng=0)
    assert ends(made) == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)), abs=1e-12)


def test_nothing_predicted_positive_tells_nothing_of_precision() -> None:
    y = np.arange(20) % 2
    pi = Predictions.from_arrays(y, np.zeros((20, 3), dtype=int), response="label", positive=1)
    made = estimate(pi, method="near_winner", metric="precision", rng=0)
    assert ends(made) == (0.0, 1.0)


def test_two_cases_are_answered_for_accuracy_and_refused_for_the_auc() -> None:
    pi = Predictions.from_arrays([0, 1], [[0.1, 0.9], [0.7, 0.2]])
    low, high = ends(estimate(pi, method="near_winner", metric="accuracy", rng=0))
    assert 0.0 < low < 0.16 <= high == 1.0  # at most sqrt(.025), that of one model
    with pytest.raises(en.errors.EvidenceError, match="class 0 has one case"):
        estimate(pi, method="near_winner", metric="roc_auc", rng=0)


def test_one_positive_is_refused_for_the_auc_and_answered_for_accuracy() -> None:
    y = np.array([1] + [0] * 11)
    pi = Predictions.from_arrays(y, np.random.default_rng(0).random((12, 3)))
    with pytest.raises(en.errors.EvidenceError, match="class 1 has one case"):
        estimate(pi, method="near_winner", metric="roc_auc", rng=0)
    low, high = ends(estimate(pi, method="near_winner", metric="accuracy", rng=0))
    assert 0 < low < high <= 1


def test_a_configuration_without_complete_predictions_is_a_rival_of_unknown_score(
    binary: Predictions,
) -> None:
    responses = binary.responses.copy()
    responses[binary.folds[:, 0] == 3, 4] = np.nan
    made = estimate(
        replace(binary, responses=responses), method="near_winner", metric="roc_auc", rng=0
    )
    rest = estimate(
        binary.select(["c0", "c1", "c2", "c3"]), method="near_winner", metric="roc_auc", rng=0
    )
    assert (made.value, made.winner, ends(made)[1]) == (rest.value, rest.winner, ends(rest)[1])
    assert rest.source.local_tail(0.05) / 2 < made.source.local_tail(0.05)
    assert made.source.local_tail(0.05) < rest.source.local_tail(0.05)
    assert (made.n_configs, made.source.configs) == (4, 5)
    assert "EN012" in {c.code for c in made.cautions}


def test_repeats_that_lack_cases_count_the_cases_they_have(repeated: Predictions) -> None:
    folds, responses = repeated.folds.copy(), repeated.responses.copy()
    folds[:6, 1], responses[:6, :, 1] = -1, np.nan
    pi = replace(repeated, folds=folds, responses=responses)
    made = estimate(pi, method="near_winner", metric="roc_auc", rng=0)
    assert (made.source.inner.positives, made.source.inner.negatives) == (27, 27)
    share = estimate(pi, method="near_winner", metric="accuracy", rng=0)
    assert share.source.inner.trials <= 60 + 54 + 60


def test_accuracy_of_several_classes_is_a_share() -> None:
    pi = example_predictions("multiclass", n_cases=90, n_configs=5)
    made = estimate(pi, method="near_winner", metric="accuracy", rng=0)
    assert made.source.inner == ShareLimits(made.naive, 90, exact=True, crossed=90)


# ---- refusals


@pytest.mark.parametrize(
    ("task", "metric"),
    [
        ("binary", "f_beta"),
        ("binary", "average_precision"),
        ("multiclass", "f1_macro"),
        ("multiclass", "quadratic_kappa"),
        ("regression", "pearson"),
        ("regression", "spearman"),
        ("regression", "median_absolute_error"),
    ],
)
def test_metrics_for_which_nothing_was_shown_are_refused(task: str, metric: str) -> None:
    with pytest.raises(en.errors.MetricError) as refused:
        estimate(example_predictions(task), method="near_winner", metric=metric, rng=0)
    assert "method='bbc'" in refused.value.cure
    assert metric in refused.value.got


def test_knobs_are_checked() -> None:
    for knobs in ({"n_resamples": 1}, {"undefined": "ignore"}):
        with pytest.raises(en.errors.InputError):
            NearWinner(**knobs)
    with pytest.raises(en.errors.EvidenceError, match="leaves out"):
        estimate(searched(), method=NearWinner(resampler="bayesian"), metric="accuracy", rng=0)


# ---- on its way through files


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_the_result_survives_json_and_answers_at_other_levels(metric: str) -> None:
    made = estimate(searched(), method=NearWinner(n_resamples=50), metric=metric, rng=0)
    back = en.results.Estimate.from_dict(json.loads(json.dumps(made.to_dict(draws=True))))
    assert back == made
    assert back.at(confidence_level=0.8, side="lower") == made.at(
        confidence_level=0.8, side="lower"
    )
    bare = en.results.Estimate.from_dict(json.loads(json.dumps(made.to_dict())))
    assert bare == made
    with pytest.raises(en.errors.EvidenceError, match="not kept"):
        bare.at(confidence_level=0.8)


def test_an_area_worth_any_number_of_trials_survives_json() -> None:
    area = AreaLimits(1.0, 20, 30)
    source = NearWinnerLimits(area, 0.99, Side.LOWER, 1)
    data = json.loads(json.dumps(source.to_dict(draws=True), allow_nan=False))
    back = NearWinnerLimits.from_dict(data)
    assert back.inner == area
    assert back.limits(0.9, Side.LOWER) == source.limits(0.9, Side.LOWER)
