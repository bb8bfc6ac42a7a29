"""Early dropping that knows how uncertain the best configuration is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.rng import Seeds
from earnest.core.data.predictions import Predictions
from earnest.metrics.families import MetricLike
from earnest.training.search.dropping.bced import (
    DROPPING_RULES,
    DroppingKnobs,
    RoundTest,
    make_no_test,
    spread,
)
from earnest.training.search.dropping.evidence import (
    Evidence,
    count_rounds,
    gather,
    score_batches,
)

BEYOND = 4  # resamples that should lie beyond the level of a round
BLOCK = 256  # resamples compared at a time: few enough to stay in the processor's cache
SAME = 1e-6  # single precision: statistics this near are tied


@dataclass(frozen=True)
class BCEDAdjusted(DroppingKnobs):
    """Drop a configuration that could hardly look so bad if it were the best of all.

    For each configuration θ the hypothesis is that θ is at least as good as every other one. The
    statistic is the largest studentised difference to any other, `T = max_j (G_j - G_θ) / s_jθ`,
    with `s_jθ` the bootstrap standard deviation of that difference. Its law, were all equal, is
    that of the same maximum of centred differences `(G*_j - G_j) - (G*_θ - G_θ)` over the
    bootstrap resamples. Since the maximum runs over all others, it accounts for the uncertainty
    of the current best and for the number of competitors. Every round may spend the same part of
    `1 - threshold`; how many there will be follows from the share of the search that is done.

    **What is controlled.** The probability that the truly best configuration is dropped in any
    round of the search: at most `1 - threshold`, up to the error of the bootstrap. Only one
    configuration is the best, so no further correction for the number of tests is due; among
    equals another one may go.

    **What it assumes.** Cases (or groups) are independent, and Π holds the cases and folds to come
    as well, by which the share is told.

    **When it fails.** With few cases the law of a difference has longer tails than the bootstrap
    shows; T is therefore first mapped from Student's law with n - 1 degrees of freedom to the
    normal one. With a handful of differing predictions it stays rough.

    After the suggestion at the end of section 5 of Tsamardinos et al. 2018; the test is that of
    Hsu's multiple comparisons with the best, with a bootstrap law.

    Parameters
    ----------
    threshold : float
        One less the probability, over the whole search, of dropping the truly best configuration.
    min_predictions : int
        How many cases must have been tested before the first test.
    n_resamples : int
        The least number of bootstrap resamples a round; more are drawn where the part of the level
        that a round may spend needs them.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> from earnest.core.base.rng import Seeds
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 40)
    >>> scores = y[:, None] + np.array([0.5, 0.6, 5.0]) * rng.standard_normal((80, 3))
    >>> pi = en.Predictions.from_arrays(y, scores)
    >>> en.BCEDAdjusted().test(pi, "roc_auc", Seeds(7), round=1).dropped
    array([False, False,  True])
    """

    name: ClassVar[str] = "bced_adjusted"

    def test(
        self,
        pi: Predictions,
        metric: MetricLike,
        seeds: Seeds,
        round: int,
        alive: NDArray[np.bool_] | None = None,
        *,
        n_jobs: int | None = None,
    ) -> RoundTest:
        """Test every configuration that is alive but the current best.

        The parameters are those of `BCED.test`; `pi` holds the cases not tested yet as well.
        """
        found = gather(pi, metric, alive, round, self.min_predictions)
        if found is None or _count_units(found) < 3:
            return make_no_test(self.threshold, pi, round)
        level = (1.0 - self.threshold) / count_rounds(round, found.share)
        count = max(self.n_resamples, math.ceil(BEYOND / level))
        p = 1.0 - compute_chances(found, count, level, seeds, round, n_jobs)
        p[found.best] = np.nan
        return spread(found, round, p, 1.0 - level, count)


DROPPING_RULES.add(BCEDAdjusted.name, BCEDAdjusted)


def _count_units(found: Evidence) -> int:
    """Return the number of independent units: groups, else cases."""
    groups = found.pi.target.groups
    return found.pi.n_cases if groups is None else len(np.unique(groups))


def compute_chances(
    found: Evidence, count: int, level: float, seeds: Seeds, round: int, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return how probable it is that the best of all looks so bad: (C',), NaN if undefined."""
    away, unit = _center(found, count, seeds, round, n_jobs)  # (B, C')
    out = np.full(away.shape[1], np.nan)
    known = np.flatnonzero(2 * (~np.isnan(away)).sum(axis=0) >= count)
    away = away[:, known]
    away = away[~np.isnan(away).any(axis=1)]
    if len(known) < 2 or 2 * len(away) < count:
        return out
    observed = found.gains[known] / unit
    spreads = _compute_deviations(away)  # (C'', C'')
    most = math.floor(level * (len(away) + 1)) - 1  # draws beyond that still let it be dropped
    for i, column in enumerate(known):
        highest = _scale_to_normal(
            _find_largest(observed - observed[i], spreads[i]), _count_units(found) - 1
        )
        out[column] = _compute_tail(away, i, spreads[i], highest, most)
    return out


def _center(
    found: Evidence, count: int, seeds: Seeds, round: int, n_jobs: int | None
) -> tuple[NDArray[np.float32], float]:
    """Return by how much resampled gains differ from those observed (B, C'), and in which unit.

    The unit is about the size of these differences, as single precision asks for; what is not
    finite is undefined.
    """
    parts, unit = [], 0.0
    for scores in score_batches(found, count, seeds, round, n_jobs):
        away = found.metric.sign * scores - found.gains
        away[~np.isfinite(away)] = np.nan
        unit = unit or float(np.max(np.abs(away), initial=0.0, where=~np.isnan(away)))
        parts.append((away / (unit or 1.0)).astype(np.float32))
    return np.concatenate(parts), unit or 1.0


def _compute_deviations(away: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the standard deviation of the difference of each pair of columns."""
    centred = away.astype(np.float64)
    centred -= centred.mean(axis=0)
    covariance = centred.T @ centred / (len(away) - 1)
    own = np.diag(covariance)
    squares = own[:, None] + own - 2.0 * covariance
    # What is left of equal columns is the rounding of their variances.
    noise = 1e-6 * np.maximum(own[:, None], own)
    return np.sqrt(np.where(squares > noise, squares, 0.0))


def _find_largest(ahead: NDArray[np.float64], spread: NDArray[np.float64]) -> float:
    """Return the largest studentised lead over a configuration; a sure one is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ahead / spread
    return float(np.nanmax(np.where((spread == 0) & (ahead <= 0), np.nan, ratio), initial=0.0))


def _scale_to_normal(statistic: float, degrees: int) -> float:
    """Return the normal value with the tail that Student's law gives the statistic."""
    from scipy.special import ndtri, stdtr

    return float(-ndtri(stdtr(degrees, -statistic))) if statistic > 0 else statistic


def _compute_tail(
    away: NDArray[np.float32],
    own: int,
    spread: NDArray[np.float64],
    highest: float,
    most: int,
) -> float:
    """Return the share of centred resamples whose largest lead is as large as the one observed.

    Counting ends once more than `most` are: the configuration then stays, whatever follows.
    """
    if highest <= 0:  # nobody leads
        return 1.0
    if np.isinf(highest):  # a lead that no resample changes
        return 1.0 / (1 + len(away))
    # A configuration that never differs from this one leads by nothing: weight 0.
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    weight = weight.astype(np.float32)
    limit = highest - SAME * max(1.0, highest)
    lead = np.empty((BLOCK, away.shape[1]), dtype=np.float32)
    beyond = seen = 0
    for start in range(0, len(away), BLOCK):
        block = away[start : start + BLOCK]
        part = np.subtract(block, block[:, [own]], out=lead[: len(block)])
        part *= weight
        beyond += int((part.max(axis=1) >= limit).sum())
        seen += len(block)
        if beyond > most:
            break
    return (1 + beyond) / (1 + seen)
