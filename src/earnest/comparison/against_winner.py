"""The winner of a search against all others: what the report and the command line both name."""

from __future__ import annotations

from earnest.comparison.many import compare_many
from earnest.core.base.errors import EarnestError
from earnest.core.base.rng import RngLike
from earnest.core.data.predictions import Predictions
from earnest.core.results.comparison import Comparison
from earnest.core.results.comparison_table import Comparisons, p_of
from earnest.core.results.differences import alpha_of
from earnest.metrics import metric as resolve_metric
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

    Raises
    ------
    EarnestError
        That of the first test, where none applies.
    """
    first = ["delong"] if resolve_metric(metric).name == "roc_auc" else []
    refusals: list[EarnestError] = []
    for test in (*first, "bayle", "bootstrap"):
        try:
            return compare_many(
                pi,
                test=test,
                metric=metric,
                reference=winner,
                adjust="none",
                confidence_level=confidence_level,
                rng=rng,
                n_jobs=n_jobs,
            )
        except EarnestError as error:
            refusals.append(error)
    raise refusals[0]


def shown_worse(made: Comparison, count: int, confidence_level: float) -> bool:
    """Tell whether the other is shown to be worse than the reference, for `count` others at once.

    Bonferroni's rule: the verdict, its p-value and its interval are of one kind.
    """
    p = min(1.0, count * p_of(made))
    return made.favours == made.a and p <= alpha_of(confidence_level)


def not_shown_worse(many: Comparisons) -> set[str]:
    """Return the reference and the others that are not shown to be worse."""
    level, count = many.confidence_level, len(many)
    kept = {made.b for made in many.comparisons if not shown_worse(made, count, level)}
    return {many.reference, *kept}


def simplest_of(many: Comparisons, kept: set[str]) -> str | None:
    """Return the simplest configuration of a set, None where the complexity is unknown."""
    if many.simple_first is None:
        return None
    return next(name for name in many.simple_first if name in kept)
