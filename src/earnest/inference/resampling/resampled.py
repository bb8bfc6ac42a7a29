"""A statistic over all resamples, and what happens where it is undefined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.arguments.shared import MOST_RESAMPLES
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError, InputError
from earnest.core.base.rng import Seeds
from earnest.core.base.threads import workers
from earnest.core.data.target import Target
from earnest.core.data.weights import Weights
from earnest.core.text.doors import arg
from earnest.resampling.blocks import CircularBlockBootstrap
from earnest.resampling.bootstrap import (
    Accept,
    CaseBootstrap,
    ClassNeed,
    GroupBootstrap,
    Resampler,
    StratifiedBootstrap,
    UndefinedRule,
    batches,
    find_resampler,
    in_bag_rule,
    out_of_bag_rule,
)
from earnest.resampling.survey import SurveyBootstrap

ROUNDS = 50  # of redrawing what a metric leaves undefined

Statistic = Callable[[Weights], NDArray[np.float64]]  # resamples (b, n) -> values (b, k)


def choose_resampler(
    resampler: Resampler | None, target: Target, undefined: UndefinedRule
) -> Resampler:
    """Return the resampler: as given, else by groups, by time, by strata, or by the policy."""
    if resampler is not None:
        if undefined is UndefinedRule.STRATIFY and not isinstance(resampler, StratifiedBootstrap):
            raise InputError(
                f"{arg('undefined', 'stratify')} contradicts the resampler",
                needs="resampler 'stratified', or none",
                got=repr(resampler.name),
            )
        return resampler
    if target.surveyed:
        return SurveyBootstrap()
    if target.groups is not None:
        if undefined is UndefinedRule.STRATIFY:
            raise InputError(
                "groups cannot be resampled within classes",
                needs=f"{arg('undefined', 'redraw')} or 'drop' for grouped cases",
                got=arg("undefined", "stratify"),
            )
        return GroupBootstrap()
    if target.in_blocks:
        if undefined is UndefinedRule.STRATIFY:
            raise InputError(
                "blocks of time cannot be resampled within classes",
                needs=f"{arg('undefined', 'redraw')} or 'drop' for cases in time order",
                got=arg("undefined", "stratify"),
            )
        return CircularBlockBootstrap()
    apart = target.strata is not None or undefined is UndefinedRule.STRATIFY
    return StratifiedBootstrap() if apart else CaseBootstrap()


@dataclass(frozen=True, kw_only=True)
class ResamplingKnobs:
    """The knobs of a method or a test that resamples cases.

    Parameters
    ----------
    n_resamples : int
        The number of resamples.
    undefined : {'redraw', 'drop', 'stratify'}
        What to do with a resample on which the metric is undefined.
    resampler : str or Resampler, optional
        What draws them; by default groups if there are any, blocks of time if the cases are in
        time order, otherwise cases.
    """

    fewest: ClassVar[int] = 1
    n_resamples: int = 1000
    undefined: str = "redraw"
    resampler: str | Resampler | None = None

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.whole_number("n_resamples", self.n_resamples, low=self.fewest, high=MOST_RESAMPLES)
        check.one_of("undefined", self.undefined, list(UndefinedRule))

    def find_resampler(self, target: Target) -> Resampler:
        """Return what draws the resamples of these cases."""
        resampler, undefined = find_resampler(self.resampler), UndefinedRule(self.undefined)
        return choose_resampler(resampler, target, undefined)

    def resample(
        self,
        statistic: Statistic,
        target: Target,
        metric: ClassNeed,
        seeds: Seeds,
        *,
        left_out: bool = False,
        columns: int = 1,
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """Return the statistic on every resample, as `resample_statistic` does.

        With `left_out` the cases that a resample leaves out must define the metric too.
        """
        undefined = UndefinedRule(self.undefined)
        accept = (out_of_bag_rule if left_out else in_bag_rule)(metric, target, undefined)
        return resample_statistic(
            statistic,
            target,
            self.find_resampler(target),
            self.n_resamples,
            seeds,
            accept=accept,
            redraw=undefined is UndefinedRule.REDRAW,
            columns=columns,
            n_jobs=n_jobs,
        )


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
        return np.concatenate([statistic(block) for block in parts])

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
