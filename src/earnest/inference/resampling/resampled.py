"""A statistic over all resamples, and what happens where it is undefined."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.resampling.bootstrap import (
    Accept,
    CaseBootstrap,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
    UndefinedRule,
    batches,
)

ROUNDS = 50  # of redrawing what a metric leaves undefined

Statistic = Callable[[Weights], NDArray[np.float64]]  # resamples (b, n) -> values (b, k)


def choose_resampler(
    given: Resampler | None, target: Target, undefined: UndefinedRule
) -> Resampler:
    """Return the resampler: as given, else by groups, else by strata, else by the policy."""
    if given is not None:
        if undefined is UndefinedRule.STRATIFY and not isinstance(given, StratifiedBootstrap):
            raise InputError(
                "undefined='stratify' contradicts the resampler",
                needs="resampler 'stratified', or none",
                got=repr(given.name),
            )
        return given
    if target.groups is not None:
        if undefined is UndefinedRule.STRATIFY:
            raise InputError(
                "groups cannot be resampled within classes",
                needs="undefined='redraw' or 'drop' for grouped cases",
                got="undefined='stratify'",
            )
        return GroupBootstrap()
    apart = target.strata is not None or undefined is UndefinedRule.STRATIFY
    return StratifiedBootstrap() if apart else CaseBootstrap()


def resample_statistic(
    statistic: Statistic,
    target: Target,
    resampler: Resampler,
    n_resamples: int,
    seeds: Seeds,
    *,
    accept: Accept | None,
    redraw: bool,
    columns: int = 1,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the statistic on every resample: (B, k); undefined where column 0 is NaN.

    With `redraw` such resamples are drawn again, from streams of their own.
    """

    def values(count: int, stream: int) -> NDArray[np.float64]:
        parts = batches(
            resampler,
            target,
            count,
            seeds,
            accept=accept,
            columns=columns,
            stream=stream,
            n_jobs=workers(n_jobs),
        )
        return np.concatenate([statistic(part) for part in parts])

    out = values(n_resamples, 0)
    for stream in range(1, ROUNDS + 1 if redraw else 1):
        bad = np.flatnonzero(np.isnan(out[:, 0]))
        if len(bad) == 0:
            break
        out[bad] = values(len(bad), stream)
    if np.isnan(out[:, 0]).all():
        raise EvidenceError(
            "the metric is undefined on every resample",
            needs="resamples with a defined value",
            got=f"{target.n} cases, {n_resamples} resamples",
            cure="Look for constant predictions or a class with few cases, or use another metric.",
        )
    return out
