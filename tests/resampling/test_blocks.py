"""Blocks of times as rows of weights, held to plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import earnest as en
from earnest.errors import EvidenceError, InputError
from earnest.resampling import (
    CircularBlockBootstrap,
    MovingBlockBootstrap,
    StationaryBootstrap,
)
from earnest.resampling.blocks import cover

KINDS = (MovingBlockBootstrap, CircularBlockBootstrap, StationaryBootstrap)


def target(order: object, n: int = 30) -> en.Target:
    return en.Predictions.from_arrays(np.arange(float(n)), np.ones((n, 1)), when=order).target


def test_blocks_cover_as_loops_say() -> None:
    rng = np.random.default_rng(0)
    for times, length in ((7, 2), (10, 3), (12, 1), (9, 3)):
        blocks = -(-times // length)
        rest = times - (blocks - 1) * length
        starts = rng.integers(0, times, (20, blocks))
        plain = np.zeros((20, times), dtype=int)
        for row in range(20):
            for block in range(blocks):
                for step in range(length if block < blocks - 1 else rest):
                    plain[row, (starts[row, block] + step) % times] += 1
        assert (cover(starts, length, rest, times) == plain).all()


@pytest.mark.parametrize("kind", KINDS)
def test_every_resample_has_as_many_times_as_the_series(kind: type) -> None:
    drawn = kind(4).draw(target(True), 200, np.random.default_rng(1), None)
    assert (drawn.values.sum(axis=1) == 30).all()
    assert drawn.unit == "block"


@pytest.mark.parametrize("kind", [CircularBlockBootstrap, StationaryBootstrap])
def test_times_are_drawn_equally_often_and_neighbours_together(kind: type) -> None:
    """4,000 resamples, seed 2: four standard errors of a mean count; neighbours share blocks."""
    values = kind(5).draw(target(True), 4000, np.random.default_rng(2), None).values.astype(float)
    assert_allclose(values.mean(axis=0), 1.0, atol=4 * values.std() / np.sqrt(4000))
    near = np.corrcoef(values[:, 3], values[:, 4])[0, 1]
    far = np.corrcoef(values[:, 3], values[:, 18])[0, 1]
    assert near > 0.6
    assert far < 0.0  # as the counts of a resample have a fixed sum


@pytest.mark.parametrize("kind", KINDS)
def test_variance_of_the_mean_is_that_of_block_sums(kind: type) -> None:
    """20,000 resamples, seed 3: the variance of block bootstraps of a mean has a formula."""
    x = np.cumsum(np.random.default_rng(7).standard_normal(30)) / 3.0
    x -= x.mean()
    length = 5
    means = kind(length).draw(target(True), 20_000, np.random.default_rng(3), None).values @ x / 30
    if kind is MovingBlockBootstrap:
        sums = np.array([x[s : s + length].sum() for s in range(26)])
        true = sums.var() * 6 / 900
    elif kind is CircularBlockBootstrap:
        sums = np.array([np.take(x, range(s, s + length), mode="wrap").sum() for s in range(30)])
        true = sums.var() * 6 / 900
    else:  # Politis and Romano 1994, lemma 1
        lags = [float(x @ np.roll(x, k)) / 30 for k in range(30)]
        keep = 1.0 - 1.0 / length
        weights = [(1 - k / 30) * keep**k for k in range(30)]
        true = (lags[0] + 2 * sum(w * c for w, c in zip(weights[1:], lags[1:], strict=True))) / 30
    assert_allclose(means.var(), true, rtol=4 * np.sqrt(2 / 20_000) * 1.5)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_follow_their_times_and_cases_of_a_time_stay_together(kind: type) -> None:
    order = np.random.default_rng(4).permutation(30)
    plain = kind(3).draw(target(True), 50, np.random.default_rng(5), None).values
    mixed = kind(3).draw(target(order), 50, np.random.default_rng(5), None).values
    assert (mixed == plain[:, order]).all()
    twice = kind(3).draw(target(np.repeat(np.arange(15), 2)), 50, np.random.default_rng(5), None)
    assert (twice.values[:, ::2] == twice.values[:, 1::2]).all()


def test_length_follows_the_losses_unless_it_is_said() -> None:
    rng = np.random.default_rng(8)
    errors = np.convolve(rng.standard_normal(407), np.ones(8), "valid")[:400]
    y = rng.standard_normal(400)
    pi = en.Predictions.from_arrays(y, (y + errors)[:, None], when=True)
    found = en.estimate(pi, metric="mse", rng=0)
    assert found.dependence is not None
    assert found.dependence.block_length > 5
    assert "circular_block" in str(found.provenance.knobs["resampler"])
    assert MovingBlockBootstrap().find_length(pi.target) == 8  # the cube root of 400
    assert MovingBlockBootstrap(900).find_length(pi.target) == 133


def test_an_order_is_needed() -> None:
    with pytest.raises(EvidenceError):
        MovingBlockBootstrap(3).draw(target(None), 5, np.random.default_rng(0), None)
    with pytest.raises(InputError):
        MovingBlockBootstrap(0)
