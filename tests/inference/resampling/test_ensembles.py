"""Ensembles chosen in every resample: against the plain loop, and whatever the threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import earnest as en
from earnest.core import EnsembleRule, Seeds
from earnest.core.data.selection import ENSEMBLES
from earnest.inference import blend, choose_ensembles
from earnest.inference.resampling import ensembles
from earnest.inference.resampling.ensembles import (
    cross_fit,
    divide_cases,
    leave_parts_out,
    score_ensembles,
)
from earnest.resampling import Weights

Array = NDArray[np.float64]
Score = Callable[[Array, Array, Array], float]
STEP = 2.0**-24  # to which the rule rounds predictions that it ranks


def area(y: Array, p: Array, w: Array) -> float:
    above, below = p[y == 1][:, None], p[y == 0]
    won = (above > below) + 0.5 * (above == below)
    return float(w[y == 1] @ won @ w[y == 0] / (w[y == 1].sum() * w[y == 0].sum()))


def minus_log_loss(y: Array, p: Array, w: Array) -> float:
    chances = np.where(y == 1, p, 1 - p) if p.ndim == 1 else p[np.arange(len(y)), y.astype(int)]
    return float(np.average(np.log(chances), weights=w))


def minus_square(y: Array, p: Array, w: Array) -> float:
    return -float(np.average((y - p) ** 2, weights=w))


def right(y: Array, p: Array, w: Array) -> float:
    return float(np.average(y == (p > 0.5), weights=w))


def explained(y: Array, p: Array, w: Array) -> float:
    about = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    return 1.0 - float(np.average((y - p) ** 2, weights=w) / about)


def mean_area(y: Array, p: Array, w: Array) -> float:
    classes = np.unique(y)
    return float(np.mean([area(y == k, p[:, k], w) for k in classes]))


def grow(y: Array, p: Array, w: Array, score: Score, size: int, library: int) -> Array:
    """Return the shares of a greedy ensemble, by the plain loop; p is (n, C[, K])."""
    used = w > 0
    y, p, w = y[used], p[used], w[used]

    def first(gains: list[float]) -> int:
        best = max(gains)
        return next(c for c, gain in enumerate(gains) if gain >= best - 1e-12 * max(1, abs(best)))

    singles = [score(y, p[:, c], w) for c in range(p.shape[1])]
    kept = sorted(np.argsort(-np.array(singles), kind="stable")[:library].tolist())
    members = [first(singles)]
    path = [singles[members[0]]]
    while len(members) < size:
        total = p[:, members].sum(axis=1)
        gains = [score(y, (total + p[:, c]) / (len(members) + 1), w) for c in kept]
        chosen = first(gains)
        members.append(kept[chosen])
        path.append(gains[chosen])
    length = first(path) + 1
    return np.bincount(members[:length], minlength=p.shape[1]) / length


def draw(n: int, resamples: int, seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    return Weights(counts.astype(np.uint8))


def chances(n: int, configs: int, seed: int) -> tuple[Array, Array]:
    """Return classes (n,) and chances (n, C) of configurations that know different things."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n).astype(float)
    parts = rng.standard_normal((n, 3))
    z = y[:, None] - 0.5 + 0.8 * parts[:, rng.integers(0, 3, configs)]
    p = 1 / (1 + np.exp(-z - rng.standard_normal((n, configs))))
    p[:, configs // 2] = p[:, configs // 3]  # two that are the same: a tie
    return y, np.rint(p / STEP) * STEP  # as the rule for areas sees them


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("roc_auc", area),
        ("log_loss", minus_log_loss),
        ("brier", minus_square),
        ("accuracy", right),
    ],
)
def test_a_greedy_ensemble_equals_the_plain_loop(metric: str, score: Score) -> None:
    y, p = chances(90, 12, seed=3)
    pi = en.Predictions.from_arrays(y.astype(int), p)
    inbag = draw(90, 12, seed=5)
    made = choose_ensembles(
        pi, en.metric(metric).on("binary"), inbag, en.rules.GreedyEnsemble(library=7, size=9)
    )
    for own, counts in zip(made, inbag.values, strict=True):
        np.testing.assert_allclose(own, grow(y, p, counts.astype(float), score, 9, 7), atol=1e-12)


@pytest.mark.parametrize(("metric", "score"), [("r2", explained), ("mse", minus_square)])
def test_a_greedy_ensemble_of_values_equals_the_plain_loop(metric: str, score: Score) -> None:
    rng = np.random.default_rng(2)
    y = rng.standard_normal(80)
    p = y[:, None] * rng.uniform(0.2, 1.5, 10) + rng.standard_normal((80, 10))
    pi = en.Predictions.from_arrays(y, p)
    inbag = draw(80, 12, seed=6)
    made = choose_ensembles(
        pi, en.metric(metric).on("regression"), inbag, en.rules.GreedyEnsemble(library=6, size=8)
    )
    for own, counts in zip(made, inbag.values, strict=True):
        np.testing.assert_allclose(own, grow(y, p, counts.astype(float), score, 8, 6), atol=1e-12)


@pytest.mark.parametrize(
    ("metric", "score"), [("roc_auc_ovr", mean_area), ("log_loss", minus_log_loss)]
)
def test_a_greedy_ensemble_of_several_classes_equals_the_plain_loop(
    metric: str, score: Score
) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 90)
    z = 1.5 * np.eye(3)[y][:, None, :] + rng.standard_normal((90, 8, 3))
    p = np.exp(z) / np.exp(z).sum(axis=2, keepdims=True)
    pi = en.Predictions.from_arrays(y, p, repeats=1)
    inbag = draw(90, 8, seed=7)
    made = choose_ensembles(
        pi, en.metric(metric).on("multiclass"), inbag, en.rules.GreedyEnsemble(library=5, size=6)
    )
    for own, counts in zip(made, inbag.values, strict=True):
        expected = grow(y, p, counts.astype(float), score, 6, 5)
        np.testing.assert_allclose(own, expected, atol=1e-12)


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier"])
def test_the_compiled_ways_choose_as_the_way_for_any_metric(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, p = chances(120, 15, seed=8)
    two = np.stack([p, np.roll(p, 1, axis=1)], axis=2)  # two repeats
    pi = en.Predictions.from_arrays(y.astype(int), two)
    inbag, rule = draw(120, 10, seed=9), en.rules.GreedyEnsemble(library=9, size=7)
    fast = choose_ensembles(pi, en.metric(metric).on("binary"), inbag, rule)
    monkeypatch.setattr(ensembles, "_find_kernel", lambda *_: None)
    np.testing.assert_allclose(
        fast, choose_ensembles(pi, en.metric(metric).on("binary"), inbag, rule), atol=1e-12
    )


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "brier", "mse", "rmse", "r2"])
def test_a_copy_of_a_metric_chooses_as_the_metric_whatever_it_is_called(name: str) -> None:
    y, p = chances(80, 8, seed=23)
    metric = en.metric(name)
    if name in ("mse", "rmse", "r2"):
        pi = en.Predictions.from_arrays(p.mean(axis=1) + y, p, task="regression")
    else:
        pi = en.Predictions.from_arrays(y.astype(int), p)
    metric = metric.on(pi.target.task)
    mine, weights = replace(metric, name="mine"), Weights.ones(80)
    ways = [ensembles._find_kernel(pi, each, weights, 5) for each in (metric, mine)]
    assert None not in ways
    inbag, rule = draw(80, 9, seed=24), en.rules.GreedyEnsemble(library=6, size=5)
    np.testing.assert_array_equal(
        choose_ensembles(pi, mine, inbag, rule), choose_ensembles(pi, metric, inbag, rule)
    )


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_another_metric_under_the_name_of_one_of_ours_chooses_by_itself(name: str) -> None:
    y, p = chances(80, 8, seed=25)
    pi = en.Predictions.from_arrays(y.astype(int), p)
    accuracy = en.metric("accuracy").on(pi.target.task)
    inbag, rule = draw(80, 9, seed=26), en.rules.GreedyEnsemble(library=6, size=5)
    np.testing.assert_array_equal(
        choose_ensembles(pi, replace(accuracy, name=name), inbag, rule),
        choose_ensembles(pi, accuracy, inbag, rule),
    )


@pytest.mark.parametrize("word", list(ENSEMBLES))
@pytest.mark.parametrize("guard", [False, True])
def test_threads_and_batches_change_no_bit_of_an_ensemble(word: str, guard: bool) -> None:
    y, p = chances(60, 6, seed=10)
    pi = en.Predictions.from_arrays(y.astype(int), p, fold=np.arange(60) % 5)
    inbag, rule = draw(60, 70, seed=11), ENSEMBLES[word](guard=guard)  # more than a block
    metric = en.metric("roc_auc").on("binary")
    whole = choose_ensembles(pi, metric, inbag, rule, n_jobs=1)
    threads = choose_ensembles(pi, metric, inbag, rule, n_jobs=3)
    parts = [
        choose_ensembles(pi, metric, inbag.take(slice(top, top + 19)), rule)
        for top in range(0, 70, 19)
    ]
    assert whole.tobytes() == threads.tobytes() == np.concatenate(parts).tobytes()
    np.testing.assert_allclose(whole.sum(axis=1), 1.0)


def test_the_top_average_is_the_mean_of_the_best() -> None:
    y, p = chances(60, 6, seed=12)
    pi = en.Predictions.from_arrays(y.astype(int), p)
    found = choose_ensembles(
        pi, en.metric("brier").on("binary"), Weights.ones(60), en.rules.TopAverage(k=3)
    )
    losses = ((p - y[:, None]) ** 2).mean(axis=0)
    best = np.argsort(losses, kind="stable")[:3]
    np.testing.assert_allclose(found[0], np.isin(np.arange(6), best) / 3)


def test_stacking_is_non_negative_least_squares_scaled_to_one() -> None:
    from scipy.optimize import nnls

    y, p = chances(80, 6, seed=13)
    p[:, 3] = np.random.default_rng(1).random(80)  # no copy of another
    pi = en.Predictions.from_arrays(y.astype(int), p)
    inbag = draw(80, 4, seed=14)
    found = choose_ensembles(pi, en.metric("brier").on("binary"), inbag, en.rules.StackedEnsemble())
    for own, counts in zip(found, inbag.values, strict=True):
        root = np.sqrt(counts.astype(float))
        expected = nnls(root[:, None] * p, root * y)[0]
        np.testing.assert_allclose(own, expected / expected.sum(), atol=1e-6)


def make_log_odds(p: Array) -> Array:
    return np.log(p / (1.0 - p))


def test_logistic_stacking_is_scikit_learns_regression_on_log_odds_scaled_to_one() -> None:
    """Every configuration knows something of its own, so that no weight is negative."""
    rng = np.random.default_rng(23)
    y = rng.integers(0, 2, 200)
    p = 1 / (1 + np.exp(-(y[:, None] - 0.5 + 1.5 * rng.standard_normal((200, 4)))))
    pi = en.Predictions.from_arrays(y, p)
    inbag = draw(200, 4, seed=24)
    rule, metric = en.rules.StackedEnsemble(method="logistic"), en.metric("log_loss").on("binary")
    found = choose_ensembles(pi, metric, inbag, rule, n_jobs=2)
    for own, counts in zip(found, inbag.values, strict=True):
        fitted = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
        coef = fitted.fit(make_log_odds(p), y, sample_weight=counts.astype(float)).coef_[0]
        assert (coef > 0).all()
        np.testing.assert_allclose(own, coef / coef.sum(), atol=1e-5)


def test_logistic_stacking_holds_at_zero_what_would_be_negative() -> None:
    """At the best point no weight above 0 has a slope, and one at 0 has none downwards."""
    rng = np.random.default_rng(25)
    y = rng.integers(0, 2, 150).astype(float)
    x = (y - 0.5)[:, None] * np.array([1.5, 0.7, -1.0, -0.8]) + rng.standard_normal((150, 4))
    heavy = rng.integers(0, 4, 150).astype(float)
    found = ensembles.fit_logistic(x, y, heavy)
    kept = found > 0
    assert kept.tolist() == [True, True, False, False]
    free = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000)
    free.fit(x[:, kept], y, sample_weight=heavy)
    np.testing.assert_allclose(found[kept], free.coef_[0], atol=1e-5)
    chance = free.predict_proba(x[:, kept])[:, 1]
    assert (x[:, ~kept].T @ (heavy * (chance - y)) > 0).all()


def test_logistic_stacking_takes_several_classes_together_and_no_values() -> None:
    rng = np.random.default_rng(26)
    y = rng.integers(0, 3, 120)
    z = 1.5 * np.eye(3)[y][:, None, :] + rng.standard_normal((120, 4, 3))
    p = np.exp(z) / np.exp(z).sum(axis=2, keepdims=True)
    pi = en.Predictions.from_arrays(y, p, repeats=1)
    rule, metric = (
        en.rules.StackedEnsemble(method="logistic"),
        en.metric("log_loss").on("multiclass"),
    )
    (own,) = choose_ensembles(pi, metric, Weights.ones(120), rule)
    rows = make_log_odds(np.moveaxis(p, 2, 0).reshape(-1, 4))
    truth = np.concatenate([y == k for k in range(3)])
    coef = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(rows, truth).coef_[0]
    np.testing.assert_allclose(own, coef / coef.sum(), atol=1e-5)
    values = en.Predictions.from_arrays(rng.standard_normal(50), rng.standard_normal((50, 3)))
    with pytest.raises(en.errors.EvidenceError, match="classes"):
        en.estimate(values, metric="mse", selector=rule)
    with pytest.raises(en.errors.InputError, match="method"):
        en.rules.StackedEnsemble(method="ridge")


@pytest.mark.parametrize(
    "rule",
    [
        en.rules.GreedyEnsemble(size=7, guard=True),
        en.rules.TopAverage(k=2),
        en.rules.StackedEnsemble(method="logistic"),
    ],
    ids=lambda rule: rule.word,
)
def test_a_rule_is_read_back_from_its_name(rule: EnsembleRule) -> None:
    assert ensembles.read_rule(rule.name) == rule


def test_a_name_with_an_unknown_option_is_refused() -> None:
    assert ensembles.read_rule("pooled") is None
    with pytest.raises(en.errors.InputError, match="steps"):
        ensembles.read_rule("greedy_ensemble(steps=3)")


def test_the_score_of_an_ensemble_is_that_of_the_averaged_predictions() -> None:
    y, p = chances(70, 5, seed=15)
    pi = en.Predictions.from_arrays(y.astype(int), p)
    shares = np.array([[0.2, 0.0, 0.3, 0.0, 0.5], [0.0, 1.0, 0.0, 0.0, 0.0], np.zeros(5)])
    weights = draw(70, 3, seed=16)
    found = score_ensembles(pi, en.metric("roc_auc").on("binary"), weights, shares)
    for own, value, counts in zip(shares[:2], found, weights.values, strict=False):
        assert value == pytest.approx(area(y, p @ own, counts.astype(float)), abs=1e-12)
    assert np.isnan(found[2])
    np.testing.assert_allclose(blend(pi, shares[:1]).responses[:, 0, 0], p @ shares[0])


def test_a_guard_takes_the_single_best_where_the_rest_of_an_ensemble_is_noise() -> None:
    """One configuration knows all, and what an average adds to it is luck."""
    rng = np.random.default_rng(17)
    y = np.tile([0, 1], 40)
    known = np.clip(0.5 + 0.5 * (y - 0.5) + 0.2 * rng.standard_normal(80), 0, 1)
    p = np.column_stack([known, rng.random((80, 30))])
    pi = en.Predictions.from_arrays(y, p, fold=np.arange(80) // 2 % 10)
    inbag, metric = draw(80, 30, seed=18), en.metric("roc_auc").on("binary")
    free = choose_ensembles(pi, metric, inbag, en.rules.TopAverage(k=5))
    guarded = choose_ensembles(pi, metric, inbag, en.rules.TopAverage(k=5, guard=True))
    assert (np.count_nonzero(free, axis=1) == 5).all()
    assert (guarded[:, 0] == 1.0).mean() >= 0.9


def test_a_guard_keeps_an_ensemble_that_promises_more() -> None:
    """Ten configurations with errors of their own: their average is better than any."""
    rng = np.random.default_rng(19)
    y = np.tile([0, 1], 100)
    p = np.clip(0.5 + 0.3 * (y[:, None] - 0.5) + 0.2 * rng.standard_normal((200, 10)), 0, 1)
    pi = en.Predictions.from_arrays(y, p, fold=np.arange(200) // 2 % 10)
    inbag, metric = draw(200, 30, seed=20), en.metric("roc_auc").on("binary")
    guarded = choose_ensembles(pi, metric, inbag, en.rules.GreedyEnsemble(guard=True))
    assert (np.count_nonzero(guarded, axis=1) > 1).mean() >= 0.9


def test_a_guard_leaves_whole_folds_and_groups_out() -> None:
    y = np.tile([0, 1], 30)
    fold = np.arange(60) % 7
    pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random((60, 2)), fold=fold)
    parts = divide_cases(pi)
    assert set(parts) == set(range(5))
    assert all(len(set(parts[fold == k])) == 1 for k in range(7))
    groups = np.arange(60) // 3
    grouped = en.Predictions.from_arrays(y, np.random.default_rng(0).random((60, 2)), groups=groups)
    assert all(len(set(divide_cases(grouped)[groups == g])) == 1 for g in range(20))


def test_parts_left_out_keep_groups_whole_and_spread_the_classes() -> None:
    y = np.array([1] * 30 + [0] * 570)
    pi = en.Predictions.from_arrays(y, np.random.default_rng(0).random((600, 2)))
    inside = leave_parts_out(pi.target, np.random.default_rng(1))
    assert inside.shape == (10, 600)
    assert (inside.sum(axis=0) == 9).all()  # each case is left out once
    assert set((inside == 0)[:, y == 1].sum(axis=1)) == {3}
    groups = np.arange(600) // 4
    grouped = en.Predictions.from_arrays(y, pi.responses[:, :, 0], groups=groups)
    apart = leave_parts_out(grouped.target, np.random.default_rng(1))
    assert len(apart) == 27  # by 150 groups, not by 600 cases
    assert (apart.sum(axis=0) == 26).all()
    assert all((apart[:, groups == g] == apart[:, [4 * g]]).all() for g in range(150))


def test_more_partitions_extend_the_earlier_ones_of_cross_fitted_predictions() -> None:
    y, p = chances(120, 8, seed=21)
    pi = en.Predictions.from_arrays(y.astype(int), p)
    rule, metric = en.rules.GreedyEnsemble(size=5), en.metric("log_loss").on("binary")
    few = cross_fit(pi, metric, rule, Seeds(3), n_partitions=2)
    many = cross_fit(pi, metric, rule, Seeds(3), n_partitions=3, n_jobs=2)
    assert few is not None
    assert many is not None
    assert few.responses.shape == (120, 1, 2)
    assert few.responses.tobytes() == many.responses[:, :, :2].tobytes()


def test_no_ensemble_is_cross_fitted_where_a_class_is_in_one_group() -> None:
    """Without its group there is no class to choose by, so the resamples give the value."""
    y = np.array([1] * 10 + [0] * 50)
    p = np.random.default_rng(22).random((60, 3))
    pi = en.Predictions.from_arrays(y, p, groups=np.repeat(np.arange(6), 10))
    metric = en.metric("roc_auc").on("binary")
    assert cross_fit(pi, metric, en.rules.TopAverage(), Seeds(0), n_partitions=2) is None


@pytest.mark.parametrize(
    "make", [lambda: en.rules.GreedyEnsemble(size=0), lambda: en.rules.TopAverage(k=0),
             lambda: en.rules.StackedEnsemble(library=0)]
)  # fmt: skip
def test_an_ensemble_of_nothing_is_refused(make: Callable[[], EnsembleRule]) -> None:
    with pytest.raises(en.errors.InputError):
        make()
