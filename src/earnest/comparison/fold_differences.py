"""Scores of folds, and what the tests that work on them share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from earnest.comparison.base import (
    Array,
    PairOutcome,
    PairReading,
    Question,
    TestSpec,
    predict_alike,
)
from earnest.comparison.wald import wald
from earnest.core.base.errors import EvidenceError
from earnest.core.data.predictions import Predictions
from earnest.core.results.cautions import Caution
from earnest.core.text.doors import arg
from earnest.inference.cases.fold_variance import corrected_variance
from earnest.inference.remarks import warn_of_undefined_folds
from earnest.kernels.score import fold_scores


@dataclass(frozen=True, eq=False)
class FoldReading(PairReading):
    """The metric of every configuration in every fold.

    Parameters
    ----------
    scores : ndarray, shape (J, C)
        The folds of all repeats in which the metric is defined.
    overlap : float
        What to add to 1 / J for overlapping training sets: the ratio of test to training cases.
    remarks : tuple of Caution
        What the test always says.
    """

    question: Question
    scores: Array
    overlap: float
    remarks: tuple[Caution, ...]

    @property
    def values(self) -> Array:
        """The mean over folds of every configuration: (C,)."""
        return np.asarray(self.scores.mean(axis=0))

    @property
    def units(self) -> int:
        """The folds of a repeat, or those in which the metric is defined where these are fewer."""
        folds = self.question.pi.n_folds
        return min(len(self.scores), folds) if folds > 1 else len(self.scores)

    def pair(self, a: int, b: int) -> PairOutcome:
        """Return the mean fold difference over its standard error, with Student's distribution."""
        pi, values = self.question.pi, self.values
        count = len(self.scores)
        apart = self.scores[:, a] - self.scores[:, b]
        variance = float(corrected_variance(apart, self.overlap))
        return wald(
            (float(values[a]), float(values[b])),
            variance,
            self.question.metric.scale,
            units=self.units,
            unit="fold",
            df=count - 1,
            same=predict_alike(pi, a, b),
            cautions=self.remarks,
        )


def read_fold_differences(
    spec: TestSpec,
    question: Question,
    *,
    corrected: bool,
    ratio: float | None = None,
    remarks: Iterable[Caution] = (),
) -> FoldReading:
    """Score every fold, leaving out those in which the metric is undefined for a configuration.

    With `corrected` the variance allows for overlapping training sets, by the `ratio` of test to
    training cases; the default is that of folds, 1 / (K - 1).
    """
    pi = question.pi
    table = fold_scores(pi, question.metric, n_jobs=question.n_jobs)[:, 0]  # (J, C)
    whole = ~np.isnan(table).any(axis=1)
    if whole.sum() < 2:
        raise EvidenceError(
            f"test {spec.name!r} needs scores of folds",
            needs="at least two folds in which the metric is defined for all configurations",
            got=f"{int(whole.sum())} of {len(table)}",
            cure="Use fewer or stratified folds, a metric that is defined in small folds, or "
            f"{arg('test', 'bootstrap')}.",
        )
    overlap = (_ratio_of_folds(spec, pi) if ratio is None else ratio) if corrected else 0.0
    every_remark = (*remarks, *warn_of_undefined_folds(len(table), int(whole.sum())))
    return FoldReading(question, table[whole], overlap, every_remark)


def _ratio_of_folds(spec: TestSpec, pi: Predictions) -> float:
    """Return the ratio of test to training cases where folds part the cases."""
    partition = max(len(names) for names in pi.fold_names)  # with folds that were not evaluated
    if partition < 2:
        raise EvidenceError(
            f"test {spec.name!r} needs to know how many cases the models were trained on",
            needs="folds that partition the cases, or the ratio of test to training cases",
            got="one test set per repeat",
            cure="Use CorrectedTTest(ratio=...), or compare_learners, which knows the ratio.",
        )
    return 1.0 / (partition - 1)
