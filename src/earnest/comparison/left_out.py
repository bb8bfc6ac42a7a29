"""Two learners on the same bootstrap samples: what the tests of cases left out share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from earnest.comparison.base import Array, PairOutcome, Reading, TestSpec
from earnest.comparison.wald import few_units, wald
from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.data.replicates import Replicates
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution, Severity
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.inference.limits.replicates import noise_remarks
from earnest.inference.remarks import few_groups_in_variance
from earnest.metrics.families import Metric

Between = Callable[[Replicates, Replicates | None], LeftOutEstimate]  # of one learner, or of two


@dataclass(frozen=True, kw_only=True)
class ReplicateQuestion:
    """One question to a test: replicates of learners on the same draws, a metric, seeds."""

    replicates: tuple[Replicates, ...]
    metric: Metric
    seeds: Seeds

    @property
    def target(self) -> Target:
        """The outcome, the same for all learners."""
        return self.replicates[0].target

    def __post_init__(self) -> None:
        """Refuse learners that were trained on other samples."""
        draws = {one.draws_fingerprint for one in self.replicates}
        if len(draws) > 1:
            raise EvidenceError(
                "the learners were trained on different bootstrap samples",
                needs="replicates of the same draws",
                cure="Train both with the same `rng`, data and metric.",
            )


class SampleTest(Protocol):
    """A test of two learners that were trained on bootstrap samples."""

    spec: ClassVar[TestSpec]

    def check_metric(self, metric: Metric, target: Target) -> None:
        """Refuse a metric that it cannot take, before anything is trained."""
        ...

    def read(self, question: ReplicateQuestion) -> Reading:
        """Read the replicates of every learner."""
        ...


@dataclass(frozen=True, eq=False)
class LeaveOutReading:
    """The estimate of every learner from the cases that its replicates left out.

    Parameters
    ----------
    between : callable
        The estimate of one learner, or of the difference of two on the same replicates.
    """

    question: ReplicateQuestion
    between: Between

    @cached_property
    def values(self) -> Array:
        """The estimate of every learner: (C,)."""
        return np.array([self.between(one, None).value for one in self.question.replicates])

    @property
    def used(self) -> Mapping[str, object]:
        """No default depends on the data."""
        return {}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the difference over its standard error by the influence function."""
        first, second = (self.question.replicates[i] for i in (a, b))
        made = self.between(first, second)
        metric, units = self.question.metric, _units(first)
        unit = "case" if first.groups is None else "group"
        return wald(
            (float(self.values[a]), float(self.values[b])),
            made.variance,
            metric.scale,
            units=units,
            unit=unit,
            same=bool(np.array_equal(first.responses, second.responses)),
            cautions=_remarks(made, first),
            few=few_units(units, unit, metric),
        )


def _units(replicates: Replicates) -> int:
    groups = replicates.groups
    return replicates.n_cases if groups is None else len(np.unique(groups))


def _remarks(made: LeftOutEstimate, replicates: Replicates) -> Iterator[Caution]:
    """Yield what is to be said of cases that no replicate left out, and of the error."""
    if made.n_unseen:
        yield Caution(
            "EN085",
            f"{made.n_unseen} cases or pairs were left out by none of {made.n_replicates} "
            "replicates.",
            "They are not in the mean.",
            "Train more replicates.",
        )
    yield from noise_remarks(made)
    yield from few_groups_in_variance(replicates.groups)
    if not made.drowned:
        yield Caution(
            "EN099",
            "The standard error of a difference by the influence function is rather too large.",
            "In simulation it was up to a third too large, so p is rather too large too.",
            "",
            Severity.NOTE,
        )
