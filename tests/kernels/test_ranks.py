"""The order of columns is kept with the predictions, and changes nothing but the time."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import earnest as en
from earnest.core.data import predictions
from earnest.kernels import compiled, fold_scores, ranks, score_selected, score_table
from earnest.resampling import Weights
from tests.kernels.test_compiled import bootstrap

N, CONFIGS, RESAMPLES = 150, 12, 70


def made(*, survival: bool = False, repeats: int = 1, gaps: bool = False) -> en.Predictions:
    """Return predictions with ties; with gaps each repeat leaves other cases untested."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, N)
    scores = np.round(y[:, None, None] + rng.standard_normal((N, CONFIGS, repeats)), 1)
    fold = np.stack([np.arange(N) % 5 for _ in range(repeats)], axis=1)
    if gaps:
        for repeat in range(repeats):
            fold[repeat::9, repeat] = -1
            scores[repeat::9, :, repeat] = np.nan
    if survival:
        return en.Predictions.from_arrays((rng.random(N), y.astype(bool)), scores, fold)
    return en.Predictions.from_arrays(y, scores, fold, response="decision")


@pytest.fixture
def sorted_columns(monkeypatch) -> list[int]:
    """How many columns each call has sorted."""
    counts: list[int] = []
    real = compiled.rank

    def rank(values, labels):
        counts.append(len(values))
        return real(values, labels)

    monkeypatch.setattr(compiled, "rank", rank)
    return counts


QUESTIONS = [
    ("roc_auc", {}),
    ("roc_auc", {"repeats": 3}),
    ("roc_auc", {"repeats": 2, "gaps": True}),
    ("average_precision", {}),
    ("concordance", {"survival": True}),
]


@pytest.mark.parametrize(("metric", "options"), QUESTIONS)
def test_a_second_question_sorts_nothing_and_has_the_same_bits(
    metric, options, sorted_columns, monkeypatch
):
    pi, rng = made(**options), np.random.default_rng(1)
    counts = Weights(bootstrap(rng, N, RESAMPLES))
    chosen = rng.integers(0, CONFIGS, RESAMPLES)
    first = score_table(pi, metric, counts)
    assert sum(sorted_columns) == CONFIGS * pi.n_repeats
    sorted_columns.clear()
    again = score_table(pi, metric, counts, n_jobs=3)
    picked = score_selected(pi, metric, counts, chosen)
    folds = fold_scores(pi, metric)
    assert sum(sorted_columns) == 0
    monkeypatch.setattr(ranks, "KEPT_BYTES", 0)
    fresh = made(**options)
    for _ in range(2):
        assert_array_equal(score_table(fresh, metric, counts), first)
    assert sum(sorted_columns) == 2 * CONFIGS * pi.n_repeats
    assert_array_equal(again, first)
    assert_array_equal(score_selected(fresh, metric, counts, chosen), picked)
    assert_array_equal(fold_scores(fresh, metric), folds)


def test_metrics_of_the_same_order_share_it(sorted_columns):
    pi, counts = made(), bootstrap(np.random.default_rng(1), N, RESAMPLES)
    score_table(pi, "roc_auc", counts)
    score_table(pi, "average_precision", counts)
    assert sum(sorted_columns) == CONFIGS


def test_each_fold_under_weights_has_an_order_of_its_own():
    pi, counts = made(), Weights(bootstrap(np.random.default_rng(1), N, 400))
    score_table(pi, "roc_auc", counts)
    found = fold_scores(pi, "roc_auc", counts)
    for fold in range(5):
        rows = np.flatnonzero(pi.folds[:, 0] == fold)
        expected = score_table(pi.take(rows), "roc_auc", counts.values[:, rows])
        assert_array_equal(found[fold], expected)


def test_a_column_that_wins_is_sorted_once_whoever_asks_first(sorted_columns):
    pi, rng = made(), np.random.default_rng(1)
    counts = bootstrap(rng, N, 400)
    columns = rng.integers(0, 2, 400)
    picked = score_selected(pi, "roc_auc", counts, columns)
    assert sum(sorted_columns) <= 2
    table = score_table(pi, "roc_auc", counts)
    assert_array_equal(table[np.arange(400), columns], picked)


AGAIN = {
    "the same": lambda pi: en.estimate(pi, metric="roc_auc", n_resamples=200, rng=2),
    "another method": lambda pi: en.estimate(pi, method="near_winner", metric="roc_auc", rng=1),
    "by folds": lambda pi: en.estimate(pi, method="bbc_fold", metric="roc_auc", rng=1),
    "another metric": lambda pi: en.estimate(pi, metric="average_precision", rng=1),
    "gain": lambda pi: en.gain(pi, metric="roc_auc", n_resamples=200, rng=1),
}


@pytest.mark.parametrize("question", AGAIN)
@pytest.mark.parametrize("missing", [False, True])
def test_a_second_question_about_predictions_sorts_nothing(question, missing, sorted_columns):
    pi = searched(missing=missing)
    en.estimate(pi, metric="roc_auc", n_resamples=200, rng=1)
    assert sum(sorted_columns) == pi.usable().n_configs
    sorted_columns.clear()
    AGAIN[question](pi)
    assert sorted_columns == []


@pytest.mark.parametrize("missing", [False, True])
def test_a_report_sorts_no_more_than_the_few_columns_that_it_shows_alone(missing, sorted_columns):
    pi = searched(missing=missing)
    en.estimate(pi, metric="roc_auc", n_resamples=200, rng=1)
    if missing:  # the page also shows the configuration that no estimate looks at
        fold_scores(pi, "roc_auc")
    sorted_columns.clear()
    en.report(pi, metric="roc_auc", rng=1)
    assert max(sorted_columns, default=0) < 10


def searched(*, missing: bool) -> en.Predictions:
    """Return predictions of thirty configurations, of which one may lack a fold."""
    rng, fold = np.random.default_rng(0), np.arange(400) // 2 % 5
    y = np.tile([0, 1], 200)
    scores = y[:, None] + rng.standard_normal((400, 30))
    if missing:
        scores[fold == 2, 7] = np.nan
    return en.Predictions.from_arrays(y, scores, fold, response="decision")


def test_the_usable_part_is_kept_up_to_a_bound_and_goes_with_the_predictions(monkeypatch):
    pi = searched(missing=True)
    part = weakref.ref(pi.usable())
    assert pi.usable() is part()
    assert pickle.loads(pickle.dumps(pi)).usable() is not part()
    del pi
    gc.collect()
    assert part() is None
    monkeypatch.setattr(predictions, "KEPT_BYTES", 0)
    large = searched(missing=True)
    assert large.usable() is not large.usable()


def test_orders_go_with_the_predictions():
    pi = made()
    score_table(pi, "roc_auc", bootstrap(np.random.default_rng(1), N, RESAMPLES))
    kept = weakref.ref(ranks.RankKeeper(pi, en.metric("roc_auc").needs, 0).find(None, pi.target.y))
    assert kept() is not None
    del pi
    gc.collect()
    assert kept() is None
