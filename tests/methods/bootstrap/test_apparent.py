"""The apparent score."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=1)
    expected = oracles.apparent(made, score)
    answer = en.estimate(made, method="apparent", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


def test_it_flatters_a_learner_that_remembers() -> None:
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((40, 3)), np.tile([0, 1], 20)  # nothing to learn
    made = en.bootstrap_train(KNeighborsClassifier(1), X, y, n_replicates=20, rng=0)
    answer = en.estimate(made, method="resubstitution", metric="accuracy")
    assert (answer.value, answer.interval, answer.optimism) == (1.0, None, 0.0)
    assert "training cases" in answer.estimand
