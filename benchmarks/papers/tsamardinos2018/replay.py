"""What a rule of early dropping would have done, fold by fold, on predictions that are all there.

Whether a configuration is dropped depends on nothing but the predictions made so far, so one full
cross-validation serves every rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earnest import Predictions
from earnest.core.base.rng import Seeds
from earnest.training.search.dropping.bced import DroppingRule, DropTrace


@dataclass(frozen=True, eq=False)
class Replay:
    """A search with early dropping: what was left, what it cost, and what was dropped when."""

    pi: Predictions
    alive: NDArray[np.bool_]
    trained: int
    trace: DropTrace


def replay(pi: Predictions, metric: Any, rule: DroppingRule, seeds: Seeds) -> Replay:
    """Go through the folds of the only repeat, testing after each but the last."""
    codes, folds = pi.folds[:, 0], len(pi.fold_names[0])
    seen = np.full_like(pi.responses, np.nan)
    alive, trained, trace = np.ones(pi.n_configs, dtype=bool), 0, DropTrace()
    for fold in range(folds):
        cells = np.ix_(codes == fold, alive)
        seen[cells] = pi.responses[cells]
        trained += int(alive.sum())
        if fold < folds - 1:
            so_far = replace(pi, responses=seen.copy())
            test = rule.test(so_far, metric, seeds, fold + 1, alive)
            trace = trace.after(test, pi.configs.ids)
            alive = alive & ~test.dropped
    return Replay(replace(pi, responses=seen), alive, trained, trace)
