"""Two learners on the same bootstrap samples: what the tests of cases left out share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from earnest.comparison.base import Array, PairOutcome, PairReading, TestSpec
from earnest.comparison.wald import few_units_in_test, wald
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_limits
from earnest.core.data.replicates import Replicates
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.inference.left_out.estimates import has_pairs
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.inference.limits.replicates import noise_remarks, warn_of_unseen
from earnest.inference.remarks import few_groups_in_variance
from earnest.metrics.families import Metric


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
        units = list(dict.fromkeys(str(learner.drawn) for learner in self.replicates))
        if len(units) > 1:
            raise EvidenceError(
                "the bootstrap samples of the learners were drawn in different ways",
                needs="the same `drawn` for both",
                got=" and ".join(check.show(unit) for unit in units),
                cure="Train both with the same metric, or pass `drawn=` to Replicates.from_arrays.",
            )
        draws = {learner.draws_fingerprint for learner in self.replicates}
        if len(draws) > 1:
            raise EvidenceError(
                "the learners were trained on different bootstrap samples",
                needs="replicates of the same draws",
                cure=f"Train both with the same {arg('rng')}, data and metric.",
            )


class SampleTest(ABC):
    """A test of two learners that were trained on bootstrap samples."""

    spec: ClassVar[TestSpec]

    @abstractmethod
    def check_metric(self, metric: Metric, target: Target) -> None:
        """Refuse a metric that it cannot take, before anything is trained."""

    @abstractmethod
    def leave_out(
        self, metric: Metric, learner: Replicates, other: Replicates | None
    ) -> LeftOutEstimate:
        """Return the estimate of one learner, or of its difference to another."""

    def read(self, question: ReplicateQuestion) -> LeaveOutReading:
        """Read the replicates of every learner."""
        self.check_metric(question.metric, question.target)
        return LeaveOutReading(question, self)


@dataclass(frozen=True, eq=False)
class LeaveOutReading(PairReading):
    """The estimate of every learner from the cases that its replicates left out."""

    question: ReplicateQuestion
    test: SampleTest

    @cached_property
    def values(self) -> Array:
        """The estimate of every learner: (C,)."""
        leave_out, metric = self.test.leave_out, self.question.metric
        return np.array(
            [leave_out(metric, learner, None).value for learner in self.question.replicates]
        )

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the difference over its standard error by the influence function."""
        first, second = (self.question.replicates[i] for i in (a, b))
        metric, groups = self.question.metric, first.groups
        estimate = self.test.leave_out(metric, first, second)
        units = first.n_cases if groups is None else len(np.unique(groups))
        unit = "case" if groups is None else "group"
        return wald(
            (float(self.values[a]), float(self.values[b])),
            estimate.variance,
            metric.scale,
            units=units,
            unit=unit,
            same=bool(np.array_equal(first.responses, second.responses)),
            cautions=_remarks(estimate, first, metric),
            few=few_units_in_test(units, unit, metric),
        )


def _remarks(
    estimate: LeftOutEstimate, replicates: Replicates, metric: Metric
) -> Iterator[Caution]:
    """Yield what to say about cases that no replicate left out, and about the error."""
    yield from warn_of_unseen(estimate, pairs=has_pairs(metric, replicates.target))
    yield from noise_remarks(estimate)
    yield from few_groups_in_variance(replicates.groups)
    if not estimate.drowned:
        yield of_limits.error_of_difference_too_large()
