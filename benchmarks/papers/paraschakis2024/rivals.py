"""The rivals that choose on one part and evaluate on the other, as published."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.paraschakis2024.simulate import LEVEL, Setting, draw, stream
from earnest import (
    MABT,
    DeLong,
    DeLong10p,
    Estimate,
    HanleyMcNeil,
    HanleyMcNeil10p,
    Predictions,
    Tilted,
    Tilted10p,
    estimate,
)
from earnest.methods.base import Method

PUBLISHED: dict[str, Any] = {"split": "unstratified", "direction": "auto"}
RIVALS: dict[str, Method] = {
    "delong": DeLong(**PUBLISHED),
    "hanley_mcneil": HanleyMcNeil(**PUBLISHED, variant="as_published"),
    "tilted": Tilted(**PUBLISHED),
    "delong_10p": DeLong10p(**PUBLISHED),
    "hanley_mcneil_10p": HanleyMcNeil10p(**PUBLISHED, variant="as_published"),
    "tilted_10p": Tilted10p(**PUBLISHED),
    "mabt": MABT(**PUBLISHED),
}
FINAL = ("delong_10p", "hanley_mcneil_10p", "tilted_10p", "mabt")


@dataclass(frozen=True)
class SplitBounds:
    """One replication: true AUCs of the two choices, and one-sided 95 % lower bounds.

    `truth` is of the configuration that the learning part chose, `truth_final` of the one that the
    evaluation part chose among the preselected; `missing` counts tilts that were not found.
    """

    truth: float
    truth_final: float
    delong: float
    hanley_mcneil: float
    tilted: float
    delong_10p: float
    hanley_mcneil_10p: float
    tilted_10p: float
    mabt: float
    missing: int


def can_split(setting: Setting) -> bool:
    """Tell whether the learning part can have every class in every fold, as the paper asks.

    With 50 cases the published bounds are 1 under perfect separation, where ours are exact limits:
    there is nothing to compare.
    """
    return setting.cases > 50 and setting.cases * setting.minority * 0.75 >= setting.folds


def split_bounds(pi: Predictions, truth: NDArray[np.float64], seed: int) -> SplitBounds:
    """Return the bounds of all rivals, on one split."""
    made: dict[str, Estimate] = {
        name: estimate(
            pi, method=method, metric="roc_auc", confidence_level=LEVEL, side="lower", rng=seed
        )
        for name, method in RIVALS.items()
    }
    lows = {name: answer.interval.low for name, answer in made.items() if answer.interval}
    missing = sum("EN026" in {c.code for c in answer.cautions} for answer in made.values())
    return SplitBounds(
        truth=float(truth[pi.configs.index(str(made["delong"].winner))]),
        truth_final=float(truth[pi.configs.index(str(made["mabt"].winner))]),
        missing=missing,
        **lows,
    )


def replicate_split(setting: Setting, number: int) -> SplitBounds:
    """Return one replication, the same for the same number."""
    import_module("earnest.kernels.compiled")  # hundreds of runs pay for loading it once
    pi, truth = draw(setting, stream(setting, number))
    return split_bounds(pi, truth, number)
