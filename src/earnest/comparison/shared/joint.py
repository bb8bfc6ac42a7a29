"""How the values of all configurations err together, and which of them may be the best.

For every configuration the hypothesis that none is better is tested by the largest standardised
shortfall against the others, with the law of that maximum from joint draws (Lei 2020, cross-
validation with confidence). The set of those that are not rejected holds the best with the level
asked for, however many there are and whichever looks best on these cases.

Joint draws know only the spread that was seen. With few units they may be far too sure, and a
difference that is the same in every unit has no spread at all. So no p-value is below that of the
pair that decides it, nor below 1/2 to the number of units, the least of an exact sign test; and
where a difference has no spread, the p-value of the pair alone counts, times the number of others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from earnest.comparison.base import Array
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.threads import each, workers

MULTIPLIERS = 1999  # joint draws; p-values are whole multiples of 1 / 2000
BLOCK = 64  # draws a seed
ROWS = 64  # draws looked at together, so that they stay in the cache
LEADERS = 32  # the best configurations, which settle most draws, are looked at first
PairP = Callable[[int, int], float]


def multiplied(errors: Array, seeds: Seeds, count: int = MULTIPLIERS) -> Array:
    """Return joint draws (B, C) of the sum of errors (units, C) under normal multipliers."""
    blocks = [
        seeds.generator(Purpose.MULTIPLIERS, block).standard_normal((BLOCK, len(errors))) @ errors
        for block in range(-(-count // BLOCK))
    ]
    return np.concatenate(blocks)[:count]


def chance_of_being_best(
    gains: Array, draws: Array, pair_p: PairP, units: int, n_jobs: int | None = None
) -> Array:
    """Return for each configuration the p-value of the hypothesis that no other is better: (C,).

    Parameters
    ----------
    gains : ndarray, shape (C,)
        The values, greater is better; NaN is never the best.
    draws : ndarray, shape (B, C)
        Joint draws of their errors, about 0.
    pair_p : callable
        `pair_p(other, config)`, the one-sided p-value of other's being better than config.
    units : int
        The independent units that the draws stand on.

    Examples
    --------
    >>> import numpy as np
    >>> from earnest.comparison.shared.joint import chance_of_being_best
    >>> noise = 0.1 * np.random.default_rng(0).standard_normal((999, 3))
    >>> gains = np.array([0.9, 0.88, 0.1])
    >>> chance_of_being_best(gains, noise, lambda other, config: 0.0, 40).round(2)
    array([1. , 0.6, 0. ])
    """
    order = np.argsort(-gains, kind="stable")  # NaN comes last
    defined = int((~np.isnan(gains)).sum())
    ranked, tall = gains[order][:defined], np.ascontiguousarray(draws[:, order[:defined]])
    spread = _spread_of_differences(tall)
    floor = 0.5**units

    def one(config: int) -> float:
        better = ranked > ranked[config]
        flat, loose = better & (spread[config] == 0.0), spread[config] > 0.0
        parts = []
        if flat.any():
            alone = pair_p(int(order[np.argmax(flat)]), int(order[config]))  # the best of them
            parts.append((defined - 1) * alone)
        if (better & loose).any():
            scale = np.where(loose, spread[config], np.inf)
            shortfall = (ranked - ranked[config]) / scale
            worst = int(shortfall.argmax())
            level = np.where(loose, shortfall[worst] * spread[config], np.inf)
            seen = float(1 + _beyond(tall, config, level)) / (len(draws) + 1)
            parts.append(max(seen, pair_p(int(order[worst]), int(order[config]))))
        return min(1.0, max(floor, len(parts) * min(parts))) if parts else 1.0

    found = np.zeros(len(gains))
    found[order[:defined]] = each(one, range(defined), workers(n_jobs))
    return found


def _beyond(draws: Array, config: int, level: Array) -> int:
    """Count the draws in which a configuration falls short of another by its level or more."""
    count, held = 0, np.empty((ROWS, len(level)))
    for start in range(0, len(draws), ROWS):
        rows = draws[start : start + ROWS]
        settled = (rows[:, :LEADERS] - level[:LEADERS]).max(axis=1) >= rows[:, config]
        if 2 * settled.sum() >= len(rows):  # else a copy costs more than it saves
            count, rows = count + int(settled.sum()), rows[~settled]
        if len(rows):
            lead = np.subtract(rows, level, out=held[: len(rows)]).max(axis=1)
            count += int((lead >= rows[:, config]).sum())
    return count


def _spread_of_differences(draws: Array) -> Array:
    """Return the standard deviations of all differences (C, C), 0 where they are rounding."""
    centred = draws - draws.mean(axis=0)
    products = centred.T @ centred / max(1, len(draws) - 1)
    own = np.diag(products)
    squares = own[:, None] + own[None, :] - 2.0 * products
    floor = 1e-12 * (own[:, None] + own[None, :])
    return np.asarray(np.sqrt(np.where(squares <= floor, 0.0, squares)))
