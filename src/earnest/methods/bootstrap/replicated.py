"""What methods on bootstrap-trained replicates share: their call, and the score left out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Seeds
from earnest.core.cautions import of_limits
from earnest.core.data.replicates import Replicates
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import Ask
from earnest.core.results.specs import MethodSpec
from earnest.core.text.doors import arg
from earnest.inference.left_out.estimates import cases_left_out, has_cases
from earnest.inference.left_out.leave_one_out import LeftOutEstimate
from earnest.inference.left_out.scores import apparent_score, left_out_scores
from earnest.inference.limits.replicates import find_replicate_limits
from earnest.methods.base import EstimateParts
from earnest.metrics.families import Metric


@dataclass(frozen=True, kw_only=True)
class ReplicatesCall:
    """One question to a method that needs bootstrap-trained replicates."""

    replicates: Replicates
    metric: Metric
    ask: Ask
    seeds: Seeds
    n_jobs: int | None = None


def score_left_out(call: ReplicatesCall) -> tuple[float, list[Caution]]:
    """Return the score of cases left out: case by case where it can be, else sample by sample."""
    if has_cases(call.metric):
        return cases_left_out(call.replicates, call.metric).value, []
    return average_defined(call, left_out_scores(call.replicates, call.metric, call.n_jobs))


def average_defined(
    call: ReplicatesCall, scores: NDArray[np.float64]
) -> tuple[float, list[Caution]]:
    """Return the mean over the replicates that have a defined score, and a caution for the others.

    At least one score must be defined.
    """
    bad = int(np.isnan(scores).sum())
    if bad == len(scores):
        raise EvidenceError(
            f"metric {call.metric.name!r} is undefined for every replicate",
            needs="at least one replicate that leaves out cases of every class",
            cure="Draw each class separately with bootstrap_train(..., "
            f"{arg('stratify', True)}), or train "
            "more.",
        )
    remark = of_limits.replicates_undefined(bad, len(scores))
    return float(np.nanmean(scores)), [remark] if bad else []


@dataclass(frozen=True, kw_only=True)
class LeftOutMethod(ABC):
    """A method whose standard error comes from the influence of cases on what was left out."""

    spec: ClassVar[MethodSpec]

    @abstractmethod
    def leave_out(self, call: ReplicatesCall) -> LeftOutEstimate:
        """Return the value, and what each case adds to its variance."""

    def __call__(self, call: ReplicatesCall) -> EstimateParts:
        """Return the value with limits from its influence function."""
        estimate = self.leave_out(call)
        limits = find_replicate_limits(call.replicates, call.metric, estimate)
        return EstimateParts(
            value=estimate.value,
            naive=apparent_score(call.replicates, call.metric),
            source=limits.source,
            cautions=limits.cautions,
            details=estimate,
        )
