"""The corrected score of a winner: free of the size of the part left out, and with its error."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions
from earnest.core import Task
from earnest.inference.cases.case_values import score_terms
from earnest.inference.resampling import winners
from earnest.inference.resampling.winners import (
    depends_on_size,
    errors_in_the_limit,
)
from earnest.methods import BBC
from earnest.metrics import METRICS
from earnest.metrics.families import Need
from earnest.testing import example_predictions

EXACT = 1e-9
PLAIN = ["accuracy", "error_rate", "brier", "log_loss", "roc_auc"]


def fixed_models(task: str, n: int, rng: np.random.Generator, configs: int = 1) -> Predictions:
    """Return predictions of equal configurations that were fixed in advance."""
    fold = np.arange(n) % 5
    if task == "regression":
        y = 5.0 + rng.standard_normal(n)
        return Predictions.from_arrays(
            y, y[:, None] + 0.7 * rng.standard_normal((n, configs)), fold
        )
    if task == "survival":
        time = rng.exponential(size=n)
        risk = -np.log(time)[:, None] + rng.standard_normal((n, configs))
        return Predictions.from_arrays((time, rng.random(n) < 0.7), risk, fold, task="survival")
    if task == "multiclass":
        y = np.arange(n) % 3
        logit = rng.standard_normal((n, configs, 1, 3))
        logit[np.arange(n), :, 0, y] += 1.5
        share = np.exp(logit) / np.exp(logit).sum(axis=3, keepdims=True)
        return Predictions.from_arrays(y, share, fold, task="multiclass")
    y = (np.arange(n) < max(5, n // 4)).astype(int)
    logit = 1.5 * y[:, None] + rng.standard_normal((n, configs)) - 0.8
    return Predictions.from_arrays(y, 1 / (1 + np.exp(-logit)), fold)


EVERY = [
    (task, name)
    for task in ("binary", "multiclass", "regression", "survival")
    for name in METRICS
    if Task(task) in METRICS[name].tasks and METRICS[name].ideal is None  # which have no optimism
]


@pytest.mark.parametrize(("task", "name"), EVERY)
def test_one_configuration_has_no_optimism_in_any_metric(task: str, name: str) -> None:
    # seed 20; out-of-bag means of the same scores differ from them by 4 standard errors at most,
    # and scores that depend on the size of the part not at all
    pi = fixed_models(task, 20, np.random.default_rng(20))
    if METRICS[name].needs is Need.SURVIVAL:
        pi = example_predictions("survival", response="survival", n_cases=40, n_configs=1)
    made = en.estimate(pi, method=BBC(n_resamples=200), metric=name, rng=1)
    assert made.optimism is not None
    assert made.draws is not None
    free = not depends_on_size(METRICS[name].on(task), pi.target)
    tolerance = 4 * np.nanstd(made.draws) / np.sqrt(200) if free else 0.0
    assert abs(made.optimism) <= tolerance + EXACT
    assert "EN001" not in {caution.code for caution in made.cautions}


@pytest.mark.parametrize("name", ["accuracy", "r2", "f1", "roc_auc", "average_precision"])
def test_groups_of_other_sizes_are_no_optimism(name: str) -> None:
    # groups of 1 to 9 cases, the large ones easier: a part of the groups is no small copy
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(16), 1 + np.arange(16) % 9)
    n, easy = len(groups), np.bincount(groups)[groups][:, None] / 3.0
    if name == "r2":
        y = rng.standard_normal(n)
        score = y[:, None] + rng.standard_normal((n, 1)) / easy
    else:
        y = rng.integers(0, 2, n)
        score = 1 / (1 + np.exp(-(easy * (2 * y[:, None] - 1) + rng.standard_normal((n, 1)))))
    pi = Predictions.from_arrays(y, score, groups=groups)
    made = en.estimate(pi, method=BBC(n_resamples=100), metric=name, rng=0)
    assert made.optimism == pytest.approx(0.0, abs=EXACT)
    assert made.draws is not None
    assert abs(np.nanmean(made.draws) - made.value) > 1e-4  # which the mean of the draws is not


@pytest.mark.parametrize("name", PLAIN)
def test_the_value_of_a_plain_mean_is_the_mean_of_the_draws(name: str) -> None:
    pi = fixed_models("binary", 50, np.random.default_rng(0), configs=8)
    made = en.estimate(pi, method=BBC(n_resamples=100), metric=name, rng=0)
    assert made.draws is not None
    assert made.value == float(np.nanmean(made.draws))


@pytest.mark.parametrize("name", ["r2", "rmse", "pearson", "spearman"])
def test_the_value_of_what_depends_on_the_size_is_not_the_mean_of_the_draws(name: str) -> None:
    pi = fixed_models("regression", 40, np.random.default_rng(0), configs=4)
    made = en.estimate(pi, method=BBC(n_resamples=100), metric=name, rng=0)
    assert made.draws is not None
    assert abs(made.value - float(np.nanmean(made.draws))) > 1e-4


@pytest.mark.parametrize("name", ["r2", "mcc", "f1", "precision", "rmse", "average_precision"])
def test_the_interval_holds_the_value(name: str) -> None:
    task = "regression" if name in ("r2", "rmse") else "binary"
    for seed in range(4):
        pi = fixed_models(task, 20, np.random.default_rng(seed), configs=3)
        made = en.estimate(pi, method=BBC(n_resamples=100), metric=name, rng=seed)
        for level in (0.3, 0.95):
            assert made.value in made.at(confidence_level=level).interval


def test_the_value_of_equal_configurations_is_that_of_any_of_them() -> None:
    # 30 samples of 30 cases, 6 equal configurations, seed 2: the corrected R² is on average the
    # mean of their own; tolerance 4 standard errors of the difference, plus .04, a fifth of the
    # bias of the naive score and of that of the mean of out-of-bag scores
    rng = np.random.default_rng(2)
    away, naive, drawn = [], [], []
    for seed in range(30):
        pi = fixed_models("regression", 30, rng, configs=6)
        made = en.estimate(pi, method=BBC(n_resamples=60), metric="r2", rng=seed)
        mean = float(en.kernels.score_table(pi, "r2", np.ones((1, 30))).mean())
        away.append(made.value - mean)
        naive.append(made.naive - mean)
        drawn.append(float(np.nanmean(made.draws)) - mean)
    assert abs(np.mean(away)) < 4 * np.std(away) / np.sqrt(30) + 0.04
    assert np.mean(naive) > 0.12
    assert np.mean(drawn) < -0.1


def test_repeats_and_untested_cases_are_no_optimism() -> None:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(40)
    fold = np.column_stack([np.arange(40) % 4, np.arange(40) // 10])
    scores = y[:, None, None] + rng.standard_normal((40, 1, 2))
    fold[:5, 1] = -1
    scores[:5, :, 1] = np.nan
    pi = Predictions.from_arrays(y, scores, fold)
    for name in ("r2", "spearman"):
        made = en.estimate(pi, method=BBC(n_resamples=100), metric=name, rng=0)
        assert made.optimism == pytest.approx(0.0, abs=EXACT)


def test_batches_do_not_change_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = fixed_models("binary", 60, np.random.default_rng(0), configs=9)

    def ask(name: str) -> tuple[float, float | None]:
        made = en.estimate(pi, method=BBC(n_resamples=300), metric=name, rng=0)
        return made.value, made.standard_error

    names = ("f1", "average_precision", "accuracy")
    whole = [ask(name) for name in names]
    monkeypatch.setattr("earnest.resampling.bootstrap.BATCH_BYTES", 1)
    assert [ask(name) for name in names] == whole


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "log_loss"])
def test_terms_have_the_score_as_their_mean(name: str) -> None:
    pi = fixed_models("binary", 50, np.random.default_rng(1), configs=3)
    found = score_terms(pi, en.metric(name))
    assert found is not None
    scores = en.kernels.score_table(pi, name, np.ones((1, 50)))[0]
    np.testing.assert_allclose(found[0], scores, atol=EXACT)
    np.testing.assert_allclose(found[1].mean(axis=0), scores, atol=EXACT)


def test_metrics_of_order_have_no_terms() -> None:
    pi = fixed_models("binary", 50, np.random.default_rng(1))
    assert score_terms(pi, en.metric("average_precision")) is None


def test_the_error_of_one_configuration_is_that_of_its_mean() -> None:
    pi = fixed_models("binary", 80, np.random.default_rng(4))
    share = en.estimate(pi, method="bbc", metric="accuracy", rng=0)
    assert share.naive is not None
    assert share.standard_error == pytest.approx(
        np.sqrt(share.naive * (1 - share.naive) / 80), rel=1e-6
    )
    area = en.estimate(pi, method="bbc", metric="roc_auc", rng=0)
    delong = en.estimate(pi, method="delong", metric="roc_auc", rng=0)
    assert area.standard_error == pytest.approx(delong.standard_error, rel=0.05)


def test_the_error_of_groups_is_that_of_their_sums() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 4)
    y = rng.integers(0, 2, 80)
    wrong = np.repeat(rng.random(20) < 0.3, 4)  # whole groups are right or wrong
    score = np.where(wrong, 1 - y, y).astype(float)
    pi = Predictions.from_arrays(y, score, groups=groups)
    made = en.estimate(pi, method="bbc", metric="accuracy", rng=0)
    share = 1 - wrong.mean()
    assert made.standard_error == pytest.approx(np.sqrt(share * (1 - share) / 20), rel=1e-6)


def test_many_units_in_bundles_have_the_error_of_all() -> None:
    # 8192 signs a bundle each make the variance random by sqrt(2 / 4096) = 2 %, 1 % of the root
    pi = fixed_models("binary", 9000, np.random.default_rng(4))
    made = en.estimate(pi, method=BBC(n_resamples=20), metric="accuracy", rng=0)
    assert made.naive is not None
    assert made.standard_error == pytest.approx(
        np.sqrt(made.naive * (1 - made.naive) / 9000), rel=0.05
    )


def test_a_leader_beyond_reach_has_the_error_of_one() -> None:
    moves = np.random.default_rng(0).standard_normal((50, 4)) / 50
    moves -= moves.mean(axis=0)
    moves[:, -1] = 0.0  # the constant
    gains = np.array([9.0, 0.0, 0.0])
    found = errors_in_the_limit(moves, gains, np.array([1.0, 0, 0]), np.random.default_rng(1))
    assert found.value == pytest.approx(np.sqrt(np.square(moves[:, 0]).sum()), rel=1e-9)
    assert found.gain == pytest.approx(found.value, rel=1e-9)
    assert found.optimism == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("at_once", [1, 3 * 200 * 3, 1 << 30])
def test_how_many_draws_are_looked_at_together_changes_no_error(at_once, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    moves, gains, shares = rng.standard_normal((50, 4)) / 50, rng.random(3) / 9, np.full(3, 1 / 3)
    expected = errors_in_the_limit(moves, gains, shares, np.random.default_rng(1))
    monkeypatch.setattr(winners, "MOVED", at_once)
    assert errors_in_the_limit(moves, gains, shares, np.random.default_rng(1)) == expected


def test_another_rule_of_selection_has_the_error_of_the_influence_function() -> None:
    pi = fixed_models("binary", 60, np.random.default_rng(5), configs=4)
    method = BBC(n_resamples=200, selector="one_standard_error")
    made = en.estimate(pi, method=method, metric="accuracy", rng=0)
    assert made.standard_error is not None
    assert 0.02 < made.standard_error < 0.12
    assert made.optimism_error is not None


@pytest.mark.parametrize(("configs", "metric"), [(1, "accuracy"), (20, "accuracy"), (20, "r2")])
def test_the_standard_error_is_that_of_the_value(configs: int, metric: str) -> None:
    # 30 samples of 100 cases: their standard deviation has an error of 1 / sqrt(60) = 13 %, and
    # 15 % are what the law allows; the spread of the draws is 45 to 85 % too large
    rng = np.random.default_rng(8)
    task = "regression" if metric == "r2" else "binary"
    values, errors = [], []
    for seed in range(30):
        pi = fixed_models(task, 100, rng, configs=configs)
        made = en.estimate(pi, method=BBC(n_resamples=120), metric=metric, rng=seed)
        values.append(made.value)
        errors.append(made.standard_error)
    assert np.mean(errors) / np.std(values) == pytest.approx(1.0, abs=0.15 + 2 * 0.13)


def test_an_error_that_noise_hides_is_none() -> None:
    # 10 resamples of 60 cases say nothing of how a rank metric goes with the counts of a case
    pi = fixed_models("binary", 60, np.random.default_rng(5), configs=4)
    made = en.estimate(pi, method=BBC(n_resamples=10), metric="average_precision", rng=0)
    assert made.standard_error is None
    enough = en.estimate(pi, method=BBC(n_resamples=3000), metric="average_precision", rng=0)
    assert enough.standard_error is not None
    assert enough.draws is not None
    assert enough.standard_error < enough.draws.std()


def test_one_resample_has_no_error() -> None:
    pi = fixed_models("binary", 60, np.random.default_rng(5))
    made = en.estimate(pi, method=BBC(n_resamples=1), metric="accuracy", rng=0)
    assert made.standard_error is None
