"""The families of metrics: moments, scans (of ranks, of fitted lines), curves, any callable.

A metric is a function of weights: for whole weights its value is the value on rows repeated that
often. Methods never know the family; `earnest.kernels.score` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Self, TypeAlias, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from earnest.core.base.arrays import Numbers, RawArray
from earnest.core.base.registry import Registry
from earnest.core.data.target import Target, Task
from earnest.core.results.estimate import Scale
from earnest.core.results.readings import Reading

Array = NDArray[np.float64]
M = TypeVar("M", bound="Metric")


class Need(StrEnum):
    """What a metric must be given of a response."""

    LABEL = "label"  # class codes (n, C)
    SCORE = "score"  # anything that orders the cases: (n, C), or (n, C, K) for many classes
    PROBABILITY = "probability"  # of the positive class (n, C), or of every class (n, C, K)
    VALUE = "value"  # of a regression (n, C)
    RISK = "risk"  # of a survival model (n, C), higher is worse
    SURVIVAL = "survival"  # the chance to be without event at each of the times (n, C, K)
    PREDICTION = "prediction"  # what `predict` gives: labels, values or risks, by the task
    RESPONSE = "response"  # whatever a model answered, as it is


class Squares(StrEnum):
    """What a metric sums the squares of, so that a few cases may decide it."""

    ERRORS = "errors"  # of the predictions
    OUTCOME = "outcome"  # about its middle


class TaskFields(TypedDict, total=False):
    """The fields of a metric that may differ on a task."""

    title: str
    limits: tuple[float, float]
    needs: Need
    needs_all_classes: bool


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric: its name, its direction, its range, and the response it needs.

    Parameters
    ----------
    name : str
        Its word, as scikit-learn's scorers are named.
    title : str
        Its words for people.
    greater_is_better : bool
        The direction, in the metric's natural sign.
    limits : tuple of float
        The smallest and the largest possible value.
    needs : Need
        The response it is computed from.
    tasks : frozenset of Task
        Where it is defined.
    aliases : tuple of str
        Other names, such as scikit-learn's `neg_*`.
    needs_all_classes : bool
        Whether cases that lack a class say nothing: the metric is undefined there (NaN) or, like
        recall, has its value by convention only. Such resamples are drawn again.
    knobs : mapping
        The settings that differ from metric to metric of one kind, for the record.
    by_task : mapping
        The fields that differ on a task, such as the limits of the Brier score; see `on`.
    reading : Reading, optional
        What a value says in plain words, such as the share of cases that are right.
    ideal : float, optional
        The value of a right model where it lies inside the range, such as 1 for a calibration
        slope. Such a metric has no best value, so that nothing is chosen by it.
    """

    name: str
    title: str
    greater_is_better: bool
    limits: tuple[float, float]
    needs: Need
    tasks: frozenset[Task]
    aliases: tuple[str, ...] = ()
    needs_all_classes: bool = False
    knobs: Mapping[str, object] = field(default_factory=dict)
    by_task: Mapping[Task, TaskFields] = field(default_factory=dict)
    reading: Reading | None = None
    ideal: float | None = None

    def on(self, task: Task | str) -> Self:
        """Return the metric as it is on a task, for example with the limits of that task.

        Examples
        --------
        >>> import earnest as en
        >>> brier = en.metric("brier")
        >>> brier.on("binary").limits, brier.on("multiclass").limits
        ((0.0, 1.0), (0.0, 2.0))
        """
        return replace(self, by_task={}, **self.by_task.get(Task(task), {}))

    @property
    def scale(self) -> Scale:
        """The name, direction and range, as results carry them."""
        return Scale(self.name, self.greater_is_better, self.limits, self.reading, self.ideal)

    @property
    def pointwise(self) -> bool:
        """Whether the metric is a mean of one number per case."""
        return False

    @property
    def area(self) -> bool:
        """Whether the metric is an AUC, of two classes or of several."""
        return False

    @property
    def has_terms(self) -> bool:
        """Whether the metric says what each case adds to it: a function of sums, or an AUC."""
        return self.area

    @property
    def ranks(self) -> bool:
        """Whether the metric judges the order of the cases, for any threshold."""
        return self.needs in (Need.SCORE, Need.RISK)

    @property
    def has_unit(self) -> bool:
        """Whether 1 is a size on this metric's scale, as for an AUC or R², not for an MSE."""
        return any(np.isfinite(limit) and limit != 0 for limit in self.limits)

    @property
    def sign(self) -> float:
        """1 where greater is better, -1 for a loss."""
        return 1.0 if self.greater_is_better else -1.0


# A metric as a user names it: by its name, as it is, or as a function or scorer to be asked.
MetricLike: TypeAlias = str | Metric | Callable[..., object]


@dataclass(frozen=True)
class Moments:
    """What a moment metric sums up over cases.

    Parameters
    ----------
    own : ndarray, shape (m, n, C)
        Numbers that differ from configuration to configuration.
    shared : ndarray, shape (s, n)
        Numbers that do not, such as 1, or the indicator of a class.
    """

    own: Numbers
    shared: Numbers


# Of any user: which numbers a response has, and what the centre is, the metric knows.
Features: TypeAlias = Callable[[Target, RawArray, Any], Moments]
Combine: TypeAlias = Callable[[Array, Array], Array]


@dataclass(frozen=True, kw_only=True)
class MomentMetric(Metric):
    """A function of weighted sums: accuracy, the confusion family, Brier, MSE, R², Pearson.

    Parameters
    ----------
    features : callable
        `(target, response, centre) -> Moments`, a case's numbers from that case alone.
    combine : callable
        `(sums (m, B, C), shared (s, B, 1)) -> (B, C)`, with NaN where it is undefined.
    centre : callable, optional
        `(target, response) -> any`: what is taken off before squares are summed, from all cases
        at once, so that no digits are lost; handed to `features`.
    whole : bool
        Whether all features are whole numbers, so that sums of counts are exact in float32.
    mean_of_cases : bool
        Whether the metric is own[0] / shared[0] with shared[0] = 1: a mean of one number per case.
    trials : callable, optional
        For a share of 0/1 outcomes: `(own, shared) -> (B, C)`, how many outcomes it is the share
        of.
    squares : tuple of Squares
        What it sums the squares of; a caution tells where a few cases contribute most of them.
    """

    features: Features
    combine: Combine
    centre: Callable[[Target, RawArray], object] | None = None
    whole: bool = False
    mean_of_cases: bool = False
    trials: Callable[[Array, Array], Array] | None = None
    squares: tuple[Squares, ...] = ()

    @property
    def pointwise(self) -> bool:
        """Whether the metric is a mean of one number per case."""
        return self.mean_of_cases

    @property
    def has_terms(self) -> bool:
        """Whether the metric says what each case adds to it."""
        return True


@dataclass(frozen=True)
class View:
    """One ordering question: this response column against this truth.

    Parameters
    ----------
    truth : ndarray, first axis n
        What the order is held against; for the AUC int8 with 1, 0 and -1 (case left out).
    column : int or None
        The class whose score is taken, None where a response has one column.
    mass : ndarray, shape (n,), optional
        The cases whose weight is the view's weight in `combine`.
    """

    truth: Numbers
    column: int | None = None
    mass: Numbers | None = None


def one_view(values: Array, masses: Array) -> Array:
    """Return the only view's value."""
    return values[:, :, 0]


@dataclass(frozen=True, kw_only=True)
class ScanMetric(Metric):
    """A function of one column of responses and the truth, under every row of weights.

    Parameters
    ----------
    views : callable
        `target -> tuple of View`: one for a binary target, one per class (or pair) for many.
    scan : callable
        `(score (n,), truth, weights (B, n)) -> (B,)`: the plain definition on one column, NaN
        where it is undefined. Weights are float64 or int64.
    combine : callable
        `(values (B, C, V), masses (B, V)) -> (B, C)`: how views become one number; by default the
        value of the only view.
    """

    views: Callable[[Target], tuple[View, ...]]
    scan: Callable[[RawArray, RawArray, RawArray], Array]
    combine: Combine = one_view


@dataclass(frozen=True, kw_only=True)
class FitMetric(ScanMetric):
    """A function of a line or curve fitted to outcome and prediction: calibration slope, ICI."""


@dataclass(frozen=True, kw_only=True)
class RankMetric(ScanMetric):
    """A function of the order of the responses: AUC, average precision, concordance, Spearman.

    Parameters
    ----------
    kernel : str, optional
        The compiled kernel that computes `scan` faster, where there is one; that of an AUC is
        'roc_auc'.
    """

    kernel: str | None = None

    @property
    def area(self) -> bool:
        """Whether the metric is an AUC between two limits, of two classes or of several."""
        return self.kernel == "roc_auc" and bool(np.isfinite(self.limits).all())


@dataclass(frozen=True, kw_only=True)
class CurveMetric(Metric):
    """A function of curves of survival: Brier score at a time, calibration at a time.

    Parameters
    ----------
    score : callable
        `(target, curves (n, C, K), weights (B, n)) -> (B, C)`, with NaN where it is undefined.
        What censoring hides is estimated under the same weights.
    at : float, optional
        The time that it is about; None is a time of the target.
    levels_alone : bool
        Whether curves that are the same for all cases may be right by it.
    """

    score: Callable[[Target, RawArray, RawArray], Array]
    at: float | None = None
    levels_alone: bool = False


@dataclass(frozen=True, kw_only=True)
class CallableMetric(Metric):
    """Any function of outcome and prediction: slow, right, and the oracle of the others.

    Parameters
    ----------
    function : callable
        `f(y, prediction)` or `f(y, prediction, sample_weight=...)`, on the user's own labels.
    takes_weights : bool
        Whether the function is given weights; else rows are repeated.
    coded : bool
        Whether classes are handed over as codes, 1 being the positive class of a binary task.
    """

    function: Callable[..., float]
    takes_weights: bool = False
    coded: bool = False


def register(metric: M) -> M:
    """Put a metric in the registry under its name and aliases."""
    METRICS.add(metric.name, metric, metric.aliases)
    return metric


METRICS: Registry[Metric] = Registry("metric", group="earnest.metrics", adopt=register)


def ratio(numerator: ArrayLike, denominator: ArrayLike, undefined: float = np.nan) -> Array:
    """Divide, with a given value where the denominator is 0."""
    above, below = np.broadcast_arrays(numerator, denominator)
    out = np.full(above.shape, undefined, dtype=np.float64)
    np.divide(above, below, out=out, where=below != 0)
    return out


def divide(count: ArrayLike, whole: ArrayLike, undefined: float = np.nan) -> Array:
    """Divide a part by its whole; rounding never takes the result out of [0, 1]."""
    return np.clip(ratio(count, whole, undefined), 0.0, 1.0)


CLASSES = frozenset({Task.BINARY, Task.MULTICLASS})
BINARY = frozenset({Task.BINARY})
MULTICLASS = frozenset({Task.MULTICLASS})
REGRESSION = frozenset({Task.REGRESSION})
SURVIVAL = frozenset({Task.SURVIVAL})
SCORES = frozenset({Task.SCORES})


# Sums of squares about a mean below this share of those about the common centre are rounding
# (n * eps with n = 10,000 cases is 2e-12): the values count as equal.
CONSTANT = 1e-12
EPS = float(np.finfo(np.float64).eps)  # where scikit-learn cuts off a chance of 0 and a |y| of 0


def ones(target: Target) -> Numbers:
    """Return the shared feature 1, whose sum is the total weight: (1, n)."""
    return np.ones((1, target.n))


def one_per_case(target: Target, values: Numbers) -> Moments:
    """Return one number per case (n, C); shared: 1, so that a metric can be their mean."""
    return Moments(values[None], ones(target))


def outcome_view(target: Target) -> tuple[View, ...]:
    """Return the one view whose truth is the outcome itself."""
    return (View(target.y),)


def mean(sums: Array, shared: Array) -> Array:
    """Return the weighted mean of the first feature."""
    return ratio(sums[0], shared[0])


def mean_share(sums: Array, shared: Array) -> Array:
    """Return the weighted mean of the first feature, which lies in [0, 1]."""
    return divide(sums[0], shared[0])


def all_cases(sums: Array, shared: Array) -> Array:
    """Return the weight of all cases: what an accuracy is the share of."""
    return np.broadcast_to(shared[0], sums[0].shape)


def root_mean(sums: Array, shared: Array) -> Array:
    """Return the root of the weighted mean of the first feature."""
    return np.sqrt(mean(sums, shared))


def find_class_members(target: Target) -> Numbers:
    """Return the shared indicators of every class: (K, n)."""
    return np.asarray(target.y == np.arange(len(target.classes))[:, None])


def where_weighted(value: Array, total: Array) -> Array:
    """Return the value where any case has weight, NaN where none has."""
    return np.where(total > 0, value, np.nan)


def sum_squared_deviations(total: Array, first: Array, second: Array) -> Array:
    """Return the sum of squares about the mean from the sums of x and x², exactly 0 if constant."""
    about_mean = second - ratio(np.square(first), total)
    return np.where(about_mean > CONSTANT * second, about_mean, 0.0)


# A mean of one number per case, and a share of right or wrong cases.
mean_metric = partial(MomentMetric, combine=mean, mean_of_cases=True)
share_metric = partial(mean_metric, combine=mean_share, whole=True, trials=all_cases)
