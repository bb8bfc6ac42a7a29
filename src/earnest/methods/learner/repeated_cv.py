"""Repeated cross-validation, with the error that its influence function gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from earnest.core.base.arrays import Numbers
from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, NormalLimits
from earnest.core.results.specs import Design, Estimand, Evidence, MethodSpec, MetricFamily
from earnest.core.text.doors import arg
from earnest.inference.cases.case_values import CaseValues, case_values, check_terms
from earnest.inference.cases.fold_variance import Variance, count_groups, variance_of_mean
from earnest.inference.limits.ceiling import never_beyond_perfect
from earnest.inference.limits.fold_normal import few_cases, lone_cases
from earnest.inference.limits.no_spread import limits_without_spread
from earnest.inference.remarks import few_groups_in_variance
from earnest.inference.resampling.winners import choose_winner
from earnest.methods.base import Call, EstimateParts, need_folds, register, selector_of
from earnest.methods.learner.cv import as_fixed
from earnest.metrics.families import Array, Metric, RankMetric


@dataclass(frozen=True)
class InfluenceVariance:
    """The variance of repeated cross-validation, and its parts.

    Attributes
    ----------
    total : float
        The variance that is used: the sum less the noise, but at least the part from tests.
    tested : float
        The part from what cases add where they are tested.
    trained : float
        The part from training sets, less its noise; may be negative. With lone cases of a class, by
        how much one partition varies more than the mean over repeats.
    noise : float
        What noise alone adds to the part from training sets, with few repeats.
    """

    total: float
    tested: float
    trained: float
    noise: float


def influence_variance(cases: CaseValues) -> InfluenceVariance:
    """Return the variance of the mean over cases and repeats of one configuration.

    A case i moves the result in two ways. Where it is tested it adds E_i, the mean of its terms
    over repeats. Where it trains it changes the terms of others: with T_i = 1 where it trains, the
    regression of what a split adds on T_i tells by how much, and a little more weight on the case
    moves the result by n f times that slope, f being the share of cases that train. Together

        U_i = (E_i - s) - (1 / R) sum_m (n / n_im) sum_j (h_jm - E_j),      Var = sum_i U_i² / n²,

    where j runs over the cases tested beside i in repeat m, n_im of them with i. Subtracting the
    mean E_j of each case removes which cases happen to lie in a fold. The second part comes from R
    repeats, and what noise alone would add to it is subtracted. The rest may not make the variance
    smaller than that of the first part alone.

    The noise of a case is the variance over repeats of what is averaged, divided by R, times
    (R - 1)(1 - q) / (R - 1 + q), where q is the share of the others that a fold holds: distances
    from a mean over repeats sum to 0, so that repeats are not independent.

    With groups the U_i of a group are summed before they are squared, times G / (G - 1).

    If a fold has one case of a class, that case affects how all others of its fold score, which
    hides its effect in training. The variance is then that of one partition, by its pooled terms,
    averaged over repeats: a mean over partitions varies less than one.
    """
    terms, folds = cases.spread[:, 0], cases.folds  # (n, R) both
    tested = folds >= 0
    counts = np.maximum(tested.sum(axis=1), 1)
    means = np.where(tested, terms, 0.0).sum(axis=1) / counts  # E_i
    units = np.arange(len(means)) if cases.groups is None else cases.groups
    summed = _sums(units, means - means.mean())
    scale = _scale(cases.groups) / len(means) ** 2
    alone = scale * float(np.square(summed).sum())
    if cases.pooled is not None:
        each = variance_of_repeats(cases)
        return InfluenceVariance(max(each, alone), alone, max(each - alone, 0.0), 0.0)
    away = np.where(tested, terms - means[:, None], 0.0)
    others = np.stack([_beside(away[:, r], folds[:, r]) for r in range(folds.shape[1])], axis=1)
    trained = np.stack([_sums(units, -others[:, r]) for r in range(folds.shape[1])], axis=1)
    noise = scale * float(trained.var(axis=1, ddof=1).sum()) * _shrunk(folds)
    both = scale * float(np.square(summed + trained.mean(axis=1)).sum())
    return InfluenceVariance(max(both - noise, alone), alone, both - noise - alone, noise)


def variance_of_repeats(cases: CaseValues) -> float:
    """Return the variance over all pairs of one partition, as the mean over the repeats."""
    every = [
        variance_of_mean(
            cases.spread[:, 0, r : r + 1],
            cases.folds[:, r : r + 1],
            cases.groups,
            Variance.ALL_PAIRS,
        )
        for r in range(cases.folds.shape[1])
        if (cases.folds[:, r] >= 0).any()
    ]
    return float(np.mean(every))


def _shrunk(folds: Numbers) -> float:
    """Return what turns the variance over repeats into that of their mean, for noise alone."""
    repeats, n = folds.shape[1], len(folds)
    sizes = [np.bincount(code[code >= 0]) for code in folds.T]
    others = np.mean([(size**2).sum() / max(1, size.sum()) - 1.0 for size in sizes])
    share = float(others) / max(1, n - 1)  # of the other cases that lie beside one
    return float((repeats - 1.0) * (1.0 - share) / (repeats - 1.0 + share) / repeats)


def _beside(away: Array, folds: Numbers) -> Array:
    """Return for each case (n / n_k) times the sum over the other cases of its fold: (n,)."""
    used = folds >= 0
    out = np.zeros(len(away))
    sums = np.bincount(folds[used], weights=away[used])
    sizes = np.bincount(folds[used])
    mine = folds[used]
    out[used] = used.sum() / sizes[mine] * (sums[mine] - away[used])
    return out


def _sums(units: Numbers, values: Array) -> Array:
    codes = np.unique(units, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.bincount(codes, weights=values), dtype=np.float64)


def _scale(groups: Numbers | None) -> float:
    if groups is None:
        return 1.0
    count = count_groups(groups)
    return count / (count - 1)


DROWNED = 10.0  # times the part of the tests: above it few repeats leave an error that is rough


@register
@dataclass(frozen=True, kw_only=True)
class RepeatedCV:
    """Repeat cross-validation with other folds, and take its error from the influence of cases.

    With many repeats the score becomes a smooth function of the sample, and its influence function
    gives the standard error: what each case adds where it is tested, and how it changes the others
    where it trains. Both parts are computed from the predictions, without training.

    **What is estimated.** The mean performance of this learner over training sets of (1 - 1/K) n
    cases.

    **What it assumes.** Independent cases (or groups). The score is only partly smooth, so the
    error is an approximation; the part from training sets is never negative.

    **When it fails.** With few repeats the part from training sets is mostly noise. The noise is
    subtracted on average but not in each sample, and negative values are cut off, so the error is
    then too large. A caution tells you how many repeats you need.

    Yousef 2022, section 6, and Yousef 2021, for the idea; the formula is our own, see the page of
    the method.

    Parameters
    ----------
    selector : str or Selector, optional
        The rule that names the winner of several configurations: by default 'mean_of_folds' for
        an AUC, else 'pooled'.

    Examples
    --------
    >>> import numpy as np
    >>> import earnest as en
    >>> rng = np.random.default_rng(3)
    >>> y = np.tile([0, 1], 50)
    >>> case = y + rng.standard_normal(100)
    >>> scores = case[:, None, None] + 0.3 * rng.standard_normal((100, 1, 10))
    >>> folds = np.stack([rng.permutation(100) % 5 for _ in range(10)], axis=1)
    >>> pi = en.Predictions.from_arrays(y, scores - 0.5, folds, response="decision")
    >>> en.estimate(pi, method="repeated_cv", metric="accuracy")
    accuracy 0.66, 95 % interval [0.51, 0.81] (repeated_cv, trained on 80, n=100)
    """

    spec: ClassVar[MethodSpec] = MethodSpec(
        name="repeated_cv",
        title="Repeated cross-validation with its influence-function error",
        short="Repeated cross-validation",
        needs=Evidence.OUT_OF_SAMPLE,
        design=Design.FOLDS,
        repeats=10,
        estimand=Estimand.LEARNER,
        cites="Yousef 2022, section 6",
        metrics=MetricFamily.CASEWISE,
        min_folds=2,
        min_repeats=2,
        one_learner=True,
    )
    selector: str | Selector | None = None

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse one partition, and metrics that do not say what a case adds."""
        need_folds(
            self,
            design,
            cure=f"Pass {arg('fold')}; for one test set use {arg('method', 'holdout')}.",
        )
        need_repeats(design)
        check_terms(design, metric, singles=True)

    def __call__(self, call: Call) -> EstimateParts:
        """Return the mean over repeats with normal limits."""
        pi, metric = call.pi, call.metric
        default = MeanOfFolds() if isinstance(metric, RankMetric) else Pooled()
        selector = selector_of(self.selector, default)
        best, naive, _ = choose_winner(pi, metric, selector, n_jobs=call.n_jobs)
        cases = case_values(pi.select(best), metric, singles=True)
        value = float(cases.value[0])
        if np.isnan(value):
            raise EvidenceError(
                f"metric {metric.name!r} is undefined on the cases of a repeat",
                needs="a defined score on all cases of each repeat",
                cure="Check the predictions, or choose another metric.",
            )
        parts = influence_variance(cases)
        if parts.total > 0.0:
            source: LimitSource = NormalLimits(value, parts.total**0.5)
            source = never_beyond_perfect(source, pi.select(best), metric, value, by_fold=True)
            remarks = [*few_cases(cases), *_few_repeats(pi.n_repeats, parts)]
        else:
            source, remark = limits_without_spread(pi.select(best), cases, metric)
            remarks = [remark]
        return EstimateParts(
            value=value,
            winner=best,
            naive=naive,
            source=source,
            cautions=[
                *few_groups_in_variance(cases.groups),
                *_linear(cases),
                *lone_cases(cases, one_partition=True),
                *remarks,
            ],
            estimand=as_fixed(self, pi),
            details=parts,
            used={"selector": selector},
        )


def need_repeats(pi: Predictions) -> None:
    """Refuse predictions of one partition: the influence on training is read from repeats."""
    if pi.n_repeats < 2:
        raise EvidenceError(
            "method 'repeated_cv' needs repeats",
            needs="at least 2 repeats of the folds, preferably 10",
            got="1 repeat",
            cure=f"Repeat the folds ({arg('n_repeats')}), or use "
            f"{arg('method', 'bayle_all_pairs')}.",
        )


def _few_repeats(repeats: int, parts: InfluenceVariance) -> Iterator[Caution]:
    """Yield a caution where the noise of the repeats is far larger than what the tests show."""
    if parts.noise > DROWNED * parts.tested:
        enough = None
        if parts.tested > 0.0:
            enough = 10 * math.ceil(repeats * parts.noise / (DROWNED * parts.tested) / 10)
        yield of_limits.repeats_mostly_noise(repeats, trained=parts.trained > 0, enough=enough)


def _linear(cases: CaseValues) -> Iterator[Caution]:
    if cases.kind != "pointwise":
        yield of_limits.error_beyond_means(by_fold=cases.kind != "delta")
