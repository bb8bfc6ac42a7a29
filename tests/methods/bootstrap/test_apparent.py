"""The apparent score."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import check_method, example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12
ASKED = [
    ("binary", "error_rate", oracles.error_rate),
    ("binary", "accuracy", oracles.accuracy),
    ("regression", "mse", oracles.mse),
    ("regression", "mae", oracles.mae),
    ("binary", "roc_auc", oracles.auc),
    ("survival", "concordance", oracles.auc),
]


@pytest.mark.parametrize(("task", "metric", "score"), ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=1)
    expected = oracles.apparent(made, score)
    answer = en.estimate(made, method="apparent", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


@pytest.mark.parametrize(("task", "metric"), [("regression", "r2"), ("binary", "f1")])
def test_it_keeps_the_contract_for_functions_of_sums(task: str, metric: str) -> None:
    assert check_method(
        en.Apparent(), predictions=example_replicates(task, n_replicates=80), metric=metric
    )


@pytest.mark.parametrize(("task", "metric"), [("binary", "roc_auc")])
def test_it_keeps_the_contract_for_metrics_of_pairs(task: str, metric: str) -> None:
    assert check_method(
        en.Apparent(), predictions=example_replicates(task, n_replicates=80), metric=metric
    )


def test_it_flatters_a_learner_that_remembers() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((40, 3)), np.tile([0, 1], 20)  # nothing to learn
    made = en.bootstrap_train(KNeighborsClassifier(1), X, y, n_replicates=20, rng=0)
    answer = en.estimate(made, method="resubstitution", metric="accuracy")
    assert (answer.value, answer.interval, answer.optimism) == (1.0, None, 0.0)
    assert "training cases" in answer.estimand
