"""DeLong's test of two correlated areas under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.comparison.base import (
    Array,
    PairOutcome,
    PairReading,
    Question,
    SupportedMetrics,
    TestSpec,
    flip_signs,
    predict_alike,
    refuse_metric,
    register,
    several_models,
)
from earnest.comparison.wald import few_units_in_test, wald
from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.inference.cases.placements import placements
from earnest.metrics.families import Metric
from earnest.metrics.ranking import is_auc
from earnest.metrics.responding import respond


@dataclass(frozen=True, eq=False)
class DeLongReading(PairReading):
    """What each case adds to each area: placements about their mean, over the class size.

    `training` is what drawing the training sets adds to a variance, as a share of it.
    """

    question: Question
    areas: Array  # (C,)
    errors: Array  # (n, C)
    training: float = 0.0

    @property
    def values(self) -> Array:
        """The area of every configuration: (C,)."""
        return self.areas

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the difference of two areas over its standard error."""
        pi, metric = self.question.pi, self.question.metric
        groups, positive = pi.target.groups, pi.target.y == 1
        apart = self.errors[:, a] - self.errors[:, b]
        unit = "case of the rarer class" if groups is None else "group"
        return wald(
            (float(self.areas[a]), float(self.areas[b])),
            _variance(apart, positive, groups) * (1.0 + self.training),
            metric.scale,
            units=self._independent,
            unit=unit,
            same=predict_alike(pi, a, b),
            cautions=() if self.training else several_models(pi),
            few=few_units_in_test(self._independent, unit, metric),
        )

    @property
    def units(self) -> int:
        """The independent units of a sum: groups, or twice the cases of the rarer class.

        An area depends on the mean of each class, and the rarer class causes most of the error.
        """
        return self._count_units(of_a_case=2)

    @cached_property
    def _independent(self) -> int:
        """The independent units: cases of the rarer class, or groups where these are fewer."""
        return self._count_units(of_a_case=1)

    def _count_units(self, of_a_case: int) -> int:
        target = self.question.pi.target
        fewest = of_a_case * int(np.bincount(target.y, minlength=2).min())
        return fewest if target.groups is None else min(fewest, len(np.unique(target.groups)))

    def deviations(self) -> Array:
        """Return joint draws of the errors, by random signs of the cases or groups."""
        groups = self.question.pi.target.groups
        errors = self.errors
        if groups is not None:
            errors = np.zeros((int(groups.max()) + 1, self.errors.shape[1]))
            np.add.at(errors, groups, self.errors)
        return flip_signs(errors, self.question.seeds)


@register
@dataclass(frozen=True, kw_only=True)
class DeLongTest:
    """DeLong's paired test of two areas under the ROC curve on the same cases.

    **What is compared.** Two columns of scores, each treated as those of one fixed model; scores of
    all folds are pooled.

    **What it assumes.** Independent cases, at least two of each class, and scores that mean the
    same in every fold. With groups the placements are summed in each group first (Obuchowski
    1997); with repeats they are averaged over repeats.

    **When it fails.** If folds have scores on different scales, with few cases of a class, and for
    nested models fitted on the cases that are tested.

    DeLong, DeLong, Clarke-Pearson 1988.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(2)
    >>> y = np.tile([0, 1], 60)
    >>> scores = y[:, None] * [1.5, 0.8] + rng.standard_normal((120, 2))
    >>> pi = en.Predictions.from_arrays(y, scores, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="delong", metric="roc_auc")
    roc_auc(a) - roc_auc(b) = 0.21, 95 % interval [0.09, 0.33], p < 0.001 (delong, n=120)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="delong",
        title="DeLong's test of paired ROC curves",
        estimand=ComparisonEstimand.FIXED_MODELS,
        metrics=SupportedMetrics.AUC,
        cites="DeLong et al. 1988",
        weighted=True,
    )

    def read(self, question: Question) -> DeLongReading:
        """Compute the placements of all cases once."""
        pi, metric = question.pi, question.metric
        _check(self.spec, pi, metric)
        positive = pi.target.y == 1
        areas, errors = [], np.zeros((pi.n_cases, pi.n_configs))
        for repeat in range(pi.n_repeats):
            scores = respond(pi, metric.needs, pi.responses[:, :, repeat])
            values = placements(positive, scores, pi.target.masses)
            areas.append(values.auc)
            errors[positive] += (values.positives - values.auc) / len(values.positives)
            errors[~positive] += (values.negatives - values.auc) / len(values.negatives)
        return DeLongReading(question, np.mean(areas, axis=0), errors / pi.n_repeats)


def _check(spec: TestSpec, pi: Predictions, metric: Metric) -> None:
    """Refuse other metrics than the AUC of two classes, and too few cases of a class."""
    if not is_auc(metric, pi.target):
        raise refuse_metric(
            spec,
            metric,
            f"Use {arg('metric', 'roc_auc')}, or {arg('test', 'bootstrap')} for any metric.",
        )
    counts = np.bincount(pi.target.y, minlength=2)
    if counts.min() < 2:
        raise EvidenceError(
            "DeLong's variance needs two cases of each class",
            needs="at least 2 positive and 2 negative cases",
            got=f"{counts[1]} positive and {counts[0]} negative",
            cure=f"Use {arg('test', 'bootstrap')}, or more cases.",
        )
    if not all(pi.tested(r).all() for r in range(pi.n_repeats)):
        raise EvidenceError(
            "test 'delong' needs every case in every repeat",
            got="repeats that tested some of the cases",
            cure=f"Use {arg('test', 'bayle')}.",
        )


def _variance(apart: Array, positive: NDArray[np.bool_], groups: NDArray[np.int64] | None) -> float:
    """Return the variance of the sum of errors: by class, or by group."""
    if groups is not None:
        sums = np.bincount(groups, weights=apart)
        count = len(np.unique(groups))
        if count < 2:
            raise EvidenceError(
                "a variance over groups needs two groups", needs="at least 2 groups", got="1 group"
            )
        return float(np.square(sums).sum() * count / (count - 1))
    parts = (apart[positive], apart[~positive])
    return float(sum(np.square(block).sum() * len(block) / (len(block) - 1) for block in parts))
