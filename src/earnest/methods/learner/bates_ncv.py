"""The interval of Bates, Hastie and Tibshirani, from nested cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError, MetricError
from earnest.core.cautions import of_limits
from earnest.core.data.designs import NestedPredictions
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, NormalLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values
from earnest.inference.limits.ceiling import never_beyond_perfect
from earnest.inference.limits.fold_normal import few_cases
from earnest.inference.limits.no_spread import limits_without_spread
from earnest.methods.base import Call, EstimateParts, register
from earnest.metrics.families import Metric, MomentMetric

Array = NDArray[np.float64]
FEW_REPEATS = 10
CORRECTED = "; extrapolated linearly to the size of all cases"


@dataclass(frozen=True)
class NestedParts:
    """The parts of the interval.

    Attributes
    ----------
    inner, outer : float
        The mean over inner tests, by models of (1 - 2/K) n cases, and the cross-validated value.
    bias : float
        What is subtracted from `inner`; 0 without the correction.
    mean_squared_error : float
        As nested cross-validation estimates it, for (1 - 1/K) n cases; may be negative.
    naive_error, measured_error, standard_error : float
        That of a plain mean of cases, the root of the mean squared error for n cases, and the one
        that is used.
    """

    inner: float
    outer: float
    bias: float
    mean_squared_error: float
    naive_error: float
    measured_error: float
    standard_error: float

    @property
    def inflation(self) -> float:
        """The ratio of the error that is used to the plain one."""
        return self.standard_error / self.naive_error if self.naive_error else float("nan")


@register
@dataclass(frozen=True, kw_only=True)
class BatesNCV:
    """Give cross-validation an interval whose width nested cross-validation has measured.

    Each fold is held out in turn, and the other folds are cross-validated among themselves. The
    mean squared error of cross-validation is the squared distance of that inner value from the
    score of the held-out fold, minus the sampling variance of that score.

    **What is estimated.** The performance at the training size of cross-validation; with the bias
    correction (the default), extrapolated to the size of all cases.

    **What it assumes.** Independent cases, and a metric that is a mean over them. It assumes
    nothing about the learner: it measures the error, where other intervals assume that one case
    changes little.

    **When it fails.** It costs about K / 2 times the fits of the cross-validation, in every repeat.
    With few repeats the measured error is rough; it is kept between that of a plain mean and
    sqrt(K) times that.

    Bates, Hastie, Tibshirani 2024, algorithm 1.

    Parameters
    ----------
    bias_correction : bool
        Whether to extrapolate the value to the size of all cases; otherwise it is the
        cross-validated score.

    Examples
    --------
    >>> import earnest as en
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> en.assess(GaussianNB(), X, y, method="bates_ncv", metric="accuracy", cv=5, rng=0)
    accuracy 0.95, 95 % interval [0.90, 1.00] (bates_ncv, n=150)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="bates_ncv",
        title="Nested cross-validation interval",
        short="Nested interval",
        needs=Evidence.NESTED,
        design=Design.PAIRS,
        repeats=10,
        no_groups="its variances treat the cases as independent",
        estimand=Estimand.AT_TRAINING_SIZE,
        cites="Bates, Hastie, Tibshirani 2024, algorithm 1",
        metrics=MetricFamily.POINTWISE,
        min_folds=3,
        aliases=("ncv",),
    )
    bias_correction: bool = True

    def check(self, target: Target, design: NestedPredictions, metric: Metric) -> None:
        """Refuse metrics that are not means over cases, and designs that are not of one learner."""
        need_means(self.spec.name, metric)
        _need_one_learner(design)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the value with normal limits of the measured error."""
        nested, metric = call.design, call.metric
        assert isinstance(nested, NestedPredictions)
        parts = find_parts(nested, metric, bias_correction=self.bias_correction)
        value = parts.inner - parts.bias
        outer = case_values(nested.outer, metric)
        if parts.naive_error > 0.0:
            source: LimitSource = NormalLimits(value, parts.standard_error)
            source = never_beyond_perfect(source, nested.outer, metric, value, by_fold=True)
            remarks = [
                *few_cases(outer),
                *_few_repeats(nested.outer.n_repeats),
                *_warn_of_bound(parts),
            ]
        else:
            source, remark = limits_without_spread(nested.outer, outer, metric)
            remarks = [remark]
        return EstimateParts(
            value=value,
            winner=0,
            naive=parts.outer,
            source=source,
            cautions=remarks,
            details=parts,
            estimand=self.spec.estimand + (CORRECTED if self.bias_correction else ""),
        )


def need_means(who: str, metric: Metric) -> None:
    """Refuse a metric that is not a mean over cases."""
    if not isinstance(metric, MomentMetric) or not metric.mean_of_cases:
        raise MetricError(
            f"method {who!r} is for means over cases",
            needs="a metric that is a mean over cases, such as 'accuracy', 'brier' or 'mse'",
            got=metric.name,
            cure=f"Use {arg('method', 'corrected_t')}, which works for any metric.",
        )


def _need_one_learner(nested: NestedPredictions) -> None:
    most = max(table.n_configs for row in nested.inner for table in row)
    folds = min(len(names) for names in nested.outer.fold_names)
    if most > 1 or folds < 3:
        raise EvidenceError(
            "method 'bates_ncv' is for a single learner",
            needs="inner predictions of one configuration, and at least 3 folds",
            got=f"{most} configurations, {folds} folds",
            cure=f"Use earnest.assess(learner, X, y, {arg('method', 'bates_ncv')}).",
        )


def find_parts(
    nested: NestedPredictions, metric: Metric, *, bias_correction: bool = True
) -> NestedParts:
    """Return the parts of the interval, by algorithm 1."""
    outer = case_values(nested.outer, metric).terms[:, 0]  # (n, R)
    apart, chance, inner = [], [], []
    for repeat, row in enumerate(nested.inner):
        for fold, table in enumerate(row):
            held_out = outer[nested.outer.folds[:, repeat] == fold, repeat]
            within = case_values(table, metric).terms[:, 0, 0]
            within = within[~np.isnan(within)]
            if not len(within) or not len(held_out) or np.isnan(held_out).any():
                raise EvidenceError(
                    f"the nested predictions of fold {fold} have gaps",
                    needs="predictions of every outer fold, and of the others without it",
                    cure="Train it again with earnest.assess(learner, X, y, "
                    f"{arg('method', 'bates_ncv')}).",
                )
            apart.append((within.mean() - held_out.mean()) ** 2)
            chance.append(held_out.var(ddof=1) / len(held_out) if len(held_out) > 1 else 0.0)
            inner.append(within)
    folds = float(np.mean([len(names) for names in nested.outer.fold_names]))
    value, plain = float(np.concatenate(inner).mean()), float(np.nanmean(outer))
    bias = (1.0 + (folds - 2.0) / folds) * (value - plain) if bias_correction else value - plain
    mean_squared_error = float(np.mean(apart) - np.mean(chance))
    naive = float(np.nanstd(outer, ddof=1)) / nested.n_cases**0.5
    measured = (max(mean_squared_error, 0.0) * (folds - 1.0) / folds) ** 0.5
    used = min(max(measured, naive), folds**0.5 * naive)
    return NestedParts(value, plain, bias, mean_squared_error, naive, measured, used)


def _few_repeats(repeats: int) -> Iterator[Caution]:
    if repeats < FEW_REPEATS:
        yield of_limits.few_repeats(repeats, FEW_REPEATS)


def _warn_of_bound(parts: NestedParts) -> Iterator[Caution]:
    if parts.measured_error < parts.standard_error:
        yield of_limits.error_raised()
    elif parts.measured_error > parts.standard_error:
        yield of_limits.error_lowered()
