"""The simple bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

import earnest as en
from earnest.testing import example_replicates
from tests.methods import replicate_oracles as oracles

EXACT = 1e-12


@pytest.mark.parametrize(("task", "metric", "score"), oracles.ASKED)
def test_it_is_the_plain_loop(task: str, metric: str, score: oracles.Score) -> None:
    made = example_replicates(task, n_cases=24, n_replicates=30, seed=2)
    expected = oracles.simple(made, score)
    answer = en.estimate(made, method="simple_bootstrap", metric=metric)
    assert answer.value == pytest.approx(expected, abs=EXACT)
    assert answer.naive == pytest.approx(oracles.apparent(made, score), abs=EXACT)


def test_a_metric_that_is_never_defined_is_refused() -> None:
    made = example_replicates("regression", n_cases=20, n_replicates=5)
    flat = en.Replicates(
        target=made.target,
        responses=np.zeros((5, 20)),
        counts=made.counts,
        apparent=made.apparent,
        kind=made.kind,
    )
    with pytest.raises(en.errors.EvidenceError, match="undefined for every replicate"):
        en.estimate(flat, method="sb", metric="pearson")
