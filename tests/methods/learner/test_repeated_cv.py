"""Repeated cross-validation and its influence-function error."""

from __future__ import annotations

import numpy as np
import pytest

from earnest import Predictions, estimate
from earnest.errors import EvidenceError, MetricError
from earnest.methods.learner.repeated_cv import InfluenceVariance, _few_repeats
from tests.methods.learners import cross_validated, line_data, random_folds

X, Y = line_data(30)
FOLDS = random_folds(30, 5, 8)
GUESS = cross_validated(X, Y, FOLDS)
PI = Predictions.from_arrays(Y, GUESS[:, None, :], FOLDS)


def slow_variance(losses: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """Return the variance by the formula, case by case, and the part of the tests alone."""
    n, repeats = losses.shape
    own = losses.mean(axis=1)
    size = n / (folds.max() + 1)
    share = (size - 1) / (n - 1)
    shrunk = (repeats - 1) * (1 - share) / (repeats - 1 + share) / repeats
    total = 0.0
    for i in range(n):
        each = []
        for m in range(repeats):
            beside = [j for j in range(n) if j != i and folds[j, m] == folds[i, m]]
            size = len(beside) + 1
            each.append(-n / size * sum(losses[j, m] - own[j] for j in beside))
        total += (own[i] - own.mean() + np.mean(each)) ** 2 - np.var(each, ddof=1) * shrunk
    alone = ((own - own.mean()) ** 2).sum()
    return max(total, alone) / n**2, alone / n**2


def test_value_and_error_are_those_of_the_formula() -> None:
    losses = (GUESS - Y[:, None]) ** 2
    made = estimate(PI, method="repeated_cv", metric="mse")
    variance, alone = slow_variance(losses, FOLDS)
    assert made.value == pytest.approx(losses.mean(), abs=1e-12)
    assert made.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert made.details.tested == pytest.approx(alone, rel=1e-9)


def test_a_case_that_the_others_need_for_training_carries_the_error() -> None:
    # All others lose 1 where case 0 is tested beside them and not trained on. With four folds of
    # five and e the share of repeats in which a case lies beside case 0, its influence is
    # -(20 / 5) * 4 * (1 - e) for training, and -s for the tests, whatever the repeat. Seed 3.
    n = 20
    folds = random_folds(n, 4, 200, seed=3)
    losses = (folds == folds[0]).astype(float)
    losses[0] = 0.0
    pi = Predictions.from_arrays(np.zeros(n), np.sqrt(losses)[:, None, :], folds, task="regression")
    made = estimate(pi, method="repeated_cv", metric="mse")
    variance, _ = slow_variance(losses, folds)
    assert made.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    own = 16 * (1 - losses[1:].mean()) + losses.mean()
    assert own**2 < made.details.total * n**2 < 1.1 * own**2  # the other nineteen add a little


def test_groups_are_summed_before_they_are_squared() -> None:
    groups = np.repeat(np.arange(10), 3)
    folds = np.stack([np.random.default_rng(r).permutation(10)[groups] % 5 for r in range(6)], 1)
    guess = cross_validated(X, Y, folds)
    pi = Predictions.from_arrays(Y, guess[:, None, :], folds, groups=groups)
    made = estimate(pi, method="repeated_cv", metric="mse")
    own = ((guess - Y[:, None]) ** 2).mean(axis=1)
    sums = np.bincount(groups, weights=own - own.mean())
    assert made.details.tested == pytest.approx(10 / 9 * (sums**2).sum() / 900, rel=1e-9)
    assert "EN020" in {c.code for c in made.cautions}


def test_one_partition_is_refused() -> None:
    pi = Predictions.from_arrays(Y, GUESS[:, :1], FOLDS[:, :1])
    with pytest.raises(EvidenceError, match="n_repeats"):
        estimate(pi, method="repeated_cv", metric="mse")


def test_repeats_that_show_noise_alone_are_told_of() -> None:
    # answers that hardly change need few repeats; those that change at random very many. Seed 2.
    noise = np.random.default_rng(2).normal(size=(30, 1, 8))
    for size, told in ((1e-3, False), (1.0, True)):
        pi = Predictions.from_arrays(Y, GUESS[:, :1, None] + size * noise, FOLDS)
        made = estimate(pi, method="repeated_cv", metric="mse")
        cures = [c.cure for c in made.cautions if c.code == "EN018"]
        assert bool(cures) == told
    assert int(cures[0].split("=")[1].split()[0]) >= 10


def test_an_auc_and_functions_of_sums_are_answered_with_a_note() -> None:
    rng = np.random.default_rng(5)
    y, folds = np.tile([0, 1], 30), np.stack([rng.permutation(30) % 3 for _ in range(10)], 1)
    folds = np.repeat(folds, 2, axis=0)
    scores = y[:, None, None] + rng.normal(size=(60, 1, 1)) + 0.2 * rng.normal(size=(60, 1, 10))
    pi = Predictions.from_arrays(y, scores, folds, response="decision")
    for metric in ("roc_auc", "f1"):
        made = estimate(pi, method="repeated_cv", metric=metric)
        assert "EN031" in {c.code for c in made.cautions}
        assert made.standard_error > 0
    with pytest.raises(MetricError):
        estimate(pi, method="repeated_cv", metric="average_precision")


def test_labels_that_are_all_right_have_the_rule_of_three() -> None:
    y = np.tile([0, 1], 20)
    folds = random_folds(40, 4, 3)
    pi = Predictions.from_arrays(y, np.tile(y[:, None, None], (1, 1, 3)), folds, response="label")
    made = estimate(pi, method="repeated_cv", metric="accuracy")
    assert made.interval is not None
    assert made.interval.low == pytest.approx(0.025 ** (1 / 40), abs=1e-9)
    assert "EN035" in {c.code for c in made.cautions}


def test_repeats_may_lack_cases() -> None:
    guess, folds = GUESS.copy(), FOLDS.copy()
    guess[FOLDS[:, 1] == 0, 1], folds[FOLDS[:, 1] == 0, 1] = np.nan, -1
    pi = Predictions.from_arrays(Y, guess[:, None, :], folds)
    made = estimate(pi, method="repeated_cv", metric="mse")
    whole = estimate(PI, method="repeated_cv", metric="mse")
    assert made.value == pytest.approx(whole.value, rel=0.1)
    assert 0 < made.standard_error < 2 * whole.standard_error


def test_repeats_that_show_noise_alone_are_told_without_a_number() -> None:
    (caution,) = _few_repeats(3, InfluenceVariance(total=1.0, tested=0.0, trained=0.0, noise=1.0))
    assert caution.code == "EN018"
