"""The test of Diebold and Mariano, for losses that depend on each other in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from earnest.comparison.base import (
    Array,
    PairOutcome,
    Question,
    SupportedMetrics,
    TestSpec,
    predict_alike,
    refuse_metric,
    register,
    several_models,
)
from earnest.comparison.wald import few_units_in_test, wald
from earnest.core.base import check
from earnest.core.base.errors import EvidenceError
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.data.order import Dependence
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import score_terms
from earnest.inference.cases.dependence import measure_dependence

DRAWS = 999  # joint draws of the errors of all values


@dataclass(frozen=True, eq=False)
class TimedReading:
    """What each time adds to the metric of each configuration.

    Attributes
    ----------
    question : Question
        The question.
    scores : ndarray, shape (C,)
        The metric of every configuration.
    series : ndarray, shape (T, C)
        What each time adds, so that the mean over times is the metric.
    steps : int or None
        How many steps ahead the predictions are.
    variance : str
        How autocovariances are weighted.
    """

    question: Question
    scores: Array
    series: Array
    steps: int | None
    variance: str

    @property
    def values(self) -> Array:
        """The metric of every configuration: (C,)."""
        return self.scores

    @property
    def used(self) -> Mapping[str, object]:
        """No knob depends on the data."""
        return {}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the difference over its standard error, by Student's distribution."""
        apart = self.series[:, a] - self.series[:, b]
        times, same = len(apart), predict_alike(self.question.pi, a, b)
        dependence = None if same else measure_dependence(np.arange(times), apart[:, None])
        if self.steps is None:
            variance, df = self._find_variance(apart, dependence)
        else:
            variance, df = small_sample_variance(apart, self.steps, self.variance), times - 1
        metric = self.question.metric
        outcome = wald(
            (float(self.scores[a]), float(self.scores[b])),
            variance,
            metric.scale,
            units=times,
            unit="time",
            df=df,
            same=same,
            cautions=several_models(self.question.pi),
            few=few_units_in_test(times, "time", metric),
        )
        return outcome if dependence is None else outcome.with_dependence(dependence)

    def _find_variance(self, apart: Array, dependence: Dependence | None) -> tuple[float, int]:
        """Return the variance of a mean difference, and its degrees of freedom."""
        times = len(apart)
        alone = float(np.square(apart - apart.mean()).sum()) / (times * (times - 1))
        if dependence is None:
            return alone, times - 1
        return alone * dependence.inflation, dependence.df

    @cached_property
    def length(self) -> int:
        """How many times a block of the joint draws has: the longest that any difference needs."""
        best = int(np.argmax(self.question.metric.sign * self.scores))
        lengths = [self.steps or 1]
        for column in range(self.series.shape[1]):
            apart = self.series[:, best] - self.series[:, column]
            dependence = measure_dependence(np.arange(len(apart)), apart[:, None])
            lengths += [] if dependence is None else [dependence.block_length]
        return max(lengths)

    @property
    def units(self) -> int:
        """The number of blocks."""
        return -(-len(self.series) // self.length)

    def deviations(self) -> Array:
        """Return joint draws of the errors: the sums of blocks, times normal numbers."""
        away = (self.series - self.series.mean(axis=0)) / len(self.series)
        sums = np.add.reduceat(away, np.arange(0, len(away), self.length), axis=0)
        return draw_normal(sums, self.question.seeds)


def draw_normal(errors: Array, seeds: Seeds) -> Array:
    """Return joint draws (B, C) of the sum of errors (units, C), each times a normal number."""
    rng = seeds.generator(Purpose.MULTIPLIERS)
    return np.asarray(rng.standard_normal((DRAWS, len(errors))) @ errors)


def small_sample_variance(apart: Array, steps: int, kind: str) -> float:
    """Return the variance of a mean by autocovariances of lags below the steps ahead.

    It is divided by what Harvey, Leybourne and Newbold multiply the squared statistic by. Where it
    is not positive, it is that of one step ahead.
    """
    n, centred = len(apart), apart - apart.mean()
    variance = float(centred @ centred) / n
    for lag in range(1, steps):
        weight = 1.0 - lag / steps if kind == "bartlett" else 1.0
        variance += 2.0 * weight * float(centred[lag:] @ centred[:-lag]) / n
    if not variance > 0.0 and steps > 1:
        return small_sample_variance(apart, 1, kind)
    return variance / (n + 1.0 - 2.0 * steps + steps * (steps - 1.0) / n)


@register
@dataclass(frozen=True, kw_only=True)
class DieboldMarianoTest:
    """Compare forecasts: the mean difference of losses that depend on each other in time.

    **What is compared.** The forecasts as they are: the mean loss of one column of predictions with
    that of the other, over times like these.

    **What it assumes.** Cases in time order, by `when` or as the rows stand, and a difference of
    losses whose mean and dependence do not change. Cases of one time are summed.

    **When it fails.** With fewer than about thirty times the variance is rough. With `steps` it is
    that of errors which depend on each other only up to `steps` - 1 times back, as those of optimal
    forecasts do; without it the dependence is read from the differences.

    Diebold, Mariano 1995, with the correction for few times and Student's distribution of Harvey,
    Leybourne, Newbold 1997. Without `steps` the variance is the larger one of that of blocks and of
    an autoregression.

    Parameters
    ----------
    steps : int, optional
        How many steps ahead the predictions are.
    variance : {'acf', 'bartlett'}
        With `steps`: whether autocovariances count alike, or less the longer their lag is. Where
        the first gives no positive variance, it is that of one step.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y = rng.standard_normal(300).cumsum()
    >>> guesses = y[:, None] + rng.standard_normal((300, 2)) * [0.5, 0.6]
    >>> pi = en.Predictions.from_arrays(y, guesses, configs=["a", "b"], when=True)
    >>> en.compare(pi, "a", "b", test="diebold_mariano(steps=1)", metric="mse")
    mse(a) - mse(b) = -0.13, 95 % interval [-0.20, -0.06], p < 0.001 (diebold_mariano, n=300)
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="diebold_mariano",
        title="Test of Diebold and Mariano",
        estimand=ComparisonEstimand.FIXED_MODELS,
        metrics=SupportedMetrics.SUMS,
        cites="Diebold, Mariano 1995; Harvey, Leybourne, Newbold 1997",
        groups=False,
        blocks=True,
        aliases=("dm",),
    )
    steps: int | None = None
    variance: str = "acf"

    def __post_init__(self) -> None:
        """Check the knobs."""
        if self.steps is not None:
            check.whole_number("steps", self.steps, low=1)
        check.one_of("variance", self.variance, ["acf", "bartlett"])

    def read(self, question: Question) -> TimedReading:
        """Sum up what the cases of each time add to the metric."""
        pi, metric = question.pi, question.metric
        order = np.arange(pi.n_cases) if pi.target.order is None else pi.target.order
        scored = None if metric.area else score_terms(pi, metric)
        if scored is None:
            raise refuse_metric(
                self.spec, metric, f"Use {arg('test', 'bootstrap')}, which draws blocks of time."
            )
        times = int(order.max()) + 1
        fewest = 2 * (self.steps or 1)
        if times < fewest:
            raise EvidenceError(
                f"test {self.spec.name!r} needs more times",
                needs=f"at least {fewest}",
                got=f"{times}",
                cure="Collect a longer series.",
            )
        scores, terms = scored
        series = np.stack(
            [np.bincount(order, weights=column, minlength=times) for column in terms.T], axis=1
        )
        means: Array = series.astype(np.float64) * (times / pi.n_cases)
        return TimedReading(question, scores, means, self.steps, self.variance)
