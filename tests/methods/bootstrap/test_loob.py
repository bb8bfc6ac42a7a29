"""The leave-one-out bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles
from tests.snapshots import Golden

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.OF_CASES)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=5)
    expected = oracles.loob(made, score)
    answer = en.estimate(made, method="loob", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


def test_the_metric_of_sums_is_that_of_the_mean_moments_left_out() -> None:
    made = example_replicates("binary", n_cases=30, n_replicates=80, seed=6)
    said, y, out = made.responses > 0, made.target.y == 1, made.counts == 0
    share = out / out.sum(axis=0) / made.n_cases  # of every case and replicate in the mean
    hit, false, missed = ((share * part).sum() for part in (said & y, said & ~y, ~said & y))
    answer = en.estimate(made, method="loob", metric="f1")
    assert answer.value == pytest.approx(2 * hit / (2 * hit + false + missed), abs=EXACT)


@pytest.mark.parametrize("metric", ["rmse", "r2"])
def test_the_delta_method_is_the_derivative_of_the_function_of_sums(metric: str) -> None:
    made = example_replicates("regression", n_cases=30, n_replicates=120, seed=7)
    mse = en.estimate(made, method="loob", metric="mse")
    answer = en.estimate(made, method="loob", metric=metric)
    if metric == "rmse":  # d sqrt(m) = dm / (2 sqrt(m))
        assert answer.value == pytest.approx(np.sqrt(mse.value), abs=EXACT)
        expected = mse.standard_error / (2 * np.sqrt(mse.value))
        assert answer.standard_error == pytest.approx(expected, rel=1e-8)
    else:  # 1 - m / v, where v moves too: its case values are -(l_i / v - m (y_i - ybar)^2 / v^2)
        y = made.target.y
        from earnest.inference import leave_one_out

        losses, v = (made.responses - y) ** 2, np.var(y)
        terms = -(losses / v - mse.value * (y - y.mean()) ** 2 / v**2)
        expected = leave_one_out(terms, made.counts).standard_error
        assert answer.value == pytest.approx(1 - mse.value / v, abs=1e-9)
        assert answer.standard_error == pytest.approx(expected, rel=1e-6)


def test_accuracy_and_error_rate_mirror_exactly() -> None:
    made = example_replicates("binary")
    for method in ("loob", ".632", ".632+", "err_star"):
        score, loss = (
            en.estimate(made, method=method, metric=m) for m in ("accuracy", "error_rate")
        )
        assert score.value == pytest.approx(1 - loss.value, abs=EXACT)
        assert score.standard_error == pytest.approx(loss.standard_error, rel=1e-9)
        assert score.interval.low == pytest.approx(1 - loss.interval.high, abs=1e-9)


def test_a_metric_of_order_is_refused_with_what_to_ask_instead() -> None:
    with pytest.raises(en.errors.MetricError, match="method='lpob'"):
        en.estimate(example_replicates("binary"), method="loob", metric="roc_auc")


def test_cases_that_are_all_right_are_no_proof() -> None:
    y = np.tile([0, 1], 20)
    made = en.Replicates(
        target=en.Predictions.from_arrays(y, y).target,
        responses=np.tile(y.astype(float), (50, 1)),
        counts=np.random.default_rng(0).multinomial(40, np.full(40, 1 / 40), size=50),
        apparent=y.astype(float),
        kind="probability",
    )
    right = en.estimate(made, method="loob", metric="accuracy", side="lower")
    assert right.value == 1.0
    assert right.interval.low == pytest.approx(0.05 ** (1 / 40))  # the rule of three
    assert "EN035" in {caution.code for caution in right.cautions}
    whole = en.estimate(made, method="loob", metric="f1")
    assert (whole.interval.low, whole.interval.high) == (0.0, 1.0)
    pairs = en.estimate(made, method="lpob", metric="roc_auc", side="lower")
    assert pairs.interval.low == pytest.approx(0.05 ** (1 / 20))  # of twenty pairs


def test_one_replicate_is_answered_and_told_of(golden: Golden) -> None:
    made = example_replicates("regression", n_replicates=200).take(slice(0, 1))
    answer = en.estimate(made, method="loob", metric="mse")
    caution = next(caution for caution in answer.cautions if caution.code == "EN084")
    unseen = int((made.counts > 0).sum())
    assert caution.facts == {"units": unseen, "pairs": False, "replicates": 1}
    golden.check(caution.what)


def test_few_cases_are_told_of() -> None:
    answer = en.estimate(example_replicates("binary", n_cases=21), method="loob", metric="accuracy")
    assert "EN036" in {caution.code for caution in answer.cautions}


def test_the_interval_is_normal_and_inside_the_range() -> None:
    answer = en.estimate(example_replicates("binary"), method="loob", metric="accuracy")
    reach = 1.959963984540054 * answer.standard_error
    assert answer.interval.high == pytest.approx(min(1.0, answer.value + reach))
    assert answer.provenance.knobs["n_replicates"] == 200
