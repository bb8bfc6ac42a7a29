"""Coverage of intervals for one model and its test set, where nothing is chosen."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from earnest import Predictions, estimate
from earnest.methods import DeLong, HanleyMcNeil, Tilted

TRUTH = 0.8
Y = np.tile([0, 1], 100)
RARE = 6.3e-5  # the two-sided tail beyond 4 standard deviations of a normal law
RUNS = 1000


def covered(method: Any, metric: str, seed: int) -> tuple[int, int]:
    """Count how often the two-sided interval and the lower bound hold."""
    both = lower = 0
    shift = math.sqrt(2) * NormalDist().inv_cdf(TRUTH)
    for run in range(RUNS):
        rng = np.random.default_rng([seed, run])
        if metric == "accuracy":
            answers = np.where(rng.random(200) < TRUTH, Y, 1 - Y)
            pi = Predictions.from_arrays(Y, answers, response="label")
        else:
            pi = Predictions.from_arrays(Y, shift * Y + rng.normal(size=200), response="decision")
        made = estimate(pi, method=method, metric=metric, rng=run)
        bound = made.at(side="lower").interval
        assert made.interval is not None
        assert bound is not None
        both += TRUTH in made.interval
        lower += bound.low <= TRUTH
    return both, lower


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "metric", "lower_holds"),
    [
        (DeLong(), "roc_auc", False),  # a Wald bound is a little short on the long side
        (DeLong(variant="logit"), "roc_auc", True),
        (HanleyMcNeil(), "roc_auc", False),
        (Tilted(), "roc_auc", True),
        (Tilted(), "accuracy", True),
    ],
    ids=["delong", "delong logit", "hanley_mcneil", "tilted auc", "tilted accuracy"],
)
def test_95_percent_intervals_hold_in_95_percent_of_runs(
    method: Any, metric: str, lower_holds: bool
) -> None:
    both, lower = covered(method, metric, seed=7)
    assert binom.cdf(both, RUNS, 0.95) >= RARE
    assert binom.sf(both, RUNS, 0.95) >= RARE
    assert binom.cdf(lower, RUNS, 0.95 if lower_holds else 0.925) >= RARE
