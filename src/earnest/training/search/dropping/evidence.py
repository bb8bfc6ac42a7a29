"""What a test of early dropping looks at: gains of the configurations alive, resampled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from earnest.core.base import check
from earnest.core.base.errors import InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.folds import find_complete
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import first_best
from earnest.core.data.weights import Weights
from earnest.inference.resampling.resampled import choose_resampler
from earnest.inference.resampling.winners import gains_of
from earnest.kernels.score import score_table
from earnest.metrics import metric as resolve_metric
from earnest.metrics.families import Metric, MetricLike
from earnest.resampling.bootstrap import UndefinedRule, batches

STREAM = 1 << 20  # far from the streams of estimates: tests and estimates share no draw
MOST_ROUNDS = 50  # in which anything is asked; leave-one-out has as many rounds as cases


@dataclass(frozen=True, eq=False)
class RoundEvidence:
    """The predictions that a round of tests looks at.

    Attributes
    ----------
    pi : Predictions
        Cases tested so far, configurations that are alive and complete.
    columns : ndarray of int, shape (C',)
        Where these configurations stand among all.
    n_configs : int
        How many there are in all.
    metric : Metric
        What they are compared by.
    share : float
        The share of all predictions of a configuration that are there.
    gains : ndarray, shape (C',)
        The metric on the cases as they are, greater being better.
    best : int
        The column with the greatest gain, the first of those tied.
    """

    pi: Predictions
    columns: NDArray[np.intp]
    n_configs: int
    metric: Metric
    share: float
    gains: NDArray[np.float64]
    best: int


def gather(
    pi: Predictions,
    metric: MetricLike,
    alive: NDArray[np.bool_] | None,
    round: int,
    min_predictions: int,
) -> RoundEvidence | None:
    """Return the evidence of a round, None if nothing can be tested or no test is due."""
    check.whole_number("round", round, low=1)
    measure = resolve_metric(metric).on(pi.target.task)
    going = np.flatnonzero(_mask_alive(alive, pi.n_configs))
    share = measure_share_done(pi)
    if len(going) < 2 or not is_due(round, share):
        return None
    cells = [cell[:, going] for cell in pi.cells]
    whole = find_complete(cells) & np.any([cell.any(axis=0) for cell in cells], axis=0)
    if whole.sum() < 2:
        return None
    usable = pi.select(going[whole]).usable()
    if usable.n_cases < min_predictions:
        return None
    scores = average_repeats(usable, measure, Weights.ones(usable.n_cases))
    best = int(first_best(gains_of(measure, scores[None])[0])[0])
    if best < 0:
        return None
    gains = measure.sign * scores[0]
    return RoundEvidence(usable, going[whole], pi.n_configs, measure, share, gains, best)


def measure_share_done(pi: Predictions) -> float:
    """Return the share of the planned predictions of a configuration that are there already.

    Planned are those of cases that have a fold in a repeat.
    """
    done = sum(int(pi.tested(r).sum()) for r in range(pi.n_repeats))
    return done / max(1, int((pi.folds >= 0).sum()))


def count_rounds(round: int, share: float) -> float:
    """Return how many rounds the whole search has in which anything is asked."""
    return min(round / share, float(MOST_ROUNDS))


def is_due(round: int, share: float) -> bool:
    """Tell whether a round is one of those in which anything is asked.

    With more than fifty rounds it is the first of each fiftieth of the search.
    """
    if round <= MOST_ROUNDS * share:
        return True
    before = share * (round - 1) / round
    return math.floor(MOST_ROUNDS * share + 1e-9) > math.floor(MOST_ROUNDS * before + 1e-9)


def _mask_alive(alive: NDArray[np.bool_] | None, configs: int) -> NDArray[np.bool_]:
    mask = np.ones(configs, dtype=bool) if alive is None else np.asarray(alive)
    if mask.dtype != bool or mask.shape != (configs,):
        raise InputError(
            "`alive` does not say which configurations continue",
            needs=f"{configs} booleans, one per configuration",
            got=f"shape {mask.shape}, dtype {mask.dtype}",
        )
    return mask


def score_batches(
    evidence: RoundEvidence, n_resamples: int, seeds: Seeds, round: int, n_jobs: int | None
) -> Iterator[NDArray[np.float64]]:
    """Yield the scores (b, C') of all resamples of a round; NaN where they are undefined."""
    target = evidence.pi.target
    drawn = batches(
        choose_resampler(None, target, UndefinedRule.DROP),
        target,
        n_resamples,
        seeds,
        columns=evidence.pi.n_configs,
        stream=STREAM + round,
        n_jobs=workers(n_jobs),
    )
    for weights in drawn:
        yield average_repeats(evidence.pi, evidence.metric, weights, n_jobs=n_jobs)


def average_repeats(
    pi: Predictions, metric: Metric, weights: Weights, *, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the metric (B, C), each repeat counting as much as the cases that it has tested.

    Amid a repeat a plain mean over repeats would give a few new cases the say of all others.
    """
    if pi.n_repeats == 1:
        return score_table(pi, metric, weights, n_jobs=n_jobs)
    sizes = np.array([pi.tested(r).sum() for r in range(pi.n_repeats)], dtype=np.float64)
    tables = (
        share * score_table(pi.take_repeats(slice(r, r + 1)), metric, weights, n_jobs=n_jobs)
        for r, share in enumerate(sizes / sizes.sum())
    )
    return np.asarray(sum(tables))
