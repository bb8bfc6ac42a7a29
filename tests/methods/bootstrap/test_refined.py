"""The refined bootstrap."""

from __future__ import annotations

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
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=3)
    expected = oracles.refined(made, score)
    answer = en.estimate(made, method="refined", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


@pytest.mark.parametrize(("task", "metric"), [("regression", "r2"), ("binary", "f1")])
def test_it_keeps_the_contract_for_functions_of_sums(task: str, metric: str) -> None:
    assert check_method(
        en.Refined(), predictions=example_replicates(task, n_replicates=80), metric=metric
    )


@pytest.mark.parametrize(("task", "metric"), [("binary", "roc_auc")])
def test_it_keeps_the_contract_for_metrics_of_pairs(task: str, metric: str) -> None:
    assert check_method(
        en.Refined(), predictions=example_replicates(task, n_replicates=80), metric=metric
    )
