"""Bias and error of ways to correct a score that depends on the number of cases."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
RESAMPLES, SAMPLES, STEP = 300, 150, 1e-4
NAMES = ("naive", "published", "dealt", "pooled", "linear")


def errors_and_outcome(y: Array, given: Array) -> tuple[Array, Array]:
    """Return squared errors (1, n, C), and 1, y and y² (3, n)."""
    return np.square(y[:, None] - given)[None], np.stack([np.ones_like(y), y, y * y])


def confusion(y: Array, given: Array) -> tuple[Array, Array]:
    """Return true and called positives (2, n, C), and 1 and the class (2, n)."""
    return np.stack([y[:, None] * given, given]), np.stack([np.ones_like(y), y])


def divided(part: Array, whole: Array, empty: float) -> Array:
    """Divide, with a value where there is nothing to divide by."""
    some = whole > 1e-12
    return np.where(some, part / np.where(some, whole, 1.0), empty)


def r2(own: Array, shared: Array) -> Array:
    """Return R²."""
    return 1.0 - divided(own[0], shared[2] - shared[1] ** 2 / shared[0], np.nan)


def minus_rmse(own: Array, shared: Array) -> Array:
    """Return the root mean squared error as a gain."""
    return -np.sqrt(own[0] / shared[0])


def f1(own: Array, shared: Array) -> Array:
    """Return F1."""
    return divided(2.0 * own[0], own[1] + shared[1], 0.0)


def precision(own: Array, shared: Array) -> Array:
    """Return the precision."""
    return divided(own[0], own[1] + 0.0 * shared[0], 0.0)


def mcc(own: Array, shared: Array) -> Array:
    """Return Matthews' correlation."""
    (hits, called), (n, positive) = own, shared
    apart = np.sqrt(np.maximum(called * (n - called) * positive * (n - positive), 0.0))
    return divided(hits * n - called * positive, apart, 0.0)


Combine = Callable[[Array, Array], Array]
METRICS: dict[str, Combine] = {
    "r2": r2,
    "rmse": minus_rmse,
    "f1": f1,
    "mcc": mcc,
    "precision": precision,
}


def drawn_table(
    name: str, n: int, configs: int, better: bool, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Return outcomes, predictions (n, C) and the true scores (C,)."""
    noise = np.sqrt(0.3) * rng.standard_normal((n, 1)) + np.sqrt(0.7) * rng.standard_normal(
        (n, configs)
    )
    leads = (np.arange(configs) == 0) & better
    if name in ("r2", "rmse"):
        y, spread = rng.standard_normal(n), np.where(leads, 0.5, 0.75)
        return y, y[:, None] + spread * noise, 1 - spread**2 if name == "r2" else -spread
    y = (np.arange(n) < max(4, n // 4)).astype(float)
    skill, share = np.where(leads, 2.4, 1.5), float(y.mean())
    law = NormalDist()
    hit = np.array([1 - law.cdf(0.8 - s) for s in skill]) * share
    called = hit + (1 - law.cdf(0.8)) * (1 - share)
    whole = np.array([[1.0] * configs, [share] * configs])
    truth = METRICS[name](np.stack([hit, called]), whole)
    return y, (noise + skill * y[:, None] > 0.8).astype(float), truth


def drawn_counts(y: Array, classes: bool, rng: np.random.Generator) -> Array:
    """Return counts (B, n), of which every class is in-bag and out-of-bag where there are any."""
    n = len(y)
    counts = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(float)
    while classes:
        ones, zeros = counts[:, y > 0], counts[:, y == 0]
        bad = ~((ones > 0).any(1) & (ones == 0).any(1) & (zeros == 0).any(1))
        if not bad.any():
            break
        counts[bad] = rng.multinomial(n, np.full(n, 1 / n), int(bad.sum()))
    return counts


def influences(combine: Combine, own: Array, shared: Array) -> Array:
    """Return the influence of every case on every score: (n, C)."""
    mine, common = own.mean(axis=1), shared.mean(axis=1)
    out = np.zeros(own.shape[1:])
    for part, mean, values in ((0, mine, own), (1, common, shared[:, :, None])):
        for k in range(len(mean)):
            up, down = ([mine.copy(), common.copy()] for _ in range(2))
            up[part][k] += STEP
            down[part][k] -= STEP
            ends = [combine(m[:, None, :], s[:, None, None])[0] for m, s in (up, down)]
            out += (ends[0] - ends[1]) / (2 * STEP) * (values[k] - mean[k])
    return out


def one_sample(name: str, n: int, configs: int, better: bool, rng: np.random.Generator) -> Array:
    """Return how far each way is from the true score of the winners: as `NAMES`."""
    combine, regression = METRICS[name], name in ("r2", "rmse")
    y, given, truth = drawn_table(name, n, configs, better, rng)
    own, shared = (errors_and_outcome if regression else confusion)(y, given)
    counts = drawn_counts(y, not regression, rng)
    outside = (counts == 0).astype(float)

    def sums(weights: Array) -> tuple[Array, Array]:
        return np.einsum("bn,mnc->mbc", weights, own), (weights @ shared.T).T[:, :, None]

    inbag = combine(*sums(counts))
    best = np.argmax(np.where(np.isnan(inbag), -np.inf, inbag), axis=1)
    left = sums(outside)
    scores, whole = combine(*left), combine(*sums(np.ones((1, n))))[0]
    kept = np.flatnonzero(~np.isnan(scores[:, 0]))
    published = scores[kept, best[kept]].mean()
    dealt = np.roll(best[kept], 1)
    off = scores[kept, dealt].mean() - whole[dealt].mean()
    rows = np.arange(RESAMPLES)
    pooled = combine(
        left[0][:, rows, best].sum(axis=1)[:, None, None],
        left[1][:, :, 0].sum(axis=1)[:, None, None],
    )[0, 0]
    line = outside @ influences(combine, own, shared) / outside.sum(axis=1, keepdims=True)
    linear = (whole[best] + line[rows, best] - line[rows, np.roll(best, 1)]).mean()
    found = np.array([whole.max(), published, published - off, pooled, linear])
    return found - truth[best].mean()


def main() -> None:
    """Print bias and root mean square error of every cell."""
    print("metric, n, configurations: " + ", ".join(NAMES))
    for name in METRICS:
        for n in (20, 50, 200):
            for configs, better in ((1, False), (10, False), (10, True)):
                rng = np.random.default_rng([n, configs, len(name), better])
                away = np.array([one_sample(name, n, configs, better, rng) for _ in range(SAMPLES)])
                bias, error = away.mean(axis=0), np.sqrt(np.square(away).mean(axis=0))
                cells = "  ".join(f"{b:+.3f}, {e:.3f}" for b, e in zip(bias, error, strict=True))
                print(f"{name} {n} {configs}{' one better' if better else ''}: {cells}", flush=True)


if __name__ == "__main__":
    main()
