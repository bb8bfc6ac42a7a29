"""The test of improvement by the central limit theorem of cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

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
)
from earnest.comparison.wald import few_units_in_test, wald
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits, of_tests
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import CaseValues, case_values
from earnest.inference.cases.fold_variance import Variance, check_fold_units, variance_of_mean
from earnest.inference.limits.fold_normal import beyond_the_theorem, lone_cases, unlike_cases
from earnest.inference.limits.no_spread import independent_pairs, reach
from earnest.inference.remarks import few_groups_in_variance

FEW_FOR_STABILITY = 2000  # cases under which learners that are not stable cost the test its level


@dataclass(frozen=True, eq=False)
class BayleReading(PairReading):
    """What each case adds to each configuration.

    `training` is what drawing the training sets adds to a variance, as a share of it.
    """

    question: Question
    cases: CaseValues
    variance: Variance
    training: float = 0.0

    @property
    def values(self) -> Array:
        """The metric of every configuration: (C,)."""
        return self.cases.value

    @property
    def units(self) -> int:
        """The independent units of a sum: cases or groups, both of each pair of unlike class."""
        pairs = self.cases.kind == "placements"
        return min(2 * self._independent, self.question.pi.n_cases) if pairs else self._independent

    @cached_property
    def _independent(self) -> int:
        """The independent units: cases, groups, or pairs of unlike class of an AUC."""
        cases = self.cases
        units = min(cases.n_units, self.question.pi.target.effective_units)
        if cases.kind != "placements":
            return units
        return max(1, min(independent_pairs(self.question.pi, cases), units // 2))

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the difference over its standard error."""
        cases, metric = self.cases, self.question.metric
        apart = cases.spread[:, a] - cases.spread[:, b]  # (n, R)
        variance, remarks = self._variance(apart)
        unlike = unlike_cases(apart, cases.folds)
        return wald(
            (float(cases.value[a]), float(cases.value[b])),
            variance * (1.0 + self.training),
            metric.scale,
            units=self._independent,
            unit=self._unit,
            same=predict_alike(self.question.pi, a, b),
            ends=partial(self._ends, a, b) if cases.kind == "delta" else None,
            cautions=[
                *remarks,
                *beyond_the_theorem(cases, metric.title),
                *few_groups_in_variance(cases.groups),
                *lone_cases(cases),
                *(() if self.training else warn_of_unchecked_stability(self.question.pi)),
            ],
            few=few_units_in_test(self._independent, self._unit, metric, unlike=unlike),
        )

    @property
    def _unit(self) -> str:
        if self.cases.kind == "placements":
            return "pair of different classes"
        return "case" if self.cases.groups is None else "group"

    def _ends(self, a: int, b: int) -> tuple[float, float]:
        """Return what unseen cases could make of a difference of functions of sums."""
        value, metric = self.cases.value, self.question.metric
        (low_a, high_a), (low_b, high_b) = (
            reach(self.question.pi.select(c), metric, float(value[c]), self._independent)
            for c in (a, b)
        )
        return low_a - high_b, high_a - low_b

    def _variance(self, apart: Array) -> tuple[float, list[Caution]]:
        """Return the variance of a mean difference; over all pairs where folds show none."""
        cases = self.cases
        variance = float(variance_of_mean(apart, cases.folds, cases.groups, self.variance))
        if variance > 0.0 or self.variance is Variance.ALL_PAIRS:
            return variance, []
        overall = variance_of_mean(apart, cases.folds, cases.groups, Variance.ALL_PAIRS)
        return float(overall), [flat_within_folds()] if overall > 0.0 else []

    def deviations(self) -> Array:
        """Return joint draws of the errors, by random signs of the cases' terms."""
        return flip_signs(self._errors(), self.question.seeds)

    def _errors(self) -> Array:
        """Return what each unit adds to the error of each value: (units, C)."""
        cases = self.cases
        tested = (cases.folds >= 0)[:, None, :]  # (n, 1, R)
        away = np.where(tested, cases.spread - cases.value[None, :, None], 0.0)
        away = away / (tested.sum(axis=0) * tested.any(axis=(0, 1)).sum())
        errors = np.asarray(away.sum(axis=2))  # (n, C)
        if cases.groups is None:
            return errors
        sums = np.zeros((int(cases.groups.max()) + 1, errors.shape[1]))
        np.add.at(sums, cases.groups, errors)
        return sums


@register
@dataclass(frozen=True, kw_only=True)
class BayleTest:
    """The asymptotically exact test of improvement for models of a cross-validation.

    **What is compared.** The average performance of the models that were fitted in these folds,
    not that of models refitted on all cases.

    **What it assumes.** Independent cases (or groups, with a cluster-robust variance), and stable
    learners: one case more or less in a training set changes their losses little.

    **When it fails.** With fewer than about thirty cases, and with unstable learners. Repeats,
    groups, metrics that are not means (by the delta method) and the AUC (the mean of the folds'
    AUCs, by placements) go beyond the theorem.

    Bayle, Bayle, Janson, Mackey 2020, theorem 1 with (8) or (9) as corrected: the inner mean of (8)
    is over the fold, and (9) is the mean over all cases.

    Parameters
    ----------
    variance : {'all_pairs', 'within_fold'}
        Whether the spread of the differences is about the mean of all cases or about that of the
        fold; the latter needs two cases in every fold.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y = rng.standard_normal(300)
    >>> guesses = y[:, None] + rng.standard_normal((300, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, np.arange(300) % 10, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="bayle", metric="mse", alternative="less")
    mse(a) - mse(b) = -0.13, 95 % upper bound -0.07, p < 0.001 (bayle, n=300)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="bayle",
        title="Central limit theorem of cross-validation",
        title_alone="Normal test of paired differences",
        estimand=ComparisonEstimand.FOLD_MODELS,
        metrics=SupportedMetrics.SMOOTH,
        cites="Bayle et al. 2020, theorem 1",
        weighted=True,
    )
    variance: str = "all_pairs"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.one_of("variance", self.variance, list(Variance))

    def read(self, question: Question) -> BayleReading:
        """Compute what each case adds to the metric."""
        metric = question.metric
        if not metric.has_terms:
            raise refuse_metric(
                self.spec, metric, f"Use {arg('test', 'bootstrap')}, which works for any metric."
            )
        kind = Variance(self.variance)
        try:
            cases = case_values(question.pi, metric, singles=kind is Variance.ALL_PAIRS)
        except EvidenceError as error:
            raise _set_cure(error, _other_folds(question.pi)) from error
        try:
            check_fold_units(cases.folds, cases.groups, kind)
        except EvidenceError as error:
            within = kind is Variance.WITHIN_FOLD
            cure = "Use BayleTest(variance='all_pairs'), or fewer folds." if within else error.cure
            raise _set_cure(error, cure) from error
        return BayleReading(question, cases, kind)


def _set_cure(error: EvidenceError, cure: str) -> EvidenceError:
    return EvidenceError(error.what, needs=error.needs, got=error.got, cure=cure)


def _other_folds(pi: Predictions) -> str:
    """Return what to do if a fold has too few cases of a class: a test that works here."""
    fewest = int(np.bincount(pi.target.y, minlength=2).min()) if pi.target.has_classes else 0
    pooled = "delong" if fewest >= 2 and len(pi.target.classes) == 2 else "bootstrap"
    folds = "Use fewer or stratified folds, or" if fewest >= 2 else "Use more cases, or"
    return f"{folds} test='{pooled}' on the pooled scores."


def warn_of_unchecked_stability(pi: Predictions) -> Iterator[Caution]:
    """Yield a note where few cases were in folds, whose learners may not be stable enough."""
    if pi.n_folds > 1 and pi.n_cases < FEW_FOR_STABILITY:
        yield of_tests.stability_unchecked()


def flat_within_folds() -> Caution:
    """Return the caution where differences vary between folds only."""
    return of_limits.flat_within_folds()
