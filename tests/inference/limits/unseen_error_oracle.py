"""Upper limits of losses of probabilities, slowly: one case, one class, one unit at a time."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, norm

import earnest as en

SMALLEST = float(np.finfo(np.float64).eps)


def loss_of(metric: str, chances: list[float], outcome: int) -> float:
    """The loss of one case by the chances of all classes."""
    if metric == "log_loss":
        return -math.log(min(max(chances[outcome], SMALLEST), 1.0 - SMALLEST))
    squares = [(c - (k == outcome)) ** 2 for k, c in enumerate(chances)]
    return squares[1] if len(chances) == 2 else sum(squares)


def clopper_pearson(errors: float, trials: float, tail: float, crossed: float | None) -> float:
    """The upper limit of a share, whose variance may be larger at the value tested."""
    if errors >= trials:
        return 1.0
    if crossed is None:
        return float(beta.ppf(1.0 - tail, errors + 1.0, trials - errors))

    def excess(share: float) -> float:
        z = norm.ppf(1.0 - share)
        learned = (math.sqrt(1 + max(z, 0.0) ** 2 / 4) - max(z, 0.0) / 2) ** 2
        more = learned * norm.pdf(z) ** 2 / crossed / (share * (1 - share))
        worth = 1.0 / (1.0 / trials + more)
        seen = errors / trials
        return float(beta.cdf(share, seen * worth + 1.0, (1.0 - seen) * worth)) - (1.0 - tail)

    return float(brentq(excess, errors / trials + 1e-9, 1.0 - 1e-9, xtol=1e-14))


def upper_limit(
    pi: en.Predictions, config: int, metric: str, tail: float, crossed: float | None = None
) -> float:
    """The limit of one configuration, as if it had been fixed in advance."""
    classes = len(pi.target.classes)
    groups = np.arange(pi.n_cases) if pi.target.groups is None else pi.target.groups
    names = sorted(set(groups.tolist()))
    size = pi.n_cases / len(names)
    added, wrong = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    right = costs = 0.0
    for case in range(pi.n_cases):
        for repeat in range(pi.n_repeats):
            said = pi.responses[case, config, repeat]
            chances = [1.0 - float(said), float(said)] if classes == 2 else [float(p) for p in said]
            losses = [loss_of(metric, chances, k) for k in range(classes)]
            least = min(losses)
            own = losses[int(pi.target.y[case])] - least
            others = [k for k in range(classes) if losses[k] - least > 1e-12]
            total = sum(chances[k] for k in others)
            weight = 1.0 / (pi.n_cases * pi.n_repeats)
            right += least * weight
            costs += sum(chances[k] * (losses[k] - least) for k in others) / (total or 1.0) * weight
            added[groups[case]] += own / size / pi.n_repeats
            wrong[groups[case]] += (own > 1e-12) / size / pi.n_repeats
    units = len(names)
    ends = [right + (1.0 - tail ** (1.0 / units)) * costs]
    one_more = costs
    if size > 1.0:
        struck = [share for share in wrong.values() if share > 0.0]
        one_more *= max(sum(struck) / len(struck) if struck else 1.0, 1.0 / size)
    first = sum(added.values()) + one_more
    second = sum(value**2 for value in added.values()) + one_more**2
    worth = first**2 / second - 1.0
    ends.append(right + second / first * clopper_pearson(worth, units, tail, crossed))
    return max(ends)
