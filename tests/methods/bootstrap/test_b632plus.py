"""The .632+ bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from benchmarks.papers.yousef2022.as_printed import Printed632Plus
from earnest.inference import no_information_rate
from earnest.methods.bootstrap.b632plus import plus
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles
from tests.snapshots import Golden

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=11)
    pairs = metric in ("roc_auc", "concordance")
    sign = -1.0 if metric in ("accuracy", "roc_auc", "concordance") else 1.0  # to a loss
    outside = oracles.star(made, score) if pairs else oracles.loob(made, score)
    none = 0.5 if pairs else oracles.no_information(made, score)
    expected = oracles.plus(sign * oracles.apparent(made, score), sign * outside, sign * none)
    answer = en.estimate(made, method=".632+", metric=metric)
    assert answer.details.no_information_rate == pytest.approx(none, abs=EXACT)
    assert answer.value == pytest.approx(sign * expected, abs=EXACT)


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_no_information_rate_of_probabilities_is_the_mean_over_all_pairs(
    metric: str, classes: int
) -> None:
    rng = np.random.default_rng(12)
    y, p = np.arange(15) % classes, rng.dirichlet(np.ones(classes), 15)
    given = p[:, 1] if classes == 2 else p[:, None, None]
    pi = en.Predictions.from_arrays(y, given)
    made = en.Replicates(
        target=pi.target,
        responses=pi.responses[None, :, 0, 0],
        counts=np.array([[15] + [0] * 14]),
        apparent=pi.responses[:, 0, 0],
        kind=pi.kind,
    )
    if metric == "log_loss":
        loss = -np.log(p[:, y]).mean()
    else:
        away = p[:, None, :] - np.eye(classes)[y][None]
        loss = (away**2).sum(axis=2).mean() / (2 if classes == 2 else 1)
    rate = no_information_rate(made, en.metric(metric).on(pi.target.task))
    assert rate == pytest.approx(loss, abs=EXACT)


@pytest.mark.parametrize("metric", ["mse", "mae", "mape", "rmse", "r2", "pearson"])
def test_the_no_information_rate_of_values_is_that_of_all_pairs(metric: str) -> None:
    made = example_replicates("regression", n_cases=18, n_replicates=5, seed=13)
    rows, columns = np.divmod(np.arange(18 * 18), 18)
    pi = en.Predictions.from_arrays(made.target.y[rows], made.apparent[columns])
    expected = en.kernels.score_table(pi, metric, [[1] * len(rows)])[0, 0]
    rate = no_information_rate(made, en.metric(metric))
    assert rate == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("metric", ["f1", "mcc", "balanced_accuracy"])
def test_the_no_information_rate_of_labels_is_that_of_all_pairs(metric: str) -> None:
    made = example_replicates("binary", n_cases=18, n_replicates=5, seed=14)
    rows, columns = np.divmod(np.arange(18 * 18), 18)
    pi = en.Predictions.from_arrays(
        made.target.y[rows], made.apparent[columns], response="decision"
    )
    expected = en.kernels.score_table(pi, metric, [[1] * len(rows)])[0, 0]
    assert no_information_rate(made, en.metric(metric)) == pytest.approx(expected, abs=1e-9)


def test_the_no_information_rate_of_an_auc_of_many_classes_is_one_half() -> None:
    made = example_replicates("multiclass", n_cases=30, n_replicates=40, seed=15)
    for metric in ("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted"):
        answer = en.estimate(made, method=".632+", metric=metric)
        assert answer.details.no_information_rate == pytest.approx(0.5)
        assert answer.interval is None


def test_the_weight_goes_from_632_to_one() -> None:
    assert plus(0.2, 0.2, 0.5, -1.0)[1].weight == pytest.approx(0.632)
    assert plus(0.0, 0.5, 0.5, -1.0)[1].weight == pytest.approx(1.0)
    value, details = plus(0.1, 0.3, 0.5, -1.0)
    assert details.overfitting_rate == pytest.approx(0.5)
    assert value == pytest.approx((1 - details.weight) * 0.1 + details.weight * 0.3)


def test_nothing_jumps_at_no_information() -> None:
    near, beyond = (plus(0.1, t, 0.5, -1.0)[0] for t in (0.5 - 1e-9, 0.5))
    assert beyond == pytest.approx(near, abs=1e-8)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "roc_auc"])
def test_the_printed_rule_is_that_of_632_beyond_no_information(metric: str) -> None:
    beyond = []
    for seed in range(6):
        made = example_replicates("binary", n_cases=24, n_replicates=30, seed=seed)
        ours, printed, plain = (
            en.estimate(made, method=method, metric=metric)
            for method in (".632+", Printed632Plus(), ".632")
        )
        rate = ours.details.overfitting_rate
        beyond.append(rate == 1)
        expected = plain if rate == 1 else ours
        assert printed.value == pytest.approx(expected.value, abs=EXACT)
        assert printed.standard_error == pytest.approx(expected.standard_error, abs=EXACT)
    assert 0 < sum(beyond) < 6  # some of either kind


def test_scores_and_losses_mirror() -> None:
    for given in ((0.9, 0.6, 0.5), (0.9, 0.4, 0.5), (0.4, 0.6, 0.5), (0.4, 0.3, 0.5)):
        score, one = plus(*given, 1.0)
        loss, other = plus(*(1 - g for g in given), -1.0)
        assert score == pytest.approx(1 - loss, abs=EXACT)
        assert one.overfitting_rate == pytest.approx(other.overfitting_rate, abs=EXACT)


def test_a_metric_without_a_no_information_rate_is_refused() -> None:
    with pytest.raises(en.errors.MetricError, match="no-information rate"):
        en.estimate(example_replicates("binary"), method=".632+", metric="average_precision")
    alias = en.estimate(example_replicates("binary"), method="b632plus", metric="roc_auc")
    assert alias.method == ".632+"


def test_knobs_typed_with_the_name_are_read_or_refused(golden: Golden) -> None:
    made = example_replicates("binary", n_cases=24, n_replicates=30, seed=11)
    with pytest.raises(en.errors.InputError, match="rule"):
        en.estimate(made, method=".632+(rule='mine')", metric="accuracy")
    with golden.raises(en.errors.InputError):
        en.estimate(made, method=". 632+(rule='mine')", metric="accuracy")
