"""The paired bootstrap: the same resamples for both configurations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.comparison.base import (
    Array,
    PairOutcome,
    Question,
    SupportedMetrics,
    TestSpec,
    p_values,
    predict_alike,
    register,
    several_models,
)
from earnest.comparison.wald import few_units_in_test, wald
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.weights import Weights
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import DrawnLimits
from earnest.core.results.specs import ComparisonEstimand
from earnest.engine.patience import announce_scores
from earnest.inference.cases.case_values import CaseValues, case_values
from earnest.inference.cases.dependence import with_dependent_gaps
from earnest.inference.limits.fold_normal import unlike_cases
from earnest.inference.remarks import resampling_remarks
from earnest.inference.resampling.resampled import ResamplingKnobs
from earnest.kernels.score import score_table
from earnest.metrics.families import Metric
from earnest.resampling.bootstrap import Resampler

TIE = 1e-12  # of the range or the size of the values


@dataclass(frozen=True, eq=False)
class BootstrapReading:
    """The metric of every configuration on the cases and on every resample.

    `training` is what drawing the training sets adds to a variance, as a share of it.
    """

    question: Question
    scores: Array  # (C,)
    draws: Array  # (B, C)
    resampler: Resampler
    training: float = 0.0

    @property
    def values(self) -> Array:
        """The metric of every configuration: (C,)."""
        return self.scores

    @property
    def used(self) -> Mapping[str, object]:
        """The resampler, which by default follows from the data."""
        return {"resampler": self.resampler}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the share of resamples on the other side of 0, and the quantiles."""
        pi, metric = self.question.pi, self.question.metric
        values = (float(self.scores[a]), float(self.scores[b]))
        apart = self.draws[:, a] - self.draws[:, b]
        apart = apart[~np.isnan(apart)]
        if len(apart) < 2:
            raise EvidenceError(
                "the difference is defined on fewer than two resamples, which show no spread",
                needs="at least two",
                got=f"{len(apart)} of {len(self.draws)}",
                cure="Use more resamples, or a metric that does not need rare classes.",
            )
        apart = apart.mean() + (apart - apart.mean()) * math.sqrt(1.0 + self.training)
        floor = TIE * max(1.0 if self.question.metric.has_unit else 0.0, *map(abs, values))
        apart = np.where(np.abs(apart) <= floor, 0.0, apart)
        outcome = wald(  # which knows what to say where nothing varies
            values,
            float(apart.var(ddof=1)),
            metric.scale,
            units=self._independent,
            unit=_unit(pi, metric),
            same=predict_alike(pi, a, b),
            few=self._few(a, b),
        )
        if outcome.standard_error:
            outcome = replace(
                outcome,
                statistic=None,
                p_values=_invert(apart),
                limits=DrawnLimits(apart),
                least_p=1.0 / (len(apart) + 1),
            )
        return replace(
            outcome,
            n_resamples=len(self.draws),
            n_valid=len(apart),
            dependence=pi.target.dependence,
            cautions=(
                *outcome.cautions,
                *(() if self.training else several_models(pi)),
                *_warn_of_undefined(len(self.draws), len(apart)),
                *resampling_remarks(pi, self.resampler.name),
            ),
        )

    @property
    def units(self) -> int:
        """The independent units of a sum: groups, cases, or twice those of the rarest class."""
        pi, metric = self.question.pi, self.question.metric
        rarest = pi.target.groups is None and pi.target.has_classes and metric.needs_all_classes
        return min(2 * self._independent, pi.n_cases) if rarest else self._independent

    @cached_property
    def _independent(self) -> int:
        """The independent units: groups, cases of the rarest class, or cases."""
        return _units(self.question.pi, self.question.metric)

    def _few(self, a: int, b: int) -> Iterator[Caution]:
        """Yield a caution where the resamples stand on few units, or on few unlike cases."""
        pi, metric = self.question.pi, self.question.metric
        cases, unlike = self._cases, math.inf
        if cases is not None:
            unlike = unlike_cases(cases.terms[:, a] - cases.terms[:, b], cases.folds)
        yield from few_units_in_test(
            self._independent, _unit(pi, metric), metric, unlike=unlike, resampled=True
        )

    @cached_property
    def _cases(self) -> CaseValues | None:
        """What each case adds to a mean over cases; None for other metrics."""
        metric = self.question.metric
        return case_values(self.question.pi, metric) if metric.pointwise else None

    def deviations(self) -> Array:
        """Return the draws about their mean, those that are defined for all configurations."""
        whole = self.draws[~np.isnan(self.draws).any(axis=1)]
        return np.asarray(whole - whole.mean(axis=0))


@register
@dataclass(frozen=True, kw_only=True)
class BootstrapTest(ResamplingKnobs):
    """The paired bootstrap counts how often the difference keeps its sign on resampled cases.

    **What is compared.** Two columns of predictions, each treated as those of one fixed model.

    **What it assumes.** Independent cases (or groups, which are drawn whole), and enough of them
    that resampling is like sampling.

    **When it fails.** With few cases, or few of a class, percentile intervals are too narrow.
    Differences that are nearly always 0 also break it.

    The limits are percentiles of the differences on the same resamples. The p-value inverts the
    interval: (1 + number of resamples with a difference of 0 or beyond) / (1 + number of
    resamples), twice the smaller of the two sides. It is never 0, and if p is at most alpha, the
    interval of level 1 - alpha excludes 0.

    Efron, Tibshirani 1993, sections 13.3 and 15.4.

    Parameters
    ----------
    n_resamples : int
        The number of bootstrap resamples, at least two: one shows no spread.
    resampler : str or Resampler, optional
        'case', 'stratified', 'group', 'bayesian' or blocks of time; by default groups if there are
        any, blocks of cases in time order, otherwise cases, within strata if there are any.
    undefined : {'redraw', 'drop', 'stratify'}
        What to do with a resample on which the metric is undefined.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(2)
    >>> y = np.tile([0, 1], 60)
    >>> scores = y[:, None] * [1.5, 0.8] + rng.standard_normal((120, 2))
    >>> pi = en.Predictions.from_arrays(y, scores, configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="bootstrap", metric="average_precision", rng=0)
    average_precision(a) - average_precision(b) = 0.19, 95 % interval [0.05, 0.32], p = 0.005
    (bootstrap, n=120)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="bootstrap",
        title="Paired bootstrap",
        estimand=ComparisonEstimand.FIXED_MODELS,
        metrics=SupportedMetrics.ANY,
        cites="Efron, Tibshirani 1993",
        draws=True,
        blocks=True,
        weighted=True,
        surveys=True,
    )
    fewest: ClassVar[int] = 2
    n_resamples: int = 1999

    def read(self, question: Question) -> BootstrapReading:
        """Score all configurations on the same resamples."""
        question = replace(question, pi=with_dependent_gaps(question.pi, question.metric))
        pi, metric, jobs = question.pi, question.metric, question.n_jobs

        def scored(weights: Weights) -> NDArray[np.float64]:
            table = score_table(pi, metric, weights, n_jobs=jobs)  # (b, C)
            return np.column_stack([table.sum(axis=1), table])  # the sum is NaN where one is

        columns = pi.n_configs + 1
        with announce_scores(pi, metric, self.n_resamples, "Comparison"):
            table = self.resample(
                scored, pi.target, metric, question.seeds, columns=columns, n_jobs=jobs
            )
        scores = score_table(pi, metric, Weights.ones(pi.n_cases), n_jobs=jobs)[0]
        return BootstrapReading(question, scores, table[:, 1:], self.find_resampler(pi.target))


def _invert(apart: Array) -> dict[str, float]:
    """Return the p-values that invert the percentile interval."""
    whole = len(apart) + 1
    return p_values(
        float(1 + (apart >= 0.0).sum()) / whole, float(1 + (apart <= 0.0).sum()) / whole
    )


def _unit(pi: Predictions, metric: Metric) -> str:
    """Return what the units are called."""
    if pi.target.groups is not None:
        return "group"
    rarest = pi.target.has_classes and metric.needs_all_classes
    return "case of the rarest class" if rarest else "case"


def _units(pi: Predictions, metric: Metric) -> int:
    """Return how many independent units there are: groups, cases of the rarest class, or cases."""
    target = pi.target
    if target.groups is None and target.has_classes and metric.needs_all_classes:
        return min(int(target.count_effective(target.y == code)) for code in np.unique(target.y))
    return target.effective_units


def _warn_of_undefined(drawn: int, valid: int) -> Iterator[Caution]:
    if valid < drawn:
        yield of_limits.resamples_undefined(drawn - valid, drawn)
