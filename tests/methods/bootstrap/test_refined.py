"""The refined bootstrap."""

from __future__ import annotations

import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=3)
    expected = oracles.refined(made, score)
    answer = en.estimate(made, method="refined", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)
