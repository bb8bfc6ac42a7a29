"""Compiled sums over pairs that replicates left out, against the plain form."""

from __future__ import annotations

import numpy as np
import pytest

from earnest.inference.left_out import leave_pair_out as plain
from earnest.kernels import fast


@pytest.mark.parametrize(
    ("replicates", "m", "n", "seed"), [(7, 5, 9, 0), (1, 1, 1, 1), (30, 8, 3, 2)]
)
def test_compiled_sums_are_the_plain_ones(replicates: int, m: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    high, low = (rng.integers(0, 4, (replicates, k)).astype(float) for k in (m, n))  # many ties
    left, right = (rng.random((replicates, k)) < 0.5 for k in (m, n))
    share = rng.random((m, n))
    ours, wanted = np.zeros((m, n)), np.zeros((m, n))
    both, expected = np.zeros(replicates), np.zeros(replicates)
    for sign in (1.0, -1.0, 1.0):
        fast.pair_credits(high, low, left, right, sign, ours)
        plain.add_credits(high, low, left, right, sign, wanted)
        fast.weighted_credits(high, low, left, right, share, sign, both)
        plain.add_weighted(high, low, left, right, share, sign, expected)
    np.testing.assert_array_equal(ours, wanted)  # whole numbers of halves
    np.testing.assert_allclose(both, expected, rtol=1e-13, atol=1e-13)


def test_the_estimate_does_not_depend_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    scores, counts = rng.random((60, 20)), rng.multinomial(20, np.full(20, 0.05), size=60)
    pairs = plain.Pairs(left=np.arange(8), right=np.arange(8, 20))
    slow = plain.leave_pair_out(scores, counts, pairs)
    monkeypatch.setattr(plain, "WORTH_IT", 1)
    quick = plain.leave_pair_out(scores, counts, pairs)
    assert quick.value == slow.value
    np.testing.assert_allclose(quick.influence, slow.influence, atol=1e-15)
    assert quick.noise_variance == pytest.approx(slow.noise_variance, rel=1e-12)
