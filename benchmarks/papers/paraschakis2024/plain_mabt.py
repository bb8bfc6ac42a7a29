"""MABT in plain loops, as the paper's code has it, to see what moves its bound.

Two things differ from `earnest.methods.MABT`. The paper's code takes the influence of a case from a
regression of resampled AUCs on counts, which fits noise if a class has few cases; ours is the
formula. It sums trapezoids, whose rounding breaks ties of resampled AUCs; ours are exact. Here both
can be had either way. A further version does not divide the weights of the tilted resamples by
their sum, as the paper's tilted bootstrap of a single model does not. Without a bound the result is
NaN, as in the paper's code.
"""

from __future__ import annotations

import numpy as np

from benchmarks.papers.study import Floats

RESAMPLES, MANY_RESAMPLES = 2000, 10_000
STEP, FURTHEST = 0.1, -20.0  # of tilts that are tried
HALVINGS = 30


def bound_of_best(
    low: Floats, high: Floats, chosen: int, alpha: float, rng: np.random.Generator
) -> dict[str, float]:
    """Return the lower bound of the chosen candidate's AUC in all versions.

    Scores are those of class 0 and of class 1, one column per candidate; the same resamples, drawn
    within classes, are used by all versions.
    """
    counts, above, areas = resample(low, high, rng, RESAMPLES)
    own = above[:, :, chosen]
    formula = np.concatenate([own.mean(axis=1), own.mean(axis=0)]) - own.mean()
    fitted = regress(areas[:, chosen] / own.size, counts)
    noise = 0.5 * (rng.random(areas.shape) - 0.5)
    sampled, estimate = np.hstack(counts), float(own.sum())

    def bound(seen: Floats, case: Floats, normalised: bool = True) -> float:
        found = tilt(seen, chosen, estimate, sampled, case, alpha, normalised)
        return np.nan if found is None else area(own, np.exp(found * case))

    out = {}
    for influence, case in (("formula", formula), ("regression", fitted)):
        for ties, seen in (("exact", areas), ("broken", areas + noise)):
            out[f"{influence}, ties {ties}"] = bound(seen, case)
    out["regression, ties exact, weights not normalised"] = bound(areas, fitted, normalised=False)
    return out


def bound_with_plain_weights(
    low: Floats, high: Floats, chosen: int, alpha: float, rng: np.random.Generator
) -> float:
    """Return the bound by regression, with weights that are not normalised and 10,000 resamples.

    Rink and Brannath, who proposed the method, draw so many.
    """
    counts, above, areas = resample(low, high, rng, MANY_RESAMPLES)
    own = above[:, :, chosen]
    case = regress(areas[:, chosen] / own.size, counts)
    found = tilt(areas, chosen, float(own.sum()), np.hstack(counts), case, alpha, False)
    return np.nan if found is None else area(own, np.exp(found * case))


def resample(
    low: Floats, high: Floats, rng: np.random.Generator, resamples: int
) -> tuple[list[Floats], Floats, Floats]:
    """Return counts of both classes, which pairs are in order, and how many are in each resample.

    Pairs in order are whole numbers, so that ties are exact.
    """
    counts = [
        rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)
        for n in (len(high), len(low))
    ]
    above = (high[:, None] > low[None]).astype(np.float64)  # (n1, n0, m)
    areas = np.stack(
        [((counts[0] @ above[:, :, j]) * counts[1]).sum(axis=1) for j in range(low.shape[1])],
        axis=1,
    )
    return counts, above, areas


def regress(area: Floats, counts: list[Floats]) -> Floats:
    """Return influences by regression on the shares of cases, those of a class with mean 0."""
    shares = [own / own.shape[1] for own in counts]
    columns = [np.ones(len(area)), *(own[:, 1:].T for own in shares)]
    fitted = np.linalg.lstsq(np.vstack(columns).T, area, rcond=None)[0][1:]
    first = counts[0].shape[1] - 1
    parts = [np.concatenate([[0.0], part]) for part in (fitted[:first], fitted[first:])]
    return np.concatenate([part - part.mean() for part in parts])


def tilt(
    areas: Floats,
    chosen: int,
    estimate: float,
    counts: Floats,
    case: Floats,
    alpha: float,
    normalised: bool,
) -> float | None:
    """Return the tilt under which the estimate would be a surprise, if one goes far enough."""
    size, n = len(counts), counts.shape[1]
    ranks = [np.searchsorted(np.sort(column), column, side="right") for column in areas.T]
    best = np.sort(np.max(ranks, axis=0) / (size + 1))
    above, sums = areas[:, chosen] > estimate, counts @ case

    def tail(tau: float) -> float:
        level = tau * sums
        if normalised:
            weights = np.exp(level - level.max())
            share = float(weights[above].sum() / weights.sum())
        else:
            mean = np.log(np.exp(tau * case).mean())
            share = float(np.exp(level - n * mean)[above].sum() / size)
        return 1.0 - float(np.searchsorted(best, 1.0 - share, side="right")) / size

    near, far, least = 0.0, 0.0, 1.0
    while least > alpha / 2 and far > FURTHEST:
        far -= STEP
        least = tail(far)
    if least >= alpha / 2 or tail(0.0) <= 2 * alpha:
        return None
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if tail(middle) <= alpha else (middle, far)
    return far


def area(above: Floats, weights: Floats) -> float:
    """Return the AUC under weights of cases, those of class 1 first."""
    high, low = weights[: len(above)], weights[len(above) :]
    return float(high @ above @ low / (high.sum() * low.sum()))
