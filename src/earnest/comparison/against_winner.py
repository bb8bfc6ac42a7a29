"""The winner of a search against all others: what the report and the command line both name."""

from __future__ import annotations

from earnest.comparison.asking import ComparisonRequest, ask_first_that_applies
from earnest.comparison.base import Test
from earnest.comparison.many import compare_all
from earnest.comparison.pairing import measured
from earnest.core.base.rng import RngLike
from earnest.core.data.predictions import Predictions
from earnest.core.results.comparison_table import Comparisons
from earnest.metrics.families import Metric


def against_winner(
    pi: Predictions,
    metric: str | Metric,
    winner: str | None,
    *,
    confidence_level: float,
    rng: RngLike,
    n_jobs: int | None = None,
) -> Comparisons:
    """Compare the winner with all others by the first test that applies.

    The winner stands for the best, so `not_worse` are those that are not shown to be worse than
    it. As it was chosen on the same cases, everything holds for all pairs at once.

    Raises
    ------
    EarnestError
        That of the first test, where none applies.
    """
    given, measure = measured(pi, metric)

    def ask(test: str | Test) -> Comparisons:
        asked = ComparisonRequest.of(test, "two-sided", confidence_level, None, rng, n_jobs)
        return compare_all(asked, given, measure, winner=winner)

    return ask_first_that_applies(None, measure, ask)
