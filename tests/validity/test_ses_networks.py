"""SES on random networks: the neighbours of the outcome are found, and little else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from earnest.learners import SES

COLUMNS, CASES, NETWORKS, ALPHA = 20, 1000, 40, 0.01


def network(rng: np.random.Generator) -> tuple[NDArray[np.float64], int, set[int]]:
    """Return a linear Gaussian network of sparse, strong arrows, a column as outcome, neighbours.

    All arrows are positive, so that no two paths cancel each other: where they do, a neighbour is
    independent of the outcome, and no test of independence can find it.
    """
    arrows = np.tril(rng.random((COLUMNS, COLUMNS)) < 2.0 / COLUMNS, k=-1)
    weights = arrows * rng.uniform(0.5, 1.0, arrows.shape)
    X = np.zeros((CASES, COLUMNS))
    for i in range(COLUMNS):
        X[:, i] = X @ weights[i] + rng.normal(size=CASES)
    outcome = int(rng.integers(COLUMNS // 2, COLUMNS))
    return X, outcome, set(np.flatnonzero(arrows[outcome] | arrows[:, outcome]).tolist())


@pytest.mark.slow
@pytest.mark.parametrize("classes", [False, True])
def test_neighbours_in_random_networks_are_found_and_others_are_not(classes: bool) -> None:
    rng = np.random.default_rng(2026)
    found = wanted = wrong = others = 0
    for _ in range(NETWORKS):
        X, outcome, near = network(rng)
        rest = [i for i in range(COLUMNS) if i != outcome]
        y = (X[:, outcome] > 0).astype(int) if classes else X[:, outcome]
        chosen = {rest[i] for i in SES(alpha=ALPHA).fit(X[:, rest], y).selected_}
        if not near:
            continue  # a column is kept all the same
        found += len(chosen & near)
        wanted += len(near)
        wrong += len(chosen - near)
        others += len(rest) - len(near)
    # Halving the outcome loses information, so classes may miss a few more. A column that is no
    # neighbour may stay by chance (ALPHA at most for one test), or because a neighbour is missed.
    assert found / wanted >= (0.9 if classes else 0.95)
    assert wrong / others <= 2 * ALPHA
