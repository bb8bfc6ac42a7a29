"""Who wins, in-bag and on the sample itself."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest import Predictions, Weights, metric
from earnest.core.data.selection import MeanOfFolds, OneStandardError, Pooled
from earnest.inference.resampling import winners as module
from earnest.inference.resampling.winners import defined_folds, winner, winners
from earnest.kernels import contest
from earnest.testing import squared_error
from tests.methods import oracles

AUC = metric("roc_auc")


def some_counts(n: int, b: int = 30, seed: int = 0) -> Weights:
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), b)
    return Weights(draws.astype(np.uint8))


def test_the_winner_of_the_sample_is_the_winner_of_weights_one(binary: Predictions) -> None:
    best, score, scores = winner(binary, AUC, Pooled())
    assert [best] == winners(binary, AUC, Weights.ones(60), Pooled()).tolist()
    assert score == scores[best] == scores.max()


def test_in_bag_winners_equal_the_plain_loop(binary: Predictions) -> None:
    y, scores, weights = binary.target.y, binary.responses[:, :, 0], some_counts(60)
    plain = []
    for count in weights.values:
        rows = np.repeat(np.arange(60), count)
        plain.append(oracles.first_best([oracles.auc(y[rows], scores[rows, c]) for c in range(5)]))
    np.testing.assert_array_equal(winners(binary, AUC, weights, Pooled()), plain)


def test_a_loss_is_won_by_the_smallest(regression: Predictions) -> None:
    best, score, scores = winner(regression, squared_error, Pooled())
    assert best == int(scores.argmin())
    assert score == scores.min()


def test_the_short_cut_for_means_names_the_same_winners(
    regression: Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = some_counts(40, b=200, seed=2)
    plain = winners(regression, squared_error, weights, Pooled())
    monkeypatch.setattr(contest, "WORTH", 0.0)
    taken = []
    real = module.contest

    def spy(*args: object, **more: object) -> object:
        taken.append(real(*args, **more))
        return taken[-1]

    monkeypatch.setattr(module, "contest", spy)
    np.testing.assert_array_equal(winners(regression, squared_error, weights, Pooled()), plain)
    assert len(taken) == 1
    np.testing.assert_array_equal(taken[0], plain)


def test_rules_that_look_at_folds_are_for_means_only_on_resampled_cases(
    binary: Predictions,
) -> None:
    weights = some_counts(60)
    for selector in (MeanOfFolds(), OneStandardError()):
        assert len(winners(binary, metric("accuracy"), weights, selector)) == 30
        with pytest.raises(en.MetricError, match="resampled cases"):
            winners(binary, AUC, weights, selector)


def test_a_metric_undefined_for_every_configuration_is_refused() -> None:
    pi = Predictions.from_arrays([0.0, 1.5, 2.0], np.ones((3, 2)), task="regression")
    with pytest.raises(en.EvidenceError, match="undefined"):
        winner(pi, metric("pearson"), Pooled())


def test_folds_undefined_for_all_are_left_out() -> None:
    scores = np.array([[[np.nan, np.nan]], [[0.3, np.nan]], [[0.1, 0.2]]])
    np.testing.assert_array_equal(defined_folds(scores), scores[1:])
    with pytest.raises(en.EvidenceError):
        defined_folds(scores[:1])
