"""Nothing depends on the unit of the outcome, and a subclass keeps its own rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import explained_variance_score, r2_score

import earnest as en
from earnest.core import first_best, in_units_of_the_best
from earnest.kernels import contest
from earnest.resampling import Weights
from earnest.rules import MeanOfFolds, Pooled

SEED = 11
FOLD = np.arange(200) % 5


def regression(scale: float) -> en.Predictions:
    """Return five configurations from bad to good, with outcomes in some unit."""
    rng = np.random.default_rng(SEED)
    y = rng.standard_normal(200)
    scores = y[:, None] + rng.standard_normal((200, 5)) * [3, 2, 1.5, 1, 0.2]
    return en.Predictions.from_arrays(y * scale, scores * scale, FOLD, task="regression")


@pytest.mark.parametrize("scale", [1e-12, 1e-7, 1e-3, 1e9])
@pytest.mark.parametrize(("metric", "power"), [("mse", 2), ("rmse", 1), ("mae", 1)])
@pytest.mark.parametrize("method", ["bbc", "bbc_fold", "naive", "tibshirani"])
def test_the_winner_and_the_value_do_not_depend_on_the_unit(
    scale: float, metric: str, power: int, method: str
) -> None:
    plain, scaled = (
        en.estimate(regression(s), method=method, metric=metric, rng=SEED) for s in (1.0, scale)
    )
    assert scaled.winner == plain.winner == "c4"
    # Scaling by a power of ten rounds each number once: some 1e-16 of it.
    assert scaled.value / scale**power == pytest.approx(plain.value, rel=1e-9)
    assert {c.code for c in scaled.cautions} == {c.code for c in plain.cautions}


def test_gains_in_units_of_the_best_keep_their_order_and_their_ties() -> None:
    gains = -np.array([[[2e-20, 1e-20, 1e-20 * (1 + 1e-15), np.nan]]])
    assert first_best(gains[0]).tolist() == [0]  # on the scale of 1 all are tied
    assert first_best(in_units_of_the_best(gains)[0]).tolist() == [1]


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_contest_and_table_agree_on_small_losses(name: str) -> None:
    pi, metric = regression(3e-7), en.metric(name)
    rng = np.random.default_rng(SEED)
    weights = Weights(rng.multinomial(200, np.full(200, 1 / 200), 50).astype(np.uint8))
    table = -en.kernels.score_table(pi, metric, weights)
    found = contest.contest(pi, metric, weights)
    assert found is not None
    assert_array_equal(found, first_best(in_units_of_the_best(table[None])[0]))


@pytest.mark.parametrize("apart", [1e3, 1e5, 1e7])
def test_fold_scores_keep_their_digits_where_folds_lie_far_apart(apart: float) -> None:
    rng = np.random.default_rng(SEED)
    fold = np.arange(100) // 20
    y = apart * fold + rng.standard_normal(100)
    score = y + 0.5 * rng.standard_normal(100)
    pi = en.Predictions.from_arrays(y, score, fold)
    for name, oracle in (("r2", r2_score), ("explained_variance", explained_variance_score)):
        expected = np.mean([oracle(y[fold == k], score[fold == k]) for k in range(5)])
        found = en.estimate(pi, method="naive", metric=name).value
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("far", [1e6, 1e8])
def test_a_far_case_without_weight_costs_no_digits(far: float) -> None:
    rng = np.random.default_rng(SEED)
    y = np.append(rng.standard_normal(99), far)
    score = y + 0.5 * rng.standard_normal(100)
    pi = en.Predictions.from_arrays(y, score)
    weights = np.append(np.ones(99, dtype=np.uint8), np.uint8(0))[None]
    expected = {
        "r2": r2_score(y[:99], score[:99]),
        "explained_variance": explained_variance_score(y[:99], score[:99]),
        "pearson": np.corrcoef(y[:99], score[:99])[0, 1],
    }
    for name, value in expected.items():
        assert_allclose(en.kernels.score_table(pi, name, weights), [[value]], rtol=0, atol=1e-12)


class Worst(MeanOfFolds):
    """The worst mean of folds."""

    name = "worst"

    def __call__(self, gains: Any, simplicity: Any) -> Any:
        return np.argmin(gains.mean(axis=0), axis=1)


class WorstPooled(Pooled):
    """The worst pooled score."""

    name = "worst_pooled"

    def __call__(self, gains: Any, simplicity: Any) -> Any:
        return np.argmin(gains[0], axis=1)


def test_a_subclass_of_a_selector_keeps_its_own_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "WORTH", 0)
    for method in (en.methods.BBCFold(selector=Worst()), en.methods.BBC(selector=WorstPooled())):
        made = en.estimate(regression(1.0), method=method, metric="mse", rng=SEED)
        assert made.winner == "c0"
        assert made.details.win_share[0] > 0.9


def test_the_bound_of_a_contest_is_as_wide_as_it_must_be() -> None:
    """Two columns whose losses round against each other: a narrower bound would swap them."""
    n, k = 2000, 500
    step = 1 / np.floor((2**24 - 1) / n)
    y, i = np.arange(n) % 2, np.arange(n)

    def probability(loss: Any) -> Any:
        return np.where(y == 1, 1 - np.sqrt(loss), np.sqrt(loss))

    even = np.full(n, (k + 0.6) * step)
    uneven = np.where(i // 2 % 2, (k + 0.45) * step, (k + 0.9) * step)
    scores = np.column_stack([probability(uneven), probability(even)])
    pi = en.Predictions.from_arrays(y, scores, response="probability")
    rng = np.random.default_rng(SEED)
    weights = Weights(rng.multinomial(n, np.full(n, 1 / n), 200).astype(np.uint8))
    metric = en.metric("brier").on("binary")
    found = contest.contest(pi, metric, weights)
    assert found is not None
    assert_array_equal(found, en.kernels.score_table(pi, metric, weights).argmin(axis=1))
