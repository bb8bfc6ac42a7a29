"""Repeated cross-validation, with the error that its influence function gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.data.selection import MeanOfFolds, Pooled, Selector
from earnest.core.data.target import Target
from earnest.core.results.cautions import Caution, Severity
from earnest.core.results.estimate import Estimate
from earnest.core.results.interval import LimitSource, NormalLimits
from earnest.core.results.specs import Design, Estimand, Evidence, Family, MethodSpec
from earnest.inference.cases.case_values import CaseValues, case_values, check_terms
from earnest.inference.cases.repeated_influence import InfluenceVariance, influence_variance
from earnest.inference.limits.ceiling import limits_without_spread, never_beyond_perfect
from earnest.inference.limits.fold_normal import few_cases, few_groups, lone_cases
from earnest.inference.remarks import not_corrected
from earnest.inference.resampling.winners import winner
from earnest.methods.base import Call, make_estimate, need_folds, register, selector_of
from earnest.methods.learner.cv import as_fixed
from earnest.metrics.families import Metric, RankMetric

OF_ONE = "the error is that of a single partition, not of the mean over repeats"
DROWNED = 10.0  # times the part of the tests: above it few repeats leave an error that is rough


@register
@dataclass(frozen=True, kw_only=True)
class RepeatedCV:
    """Repeat cross-validation with other folds, and take its error from the influence of cases.

    With many repeats the score becomes a smooth function of the sample, and the influence function
    gives its standard error: what each case adds where it is tested, and how the others fare where
    it trains. Both parts are read from the predictions; nothing is trained for it.

    **What is estimated.** The mean performance of this learner over training sets of (1 - 1/K) n
    cases.

    **What it assumes.** Independent cases (or groups). The score is only partly smooth, so that
    the error is an approximation; its part of training sets is never allowed to be negative.

    **When it fails.** With few repeats the part of training sets is mostly noise. It is subtracted
    on average but not in each sample, and as nothing negative is added the error is then too large:
    a caution says so, and how many repeats you need.

    Yousef 2022, section 6, and Yousef 2021, for the idea; the formula is ours, see the page of the
    method.

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
    accuracy 0.66, 95 % interval [0.51, 0.81] (repeated_cv, trained on 4/5 of n=100)
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
        metrics=Family.CASEWISE,
        min_folds=2,
        min_repeats=2,
        one_learner=True,
    )
    selector: str | Selector | None = None

    def check(self, target: Target, design: Predictions, metric: Metric) -> None:
        """Refuse one partition, and metrics that do not say what a case adds."""
        need_folds(self, design, cure="Pass `fold`; for one test set use method='holdout'.")
        need_repeats(design)
        check_terms(design, metric, singles=True)

    def __call__(self, call: Call) -> Estimate:
        """Return the mean over repeats with normal limits."""
        pi, metric = call.pi, call.metric
        default = MeanOfFolds() if isinstance(metric, RankMetric) else Pooled()
        selector = selector_of(self.selector, default)
        best, naive, _ = winner(pi, metric, selector, n_jobs=call.n_jobs)
        made = case_values(pi.select(best), metric, singles=True)
        value = float(made.value[0])
        if np.isnan(value):
            raise EvidenceError(
                f"metric {metric.name!r} is undefined on the cases of a repeat",
                needs="a defined score on all cases of each repeat",
                cure="Check the predictions, or choose another metric.",
            )
        parts = influence_variance(made)
        if parts.total > 0.0:
            source: LimitSource = NormalLimits(value, parts.total**0.5)
            source = never_beyond_perfect(source, pi.select(best), metric, value, by_fold=True)
            said = [*few_cases(made), *_few_repeats(pi.n_repeats, parts)]
        else:
            units = pi.n_cases if made.groups is None else len(np.unique(made.groups))
            source, remark = limits_without_spread(pi.select(best), made, metric, units)
            said = [remark]
        return make_estimate(
            self,
            call,
            value=value,
            winner=best,
            naive=naive,
            source=source,
            cautions=[
                *not_corrected(pi.n_configs),
                *few_groups(made),
                *_linear(made),
                *lone_cases(made, OF_ONE),
                *said,
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
            cure="Repeat the folds (`n_repeats`), or use method='bayle_all_pairs'.",
        )


def _few_repeats(repeats: int, parts: InfluenceVariance) -> Iterator[Caution]:
    """Yield a caution where the noise of the repeats is far larger than what the tests show."""
    if parts.noise > DROWNED * parts.tested:
        enough = 10 * math.ceil(repeats * parts.noise / (DROWNED * parts.tested) / 10)
        yield Caution(
            "EN092",
            f"What {repeats} repeats show about the effect of training sets is mostly noise.",
            "The standard error is rough and usually too large."
            if parts.trained > 0
            else "The standard error is that of the tests alone and may be too small.",
            f"Use n_repeats={enough} or more.",
        )


def _linear(made: CaseValues) -> Iterator[Caution]:
    if made.kind != "pointwise":
        yield Caution(
            "EN031",
            "The metric is not a mean over cases.",
            "The error is that of its linear part."
            if made.kind == "delta"
            else "It is the mean over folds, and its error comes from placements in folds (LeDell "
            "et al. 2015).",
            severity=Severity.NOTE,
        )
