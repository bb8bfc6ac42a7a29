"""Early dropping by the bootstrap test of the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from earnest import Configs, Predictions
from earnest.core import Seeds
from earnest.errors import InputError, UnknownNameError
from earnest.metrics import make_metric
from earnest.rules import BCED, BCEDAdjusted
from earnest.training import DropTrace, read_dropping, warn_of_dropping
from tests.training import drop_oracles

RULES = [BCED(), BCEDAdjusted()]


def problem(n: int = 80, noise: tuple[float, ...] = (1.0, 1.2, 1.5, 2.5, 6.0), seed: int = 0):
    """Scores that tell less and less of the outcome, in eight folds with both classes in each."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    scores = (2 * y - 1)[:, None] + np.array(noise) * rng.standard_normal((n, len(noise)))
    return Predictions.from_arrays(y, scores, np.arange(n) // 2 % 8, response="decision")


def auc(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
    """The share of pairs in the right order, ties half."""
    high, low = score[y == 1][:, None], score[y == 0][None]
    pairs = (high > low) + 0.5 * (high == low)
    return float(pairs.mean()) if pairs.size else np.nan


def accuracy(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
    return float(np.mean((score > 0) == (y == 1)))


def minus_mse(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
    return -float(np.mean((y - score) ** 2))


def without(pi: Predictions, cells: tuple[NDArray[np.bool_], slice | list[int]]) -> Predictions:
    responses = pi.responses.copy()
    rows, columns = cells
    responses[np.ix_(np.flatnonzero(rows), np.arange(pi.n_configs)[columns])] = np.nan
    return replace(pi, responses=responses)


# ---- the test of the paper, against a plain loop


@pytest.mark.parametrize(("metric", "gain"), [("roc_auc", auc), ("accuracy", accuracy)])
def test_p_values_equal_the_plain_loop(metric: str, gain: drop_oracles.Gain) -> None:
    pi = problem()
    made = BCED(n_resamples=150).test(pi, metric, Seeds(7), round=3)
    rows = drop_oracles.drawn_rows(pi, 150, 7, 3)
    best, shares = drop_oracles.bced(pi.target.y, pi.responses[:, :, 0], rows, gain)
    assert made.best == best
    assert np.isnan(made.p_values[best])
    others = np.arange(pi.n_configs) != best
    np.testing.assert_allclose(made.p_values[others], np.array(shares)[others], atol=1e-12)
    np.testing.assert_array_equal(made.dropped[others], np.array(shares)[others] > 0.99)
    assert made.dropped.any()


def test_p_values_of_a_loss_equal_the_plain_loop() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=60)
    scores = y[:, None] + np.array([0.5, 0.55, 2.0]) * rng.standard_normal((60, 3))
    pi = Predictions.from_arrays(y, scores)
    made = BCED(n_resamples=120).test(pi, "mse", Seeds(1), round=1)
    rows = drop_oracles.drawn_rows(pi, 120, 1, 1)
    best, shares = drop_oracles.bced(y, scores, rows, minus_mse)
    assert made.best == best
    others = np.arange(3) != best
    np.testing.assert_allclose(made.p_values[others], np.array(shares)[others], atol=1e-12)


def test_a_share_at_the_threshold_is_not_above_it() -> None:
    # Seed 7: three of the four shares lie strictly between 0 and 1.
    pi = problem(noise=(1.0, 1.2, 1.5, 2.0, 2.5))
    shares = BCED(threshold=0.5, n_resamples=150).test(pi, "roc_auc", Seeds(7), round=1).p_values
    inner = [c for c, share in enumerate(shares) if 0 < share < 1]
    assert inner
    for c in inner:
        for threshold, dropped in ((shares[c], False), (shares[c] - 1e-6, True)):
            rule = BCED(threshold=float(threshold), n_resamples=150)
            assert rule.test(pi, "roc_auc", Seeds(7), round=1).dropped[c] == dropped


def test_undefined_resamples_leave_numerator_and_denominator_together() -> None:
    # Four positives among 52 cases: some resamples have none. Seed 5.
    rng = np.random.default_rng(5)
    y = np.r_[np.ones(4, dtype=int), np.zeros(48, dtype=int)]
    scores = y[:, None] + np.array([0.8, 1.0, 3.0]) * rng.standard_normal((52, 3))
    pi = Predictions.from_arrays(y, scores, response="decision")
    rows = drop_oracles.drawn_rows(pi, 200, 5, 1)
    undefined = sum(len(np.unique(y[r])) < 2 for r in rows)
    assert undefined > 0
    made = BCED(n_resamples=200).test(pi, "roc_auc", Seeds(5), round=1)
    best, shares = drop_oracles.bced(y, scores, rows, auc)
    others = np.arange(3) != best
    np.testing.assert_allclose(made.p_values[others], np.array(shares)[others], atol=1e-12)


def test_where_most_resamples_are_undefined_nothing_is_dropped() -> None:
    y = np.r_[1, np.zeros(59, dtype=int)]
    clear = Predictions.from_arrays(y, np.column_stack([y, 1 - y]), response="decision")

    def half(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
        return float(score[y == 1].mean()) if np.sum(y == 1) > 1 else np.nan

    for rule in RULES:
        lean = replace(rule, threshold=0.9, n_resamples=60)
        made = lean.test(clear, make_metric(half), Seeds(0), round=1)
        assert made.best == -1 or np.isnan(made.p_values).all()
        assert not made.dropped.any()


def test_a_metric_that_few_resamples_define_drops_nothing() -> None:
    y = np.r_[1, np.zeros(59, dtype=int)]
    clear = Predictions.from_arrays(y, np.column_stack([y, 1 - y]), response="decision")

    def single(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
        return float(score[y == 1].mean()) if np.sum(y == 1) == 1 else np.nan

    # One positive of 60 is drawn exactly once in 37 % of resamples: a share below a half.
    for rule in RULES:
        lean = replace(rule, threshold=0.9, n_resamples=200)
        made = lean.test(clear, make_metric(single), Seeds(0), round=1)
        assert made.best == 0
        assert np.isnan(made.p_values).all()
        assert not made.dropped.any()


def test_groups_go_together() -> None:
    pi = problem()
    grouped = replace(pi, target=replace(pi.target, groups=np.arange(80) // 4))
    made = BCED(n_resamples=100).test(grouped, "roc_auc", Seeds(2), round=1)
    rows = drop_oracles.drawn_rows(grouped, 100, 2, 1)
    assert all(np.bincount(r // 4, minlength=20).sum() == 80 for r in rows)
    best, shares = drop_oracles.bced(pi.target.y, pi.responses[:, :, 0], rows, auc)
    others = np.arange(5) != best
    np.testing.assert_allclose(made.p_values[others], np.array(shares)[others], atol=1e-12)


def test_repeats_of_a_case_go_together_and_count_by_their_cases() -> None:
    pi, again = problem(), problem(seed=1)
    fold = np.stack([pi.folds[:, 0], np.roll(pi.folds[:, 0], 1)], axis=1)
    scores = np.concatenate([pi.responses, again.responses], axis=2)
    part = fold[:, 1] < 2  # the second repeat has done two of its eight folds
    scores[~part, :, 1] = np.nan
    both = Predictions.from_arrays(pi.target.y, scores, fold, response="decision")
    made = BCED(n_resamples=100).test(both, "roc_auc", Seeds(4), round=10)
    share = part.sum() / (80 + part.sum())

    def gain(index: NDArray[np.generic], column: NDArray[np.float64]) -> float:
        config, rows = int(column[0]), index.astype(int)
        late = rows[part[rows]]
        y = pi.target.y
        first = auc(y[rows], scores[rows, config, 0])
        return (1 - share) * first + share * auc(y[late], scores[late, config, 1])

    rows = drop_oracles.drawn_rows(both, 100, 4, 10)
    names = np.tile(np.arange(5.0), (80, 1))
    best, shares = drop_oracles.bced(np.arange(80), names, rows, gain)
    assert made.best == best
    others = np.arange(5) != best
    np.testing.assert_allclose(made.p_values[others], np.array(shares)[others], atol=1e-12)


# ---- laws of both rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
class TestEveryRule:
    def test_the_current_best_is_never_dropped(self, rule: BCED) -> None:
        for seed in range(5):
            pi = problem(seed=seed)
            made = rule.test(pi, "roc_auc", Seeds(seed), round=1)
            scores = [auc(pi.target.y, pi.responses[:, c, 0]) for c in range(5)]
            assert made.best == int(np.argmax(scores))
            assert not made.dropped[made.best]
            assert np.isnan(made.p_values[made.best])

    def test_equal_configurations_are_all_kept(self, rule: BCED) -> None:
        pi = problem(noise=(1.0,))
        same = Predictions.from_arrays(
            pi.target.y, np.repeat(pi.responses[:, :, 0], 4, axis=1), response="decision"
        )
        for metric in ("roc_auc", "accuracy"):
            made = rule.test(same, metric, Seeds(0), round=1)
            assert made.best == 0
            assert not made.dropped.any()
            assert np.nan_to_num(made.p_values).max() < 0.5

    def test_a_hopeless_one_is_dropped(self, rule: BCED) -> None:
        y = np.tile([0, 1], 40)
        scores = np.column_stack([y, 1 - y])
        pi = Predictions.from_arrays(y, scores, response="decision")
        made = rule.test(pi, "accuracy", Seeds(0), round=1)
        np.testing.assert_array_equal(made.dropped, [False, True])

    def test_the_result_depends_on_seed_and_round_alone(self, rule: BCED) -> None:
        pi = problem()
        first = rule.test(pi, "roc_auc", Seeds(3), round=2)
        for n_jobs in (None, 1, 2):
            again = rule.test(pi, "roc_auc", Seeds(3), round=2, n_jobs=n_jobs)
            np.testing.assert_array_equal(again.p_values, first.p_values)
        other = rule.test(pi, "roc_auc", Seeds(3), round=1)
        assert not np.array_equal(other.p_values, first.p_values, equal_nan=True)

    def test_the_order_of_configurations_does_not_matter(self, rule: BCED) -> None:
        pi = problem()
        turned = pi.select([4, 3, 2, 1, 0])
        one = rule.test(pi, "roc_auc", Seeds(3), round=2)
        two = rule.test(turned, "roc_auc", Seeds(3), round=2)
        assert one.best == 4 - two.best
        np.testing.assert_allclose(one.p_values, two.p_values[::-1], atol=1e-9)

    def test_losses_mirror_gains(self, rule: BCED) -> None:
        pi = problem()
        loss = make_metric(lambda y, s: -auc(y, s), greater_is_better=False, name="lost")
        gain = make_metric(auc, name="won")
        lean = replace(rule, threshold=0.9, n_resamples=60)
        one = lean.test(pi, gain, Seeds(3), round=1)
        two = lean.test(pi, loss, Seeds(3), round=1)
        np.testing.assert_array_equal(one.p_values, two.p_values)

    def test_the_unit_of_the_outcome_does_not_matter(self, rule: BCED) -> None:
        rng = np.random.default_rng(8)
        y = rng.normal(size=60)
        scores = y[:, None] + np.array([0.5, 0.55, 2.0]) * rng.standard_normal((60, 3))
        one = rule.test(Predictions.from_arrays(y, scores), "mse", Seeds(1), round=1)
        np.testing.assert_array_equal(one.dropped, [False, False, True])  # not all are sure
        for unit in (1e-25, 1e12):
            other = Predictions.from_arrays(unit * y, unit * scores)
            two = rule.test(other, "mse", Seeds(1), round=1)
            np.testing.assert_allclose(one.p_values, two.p_values, atol=1e-9)

    def test_a_score_that_is_not_finite_drops_nobody_else(self, rule: BCED) -> None:
        def careful(y: NDArray[np.generic], score: NDArray[np.float64]) -> float:
            return -np.inf if score[0] > 50 else auc(y, score)

        pi = problem()
        scores = pi.responses[:, :, 0].copy()
        scores[:, 2] = scores[:, 1]
        scores[7, 2] = 100.0  # infinitely bad in the resamples that begin with this case
        odd = Predictions.from_arrays(pi.target.y, scores, response="decision")
        lean = replace(rule, threshold=0.9, n_resamples=60)
        made = lean.test(odd, make_metric(careful), Seeds(0), round=1)
        wanted = lean.test(pi.select([0, 1, 3, 4]), make_metric(auc), Seeds(0), round=1)
        assert (wanted.dropped | ~made.dropped[[0, 1, 3, 4]]).all()
        assert made.dropped[4]

    def test_those_not_alive_are_out_of_it(self, rule: BCED) -> None:
        pi = problem()
        alive = np.array([False, True, True, False, True])
        made = rule.test(pi, "roc_auc", Seeds(0), round=1, alive=alive)
        assert np.isnan(made.p_values[[0, 3]]).all()
        assert not made.dropped[[0, 3]].any()
        assert alive[made.best]
        alone = rule.test(pi.select([1, 2, 4]), "roc_auc", Seeds(0), round=1)
        np.testing.assert_array_equal(made.p_values[alive], alone.p_values)

    def test_only_cases_tested_so_far_count(self, rule: BCED) -> None:
        pi = problem()
        early = pi.folds[:, 0] < 6
        so_far = without(pi, (~early, slice(None)))
        made = rule.test(so_far, "roc_auc", Seeds(0), round=6)
        assert made.n_cases == early.sum()
        short = pi.take(np.flatnonzero(early))
        wanted = BCED().test(short, "roc_auc", Seeds(0), round=6)
        if isinstance(rule, BCED):
            np.testing.assert_array_equal(made.p_values, wanted.p_values)

    def test_dropped_ones_with_their_gaps_do_not_disturb(self, rule: BCED) -> None:
        pi = problem()
        gone = without(pi, (pi.folds[:, 0] >= 3, [4]))
        alive = np.array([True, True, True, True, False])
        made = rule.test(gone, "roc_auc", Seeds(0), round=8, alive=alive)
        assert made.n_cases == 80
        wanted = rule.test(pi.select([0, 1, 2, 3]), "roc_auc", Seeds(0), round=8)
        np.testing.assert_array_equal(made.p_values[:4], wanted.p_values)

    def test_one_that_failed_in_a_fold_is_not_tested(self, rule: BCED) -> None:
        pi = problem()
        failed = without(pi, (pi.folds[:, 0] == 2, [1]))
        made = rule.test(failed, "roc_auc", Seeds(0), round=8)
        assert np.isnan(made.p_values[1])
        assert not made.dropped[1]

    def test_too_few_predictions_are_no_test(self, rule: BCED) -> None:
        pi = problem()
        so_far = without(pi, (pi.folds[:, 0] >= 4, slice(None)))
        made = rule.test(so_far, "roc_auc", Seeds(0), round=4)
        assert (made.best, made.n_cases, made.n_resamples) == (-1, 40, 0)
        assert not made.dropped.any()
        eager = replace(rule, min_predictions=40)
        assert eager.test(so_far, "roc_auc", Seeds(0), round=4).best >= 0

    def test_one_alive_or_none_is_no_test(self, rule: BCED) -> None:
        pi = problem()
        for mask in (np.arange(5) == 2, np.zeros(5, dtype=bool)):
            assert rule.test(pi, "roc_auc", Seeds(0), round=1, alive=mask).best == -1

    def test_nothing_predicted_is_no_test(self, rule: BCED) -> None:
        pi = without(problem(), (np.ones(80, dtype=bool), slice(None)))
        assert rule.test(pi, "roc_auc", Seeds(0), round=1).best == -1

    def test_one_class_so_far_is_no_test(self, rule: BCED) -> None:
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 60)
        scores = rng.standard_normal((120, 3))
        scores[60:] = np.nan
        pi = Predictions.from_arrays(y, scores, np.arange(120) // 60, response="decision")
        assert rule.test(pi, "roc_auc", Seeds(0), round=1).best == -1

    def test_a_configuration_whose_metric_is_undefined_is_kept(self, rule: BCED) -> None:
        rng = np.random.default_rng(0)
        y = rng.normal(size=60)
        scores = np.column_stack([y, y + rng.normal(size=60), np.zeros(60), -y])
        pi = Predictions.from_arrays(y, scores)
        made = rule.test(pi, "pearson", Seeds(0), round=1)
        assert np.isnan(made.p_values[2])
        np.testing.assert_array_equal(made.dropped, [False, True, False, True])

    def test_leave_one_out_is_asked_fifty_times(self, rule: BCED) -> None:
        n = 100
        rng = np.random.default_rng(0)
        y = np.tile([0, 1], n // 2)
        scores = y[:, None] + rng.standard_normal((n, 2))
        pi = Predictions.from_arrays(y, scores, np.arange(n), response="decision")
        lean = replace(rule, threshold=0.5, min_predictions=2, n_resamples=20)
        asked = 0
        for done in range(10, n):
            so_far = without(pi, (np.arange(n) >= done, slice(None)))
            asked += lean.test(so_far, "accuracy", Seeds(0), round=done).best >= 0
        assert asked == 45  # of 90 rounds, those in which another fiftieth begins

    def test_many_classes_and_unicode_names(self, rule: BCED) -> None:
        rng = np.random.default_rng(1)
        y = rng.integers(0, 3, 90)
        good = np.eye(3)[y] * 0.8 + 0.2 / 3
        blind = np.full((90, 3), 1 / 3)
        scores = np.stack([good, blind], axis=1)[:, :, None]
        names = Configs(ids=("θ₀ – gut", "θ₁"))
        pi = Predictions.from_arrays(y, scores, configs=names, task="multiclass")
        made = rule.test(pi, "log_loss", Seeds(0), round=1)
        np.testing.assert_array_equal(made.dropped, [False, True])
        assert DropTrace().after(made, pi.configs.ids).rows[0].best == "θ₀ – gut"

    def test_bad_arguments_are_refused(self, rule: BCED) -> None:
        pi = problem()
        with pytest.raises(InputError, match="5 booleans"):
            rule.test(pi, "roc_auc", Seeds(0), round=1, alive=np.ones(4, dtype=bool))
        with pytest.raises(InputError, match="`alive`"):
            rule.test(pi, "roc_auc", Seeds(0), round=1, alive=np.arange(5))
        with pytest.raises(InputError, match="`round`"):
            rule.test(pi, "roc_auc", Seeds(0), round=0)

    def test_bad_knobs_are_refused(self, rule: BCED) -> None:
        kind = type(rule)
        for knobs in ({"threshold": 1.0}, {"threshold": 99}, {"min_predictions": 1}):
            with pytest.raises(InputError, match=next(iter(knobs))):
                kind(**knobs)
        for number in (0, 1_000_001):
            with pytest.raises(InputError, match="n_resamples"):
                kind(n_resamples=number)
        assert [kind(n_resamples=number).n_resamples for number in (1, 1_000_000)] == [1, 1_000_000]


# ---- names


def test_names_and_instances_are_resolved() -> None:
    assert read_dropping(None) is None
    assert read_dropping("bced") == BCED()
    assert read_dropping("bced_adjusted") == BCEDAdjusted()
    mine = BCED(threshold=0.95)
    assert read_dropping(mine) is mine


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'bced'"):
        read_dropping("bcde")
    with pytest.raises(InputError, match=r"Write BCED\(\)"):
        read_dropping(BCED)
    with pytest.raises(InputError, match="`drop`"):
        read_dropping(0.99)


# ---- what is told of it


def test_the_trace_tells_who_was_dropped_when_and_beside_whom() -> None:
    pi = problem()
    made = BCED().test(pi, "roc_auc", Seeds(0), round=4)
    trace = DropTrace().after(made, pi.configs.ids)
    assert [row.config for row in trace] == [f"c{i}" for i in np.flatnonzero(made.dropped)]
    assert {row.round for row in trace} == {4}
    assert {row.best for row in trace} == {f"c{made.best}"}
    assert all(row.p > 0.99 for row in trace)
    table = trace.to_frame()
    assert table.column_names == ["config", "round", "p", "best", "n_cases"]
    assert table.num_rows == len(trace) > 0
    assert DropTrace().to_frame().num_rows == 0


def test_remarks_tell_of_dropping_of_one_survivor_and_of_an_early_start() -> None:
    made = BCED().test(problem(), "roc_auc", Seeds(0), round=1)
    trace = DropTrace().after(made, problem().configs.ids)
    count = len(trace)

    def codes(rule: BCED, configs: int) -> list[str]:
        return [caution.kind for caution in warn_of_dropping(rule, trace, configs)]

    assert codes(BCED(), count + 2) == ["configurations_dropped"]
    assert codes(BCED(), count + 1) == ["configurations_dropped", "one_survived"]
    assert codes(BCED(min_predictions=20), count + 2) == [
        "configurations_dropped",
        "dropped_on_few",
    ]
    assert list(warn_of_dropping(BCED(min_predictions=20), DropTrace(), 5)) == []
