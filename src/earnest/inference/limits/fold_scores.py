"""Which limits the scores of folds alone support, and where they support none.

The limits are the quantiles of draws of folds, or those of Student for the winner's own fold scores
where these are wider. In simulated searches with real learners (`benchmarks/calibration/folds`)
quantiles alone held in 69 % of searches with three folds and in 92 % with five. The outer ones of
both held in 96 % from five folds on, on cells that chose nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from earnest.core.base.errors import EvidenceError
from earnest.core.cautions import of_limits
from earnest.core.data.fold_scores import PLAIN_SPLITS, FoldScores
from earnest.core.results.cautions import Caution
from earnest.core.results.interval import LimitSource, StudentLimits, WidenedLimits

FEWEST_FOLDS = 5  # of a repeat: with fewer, limits held too seldom


def limits_of_folds(
    scores: FoldScores,
    drawn: LimitSource,
    winner: Sequence[NDArray[np.float64]],
    value: float,
) -> tuple[LimitSource | None, tuple[Caution, ...]]:
    """Return the limits that fold scores support, or none and why.

    Parameters
    ----------
    scores : FoldScores
        The evidence.
    drawn : LimitSource
        The quantiles of the draws.
    winner : sequence of ndarray, shape (K,)
        The scores of the winner in the folds of each repeat.
    value : float
        The corrected value, about which Student's limits lie.
    """
    folds = max(map(len, winner))
    if scores.splits.overlap:
        return None, (of_limits.splits_overlap(scores.n_folds * scores.n_repeats),)
    if scores.splits.assumed and scores.n_folds > PLAIN_SPLITS:
        return None, (of_limits.repeats_unknown(scores.n_folds),)
    if folds < FEWEST_FOLDS:
        return None, (of_limits.few_folds_alone(folds, FEWEST_FOLDS),)
    if not drawn.has_width:
        return None, (of_limits.fold_scores_equal(folds),)
    # Folds of different repeats share their cases, so that repeats add no degrees of freedom.
    variance = float(np.mean([np.var(each, ddof=1) / len(each) for each in winner]))
    return WidenedLimits(drawn, (StudentLimits(value, variance**0.5, folds - 1),)), ()


def refuse_unknown_overlap(scores: FoldScores, cure: str) -> None:
    """Refuse splits of which it is not known how many cases trained and tested."""
    splits = scores.splits
    if splits.overlap or (splits.assumed and scores.n_folds > PLAIN_SPLITS):
        raise EvidenceError(
            "a variance of fold scores needs to know how many cases the models were trained on",
            needs="the folds of a cross-validation, or the ratio of test to training cases",
            got=f"{scores.n_folds * scores.n_repeats} splits that may be random or repeated",
            cure=f"Pass the ratio, as in {cure}, or FoldScores.from_rows(..., repeats=...).",
        )
