"""The sign-flip permutation test of paired differences."""

from __future__ import annotations

from collections.abc import Mapping
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
    refuse_metric,
    register,
    several_models,
)
from earnest.comparison.wald import wald
from earnest.core.base import check
from earnest.core.base.rng import Purpose, Seeds
from earnest.core.base.sums import coarse_and_fine, weighted_sums
from earnest.core.results.comparison import FlippedLimits
from earnest.core.results.specs import ComparisonEstimand
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import case_values

BLOCK = 64  # flips a seed
CELLS = 1 << 23  # flips held at a time
MOST_FLIPS = 10_000_000
TIE = 1e-12  # sums of floats in another order differ in the last bits; such means are tied


@dataclass(frozen=True, eq=False)
class FlipReading:
    """What each unit adds to each configuration: sums (units, C) and sizes (units,)."""

    question: Question
    sums: Array
    sizes: Array
    n_resamples: int

    @property
    def values(self) -> Array:
        """The mean of every configuration: (C,)."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    @property
    def exact(self) -> bool:
        """Whether all sign patterns are gone through."""
        return len(self.sizes) < 60 and 2 ** len(self.sizes) - 1 <= self.n_resamples

    @property
    def used(self) -> Mapping[str, object]:
        """Whether all sign patterns were gone through."""
        return {"exact": self.exact}

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the share of sign patterns that do as well, and the inverted interval."""
        pi = self.question.pi
        values = (float(self.values[a]), float(self.values[b]))
        apart = self.sums[:, a] - self.sums[:, b]
        noise = TIE * np.maximum(np.abs(self.sums[:, a]), np.abs(self.sums[:, b]))
        apart = np.where(np.abs(apart) <= noise, 0.0, apart)
        same = predict_alike(pi, a, b)
        floor = TIE * float(np.abs(apart).max(initial=0.0) / self.sizes.min())
        means = self._means(a, b)
        tied = TIE * float(np.abs(self.sums[:, a] - self.sums[:, b]).max() / self.sizes.min())
        means = np.where(np.abs(means) <= tied, 0.0, means)
        least = 1.0 / (len(means) + 1)
        # a pattern whose flipped units have a mean of 0 or less does as well as what was seen
        greater = (1 + int((means <= 0.0).sum())) * least
        less = (1 + int((means >= 0.0).sum())) * least
        error = _standard_error(apart, self.sizes)
        outcome = PairOutcome(
            difference=values[0] - values[1],
            values=values,
            standard_error=error,
            statistic=values[0] - values[1],
            p_values=p_values(less, greater),
            limits=FlippedLimits(means),
            least_p=least,
            n_resamples=None if self.exact else len(means),
            n_valid=None if self.exact else len(means),
            cautions=tuple(several_models(pi)),
        )
        if same or (error is not None and error * self.sizes.sum() <= floor):
            return self._flat(outcome, same)
        return outcome

    def _flat(self, outcome: PairOutcome, same: bool) -> PairOutcome:
        """Return the outcome if all units agree, as `unanimous` gives it.

        Flipped signs would make the interval a point, however few the units.
        """
        alike = wald(
            outcome.values,
            0.0,
            self.question.metric.scale,
            units=len(self.sizes),
            unit="unit",
            same=same,
        )
        return replace(
            outcome,
            difference=alike.difference,
            statistic=alike.difference,
            standard_error=0.0,
            p_values=alike.p_values,
            limits=alike.limits,
            least_p=None if same else 0.5 ** len(self.sizes),
            cautions=(*alike.cautions, *outcome.cautions),
        )

    def _means(self, a: int, b: int) -> Array:
        """Return the mean difference of the flipped units of each pattern, never of none."""
        width = self.sums.shape[1]
        coarse = self._flipped[:, a] - self._flipped[:, b]
        fine = self._flipped[:, width + a] - self._flipped[:, width + b]
        return np.asarray((coarse + fine) / self._flipped[:, -1])

    @cached_property
    def _flipped(self) -> Array:
        """Sums of the flipped units of each pattern: coarse, fine and sizes, (B, 2 C + 1).

        A column depends on no other one, so that a pair says the same alone and among many.
        """
        units = len(self.sizes)
        table = np.column_stack([*coarse_and_fine(self.sums), self.sizes])
        if self.exact:
            patterns = np.arange(1, 2**units)[:, None] >> np.arange(units) & 1
            return weighted_sums(patterns.astype(np.uint8), table)
        seeds, blocks = self.question.seeds, -(-self.n_resamples // BLOCK)
        step = max(1, CELLS // (BLOCK * units))
        sums = []
        for start in range(0, blocks, step):
            some = range(start, min(start + step, blocks))
            flips = np.concatenate([_flips(seeds, block, units) for block in some])
            sums.append(weighted_sums(flips, table))
        return np.concatenate(sums)[: self.n_resamples]


@register
@dataclass(frozen=True, kw_only=True)
class SignFlipTest:
    """The paired permutation test: flip the sign of each case's difference at random.

    **What is compared.** Two columns of predictions, each treated as those of one fixed model.

    **What it assumes.** Under the null hypothesis the differences of cases are symmetric about 0
    and independent; with groups, the sums of whole groups are. Then the test is exact for any
    number of cases. With at most `n_resamples` sign patterns (13 cases at the default) all are
    used; otherwise they are drawn, and p is (1 + count) / (1 + n_resamples), never 0.

    **When it fails.** It does not test for a mean of 0 if the differences are skewed. The interval
    is the set of shifts that the same test does not reject.

    Fisher 1935; Hartigan 1969 for the interval.

    Parameters
    ----------
    n_resamples : int
        The number of sign patterns drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> y = np.zeros(8)
    >>> guesses = np.column_stack([np.zeros(8), np.arange(1, 9) / 10])
    >>> pi = en.Predictions.from_arrays(y, guesses, task="regression", configs=["a", "b"])
    >>> en.compare(pi, "a", "b", test="sign_flip", metric="mae").p_value == 2 / 2**8
    True
    """

    spec: ClassVar[TestSpec] = TestSpec(
        name="sign_flip",
        title="Sign-flip permutation test",
        estimand=ComparisonEstimand.FIXED_MODELS,
        metrics=SupportedMetrics.MEANS,
        cites="Fisher 1935",
        draws=True,
        aliases=("permutation",),
    )
    n_resamples: int = 9999

    def __post_init__(self) -> None:
        """Check the knobs."""
        check.whole_number("n_resamples", self.n_resamples, low=1, high=MOST_FLIPS)

    def read(self, question: Question) -> FlipReading:
        """Sum what each unit adds."""
        if not question.metric.pointwise:
            raise refuse_metric(
                self.spec,
                question.metric,
                f"Use {arg('test', 'bootstrap')}, which works for any metric.",
            )
        cases = case_values(question.pi, question.metric)
        tested = (cases.folds >= 0)[:, None, :]
        count = tested.sum(axis=2)  # a case counts once, however often it was tested
        sums = np.where(tested, cases.terms, 0.0).sum(axis=2) / np.maximum(count, 1)  # (n, C)
        sizes = np.ones(len(sums))
        if cases.groups is not None:
            units = np.unique(cases.groups, return_inverse=True)[1].reshape(-1)
            sizes = np.bincount(units).astype(np.float64)
            grouped = np.zeros((len(sizes), sums.shape[1]))
            np.add.at(grouped, units, sums)
            sums = grouped
        return FlipReading(question, np.asarray(sums), sizes, self.n_resamples)


def _flips(seeds: Seeds, block: int, units: int) -> NDArray[np.uint8]:
    """Return 64 patterns (64, units) of ones for flipped units; a pattern flips one at least."""
    rng = seeds.generator(Purpose.SIGN_FLIPS, block)
    flips = rng.integers(0, 2, (BLOCK, units), dtype=np.uint8)
    empty = ~flips.any(axis=1)
    flips[empty, rng.integers(0, units, int(empty.sum()))] = 1
    return flips


def _standard_error(apart: Array, sizes: Array) -> float | None:
    """Return the standard error of the mean difference from the spread of the units."""
    count, total = len(sizes), float(sizes.sum())
    if count < 2:
        return None
    away = apart - apart.sum() / total * sizes
    return float(np.sqrt(np.square(away).sum() * count / (count - 1)) / total)
