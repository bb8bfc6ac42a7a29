"""The winner's interval once more, slowly: loops over draws, configurations and resamples.

Scores are shares of repeated rows or of their pairs, variances are sums over pairs of cases,
integrals and roots are scipy's. The Gaussian numbers come from the generator that is handed in:
first those of the resamples (M, B), then those of configurations whose score never changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta, gamma, norm
from scipy.stats import t as student

from tests.methods.oracles import auc

Floats = NDArray[np.float64]
DRAWS = 2000


@dataclass(frozen=True)
class Problem:
    """Outcomes (n,), predictions (n, C, R), the metric, and whether cases trained each other."""

    y: NDArray[np.int64]
    said: Floats
    metric: str
    crossed: bool = False

    @property
    def configs(self) -> int:
        """Count the configurations."""
        return self.said.shape[1]

    def score(self, rows: NDArray[np.intp], config: int) -> float:
        """Return the score of a configuration on rows, averaged over its repeats."""
        truth, parts = self.y[rows], self.said[rows, config]
        return float(np.mean([self._one(truth, parts[:, r]) for r in range(parts.shape[1])]))

    def _one(self, truth: NDArray[np.int64], said: Floats) -> float:
        if self.metric == "roc_auc":
            return auc(truth, said)
        right = truth == said
        if self.metric == "balanced_accuracy":
            return float(np.mean([right[truth == k].mean() for k in (0, 1)]))
        if self.metric == "accuracy":
            return float(right.mean())
        of = {"recall": truth == 1, "specificity": truth == 0, "precision": said == 1}
        share = right[of[self.metric]]
        return float(share.mean()) if len(share) else 0.0

    def trials(self, config: int, score: float) -> float:
        """Return what the score of a configuration is a share of, in one repeat."""
        positives = int((self.y == 1).sum())
        negatives = len(self.y) - positives
        if self.metric == "accuracy":
            return len(self.y)
        if self.metric == "recall":
            return positives
        if self.metric == "specificity":
            return negatives
        if self.metric == "precision":
            return float(np.mean((self.said[:, config] == 1).sum(axis=0)))
        if self.metric == "balanced_accuracy":
            return 4 * positives * negatives / (positives + negatives)
        return area_trials(score, positives, negatives)


def zeta(area: float) -> float:
    """Return the covariance of two pairs that share a case, under normal laws of equal spread."""
    z = norm.ppf(area)

    def height(r: float) -> float:
        return math.exp(-z * z / (1 + r)) / (2 * math.pi * math.sqrt(1 - r * r))

    return float(quad(height, 0, 0.5, epsabs=1e-14, epsrel=1e-13)[0])


def area_variance(area: float, m: float, k: float) -> float:
    """Return the variance of an AUC under normal laws of equal spread."""
    return (area * (1 - area) + (m + k - 2) * zeta(area)) / (m * k)


def area_trials(area: float, m: int, k: int) -> float:
    """Return how many trials an AUC is worth."""
    inside = min(max(area, 1e-6), 1 - 1e-6)
    return inside * (1 - inside) / area_variance(inside, m, k)


def delong_variance(y: NDArray[np.int64], scores: Floats) -> float:
    """Return DeLong's variance of the AUC, the mean over repeats (n, R), from all pairs."""
    above, below = scores[y == 1], scores[y == 0]
    m, k = len(above), len(below)
    wins = np.zeros((m, k))
    for i in range(m):
        for j in range(k):
            for r in range(scores.shape[1]):
                a, b = above[i, r], below[j, r]
                wins[i, j] += (1.0 if a > b else 0.5 if a == b else 0.0) / scores.shape[1]
    parts = [wins.mean(axis=1), wins.mean(axis=0)]
    total = 0.0
    for part in parts:
        mean = sum(part) / len(part)
        total += sum((p - mean) ** 2 for p in part) / (len(part) - 1) / len(part)
    return total


def anscombe(x: float, q: float) -> float:
    """Return a share of q trials on the scale of steady variance."""
    return math.asin(math.sqrt((x * q + 3 / 8) / (q + 3 / 4)))


def upper_order(values: list[float], tail: float) -> float:
    """Return the ceil((1 - tail)(M + 1))-th smallest."""
    return sorted(values)[math.ceil((1 - tail) * (len(values) + 1)) - 1]


@dataclass(frozen=True)
class Level:
    """The errors of the winners of all draws, and who is near the winner."""

    errors: list[float]
    near: list[bool]
    dropped: int = 0

    def tail(self, tail: float) -> float:
        """Return the local tail."""
        configs = len(self.near) + self.dropped
        z = upper_order(self.errors, tail)
        z = min(max(z, norm.ppf(1 - tail)), norm.ppf(1 - tail / configs))
        return float(norm.sf(z))


def local_level(
    table: Floats,
    scores: Floats,
    winner: int,
    rng: np.random.Generator,
    dropped: list[tuple[float, float]] | None = None,
) -> Level:
    """Return step 1 for scores (B, C) and (C,) on the steady scale.

    Of those that were dropped the gap on a share of the cases is known: (gap, share).
    """
    gone = dropped or []
    resamples, configs = table.shape
    spread = [float(np.std(table[:, c], ddof=1)) for c in range(configs)]
    dead = [c for c in range(configs) if spread[c] < 1e-7]
    normals = rng.standard_normal((DRAWS, resamples))
    spare = rng.standard_normal((DRAWS, len(dead)))
    dead = sorted(dead, key=lambda c: (-scores[c], c))
    half = float(np.median(spread)) / 2
    error = [max(s, half) for s in spread]
    drawn = [[0.0] * configs for _ in range(DRAWS)]
    for c in range(configs):
        centred = table[:, c] - table[:, c].mean()
        for m in range(DRAWS):
            if c in dead:
                drawn[m][c] = float(spare[m, dead.index(c)])
            else:
                total = math.fsum((normals[m] * centred).tolist())
                drawn[m][c] = total / spread[c] / math.sqrt(resamples - 1)
    lead = [max(row[c] * error[c] for c in range(configs)) for row in drawn]
    luck = [
        upper_order([lead[m] - drawn[m][c] * error[c] for m in range(DRAWS)], 0.05)
        for c in range(configs)
    ]
    gap = [max(0.0, float(scores[winner] - scores[c])) for c in range(configs)]
    behind = [0.0 if c == winner else max(0.0, gap[c] - luck[c]) for c in range(configs)]
    middle = float(np.median(error))
    unseen = rng.standard_normal((len(gone), DRAWS))
    if gone:
        leads = [max(lead[m], *(middle * u for u in unseen[:, m])) for m in range(DRAWS)]
        alone = upper_order([leads[m] - middle * unseen[0, m] for m in range(DRAWS)], 0.05)
    errors = []
    for m, row in enumerate(drawn):
        chances = [(row[c] * error[c] - behind[c], row[c]) for c in range(configs)]
        for (far, share), u in zip(gone, unseen[:, m], strict=True):
            chances.append((middle * u - max(0.0, far - alone / math.sqrt(share)), u))
        errors.append(max(chances)[1])
    return Level(errors, [gap[c] <= luck[c] for c in range(configs)], len(gone))


def trained(t: float, z: float) -> float:
    """Return lambda phi² at a value, where right answers are z standard errors from one half."""
    delta = (z * z + z * math.sqrt(z * z + 4)) / 2 if z > 0 else 0.0  # delta² / (delta + 1) = z²
    return float(norm.pdf(norm.ppf(t)) ** 2) / (1 + delta)


def share_limit(
    share: float, trials: float, tail: float, cases: float | None = None, sign: float = 1.0
) -> float:
    """Return Clopper and Pearson's lower limit; of so many cases that trained each other.

    With the sign -1 it is the share of wrong answers.
    """
    if share * trials <= 1e-12:
        return 0.0

    def at(q: float) -> float:
        return float(beta.ppf(tail, share * q, (1 - share) * q + 1))

    if cases is None:
        return at(trials)

    def beyond(t: float) -> float:
        variance = t * (1 - t) / trials + trained(t, sign * norm.ppf(t)) / cases
        return at(t * (1 - t) / variance) - t

    return float(brentq(beyond, 1e-9, share - 1e-9, xtol=1e-13))


def area_limit(area: float, tail: float, trials_at: Callable[[float], float]) -> float:
    """Return the lower limit of an AUC by the score test."""

    def beyond(t: float) -> float:
        q = trials_at(t)
        return float(beta.cdf(t, area * q + 1 / 3, (1 - area) * q + 2 / 3)) - tail

    return float(brentq(beyond, 1e-9, area, xtol=1e-13)) if beyond(area) > 0 else area


def limits(
    problem: Problem, counts: NDArray[np.integer], rng: np.random.Generator, tails: list[float]
) -> list[tuple[float, float]]:
    """Return the lower end at the local level and the upper end at the tail itself, by tails."""
    configs, everything = problem.configs, np.arange(len(problem.y))
    table = np.array(
        [
            [problem.score(np.repeat(everything, count), c) for c in range(configs)]
            for count in counts
        ]
    )
    scores = np.array([problem.score(everything, c) for c in range(configs)])
    winner = next(c for c in range(configs) if scores[c] >= scores.max() - 1e-12)
    trials = [problem.trials(c, scores[c]) for c in range(configs)]
    near, locals_ = [True] * configs, tails
    if configs > 1:
        steady = [[anscombe(row[c], trials[c]) for c in range(configs)] for row in table]
        own = [anscombe(scores[c], trials[c]) for c in range(configs)]
        level = local_level(np.array(steady), np.array(own), winner, rng)
        near, locals_ = level.near, [level.tail(tail) for tail in tails]
    worth = []
    for c in range(configs):
        variance = float(np.var(table[:, c], ddof=1))
        if near[c] and 0 < scores[c] < 1 and variance > 1e-10:
            worth.append(scores[c] * (1 - scores[c]) / variance)
    pooled = float(np.median(worth)) if worth else math.inf
    s, q = float(scores[winner]), trials[winner]
    if problem.metric == "roc_auc":
        m = int((problem.y == 1).sum())
        k = len(problem.y) - m
        own_variance = delong_variance(problem.y, problem.said[:, winner])
        inside = min(max(s, 1e-6), 1 - 1e-6)
        wide = max(1.0, own_variance / area_variance(inside, m, k)) if s < 1 else 1.0

        def trials_at(t: float) -> float:
            alone = min(area_trials(t, m, k) / wide, pooled)
            if not problem.crossed:
                return alone
            t = min(max(t, 1e-6), 1 - 1e-6)
            added = 2 * wide * trained(t, norm.ppf(t) / math.sqrt(2)) / (m + k)
            return t * (1 - t) / (t * (1 - t) / alone + added)

        def mirrored(t: float) -> float:
            return trials_at(1 - t)

        return [
            (area_limit(s, local, trials_at), 1 - area_limit(1 - s, tail, mirrored))
            for local, tail in zip(locals_, tails, strict=True)
        ]
    repeats = problem.said.shape[2]
    if problem.metric == "balanced_accuracy":
        q = min(pooled, q)
    elif repeats > 1:
        q = min(pooled, q * repeats)
    cases = len(problem.y) if problem.crossed else None
    return [
        (share_limit(s, q, local, cases), 1 - share_limit(1 - s, q, tail, cases, -1))
        for local, tail in zip(locals_, tails, strict=True)
    ]


# ---- any other metric: what its law reads, its steady scale, and the limit of one configuration


class PlainLaw:
    """A law by its definition; `x` are scores as the law reads them, one per configuration."""

    greater = True

    def read(self, value: float) -> float:
        """Return what the law reads in a value of the metric."""
        return value

    def steady(self, x: float, config: int, own: float) -> float:
        """Return a value on the steady scale; `own` is the score of the configuration."""
        raise NotImplementedError

    def bad(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the bad end of the metric."""
        raise NotImplementedError

    def good(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the good end of the metric."""
        raise NotImplementedError


def median_trials(x: Floats, table: Floats, near: list[bool]) -> float:
    """Return the trials that a score is worth, the median over near-winners."""
    worth = []
    for c in range(len(x)):
        variance = float(np.var(table[:, c], ddof=1))
        if near[c] and 0 < x[c] < 1 and variance > 1e-10:
            worth.append(x[c] * (1 - x[c]) / variance)
    return float(np.median(worth)) if worth else math.inf


def widened(added: Floats, errors: float = 1.0) -> float:
    """Return the factor of a variance that adds some of its standard errors."""
    away = added - added.mean()
    kurtosis = float(np.mean(away**4)) / float(np.mean(away**2)) ** 2
    return 1 + errors * math.sqrt((kurtosis - 1) / len(away))


@dataclass
class PlainShare(PlainLaw):
    """A share by Clopper and Pearson, with trials that are known or at most so many."""

    trials: list[float]
    known: bool
    low: float = 0.0
    high: float = 1.0
    overlap: bool = False
    groups: int = 0
    added: Floats | None = None  # (groups, C): what each group adds to the metric
    crossed: int = 0  # the number of cases, if they trained each other's models

    def read(self, value: float) -> float:
        """Return the share."""
        return value / (2 - value) if self.overlap else (value - self.low) / (self.high - self.low)

    def back(self, share: float) -> float:
        """Return the metric of a share."""
        return (
            2 * share / (1 + share) if self.overlap else self.low + (self.high - self.low) * share
        )

    def steady(self, x: float, config: int, own: float) -> float:
        """Return Anscombe's scale."""
        return anscombe(x, self.trials[config])

    def worth(self, winner: int, x: Floats, table: Floats, near: list[bool]) -> float:
        """Return how many trials the winner's score is worth."""
        pooled = median_trials(x, table, near)
        if self.known:
            return self.trials[winner]
        if self.groups and pooled == math.inf:
            pooled = self.groups
        elif self.groups:
            assert self.added is not None
            pooled /= widened(self.added[:, winner], 0.5)
        return min(pooled, self.trials[winner])

    def cases(self, worth: float) -> float | None:
        """Return how many independent cases trained each other: groups are worth fewer."""
        if not self.crossed:
            return None
        return min(worth, self.crossed) if self.groups else self.crossed

    def bad(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the lower end."""
        q = self.worth(winner, x, table, near)
        return self.back(share_limit(x[winner], q, tail, self.cases(q)))

    def good(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the upper end."""
        q = self.worth(winner, x, table, near)
        return self.back(1 - share_limit(1 - x[winner], q, tail, self.cases(q), -1))


@dataclass
class PlainAreas(PlainLaw):
    """A mean of AUCs of m and k cases each, whose variance is scaled to that of resamples."""

    sizes: list[tuple[float, float]]
    least: float = 0.0  # of the ratio of both variances
    groups: int = 0
    crossed: int = 0  # not 0 if the cases trained each other's models

    def variance(self, t: float) -> float:
        """Return the binormal variance if all AUCs rose and fell together."""
        inside = min(max(t, 1e-6), 1 - 1e-6)
        return sum(area_variance(inside, m, k) for m, k in self.sizes) / len(self.sizes)

    def trials(self, t: float) -> float:
        """Return the trials at a value."""
        inside = min(max(t, 1e-6), 1 - 1e-6)
        return inside * (1 - inside) / self.variance(t)

    def steady(self, x: float, config: int, own: float) -> float:
        """Return Anscombe's scale, with the trials of the configuration's own score."""
        return anscombe(x, self.trials(own))

    def at(self, x: Floats, table: Floats, near: list[bool]) -> Callable[[float], float]:
        """Return the trials as a function of the value tested."""
        ratios = []
        for c in range(len(x)):
            variance = float(np.var(table[:, c], ddof=1))
            if near[c] and 0 < x[c] < 1 and variance > 1e-10:
                ratios.append(variance / self.variance(x[c]))
        wide = max(float(np.median(ratios)) if ratios else 1.0, self.least)
        pooled = median_trials(x, table, near)
        if self.groups and pooled == math.inf:
            pooled = self.groups
        # of several AUCs m + k is that of one with the means of 1 / mk and of (m + k - 2) / mk
        alone = np.mean([1 / (m * k) for m, k in self.sizes])
        cases = 2 + np.mean([(m + k - 2) / (m * k) for m, k in self.sizes]) / alone

        def trials(t: float) -> float:
            q = min(self.trials(t) / wide, pooled)
            if not self.crossed:
                return q
            t = min(max(t, 1e-6), 1 - 1e-6)
            added = 2 * wide * trained(t, norm.ppf(t) / math.sqrt(2)) / cases
            return 1 / (1 / q + added / (t * (1 - t)))

        return trials

    def bad(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the lower end."""
        return area_limit(x[winner], tail, self.at(x, table, near))

    def good(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the upper end."""
        trials = self.at(x, table, near)
        return 1 - area_limit(1 - x[winner], tail, lambda t: trials(1 - t))


@dataclass
class PlainLoss(PlainLaw):
    """A mean loss by a Gamma law; `added` (units, C) is what each unit adds to it."""

    added: Floats
    constant: float = 0.0
    slope: float = 1.0
    root: bool = False

    def __post_init__(self) -> None:
        """Take the direction from the slope."""
        self.greater = self.slope < 0

    def read(self, value: float) -> float:
        """Return the mean loss."""
        return value**2 if self.root else (value - self.constant) / self.slope

    def back(self, loss: float) -> float:
        """Return the metric of a mean loss."""
        return math.sqrt(loss) if self.root else self.constant + self.slope * loss

    def steady(self, x: float, config: int, own: float) -> float:
        """Return the logarithm, greater being better."""
        return -math.log(x)

    def shape(self, winner: int, table: Floats, near: list[bool]) -> float:
        """Return one over the relative variance, widened by the error of a variance."""
        used = [c for c in range(table.shape[1]) if near[c]]
        spread = sum(float(np.var(table[:, c], ddof=1)) for c in used)
        size = sum(float(np.mean(table[:, c])) ** 2 for c in used)
        return size / spread / widened(self.added[:, winner])

    def bad(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the end of a larger loss."""
        k = self.shape(winner, table, near)
        return self.back(x[winner] * k / float(gamma.ppf(tail, k)))

    def good(self, winner: int, x: Floats, table: Floats, near: list[bool], tail: float) -> float:
        """Return the end of a smaller loss."""
        k = self.shape(winner, table, near)
        return self.back(x[winner] * k / float(gamma.isf(tail, k)))


def other_limits(
    law: PlainLaw,
    score: Callable[[NDArray[np.intp], int], float],
    counts: NDArray[np.integer],
    configs: int,
    rng: np.random.Generator,
    tails: list[float],
    *,
    groups: int = 0,
    dropped: list[tuple[float, float]] | None = None,
) -> list[tuple[float, float]]:
    """Return the bad end at the local level and the good end at the tail itself, by tails.

    `score(rows, config)` is the metric; of groups there are so many, and of configurations that
    were dropped the gap to the winner on a share of the cases is known.
    """
    everything = np.arange(counts.shape[1])
    table = np.array(
        [
            [law.read(score(np.repeat(everything, count), c)) for c in range(configs)]
            for count in counts
        ]
    )
    values = [score(everything, c) for c in range(configs)]
    x = np.array([law.read(value) for value in values])
    best = max(values) if law.greater else min(values)
    winner = next(c for c in range(configs) if abs(values[c] - best) <= 1e-12)
    near, locals_ = [True] * configs, tails
    if configs + len(dropped or []) > 1:
        steady = [[law.steady(row[c], c, x[c]) for c in range(configs)] for row in table]
        own = [law.steady(x[c], c, x[c]) for c in range(configs)]
        level = local_level(np.array(steady), np.array(own), winner, rng, dropped)
        near, locals_ = level.near, [level.tail(tail) for tail in tails]

    def few(tail: float) -> float:
        return float(norm.cdf(student.ppf(tail, groups - 1))) if groups else tail

    return [
        (law.bad(winner, x, table, near, few(a)), law.good(winner, x, table, near, few(b)))
        for a, b in zip(locals_, tails, strict=True)
    ]
