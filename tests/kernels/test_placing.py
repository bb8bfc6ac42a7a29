"""Compiled placements against all pairs, at the edges of sorting."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from earnest.kernels import place, placing

Array = NDArray[np.float64]


def all_pairs(positive: NDArray[np.bool_], score: Array) -> tuple[Array, Array]:
    own, other = score[positive][:, None], score[~positive][None]
    psi = (own > other) + 0.5 * (own == other)
    return psi.mean(axis=1), psi.mean(axis=0)


COLUMNS = {
    "spread": np.linspace(-1, 1, 30),
    "constant": np.zeros(30),
    "two values": np.arange(30) % 2 * 1.0,
    "signed zeros": np.where(np.arange(30) % 3 == 0, -0.0, 0.0),
    "infinite": np.where(np.arange(30) % 5 == 0, np.inf, -np.inf),
    "tight": 1.0 + np.arange(30) * 2.0**-52,
    "huge": (-1.0) ** np.arange(30) * 1e308,
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("seed", [0, 1])
def test_placements_are_shares_over_all_pairs(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(30) < 11)
    score = rng.permutation(COLUMNS[name])
    for ours, wanted in zip(
        place(positive, score[:, None]), all_pairs(positive, score), strict=True
    ):
        np.testing.assert_allclose(ours[0], wanted, rtol=1e-14)


def test_two_cases_and_many_columns_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "COLUMN_CELLS", 4)
    scores = np.array([[0.0, 1.0, 2.0, 2.0, 5.0], [1.0, 1.0, 1.0, 3.0, 4.0]])
    own, other = place(np.array([True, False]), scores)
    assert own[:, 0].tolist() == [0.0, 0.5, 1.0, 0.0, 1.0]
    assert other.tolist() == own.tolist()
