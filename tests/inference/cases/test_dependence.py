"""How long blocks must be and how much losses depend on each other, held to plain loops."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

import earnest as en
from earnest.inference.cases.dependence import (
    Autocovariances,
    autoregressive_variance,
    block_variance,
    find_block_length,
    measure_dependence,
    with_dependence,
)

RECORDED = Path(__file__).parent / "golden" / "block_length.json"


def make_series(kind: str, n: int) -> np.ndarray:
    """Return the series of golden/block_length.py."""
    t = np.arange(n, dtype=float)
    noise = np.sin(t * t * 1.234) + np.cos(3.7 * t * t + 1.0)
    if kind == "noise":
        return noise
    if kind == "moving":
        return np.convolve(noise, np.ones(6), "same")
    out = np.zeros(n)
    for k in range(1, n):
        out[k] = (0.8 if kind == "long" else -0.5) * out[k - 1] + noise[k]
    return out


def draw_autoregression(phi: float, n: int, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(n + 200)
    for t in range(1, len(noise)):
        noise[t] += phi * noise[t - 1]
    return noise[200:]


def plain_length(x: np.ndarray, *, circular: bool, by_arch: bool) -> float:
    """Return the block length by loops, with the lag that the paper takes or that of arch.

    The paper's lag is the last one before quiet ones. That of arch is the first quiet one, and its
    correlations have the squares of both parts of the series below.
    """
    n, away = len(x), x - x.mean()
    quiet = max(5, int(math.log10(n)) if by_arch else math.ceil(math.sqrt(math.log10(n))))
    most, limit = math.ceil(math.sqrt(n)) + quiet, 2.0 * math.sqrt(math.log10(n) / n)
    values = [sum(away[t] * away[t - k] for t in range(k, n)) / n for k in range(most + quiet + 2)]

    def is_small(lag: int) -> bool:
        if not by_arch:
            return abs(values[lag] / values[0]) < limit
        below = np.sqrt(np.square(away[lag + 1 :]).sum() * np.square(away[: -(lag + 1)]).sum())
        return bool(abs(n * values[lag] / below) < limit)

    last = most
    for lag in range(most + 1 - (quiet if by_arch else 0)):
        ahead = range(lag, lag + quiet) if by_arch else range(lag + 1, lag + 1 + quiet)
        if all(is_small(k) for k in ahead):
            last = lag
            break
    window = min(2 * max(last, 1), most)
    bias = spread = 0.0
    for k in range(-window, window + 1):
        weight = min(1.0, 2.0 * (1.0 - abs(k) / window))
        bias += weight * abs(k) * values[abs(k)]
        spread += weight * values[abs(k)]
    divisor = (4.0 / 3.0 if circular else 2.0) * spread**2
    longest = math.ceil(min(3.0 * math.sqrt(n), n / 3.0))
    return min((2.0 * bias**2 / divisor) ** (1 / 3) * n ** (1 / 3), longest)


def test_block_length_is_that_of_the_paper_and_its_formula_that_of_arch() -> None:
    for row in json.loads(RECORDED.read_text(encoding="utf-8")):
        x = make_series(row["kind"], row["n"])
        for kind in ("circular", "stationary"):
            circular = kind == "circular"
            theirs = plain_length(x, circular=circular, by_arch=True)
            assert_allclose(theirs, row[kind], rtol=1e-6, err_msg=str(row))
            ours = find_block_length(Autocovariances.of(x), circular=circular)
            plain = max(1.0, plain_length(x, circular=circular, by_arch=False))
            assert_allclose(ours, plain, rtol=1e-9, err_msg=str(row))


def test_variance_of_a_sum_is_that_of_its_process() -> None:
    """Autoregressions of 20,000 times, seed 1: 1 / (1 - phi)²; relative errors of .07 are 4 sd."""
    rng = np.random.default_rng(1)
    for phi in (0.0, 0.3, 0.6, -0.4):
        x = draw_autoregression(phi, 20_000, rng)
        true = 1.0 / (1.0 - phi) ** 2
        assert_allclose(autoregressive_variance(Autocovariances.of(x)), true, rtol=0.15)
        assert_allclose(block_variance(x, 60), true, rtol=0.3)


def test_block_variance_is_that_of_loops() -> None:
    x = make_series("moving", 50)
    away = x - x.mean()
    sums = [sum(away[(start + k) % 50] for k in range(7)) for start in range(50)]
    plain = np.mean(np.square(sums)) / 7 * (50 / 7) / (50 / 7 - 1)
    assert_allclose(block_variance(x, 7), plain, rtol=1e-12)


def test_measured_dependence_grows_with_that_of_the_series() -> None:
    rng = np.random.default_rng(5)
    inflations, lengths = [], []
    for phi in (0.0, 0.5, 0.9):
        x = draw_autoregression(phi, 3000, rng)
        found = measure_dependence(np.arange(3000), x[:, None])
        assert found is not None
        inflations.append(found.inflation)
        lengths.append(found.block_length)
    assert_allclose(inflations, [1.0, 3.0, 19.0], rtol=0.3)
    assert lengths == sorted(lengths)
    assert lengths[0] <= 4


def test_nothing_is_told_of_few_times_or_of_equal_losses() -> None:
    assert measure_dependence(np.arange(8), np.arange(8.0)[:, None]) is None
    assert measure_dependence(np.arange(40), np.ones((40, 1))) is None


def test_cases_of_one_time_count_as_one() -> None:
    """Ten equal cases a time are worth one: the variance of the mean is ten times as large."""
    x = np.random.default_rng(2).standard_normal(300)
    found = measure_dependence(np.repeat(np.arange(300), 10), np.repeat(x, 10)[:, None])
    assert found is not None
    assert_allclose(found.inflation, 10.0, rtol=0.2)


def test_predictions_without_an_order_or_with_groups_know_of_no_dependence() -> None:
    y = np.arange(40.0)
    plain = en.Predictions.from_arrays(y, y[:, None] + 1.0)
    grouped = en.Predictions.from_arrays(y, y[:, None] + 1.0, when=True, groups=np.arange(40) // 4)
    for pi in (plain, grouped):
        assert with_dependence(pi, en.metric("mse").on("regression")).target.dependence is None
