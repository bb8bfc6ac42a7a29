"""Scores of bootstrap-trained models: on all cases, on those they drew, on those they did not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError
from earnest.core.base.sums import weighted_sums
from earnest.core.data.replicates import Replicates
from earnest.core.data.weights import Weights
from earnest.kernels.score import score_selected, score_table
from earnest.metrics.families import Array, Metric, MomentMetric
from earnest.metrics.responding import respond

CELLS = 1 << 21  # feature values held at a time


def apparent_score(replicates: Replicates, metric: Metric) -> float:
    """Return the score of the model of all cases on these cases."""
    everything = Weights.ones(replicates.n_cases)
    value = float(score_table(replicates.resubstituted, metric, everything)[0, 0])
    if np.isnan(value):
        raise EvidenceError(
            f"metric {metric.name!r} is undefined on these cases",
            needs="cases on which the metric has a value",
            cure="Check the predictions, or choose another metric.",
        )
    return value


def score_replicates(replicates: Replicates, metric: Metric, n_jobs: int | None = None) -> Array:
    """Return the score of every replicate's model on all cases: (B,)."""
    everything = np.ones((1, replicates.n_cases), dtype=np.uint8)
    if isinstance(metric, MomentMetric):
        return _score_moments(
            replicates, metric, np.broadcast_to(everything, _find_shape(replicates))
        )
    table = score_table(replicates.columns, metric, Weights(everything), n_jobs=n_jobs)
    return np.asarray(table[0])


def score_drawn(replicates: Replicates, metric: Metric, n_jobs: int | None = None) -> Array:
    """Return the score of every replicate's model on its own bootstrap sample: (B,)."""
    return _score_each(replicates, metric, replicates.counts, n_jobs)


def correct_each(replicates: Replicates, metric: Metric, n_jobs: int | None = None) -> Array:
    """Return for every sample its own score less the optimism that samples of it show: (B, I).

    Each column is one sample of each sample: the score of the replicate on its own sample, plus
    that of the inner model on the sample less that on the inner model's own one.
    """
    inner = replicates.inner
    if inner is None:
        raise EvidenceError(
            "a two-stage interval needs models trained on samples of the samples",
            needs="replicates with a second stage",
            got=repr(replicates),
            cure="Train them with bootstrap_train(..., n_inner=10), or ask earnest.assess.",
        )
    drawn = score_drawn(replicates, metric, n_jobs)
    outer = np.repeat(replicates.counts, replicates.n_inner, axis=0)
    gaps = _score_each(inner, metric, outer, n_jobs) - score_drawn(inner, metric, n_jobs)
    return drawn[:, None] + gaps.reshape(replicates.n_replicates, replicates.n_inner)


def left_out_scores(replicates: Replicates, metric: Metric, n_jobs: int | None = None) -> Array:
    """Return the score of every replicate's model on the cases that it did not draw: (B,)."""
    return _score_each(replicates, metric, replicates.out_of_bag().view(np.uint8), n_jobs)


def features(
    replicates: Replicates, metric: MomentMetric
) -> Iterator[tuple[slice, Numbers, Numbers]]:
    """Yield a block of replicates, their features (m, n, b) and the shared ones (s, n).

    All are taken about one centre, that of the model of all cases, so that sums of different
    replicates can be added up.
    """
    pi = replicates.columns
    whole = respond(pi, metric.needs, replicates.resubstituted.responses[:, :, 0])
    centre = None if metric.centre is None else metric.centre(pi.target, whole)
    probe = metric.features(pi.target, whole, centre)
    step = max(1, CELLS // max(1, probe.own.size))
    for start in range(0, replicates.n_replicates, step):
        block = slice(start, start + step)
        moments = metric.features(
            pi.target, respond(pi, metric.needs, pi.responses[:, block, 0]), centre
        )
        yield block, moments.own, np.atleast_2d(moments.shared)


def _find_shape(replicates: Replicates) -> tuple[int, int]:
    return replicates.n_replicates, replicates.n_cases


def _score_each(
    replicates: Replicates, metric: Metric, weights: Numbers, n_jobs: int | None
) -> Array:
    """Return the score of every replicate's model under its own row of weights: (B,)."""
    if isinstance(metric, MomentMetric):
        return _score_moments(replicates, metric, weights)
    each = np.arange(replicates.n_replicates)
    return score_selected(replicates.columns, metric, Weights(weights), each, n_jobs=n_jobs)


def _score_moments(replicates: Replicates, metric: MomentMetric, weights: Numbers) -> Array:
    out = np.empty(replicates.n_replicates)
    for block, numbers, shared in features(replicates, metric):
        heavy = weights[block].astype(np.float64)  # (b, n)
        # one row per replicate: its sum does not depend on how many are done at a time
        rows = np.ascontiguousarray(np.swapaxes(numbers, 1, 2), dtype=np.float64)  # (m, b, n)
        sums = (rows * heavy).sum(axis=2)[:, :, None]
        common = weighted_sums(weights[block], shared.T).T[:, :, None]
        out[block] = metric.combine(sums, common)[:, 0]
    return out
