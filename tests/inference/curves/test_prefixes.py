"""The scores of prefixes against the estimate run on each prefix, and against all orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions
from earnest.core import Seeds, first_best, in_units_of_the_best
from earnest.errors import EvidenceError
from earnest.inference import ResampledSelection
from earnest.inference.curves.prefixes import (
    Order,
    find_changes,
    mark_prefixes,
    order_chances,
    score_prefixes,
)
from earnest.methods import BBC
from earnest.metrics import METRICS
from earnest.metrics.families import Metric
from earnest.resampling import UndefinedRule
from earnest.testing import example_predictions

EXACT = 1e-12
CHOOSING = [metric.name for metric in METRICS.values() if metric.ideal is None]
B = 70  # more than a block of 64


def measure(pi: Predictions, name: str) -> Metric:
    return en.metric(name).on(pi.target.task)


def check_prefixes(
    pi: Predictions, name: str, *, undefined: str = "redraw", n: int = B, some: bool = False
) -> None:
    """Hold every prefix, or the second and the last, to the estimate of its configurations."""
    selection = ResampledSelection(Seeds(3), n_resamples=n, undefined=UndefinedRule(undefined))
    found = score_prefixes(pi.usable(), measure(pi, name), selection)
    method = BBC(n_resamples=n, undefined=undefined)
    assert list(found.marks) == list(range(1, pi.usable().n_configs + 1))
    for k in (2, pi.usable().n_configs) if some else found.marks:
        prefix = pi.usable().select(range(k))
        try:
            made = en.estimate(prefix, metric=name, method=method, rng=3)
        except EvidenceError:
            assert np.isnan(found.corrected[k - 1]) or np.isnan(found.naive[k - 1])
            continue
        assert made.interval is not None
        assert found.corrected[k - 1] == pytest.approx(made.value, abs=EXACT)
        assert found.naive[k - 1] == pytest.approx(made.naive, abs=EXACT)
        assert found.low[k - 1] == pytest.approx(made.interval.low, abs=EXACT)
        assert found.high[k - 1] == pytest.approx(made.interval.high, abs=EXACT)


TASKS = ("binary", "multiclass", "regression", "survival", "survival at times")


def make_example(task: str) -> Predictions:
    if task == "survival at times":
        return example_predictions("survival", response="survival")
    return example_predictions(task)


def fitting() -> list[tuple[str, str]]:
    """Return every registered metric that chooses, with a task that it fits."""
    pairs = []
    for name in CHOOSING:
        for task in TASKS:
            pi = make_example(task)
            try:
                en.kernels.score_table(pi, name, np.ones((1, pi.n_cases)))
            except en.errors.EarnestError:
                continue
            pairs.append((task, name))
            break
    return pairs


@pytest.mark.parametrize(("task", "name"), fitting())
def test_a_prefix_has_the_estimate_of_its_configurations(task: str, name: str) -> None:
    check_prefixes(make_example(task), name, some=name not in ("roc_auc", "mse", "f1"))


def test_every_registered_metric_is_held_here() -> None:
    assert {name for _, name in fitting()} == set(CHOOSING)


def table(rng: np.random.Generator, n: int = 60, configs: int = 9) -> Predictions:
    y = np.arange(n) % 2
    scores = 0.8 * y[:, None] + rng.standard_normal((n, configs))
    return en.Predictions.from_arrays(y, scores, np.arange(n) // 2 % 5)


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "f1", "log_loss", "average_precision"])
def test_groups_go_together(name: str) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    raw = 1 / (1 + np.exp(-(0.8 * y[:, None] + rng.standard_normal((60, 7)))))
    groups = np.repeat(np.arange(20), [2, 4] * 10)
    pi = en.Predictions.from_arrays(y, raw, groups % 5, groups=groups)
    check_prefixes(pi, name)


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "r2"])
def test_repeats_go_together(name: str) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(40) % 2 if name != "r2" else rng.standard_normal(40)
    raw = 0.8 * y[:, None, None] + rng.standard_normal((40, 4, 3))
    fold = np.stack([rng.permutation(40) % 4 for _ in range(3)], axis=1)
    check_prefixes(en.Predictions.from_arrays(y, raw, fold), name)


def test_ties_go_to_the_first_of_the_prefix() -> None:
    rng = np.random.default_rng(3)
    pi = table(rng, n=24, configs=3)
    twice = [0, 1, 0, 2, 1]
    pi = en.Predictions.from_arrays(pi.target.y, pi.responses[:, twice, 0], pi.folds[:, 0])
    for name in ("accuracy", "roc_auc", "recall"):
        check_prefixes(pi, name)


def test_scores_in_any_unit_have_the_same_ties() -> None:
    rng = np.random.default_rng(4)
    y = rng.standard_normal(30)
    raw = y[:, None] + rng.standard_normal((30, 5))
    for size in (1e-8, 1.0, 1e8):
        check_prefixes(en.Predictions.from_arrays(size * y, size * raw), "mse")
        check_prefixes(en.Predictions.from_arrays(size * y, size * raw), "rmse", some=True)


def test_incomplete_configurations_are_left_out() -> None:
    pi = table(np.random.default_rng(5))
    raw = pi.responses[:, :, 0].copy()
    raw[pi.folds[:, 0] == 2, 0] = np.nan
    raw[pi.folds[:, 0] == 1, 4] = np.nan
    pi = en.Predictions.from_arrays(pi.target.y, raw, pi.folds[:, 0])
    assert pi.usable().n_configs == 7
    check_prefixes(pi, "roc_auc")


@pytest.mark.parametrize("undefined", ["redraw", "drop"])
@pytest.mark.parametrize("name", ["spearman", "pearson"])
def test_undefined_resamples_are_drawn_again_for_each_prefix_alone(
    name: str, undefined: str
) -> None:
    rng = np.random.default_rng(6)
    n = 14
    y = rng.standard_normal(n)
    raw = y[:, None] + rng.standard_normal((n, 4))
    raw[1:, 0] = raw[3:, 1] = 0.0  # constant up to one case, or to three
    pi = en.Predictions.from_arrays(y, raw)
    metric = measure(pi, name)
    inbag = rng.multinomial(n, np.full(n, 1 / n), 50).astype(np.uint8)
    assert np.isnan(en.kernels.score_table(pi.select([0, 1]), metric, (inbag == 0) * 1)).any()
    check_prefixes(pi, name, undefined=undefined)


def test_a_prefix_of_configurations_without_a_score_has_none() -> None:
    rng = np.random.default_rng(7)
    y = rng.standard_normal(20)
    raw = y[:, None] + rng.standard_normal((20, 4))
    raw[:, :2] = 1.0  # no correlation with a constant
    pi = en.Predictions.from_arrays(y, raw)
    found = score_prefixes(pi, measure(pi, "pearson"), ResampledSelection(Seeds(0), n_resamples=40))
    assert np.isnan(found.corrected[:2]).all()
    assert np.isfinite(found.corrected[2:]).all()
    assert np.isnan(found.naive[:2]).all()


@pytest.mark.parametrize("has_unit", [True, False])
def test_changes_are_the_first_best_of_every_prefix(has_unit: bool) -> None:
    rng = np.random.default_rng(8)
    gains = rng.integers(0, 6, (300, 25)) / 5.0 - 0.5
    gains += rng.choice([0.0, 3e-13, 8e-13, -5e-13, 1.6e-12], gains.shape)  # nearly tied
    gains[rng.random(gains.shape) < 0.1] = np.nan
    gains[:5] = np.nan
    changes = find_changes(gains, has_unit=has_unit)
    place = changes.expand(*gains.shape)
    for k in range(1, 26):
        part = gains[:, :k]
        want = first_best(part if has_unit else in_units_of_the_best(part[None])[0])
        got = changes.name(place[:, k - 1])
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", ["roc_auc", "accuracy", "f1", "mse", "r2", "average_precision"])
def test_the_mean_over_orders_is_that_of_all_permutations(name: str) -> None:
    rng = np.random.default_rng(9)
    y = rng.standard_normal(30) if name in ("mse", "r2") else np.arange(30) % 2
    raw = y[:, None] + rng.standard_normal((30, 4))
    raw[:, 3] = raw[:, 1]  # tied always, and others by chance
    pi = en.Predictions.from_arrays(y, raw)
    metric, selection = measure(pi, name), ResampledSelection(Seeds(5), n_resamples=B)
    found = score_prefixes(pi, metric, selection, order=Order.MEAN, marks=[])
    every = [
        score_prefixes(pi.select(list(order)), metric, selection, marks=[])
        for order in permutations(range(4))
    ]
    np.testing.assert_allclose(found.naive, np.mean([e.naive for e in every], axis=0), atol=EXACT)
    mean = np.mean([e.corrected for e in every], axis=0)
    np.testing.assert_allclose(found.corrected, mean, atol=EXACT)
    ahead = np.mean([e.ahead for e in every], axis=0)
    np.testing.assert_allclose(found.ahead, ahead, atol=EXACT)
    wins = np.zeros(4)
    for order, one in zip(permutations(range(4)), every, strict=True):
        wins[list(order)] += one.wins / len(every)
    np.testing.assert_allclose(found.wins, wins, atol=EXACT)


def test_chances_of_ranks_are_those_of_all_subsets() -> None:
    chances = order_chances(6)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, atol=EXACT)
    for k in range(1, 7):
        best = [min(order[:k]) for order in permutations(range(6))]
        np.testing.assert_allclose(chances[k - 1], np.bincount(best, minlength=6) / 720, atol=EXACT)


def test_many_configurations_are_marked_on_a_log_scale_with_both_ends() -> None:
    marks = mark_prefixes(2000)
    assert (marks[0], marks[-1]) == (1, 2000)
    assert len(marks) <= 50
    assert (np.diff(marks) > 0).all()


def test_threads_change_no_bit() -> None:
    pi = table(np.random.default_rng(10), n=40, configs=30)
    for order in Order:
        one, two = (
            score_prefixes(
                pi, measure(pi, "roc_auc"), ResampledSelection(Seeds(1)), order=order, n_jobs=jobs
            )
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.corrected, two.corrected)
        np.testing.assert_array_equal(one.low, two.low)
