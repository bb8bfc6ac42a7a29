"""An assessment that tests kill: `python -m tests.training.killed_assess STORE OUT`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import earnest as en
from tests.training.killed_replicates import DeadlyMean

CASES, FOLDS, REPEATS = 20, 4, 3
FITS = REPEATS * (FOLDS + FOLDS * (FOLDS - 1) // 2)


def assessed(store: str | None) -> en.results.Estimate:
    y = np.sin(np.arange(CASES) * 1.5)
    return en.assess(
        DeadlyMean(),
        y[:, None],
        y,
        method="bates_ncv",
        metric="mse",
        cv=FOLDS,
        n_repeats=REPEATS,
        store=store,
        rng=5,
    )


if __name__ == "__main__":
    from tests.training import killed_assess  # whose learner is not that of `__main__`

    made = killed_assess.assessed(sys.argv[1])
    Path(sys.argv[2]).write_text(json.dumps(made.to_dict()), encoding="utf-8")
