"""Scores of items in every verb: the same numbers as a plain loop, and words without folds."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.core import (
    ON_ITEMS,
    ComparisonEstimand,
    Estimand,
    TrainingSizes,
    is_on_items,
    reason,
    word_headline,
)
from earnest.resampling import GroupBootstrap
from tests.methods.oracles import bbc, counts_of
from tests.snapshots import Golden

FOR_MEANS = ("bbc", "near_winner", "naive", "naive_bootstrap", "holdout", "tilted", "mabt")


def prompts(n: int = 60, configs: int = 5, seed: int = 0) -> np.ndarray:
    """Return 0/1 scores of equally good prompts on items of mixed difficulty."""
    rng = np.random.default_rng(seed)
    return (rng.random((n, configs)) < 0.3 + 0.6 * rng.random((n, 1))).astype(float)


def mean_of(y: np.ndarray, score: np.ndarray) -> float:
    """Return the mean score; the outcome has no part in it."""
    return float(score.mean())


@pytest.mark.parametrize("grouped", [False, True])
def test_bbc_of_scores_is_the_plain_loop_over_items(grouped: bool) -> None:
    matrix = prompts()
    given = en.Scores(matrix, groups=np.arange(60) // 3 if grouped else None)
    made = en.estimate(given, method="bbc", n_resamples=40, rng=3)
    drawer = GroupBootstrap() if grouped else None
    counts = counts_of(given.predictions, 40, 3, None, drawer)
    draws, winners = bbc(np.zeros(60), matrix, counts, mean_of)
    assert made.draws == pytest.approx(draws)
    assert made.value == pytest.approx(draws.mean())
    assert made.details.winners.tolist() == winners
    assert made.naive == pytest.approx(matrix.mean(axis=0).max())


def test_scores_of_hits_are_the_accuracy_of_the_predictions_that_made_them() -> None:
    rng = np.random.default_rng(1)
    y, labels = rng.integers(0, 2, 80), rng.integers(0, 2, (80, 4))
    pi = en.Predictions.from_arrays(y, labels, response="label")
    given = en.Scores((labels == y[:, None]).astype(float))
    for method in ("bbc", "near_winner", "naive_bootstrap"):
        ours = en.estimate(given, method=method, rng=0, n_resamples=100)
        known = en.estimate(pi, method=method, metric="accuracy", rng=0, n_resamples=100)
        assert ours.value == pytest.approx(known.value)
        assert ours.interval is not None
        assert known.interval is not None
        assert ours.interval.low == pytest.approx(known.interval.low)
        assert ours.interval.high == pytest.approx(known.interval.high)
    assert en.compare(given, 0, 1).estimand is ComparisonEstimand.ITEMS
    pairs = (en.compare(given, 0, 1), en.compare(pi, 0, 1, metric="accuracy"))
    assert pairs[0].difference == pytest.approx(pairs[1].difference)
    assert pairs[0].p_value == pytest.approx(pairs[1].p_value)


def test_every_method_for_means_takes_scores_and_the_others_say_what_would_work() -> None:
    table = en.estimate_all(en.Scores(prompts()), rng=0, n_resamples=100)
    answered = {made.method for made in table}
    assert set(FOR_MEANS) <= answered
    assert all(is_on_items(made) for made in table)
    for reason_given in table.refused.values():
        assert "method='" in str(reason_given)


def test_the_words_speak_of_items_and_neither_of_folds_nor_of_training() -> None:
    made = en.estimate(en.Scores(prompts(configs=20)), rng=0)
    assert made.estimand == Estimand.CHOSEN_ON_ITEMS
    assert made.training is None
    said = " ".join([word_headline(made), reason(made), made.estimand])
    assert "on items like these" in said
    assert not {"fold", "trained", "training", "data", "search"} & set(said.lower().split())
    alone = en.estimate(en.Scores(prompts(configs=1)), rng=0)
    assert (alone.estimand, alone.method) == (Estimand.ONE_ON_ITEMS, "holdout")
    assert set(ON_ITEMS.values()) <= set(Estimand)


def test_losses_of_a_cross_validation_keep_their_folds() -> None:
    rng = np.random.default_rng(2)
    losses = {"a": rng.random(40), "b": rng.random(40)}
    given = en.Scores(losses, fold=np.arange(40) % 5, greater_is_better=False)
    made = en.estimate(given, rng=0)
    assert made.estimand == Estimand.WINNER
    assert made.training == TrainingSizes(32, 32, 32)
    assert made.metric == "loss"
    assert en.compare(given, "a", "b").metric == "loss"


@pytest.mark.parametrize("test", ["bayle", "bootstrap", "sign_flip", "mcnemar"])
def test_paired_tests_take_scores(test: str) -> None:
    matrix = prompts(200, 2, seed=4)
    matrix[:, 0] = np.maximum(matrix[:, 0], matrix[:, 1])  # never worse
    made = en.compare(en.Scores(matrix, configs=["a", "b"]), "a", "b", test=test, rng=0)
    assert made.difference == pytest.approx(matrix[:, 0].mean() - matrix[:, 1].mean())
    assert made.shown
    assert made.favours == "a"


def test_two_tables_of_scores_are_compared_item_by_item() -> None:
    matrix = prompts(50, 2)
    first, second = en.Scores(matrix[:, 0], configs=["a"]), en.Scores(matrix[:, 1], configs=["b"])
    apart = en.compare(first, second)
    together = en.compare(en.Scores(matrix, configs=["a", "b"]), "a", "b")
    assert (apart.difference, apart.p_value) == (together.difference, together.p_value)


@pytest.mark.parametrize("aggregate", ["mean", "median", "quantile(0.25)", "pass@2", "pass^2"])
def test_every_aggregate_is_estimated_and_compared(aggregate: str) -> None:
    rng = np.random.default_rng(5)
    samples = (rng.random((80, 4, 3)) < rng.random((80, 1, 1))).astype(float)
    given = en.Scores(samples, aggregate=aggregate)
    made = en.estimate(given, rng=0, n_resamples=100)
    assert made.interval is not None
    assert made.interval.low <= made.value <= made.interval.high
    assert en.estimate(en.Scores(samples), metric=aggregate, rng=0, n_resamples=100) == made
    assert en.compare_many(given, rng=0).best == made.winner


def graded(n: int = 120, configs: int = 5) -> np.ndarray:
    """Marks of items from 0 to 1, of configurations that are equally good."""
    rng = np.random.default_rng(8)
    return np.clip(rng.beta(4, 2, (n, 1)) + 0.1 * rng.standard_normal((n, configs)), 0, 1)


@pytest.mark.parametrize("aggregate", ["mean", "pass@2", "pass^2"])
def test_means_of_samples_have_a_law_and_need_no_more_trials_than_samples(aggregate: str) -> None:
    rng = np.random.default_rng(5)
    samples = (rng.random((200, 4, 6)) < rng.beta(2, 1, (200, 1, 1))).astype(float)
    given = en.Scores(samples, aggregate=aggregate)
    ours, plain = (
        en.estimate(given, method=method, rng=0, n_resamples=200)
        for method in ("near_winner", "bbc")
    )
    assert ours.value == plain.value
    assert ours.interval is not None
    assert plain.interval is not None
    width = ours.interval.high - ours.interval.low
    assert 0.5 * (plain.interval.high - plain.interval.low) < width < 0.16
    if aggregate == "mean":  # one sample of each tells less
        one = en.estimate(en.Scores(samples[:, :, 0]), method="near_winner", rng=0, n_resamples=200)
        assert one.interval is not None
        assert width < one.interval.high - one.interval.low


def test_limits_of_bounded_scores_mirror_and_scale() -> None:
    marks = graded()
    about = {"method": "near_winner", "rng": 0, "n_resamples": 200}
    made = en.estimate(en.Scores(marks, limits=(0, 1)), **about).interval
    turned = en.Scores(1.0 - marks, limits=(0, 1), greater_is_better=False)
    scaled = en.Scores(1.0 + 4.0 * marks, limits=(1, 5))
    assert made is not None
    for given, back in ((turned, lambda x: 1.0 - x), (scaled, lambda x: (x - 1.0) / 4.0)):
        other = en.estimate(given, **about).interval
        assert other is not None
        ends = sorted((back(other.low), back(other.high)))
        assert ends == pytest.approx([made.low, made.high], abs=1e-6)


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_scores_that_do_not_vary_are_worth_a_trial_an_item(level: float) -> None:
    n = 40
    made = en.estimate(
        en.Scores(np.full((n, 1, 3), level), limits=(0, 1)),
        method="near_winner",
        rng=0,
        n_resamples=50,
    )
    shares = np.r_[np.ones(int(n * level)), np.zeros(n - int(n * level))]
    exact = en.estimate(en.Scores(shares[:, None]), method="near_winner", rng=0, n_resamples=50)
    assert made.interval is not None
    assert exact.interval is not None
    # Student's quantile in place of the normal one makes it a little wider.
    assert made.interval.low <= exact.interval.low
    assert made.interval.high >= exact.interval.high
    assert made.interval.low == pytest.approx(exact.interval.low, abs=0.02)


def test_near_winner_refuses_scores_without_ends() -> None:
    with pytest.raises(en.errors.MetricError, match="near_winner"):
        en.estimate(en.Scores(3.0 * graded()), method="near_winner", rng=0)


def test_a_report_of_scores_speaks_of_items() -> None:
    report = en.report(en.Scores(prompts(configs=6), groups=np.arange(60) // 2), explain=False)
    text = report.to_markdown()
    assert "on items like these" in text.splitlines()[0]
    for word in ("cross-validated", "refitted", "trained", "New data", "your predictions"):
        assert word not in text, word
    assert "| Items | 60 |" in text


def test_a_metric_is_refused_that_needs_an_outcome(golden: Golden) -> None:
    with pytest.raises(en.errors.InputError) as refusal:
        en.estimate(en.Scores(prompts()), metric="accuracy")
    golden.check(str(refusal.value))
    with pytest.raises(en.errors.InputError, match="`metric` is missing"):
        en.estimate(en.Predictions.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.7]))
    with pytest.raises(en.errors.MetricError) as refusal:
        en.estimate(en.Scores(prompts()).predictions, metric=en.metric("accuracy"))
    golden.check(str(refusal.value))
