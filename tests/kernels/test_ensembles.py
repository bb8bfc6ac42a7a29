"""The compiled greedy ensembles write down the scores of the plain loop, step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from earnest.kernels import ensembles

N, C, STEPS = 37, 5, 6  # neither cases nor draws a multiple of the sixteen that go together
RNG = np.random.default_rng(2)
COUNTS = RNG.multinomial(N, np.full(N, 1 / N), size=8).astype(np.int32)
LIBRARY = np.tile(np.arange(C, dtype=np.int32), (8, 1))
START = RNG.integers(0, C, 8).astype(np.int32)

Kernel = Callable[[np.ndarray, np.ndarray], None]


def grow(kernel: Kernel) -> tuple[np.ndarray, np.ndarray]:
    picks, scores = np.full((8, STEPS), -1, dtype=np.int32), np.full((8, STEPS), np.nan)
    kernel(picks, scores)
    return picks, scores


def check(kernel: Kernel, plain: Callable[[int, np.ndarray], float]) -> None:
    """Compare with the loop over members; `plain` scores the members in a resample."""
    picks, scores = grow(kernel)
    assert (picks[:, 0] == START).all()
    for b in range(len(COUNTS)):
        for step in range(STEPS):
            before = picks[b, :step]
            each = [plain(b, np.append(before, c)) for c in range(C)]
            assert scores[b, step] == pytest.approx(each[picks[b, step]], rel=1e-9)
            assert step == 0 or scores[b, step] == pytest.approx(max(each), rel=1e-9)


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_score_by_chances_is_the_mean_logarithm(repeats: int) -> None:
    chances = RNG.uniform(0.05, 1.0, (C, repeats * N))

    def plain(b: int, members: np.ndarray) -> float:
        logs = np.log(chances[members].mean(axis=0)).reshape(repeats, N)
        return float((logs * COUNTS[b]).sum() / (repeats * COUNTS[b].sum()))

    check(
        lambda picks, scores: ensembles.greedy_chances(
            chances, COUNTS, LIBRARY, START, STEPS, picks, scores
        ),
        plain,
    )


def test_the_score_by_areas_is_the_mean_of_the_views() -> None:
    keys = RNG.integers(0, 50, (C, 2, N)).astype(np.int32)  # few values, so that many tie
    labels = np.stack([np.arange(N) % 2, np.arange(N) % 3 - 1]).astype(np.int32)

    def plain(b: int, members: np.ndarray) -> float:
        sums = keys[members].sum(axis=0)
        return float(
            np.mean(
                [
                    roc_auc_score(own[own >= 0], s[own >= 0], sample_weight=COUNTS[b][own >= 0])
                    for own, s in zip(labels, sums, strict=True)
                ]
            )
        )

    check(
        lambda picks, scores: ensembles.greedy_areas(
            keys, labels, COUNTS, LIBRARY, START, STEPS, picks, scores
        ),
        plain,
    )


def test_the_score_by_squares_is_the_negative_sum_of_squared_residuals() -> None:
    apart = RNG.standard_normal((C, 2 * N))  # two numbers per case

    def plain(b: int, members: np.ndarray) -> float:
        return float(-(np.square(apart[members].mean(axis=0)) * np.tile(COUNTS[b], 2)).sum())

    def kernel(picks: np.ndarray, scores: np.ndarray) -> None:
        together = np.empty((8, C, C))
        ensembles.sum_products(apart, COUNTS, LIBRARY, together)
        ensembles.greedy_squares(together, LIBRARY, START, STEPS, picks, scores)

    check(kernel, plain)
